#include "workloads/draw.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

namespace headroom {
namespace {

using Block = std::array<std::uint32_t, 4>;

Distribution make(Distribution::Kind kind, long double a, long double b = 0) {
  Distribution result;
  result.kind = kind;
  result.a = a;
  result.b = b;
  return result;
}
Distribution choose(std::vector<Distribution::Choice> choices) {
  Distribution result;
  result.kind = Distribution::Kind::kChoose;
  result.choices = std::move(choices);
  return result;
}

// The three vectors of "philox4x32 10" in kat_vectors of Random123 1.14.
TEST(Philox, GivesTheKnownAnswersOfItsAuthors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// From a stand-alone Python program of the same definition. A change here changes every published random result.
TEST(Draws, AreTheSameForEver) {
  EXPECT_EQ(Draws(1, 0, "base").bits(0, 0, 0, Attribute::kArrival), 0xb85d6c923cb1569eU);
  EXPECT_EQ(Draws(1, 0, "base").bits(7, 3, 2, Attribute::kRunTime), 0x674815965e1d05feU);
  EXPECT_EQ(Draws(2, 1, "").bits(0xffffffff, 0, 0, Attribute::kTie), 0xff3e1938a95de8baU);
  EXPECT_EQ(static_cast<double>(Draws(1, 0, "base").uniform(7, 3, 2, Attribute::kRunTime)), 0.4034436695202325);
}

TEST(Draws, DifferInEveryPartOfTheirPlace) {
  std::set<std::uint64_t> seen;
  const auto add = [&](std::uint64_t seed, std::uint64_t replication, const char* name, std::uint32_t workflow,
                       std::uint32_t stage, std::uint32_t attempt, Attribute attribute) {
    seen.insert(Draws(seed, replication, name).bits(workflow, stage, attempt, attribute));
  };
  add(1, 0, "a", 0, 0, 0, Attribute::kRunTime);
  add(2, 0, "a", 0, 0, 0, Attribute::kRunTime);
  add(0, 1, "a", 0, 0, 0, Attribute::kRunTime);
  add(1, 1, "a", 0, 0, 0, Attribute::kRunTime);
  add(1, 0, "b", 0, 0, 0, Attribute::kRunTime);
  add(1, 0, "", 0, 0, 0, Attribute::kRunTime);
  add(1, 0, "a", 1, 0, 0, Attribute::kRunTime);
  add(1, 0, "a", 0, 1, 0, Attribute::kRunTime);
  add(1, 0, "a", 0, 0, 1, Attribute::kRunTime);
  add(1, 0, "a", 0, 0, 0, Attribute::kEstimate);
  EXPECT_EQ(seen.size(), 10U);
}

// Chi-square over 100 cells, 99 degrees of freedom: 61.1 and 149.4 are its 0.1 % and 99.9 % points.
TEST(Draws, AreUniformOverWorkflowsStagesAndReplications) {
  constexpr int kCells = 100, kDraws = 100'000;
  for (int which = 0; which < 3; ++which) {
    std::vector<int> cells(kCells);
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const Draws draws(1, which == 2 ? i : 0, "base");
      const long double u = draws.uniform(which == 0 ? i : 0, which == 1 ? i : 0, 0, Attribute::kRunTime);
      ASSERT_GT(u, 0);
      ASSERT_LT(u, 1);
      ++cells[static_cast<std::size_t>(u * kCells)];
    }
    double chi_square = 0;
    for (const int n : cells) chi_square += (n - 1000.0) * (n - 1000.0) / 1000.0;
    EXPECT_GT(chi_square, 61.1) << which;
    EXPECT_LT(chi_square, 149.4) << which;
  }
}

// Of n independent pairs the correlation is about normal with sd 1/sqrt(n) = 0.0032: four of these are 0.0126.
TEST(Draws, OfTwoAttributesOrNeighboursAreNotCorrelated) {
  constexpr std::uint32_t kDraws = 100'000;
  const Draws draws(1, 0, "base"), other(1, 1, "base");
  std::array<double, 3> sums{};
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    const auto at = [&](const Draws& from, std::uint32_t workflow, Attribute attribute) {
      return static_cast<double>(from.uniform(workflow, 0, 0, attribute)) - 0.5;
    };
    const double mine = at(draws, i, Attribute::kRunTime);
    sums[0] += mine * at(draws, i, Attribute::kEstimate);
    sums[1] += mine * at(draws, i + 1, Attribute::kRunTime);
    sums[2] += mine * at(other, i, Attribute::kRunTime);
  }
  for (const double sum : sums) EXPECT_LT(std::abs(sum * 12 / kDraws), 0.0126);
}

TEST(SampleDuration, OfAConstantOrAChoiceIsExact) {
  EXPECT_EQ(sample_duration(Distribution::always(1'234'567), 0.5L).ns, 1'234'567);
  EXPECT_EQ(sample_duration(choose({{1'234'567, 1}, {9, 1}}), 0.4999L).ns, 1'234'567);
}

TEST(SampleDuration, RoundsToWholeMicrosecondsHalfAwayFromZero) {
  EXPECT_EQ(to_microseconds(1'499).ns, 1'000);
  EXPECT_EQ(to_microseconds(1'500).ns, 2'000);
  EXPECT_EQ(to_microseconds(2'500).ns, 3'000);
  EXPECT_EQ(to_microseconds(-1'500).ns, -2'000);
  EXPECT_EQ(sample_duration(make(Distribution::Kind::kUniform, 0, 4'000'000), 0.25L).ns, 1'000'000);
  EXPECT_EQ(sample_duration(make(Distribution::Kind::kUniform, 1'000, 1'999), 0.5L).ns, 1'000);
}

// Exponential: -mean ln(1 - u). Lognormal: median exp(sigma z); z(0.975) = 1.959963984540054235524594430520551.
TEST(SampleDuration, FollowsTheClosedForms) {
  EXPECT_EQ(sample_duration(make(Distribution::Kind::kExponential, 10e9L), 0.5L).ns, 6'931'472'000);
  EXPECT_EQ(sample_duration(make(Distribution::Kind::kLognormal, 600e9L, 1.5L), 0.5L).ns, 600'000'000'000);
  EXPECT_EQ(sample_duration(make(Distribution::Kind::kLognormal, 1e9L, 1.0L), 0.975L).ns, 7'099'071'000);
  // By symmetry 1 / 7.0990713842...
  EXPECT_EQ(sample_duration(make(Distribution::Kind::kLognormal, 1e9L, 1.0L), 0.025L).ns, 140'863'000);
}

TEST(SampleDuration, IsMonotoneAndNeverNegativeOrBeyondTheLimit) {
  for (const Distribution& distribution :
       {make(Distribution::Kind::kExponential, 1e18L), make(Distribution::Kind::kLognormal, 1e12L, 5),
        make(Distribution::Kind::kUniform, 0, 5e18L)}) {
    std::int64_t last = -1;
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t ns = sample_duration(distribution, (static_cast<long double>(i) + 0.5L) / 1000).ns;
      EXPECT_GE(ns, 0);
      EXPECT_GE(ns, last);
      EXPECT_LE(ns, kLargestDraw);
      last = ns;
    }
  }
  EXPECT_EQ(sample_duration(make(Distribution::Kind::kLognormal, 1e18L, 50), 1 - 0x1p-53L).ns, kLargestDraw);
}

TEST(SampleInteger, OfAUniformTakesBothEndsEquallyOften) {
  const Distribution dice = make(Distribution::Kind::kUniform, 1, 6);
  std::array<int, 8> seen{};
  for (int i = 0; i < 6000; ++i) {
    ++seen[static_cast<std::size_t>(sample_integer(dice, (static_cast<long double>(i) + 0.5L) / 6000))];
  }
  for (std::size_t k = 1; k <= 6; ++k) EXPECT_EQ(seen[k], 1000) << k;
  EXPECT_EQ(sample_integer(make(Distribution::Kind::kUniform, -3, -3), 0.99L), -3);
}

TEST(Pick, GoesThroughTheWeightsInOrder) {
  const std::vector<long double> weights = {0.6L, 0.3L, 0.1L};
  EXPECT_EQ(pick(weights, 0.0001L), 0U);
  EXPECT_EQ(pick(weights, 0.5999L), 0U);
  EXPECT_EQ(pick(weights, 0.6001L), 1U);
  EXPECT_EQ(pick(weights, 0.8999L), 1U);
  EXPECT_EQ(pick(weights, 0.9001L), 2U);
  EXPECT_EQ(pick(weights, 1 - 0x1p-53L), 2U);
}

TEST(Pick, NeverTakesAWeightOfZero) {
  const std::vector<long double> weights = {0, 2, 0};
  EXPECT_EQ(pick(weights, 0x1p-53L), 1U);
  EXPECT_EQ(pick(weights, 1 - 0x1p-53L), 1U);
}

}  // namespace
}  // namespace headroom
