#include "sim/metrics/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "policies/check.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

template <class T>
Summary of(std::vector<T> seen, std::vector<T> cut_off = {}) {
  return summarize(seen, cut_off);
}

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  std::shuffle(values.begin(), values.end(), std::mt19937(7));
  return values;
}

TEST(Distribution, OfNothingIsUndefined) {
  const Summary summary = of<double>({});
  EXPECT_TRUE(std::isnan(summary.mean));
  EXPECT_TRUE(std::isnan(summary.median));
  EXPECT_TRUE(std::isnan(summary.max));
  EXPECT_TRUE(std::isnan(summary.rms));
}

TEST(Distribution, OfOneValueIsThatValue) {
  const Summary summary = of<std::int64_t>({3 * kSecond});
  EXPECT_EQ(summary.mean, 3);
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.max, 3);
  EXPECT_EQ(summary.rms, 3);
  EXPECT_TRUE(std::isnan(summary.p90));
}

TEST(Distribution, MedianIsAnObservedValue) {
  EXPECT_EQ(of<double>({4, 1, 3, 2}).median, 2);
  EXPECT_EQ(of<double>({5, 4, 1, 3, 2}).median, 3);
}

TEST(Distribution, QuantilesAreTheInverseEcdf) {
  const Summary summary = of(one_to(1000));
  EXPECT_EQ(summary.median, 500);
  EXPECT_EQ(summary.p90, 900);
  EXPECT_EQ(summary.p99, 990);
  EXPECT_EQ(summary.max, 1000);
  EXPECT_EQ(summary.mean, 500.5);
}

TEST(Distribution, QuantilesNeedTenObservationsBeyondThem) {
  EXPECT_EQ(of(one_to(100)).p90, 90);
  EXPECT_TRUE(std::isnan(of(one_to(99)).p90));
  EXPECT_TRUE(std::isnan(of(one_to(999)).p99));
  EXPECT_EQ(of(one_to(109)).p90, 99);
}

TEST(Distribution, QuantilesAgreeWithSortingWhateverTheSizeAndTies) {
  std::mt19937 random(1);
  for (int n = 1; n < 400; ++n) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(n));
    for (auto& value : values) value = static_cast<std::int64_t>(random() % 40U) * kSecond;
    std::vector<std::int64_t> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const Summary summary = of(values);
    const auto nth = [&](int percent) {  // the smallest with at least that share at or below it
      std::size_t k = 1;
      while (100 * k < static_cast<std::size_t>(n * percent)) ++k;
      return k;
    };
    EXPECT_EQ(summary.median, static_cast<double>(sorted[nth(50) - 1] / kSecond)) << n;
    EXPECT_EQ(summary.max, static_cast<double>(sorted.back() / kSecond)) << n;
    if (static_cast<std::size_t>(n) - nth(90) >= 10)
      EXPECT_EQ(summary.p90, static_cast<double>(sorted[nth(90) - 1] / kSecond)) << n;
    else
      EXPECT_TRUE(std::isnan(summary.p90)) << n;
  }
}

TEST(Distribution, TimesAreAddedInIntegers) {
  // 2^62 ns three times: the sum leaves 64 bits, the mean does not. A double sum would lose the single nanoseconds.
  const std::int64_t large = std::int64_t{1} << 62;
  const Summary summary = of<std::int64_t>({large, large, large});
  EXPECT_EQ(summary.mean, static_cast<double>(large) / 1e9);
  std::vector<std::int64_t> values(10'001, 1);
  values.front() = 9'007'199'254'740'992;  // 2^53: 2^53 + 1 is no double
  EXPECT_EQ(of(values).mean, static_cast<double>(9'007'199'254'750'992.0L / 10'001e9L));
}

TEST(Distribution, RatiosAreAddedWithCompensation) {
  std::vector<double> values(1'000'001, 1e-16);
  values.front() = 1;
  EXPECT_EQ(of(values).mean * 1'000'001, 1 + 1e-10);
}

TEST(Distribution, RmsIsTheRootOfTheMeanSquare) {
  EXPECT_EQ(of<double>({3, 4, 5, 12}).rms, std::sqrt((9 + 16 + 25 + 144) / 4.0));
  EXPECT_EQ(of<std::int64_t>({3 * kSecond, 4 * kSecond}).rms, std::sqrt(12.5));
}

// By hand: S is 3/4 after 1, 3/8 after 3, 0 after 4.
TEST(Distribution, WhatIsCutOffCountsAsAtLeastThat) {
  const Summary summary = of<double>({4, 1, 3}, {2});
  EXPECT_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.mean, 1 + 0.75 * 2 + 0.375);
  EXPECT_DOUBLE_EQ(summary.rms, std::sqrt(1 + 0.75 * 8 + 0.375 * 7));
  EXPECT_EQ(summary.max, 4);
}

TEST(Distribution, MaximumIsUndefinedIfTheLongestIsCutOff) {
  const Summary summary = of<double>({1, 3}, {5});
  EXPECT_TRUE(std::isnan(summary.max));
  EXPECT_EQ(summary.median, 3);  // S is 2/3 after 1, 1/3 after 3
  EXPECT_DOUBLE_EQ(summary.mean, 1 + 2.0 / 3 * 2 + 1.0 / 3 * 2);
}

TEST(Distribution, MedianIsUndefinedIfHalfIsNotSeen) { EXPECT_TRUE(std::isnan(of<double>({1}, {2, 2, 2}).median)); }

TEST(Distribution, WhatIsCutOffAtTheTimeOfAnObservationWasAtRiskThen) {
  // S(2) = 2/3 if the cut at 2 was at risk at 2, 1/2 if it was not.
  EXPECT_DOUBLE_EQ(of<double>({2, 4}, {2}).mean, 2 + 2.0 / 3 * 2);
}

// Remission times in weeks under 6-MP (Freireich et al. 1963), the standard example of the estimator: S is .857 at 6,
// .807 at 7, .753 at 10, .690 at 13, .627 at 16, .538 at 22, .448 at 23; median 23; mean restricted to 35 weeks 23.29.
TEST(Distribution, GivesThePublishedKaplanMeierExample) {
  const Summary summary = of<double>({6, 6, 6, 7, 10, 13, 16, 22, 23}, {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35});
  EXPECT_EQ(summary.median, 23);
  EXPECT_NEAR(summary.mean, 23.29, 0.005);
  EXPECT_TRUE(std::isnan(summary.max));
}

TEST(Distribution, KaplanMeierQuantilesNeedTenAtRiskBeyondThemToo) {
  std::vector<double> seen = one_to(99);
  EXPECT_EQ(of(seen, {1000}).p90, 90);  // 9 seen and 1 cut off beyond it
  EXPECT_TRUE(std::isnan(of(one_to(98), {1000}).p90));
}

// A cut beyond every observation takes nobody out of the curve before its end: the quantiles are those of n + 1 values.
TEST(Distribution, KaplanMeierEqualsTheEcdfUpToTheFirstCut) {
  for (int n = 1; n < 300; ++n) {
    std::vector<double> complete = one_to(n);
    complete.push_back(1000);
    const Summary ecdf = of(complete), curve = of(one_to(n), {1000});
    EXPECT_TRUE(ecdf.median == curve.median || n == 0) << n;
    EXPECT_TRUE(ecdf.p90 == curve.p90 || (std::isnan(ecdf.p90) && std::isnan(curve.p90))) << n;
    EXPECT_NEAR(ecdf.mean, curve.mean, 1e-12 * ecdf.mean) << n;
    EXPECT_NEAR(ecdf.rms, curve.rms, 1e-12 * ecdf.rms) << n;
  }
}

// shared/workloads/expected.md: hold_gain of hold_vs_race.yaml on 2, 3, 4 and 5 slots.
TEST(GeometricMean, OfOneRatioIsThatRatio) {
  const auto gain = [](double ignore, double honor) {
    return geometric_mean_of_ratios(std::vector{ignore}, std::vector{honor});
  };
  EXPECT_NEAR(gain(6.304, 6.204), 1.016119, 5e-7);
  EXPECT_NEAR(gain(6.001, 4.204), 1.427450, 5e-7);
  EXPECT_NEAR(gain(4.204, 4.104), 1.024366, 5e-7);
  EXPECT_EQ(gain(4.104, 4.104), 1);
}

TEST(GeometricMean, LeavesOutWhatDidNotFinishOrTookNoTime) {
  const double nan = std::nan("");
  EXPECT_DOUBLE_EQ(geometric_mean_of_ratios(std::vector{8.0, nan, 0.0, 2.0, 1.0}, std::vector{2.0, 1.0, 1.0, 2.0, 0.0}),
                   2);
  EXPECT_TRUE(std::isnan(geometric_mean_of_ratios(std::vector{nan}, std::vector{1.0})));
}

TEST(GeometricMean, OfListsOfDifferentLengthIsABug) {
  EXPECT_THROW((void)geometric_mean_of_ratios(std::vector{1.0}, std::vector{1.0, 2.0}), CheckFailed);
}

// The sample is asked for before anything is added, from places that need not be those of what is added: here they
// know only the smallest values, and the second walk finds the right ones.
TEST(Distribution, ASampleThatMisleadsCostsAWalkAndNoValue) {
  std::vector<std::int64_t> values(50'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>((i * 7919) % 50'000) * kSecond;
  const auto all = [&](const auto& f) {
    for (std::size_t at = 0; at < values.size(); at += 1000) f(std::span<const std::int64_t>(values).subspan(at, 1000));
  };
  int walks = 0;
  for (const bool fair : {true, false}) {
    ObservedValues<std::int64_t> observed(values.size(),
                                          [&](std::size_t i) { return fair ? values[i] : values[i] / 10; });
    all([&](std::span<const std::int64_t> some) { observed.add(some); });
    const Summary summary = observed.summary([&](const auto& f) {
      ++walks;
      all(f);
    });
    EXPECT_EQ(summary.median, 24'999);
    EXPECT_EQ(summary.p90, 44'999);
    EXPECT_EQ(summary.p99, 49'499);
    EXPECT_EQ(summary.max, 49'999);
    EXPECT_EQ(summary.mean, 24'999.5);
    EXPECT_EQ(walks, fair ? 0 : 1);
  }
}

}  // namespace
}  // namespace headroom
