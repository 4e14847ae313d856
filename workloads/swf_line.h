// One line of an SWF file: exact decimal numbers in up to 18 columns. Internal to the SWF reader.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headroom {

/// A decimal number to nine places: whole + nanos / 10^9, both of one sign. More places are rounded, half away from
/// zero.
struct SwfNumber {
  enum class Kind : std::uint8_t {
    kNumber,
    kHuge,  ///< beyond 10^18; `whole` has the sign
    kNone,  ///< no number: a word, nan, inf, nothing
  };
  std::int64_t whole = 0;
  std::int32_t nanos = 0;
  Kind kind = Kind::kNone;

  [[nodiscard]] bool is_number() const { return kind == Kind::kNumber; }
  [[nodiscard]] bool is_positive() const { return whole > 0 || nanos > 0; }
  [[nodiscard]] bool is_negative() const { return whole < 0 || nanos < 0; }
  /// As seconds in nanoseconds; nothing where that leaves 64 bits (292 years) or this is no number.
  [[nodiscard]] std::optional<std::int64_t> in_ns() const;
};

/// The whole of `text`: sign, digits, point, exponent. No blanks, no hexadecimal, no nan or inf.
[[nodiscard]] SwfNumber parse_swf_number(std::string_view text);

inline constexpr int kSwfColumns = 18;

/// A line split into columns. Of the columns that nobody uses (10, 13 to 16) no number is read.
struct SwfLine {
  std::array<SwfNumber, kSwfColumns> columns;  ///< field k of the format is columns[k - 1]
  int count = 0;                               ///< columns that are there, at most 18
  std::string_view preceding;                  ///< field 17 as it stands: some logs have a list there
  const char* end = nullptr;                   ///< where the last column read ends

  [[nodiscard]] const SwfNumber& field(int k) const { return columns[static_cast<std::size_t>(k - 1)]; }
};

/// Splits [begin, end) into `line`. `*end` must be readable and '\n': it ends the last column.
void split_swf_line(const char* begin, const char* end, SwfLine& line);

/// The line for a message: printable ASCII, at most 60 characters.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace headroom
