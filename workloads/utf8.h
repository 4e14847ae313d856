// Bytes and code points of UTF-8 text. Knows nothing of YAML or of diagnostics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headroom::utf8 {

/// Length in bytes of the well-formed sequence that begins at `at`; 0 if none does (overlong forms, surrogates and what
/// lies past U+10FFFF are not well-formed). `code_point`, if given, is set to its value.
inline std::size_t sequence_length(std::string_view text, std::size_t at, std::uint32_t* code_point = nullptr) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(at);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  std::uint32_t value = length == 1 ? lead : lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return 0;
    value = (value << 6U) | (byte(at + i) & 0x3fU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff) return 0;
  if (code_point != nullptr) *code_point = value;
  return length;
}

/// Code points in well-formed text.
inline std::size_t count(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  return n;
}

}  // namespace headroom::utf8
