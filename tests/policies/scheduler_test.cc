// Order, placement, ends and failures, one rule a test.
#include "policies/scheduler.h"

#include <gtest/gtest.h>

#include "policies/check.h"
#include "tests/policies/scheduler_fixture.h"

namespace headroom::testing {
namespace {

TEST(Order, IsByEffectivePriorityLargerFirst) {  // rule R1: bases -2, 0, -1 at one create time start 0, -1, -2
  SchedulerFixture f(1);
  f.job(at(0), seconds(10), 1, -2);
  f.job(at(0), seconds(10), 1, 0);
  f.job(at(0), seconds(10), 1, -1);
  Ids order;
  for (int i = 0; i < 3; ++i) {
    const Ids started = f.pass(at(10 * i));
    ASSERT_EQ(started.size(), 1u);
    order.push_back(started[0]);
    f.scheduler.finished({started[0]});
  }
  EXPECT_EQ(order, (Ids{1, 2, 0}));
}

TEST(Order, PutsPlansBeforeOtherStagesWhateverTheirTailTime) {
  SchedulerFixture f(2);
  const WorkflowId w = f.workflow();
  f.scheduler.declare(w, f.facts(seconds(100)));
  StageFacts plan = f.facts(seconds(1));
  plan.kind = StageKind::kPlan;
  f.scheduler.declare(w, plan);
  const auto starts = f.scheduler.pass(at(0));
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts[0].stage.value, 1u);
  EXPECT_EQ(starts[0].reason, Reason::kKind);
  EXPECT_EQ(starts[1].reason, Reason::kAlone);
}

TEST(Order, FallsToTailTimeThenToDeclaration) {
  SchedulerFixture f(3);
  const WorkflowId w = f.workflow();
  f.scheduler.declare(w, f.facts(seconds(1)));
  f.scheduler.declare(w, f.facts(seconds(2)));
  f.scheduler.declare(w, f.facts(seconds(2)));
  const auto starts = f.scheduler.pass(at(0));
  ASSERT_EQ(starts.size(), 3u);
  EXPECT_EQ(starts[0].stage.value, 1u);
  EXPECT_EQ(starts[0].reason, Reason::kDeclaration);
  EXPECT_EQ(starts[1].stage.value, 2u);
  EXPECT_EQ(starts[1].reason, Reason::kTailTime);
}

TEST(Order, FollowsATailTimeThatGrowsWhileTheStageIsQueued) {
  SchedulerFixture f(1);
  const WorkflowId w = f.workflow();
  const StageId running = f.scheduler.declare(w, f.facts(seconds(9)));
  EXPECT_EQ(f.pass(at(0)), (Ids{0}));
  const StageId a = f.scheduler.declare(w, f.facts(seconds(3)));
  const StageId b = f.scheduler.declare(w, f.facts(seconds(2)));
  f.scheduler.declare(w, f.facts(seconds(5)), std::vector<StageId>{b});  // b's tail is now 7
  f.scheduler.finished(running);
  EXPECT_EQ(f.pass(at(9)), (Ids{b.value}));
  EXPECT_EQ(f.scheduler.tail_time(b), seconds(7));
  EXPECT_EQ(f.scheduler.status(a), StageStatus::kEligible);
}

TEST(Order, CanBreakTiesBySeveralKeys) {
  SchedulerOptions options;
  options.policy.name = "wide first, then short";
  options.policy.ties = {Tie::kLargest, Tie::kShortest};
  SchedulerFixture f(1, options);
  f.job(at(0), seconds(5));
  f.job(at(0), seconds(3));
  f.job(at(1), seconds(3));
  EXPECT_EQ(f.pass(at(1)), (Ids{1}));
  f.scheduler.finished({1});
  EXPECT_EQ(f.pass(at(4)), (Ids{2}));
}

TEST(Order, ChangesInPlaceWithThePriority) {
  SchedulerFixture f(1);
  f.job(at(0), seconds(1));
  const WorkflowId second = f.workflow(at(0));
  f.scheduler.declare(second, f.facts(seconds(1)));
  f.scheduler.set_priority(second, 1);
  EXPECT_TRUE(f.scheduler.changed());
  EXPECT_EQ(f.pass(at(0)), (Ids{1}));
  f.scheduler.set_priority(second, 1);
  EXPECT_FALSE(f.scheduler.changed()) << "an unchanged value is no change";
}

TEST(Order, MovesAllOfAUsersWorkTogether) {
  SchedulerFixture f(1);
  const UserId other = f.scheduler.add_user(0);
  f.job(at(0), seconds(1));
  for (int i = 0; i < 2; ++i)
    f.scheduler.declare(f.scheduler.submit({at(0), f.account, other, 0}), f.facts(seconds(1)));
  f.scheduler.set_priority(other, 3);
  Ids order;
  for (int i = 0; i < 3; ++i) {
    order.push_back(f.pass(at(i)).at(0));
    f.scheduler.finished({order.back()});
  }
  EXPECT_EQ(order, (Ids{1, 2, 0}));
}

TEST(Greedy, PassesOverWhatDoesNotFitAndReservesNothing) {  // R24
  SchedulerFixture f(4);
  f.job(at(0), seconds(10), 3);
  f.job(at(0), seconds(10), 4, 100);
  f.job(at(0), seconds(10), 2, -1);
  EXPECT_EQ(f.pass(at(0)), (Ids{1}));
  f.scheduler.finished({1});
  f.job(at(0), seconds(10), 4, 100);
  f.scheduler.declare(f.workflow(at(0), 50), f.facts(seconds(1), 1));
  const auto starts = f.scheduler.pass(at(10));
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].stage.value, 3u);
  f.scheduler.finished({3});
  EXPECT_EQ(f.pass(at(20)), (Ids{4, 0}));
}

TEST(Greedy, SaysWhenOthersAheadDidNotFit) {
  SchedulerFixture f(2);
  f.job(at(0), seconds(10), 1, 5);
  f.job(at(0), seconds(10), 2, 3);
  f.job(at(0), seconds(10), 1, 1);
  const auto starts = f.scheduler.pass(at(0));
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts[0].reason, Reason::kPriority);
  EXPECT_EQ(starts[1].stage.value, 2u);
  EXPECT_EQ(starts[1].reason, Reason::kFitted);
}

TEST(Strict, EndsThePassAtTheFirstThatDoesNotFit) {
  SchedulerFixture f(2, options_for("fcfs"));
  f.job(at(0), seconds(10), 1);
  f.job(at(0), seconds(10), 2);
  f.job(at(0), seconds(10), 1);
  EXPECT_EQ(f.pass(at(0)), (Ids{0}));
}

// Truths C2: on 100 processors (arrival, estimate = run, width) (0,100,70) (1,100,80) (2,100,90) (50,250,20).
TEST(Easy, BackfillsOnlyWhatDoesNotDelayTheHead) {
  SchedulerFixture f(100, options_for("easy"));
  f.job(at(0), seconds(100), 70);
  EXPECT_EQ(f.pass(at(0)), (Ids{0}));
  f.job(at(1), seconds(100), 80);
  f.job(at(2), seconds(100), 90);
  EXPECT_EQ(f.pass(at(2)), Ids{});
  f.job(at(50), seconds(250), 20);
  const auto starts = f.scheduler.pass(at(50));  // 80 + 20 fit together at 100, so it delays nobody
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].reason, Reason::kBackfilled);
}

TEST(Easy, StartsAShortOneThatEndsByTheReservation) {
  SchedulerFixture f(10, options_for("easy"));
  f.job(at(0), seconds(100), 6);
  f.job(at(0), seconds(50), 10);
  f.job(at(0), seconds(101), 4);
  f.job(at(0), seconds(100), 4);
  EXPECT_EQ(f.pass(at(0)), (Ids{0, 3}));
}

TEST(Easy, TakesTheShortestFirstWhenAsked) {
  SchedulerFixture f(10, options_for("easy_sjbf"));
  f.job(at(0), seconds(100), 6);
  f.job(at(0), seconds(50), 10);
  f.job(at(0), seconds(90), 4);
  f.job(at(0), seconds(80), 4);
  EXPECT_EQ(f.pass(at(0)), (Ids{0, 3}));
}

TEST(Easy, ReservesEveryResourceNotCoresAlone) {
  SchedulerOptions options = options_for("easy");
  SchedulerFixture f(ClusterCapacity{{{10, 0, 2}}, {}}, options);
  Demand gpu;
  gpu.gpus = 2;
  StageFacts wants = f.facts(seconds(10));
  wants.demand = f.scheduler.add_demand(gpu);
  const auto declare = [&](StageFacts facts, std::int64_t estimate) {
    facts.estimate = seconds(estimate);
    return f.scheduler.declare(f.workflow(at(0)), facts);
  };
  declare(wants, 10);
  declare(wants, 10);                    // waits for the gpus until 10
  declare(f.facts(seconds(1), 9), 100);  // 9 cores for 100 s: at 10 one core and two gpus are left, enough
  EXPECT_EQ(f.pass(at(0)), (Ids{0, 2}));
  Demand one_gpu;
  one_gpu.gpus = 1;
  f.scheduler.finished({0});
  EXPECT_EQ(f.pass(at(10)), (Ids{1}));
}

TEST(Easy, ReadsAnEstimateThatHasPassedAsEndingNext) {
  SchedulerFixture f(2, options_for("easy"));
  f.job(at(0), seconds(1), 1);
  EXPECT_EQ(f.pass(at(0)), (Ids{0}));
  f.job(at(5), seconds(10), 2);  // reserved 1 ns from now
  f.job(at(5), seconds(0), 1);   // lasts 1 ns at least: ends by then
  f.job(at(5), seconds(1), 1);
  EXPECT_EQ(f.pass(at(5)), (Ids{2}));
}

TEST(QueueDepth, ConsidersTheBestAtTheBeginningOnly) {
  SchedulerOptions options = options_for("default");
  options.queue_depth = 2;
  SchedulerFixture f(4, options);
  f.job(at(0), seconds(10), 8, 9);
  f.job(at(0), seconds(10), 8, 8);
  f.job(at(0), seconds(10), 1, 7);
  EXPECT_EQ(f.pass(at(0)), Ids{}) << "two that cannot be placed hide the third";
  options.queue_depth = 3;
  SchedulerFixture deeper(4, options);
  for (int i = 0; i < 5; ++i) deeper.job(at(0), seconds(10), 1, -i);
  EXPECT_EQ(deeper.pass(at(0)), (Ids{0, 1, 2}));
  EXPECT_FALSE(deeper.scheduler.changed()) << "a start is no change";
  EXPECT_EQ(deeper.pass(at(1)), (Ids{3}));
}

TEST(Ends, MakeConsumersEligible) {
  SchedulerFixture f(2);
  const WorkflowId w = f.workflow();
  const std::vector<StageFacts> facts{f.facts(seconds(1)), f.facts(seconds(1)), f.facts(seconds(1))};
  f.scheduler.declare_all(w, facts, std::vector<std::uint32_t>{0, 0, 0, 2}, std::vector<std::uint32_t>{0, 1});
  EXPECT_EQ(f.pass(at(0)), (Ids{0, 1}));
  f.scheduler.finished({0});
  EXPECT_EQ(f.pass(at(1)), Ids{});
  f.scheduler.finished({1});
  EXPECT_EQ(f.pass(at(2)), (Ids{2}));
  f.scheduler.finished({2});
  EXPECT_EQ(f.scheduler.live_stages(w), 0u);
}

TEST(Failures, CancelEverythingThatNeedsTheStage) {
  SchedulerFixture f(1);
  const WorkflowId w = f.workflow();
  const std::vector<StageFacts> facts(4, f.facts(seconds(1)));
  // 0 -> 1 -> 2, and 3 alone
  f.scheduler.declare_all(w, facts, std::vector<std::uint32_t>{0, 0, 1, 2, 2}, std::vector<std::uint32_t>{0, 1});
  EXPECT_EQ(f.pass(at(0)), (Ids{0}));
  f.scheduler.failed({0});
  EXPECT_EQ(f.scheduler.status({1}), StageStatus::kCanceled);
  EXPECT_EQ(f.scheduler.status({2}), StageStatus::kCanceled);
  EXPECT_EQ(f.pass(at(1)), (Ids{3})) << "the rest goes on";
  EXPECT_EQ(f.scheduler.live_stages(w), 1u);
}

TEST(Failures, CancelAtOnceWhatIsDeclaredLater) {
  SchedulerFixture f(1);
  const WorkflowId w = f.workflow();
  f.scheduler.declare(w, f.facts(seconds(1)));
  f.pass(at(0));
  f.scheduler.failed({0});
  const StageId late = f.scheduler.declare(w, f.facts(seconds(1)), std::vector<StageId>{{0}});
  EXPECT_EQ(f.scheduler.status(late), StageStatus::kCanceled);
}

TEST(Failures, DrainTheWorkflowWhenAsked) {
  SchedulerOptions options = options_for("default");
  options.drain_on_failure = true;
  SchedulerFixture f(1, options);
  const WorkflowId w = f.workflow();
  f.scheduler.declare(w, f.facts(seconds(2)));
  f.scheduler.declare(w, f.facts(seconds(1)));
  f.job(at(0), seconds(1));
  EXPECT_EQ(f.pass(at(0)), (Ids{0}));
  f.scheduler.failed({0});
  EXPECT_EQ(f.scheduler.status({1}), StageStatus::kCanceled);
  EXPECT_EQ(f.pass(at(2)), (Ids{2})) << "other workflows go on";
}

TEST(Retries, ReturnToTheQueueAtOnce) {
  SchedulerFixture f(1);
  f.job(at(0), seconds(2));
  f.pass(at(0));
  f.scheduler.try_again({0});
  EXPECT_TRUE(f.scheduler.changed());
  EXPECT_EQ(f.pass(at(2)), (Ids{0}));
}

TEST(Artifacts, LetAConsumerBeDeclaredBeforeItsProducer) {
  SchedulerFixture f(2);
  const WorkflowId w = f.workflow();
  const std::vector<ArtifactId> file{{5}};
  const StageId use = f.scheduler.declare(w, f.facts(seconds(3)), {}, file);
  EXPECT_EQ(f.pass(at(0)), Ids{});
  EXPECT_EQ(f.scheduler.undeclared_needs(use).size(), 1u);
  const StageId make = f.scheduler.declare(w, f.facts(seconds(1)), {}, {}, file);
  EXPECT_EQ(f.pass(at(1)), (Ids{make.value}));
  EXPECT_EQ(f.scheduler.tail_time(make), seconds(4));
  f.scheduler.finished(make);
  EXPECT_EQ(f.pass(at(2)), (Ids{use.value}));
}

TEST(PresumeGone, FreesWhatAStageStillHolds) {
  SchedulerFixture f(1, options_for("easy"));
  f.job(at(0), seconds(5));
  f.pass(at(0));
  f.job(at(5), seconds(5));
  f.scheduler.presume_gone({0});
  EXPECT_EQ(f.pass(at(5)), (Ids{1}));
  f.scheduler.finished({0});
  EXPECT_EQ(f.pass(at(5)), Ids{}) << "its slot is not given back twice";
  f.scheduler.finished({1});
}

TEST(Passes, AreNotNeededAfterAStart) {
  SchedulerFixture f(1);
  EXPECT_FALSE(f.scheduler.changed());
  f.job(at(0), seconds(1));
  EXPECT_TRUE(f.scheduler.changed());
  f.pass(at(0));
  EXPECT_FALSE(f.scheduler.changed());
}

TEST(Facts, ThatContradictTheStateAreBugs) {
  SchedulerFixture f(1);
  const StageId stage = f.job(at(0), seconds(1));
  EXPECT_THROW(f.scheduler.finished(stage), CheckFailed);
  EXPECT_THROW(f.scheduler.failed(stage), CheckFailed);
}

/// The same order as a rule that proves nothing: what recomputing gives must be what the static keys give.
class Recomputed final : public PriorityRule {
 public:
  OrderKind kind() const override { return OrderKind::kRecomputed; }
  ExactKey exact_key(const PriorityInputs&) const override { return {}; }
  double value(const PriorityInputs& in, TimePoint now) const override {
    return make_priority_rule(Priority::kFuzzball)->value(in, now);
  }
};

TEST(RecomputedOrder, StartsWhatTheStaticOneStarts) {
  for (const char* preset : {"default", "priority"}) {
    SchedulerFixture fast(3, options_for(preset));
    SchedulerFixture slow(3, options_for(preset), std::make_unique<Recomputed>());
    std::uint64_t random = 7;
    const auto below = [&](std::uint64_t n) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      return (random >> 33) % n;
    };
    std::vector<std::uint32_t> running;
    for (int step = 0; step < 2000; ++step) {
      const TimePoint now = at(step * 3600);  // whole hours, so that doubles are exact
      const auto priority = -static_cast<std::int64_t>(below(12));
      const auto cores = static_cast<std::int64_t>(1 + below(3));
      const Duration estimate = seconds(static_cast<std::int64_t>(below(4)));
      fast.job(now, estimate, cores, priority);
      slow.job(now, estimate, cores, priority);
      if (!running.empty() && below(3) != 0) {
        const std::uint32_t done = running.front();
        running.erase(running.begin());
        fast.scheduler.finished({done});
        slow.scheduler.finished({done});
      }
      const Ids a = fast.pass(now);
      ASSERT_EQ(a, slow.pass(now)) << preset << " step " << step;
      running.insert(running.end(), a.begin(), a.end());
    }
  }
}

}  // namespace
}  // namespace headroom::testing
