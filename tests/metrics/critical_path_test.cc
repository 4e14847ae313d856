#include "sim/metrics/critical_path.h"

#include <gtest/gtest.h>

#include "log_builder.h"

namespace headroom {
namespace {

TEST(CriticalPath, OfAJobIsItsRunTime) {
  LogBuilder run(1);
  run.job("a", 0, 7);
  run.job("b", 0, 0);
  EXPECT_EQ(critical_paths(run.work), (std::vector{Duration::seconds(7), Duration{}}));
}

TEST(CriticalPath, OfIndependentStagesIsTheLongest) {
  LogBuilder run(1);
  run.workflow("a", 0, {3, 9, 4});
  EXPECT_EQ(critical_paths(run.work).front(), Duration::seconds(9));
}

//      ┌─ 1 (5) ─┐
// 0 (2)           3 (1)     4 (7)      longest: 0 1 3 = 8
//      └─ 2 (3) ─┘
TEST(CriticalPath, FollowsNeeds) {
  LogBuilder run(1);
  run.workflow("a", 0, {2, 5, 3, 1, 7});
  run.need(1, 0);
  run.need(2, 0);
  run.need(3, 1);
  run.need(3, 2);
  EXPECT_EQ(critical_paths(run.work).front(), Duration::seconds(8));
}

TEST(CriticalPath, DoesNotDependOnTheOrderOfRows) {
  LogBuilder run(1);
  run.workflow("a", 0, {1, 5, 2});
  run.need(0, 1);  // row 0 is last in the chain 2 1 0
  run.need(1, 2);
  EXPECT_EQ(critical_paths(run.work).front(), Duration::seconds(8));
}

TEST(CriticalPath, StaysInsideTheWorkflow) {
  LogBuilder run(1);
  run.workflow("a", 0, {10});
  run.workflow("b", 0, {1});
  run.need(1, 0);
  EXPECT_EQ(critical_paths(run.work), (std::vector{Duration::seconds(10), Duration::seconds(1)}));
}

TEST(CriticalPath, LeavesOutWhatNobodyProvides) {
  LogBuilder run(1);
  run.workflow("a", 0, {4});
  run.work.missing = {"a.json"};
  run.need(0, static_cast<StageRow>(run.work.stages()));
  EXPECT_EQ(critical_paths(run.work).front(), Duration::seconds(4));
}

TEST(CriticalPath, EndsOnACycle) {
  LogBuilder run(1);
  run.workflow("a", 0, {1, 2});
  run.need(0, 1);
  run.need(1, 0);
  EXPECT_EQ(critical_paths(run.work).front(), Duration::seconds(3));
}

TEST(CriticalPath, DoesNotRecurseOverAMillionStages) {
  LogBuilder run(1);
  constexpr StageRow kStages = 1'000'000;
  run.workflow("a", 0, std::vector<std::int64_t>(kStages, 1));
  run.work.needs_begin.resize(kStages + 1);
  for (StageRow row = 0; row < kStages; ++row) {  // row needs row + 1
    run.work.needs_begin[row] = row;
    if (row + 1 < kStages) run.work.needs.push_back(row + 1);
  }
  run.work.needs_begin[kStages] = kStages - 1;
  EXPECT_EQ(critical_paths(run.work).front(), Duration::seconds(kStages));
}

TEST(CriticalPath, OfAPlanIsItsProgram) {
  LogBuilder run(1);
  run.workflow("a", 0, {0, 3});
  run.work.program = {0, -1};
  PlanProgram program;
  program.startup = Duration::seconds(1);
  program.ops = {{PlanOp::Kind::kDeclare, 1, Duration::seconds(2)},
                 {PlanOp::Kind::kPause, kNoRow, Duration::seconds(4)}};
  program.teardown = Duration::seconds(8);
  run.work.plans = {program};
  EXPECT_EQ(true_run_time(run.work, 0), Duration::seconds(15));
  EXPECT_EQ(critical_paths(run.work).front(), Duration::seconds(15));
}

TEST(CriticalPath, DoesNotOverflow) {
  LogBuilder run(1);
  run.workflow("a", 0, {1, 1});
  run.work.run_time = {Duration{Duration::infinite().ns - 1}, Duration::seconds(1)};
  run.need(1, 0);
  EXPECT_TRUE(critical_paths(run.work).front().is_infinite());
}

}  // namespace
}  // namespace headroom
