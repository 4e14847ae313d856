#include "sim/metrics/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headroom {
namespace {

template <class T>
void expect_sorted_values(std::vector<T> values, const std::array<std::size_t, kQuantiles>& ranks, int line) {
  std::vector<T> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::array<T, kQuantiles> found = values_at_ranks(values, ranks, sorted.front(), sorted.back());
  for (std::size_t q = 0; q < kQuantiles; ++q) EXPECT_EQ(found[q], sorted[ranks[q] - 1]) << "line " << line;
}

// Few values are selected from directly, many by counting: both sides of that limit, spread and tied, tiny and huge.
TEST(Quantiles, AreThoseOfTheSortedValues) {
  std::mt19937_64 random(3);
  for (const std::size_t n : {1U, 2U, 50U, 4095U, 4096U, 20'000U}) {
    const std::array<std::size_t, kQuantiles> ranks = {quantile_rank(n, 50), quantile_rank(n, 90),
                                                       quantile_rank(n, 99)};
    std::vector<std::int64_t> spread(n), tied(n), close(n);
    std::vector<double> ratios(n);
    for (std::size_t i = 0; i < n; ++i) {
      spread[i] = static_cast<std::int64_t>(random() >> (1 + random() % 62));
      tied[i] = static_cast<std::int64_t>(random() % 3) * 1'000'000'000;
      // Neighbours that are one double: the conversion to one must not lose their order.
      close[i] = (std::int64_t{1} << 62) + static_cast<std::int64_t>(random() % 64);
      ratios[i] = static_cast<double>(random() % 100'000) / static_cast<double>(1 + random() % 1000);
    }
    expect_sorted_values(spread, ranks, __LINE__);
    expect_sorted_values(tied, ranks, __LINE__);
    expect_sorted_values(close, ranks, __LINE__);
    expect_sorted_values(ratios, ranks, __LINE__);
    expect_sorted_values(std::vector<double>(n, 1.0), ranks, __LINE__);
    expect_sorted_values(spread, {1, 1, n}, __LINE__);
  }
}

}  // namespace
}  // namespace headroom
