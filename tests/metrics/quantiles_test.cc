#include "sim/metrics/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headroom {
namespace {

template <class T>
void expect_sorted_values(std::vector<T> values, const QuantileRanks& ranks, int line) {
  std::vector<T> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto least_count =
      static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), sorted.front()) - sorted.begin());
  static ValueBuckets buckets;  // what one use leaves behind must not reach the next
  buckets.prepare();
  const auto in_two = [&](auto&& f) {
    const std::size_t half = values.size() / 2;
    if (half > 0) f(std::span<const T>(values).first(half));
    f(std::span<const T>(values).subspan(half));
  };
  in_two([&](std::span<const T> some) { buckets.add(some); });
  const auto counted = buckets.take_ranks(ranks, sorted.front(), least_count, sorted.back(), in_two);
  const auto selected = select_ranks(values, ranks);
  for (std::size_t q = 0; q < kQuantiles; ++q) {
    EXPECT_EQ(counted[q], sorted[ranks[q] - 1]) << "line " << line << ", " << sorted.size();
    EXPECT_EQ(selected[q], sorted[ranks[q] - 1]) << "line " << line << ", " << sorted.size();
  }
}

// By selection and by counting: spread and tied, tiny and huge, most of them the smallest.
TEST(Quantiles, AreThoseOfTheSortedValues) {
  std::mt19937_64 random(3);
  for (const std::size_t n : {1U, 2U, 50U, 4095U, 4096U, 20'000U}) {
    const QuantileRanks ranks = {quantile_rank(n, 50), quantile_rank(n, 90), quantile_rank(n, 99)};
    std::vector<std::int64_t> spread(n), tied(n), close(n), idle(n);
    std::vector<double> ratios(n);
    for (std::size_t i = 0; i < n; ++i) {
      spread[i] = static_cast<std::int64_t>(random() >> (1 + random() % 62));
      tied[i] = static_cast<std::int64_t>(random() % 3) * 1'000'000'000;
      // Neighbours that are one double: the conversion to one must not lose their order.
      close[i] = (std::int64_t{1} << 62) + static_cast<std::int64_t>(random() % 64);
      idle[i] = random() % 20 == 0 ? static_cast<std::int64_t>(random() % 1'000'000) : 0;
      ratios[i] = static_cast<double>(random() % 100'000) / static_cast<double>(1 + random() % 1000);
    }
    expect_sorted_values(spread, ranks, __LINE__);
    expect_sorted_values(tied, ranks, __LINE__);
    expect_sorted_values(close, ranks, __LINE__);
    expect_sorted_values(ratios, ranks, __LINE__);
    expect_sorted_values(idle, ranks, __LINE__);
    expect_sorted_values(std::vector<double>(n, 1.0), ranks, __LINE__);
    expect_sorted_values(spread, {1, 1, n}, __LINE__);
  }
}

}  // namespace
}  // namespace headroom
