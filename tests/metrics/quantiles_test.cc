#include "sim/metrics/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headroom {
namespace {

template <class T>
std::vector<T> every(const std::vector<T>& values, std::size_t step) {
  std::vector<T> some;
  for (std::size_t i = 0; i < values.size(); i += step) some.push_back(values[i]);
  return some;
}

/// `may_miss`: ranks that the brackets were not made for.
template <class T>
void expect_sorted_values(std::vector<T> values, const QuantileRanks& ranks, int line, bool may_miss = false) {
  std::vector<T> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  RankBrackets<T> brackets(every(values, std::max<std::size_t>(1, values.size() / 1000)));
  for (std::size_t at = 0; at < values.size(); at += 500)
    brackets.add(std::span<const T>(values).subspan(at, std::min<std::size_t>(500, values.size() - at)));
  const auto bracketed = brackets.take(ranks);
  EXPECT_TRUE(bracketed || may_miss) << "line " << line << ", " << sorted.size();
  const auto selected = select_ranks(values, ranks);
  for (std::size_t q = 0; q < kQuantiles; ++q) {
    if (bracketed) {
      EXPECT_EQ((*bracketed)[q], sorted[ranks[q] - 1]) << "line " << line << ", " << sorted.size();
    }
    EXPECT_EQ(selected[q], sorted[ranks[q] - 1]) << "line " << line << ", " << sorted.size();
  }
}

// By selection and by brackets: spread and tied, tiny and huge, most of them the smallest.
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
    expect_sorted_values(spread, {1, 1, n}, __LINE__, true);
  }
}

// A sample can mislead; then the brackets say so instead of answering.
TEST(Quantiles, ASampleThatMisleadsIsFoundOut) {
  std::vector<std::int64_t> values(10'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  const QuantileRanks ranks = {quantile_rank(10'000, 50), quantile_rank(10'000, 90), quantile_rank(10'000, 99)};
  RankBrackets<std::int64_t> brackets(std::vector<std::int64_t>(values.begin(), values.begin() + 1000));
  for (std::size_t at = 0; at < values.size(); at += 1000)
    brackets.add(std::span<const std::int64_t>(values).subspan(at, 1000));
  EXPECT_FALSE(brackets.take(ranks));

  RankBrackets<std::int64_t> fair(every(values, 10));
  for (std::size_t at = 0; at < values.size(); at += 1000)
    fair.add(std::span<const std::int64_t>(values).subspan(at, 1000));
  EXPECT_EQ(fair.take(ranks), (std::array<std::int64_t, 3>{4999, 8999, 9899}));
}

}  // namespace
}  // namespace headroom
