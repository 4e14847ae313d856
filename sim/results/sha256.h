// SHA-256 (FIPS 180-4), for naming inputs and configurations. Not for secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom {

class Sha256 {
 public:
  enum class Way : std::uint8_t { kFastest, kPortable };
  /// kFastest: by the processor's own instructions where it has them; the digest is the same.
  explicit Sha256(Way way = Way::kFastest) : way_(way) {}
  void add(std::string_view bytes);
  /// 64 lower-case hex digits. Ends the computation.
  [[nodiscard]] std::string hex();

 private:
  void blocks(const unsigned char* bytes, std::size_t count);
  void block(const unsigned char* bytes);

  Way way_;
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;  ///< bytes so far
};

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace headroom
