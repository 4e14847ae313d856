// What the engine does with time, ends and plans; whole schedules are compared with the slow model in tests/property.
#include "sim/engine/engine.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/property/work_builder.h"

namespace headroom {
namespace {

using oracle::StageText;
using oracle::WorkBuilder;

Duration seconds(std::int64_t s) { return Duration::seconds(s); }
TimePoint at(std::int64_t s) { return TimePoint::zero() + Duration::seconds(s); }

StageText stage(std::int64_t run_time, std::vector<StageRow> needs = {}) {
  StageText text;
  text.run_time = text.estimate = seconds(run_time);
  text.needs = std::move(needs);
  return text;
}

RunLog run(const Work& work, SchedulerSettings settings = {}, const char* policy = "default", Measure measure = {}) {
  return simulate(work, settings, *find_preset(policy), measure);
}

std::vector<TimePoint> times(const RunLog& log, EventKind kind, StageRow row) {
  std::vector<TimePoint> found;
  for (const Event& event : log.events)
    if (event.kind == kind && event.subject == row) found.push_back(event.at);
  return found;
}
TimePoint start(const RunLog& log, StageRow row) {
  const auto found = times(log, EventKind::kStarted, row);
  return found.empty() ? TimePoint::never() : found.front();
}

TEST(Engine, LogsOneJobFromSubmissionToEnd) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(5));
  b.stage(stage(3));
  const RunLog log = run(b.done());
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log.events[0].kind, EventKind::kJob);
  EXPECT_EQ(log.events[0].at, at(5));
  EXPECT_EQ(log.events[1].kind, EventKind::kStarted);
  EXPECT_EQ(log.events[1].at, at(5));
  EXPECT_EQ(log.events[2].kind, EventKind::kFinished);
  EXPECT_EQ(log.events[2].at, at(8));
  EXPECT_EQ(log.end, at(8));
  EXPECT_EQ(log.status, RunStatus::kFinished);
}

TEST(Engine, PassesOnlyOnTheGridAndOnlyWhereSomethingChanged) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(0));
  b.stage(stage(1000));
  b.workflow(TimePoint{} + Duration::milliseconds(1500));
  b.stage(stage(1));
  SchedulerSettings settings;
  settings.tick = seconds(1);
  const RunLog log = run(b.done(), settings);
  EXPECT_EQ(start(log, 0), at(0));
  EXPECT_EQ(start(log, 1), at(1000));
  EXPECT_EQ(log.passes, 4u) << "at 0, at 2 (after 1.5), at 1000, at 1001: not one a second";
}

TEST(Engine, StartsBetweenGridInstantsWaitForTheNextOne) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(TimePoint{} + Duration::milliseconds(1));
  b.stage(stage(1));
  SchedulerSettings settings;
  settings.tick = seconds(10);
  EXPECT_EQ(start(run(b.done(), settings), 0), at(10));
}

TEST(Engine, KillsAtTheWalltimeButNotAtItsExactEnd) {
  WorkBuilder b(WorkBuilder::slots(2));
  b.workflow(at(0));
  StageText text = stage(10);
  text.walltime = seconds(10);
  b.stage(text);
  text.walltime = seconds(9);
  b.stage(text);
  const RunLog log = run(b.done());
  EXPECT_EQ(times(log, EventKind::kFinished, 0), std::vector{at(10)});
  EXPECT_EQ(times(log, EventKind::kTimedOut, 1), std::vector{at(9)});
}

TEST(Engine, TriesAgainAsOftenAsItMay) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(0));
  StageText text = stage(2);
  text.retry = 2;
  text.failing.kind = Failing::Kind::kFirst;
  text.failing.first = 2;
  b.stage(text);
  const RunLog log = run(b.done());
  EXPECT_EQ(times(log, EventKind::kFailed, 0), (std::vector{at(2), at(4)}));
  EXPECT_EQ(times(log, EventKind::kFinished, 0), std::vector{at(6)});
}

TEST(Engine, GivesUpAtItsTimeWithoutAPass) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(0));
  b.stage(stage(10));
  b.workflow(at(0));
  b.stage(stage(10));
  Measure measure;
  measure.give_up = seconds(10);
  const RunLog log = run(b.done(), {}, "default", measure);
  EXPECT_EQ(log.status, RunStatus::kGaveUp);
  EXPECT_EQ(log.end, at(10));
  EXPECT_EQ(times(log, EventKind::kFinished, 0), std::vector{at(10)});
  EXPECT_EQ(start(log, 1), TimePoint::never());
}

TEST(Engine, StopsWhenTheCohortHasFinished) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(0));
  b.stage(stage(10));
  b.workflow(at(5));
  b.stage(stage(1000));
  Measure measure;
  measure.to = seconds(5);
  EXPECT_EQ(run(b.done(), {}, "default", measure).end, at(10));
}

TEST(Engine, SaysWhyARunIsStalled) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(0));
  StageText large = stage(1);
  large.demand.cores = 2;
  const StageRow first = b.stage(large);
  const StageRow second = b.stage(stage(1, {first}));
  const RunLog log = run(b.done());
  EXPECT_EQ(log.status, RunStatus::kStalled);
  EXPECT_EQ(log.stalled_stages, 2u);
  ASSERT_EQ(log.stalls.size(), 2u);
  EXPECT_EQ(log.stalls[0].cause, Stall::Cause::kTooLarge);
  EXPECT_EQ(log.stalls[1].cause, Stall::Cause::kWaitsFor);
  EXPECT_EQ(log.stalls[1].stage, second);
  EXPECT_EQ(log.stalls[1].other, first);
}

TEST(Engine, SubmitsAFollowerAfterItsThinkTime) {
  WorkBuilder b(WorkBuilder::slots(2));
  b.workflow(at(0));
  b.stage(stage(10));
  b.workflow(at(3));
  b.stage(stage(1));
  b.after({0}, seconds(5));
  const RunLog log = run(b.done());
  EXPECT_EQ(start(log, 1), at(15));
}

TEST(Engine, RefusesToPassTheEndOfItsClock) {
  WorkBuilder b(WorkBuilder::slots(1));
  for (int i = 0; i < 4; ++i) {
    b.workflow(at(0));
    StageText text = stage(1);
    text.run_time = Duration::seconds(100LL * 365 * 86400);
    b.stage(text);
  }
  EXPECT_THROW((void)run(b.done()), std::overflow_error);
}

TEST(Engine, StopsWhenAsked) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(0));
  b.stage(stage(1));
  const std::atomic<bool> stop{true};
  EXPECT_EQ(simulate(b.done(), {}, *find_preset("default"), {}, &stop).status, RunStatus::kInterrupted);
}

TEST(Engine, AStageOfRunTimeZeroMakesAnotherRoundOfTheSameInstant) {
  WorkBuilder b(WorkBuilder::slots(1));
  b.workflow(at(7));
  const StageRow first = b.stage(stage(0));
  b.stage(stage(0, {first}));
  const RunLog log = run(b.done());
  EXPECT_EQ(start(log, 1), at(7));
  EXPECT_EQ(log.end, at(7));
}

TEST(Engine, HashesWhatWasDecided) {
  const auto hash = [](std::int64_t second) {
    WorkBuilder b(WorkBuilder::slots(1));
    b.workflow(at(0));
    b.stage(stage(3));
    b.workflow(at(1));
    b.stage(stage(second));
    return run(b.done()).decision_hash;
  };
  EXPECT_EQ(hash(4), hash(5)) << "an end after the last decision changes none";
  WorkBuilder other(WorkBuilder::slots(2));
  other.workflow(at(0));
  other.stage(stage(3));
  other.workflow(at(1));
  other.stage(stage(4));
  EXPECT_NE(hash(4), run(other.done()).decision_hash);
}

// The step is declared at 1 s and reads a file that no stage makes; the plan's call for that file ends at 4 s.
TEST(Engine, LetsAStepReadASourceFileFromTheEndOfItsDeclarationOn) {
  WorkBuilder b(WorkBuilder::slots(2));
  b.workflow(at(0));
  StageText text;
  text.name = "plan";
  const StageRow plan = b.plan(text, seconds(0), seconds(5));
  b.stage(stage(1, {WorkBuilder::kNobodyMakes}), plan);
  b.op(plan, PlanOp::Kind::kDeclare, seconds(1), plan + 1);
  b.op(plan, PlanOp::Kind::kPause, seconds(1));
  b.op(plan, PlanOp::Kind::kStatic, seconds(2));
  Work work = b.done();
  work.plans[0].ops[2].stage = static_cast<StageRow>(work.stages());  // its first file
  const RunLog log = run(work);
  EXPECT_EQ(log.status, RunStatus::kFinished);
  EXPECT_EQ(times(log, EventKind::kEligible, plan + 1), (std::vector<TimePoint>{at(4)}));
  EXPECT_EQ(start(log, plan + 1), at(4));
}

}  // namespace
}  // namespace headroom
