#include "sim/metrics/catalog.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "policies/check.h"
#include "sim/metrics/report.h"

namespace headroom {
namespace {

TEST(Catalog, HasEveryNameOnceWithUnitAndExplanation) {
  std::set<std::string_view> names;
  for (const MetricInfo& metric : metric_catalog()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(metric.unit == "s" || metric.unit == "1") << metric.name;
    EXPECT_FALSE(metric.long_name.empty()) << metric.name;
  }
  EXPECT_EQ(names.size(), kMetricCount);
}

TEST(Catalog, IndexFindsEveryName) {
  for (std::size_t i = 0; i < metric_catalog().size(); ++i) EXPECT_EQ(metric_index(metric_catalog()[i].name), i);
}

TEST(Catalog, AnUnknownNameIsABug) { EXPECT_THROW((void)metric_index("wait_time_meann"), CheckFailed); }

// The enumeration and the table of names are two lists: these tie them together.
TEST(Catalog, EnumeratorsStandForTheirNames) {
  EXPECT_EQ(metric_of(Quantity::kWaitTime, Statistic::kMean), metric_index("wait_time_mean"));
  EXPECT_EQ(metric_of(Quantity::kTurnaroundTime, Statistic::kMedian), metric_index("turnaround_time_median"));
  EXPECT_EQ(metric_of(Quantity::kSlowdown, Statistic::kP90), metric_index("slowdown_p90"));
  EXPECT_EQ(metric_of(Quantity::kBoundedSlowdown, Statistic::kRms), metric_index("bounded_slowdown_rms"));
  EXPECT_EQ(metric_of(Quantity::kStageWaitTime, Statistic::kP99), metric_index("stage_wait_time_p99"));
  EXPECT_EQ(metric_of(Quantity::kStageFirstWait, Statistic::kMax), metric_index("stage_first_wait_max"));
  EXPECT_EQ(metric_of(Quantity::kStageSlowdown, Statistic::kRms), metric_index("stage_slowdown_rms"));
  const std::pair<std::size_t, const char*> scalars[] = {
      {kN, "n"},
      {kNStarted, "n_started"},
      {kNFinished, "n_finished"},
      {kNWaiting, "n_waiting"},
      {kMakespan, "makespan"},
      {kSlowdownLeftOut, "slowdown_left_out"},
      {kUtilization, "utilization"},
      {kUtilizationMemory, "utilization_memory"},
      {kUtilizationGpus, "utilization_gpus"},
      {kQueueLengthMean, "queue_length_mean"},
      {kQueueLengthMax, "queue_length_max"},
      {kLateCount, "late_count"},
      {kLateFraction, "late_fraction"},
      {kPassedOverTimeP99, "passed_over_time_p99"},
      {kPassedOverTimeMax, "passed_over_time_max"},
      {kStarvedCount, "starved_count"},
      {kStarvedFraction, "starved_fraction"},
      {kStarvingAtEnd, "starving_at_end"},
      {kCatchUpAge, "catch_up_age"},
      {kOvertakenUntil, "overtaken_until"},
      {kDrainTime, "drain_time"},
  };
  for (const auto& [id, name] : scalars) EXPECT_EQ(id, metric_index(name)) << name;
}

TEST(Catalog, WordsAreOnePerEnumerator) {
  EXPECT_EQ(workflow_state_words()[static_cast<std::size_t>(WorkflowState::kCanceled)], "canceled");
  EXPECT_EQ(workflow_state_words()[static_cast<std::size_t>(WorkflowState::kRefused)], "refused");
  EXPECT_EQ(workflow_state_words().size(), 6U);
  EXPECT_EQ(stage_state_words()[static_cast<std::size_t>(StageState::kTimedOut)], "timed_out");
  EXPECT_EQ(stage_state_words()[static_cast<std::size_t>(StageState::kPreempted)], "preempted");
  EXPECT_EQ(stage_state_words().size(), 8U);
  EXPECT_EQ(stage_run_kind_words()[static_cast<std::size_t>(StageRunKind::kPlan)], "plan");
  EXPECT_EQ(stage_run_kind_words().size(), 4U);
}

}  // namespace
}  // namespace headroom
