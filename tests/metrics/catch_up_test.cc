#include "sim/metrics/catch_up.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "log_builder.h"

namespace headroom {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Policy policy_of(Priority priority, std::vector<Tie> ties = {}) {
  Policy policy;
  policy.priority = priority;
  policy.ties = std::move(ties);
  return policy;
}

std::vector<double> ages(const LogBuilder& run, const Policy& policy) {
  return catch_up_ages_s(run.work, policy, run.work.submitted_at);
}

// Golden value x0000.e1 of Fuzzball's expression: 5, 10, 2, -10 at 12.5 h.
TEST(EffectivePriority, IsHoursPlusTheFourPriorities) {
  LogBuilder run(1);
  run.workflow("a", 0, {1}, -10);
  run.work.tenants.organizations[0].priority = 5;
  run.work.tenants.accounts[0].priority = 10;
  run.work.tenants.users[0].priority = 2;
  const Duration age = Duration::seconds(45'000);
  EXPECT_EQ(effective_priority(run.work, Priority::kFuzzball, 0, age), 19.5);
  EXPECT_EQ(effective_priority(run.work, Priority::kBases, 0, age), 7);
  EXPECT_EQ(effective_priority(run.work, Priority::kNone, 0, age), 0);
}

// Whole hours and the rest are converted apart: dividing at once gives another double for this age.
TEST(EffectivePriority, ConvertsWholeHoursAndTheRestApart) {
  LogBuilder run(1);
  run.job("a", 0, 1);
  const std::int64_t ns = 3'848'000'000'104;
  EXPECT_EQ(effective_priority(run.work, Priority::kFuzzball, 0, Duration{ns}), 0x1.11a2b3c4f5aa8p+0);
  EXPECT_NE(static_cast<double>(ns) / 3.6e12, 0x1.11a2b3c4f5aa8p+0);
}

TEST(EffectivePriority, OfPlainSumsWrapsLikeTheLanguage) {
  LogBuilder run(1);
  run.workflow("a", 0, {1}, std::numeric_limits<std::int64_t>::max());
  run.work.tenants.users[0].priority = 1;
  EXPECT_EQ(effective_priority(run.work, Priority::kBases, 0, Duration{}),
            static_cast<double>(std::numeric_limits<std::int64_t>::min()));
}

TEST(CatchUpAge, IsOneHourForEachUnitBelowTheLargestLaterBase) {
  const LogBuilder run = catch_up_run(true);
  const std::vector<double> found = ages(run, policy_of(Priority::kFuzzball, {Tie::kTailTime}));
  EXPECT_EQ(found.front(), 36'000);
  for (std::size_t w = 1; w < found.size(); ++w) EXPECT_EQ(found[w], 0) << w;
}

TEST(CatchUpAge, LooksAtEveryFactorOfTheBase) {
  LogBuilder run(1);
  run.workflow("a", 0, {1}, 0, 0, 0);
  run.workflow("b", 1, {1}, 0, 1, 1);
  run.work.tenants.accounts[1].priority = 3;
  run.work.tenants.users[1].priority = -1;
  EXPECT_EQ(ages(run, policy_of(Priority::kFuzzball)), (std::vector<double>{7200, 0}));
}

TEST(CatchUpAge, LooksAtStrictlyLaterSubmissionsWhateverTheOrderOfRows) {
  LogBuilder run(1);
  run.job("late", 10, 1, 4);
  run.job("same", 5, 1, 9);
  run.job("early", 5, 1, 1);
  EXPECT_EQ(ages(run, policy_of(Priority::kFuzzball)), (std::vector<double>{0, 0, 3 * 3600}));
}

TEST(CatchUpAge, IsInfiniteWithoutAgingBelowALaterBase) {
  const LogBuilder run = catch_up_run(false);
  EXPECT_EQ(ages(run, policy_of(Priority::kBases, {Tie::kTailTime})).front(), kInfinity);
  EXPECT_EQ(ages(run, policy_of(Priority::kBases, {Tie::kSubmitTime})).front(), kInfinity);
}

TEST(CatchUpAge, OfEqualBasesWithoutAgingDependsOnTheTies) {
  LogBuilder run(1);
  run.job("a", 0, 1);
  run.job("b", 1, 1);
  const struct {
    std::vector<Tie> ties;
    double age;
  } cases[] = {
      {{}, 0},
      {{Tie::kDeclaration}, 0},
      {{Tie::kDeclaration, Tie::kRandom}, 0},
      {{Tie::kSubmitTime, Tie::kTailTime}, 0},
      {{Tie::kTailTime, Tie::kSubmitTime}, kInfinity},
      {{Tie::kShortest}, kInfinity},
      {{Tie::kLongest}, kInfinity},
      {{Tie::kLargest}, kInfinity},
      {{Tie::kSmallest}, kInfinity},
      {{Tie::kRandom}, kInfinity},
  };
  for (const auto& [ties, age] : cases) {
    for (const Priority priority : {Priority::kNone, Priority::kBases})
      EXPECT_EQ(ages(run, policy_of(priority, ties)), (std::vector<double>{age, 0})) << ties.size();
    EXPECT_EQ(ages(run, policy_of(Priority::kFuzzball, ties)), (std::vector<double>{0, 0}));
  }
}

TEST(CatchUpAge, StepsOfAPlanCanBeDeclaredAfterANewcomer) {
  LogBuilder run(1);
  run.job("a", 0, 1);
  run.job("b", 1, 1);
  run.work.root_plan = {0, -1};
  EXPECT_EQ(ages(run, policy_of(Priority::kNone)), (std::vector<double>{kInfinity, 0}));
  EXPECT_EQ(ages(run, policy_of(Priority::kNone, {Tie::kSubmitTime})), (std::vector<double>{0, 0}));
}

TEST(CatchUpAge, ALaterPlanCanComeFirst) {
  LogBuilder run(1);
  run.job("a", 0, 1);
  run.job("b", 1, 1);
  run.work.root_plan = {-1, 0};
  EXPECT_EQ(ages(run, policy_of(Priority::kNone, {Tie::kSubmitTime})), (std::vector<double>{kInfinity, 0}));
}

TEST(CatchUpAge, DoesNotOverflow) {
  LogBuilder run(1);
  run.job("a", 0, 1, std::numeric_limits<std::int64_t>::min());
  run.job("b", 1, 1, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ages(run, policy_of(Priority::kFuzzball)).front(), 18446744073709551615.0 * 3600);
}

}  // namespace
}  // namespace headroom
