// Holds: what they gate, what nests, what releases.
#include <gtest/gtest.h>

#include "tests/policies/scheduler_fixture.h"

namespace headroom::testing {
namespace {

struct Build : SchedulerFixture {
  explicit Build(HoldGates gates, std::int64_t slots = 4, const char* preset = "default")
      : Build(with(gates, preset), slots) {}
  Build(const SchedulerOptions& options, std::int64_t slots) : SchedulerFixture(slots, options) {
    w = workflow();
    plan = declare_plan(StageId::none());
    pass(at(0));
  }
  static SchedulerOptions with(HoldGates gates, const char* preset) {
    SchedulerOptions options = options_for(preset);
    options.hold_gates = gates;
    return options;
  }
  StageId declare_plan(StageId declarer) {
    StageFacts f = facts(seconds(1));
    f.kind = StageKind::kPlan;
    f.declarer = declarer;
    return scheduler.declare(w, f);
  }
  StageId step(StageId declarer, std::int64_t estimate = 1) {
    StageFacts f = facts(seconds(estimate));
    f.declarer = declarer;
    return scheduler.declare(w, f);
  }
  WorkflowId w;
  StageId plan;
};

/// A root plan and a sub-plan of it, both running.
///
///   plan ── sub ── what a test declares
struct Nested : Build {
  explicit Nested(HoldRelease release, std::int64_t slots) : Build(with(release), slots) {
    sub = declare_plan(plan);
    pass(at(1));
  }
  static SchedulerOptions with(HoldRelease release) {
    SchedulerOptions options = Build::with(HoldGates::kDeclarer, "default");
    options.hold_release = release;
    return options;
  }
  StageId sub;
};

TEST(Hold, ReleasesAllThatItGatesAtOnceInOrderOfTailTime) {
  Build b(HoldGates::kBlock, 3);
  StageId fast, slow;
  {
    const auto hold = b.scheduler.hold(b.plan);
    fast = b.step(b.plan, 2);
    EXPECT_EQ(b.pass(at(1)), Ids{});
    slow = b.step(b.plan, 4);
    EXPECT_EQ(b.pass(at(2)), Ids{});
  }
  EXPECT_TRUE(b.scheduler.changed());
  EXPECT_EQ(b.pass(at(2)), (Ids{slow.value, fast.value}));
}

TEST(Hold, OnlyTheOutermostReleaseCounts) {
  Build b(HoldGates::kBlock);
  b.scheduler.open_hold(b.plan);
  b.scheduler.open_hold(b.plan);
  const StageId step = b.step(b.plan);
  EXPECT_FALSE(b.scheduler.release_hold(b.plan));
  EXPECT_EQ(b.pass(at(1)), Ids{});
  EXPECT_TRUE(b.scheduler.release_hold(b.plan));
  EXPECT_EQ(b.pass(at(1)), (Ids{step.value}));
}

TEST(Hold, IsReleasedByAnException) {
  Build b(HoldGates::kBlock);
  try {
    const auto hold = b.scheduler.hold(b.plan);
    b.step(b.plan);
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(b.pass(at(1)), (Ids{1}));
}

TEST(Hold, OfABlockLeavesEarlierStepsAlone) {
  Build b(HoldGates::kBlock);
  const StageId before = b.step(b.plan);
  b.scheduler.open_hold(b.plan);
  EXPECT_EQ(b.pass(at(1)), (Ids{before.value}));
}

TEST(Hold, OfADeclarerGatesEarlierStepsAndGrandchildren) {
  Build b(HoldGates::kDeclarer, 2);
  const StageId sub = b.declare_plan(b.plan);
  EXPECT_EQ(b.pass(at(1)), (Ids{sub.value}));
  const StageId before = b.step(b.plan);
  const StageId grandchild = b.step(sub);
  b.scheduler.open_hold(b.plan);
  EXPECT_EQ(b.scheduler.status(before), StageStatus::kBlocked);
  EXPECT_EQ(b.scheduler.status(grandchild), StageStatus::kBlocked);
  EXPECT_EQ(b.scheduler.gating_plan(grandchild), b.plan);
  const StageId later = b.step(sub);
  EXPECT_EQ(b.scheduler.status(later), StageStatus::kBlocked);
  EXPECT_TRUE(b.scheduler.release_hold(b.plan));
  for (const StageId stage : {before, grandchild, later}) EXPECT_EQ(b.scheduler.status(stage), StageStatus::kEligible);
}

TEST(Hold, OfASubPlanLeavesItsSiblingsAlone) {
  Build b(HoldGates::kDeclarer);
  const StageId sub = b.declare_plan(b.plan);
  b.pass(at(1));
  b.scheduler.open_hold(sub);
  const StageId sibling = b.step(b.plan);
  const StageId child = b.step(sub);
  EXPECT_EQ(b.pass(at(2)), (Ids{sibling.value}));
  EXPECT_EQ(b.scheduler.status(child), StageStatus::kBlocked);
}

TEST(Hold, NeverGatesWhatWasDispatchedOnce) {
  Build b(HoldGates::kDeclarer);
  const StageId step = b.step(b.plan);
  EXPECT_EQ(b.pass(at(1)), (Ids{step.value}));
  b.scheduler.open_hold(b.plan);
  b.scheduler.try_again(step);
  EXPECT_EQ(b.pass(at(2)), (Ids{step.value}));
}

TEST(Hold, IsNothingUnderRace) {
  Build b(HoldGates::kBlock, 4, "race");
  b.scheduler.open_hold(b.plan);
  const StageId step = b.step(b.plan);
  EXPECT_EQ(b.pass(at(1)), (Ids{step.value}));
  EXPECT_FALSE(b.scheduler.release_hold(b.plan));
}

TEST(Hold, ThatItsPlanDiesInReleasesNothing) {
  Build b(HoldGates::kBlock);
  b.scheduler.open_hold(b.plan);
  const StageId step = b.step(b.plan);
  b.scheduler.failed(b.plan);
  EXPECT_EQ(b.scheduler.status(step), StageStatus::kCanceled);
  EXPECT_FALSE(b.scheduler.release_hold(b.plan));
}

TEST(Hold, StillWaitsForNeeds) {
  Build b(HoldGates::kBlock);
  b.scheduler.open_hold(b.plan);
  const StageId first = b.step(b.plan);
  StageFacts f = b.facts(seconds(1));
  f.declarer = b.plan;
  const StageId second = b.scheduler.declare(b.w, f, std::vector<StageId>{first});
  b.scheduler.release_hold(b.plan);
  EXPECT_EQ(b.pass(at(1)), (Ids{first.value}));
  b.scheduler.finished(first);
  EXPECT_EQ(b.pass(at(2)), (Ids{second.value}));
}

TEST(ReleaseAsInRc13, LeavesTheStepsOfARunningSubPlanBehindUntilItEnds) {
  Nested b(HoldRelease::kStepUpRc13, 4);
  b.scheduler.open_hold(b.plan);
  const StageId own = b.step(b.plan);
  const StageId child = b.step(b.sub);
  EXPECT_EQ(b.pass(at(2)), Ids{});  // with free slots: the answer "not safe" is stored for the sub-plan
  EXPECT_TRUE(b.scheduler.release_hold(b.plan));
  EXPECT_EQ(b.pass(at(3)), (Ids{own.value}));
  EXPECT_EQ(b.scheduler.status(child), StageStatus::kBlocked);
  EXPECT_EQ(b.scheduler.gating_plan(child), b.sub);
  b.scheduler.finished(b.sub);
  EXPECT_EQ(b.pass(at(4)), (Ids{child.value}));
}

TEST(ReleaseAsInRc13, LeavesThemBehindUntilTheHoldingPlanEndsIfTheSubPlanEndedBefore) {
  Nested b(HoldRelease::kStepUpRc13, 4);
  b.scheduler.open_hold(b.plan);
  const StageId child = b.step(b.sub);
  b.pass(at(2));
  b.scheduler.finished(b.sub);
  b.pass(at(3));
  b.scheduler.release_hold(b.plan);
  EXPECT_EQ(b.pass(at(4)), Ids{});
  b.scheduler.finished(b.plan);
  EXPECT_EQ(b.pass(at(5)), (Ids{child.value}));
}

TEST(ReleaseAsInRc13, IsIdealIfNoDecisionWasTriedWhileTheHoldWasOpen) {
  Nested b(HoldRelease::kStepUpRc13, 4);
  const StageId child = b.step(b.sub);
  b.scheduler.open_hold(b.plan);
  b.scheduler.release_hold(b.plan);
  EXPECT_EQ(b.pass(at(2)), (Ids{child.value}));
}

TEST(ReleaseAsInRc13, IsIdealIfNoSlotWasFreeWhileTheHoldWasOpen) {
  Nested b(HoldRelease::kStepUpRc13, 2);
  b.scheduler.open_hold(b.plan);
  const StageId child = b.step(b.sub);
  EXPECT_EQ(b.pass(at(2)), Ids{});
  b.scheduler.release_hold(b.plan);
  EXPECT_EQ(b.scheduler.status(child), StageStatus::kEligible);
}

TEST(ReleaseAsInRc13, LetsGoOfWhatTheSubPlanDeclaresAfterwards) {
  Nested b(HoldRelease::kStepUpRc13, 4);
  b.scheduler.open_hold(b.plan);
  const StageId before = b.step(b.sub);
  b.pass(at(2));
  b.scheduler.release_hold(b.plan);
  b.pass(at(3));
  const StageId after = b.step(b.sub);
  EXPECT_EQ(b.pass(at(4)), (Ids{after.value}));
  EXPECT_EQ(b.scheduler.status(before), StageStatus::kBlocked);
}

TEST(ReleaseIdeal, LetsGoOfTheStepsOfARunningSubPlanToo) {
  Nested b(HoldRelease::kIdeal, 4);
  b.scheduler.open_hold(b.plan);
  const StageId child = b.step(b.sub);
  b.pass(at(2));
  b.scheduler.release_hold(b.plan);
  EXPECT_EQ(b.pass(at(3)), (Ids{child.value}));
}

TEST(Files, ThatAreProvidedLetStagesGoThatWaitForThem) {
  SchedulerFixture f(4);
  const WorkflowId w = f.workflow();
  const ArtifactId file{7};
  const StageId before = f.scheduler.declare(w, f.facts(seconds(1)), {}, std::vector{file});
  EXPECT_EQ(f.pass(at(0)), Ids{});
  f.scheduler.provide(file);
  EXPECT_TRUE(f.scheduler.changed());
  const StageId after = f.scheduler.declare(w, f.facts(seconds(1)), {}, std::vector{file});
  EXPECT_EQ(f.pass(at(1)), (Ids{before.value, after.value}));
  EXPECT_TRUE(f.scheduler.undeclared_needs(before).empty());
}

}  // namespace
}  // namespace headroom::testing
