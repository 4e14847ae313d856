#include "sim/metrics/tabulate.h"

#include <gtest/gtest.h>

#include <random>

#include "policies/check.h"
#include "random_run.h"
#include "sim/metrics/capacity_account.h"
#include "sim/metrics/overtakes.h"
#include "sim/metrics/passed_over.h"
#include "sim/metrics/read_log.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t in_seconds(Int128 nanoseconds) { return static_cast<std::int64_t>(nanoseconds / kSecond); }

TEST(Tabulate, FollowsAStageThroughGatesAndTries) {
  LogBuilder run(1);
  const std::uint32_t w = run.workflow("a", 1, {4});
  run.submit(1, w).event(2, EventKind::kGated, 0).event(5, EventKind::kEligible, 0).start(6, 0);
  run.event(8, EventKind::kFailed, 0).event(8, EventKind::kEligible, 0).start(11, 0).finish(15, 0).end();
  const Tabulated tables = tabulate(run.work, run.log, {});
  const StageTimes& stage = tables.stages[0];
  EXPECT_EQ(stage.first_eligible, at_s(1));
  EXPECT_EQ(stage.first_started, at_s(6));
  EXPECT_EQ(stage.since, at_s(11));
  EXPECT_EQ(stage.ended, at_s(15));
  EXPECT_EQ(stage.waited, Duration::seconds(1 + 1 + 3));
  EXPECT_EQ(stage.state, StageState::kFinished);
  EXPECT_EQ(tables.started_at[0], at_s(6));
  EXPECT_EQ(tables.finished_at[0], at_s(15));
  EXPECT_EQ(tables.state[0], WorkflowState::kFinished);
  EXPECT_EQ(in_seconds(tables.busy_cores), 2 + 4);
}

TEST(Tabulate, GivesEachWorkflowItsState) {
  LogBuilder run(4);
  run.job("waiting", 0, 1);
  run.workflow("running", 0, {1, 1});
  run.job("finished", 0, 1);
  run.workflow("failed", 0, {1, 1});
  run.workflow("canceled", 0, {1, 1});
  run.job("unsubmitted", 99, 1);
  for (std::uint32_t w = 0; w < 5; ++w) run.submit(0, w);
  run.start(1, 1).start(1, 3).start(1, 4).start(1, 6);
  run.finish(2, 1).finish(2, 3).event(2, EventKind::kTimedOut, 4).finish(2, 6);
  run.event(2, EventKind::kCanceled, 5).event(3, EventKind::kCanceled, 7).end(5);
  const Tabulated tables = tabulate(run.work, run.log, {});
  using enum WorkflowState;
  EXPECT_EQ(tables.state, (std::vector{kWaiting, kRunning, kFinished, kFailed, kCanceled, kWaiting}));
  const TimePoint never = TimePoint::never();
  EXPECT_EQ(tables.finished_at, (std::vector{never, never, at_s(2), at_s(2), at_s(3), never}));
  EXPECT_EQ(tables.is_submitted, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0}));
}

TEST(Tabulate, ReadsTheSubmissionFromTheLog) {
  LogBuilder run(1);
  run.job("a", 3, 1);
  run.submit(8, 0).start(8, 0).finish(9, 0).end();
  EXPECT_EQ(tabulate(run.work, run.log, {}).submitted_at[0], at_s(8));
}

// expected.md: what overtakes bulk was submitted up to 9 h after it.
TEST(Tabulate, OvertakenUntilIsTheLatestSubmissionThatStartedEarlier) {
  const LogBuilder with_aging = catch_up_run(true);
  const Tabulated tables = tabulate(with_aging.work, with_aging.log, {});
  EXPECT_EQ(tables.overtaken_until[0], Duration::hours(9));
  for (std::size_t w = 1; w < 41; ++w) EXPECT_EQ(tables.overtaken_until[w], Duration{}) << w;
  const LogBuilder without = catch_up_run(false);
  EXPECT_EQ(tabulate(without.work, without.log, {}).overtaken_until[0], Duration::hours(39));
}

TEST(Tabulate, WhatNeverStartsIsOvertakenByAllLaterOnes) {
  LogBuilder run(1);
  run.job("a", 0, 1);
  run.job("b", 7, 1);
  run.job("c", 9, 1);
  run.submit(0, 0).submit(7, 1).start(7, 1).finish(8, 1).submit(9, 2).end(20);
  const Tabulated tables = tabulate(run.work, run.log, {});
  EXPECT_EQ(tables.overtaken_until, (std::vector{Duration::seconds(7), Duration{}, Duration{}}));
}

// Two wait during [0, 4), one during [4, 6).
TEST(Tabulate, QueueLengthIsAStepFunction) {
  LogBuilder run(1);
  run.job("a", 0, 4);
  run.job("b", 0, 2);
  run.job("c", 0, 1);
  run.submit(0, 0).submit(0, 1).submit(0, 2).start(0, 0).finish(4, 0).start(4, 1).finish(6, 1).start(6, 2);
  run.finish(7, 2).end();
  const Tabulated tables = tabulate(run.work, run.log, {});
  EXPECT_EQ(in_seconds(tables.queue_area), 2 * 4 + 2);
  EXPECT_EQ(tables.queue_max, 2);  // three were eligible at 0, for no time
  EXPECT_EQ(tables.window.from, at_s(0));
  EXPECT_EQ(tables.window.to, at_s(7));
}

TEST(Tabulate, TheWindowIsThatOfTheMeasure) {
  LogBuilder run(1);
  run.job("a", 0, 4);
  run.job("b", 1, 6);
  run.submit(0, 0).start(0, 0).submit(1, 1).finish(4, 0).start(4, 1).finish(10, 1).end();
  Measure measure;
  measure.from = Duration::seconds(2);
  measure.to = Duration::seconds(8);
  const Tabulated tables = tabulate(run.work, run.log, measure);
  EXPECT_EQ(tables.window.length(), Duration::seconds(6));
  EXPECT_EQ(in_seconds(tables.busy_cores), 6);
  EXPECT_EQ(in_seconds(tables.queue_area), 2);
  measure.to = Duration::seconds(50);  // the run knows nothing of what is after its end
  EXPECT_EQ(tabulate(run.work, run.log, measure).window.to, at_s(10));
}

TEST(Tabulate, TheWindowGoesFromTheFirstSubmissionToTheLastFinish) {
  LogBuilder run(1);
  run.job("a", 3, 4);
  run.submit(3, 0).start(3, 0).finish(7, 0).end(9);
  EXPECT_EQ(tabulate(run.work, run.log, {}).window.from, at_s(3));
  EXPECT_EQ(tabulate(run.work, run.log, {}).window.to, at_s(7));
  run.log.status = RunStatus::kGaveUp;
  EXPECT_EQ(tabulate(run.work, run.log, {}).window.to, at_s(9));
}

TEST(Tabulate, CountsEveryResourceOnEveryNode) {
  LogBuilder run(8);
  run.workflow("a", 0, {10, 10});
  run.work.demands = {{.cores = 2, .memory = 5, .gpus = 1, .nodes = 3, .pools = {}},
                      {.cores = 7, .spread = true, .pools = {}}};
  run.work.demand = {0, 1};
  run.submit(0, 0).start(0, 0).finish(10, 0).start(10, 1).end(14);  // the second still runs
  const Tabulated tables = tabulate(run.work, run.log, {});
  EXPECT_EQ(in_seconds(tables.busy_cores), 2 * 3 * 10 + 7 * 4);
  EXPECT_EQ(in_seconds(tables.busy_memory), 5 * 3 * 10);
  EXPECT_EQ(in_seconds(tables.busy_gpus), 3 * 10);
}

TEST(Tabulate, KeepsHolds) {
  LogBuilder run(1);
  run.workflow("a", 0, {5});
  run.submit(0, 0).start(0, 0);
  run.event(1, EventKind::kHoldOpened, 0).event(2, EventKind::kHoldReleased, 0).event(3, EventKind::kHoldOpened, 0);
  run.end(5);
  const std::vector<HoldInterval> holds = tabulate(run.work, run.log, {}).holds;
  ASSERT_EQ(holds.size(), 2U);
  EXPECT_EQ(holds[0].from, at_s(1));
  EXPECT_EQ(holds[0].to, at_s(2));
  EXPECT_EQ(holds[1].from, at_s(3));
  EXPECT_TRUE(holds[1].to.is_never());
}

TEST(Tabulate, ALogThatContradictsItselfIsABug) {
  LogBuilder start(1), finish(1), twice(1), back(1), release(1);
  for (LogBuilder* run : {&start, &finish, &twice, &back, &release}) run->job("a", 0, 1);
  start.submit(0, 0).start(1, 0).start(2, 0).end();
  EXPECT_THROW((void)tabulate(start.work, start.log, {}), CheckFailed);
  finish.submit(0, 0).finish(1, 0).end();
  EXPECT_THROW((void)tabulate(finish.work, finish.log, {}), CheckFailed);
  twice.submit(0, 0).declare(1, 0, true).end();
  EXPECT_THROW((void)tabulate(twice.work, twice.log, {}), CheckFailed);
  back.submit(5, 0).start(4, 0).end();
  EXPECT_THROW((void)tabulate(back.work, back.log, {}), CheckFailed);
  release.submit(0, 0).event(1, EventKind::kHoldReleased, 0).end();
  EXPECT_THROW((void)tabulate(release.work, release.log, {}), CheckFailed);
}

TEST(Tabulate, AgreesWithBruteForceOnWaitsQueueAndBusyTime) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const LogBuilder run = random_run(seed);
    Measure measure;
    if (seed % 2 == 1) measure.from = Duration::seconds(3);
    if (seed % 3 == 1) measure.to = Duration::seconds(11);
    std::vector<std::int64_t> waited(run.work.stages(), 0);
    std::int64_t area = 0, busy = 0, most = 0, second = 0;
    for (const Second& now : seconds_of(run)) {
      const bool inside = !(measure.from && second < 3) && !(measure.to && second >= 11);
      std::int64_t queue = 0;
      for (StageRow row = 0; row < waited.size(); ++row) {
        waited[row] += now.waits[row];
        queue += now.waits[row];
        busy += inside && now.runs[row];
      }
      if (inside) area += queue;
      if (inside) most = std::max(most, queue);
      ++second;
    }
    const Tabulated tables = tabulate(run.work, run.log, measure);
    for (StageRow row = 0; row < waited.size(); ++row)
      ASSERT_EQ(tables.stages[row].waited, Duration::seconds(waited[row])) << "seed " << seed;
    ASSERT_EQ(in_seconds(tables.queue_area), area) << "seed " << seed;
    ASSERT_EQ(in_seconds(tables.busy_cores), busy) << "seed " << seed;
    ASSERT_EQ(tables.queue_max, most) << "seed " << seed;
  }
}

/// Jobs of several priorities that are submitted, started, ended in several ways, or cut off; some have a second try.
LogBuilder random_jobs(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto jobs = static_cast<std::uint32_t>(1 + below(12));
  const int unit = seed % 2 == 0 ? 1 : 3600;  // with hours, ages make up for priorities
  LogBuilder run(static_cast<int>(jobs));
  struct Times {
    int submitted, started, ended;
  };
  std::vector<Times> times;
  for (std::uint32_t w = 0; w < jobs; ++w) {
    const int submitted = below(12), started = submitted + below(8), ended = started + 1 + below(8);
    times.push_back({submitted, started, ended});
    run.job("job", submitted * unit, (ended - started) * unit, below(3));
  }
  constexpr EventKind kEnds[] = {EventKind::kFinished, EventKind::kFinished, EventKind::kFailed, EventKind::kTimedOut};
  std::vector<EventKind> ends;
  for (std::uint32_t w = 0; w < jobs; ++w) ends.push_back(kEnds[below(4)]);
  const std::uint32_t odd = below(4) == 0 ? static_cast<std::uint32_t>(below(static_cast<int>(jobs))) : jobs;
  const int end = 6 + below(24);
  for (int at = 0; at <= end; ++at) {
    for (std::uint32_t w = 0; w < jobs; ++w) {
      if (times[w].ended != at) continue;
      run.event(at * unit, ends[w], w);
      if (w == odd && ends[w] != EventKind::kFinished) run.event(at * unit, EventKind::kEligible, w);
    }
    for (std::uint32_t w = 0; w < jobs; ++w)
      if (times[w].submitted == at) run.submit(at * unit, w);
    for (std::uint32_t w = 0; w < jobs; ++w)
      if (times[w].started == at) run.start(at * unit, w);
  }
  run.end(end * unit);
  return run;
}

// Two readers of one log: the one for jobs must give what the general one gives, or say that it cannot.
TEST(Tabulate, ReadsJobsAsItReadsEverythingElse) {
  std::size_t by_the_other = 0, ages = 0, ties = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const LogBuilder run = random_jobs(seed);
    Measure measure;
    if (seed % 3 == 0) measure.from = Duration::seconds(5);
    const Tabulated expected = tabulate(run.work, run.log, measure);
    Policy policy;
    policy.priority = Priority::kFuzzball;
    const LogFacts facts = read_log(run.work, run.log, policy, measure, false);
    const Tabulated& tables = facts.tables;
    by_the_other += tables.stages.empty() ? 0 : 1;
    ASSERT_EQ(tables.is_submitted, expected.is_submitted) << seed;
    ASSERT_EQ(tables.submitted_at, expected.submitted_at) << seed;
    ASSERT_EQ(tables.started_at, expected.started_at) << seed;
    ASSERT_EQ(tables.finished_at, expected.finished_at) << seed;
    ASSERT_EQ(tables.state, expected.state) << seed;
    ASSERT_EQ(tables.overtaken_until, expected.overtaken_until) << seed;
    ASSERT_EQ(tables.any_overtaken, expected.any_overtaken) << seed;
    ASSERT_TRUE(tables.busy_cores == expected.busy_cores && tables.queue_area == expected.queue_area) << seed;
    ASSERT_EQ(tables.queue_max, expected.queue_max) << seed;
    ASSERT_EQ(tables.window.from, expected.window.from) << seed;
    ASSERT_EQ(tables.window.to, expected.window.to) << seed;
    const SubmissionRanks ranks = submission_ranks(run.work.submitted_at);
    ASSERT_EQ(facts.passed_over_ns, passed_over_times_ns(run.work, run.log, ranks, measure)) << seed;
    const Overtakes overtaken = overtakes(run.work, run.log, ranks, false);
    ASSERT_EQ(facts.overtaking.any, overtaken.any) << seed;
    ASSERT_EQ(facts.overtaking.count, overtaken.count) << seed;
    ASSERT_EQ(facts.overtaking.work_core_s, overtaken.work_core_s) << seed;
    if (!facts.inversions) continue;
    const auto inversions = base_inversions(run.work, run.log, policy, expected);
    ASSERT_TRUE(inversions) << seed;
    ASSERT_EQ(facts.inversions->starts, inversions->starts) << seed;
    ASSERT_EQ(facts.inversions->age, inversions->age) << seed;
    ASSERT_EQ(facts.inversions->tie, inversions->tie) << seed;
    ages += inversions->age;
    ties += inversions->tie;
  }
  EXPECT_GT(by_the_other, 20U);
  EXPECT_LT(by_the_other, 1000U);
  EXPECT_GT(ages, 100U);
  EXPECT_GT(ties, 20U);
}

}  // namespace
}  // namespace headroom
