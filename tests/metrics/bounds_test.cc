#include "sim/metrics/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "log_builder.h"
#include "policies/check.h"
#include "sim/metrics/critical_path.h"
#include "sim/metrics/hold_idle.h"
#include "sim/metrics/tabulate.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::optional<Duration> bound_of(const LogBuilder& run, std::vector<std::uint32_t> cohort) {
  const Tabulated tables = tabulate(run.work, run.log, {});
  return lower_bound(run.work, tables, critical_paths(run.work), cohort);
}

TEST(LowerBound, IsTheLongestPathOfALateWorkflow) {
  LogBuilder run(2);
  run.workflow("a", 0, {3, 4});
  run.job("b", 2, 8);
  run.need(1, 0);
  run.submit(0, 0, false).event(0, EventKind::kEligible, 0).start(0, 0).submit(2, 1).start(2, 2).finish(3, 0);
  run.event(3, EventKind::kEligible, 1).start(3, 1).finish(7, 1).finish(10, 2).end();
  EXPECT_EQ(bound_of(run, {0, 1}), Duration::seconds(10));  // 2 + 8 > 0 + 7 > (3 + 4 + 8) / 2
  EXPECT_EQ(bound_of(run, {0}), Duration::seconds(7));
  EXPECT_EQ(bound_of(run, {1}), Duration::seconds(8));
}

TEST(LowerBound, IsWhatArrivesLateOverTheCapacity) {
  LogBuilder run(2);
  run.job("a", 0, 1);
  for (int i = 0; i < 5; ++i) run.job("b", 10, 3);
  run.submit(0, 0).start(0, 0).finish(1, 0);
  for (std::uint32_t w = 1; w <= 5; ++w) run.submit(10, w);
  run.start(10, 1).start(10, 2).finish(13, 1).finish(13, 2).start(13, 3).start(13, 4).finish(16, 3).finish(16, 4);
  run.start(16, 5).finish(19, 5).end();
  EXPECT_EQ(bound_of(run, {0, 1, 2, 3, 4, 5}), Duration{17'500'000'000});  // 10 + 15 / 2
}

TEST(LowerBound, CountsMemoryToo) {
  LogBuilder run(8);
  run.work.cluster.classes[0].capacity.memory = 3;
  run.work.demands[0].memory = 2;
  run.job("a", 0, 4);
  run.job("b", 0, 5);
  run.submit(0, 0).submit(0, 1).start(0, 0).finish(4, 0).start(4, 1).finish(9, 1).end();
  EXPECT_EQ(bound_of(run, {0, 1}), Duration::seconds(6));  // 2 x 9 / 3
}

TEST(LowerBound, IsUndefinedWhereSomethingDidNotFinish) {
  LogBuilder run(1);
  run.job("a", 0, 4);
  run.job("b", 0, 4);
  run.submit(0, 0).submit(0, 1).start(0, 0).finish(4, 0).start(4, 1).event(5, EventKind::kFailed, 1).end();
  EXPECT_EQ(bound_of(run, {0, 1}), std::nullopt);
  EXPECT_EQ(bound_of(run, {0}), Duration::seconds(4));
  EXPECT_EQ(bound_of(run, {}), std::nullopt);
}

/// A plan of rows: 0 itself, 1 declared 1 s after its startup of 2 s, then a hold of 5 s to open, 2 declared 1 s later,
/// teardown 4 s. 2 needs 1.
Work planned() {
  LogBuilder run(2);
  run.workflow("p", 10, {0, 30, 7});
  run.need(2, 1);
  Work work = std::move(run.work);
  work.root_plan = {0};
  work.program = {0, -1, -1};
  work.declarer = {kNoRow, 0, 0};
  PlanProgram plan;
  plan.stage = 0;
  plan.startup = Duration::seconds(2);
  plan.ops = {{PlanOp::Kind::kDeclare, 1, Duration::seconds(1)},
              {PlanOp::Kind::kHold, kNoRow, Duration::seconds(5)},
              {PlanOp::Kind::kDeclare, 2, Duration::seconds(1)},
              {PlanOp::Kind::kRelease, kNoRow, Duration::seconds(5)}};
  plan.teardown = Duration::seconds(4);
  work.plans = {plan};
  return work;
}

TEST(EarliestTimes, OfAPlansStepsComeWithoutItsHolds) {
  const EarliestTimes times = earliest_times(planned(), std::vector{at_s(10)});
  EXPECT_EQ(times.released, (std::vector{at_s(10), at_s(13), at_s(14)}));
  EXPECT_EQ(times.ends, (std::vector{at_s(18), at_s(43), at_s(50)}));
}

TEST(EarliestTimes, OfWhatReadsAFileComeWithThePlansWord) {
  Work work = planned();
  work.missing = {"data.csv"};
  work.needs[0] = 3;  // row 2 reads the file
  work.plans[0].ops.push_back({PlanOp::Kind::kStatic, 3, Duration::seconds(6)});
  EXPECT_EQ(earliest_times(work, std::vector{at_s(10)}).ends[2], at_s(27));  // 10 + 2 + 1 + 1 + 6, then 7
}

TEST(EarliestTimes, AreNeverOfWhatNeedsWhatNobodyMakes) {
  Work work = planned();
  work.missing = {"nobody"};
  work.needs[0] = 3;
  const EarliestTimes times = earliest_times(work, std::vector{at_s(10)});
  EXPECT_EQ(times.ends[1], at_s(43));
  EXPECT_TRUE(times.ends[2].is_never());
}

TEST(OfferedLoad, IsTheWorkOverTheWindowOfSubmissions) {
  LogBuilder run(2);
  run.job("a", 0, 30);
  run.job("b", 10, 30);
  run.job("c", 20, 20);
  EXPECT_EQ(offered_load(run.work, {}, run.work.submitted_at, std::vector<std::uint32_t>{0, 1, 2}), 80.0 / 40);
  Measure measure;
  measure.to = Duration::seconds(40);
  EXPECT_EQ(offered_load(run.work, measure, run.work.submitted_at, std::vector<std::uint32_t>{0, 1, 2}), 80.0 / 80);
  EXPECT_TRUE(std::isnan(offered_load(run.work, {}, run.work.submitted_at, std::vector<std::uint32_t>{1})));
}

// A hold from 1 to 6 over a step that has all it needs from 2 on; one of two cores is free from 2, both from 4.
TEST(HoldIdle, IsWhatIsFreeWhileAStepWaitsForAHoldAlone) {
  LogBuilder run(2);
  run.workflow("p", 0, {5, 3});
  run.job("other", 0, 4);
  run.work.declarer = {kNoRow, 0, kNoRow};
  run.work.program = {-1, -1, -1};
  run.event(0, EventKind::kSubmitted, 0).declare(0, 0, true).submit(0, 1).start(0, 0).start(0, 2);
  run.event(1, EventKind::kHoldOpened, 0).declare(2, 1, false).finish(3, 0).finish(4, 2);
  run.event(6, EventKind::kHoldReleased, 0).event(6, EventKind::kEligible, 1).start(6, 1).finish(9, 1).end();
  const Tabulated tables = tabulate(run.work, run.log, {});
  EXPECT_TRUE(hold_idle_core_ns(run.work, run.log, tables) == Int128{5 * kSecond});  // (3, 4] one, (4, 6] two
  // No hold was opened: nothing is looked at.
  std::erase_if(run.log.events, [](const Event& event) {
    return event.kind == EventKind::kHoldOpened || event.kind == EventKind::kHoldReleased;
  });
  EXPECT_TRUE(hold_idle_core_ns(run.work, run.log, tabulate(run.work, run.log, {})) == 0);
}

Policy greedy() { return {}; }

TEST(Laws, AMakespanBelowTheLowerBoundIsABug) {
  const LogBuilder run = catch_up_run(true);
  RunReport found = report(run.work, run.log, greedy(), {}, false);
  EXPECT_NO_THROW(check_laws(run.work, {}, greedy(), found));
  found.makespan = *found.lower_bound - Duration{1};
  EXPECT_THROW(check_laws(run.work, {}, greedy(), found), CheckFailed);
}

TEST(Laws, TheSumOfRunTimeTimesWaitOnOneSlotIsThatOfServingInOrder) {
  LogBuilder run(1);
  run.job("a", 0, 4);
  run.job("b", 1, 2);
  run.job("c", 2, 5);
  run.serve({0, 2, 1});
  const RunReport found = report(run.work, run.log, greedy(), {}, false);
  EXPECT_NO_THROW(check_laws(run.work, {}, greedy(), found));

  LogBuilder idle(1);  // one second of nothing while b waits
  idle.job("a", 0, 4);
  idle.job("b", 1, 2);
  idle.submit(0, 0).start(0, 0).submit(1, 1).finish(4, 0).start(5, 1).finish(7, 1).end();
  const RunReport wrong = report(idle.work, idle.log, greedy(), {}, false);
  EXPECT_THROW(check_laws(idle.work, {}, greedy(), wrong), CheckFailed);
  SchedulerSettings ticks;
  ticks.tick = Duration::seconds(5);  // with which that is as it should be
  EXPECT_NO_THROW(check_laws(idle.work, ticks, greedy(), wrong));
}

// Graham: W / m + (1 - 1 / m) C = 6 / 2 + 3 / 2 = 4.5 for three jobs of 1, 2, 3 on two slots.
TEST(Laws, AMakespanAboveGrahamsBoundIsABug) {
  LogBuilder run(2);
  for (const std::int64_t length : {1, 2, 3}) run.job("a", 0, length);
  run.submit(0, 0).submit(0, 1).submit(0, 2).start(0, 0).start(0, 1).finish(1, 0).start(1, 2).finish(2, 1);
  run.finish(4, 2).end();
  EXPECT_NO_THROW(check_laws(run.work, {}, greedy(), report(run.work, run.log, greedy(), {}, false)));
  LogBuilder late(2);
  for (const std::int64_t length : {1, 2, 3}) late.job("a", 0, length);
  late.submit(0, 0).submit(0, 1).submit(0, 2).start(0, 0).start(0, 1).finish(1, 0).start(2, 2).finish(2, 1);
  late.finish(5, 2).end();
  EXPECT_THROW(check_laws(late.work, {}, greedy(), report(late.work, late.log, greedy(), {}, false)), CheckFailed);
}

}  // namespace
}  // namespace headroom
