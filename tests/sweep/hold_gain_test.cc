#include "sim/sweep/hold_gain.h"

#include <gtest/gtest.h>

#include <limits>

namespace headroom {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(HoldGain, IsTheGeometricMeanOfRatios) {
  // Ratios 2 and 8: the geometric mean is 4.
  const std::vector<double> honor{1, 1}, ignore{2, 8};
  EXPECT_DOUBLE_EQ(hold_gain(honor, ignore).value(), 4);
}

TEST(HoldGain, LeavesOutWhatDidNotFinishInBoth) {
  const std::vector<double> honor{1, kNan, 2, 0}, ignore{2, 8, kNan, 0};
  EXPECT_DOUBLE_EQ(hold_gain(honor, ignore).value(), 2);
  EXPECT_FALSE(hold_gain(std::vector<double>{kNan}, std::vector<double>{1}).has_value());
  EXPECT_FALSE(hold_gain({}, {}).has_value());
}

TEST(HoldPairs, AreEqualButForHoldAndNames) {
  Policy fair;
  fair.name = "default";
  fair.about = "about";
  fair.priority = Priority::kFuzzball;
  fair.ties = {Tie::kTailTime};
  Policy race = fair;
  race.name = "race";
  race.about = "holds do nothing";
  race.hold = HoldRule::kIgnore;
  Policy other = race;
  other.name = "other";
  other.ties = {Tie::kDeclaration};
  Policy same = fair;
  same.name = "same";
  const std::vector<HoldPair> pairs = hold_pairs(std::vector{race, other, fair, same});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].honor, 2U);
  EXPECT_EQ(pairs[0].ignore, 0U);
  EXPECT_EQ(pairs[1].honor, 3U);
  EXPECT_EQ(pairs[1].ignore, 0U);
}

}  // namespace
}  // namespace headroom
