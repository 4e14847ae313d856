// Code points of UTF-8 text, and what the expression language takes for letters and spaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headroom::expr {

inline constexpr std::uint32_t kReplacement = 0xFFFD;

/// Moves `at` behind the next code point and returns it. A byte that begins none is U+FFFD by itself.
[[nodiscard]] std::uint32_t next_code_point(std::string_view text, std::size_t& at);
void append_utf8(std::string& text, std::uint32_t code_point);
[[nodiscard]] bool is_space(std::uint32_t code_point);
/// Letters, '_' and '$'. Beyond ASCII by blocks, coarsely: punctuation and symbols are no letters.
[[nodiscard]] bool is_letter(std::uint32_t code_point);
[[nodiscard]] inline bool is_digit(std::uint32_t c) { return c >= '0' && c <= '9'; }

}  // namespace headroom::expr
