// Expected values: FIPS 180-4's examples and NIST's long-message example.
#include "sim/results/sha256.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArrive) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i % 251);
  for (const std::size_t piece : {1U, 3U, 63U, 64U, 65U, 127U, 500U}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) hash.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(hash.hex(), sha256_hex(text)) << "in pieces of " << piece;
  }
}

// Where the processor has no such instructions, this compares the portable way with itself.
TEST(Sha256, IsTheSameByTheProcessorsInstructions) {
  std::string text;
  for (int i = 0; i < 700; ++i) {
    Sha256 fastest(Sha256::Way::kFastest), portable(Sha256::Way::kPortable);
    fastest.add(text);
    portable.add(text);
    ASSERT_EQ(fastest.hex(), portable.hex()) << i << " bytes";
    text += static_cast<char>(i * i % 253);
  }
}

}  // namespace
}  // namespace headroom
