// The table of presets and the words of the format.
#include "policies/policy.h"

#include <gtest/gtest.h>

#include <set>

#include "policies/reason.h"

namespace headroom {
namespace {

TEST(Presets, HaveDistinctNamesAndSayWhatTheyAre) {
  std::set<std::string> names;
  for (const Policy& policy : preset_policies()) {
    EXPECT_TRUE(names.insert(policy.name).second) << policy.name;
    EXPECT_FALSE(policy.about.empty()) << policy.name;
    EXPECT_EQ(find_preset(policy.name), &policy);
  }
  EXPECT_EQ(preset_policies().front().name, "default");
  EXPECT_EQ(names.size(), 17u);
}

TEST(Presets, RaceIsDefaultWithoutHolds) {
  Policy race = *find_preset("default");
  race.name = find_preset("race")->name;
  race.about = find_preset("race")->about;
  race.hold = HoldRule::kIgnore;
  EXPECT_EQ(race, *find_preset("race"));
}

TEST(Presets, OnlyFourAndTheFormulasHaveAPriority) {
  std::set<std::string> with_priority;
  for (const Policy& policy : preset_policies())
    if (policy.priority != Priority::kNone && policy.priority != Priority::kExpression)
      with_priority.insert(policy.name);
  EXPECT_EQ(with_priority, (std::set<std::string>{"default", "race", "priority", "no_aging"}));
}

TEST(Presets, AnUnknownNameIsNull) { EXPECT_EQ(find_preset("fifo"), nullptr); }

TEST(Words, AreOnePerEnumerator) {
  EXPECT_EQ(tie_words()[static_cast<std::size_t>(Tie::kRandom)], "random");
  EXPECT_EQ(placement_words()[static_cast<std::size_t>(Placement::kEasy)], "easy");
  EXPECT_EQ(placement_words()[static_cast<std::size_t>(Placement::kConservative)], "conservative");
  EXPECT_EQ(hold_words()[static_cast<std::size_t>(HoldRule::kIgnore)], "ignore");
  EXPECT_EQ(backfill_words()[static_cast<std::size_t>(Backfill::kShortest)], "shortest");
  EXPECT_EQ(preemption_words()[static_cast<std::size_t>(Preemption::kSuspend)], "suspend");
  EXPECT_EQ(reason_words()[static_cast<std::size_t>(Reason::kBackfilled)], "backfilled");
}

}  // namespace
}  // namespace headroom
