// What operators, functions and methods do to values.
#pragma once

#include <cstdint>
#include <span>

#include "policies/priority/builtins.h"
#include "policies/priority/methods.h"
#include "policies/priority/syntax.h"
#include "policies/priority/value.h"

namespace headroom::expr {

/// Strings longer than this, and arrays with more values in them, are refused at run time.
inline constexpr std::int64_t kMaxValueSize = 1 << 16;

/// What a whole evaluation shares.
struct Clock {
  Instant now;
  std::int64_t utc_offset_s = 0;  ///< of the calendar that now().Hour() counts in
};

/// Everything but `and`, `or` and `??`. Fails  Error (runtime) at `offset`.
[[nodiscard]] Value binary(Op op, const Value& a, const Value& b, std::uint32_t offset);
[[nodiscard]] Value unary(Op op, const Value& a, std::uint32_t offset);
[[nodiscard]] Value call(Builtin builtin, std::span<const Value> arguments, const Clock& clock, std::uint32_t offset);
[[nodiscard]] Value call(const MethodInfo& method, const Value& receiver, std::span<const Value> arguments,
                         const Clock& clock, std::uint32_t offset);
[[nodiscard]] Value member(const Value& base, const std::string& name, std::uint32_t offset);
[[nodiscard]] Value element(const Value& base, const Value& key, std::uint32_t offset);
[[nodiscard]] Value array_of(std::span<const Value> items, std::uint32_t offset);
/// Key, value, key, value …
[[nodiscard]] Value map_of(std::span<const Value> parts, std::uint32_t offset);
/// The double that a scheduler sorts by. Fails  Error (runtime, conversion) for what is no number.
[[nodiscard]] double as_priority(const Value& value);

// The pieces that column evaluation shares, so that both give the same bits.
[[nodiscard]] double hours_of(std::int64_t ns);
[[nodiscard]] double minutes_of(std::int64_t ns);
[[nodiscard]] double seconds_of(std::int64_t ns);
[[nodiscard]] double power(double base, double exponent);
[[nodiscard]] std::int64_t truncated(double value);  ///< out of range or NaN: the smallest int, as on amd64
[[nodiscard]] inline std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
[[nodiscard]] inline std::int64_t wrap_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
[[nodiscard]] inline std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace headroom::expr
