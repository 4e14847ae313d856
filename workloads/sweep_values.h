// The values of a sweep's axes that a file describes instead of listing: evenly spaced ones, and a Latin hypercube.
// Knows neither the file nor what the values mean: a value is a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

/// From `from` to `to`, both ends included, in equal steps or in equal ratios.
struct SweepRange {
  double from = 0, to = 0;
  bool logarithmic = false;  ///< both ends above 0
  std::string unit = {};     ///< follows every value
  /// `share` of the way, 0 to 1.
  [[nodiscard]] double at(double share) const;
};

/// A number as a workload file has it: without an exponent, at most `digits` significant digits, no idle zeros. Few
/// enough digits that the last bit of a library's logarithm does not show.
[[nodiscard]] std::string plain_number(double value, int digits);

/// `count` values, the first and the last being the ends; one value: the first end.
[[nodiscard]] std::vector<std::string> spaced_values(const SweepRange& range, std::int64_t count);

/// Latin hypercube sampling (McKay, Beckman, Conover, Technometrics 21, 1979): [0, 1) in `points` strata of equal
/// width, each of which holds one value, in an order drawn for this axis. A function of (seed, axis' path, points)
/// alone, so another axis beside it moves nothing.
[[nodiscard]] std::vector<double> latin_shares(std::uint64_t seed, const std::string& path, std::size_t points);

}  // namespace headroom
