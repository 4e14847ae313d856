#include "sim/metrics/workflow_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "log_builder.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  TimePoint submitted, started, finished;
  WorkflowState state = WorkflowState::kFinished;
  std::int64_t path_s = 1;
};

WorkflowValues values_of(const std::vector<Case>& cases) {
  Tabulated tables;
  std::vector<Duration> paths;
  for (const Case& c : cases) {
    tables.submitted_at.push_back(c.submitted);
    tables.started_at.push_back(c.started);
    tables.finished_at.push_back(c.finished);
    tables.state.push_back(c.state);
    paths.push_back(Duration::seconds(c.path_s));
  }
  Measure measure;
  measure.tau = Duration::seconds(10);
  measure.late = Duration::seconds(50);
  return workflow_values(tables, paths, measure, at_s(100'000));
}

TEST(WorkflowValues, DrainTimeIsWhatTheWaitHasBeyondTheCatchUpAge) {
  EXPECT_EQ(drain_time_ns(at_s(0), at_s(54'000), 36'000), 18'000 * kSecond);
  EXPECT_EQ(drain_time_ns(at_s(10), at_s(12), 0), 2 * kSecond);
  EXPECT_EQ(drain_time_ns(at_s(0), at_s(10), 10), 0);
  EXPECT_EQ(drain_time_ns(at_s(0), at_s(9), 10), -1);  // it started before it had caught up
  EXPECT_EQ(drain_time_ns(at_s(0), TimePoint::never(), 0), -1);
  EXPECT_EQ(drain_time_ns(at_s(0), at_s(9), kInfinity), -1);
}

TEST(WorkflowValues, SayWhatTheEndOfTheRunCutOff) {
  const TimePoint never = TimePoint::never();
  const WorkflowValues values = values_of({{at_s(0), at_s(10), at_s(40), WorkflowState::kFinished, 20},
                                           {at_s(99'900), at_s(99'990), never, WorkflowState::kRunning, 4},
                                           {at_s(99'950), never, never, WorkflowState::kWaiting, 0},
                                           {at_s(0), at_s(5), at_s(9), WorkflowState::kFailed, 4},
                                           {at_s(0), never, at_s(9), WorkflowState::kCanceled, 4}});
  EXPECT_EQ(values.wait, (std::vector<std::int64_t>{10 * kSecond, 90 * kSecond, 50 * kSecond, 5 * kSecond, -1}));
  EXPECT_EQ(values.turnaround, (std::vector<std::int64_t>{40 * kSecond, 100 * kSecond, 50 * kSecond, -1, -1}));
  EXPECT_EQ(values.slowdown[0], 2);
  EXPECT_EQ(values.slowdown[1], 25);
  EXPECT_TRUE(std::isnan(values.slowdown[2]));  // of no length
  EXPECT_TRUE(std::isnan(values.slowdown[3]));
  EXPECT_EQ(values.bounded_slowdown[1], 10);  // tau
  EXPECT_EQ(values.bounded_slowdown[2], 5);
  using V = WorkflowValues;
  EXPECT_EQ(values.flags,
            (std::vector<std::uint8_t>{V::kStarted | V::kFinished, V::kStarted | V::kEndCutOff | V::kLate,
                                       V::kWaits | V::kWaitCutOff | V::kEndCutOff | V::kNoPath, V::kStarted, 0}));
  EXPECT_TRUE(values.any_cut_off);
}

}  // namespace
}  // namespace headroom
