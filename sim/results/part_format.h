// What the writer and the reader of part files agree on.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headroom {

inline constexpr std::string_view kPartMagic = "HRpart\n\1";  ///< the last byte is the version
inline constexpr std::size_t kPartTrailer = 8 + 8 + 4 + kPartMagic.size();

/// Rows of a full frame: half a MiB, at most 65 536 of them, at least one.
inline std::size_t frame_rows_of(std::size_t width) {
  return std::clamp<std::size_t>((std::size_t{1} << 19) / width, 1, 65536);
}

inline std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace headroom
