// Against published examples: A. R. Cushny and A. R. Peebles (1905) as used by Student (1908), "The probable error of a
// mean", and S. Holm (1979), "A simple sequentially rejective multiple test procedure".
#include "sim/compare/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace headroom::compare {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Hours of sleep gained by ten patients with either drug.
const std::vector<double> kFirst{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const std::vector<double> kSecond{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

TEST(Paired, GivesStudentsIntervalForHisOwnData) {
  const Paired pair = paired(kFirst, kSecond, false);
  EXPECT_EQ(pair.n, 10U);
  EXPECT_NEAR(pair.baseline, 0.75, 1e-12);
  EXPECT_NEAR(pair.other, 2.33, 1e-12);
  EXPECT_NEAR(pair.difference, 1.58, 1e-12);
  EXPECT_NEAR(pair.difference / pair.standard_error, 4.0621, 5e-5);
  EXPECT_NEAR(pair.low, 0.7001142, 5e-7);
  EXPECT_NEAR(pair.high, 2.4598858, 5e-7);
  EXPECT_NEAR(pair.correlation, 0.7951702, 5e-7);
}

TEST(Paired, KnowsTheTables) {
  EXPECT_NEAR(student_t_quantile(1, 0.025), 12.7062, 5e-5);
  EXPECT_NEAR(student_t_quantile(9, 0.025), 2.262157, 5e-7);
  EXPECT_NEAR(student_t_quantile(29, 0.025), 2.045230, 5e-7);
}

TEST(Paired, OfOnePairSaysNothingUnlessNothingIsRandom) {
  const std::vector<double> one{4}, other{6};
  const Paired random = paired(one, other, false);
  EXPECT_EQ(random.difference, 2);
  EXPECT_TRUE(std::isnan(random.low));
  EXPECT_TRUE(std::isnan(finding(one, other, 0, false, false).p));
  const Paired exact = paired(one, other, true);
  EXPECT_EQ(exact.low, 2);
  EXPECT_EQ(exact.high, 2);
  EXPECT_EQ(exact.of_other.low, 6);
  const Paired none = paired({}, {}, true);
  EXPECT_TRUE(std::isnan(none.difference));
}

TEST(Paired, WhoseDifferencesAreAllEqualHaveAnIntervalOfNoWidth) {
  const std::vector<double> a{0.1, 0.2, 0.3}, b{0.1, 0.2, 0.3};
  const Paired pair = paired(a, b, false);
  EXPECT_EQ(pair.low, 0);
  EXPECT_EQ(pair.high, 0);
  EXPECT_NEAR(pair.correlation, 1, 1e-12);
}

// p = 0.00283 is R's t.test(first, second, paired = TRUE).
TEST(Finding, IsWhatTheIntervalSays) {
  const auto of = [](double margin) { return finding(kFirst, kSecond, margin, false, false); };
  EXPECT_EQ(of(0).verdict, Verdict::kWorse) << "less is better";
  EXPECT_NEAR(of(0).p, 0.002833, 5e-7);
  EXPECT_EQ(finding(kSecond, kFirst, 0, false, false).verdict, Verdict::kBetter);
  // The interval reaches from 0.7001 to 2.4599: at a margin just inside the near edge it is shown at 5 %, beyond not.
  EXPECT_LE(of(0.70).p, 0.05);
  EXPECT_GT(of(0.7002).p, 0.05);
  EXPECT_EQ(of(2.46).verdict, Verdict::kEquivalent);
  EXPECT_LE(of(2.46).p, 0.05);
  EXPECT_GT(of(2.4598).p, 0.05);
}

// The mean of the baseline is 10, but nobody knows that better than the sample does: other - 0.9 baseline is what
// counts.
TEST(Finding, OfARelativeMarginKnowsThatTheBaselineIsASampleToo) {
  const std::vector<double> baseline{5, 10, 15, 8, 12}, other{4, 8, 12, 6.4, 9.6};  // a fifth less, each
  const Finding found = finding(baseline, other, 0.1, true, false);
  EXPECT_EQ(found.verdict, Verdict::kBetter);
  // -0.1 baseline: mean -1, standard error 0.1 sqrt(14.5 / 5).
  const double errors = 1 / (0.1 * std::sqrt(14.5 / 5));
  EXPECT_LT(errors, student_t_quantile(4, found.p / 2) + 1e-6);
  EXPECT_GT(errors, student_t_quantile(4, found.p / 2) - 1e-6);
  EXPECT_EQ(finding(baseline, baseline, 0.1, true, false).verdict, Verdict::kEquivalent);
  EXPECT_EQ(finding(baseline, baseline, 0.1, true, false).p, 0);
}

TEST(Finding, OfExactNumbersIsSharp) {
  const std::vector<double> a{100}, b{105};
  const auto of = [](const auto& one, const auto& two, double margin, bool relative = false) {
    return finding(one, two, margin, relative, true).verdict;
  };
  EXPECT_EQ(of(a, b, 4.999), Verdict::kWorse);
  EXPECT_EQ(of(a, b, 5), Verdict::kEquivalent);
  EXPECT_EQ(of(b, a, 4.999), Verdict::kBetter);
  EXPECT_EQ(of(a, b, 0.049, true), Verdict::kWorse);
  EXPECT_EQ(of(a, b, 0.051, true), Verdict::kEquivalent);
  EXPECT_EQ(of(a, a, 0), Verdict::kEquivalent);
  EXPECT_EQ(finding(a, a, 0, false, true).p, 0);
}

TEST(Holm, StepsDown) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  const std::vector<double> adjusted = holm(p);
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15) << i;
}

TEST(Holm, LeavesWhatIsNotKnownOut) {
  const std::vector<double> adjusted = holm(std::vector<double>{0.02, kNaN, 0.6});
  EXPECT_NEAR(adjusted[0], 0.04, 1e-15);
  EXPECT_TRUE(std::isnan(adjusted[1]));
  EXPECT_NEAR(adjusted[2], 0.6, 1e-15);
  EXPECT_EQ(holm(std::vector<double>{0.7, 0.8})[0], 1);
}

}  // namespace
}  // namespace headroom::compare
