// Other systems' priorities, as data: each against what its system is known to compute, and what aging does and does
// not do. Hours are from time 0.
#include <gtest/gtest.h>

#include <cmath>

#include "policies/expression_rule.h"
#include "policies/overtaking.h"
#include "policies/priority/error.h"
#include "tests/policies/scheduler_fixture.h"

namespace headroom {
namespace {

namespace testing = headroom::testing;

TimePoint hour(double h) { return {static_cast<std::int64_t>(h * 3.6e12)}; }

Policy with_params(const char* preset, const std::vector<expr::Param>& changed) {
  Policy policy = *find_preset(preset);
  for (const expr::Param& change : changed)
    for (expr::Param& param : policy.params)
      if (param.name == change.name) param.number = change.number;
  return policy;
}

double worth(const Policy& policy, const PriorityInputs& in, TimePoint now) {
  return make_priority_rule(policy)->value(in, now);
}

TEST(SlurmMultifactor, GivesTheSumThatSlurmLoggedForAJob) {
  // Of a log that a site shows (brooks.chem.lsa.umich.edu): age 0.251721 * 16800 = 4228.92, size 0.996510 * 10000 =
  // 9965.10, partition 0.666667 * 30000 = 20000.00, QOS 0, nice 2500. Its fair-share term is not one of ours.
  const Policy policy = with_params("slurm_multifactor", {{"age_weight", "16800"},
                                                          {"size_weight", "10000"},
                                                          {"cluster_cores", "100000"},
                                                          {"partition_weight", "30000"},
                                                          {"partition_max", "3"}});
  StageInputs stage;
  stage.cores = 99651;
  stage.ready_at = hour(0);
  PriorityInputs in;
  in.organization = 2;
  in.workflow = -2500;
  in.stage = &stage;
  EXPECT_NEAR(worth(policy, in, hour(0.251721 * 168)), 4228.92 + 9965.10 + 20000.00 - 2500, 0.02);
}

TEST(SlurmMultifactor, AgeCountsFromEligibilityUpToTheMaximumAge) {
  const Policy policy = *find_preset("slurm_multifactor");
  StageInputs stage;
  stage.ready_at = hour(100);
  PriorityInputs in;
  in.stage = &stage;
  EXPECT_EQ(worth(policy, in, hour(100)), 0);
  EXPECT_EQ(worth(policy, in, hour(184)), 500);
  EXPECT_EQ(worth(policy, in, hour(268)), 1000);
  EXPECT_EQ(worth(policy, in, hour(2000)), 1000);
}

TEST(PbsFormula, AStarvingJobGoesBeforeAnyFormulaValue) {
  const Policy policy = *find_preset("pbs_formula");
  StageInputs starving, fresh;
  starving.ready_at = hour(0);
  fresh.ready_at = hour(24);
  fresh.cores = 1000;
  PriorityInputs low, high;
  low.stage = &starving;
  high.stage = &fresh;
  high.organization = 100;
  EXPECT_LT(worth(policy, low, hour(24)), worth(policy, high, hour(24)));
  EXPECT_GT(worth(policy, low, hour(24.001)), worth(policy, high, hour(24.001)));
  // 10 * 2 + 1 * -3 + 0.01 * 16 + 0.1 * 5
  starving.cores = 16;
  low.organization = 2;
  low.workflow = -3;
  EXPECT_NEAR(worth(policy, low, hour(5)), 17.66, 1e-12);
}

TEST(DeadlineCloud, AddsWeightedPriorityErrorsAndSecondsSinceSubmission) {
  const Policy policy = *find_preset("deadline_cloud");
  StageInputs stage;
  stage.attempt = 2;
  PriorityInputs in;
  in.workflow = 50;
  in.stage = &stage;
  EXPECT_EQ(worth(policy, in, TimePoint{90'000'000'000}), 50 * 100.0 + 2 * -10.0 + 90 * 3.0);
  EXPECT_EQ(make_priority_rule(policy)->kind(), OrderKind::kStatic);
}

// ---- aging

TEST(Aging, TheDefaultNeverSwapsTwoQueuedWorkflows) {
  const auto rule = make_priority_rule(*find_preset("default"));
  ASSERT_EQ(rule->kind(), OrderKind::kStatic);
  for (std::int64_t base = -30; base <= 30; base += 7)
    for (double created = 0; created < 40; created += 3) {
      PriorityInputs a, b;
      a.workflow = base;
      a.created_at = hour(created);
      b.created_at = hour(11);
      const bool before = rule->exact_key(a) < rule->exact_key(b);
      for (double now = 40; now < 400; now += 17)
        if (rule->value(a, hour(now)) != rule->value(b, hour(now))) {
          EXPECT_EQ(rule->value(a, hour(now)) > rule->value(b, hour(now)), before) << base << " " << created;
        }
    }
}

TEST(Aging, CatchUpIsExactlyTheGapInHours) {
  const Overtaking overtaking(*find_preset("default"), {});
  for (const std::int64_t gap : {1, 10, 25, 1000}) {
    PriorityInputs low, high;
    low.workflow = -gap;
    EXPECT_EQ(overtaking.age(low, high), Duration::hours(gap));
    EXPECT_EQ(overtaking.age_on_arrival(low, high), Duration::hours(gap));
    EXPECT_EQ(overtaking.age(high, low), Duration{});
  }
}

TEST(Aging, ACapBelowTheGapIsOvertakenWithoutEnd) {
  const Overtaking overtaking(*find_preset("capped_aging"), {});
  PriorityInputs low, high;
  for (const std::int64_t gap : {1, 23, 24}) {
    low.workflow = -gap;
    EXPECT_EQ(overtaking.age_on_arrival(low, high), Duration::hours(gap)) << gap;
    // Newcomers that wait for a day themselves are ranked by base alone.
    EXPECT_EQ(overtaking.age(low, high), Duration::infinite()) << gap;
  }
  low.workflow = -25;
  EXPECT_EQ(overtaking.age_on_arrival(low, high), Duration::infinite());
}

TEST(Aging, WithoutItWhatIsLowerIsOvertakenWithoutEnd) {
  const Overtaking overtaking(*find_preset("no_aging"), {});
  PriorityInputs low, high;
  low.workflow = -1;
  EXPECT_EQ(overtaking.age(low, high), Duration::infinite());
}

TEST(Aging, NothingIsProvedOfWhatCanLoseWorthOrIsRecomputed) {
  Policy policy = *find_preset("default");
  set_priority_expression(policy, "max(10 - (now() - workflow.create_time).Hours(), 0) + workflow.priority");
  PriorityInputs low, high;
  EXPECT_EQ(Overtaking(policy, {}).age(low, high), std::nullopt);
  set_priority_expression(policy, "(now() - workflow.create_time).Hours() ** 2");
  EXPECT_EQ(Overtaking(policy, {}).why_not(), "** of now()");
  set_priority_expression(policy, "(now() - stage.ready_time).Hours()");
  EXPECT_NE(Overtaking(policy, {}).why_not(), "");
}

/// One slot; a job of base 0 every hour from 0 on, each runs exactly 1 h; one of the given base comes at 0 with the
/// first. The hour at which it starts; -1: not within 60.
int start_under_stream(const char* policy, std::int64_t base) {
  testing::SchedulerFixture f(1, testing::options_for(policy));
  const StageId low = f.job(hour(0), Duration::hours(1), 1, base);
  std::vector<StageId> running;
  for (int h = 0; h < 60; ++h) {
    f.scheduler.set_clock(hour(h));
    for (const StageId stage : running) f.scheduler.finished(stage);
    running.clear();
    f.job(hour(h), Duration::hours(1));
    for (const Start& start : f.scheduler.pass(hour(h))) {
      if (start.stage == low) return h;
      running.push_back(start.stage);
    }
  }
  return -1;
}

TEST(Aging, UnderASteadyStreamTheCapDecides) {
  // A tie at 23 h (-23 + 23 = 0) goes to the older; at -25 the cap holds it below every newcomer.
  EXPECT_EQ(start_under_stream("capped_aging", -23), 23);
  EXPECT_EQ(start_under_stream("capped_aging", -24), 24);
  EXPECT_EQ(start_under_stream("capped_aging", -25), -1);
  EXPECT_EQ(start_under_stream("default", -25), 25);
  EXPECT_EQ(start_under_stream("no_aging", -1), -1);
}

TEST(Aging, AnEntitysChangeKeepsTheOrderWithinIt) {
  for (const char* name : {"default", "capped_aging", "slurm_multifactor", "deadline_cloud", "no_aging"}) {
    const auto rule = make_priority_rule(*find_preset(name));
    StageInputs stage;
    stage.cores = 1;
    const auto value = [&](std::int64_t account, std::int64_t workflow, double created) {
      PriorityInputs in;
      in.account = account;
      in.workflow = workflow;
      in.created_at = stage.ready_at = hour(created);
      in.stage = &stage;
      return rule->value(in, hour(50));
    };
    for (const auto& [p, q] : {std::pair{-3, 0}, std::pair{0, 0}, std::pair{-10, -1}})
      EXPECT_EQ(value(0, p, 20) < value(0, q, 35), value(10, p, 20) < value(10, q, 35)) << name;
  }
}

TEST(Crossing, WakesAStrictQueueWhenItsHeadIsOvertaken) {
  SchedulerOptions options;
  options.policy.name = "crossing";
  options.policy.placement = Placement::kStrict;
  set_priority_expression(options.policy, "workflow.priority > 5 ? 10 : (now() - workflow.create_time).Hours()");
  testing::SchedulerFixture f(4, options);
  const StageId running = f.job(hour(0), Duration::hours(100), 3);
  ASSERT_EQ(f.pass(hour(0)), (testing::Ids{running.value}));
  f.job(hour(0), Duration::hours(1), 4, 6);  // worth 10 for ever, and does not fit
  const StageId small = f.job(hour(0), Duration::hours(1), 1);
  EXPECT_TRUE(f.pass(hour(0)).empty());
  // At 10 h they tie, and the older stays first; from then on the small one is ahead.
  EXPECT_EQ(f.scheduler.next_crossing(), hour(10));
  EXPECT_FALSE(f.scheduler.changed());
  f.scheduler.set_clock(hour(10));
  EXPECT_TRUE(f.scheduler.changed());
  EXPECT_TRUE(f.pass(hour(10)).empty());
  const TimePoint after = f.scheduler.next_crossing();
  EXPECT_EQ(after, hour(10) + Duration::nanoseconds(1));
  EXPECT_EQ(f.pass(after), (testing::Ids{small.value}));
  EXPECT_TRUE(f.scheduler.next_crossing().is_never());
}

// ---- what an expression is kept by, and why

TEST(OrderAnalysis, SaysHowAndWhy) {
  const std::string age = "(now() - workflow.create_time).Hours()";
  for (const auto& [expression, kind, why] : std::vector<std::tuple<std::string, OrderKind, std::string>>{
           {age + " + workflow.priority", OrderKind::kStatic, "every stage ages at 1/h"},
           {age + " / 24 + workflow.priority", OrderKind::kStatic, "every stage ages at 0.041666666666666664/h"},
           {"workflow.priority ** 2 + " + age, OrderKind::kStatic, "every stage ages at 1/h"},
           {"max(workflow.priority, -5)", OrderKind::kStatic, "no term depends on now()"},
           {"min(" + age + ", 24) + workflow.priority", OrderKind::kPiecewise, "min() caps age at 24 h"},
           {age + " * stage.cores", OrderKind::kPiecewise, "the rate differs between stages"},
           {"let age = " + age + "; age < 24 ? age : 24 + (age - 24) * 0.1", OrderKind::kPiecewise,
            "a condition on now() chooses"},
           {age + " ** 1.1", OrderKind::kRecomputed, "** of now()"},
           {"now().Hour() >= 8 ? 1 : " + age, OrderKind::kRecomputed, "the steps of .Hour()"},
           {"queue.length > 5 ? " + age + " : 0", OrderKind::kRecomputed,
            "queue.length, which changes with every pass"},
           {"workflow.priority / " + age, OrderKind::kRecomputed, "a division by a term in now()"}}) {
    const OrderAnalysis analysis = analyse(expression, {});
    EXPECT_EQ(static_cast<int>(analysis.kind), static_cast<int>(kind)) << expression;
    EXPECT_EQ(analysis.why, why) << expression;
  }
}

TEST(OrderAnalysis, RecognisesTheClosedFormsHoweverTheyAreWritten) {
  const std::string bases = "organization.priority + account.priority + user.priority + workflow.priority";
  const std::string age = "(now() - workflow.create_time)";
  EXPECT_EQ(analyse(age + ".Hours() + " + bases, {}).closed_form, Priority::kFuzzball);
  EXPECT_EQ(analyse(bases + " + " + age + ".Minutes() / 60", {}).closed_form, Priority::kFuzzball);
  EXPECT_EQ(analyse("let b = " + bases + "; b - (workflow.create_time - now()).Hours()", {}).closed_form,
            Priority::kFuzzball);
  EXPECT_EQ(analyse(bases, {}).closed_form, Priority::kBases);
  EXPECT_EQ(analyse("0", {}).closed_form, Priority::kNone);
  EXPECT_EQ(analyse(age + ".Hours() / 2 + " + bases, {}).closed_form, Priority::kExpression);
  EXPECT_EQ(analyse(age + ".Hours() + max(workflow.priority, -5)", {}).closed_form, Priority::kExpression);
  // Only what is written like it is the preset's own: other roundings are shown otherwise.
  Policy policy;
  set_priority_expression(policy, age + ".Hours()\n + " + bases);
  EXPECT_EQ(policy.priority, Priority::kFuzzball);
  set_priority_expression(policy, bases + " + " + age + ".Hours()");
  EXPECT_EQ(policy.priority, Priority::kExpression);
}

TEST(OrderAnalysis, RefusesWhatIsNoNumber) {
  EXPECT_THROW(static_cast<void>(analyse("workflow.name", {})), expr::Error);
  EXPECT_THROW(static_cast<void>(analyse("now() - workflow.create_time", {})), expr::Error);
  EXPECT_THROW(static_cast<void>(analyse("workflow.priority +", {})), expr::Error);
}

}  // namespace
}  // namespace headroom
