// Displacement of running work: rules R32-R34 of the priority model and the choices that go with them.
#include <gtest/gtest.h>

#include "policies/expression_rule.h"
#include "sim/engine/engine.h"
#include "tests/property/work_builder.h"

namespace headroom {
namespace {

using oracle::StageText;
using oracle::WorkBuilder;

Duration seconds(std::int64_t s) { return Duration::seconds(s); }
TimePoint at(std::int64_t s) { return TimePoint::zero() + Duration::seconds(s); }

struct Job {
  std::int64_t submitted = 0, run_time = 1, priority = 0, cores = 1;
  bool preemptible = false;
  std::int64_t checkpoint = 0;
  std::int64_t walltime = 0;
};

Work work_of(std::int64_t slots, const std::vector<Job>& jobs) {
  WorkBuilder b(WorkBuilder::slots(slots));
  for (const Job& job : jobs) {
    b.workflow(at(job.submitted), job.priority);
    StageText text;
    text.run_time = text.estimate = seconds(job.run_time);
    text.demand.cores = job.cores;
    b.stage(text);
  }
  Work work = b.done();
  work.preemptible.assign(jobs.size(), 0);
  work.checkpoint.assign(jobs.size(), Duration::infinite());
  work.walltime.assign(jobs.size(), Duration::infinite());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    work.preemptible[i] = jobs[i].preemptible ? 1 : 0;
    if (jobs[i].checkpoint > 0) work.checkpoint[i] = seconds(jobs[i].checkpoint);
    if (jobs[i].walltime > 0) work.walltime[i] = seconds(jobs[i].walltime);
  }
  return work;
}

Policy policy_with(Preemption mode, PreemptionTerms terms = {}, const char* preset = "default") {
  Policy policy = *find_preset(preset);
  policy.preemption = mode;
  policy.preemption_terms = terms;
  return policy;
}

RunLog run(const Work& work, const Policy& policy, SchedulerSettings settings = {}) {
  return simulate(work, settings, policy, Measure{});
}

std::vector<std::int64_t> seconds_of(const RunLog& log, EventKind kind, StageRow row) {
  std::vector<std::int64_t> found;
  for (const Event& event : log.events)
    if (event.kind == kind && event.subject == row) found.push_back(event.at.ns / 1'000'000'000);
  return found;
}
std::vector<std::int64_t> starts(const RunLog& log, StageRow row) { return seconds_of(log, EventKind::kStarted, row); }
std::vector<std::int64_t> ends(const RunLog& log, StageRow row) { return seconds_of(log, EventKind::kFinished, row); }

using Times = std::vector<std::int64_t>;

TEST(Fuzzball, R32_OnlyWhereTheClusterAllowsItAndTheStageWasSubmittedPreemptible) {
  for (const bool allowed : {false, true}) {
    for (const bool preemptible : {false, true}) {
      const Work work = work_of(1, {{0, 100, -10, 1, preemptible}, {10, 5}});
      const RunLog log = run(work, policy_with(allowed ? Preemption::kRequeue : Preemption::kOff));
      const bool displaced = allowed && preemptible;
      EXPECT_EQ(starts(log, 1), displaced ? Times{10} : Times{100}) << allowed << preemptible;
      EXPECT_EQ(starts(log, 0), displaced ? (Times{0, 15}) : Times{0});
      EXPECT_EQ(ends(log, 0), displaced ? Times{115} : Times{100});
      EXPECT_EQ(log.preemptions.size(), displaced ? 1u : 0u);
    }
  }
}

TEST(Fuzzball, R33_OnlyThePreemptibleStagesOfAWorkflowGo) {
  WorkBuilder b(WorkBuilder::slots(2));
  b.workflow(at(0), -10);
  StageText text;
  text.run_time = text.estimate = seconds(100);
  b.stage(text);
  b.stage(text);
  for (int i = 0; i < 2; ++i) {
    b.workflow(at(10), 0);
    text.run_time = text.estimate = seconds(5);
    b.stage(text);
  }
  Work work = b.done();
  work.preemptible = {0, 1, 0, 0};
  const RunLog log = run(work, policy_with(Preemption::kRequeue));
  EXPECT_EQ(ends(log, 0), Times{100});
  EXPECT_EQ(starts(log, 2), Times{10});
  EXPECT_EQ(starts(log, 3), Times{15});  // in the place that the other left
  EXPECT_EQ(starts(log, 1), (Times{0, 20}));
}

TEST(Fuzzball, R34_NobodyGoesWhereThereIsRoom) {
  const Work work = work_of(2, {{0, 100, -10, 1, true}, {10, 5, 0}});
  const RunLog log = run(work, policy_with(Preemption::kRequeue));
  EXPECT_TRUE(log.preemptions.empty());
  EXPECT_EQ(starts(log, 1), Times{10});
}

TEST(Fuzzball, Q10_ADisplacedStageLosesWhatItRanSinceItsLastCheckpoint) {
  const auto with_checkpoint = [](std::int64_t checkpoint) {
    return run(work_of(1, {{0, 100, -10, 1, true, checkpoint}, {10, 5}}), policy_with(Preemption::kRequeue));
  };
  EXPECT_EQ(with_checkpoint(0).preemptions.at(0).lost, seconds(10));
  EXPECT_EQ(ends(with_checkpoint(0), 0), Times{115});
  EXPECT_EQ(with_checkpoint(4).preemptions.at(0).lost, seconds(2));
  EXPECT_EQ(ends(with_checkpoint(4), 0), Times{107});  // 92 were left at 15
  EXPECT_EQ(with_checkpoint(5).preemptions.at(0).lost, seconds(0));
  EXPECT_EQ(ends(with_checkpoint(5), 0), Times{105});
}

TEST(Fuzzball, Q10_ASuspendedStageGoesOnWhereItStood) {
  const RunLog log = run(work_of(1, {{0, 100, -10, 1, true}, {10, 5}, {20, 5}}), policy_with(Preemption::kSuspend));
  EXPECT_EQ(starts(log, 0), (Times{0, 15, 25}));
  EXPECT_EQ(ends(log, 0), Times{110});
  for (const PreemptionRecord& preemption : log.preemptions) EXPECT_EQ(preemption.lost, seconds(0));
  EXPECT_EQ(log.preemptions.at(1).preemptor, 2u);
}

// A suspended stage has used what it used of its limit; one that begins anew has all of it again.
TEST(Fuzzball, Q10_TheLimitOfASuspendedStageGoesOnToo) {
  const Work work = work_of(1, {{0, 100, -10, 1, true, 0, 60}, {10, 5}});
  EXPECT_EQ(seconds_of(run(work, policy_with(Preemption::kSuspend)), EventKind::kTimedOut, 0), Times{65});
  EXPECT_EQ(seconds_of(run(work, policy_with(Preemption::kRequeue)), EventKind::kTimedOut, 0), Times{75});
}

// Displaced at 10 s with 50 s of its limit left, it times out at 65 s; what comes then is a full try.
TEST(Fuzzball, Q10_AFurtherTryOfADisplacedStageIsAFullOne) {
  Work work = work_of(1, {{0, 100, -10, 1, true, 0, 60}, {10, 5}});
  work.retry = {1, 0};
  EXPECT_EQ(seconds_of(run(work, policy_with(Preemption::kSuspend)), EventKind::kTimedOut, 0), (Times{65, 125}));
  work = work_of(1, {{0, 100, -10, 1, true, 5, 60}, {10, 5}});
  work.retry = {1, 0};
  EXPECT_EQ(seconds_of(run(work, policy_with(Preemption::kRequeue)), EventKind::kTimedOut, 0), (Times{75, 135}));
}

TEST(Fuzzball, Q10_AGraceLetsTheVictimRunOn) {
  const Work work = work_of(1, {{0, 100, -10, 1, true}, {10, 5}});
  const RunLog log = run(work, policy_with(Preemption::kRequeue, {0, {}, seconds(30)}));
  EXPECT_EQ(starts(log, 1), Times{40});
  EXPECT_EQ(log.preemptions.at(0).lost, seconds(40));
  const RunLog over = run(work, policy_with(Preemption::kRequeue, {0, {}, seconds(90)}));
  EXPECT_TRUE(over.preemptions.empty()) << "it ended at 100, when its grace did";
  EXPECT_EQ(starts(over, 1), Times{100});
}

// While one is on its way out, the stage that it makes room for sends nobody else away.
TEST(Fuzzball, Q10_OneGraceIsEnough) {
  const Work work = work_of(2, {{0, 100, -10, 1, true}, {0, 100, -10, 1, true}, {10, 5}, {12, 1, -20}});
  const RunLog log = run(work, policy_with(Preemption::kRequeue, {0, {}, seconds(30)}));
  EXPECT_EQ(log.preemptions.size(), 1u);
  EXPECT_EQ(starts(log, 2), Times{40});
}

TEST(Fuzzball, Q11_TheLowestGoFirstThenTheYoungestAndNoMoreThanItTakes) {
  const Work lowest = work_of(2, {{0, 100, -10, 1, true}, {0, 100, -20, 1, true}, {10, 5}});
  EXPECT_EQ(run(lowest, policy_with(Preemption::kRequeue)).preemptions.at(0).stage, 1u);
  // Equal priority now: -10 at 0 and, an hour later, -9.
  const Work youngest = work_of(2, {{0, 10'000, -10, 1, true}, {3600, 10'000, -9, 1, true}, {3610, 5}});
  EXPECT_EQ(run(youngest, policy_with(Preemption::kRequeue)).preemptions.at(0).stage, 1u);
  // 1 + 4 make room for 4; without the 1 the 4 alone do.
  const Work spared = work_of(5, {{0, 100, -20, 1, true}, {0, 100, -10, 4, true}, {10, 5, 0, 4}});
  const RunLog log = run(spared, policy_with(Preemption::kRequeue));
  ASSERT_EQ(log.preemptions.size(), 1u);
  EXPECT_EQ(log.preemptions[0].stage, 1u);
}

TEST(Fuzzball, Q11_NobodyGoesWhereAllOfThemWouldNotSuffice) {
  const Work work = work_of(4, {{0, 100, -20, 1, true}, {0, 100, -10, 3}, {10, 5, 0, 2}});
  EXPECT_TRUE(run(work, policy_with(Preemption::kRequeue)).preemptions.empty());
}

TEST(Fuzzball, Q11_OnlyAStrictlyLowerPriorityGoesAndByMoreThanTheMargin) {
  const Work equal = work_of(1, {{0, 100, 0, 1, true}, {0, 5}});
  EXPECT_TRUE(run(equal, policy_with(Preemption::kRequeue)).preemptions.empty());
  const Work lower = work_of(1, {{0, 100, -10, 1, true}, {0, 5}});
  // -10 starts first only if it is there alone.
  const Work later = work_of(1, {{0, 100, -10, 1, true}, {10, 5}});
  EXPECT_TRUE(run(later, policy_with(Preemption::kRequeue, {10, {}, {}})).preemptions.empty());
  EXPECT_EQ(run(later, policy_with(Preemption::kRequeue, {9, {}, {}})).preemptions.size(), 1u);
  EXPECT_TRUE(run(lower, policy_with(Preemption::kRequeue)).preemptions.empty());
}

// Nothing happens at the end of the minimum run but that: it has to make a pass.
TEST(Fuzzball, Q11_TheEndOfAMinimumRunIsAChange) {
  const Work work = work_of(1, {{0, 100, -10, 1, true}, {10, 5}});
  EXPECT_EQ(starts(run(work, policy_with(Preemption::kRequeue, {0, seconds(25), {}})), 1), Times{25});
  SchedulerSettings ticks;
  ticks.tick = seconds(10);
  EXPECT_EQ(starts(run(work, policy_with(Preemption::kRequeue, {0, seconds(25), {}}), ticks), 1), Times{30});
}

// The victim ages from its creation: it goes before what was submitted, at 0, more than an hour after it.
TEST(Fuzzball, Q15_AServiceIsOrderedLikeAnyStageAndStaysUnlessMarked) {
  // A service is a stage that runs as long as what uses it: here beside its workflow's own work, which is preemptible.
  for (const bool marked : {false, true}) {
    SCOPED_TRACE(marked);
    WorkBuilder b(WorkBuilder::slots(2));
    StageText text;
    const auto add = [&](std::int64_t at_s, std::int64_t priority, std::initializer_list<std::int64_t> run_times) {
      b.workflow(at(at_s), priority);
      for (const std::int64_t run_time : run_times) {
        text.run_time = text.estimate = seconds(run_time);
        b.stage(text);
      }
    };
    add(0, -10, {100, 100});  // the service, then work
    add(10, 0, {5});
    add(10, 0, {5});
    add(10, -20, {1});  // lower than the service
    Work work = b.done();
    work.preemptible = {marked ? std::uint8_t{1} : std::uint8_t{0}, 1, 0, 0, 0};
    const RunLog log = run(work, policy_with(Preemption::kRequeue));
    EXPECT_EQ(starts(log, 0), marked ? (Times{0, 15}) : Times{0});
    EXPECT_EQ(ends(log, 0), marked ? Times{115} : Times{100});
    EXPECT_EQ(starts(log, 3), marked ? Times{10} : Times{15});
    EXPECT_EQ(starts(log, 1), marked ? (Times{0, 15}) : (Times{0, 20}));
    EXPECT_EQ(starts(log, 4), marked ? Times{115} : Times{100}) << "behind both of the higher workflow";
  }
}

// Priorities that grow at rates of their own, 1 and 2 an hour: the second, an hour younger, is ahead from 2 h on and by
// half a point at 2.5 h.
TEST(Fuzzball, Q11_AMarginIsReachedWherePrioritiesHaveDriftedThatFarApart) {
  const auto preempted_at = [](double margin) {
    Policy policy = policy_with(Preemption::kRequeue, {margin, {}, {}});
    set_priority_expression(policy, "(now() - workflow.create_time).Hours() * (workflow.priority + 3)", {});
    Work work = work_of(1, {{0, 36000, -2, 1, true}, {3600, 60, -1}});
    return seconds_of(run(work, policy), EventKind::kPreempted, 0);
  };
  EXPECT_EQ(preempted_at(0), Times{7200});
  EXPECT_EQ(preempted_at(0.5), Times{9000});
  EXPECT_EQ(preempted_at(20), Times{}) << "they are 8 apart when the first ends";
}

TEST(Fuzzball, Q12_AVictimKeepsItsAge) {
  const Work work = work_of(1, {{0, 36'000, -1, 1, true}, {1800, 7200}, {3700, 10}});
  const RunLog log = run(work, policy_with(Preemption::kRequeue));
  EXPECT_EQ(log.preemptions.size(), 1u);
  EXPECT_EQ(starts(log, 1), Times{1800});
  EXPECT_EQ(starts(log, 0), (Times{0, 9000}));
  EXPECT_EQ(starts(log, 2), Times{45'000});
}

TEST(Preemption, GoesWithStrictAndEasyPlacementForTheFirstInOrder) {
  const Work work = work_of(4, {{0, 100, -10, 4, true}, {10, 5, 0, 4}, {11, 5, -20, 1}});
  for (const char* preset : {"default", "race"}) {
    for (const Placement placement : {Placement::kStrict, Placement::kEasy, Placement::kConservative}) {
      Policy policy = policy_with(Preemption::kRequeue, {}, preset);
      policy.placement = placement;
      EXPECT_EQ(starts(run(work, policy), 1), Times{10});
    }
  }
}

// With a depth, the N best at the beginning are looked at: a victim is not among them.
TEST(Preemption, AVictimWaitsForTheNextPassWhereTheQueueIsLookedAtInDepth) {
  const Work work = work_of(2, {{0, 100, -10, 2, true}, {10, 5, 0, 1}, {10, 5, 0, 1}, {12, 1, -1}});
  SchedulerSettings settings;
  settings.queue_depth = 1;
  const RunLog log = run(work, policy_with(Preemption::kRequeue), settings);
  EXPECT_EQ(starts(log, 1), Times{10});
  EXPECT_EQ(log.preemptions.size(), 1u);
}

TEST(Preemption, ReadsTheSameLogTwice) {
  const Work work = work_of(2, {{0, 100, -10, 1, true}, {0, 90, -11, 1, true}, {10, 5, 0, 2}, {30, 20, -5, 1}});
  const Policy policy = policy_with(Preemption::kSuspend);
  EXPECT_EQ(run(work, policy).decision_hash, run(work, policy).decision_hash);
}

}  // namespace
}  // namespace headroom
