// The ten distributions: the inverse functions against Boost.Math's distribution functions (another route than ours)
// and closed forms, their means against closed forms, and what is drawn with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/weibull.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "workloads/draw.h"
#include "workloads/expectation.h"

namespace headroom {
namespace {

using Kind = Distribution::Kind;

Distribution make(Kind kind, long double a, long double b = 0, long double c = 0) {
  Distribution result;
  result.kind = kind;
  result.a = a;
  result.b = b;
  result.c = c;
  return result;
}

Distribution observed(std::vector<std::int64_t> values) {
  Distribution result;
  result.kind = Kind::kEmpirical;
  result.observed = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
  return result;
}

/// Balanced means: p and 1 - p with rates 2 p / mean and 2 (1 - p) / mean.
long double hyperexponential_cdf(long double mean, long double scv, long double x) {
  const long double p = (1 + std::sqrt((scv - 1) / (scv + 1))) / 2;
  return 1 - p * std::exp(-2 * p * x / mean) - (1 - p) * std::exp(-2 * (1 - p) * x / mean);
}

struct Known {
  const char* name;
  Distribution distribution;
  std::function<long double(long double)> cdf;
  long double mean, second_moment;  ///< infinite: there is none
};

constexpr long double kNone = HUGE_VALL;

std::vector<Known> all_known() {
  using namespace boost::math;
  const auto pareto = [](long double x) { return 1 - std::pow(2 / x, 2.5L); };
  // Of shape 1.5 on [1, 100]: E X = 1.5 / 0.5 (1 - 100^-0.5) / F, E X^2 = 1.5 / -0.5 (1 - 100^0.5) / F.
  const long double all = 1 - std::pow(100.0L, -1.5L);
  return {
      {"uniform", make(Kind::kUniform, 2, 6), [](long double x) { return (x - 2) / 4; }, 4, 16 + 16.0L / 12},
      {"exponential", make(Kind::kExponential, 3),
       [](long double x) { return cdf(exponential_distribution<long double>(1 / 3.0L), x); }, 3, 18},
      {"normal", make(Kind::kNormal, 50, 5),
       [](long double x) { return cdf(normal_distribution<long double>(50, 5), x); }, 50, 2525},
      {"lognormal", make(Kind::kLognormal, 2, 1.2L),
       [](long double x) { return cdf(lognormal_distribution<long double>(std::log(2.0L), 1.2L), x); },
       2 * std::exp(0.72L), 4 * std::exp(2.88L)},
      {"weibull below 1", make(Kind::kWeibull, 0.5L, 3),
       [](long double x) { return cdf(weibull_distribution<long double>(0.5L, 3), x); }, 6, 9 * 24},
      {"weibull above 1", make(Kind::kWeibull, 2, 3),
       [](long double x) { return cdf(weibull_distribution<long double>(2, 3), x); },
       3 * std::sqrt(std::acos(-1.0L)) / 2, 9},
      {"gamma below 1", make(Kind::kGamma, 0.25L, 8),
       [](long double x) { return cdf(gamma_distribution<long double>(0.25L, 8), x); }, 2, 4 + 16},
      {"gamma above 1", make(Kind::kGamma, 4, 0.5L),
       [](long double x) { return cdf(gamma_distribution<long double>(4, 0.5L), x); }, 2, 5},
      {"pareto", make(Kind::kPareto, 2.5L, 2), pareto, 2 * 2.5L / 1.5L, 4 * 2.5L / 0.5L},
      {"pareto with a max", make(Kind::kPareto, 1.5L, 1, 100),
       [all](long double x) { return (1 - std::pow(x, -1.5L)) / all; }, 3 * 0.9L / all, 3 * 9 / all},
      {"hyperexponential of scv 1", make(Kind::kHyperexponential, 2, 1),
       [](long double x) { return 1 - std::exp(-x / 2); }, 2, 8},
      {"hyperexponential of scv 4", make(Kind::kHyperexponential, 2, 4),
       [](long double x) { return hyperexponential_cdf(2, 4, x); }, 2, 20},
      {"hyperexponential of scv 1000", make(Kind::kHyperexponential, 2, 1000),
       [](long double x) { return hyperexponential_cdf(2, 1000, x); }, 2, 4004},
  };
}

TEST(Quantile, IsTheInverseOfTheDistributionFunction) {
  for (const Known& known : all_known()) {
    for (const long double u : {1e-9L, 1e-4L, 0.01L, 0.1L, 0.25L, 0.5L, 0.75L, 0.9L, 0.99L, 0.9999L, 1 - 1e-9L})
      EXPECT_NEAR(static_cast<double>(known.cdf(quantile(known.distribution, u)) / u), 1, u < 1e-5L ? 1e-8 : 1e-12)
          << known.name << " at " << static_cast<double>(u);
  }
}

TEST(Quantile, OfTheTailIsRightToTheLastDraw) {
  // 1 - u = 2^-53, the closest that a draw comes to 1.
  const long double u = 1 - 0x1p-53L, tail = 53 * std::log(2.0L);
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kExponential, 1), u) / tail), 1, 1e-15);
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kPareto, 1, 1), u) / 0x1p53L), 1, 1e-9);
  // Far out only the slow phase is left: (1 - p) exp(-2 (1 - p) x) = 2^-53.
  const long double p = (1 + std::sqrt(999999.0L / 1000001.0L)) / 2;
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kHyperexponential, 1, 1e6L), u) /
                                  ((tail + std::log(1 - p)) / (2 * (1 - p)))),
              1, 1e-9);
}

// Known elsewhere: z(0.975); the median of Gamma(2, 1); the 95 % point of chi-square with 1 degree, a Gamma(1/2, 2).
TEST(Quantile, AgreesWithTables) {
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kNormal, 10, 2), 0.975L)), 10 + 2 * 1.959963984540054, 1e-13);
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kGamma, 2, 1), 0.5L)), 1.6783469900166605, 1e-14);
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kGamma, 0.5L, 2), 0.95L)), 3.841458820694124, 1e-13);
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kPareto, 2, 3), 0.75L)), 6, 1e-15);
  EXPECT_NEAR(static_cast<double>(quantile(make(Kind::kPareto, 1, 1, 4), 0.5L)), 1.6, 1e-15);
  const Distribution four = observed({1, 1, 5, 9});
  EXPECT_EQ(quantile(four, 0.49L), 1);
  EXPECT_EQ(quantile(four, 0.51L), 5);
  EXPECT_EQ(quantile(four, 1 - 0x1p-53L), 9);
}

TEST(Quantile, RisesAndStaysFiniteForAnyParameterThatAFileMayGive) {
  for (const Distribution& distribution :
       {make(Kind::kWeibull, 0.05L, 1e9L), make(Kind::kWeibull, 1000, 1e9L), make(Kind::kGamma, 0.05L, 1e9L),
        make(Kind::kGamma, 1000, 1e9L), make(Kind::kPareto, 0.05L, 1e9L), make(Kind::kPareto, 1000, 1e9L),
        make(Kind::kPareto, 0.05L, 1e9L, 2e9L), make(Kind::kHyperexponential, 1e9L, 1e6L),
        make(Kind::kLognormal, 1e9L, 20), make(Kind::kNormal, 0, 1e9L)}) {
    Duration last{-kLargestDraw};
    for (int i = 0; i <= 2000; ++i) {
      const long double u = i == 0 ? 0x1p-53L : i == 2000 ? 1 - 0x1p-53L : static_cast<long double>(i) / 2000;
      const Duration drawn = sample_duration(distribution, u);
      EXPECT_GE(drawn, last) << static_cast<int>(distribution.kind);
      last = drawn;
    }
    EXPECT_LE(last.ns, kLargestDraw);
  }
}

// D sqrt(n) of Kolmogorov and Smirnov is above 1.95 in one of a thousand; the draws are fixed, so this either holds or
// not.
TEST(SampleDuration, OfManyWorkflowsIsDistributedAsItSays) {
  constexpr std::uint32_t kDraws = 20'000;
  constexpr long double kUnit = 1e13L;  // ns: so long that whole microseconds do not show
  const Draws draws(1, 0, "ks");
  for (const Known& known : all_known()) {
    Distribution scaled = known.distribution;
    const bool has_shape = scaled.kind == Kind::kWeibull || scaled.kind == Kind::kGamma || scaled.kind == Kind::kPareto;
    if (!has_shape) scaled.a *= kUnit;
    if (scaled.kind != Kind::kLognormal && scaled.kind != Kind::kHyperexponential) scaled.b *= kUnit;
    scaled.c *= kUnit;
    std::vector<long double> u;
    std::int64_t again = 0;
    for (std::uint32_t w = 0; w < kDraws; ++w) {
      const Duration drawn = drawn_duration(scaled, draws, w, 0, Attribute::kRunTime, again);
      u.push_back(known.cdf(static_cast<long double>(drawn.ns) / kUnit));
    }
    std::ranges::sort(u);
    long double furthest = 0;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const auto n = static_cast<long double>(kDraws);
      furthest = std::max({furthest, (i + 1) / n - u[i], u[i] - i / n});
    }
    EXPECT_LT(static_cast<double>(furthest * std::sqrt(static_cast<long double>(kDraws))), 1.95) << known.name;
    EXPECT_EQ(again, 0) << known.name;
  }
}

TEST(DrawnDuration, IsDrawnAgainWhereItWouldBeNegativeAndThenCounted) {
  const Draws draws(1, 0, "again");
  constexpr std::uint32_t kDraws = 20'000;
  std::int64_t again = 0;
  long double sum = 0;
  for (std::uint32_t w = 0; w < kDraws; ++w) {
    const Duration drawn = drawn_duration(make(Kind::kNormal, 1e9L, 1e9L), draws, w, 0, Attribute::kRunTime, again);
    EXPECT_GE(drawn.ns, 0);
    sum += static_cast<long double>(drawn.ns) / 1e9L;
    // What is not negative at first is taken: redrawing moves no other draw.
    const Duration first =
        sample_duration(make(Kind::kNormal, 1e9L, 1e9L), draws.uniform(w, 0, 0, Attribute::kRunTime));
    if (first.ns >= 0) {
      EXPECT_EQ(drawn, first);
    }
  }
  // P(Z < -1) = 0.158655, so each is drawn 0.158655 / 0.841345 = 0.188573 times again; sd sqrt(q) / (1 - q) = 0.4734.
  EXPECT_NEAR(static_cast<double>(again) / kDraws, 0.188573, 4 * 0.4734 / std::sqrt(kDraws));
  // Mean of the truncated one: 1 + phi(1) / Phi(1) = 1.287600; its sd is 0.7935.
  EXPECT_NEAR(static_cast<double>(sum) / kDraws, 1.287600, 4 * 0.7935 / std::sqrt(kDraws));
  EXPECT_NEAR(static_cast<double>(mean_duration(make(Kind::kNormal, 1e9L, 1e9L)) / 1e9L), 1.287600, 1e-6);
}

TEST(Expectation, OfEveryDistributionIsItsMean) {
  for (const Known& known : all_known()) {
    EXPECT_NEAR(static_cast<double>(mean_duration(known.distribution) / known.mean), 1, 1e-12) << known.name;
    const auto itself = [](long double x) { return x; };
    EXPECT_NEAR(static_cast<double>(expectation(known.distribution, itself) / known.mean), 1, 1e-4) << known.name;
    const auto square = [](long double x) { return x * x; };
    EXPECT_NEAR(static_cast<double>(expectation(known.distribution, square) / known.second_moment), 1, 1e-3)
        << known.name;
  }
  EXPECT_EQ(mean_duration(observed({1, 1, 5, 9})), 4);
  EXPECT_EQ(mean_duration(make(Kind::kPareto, 1, 5)), kNone);
  // ln 4 / (1 - 1/4): shape 1 on [1, 4].
  EXPECT_NEAR(static_cast<double>(mean_duration(make(Kind::kPareto, 1, 1, 4))), std::log(4.0) / 0.75, 1e-14);
}

TEST(Expectation, OfWhatIsCutOffOrRoundedIsThatOfWhatIsUsed) {
  // E min(X, 1) = 1 - 1/e for an exponential of mean 1 (here in seconds).
  EXPECT_NEAR(static_cast<double>(mean_duration(make(Kind::kExponential, 1e9L), Duration::seconds(1)) / 1e9L),
              1 - std::exp(-1.0), 1e-4);
  EXPECT_EQ(mean_integer(make(Kind::kUniform, 4, 32), 1), 18);
  EXPECT_EQ(mean_integer(Distribution::always(0), 1), 1);
  // Rounded and at least 1: 1 + sum over k >= 1 of P(X >= k + 1/2), a geometric series for mean 2.
  EXPECT_NEAR(static_cast<double>(mean_integer(make(Kind::kExponential, 2), 1)),
              1 + std::exp(-0.75) / (1 - std::exp(-0.5)), 1e-2);
}

}  // namespace
}  // namespace headroom
