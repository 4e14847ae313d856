// Time as integer nanoseconds, in two types, so that adding two points in time does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace headroom {

/// A length of time in integer nanoseconds. May be negative as a difference.
struct Duration {
  std::int64_t ns = 0;

  static constexpr Duration nanoseconds(std::int64_t n) { return {n}; }
  static constexpr Duration microseconds(std::int64_t n) { return {n * 1'000}; }
  static constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000'000}; }
  static constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000'000}; }
  static constexpr Duration hours(std::int64_t n) { return seconds(n * 3600); }
  /// Larger than any length that a workload may name; "no limit".
  static constexpr Duration infinite() { return {std::numeric_limits<std::int64_t>::max()}; }

  [[nodiscard]] constexpr bool is_infinite() const { return *this == infinite(); }
  /// For reports only: never decides anything.
  [[nodiscard]] constexpr double in_seconds() const { return static_cast<double>(ns) / 1e9; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  friend constexpr Duration operator-(Duration a) { return {-a.ns}; }
  friend constexpr Duration operator*(Duration a, std::int64_t k) { return {a.ns * k}; }
  constexpr Duration& operator+=(Duration b) {
    ns += b.ns;
    return *this;
  }
  constexpr Duration& operator-=(Duration b) {
    ns -= b.ns;
    return *this;
  }
};

/// An instant: nanoseconds since time 0 of the run.
struct TimePoint {
  std::int64_t ns = 0;

  static constexpr TimePoint zero() { return {0}; }
  /// Later than any instant that can be reached.
  static constexpr TimePoint never() { return {std::numeric_limits<std::int64_t>::max()}; }

  [[nodiscard]] constexpr bool is_never() const { return *this == never(); }
  [[nodiscard]] constexpr double in_seconds() const { return static_cast<double>(ns) / 1e9; }

  friend constexpr auto operator<=>(TimePoint, TimePoint) = default;
  friend constexpr TimePoint operator+(TimePoint t, Duration d) { return {t.ns + d.ns}; }
  friend constexpr TimePoint operator-(TimePoint t, Duration d) { return {t.ns - d.ns}; }
  friend constexpr Duration operator-(TimePoint a, TimePoint b) { return {a.ns - b.ns}; }
};

/// t + d, or never() where that leaves the range of 292 years.
[[nodiscard]] constexpr TimePoint saturating_add(TimePoint t, Duration d) {
  std::int64_t sum = 0;
  if (d.is_infinite() || t.is_never() || __builtin_add_overflow(t.ns, d.ns, &sum)) return TimePoint::never();
  return {sum};
}

}  // namespace headroom
