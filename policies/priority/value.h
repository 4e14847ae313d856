// The values of the expression language, and its clock and calendar. 64-bit integers wrap; times are exact over all
// years; durations are 64-bit nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::expr {

enum class ValueKind : std::uint8_t {
  kNil,
  kBool,
  kInt,
  kFloat,
  kString,
  kDuration,
  kTime,
  kArray,
  kMap,
  kRecord,    ///< `workflow` as a whole
  kFunction,  ///< a builtin or a method that was not called
  kMonth,
  kWeekday,
};

/// What an untyped environment may hold. Arithmetic of two gives kInt; what keeps its type keeps its width.
enum class Width : std::uint8_t { kInt, kInt64, kInt32, kUint8 };

/// An instant in UTC, by the calendar of all years.
struct Instant {
  std::int64_t seconds = 0;  ///< since 1970
  std::int32_t nanoseconds = 0;

  friend auto operator<=>(const Instant&, const Instant&) = default;
  [[nodiscard]] static Instant of_unix_ns(std::int64_t ns);
  [[nodiscard]] Instant plus(std::int64_t ns) const;
  /// Saturates at the ends of 64 bits.
  [[nodiscard]] std::int64_t minus(const Instant& other) const;
};

struct Value;
using Items = std::vector<Value>;
using Fields = std::map<std::string, Value, std::less<>>;

struct Value {
  ValueKind kind = ValueKind::kNil;
  Width width = Width::kInt;
  std::int32_t nanoseconds = 0;  ///< of kTime
  union {
    std::int64_t i = 0;  ///< kBool, kInt, kDuration (ns), kTime (seconds), kMonth, kWeekday
    double f;            ///< kFloat
  };
  std::shared_ptr<const std::string> text;  ///< kString
  std::shared_ptr<const Items> items;       ///< kArray
  std::shared_ptr<const Fields> fields;     ///< kMap

  static Value nil() { return {}; }
  static Value of_bool(bool value);
  static Value of_int(std::int64_t value, Width width = Width::kInt);
  static Value of_float(double value);
  static Value of_string(std::string value);
  static Value of_duration(std::int64_t ns);
  static Value of_time(Instant at);
  static Value of_items(Items value);
  static Value of_fields(Fields value);
  static Value of_kind(ValueKind kind, std::int64_t value = 0);

  [[nodiscard]] bool is(ValueKind k) const { return kind == k; }
  [[nodiscard]] bool is_number() const { return kind == ValueKind::kInt || kind == ValueKind::kFloat; }
  [[nodiscard]] Instant instant() const { return {i, nanoseconds}; }
  /// Of a number.
  [[nodiscard]] double as_double() const { return kind == ValueKind::kInt ? static_cast<double>(i) : f; }
};

/// "int", "float", "duration" …: how values are called in messages and output.
[[nodiscard]] std::string_view kind_name(ValueKind kind);
/// Numbers compare by value, times as instants; values of unlike kinds differ.
[[nodiscard]] bool equal(const Value& a, const Value& b);

/// The shortest decimal that reads back as the same double, in the layout of Go's %g: 1.5, 4.5e+07, +Inf, NaN.
/// `exponent_from`: from this decimal exponent on it is written with an exponent.
[[nodiscard]] std::string float_text(double value, int exponent_from = 21);
/// "1h30m0s"
[[nodiscard]] std::string duration_text(std::int64_t ns);
/// RFC 3339 with as many decimals as need be.
[[nodiscard]] std::string time_text(Instant at);
/// What string(value) gives; of composite values something readable.
[[nodiscard]] std::string value_text(const Value& value);

/// "1h30m", "-1.5h", "100ns". False if it is none, or leaves 64 bits.
[[nodiscard]] bool parse_duration(std::string_view text, std::int64_t& ns);
/// RFC 3339: "2026-03-10T15:30:00.5Z", "…+01:00" (which then counts).
[[nodiscard]] bool parse_time(std::string_view text, Instant& at);

struct Calendar {
  std::int64_t year;
  int month, day;  ///< from 1
  int hour, minute, second;
  int weekday;   ///< 0: Sunday
  int year_day;  ///< from 1
};
/// At so many seconds east of UTC.
[[nodiscard]] Calendar calendar_of(Instant at, std::int64_t utc_offset_s);

}  // namespace headroom::expr
