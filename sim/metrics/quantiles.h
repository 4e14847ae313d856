// Order statistics of many values at once, without sorting them.
// It must know nothing of what they mean.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

/// Rank, from 1, of the quantile `percent` of n >= 1 observations: the inverse ECDF.
[[nodiscard]] constexpr std::size_t quantile_rank(std::size_t n, std::size_t percent) {
  return (n * percent + 99) / 100;
}

inline constexpr std::size_t kQuantiles = 3;

/// The values of the given ranks (from 1, rising) of `values`, all >= 0 and not NaN. The order of `values` is lost.
/// `smallest` and `largest` are theirs. Cost O(values), two passes over them.
[[nodiscard]] std::array<std::int64_t, kQuantiles> values_at_ranks(std::vector<std::int64_t>& values,
                                                                   const std::array<std::size_t, kQuantiles>& ranks,
                                                                   std::int64_t smallest, std::int64_t largest);
[[nodiscard]] std::array<double, kQuantiles> values_at_ranks(std::vector<double>& values,
                                                             const std::array<std::size_t, kQuantiles>& ranks,
                                                             double smallest, double largest);

}  // namespace headroom
