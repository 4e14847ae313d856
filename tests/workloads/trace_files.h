// Traces for tests: from memory, from tests/data, and from the folder of real logs if it is there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>

#include "workloads/byte_source.h"
#include "workloads/swf.h"

namespace headroom::testing {

inline std::string data_file(const std::string& name) { return HEADROOM_SOURCE_DIR "/tests/data/" + name; }

/// The real log, or nothing where the logs are not there.
inline std::optional<std::string> real_trace(const std::string& name) {
  const char* folder = std::getenv("HEADROOM_TRACES");
  const std::string path = (folder ? std::string(folder) : HEADROOM_SOURCE_DIR "/../shared/traces") + "/" + name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

/// In a test that needs `path` (a real_trace()): skips it without the file, or fails where nothing may be skipped.
#define HEADROOM_NEEDS_TRACE(path)                                                                                \
  if (!(path)) {                                                                                                  \
    if (std::getenv("HEADROOM_NO_SKIP")) FAIL() << "a real trace is missing; HEADROOM_TRACES names their folder"; \
    GTEST_SKIP() << "a real trace is missing; HEADROOM_TRACES names their folder";                                \
  }                                                                                                               \
  static_assert(true)

/// EXPECT_LIST(rows, 1, 2, 3): `of` is a vector with just these elements.
#define EXPECT_LIST(of, ...) EXPECT_EQ((of), (std::decay_t<decltype(of)>{__VA_ARGS__}))

/// The string `of` has `part` in it.
#define EXPECT_CONTAINS(of, part) EXPECT_NE((of).find(part), std::string::npos) << (of)

inline SwfTrace read_text(std::string_view text, std::size_t longest_line = std::size_t{1} << 20) {
  ByteSource bytes = ByteSource::of_memory(text, "test.swf");
  return read_swf(bytes, longest_line);
}

inline SwfTrace read_file(const std::string& path) {
  ByteSource bytes = ByteSource::open(path);
  return read_swf(bytes);
}

}  // namespace headroom::testing
