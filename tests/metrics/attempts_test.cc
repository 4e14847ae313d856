#include "sim/metrics/attempts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "log_builder.h"

namespace headroom {
namespace {

AttemptTable table_of(const LogBuilder& run, Priority priority = Priority::kNone,
                      const std::optional<std::vector<std::int64_t>>& passed_over = std::nullopt) {
  Policy policy;
  policy.priority = priority;
  return attempt_table(run.work, run.log, policy, run.work.submitted_at, passed_over, {});
}

TEST(Attempts, AreInOrderOfDeclarationThenAttempt) {
  LogBuilder run(2);
  run.workflow("a", 0, {5, 5});
  run.event(0, EventKind::kSubmitted, 0).declare(0, 1, true).declare(1, 0, true);
  run.start(2, 1).start(2, 0).event(3, EventKind::kFailed, 1).event(3, EventKind::kEligible, 1).start(4, 1);
  run.finish(7, 0).finish(9, 1).end();
  const AttemptTable table = table_of(run);
  EXPECT_EQ(table.stage, (std::vector<StageRow>{1, 1, 0}));
  EXPECT_EQ(table.attempt, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(table.declared_at, (std::vector{at_s(0), at_s(0), at_s(1)}));
  EXPECT_EQ(table.eligible_at, (std::vector{at_s(0), at_s(3), at_s(1)}));
  EXPECT_EQ(table.started_at, (std::vector{at_s(2), at_s(4), at_s(2)}));
  EXPECT_EQ(table.finished_at, (std::vector{at_s(3), at_s(9), at_s(7)}));
  using enum StageState;
  EXPECT_EQ(table.state, (std::vector{kFailed, kFinished, kFinished}));
}

TEST(Attempts, WhatNeverStartedHasOneRow) {
  LogBuilder run(1);
  run.workflow("a", 0, {1, 1, 1, 1});
  run.event(0, EventKind::kSubmitted, 0).declare(0, 0, true).declare(0, 1, false).declare(0, 2, true);
  run.event(4, EventKind::kCanceled, 2).end();  // row 3 is never declared
  const AttemptTable table = table_of(run);
  ASSERT_EQ(table.stage, (std::vector<StageRow>{0, 1, 2}));
  using enum StageState;
  EXPECT_EQ(table.state, (std::vector{kEligible, kBlocked, kCanceled}));
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_TRUE(table.started_at[row].is_never());
    EXPECT_TRUE(table.finished_at[row].is_never());
    EXPECT_LT(table.tail_time[row], Duration{});
    EXPECT_TRUE(table.node[row].is_none());
    EXPECT_TRUE(std::isnan(table.effective_priority[row]));
  }
  EXPECT_TRUE(table.eligible_at[1].is_never());
}

TEST(Attempts, ATryThatStillWaitsHasItsOwnRow) {
  LogBuilder run(1);
  run.job("a", 0, 5);
  run.submit(0, 0).start(0, 0).event(2, EventKind::kTimedOut, 0).event(2, EventKind::kEligible, 0).end(9);
  const AttemptTable table = table_of(run);
  using enum StageState;
  EXPECT_EQ(table.state, (std::vector{kTimedOut, kEligible}));
  EXPECT_EQ(table.eligible_at[1], at_s(2));
  EXPECT_TRUE(table.started_at[1].is_never());
}

TEST(Attempts, AGateDoesNotChangeWhenAStageWasFirstEligible) {
  LogBuilder run(1);
  run.job("a", 0, 5);
  run.submit(0, 0).event(1, EventKind::kGated, 0).event(3, EventKind::kEligible, 0).start(4, 0).end(5);
  const AttemptTable table = table_of(run);
  ASSERT_EQ(table.stage.size(), 1U);
  EXPECT_EQ(table.eligible_at[0], at_s(0));
  EXPECT_EQ(table.state[0], StageState::kRunning);
}

TEST(Attempts, TakeTailTimeNodeReasonAndPriorityFromTheStart) {
  LogBuilder run(2);
  run.job("a", 0, 1, 3);
  run.job("b", 3600, 1, -1);
  run.submit(0, 0).submit(3600, 1);
  run.event(5400, EventKind::kStarted, 1, Reason::kTailTime).event(7200, EventKind::kStarted, 0, Reason::kPriority);
  run.log.starts = {{Duration::seconds(11), NodeId{4}}, {Duration::seconds(22), NodeId{5}}};
  run.end(7200);
  const AttemptTable table = table_of(run, Priority::kFuzzball);
  EXPECT_EQ(table.tail_time, (std::vector{Duration::seconds(22), Duration::seconds(11)}));
  EXPECT_EQ(table.node, (std::vector{NodeId{5}, NodeId{4}}));
  EXPECT_EQ(table.reason, (std::vector{Reason::kPriority, Reason::kTailTime}));
  EXPECT_EQ(table.effective_priority, (std::vector{2 + 3.0, 0.5 - 1}));
}

TEST(Attempts, TellPlansFromOtherStages) {
  LogBuilder run(2);
  run.workflow("a", 0, {0, 1});
  run.work.program = {0, -1};
  run.submit(0, 0).end(1);
  EXPECT_EQ(table_of(run).kind, (std::vector{StageRunKind::kPlan, StageRunKind::kRun}));
}

TEST(Attempts, PassedOverTimeIsOnTheFirstRowOfAStage) {
  LogBuilder run(1);
  run.job("a", 0, 5);
  run.submit(0, 0).start(1, 0).event(2, EventKind::kFailed, 0).event(2, EventKind::kEligible, 0).start(2, 0).end(3);
  const AttemptTable table = table_of(run, Priority::kNone, std::vector<std::int64_t>{1'500'000'000});
  EXPECT_EQ(table.passed_over_time_s[0], 1.5);
  EXPECT_TRUE(std::isnan(table.passed_over_time_s[1]));
  EXPECT_TRUE(std::isnan(table_of(run).passed_over_time_s[0]));
}

}  // namespace
}  // namespace headroom
