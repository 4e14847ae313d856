// Numbers, lengths of time, amounts of memory and dates as people write them, read exactly. Knows neither files nor
// keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policies/time.h"

namespace headroom {

/// A value, or what would have been right: "a duration like 4.1s" (to be read after "expected ").
template <class T>
struct Scalar {
  T value{};
  std::string wanted;  ///< empty: `value` holds
  [[nodiscard]] bool ok() const { return wanted.empty(); }
};

/// A whole number of YAML 1.2's core schema (12, -3, 0x1f, 0o17; 010 is ten).
[[nodiscard]] Scalar<std::int64_t> read_whole(std::string_view text);
/// The same without a sign, up to 2^64 - 1.
[[nodiscard]] Scalar<std::uint64_t> read_unsigned(std::string_view text);
/// A decimal number, correctly rounded; .inf and .nan are refused.
[[nodiscard]] Scalar<long double> read_number(std::string_view text);
/// A decimal number times `scale`, exact: 0.25 in millionths is 250000. More digits than that are refused.
[[nodiscard]] Scalar<std::int64_t> read_scaled(std::string_view text, std::int64_t scale);
/// 250ms, 4.1s, 10min, 2h, 7d, 5us, 3ns, or bare seconds; not negative, at most 100 years, at most nanoseconds.
[[nodiscard]] Scalar<Duration> read_duration(std::string_view text);
/// 256GiB, 512MB, 64KiB, 100B, or bare bytes.
[[nodiscard]] Scalar<std::int64_t> read_memory(std::string_view text);
/// 40/h, 2/s, 1/min, 3/d: events per nanosecond, above 0, or not below.
[[nodiscard]] Scalar<long double> read_rate(std::string_view text, bool may_be_zero = false);

struct Date {
  std::int64_t unix_s = 0;
  std::int32_t utc_offset_s = 0;
};
/// 2024-02-29T12:00:00Z or with an offset like +02:00; whole seconds.
[[nodiscard]] Scalar<Date> read_date(std::string_view text);

/// true, false as YAML 1.2's core schema has them.
[[nodiscard]] std::optional<bool> read_boolean(std::string_view text);

}  // namespace headroom
