#include "sim/metrics/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "log_builder.h"

namespace headroom {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Policy fuzzball() {
  Policy policy;
  policy.priority = Priority::kFuzzball;
  policy.ties = {Tie::kTailTime};
  return policy;
}
Policy no_aging() {
  Policy policy = fuzzball();
  policy.priority = Priority::kBases;
  return policy;
}

double value(const MetricValues& metrics, std::string_view name) { return metrics[metric_index(name)]; }
double value(const RunReport& report, std::string_view name) { return value(report.metrics, name); }

const Group& group(const std::vector<Group>& groups, Group::Kind kind, std::string_view name) {
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& one) { return one.kind == kind && one.name == name; });
  EXPECT_NE(found, groups.end()) << name;
  return *found;
}

Measure twelve_hours() {
  Measure measure;
  measure.late = Duration::hours(12);
  measure.starved = Duration::hours(12);
  return measure;
}

// All numbers of these two: shared/workloads/expected.md.
std::string codes(const RunReport& report) {
  std::string all;
  for (const Warning& warning : report.warnings) all += (all.empty() ? "" : " ") + warning.code;
  return all;
}

TEST(Report, OfCatchUpWithAgingGivesThePublishedNumbers) {
  const LogBuilder run = catch_up_run(true);
  const RunReport found = report(run.work, run.log, fuzzball(), twelve_hours(), true);
  EXPECT_EQ(found.workflow_table.started_at[0], at_s(15 * 3600));
  EXPECT_EQ(found.workflow_table.catch_up_age_s[0], 10 * 3600);
  EXPECT_EQ(found.workflow_table.overtaken_until_s[0], 9 * 3600);
  EXPECT_EQ(found.workflow_table.drain_time_s[0], 5 * 3600);
  EXPECT_EQ(found.attempt_table.passed_over_time_s[0], 13.5 * 3600);
  for (std::size_t row = 1; row < 41; ++row) EXPECT_EQ(found.attempt_table.passed_over_time_s[row], 0) << row;
  EXPECT_EQ(value(found, "passed_over_time_max"), 13.5 * 3600);
  EXPECT_EQ(value(found, "late_count"), 19);
  EXPECT_EQ(value(found, "starved_count"), 1);
  EXPECT_EQ(value(found, "starving_at_end"), 0);
  EXPECT_NEAR(value(found, "wait_time_mean") / 3600, 10.9756, 5e-5);
  const Group& bulk = group(found.classes, Group::Kind::kClass, "bulk");
  EXPECT_EQ(value(bulk.metrics, "starved_count"), 1);
  EXPECT_EQ(value(bulk.metrics, "catch_up_age"), 10 * 3600);
  EXPECT_EQ(value(bulk.metrics, "overtaken_until"), 9 * 3600);
  EXPECT_EQ(value(bulk.metrics, "drain_time"), 5 * 3600);
  EXPECT_TRUE(std::isnan(value(group(found.classes, Group::Kind::kClass, "stream").metrics, "overtaken_until")));
  EXPECT_EQ(value(group(found.classes, Group::Kind::kClass, "stream").metrics, "passed_over_time_max"), 0);
  EXPECT_EQ(value(found, "utilization"), 1);
  EXPECT_EQ(value(found, "makespan"), 61.5 * 3600);  // 41 jobs of 1.5 h
}

TEST(Report, OfCatchUpWithoutAgingGivesThePublishedNumbers) {
  const LogBuilder run = catch_up_run(false);
  const RunReport found = report(run.work, run.log, no_aging(), twelve_hours(), true);
  EXPECT_EQ(found.workflow_table.started_at[0], at_s(60 * 3600));
  EXPECT_EQ(found.workflow_table.catch_up_age_s[0], kInfinity);
  EXPECT_TRUE(std::isnan(found.workflow_table.drain_time_s[0]));
  EXPECT_EQ(value(found, "catch_up_age"), kInfinity);
  EXPECT_EQ(value(found, "passed_over_time_max"), 58.5 * 3600);
  EXPECT_EQ(value(found, "late_count"), 16);
  EXPECT_EQ(value(found, "starved_count"), 1);
  EXPECT_NEAR(value(found, "wait_time_mean") / 3600, 10.9756, 5e-5);
  const RunReport short_form = report(run.work, run.log, no_aging(), twelve_hours(), false);
  EXPECT_TRUE(short_form.attempt_table.stage.empty());
  EXPECT_TRUE(short_form.workflow_table.catch_up_age_s.empty());
}

// On two slots: a (0, 10 s) runs at once, b = {4 s -> 6 s} starts at 2, c (run time 0) starts at 10.
LogBuilder three() {
  LogBuilder run(2);
  run.workflow("a", 0, {10}, 0, 0, 0);
  run.workflow("b", 1, {4, 6}, 0, 1, 0);
  run.workflow("c", 2, {0}, 0, 1, 1);
  run.need(2, 1);
  run.submit(0, 0).start(0, 0);
  run.event(1, EventKind::kSubmitted, 1).declare(1, 1, true).declare(1, 2, false);
  run.start(2, 1).submit(2, 2).finish(6, 1).event(6, EventKind::kEligible, 2).start(7, 2);
  run.finish(10, 0).start(10, 3).finish(10, 3).finish(13, 2).end();
  return run;
}

TEST(Report, MeasuresWorkflowsAndStages) {
  const LogBuilder run = three();
  const RunReport found = report(run.work, run.log, fuzzball(), {}, false);
  EXPECT_EQ(value(found, "n"), 3);
  EXPECT_EQ(value(found, "n_finished"), 3);
  EXPECT_EQ(value(found, "makespan"), 13);
  // waits 0, 1, 8; turnarounds 10, 12, 8; critical paths 10, 10, 0
  EXPECT_EQ(value(found, "wait_time_mean"), 3);
  EXPECT_EQ(value(found, "wait_time_median"), 1);
  EXPECT_EQ(value(found, "wait_time_max"), 8);
  EXPECT_DOUBLE_EQ(value(found, "wait_time_rms"), std::sqrt(65.0 / 3));
  EXPECT_EQ(value(found, "turnaround_time_mean"), 10);
  EXPECT_EQ(value(found, "slowdown_mean"), 1.1);
  EXPECT_EQ(value(found, "slowdown_left_out"), 1);
  EXPECT_DOUBLE_EQ(value(found, "bounded_slowdown_mean"), (1 + 1.2 + 1) / 3);  // 8 / tau is below 1
  // stages: waits 0, 1, 1, 8; slowdowns 10/10, 5/4, 7/6, none
  EXPECT_EQ(value(found, "stage_wait_time_mean"), 2.5);
  EXPECT_EQ(value(found, "stage_first_wait_max"), 8);
  EXPECT_DOUBLE_EQ(value(found, "stage_slowdown_mean"), (1 + 1.25 + 7.0 / 6) / 3);
  EXPECT_DOUBLE_EQ(value(found, "utilization"), (10 + 4 + 6) / 26.0);
  EXPECT_DOUBLE_EQ(value(found, "queue_length_mean"), (1 + 1 + 8) / 13.0);
  EXPECT_EQ(value(found, "queue_length_max"), 2);  // during [6, 7)
  EXPECT_TRUE(std::isnan(value(found, "wait_time_p90")));
  EXPECT_TRUE(std::isnan(value(found, "late_count")));  // not asked for
  EXPECT_TRUE(std::isnan(value(found, "starved_count")));
  EXPECT_TRUE(std::isnan(value(found, "utilization_gpus")));
  EXPECT_EQ(value(found, "makespan"), 13);
  EXPECT_EQ(value(found, "lower_bound"), 11);  // b: 1 + 4 + 6
  EXPECT_DOUBLE_EQ(value(found, "makespan_ratio"), 13.0 / 11);
  EXPECT_EQ(codes(found), "W02 W09");  // 20 s of work on two cores within 5 s; three workflows
}

TEST(Report, MeasuresTheSameByTenantAndClass) {
  const LogBuilder run = three();
  const RunReport found = report(run.work, run.log, fuzzball(), {}, true);
  const Group& ben = group(found.tenants, Group::Kind::kUser, "ben");
  EXPECT_EQ(ben.workflows, 2);
  EXPECT_EQ(value(ben.metrics, "wait_time_mean"), 4.5);
  EXPECT_EQ(value(ben.metrics, "stage_wait_time_mean"), 10.0 / 3);
  EXPECT_EQ(value(group(found.tenants, Group::Kind::kAccount, "shop").metrics, "wait_time_mean"), 8);
  const Group& acme = group(found.tenants, Group::Kind::kOrganization, "acme");
  EXPECT_EQ(value(acme.metrics, "wait_time_mean"), 3);
  EXPECT_EQ(acme.finished, 3);
  EXPECT_EQ(found.classes.size(), 3U);
  EXPECT_EQ(value(found.classes[1].metrics, "turnaround_time_mean"), 12);
  EXPECT_EQ(found.workflow_table.klass, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Report, GivesGroupsNoneOfTheMetricsOfAWholeRun) {
  const LogBuilder run = three();
  const RunReport found = report(run.work, run.log, fuzzball(), {}, false);
  for (const std::vector<Group>* groups : {&found.classes, &found.tenants})
    for (const Group& one : *groups)
      for (std::size_t i = 0; i < metric_catalog().size(); ++i)
        EXPECT_TRUE(metric_catalog()[i].in_groups || std::isnan(one.metrics[i])) << metric_catalog()[i].name;
}

// Of KTH-SP2's kind: flow / max(10, run), at least 1.
TEST(Report, BoundsTheSlowdownOfShortJobsByTau) {
  LogBuilder run(1);
  run.job("a", 0, 1);
  run.job("b", 0, 40);
  run.submit(0, 0).submit(0, 1).start(19, 0).finish(20, 0).start(20, 1).finish(60, 1).end();
  Measure measure;
  const RunReport found = report(run.work, run.log, fuzzball(), measure, false);
  EXPECT_EQ(value(found, "bounded_slowdown_mean"), (2 + 1.5) / 2);
  EXPECT_EQ(value(found, "slowdown_max"), 20);
  measure.tau = Duration::seconds(5);
  EXPECT_EQ(value(report(run.work, run.log, fuzzball(), measure, false), "bounded_slowdown_max"), 4);
}

// One slot; a runs [0, 10), b waits 8 of the 12 s, c has waited 7 s at the end and d 1 s.
TEST(Report, OfACutOffCohortSaysSo) {
  LogBuilder run(1);
  run.job("a", 0, 10);
  run.job("b", 2, 10);
  run.job("c", 5, 10);
  run.job("d", 11, 10);
  run.submit(0, 0).start(0, 0).submit(2, 1).submit(5, 2).finish(10, 0).start(10, 1).submit(11, 3).end(12);
  run.log.status = RunStatus::kGaveUp;
  Measure measure;
  measure.late = Duration::seconds(6);
  measure.starved = Duration::seconds(6);
  const RunReport found = report(run.work, run.log, fuzzball(), measure, false);
  EXPECT_EQ(found.status, RunStatus::kGaveUp);
  EXPECT_EQ(found.started, 2);
  EXPECT_EQ(found.finished, 1);
  EXPECT_EQ(found.waiting, 2);
  EXPECT_TRUE(std::isnan(value(found, "makespan")));
  // Waits 0, 8, at least 7, at least 1: S is 3/4 from 0 on, 0 from 8 on.
  EXPECT_EQ(value(found, "wait_time_mean"), 0.75 * 8);
  EXPECT_EQ(value(found, "wait_time_median"), 8);
  EXPECT_EQ(value(found, "stage_wait_time_mean"), 0.75 * 8);
  // Turnarounds 10, at least 10, 7 and 1: 1, 7 are cut before 10; S is 1/2 from 10 on, which is also the longest.
  EXPECT_EQ(value(found, "turnaround_time_mean"), 10);
  EXPECT_TRUE(std::isnan(value(found, "turnaround_time_max")));
  EXPECT_EQ(value(found, "late_count"), 2);  // b and c
  EXPECT_EQ(value(found, "late_fraction"), 0.5);
  ASSERT_EQ(codes(found), "W02 W03 W09");
  EXPECT_NE(found.warnings[1].text.find("of 4 workflows measured 2 had not started and 1 had not finished"),
            std::string::npos)
      << found.warnings[1].text;
}

// a waits for ever while later ones of base 0 run: with aging it has caught up after 2 h, without never.
TEST(Report, StarvingAtTheEndIsWhoANewcomerWouldStillPrecede) {
  LogBuilder run(1);
  run.job("a", 0, 10, -2);
  run.job("b", 1, 5000);
  const auto starving = [&](const Policy& policy, std::int64_t end_s) {
    LogBuilder copy = run;
    copy.submit(0, 0).submit(1, 1).start(1, 1).end(end_s);
    Measure measure;
    measure.starved = Duration::seconds(100);
    const RunReport found = report(copy.work, copy.log, policy, measure, false);
    EXPECT_EQ(value(found, "starved_count"), 1);
    EXPECT_EQ(value(found, "starved_fraction"), 0.5);
    return value(found, "starving_at_end");
  };
  EXPECT_EQ(starving(fuzzball(), 7199), 1);
  EXPECT_EQ(starving(fuzzball(), 7200), 0);
  EXPECT_EQ(starving(no_aging(), 7200), 1);
}

TEST(Report, MeasuresTheCohortAlone) {
  const LogBuilder run = three();
  Measure measure;
  measure.from = Duration::seconds(1);
  measure.to = Duration::seconds(2);
  const RunReport found = report(run.work, run.log, fuzzball(), measure, false);
  EXPECT_EQ(found.workflows, 1);
  EXPECT_EQ(value(found, "turnaround_time_mean"), 12);
  EXPECT_EQ(value(found, "makespan"), 12);
  EXPECT_EQ(value(found, "utilization"), 0.5);  // a alone during [1, 2)
  EXPECT_EQ(value(found, "queue_length_mean"), 1);
  EXPECT_EQ(found.tenants.size(), 3U);  // acme, lab, ben
}

TEST(Report, OfAnEmptyCohortIsUndefined) {
  const LogBuilder run = three();
  Measure measure;
  measure.from = Duration::seconds(50);
  const RunReport found = report(run.work, run.log, fuzzball(), measure, false);
  EXPECT_EQ(value(found, "n"), 0);
  EXPECT_TRUE(std::isnan(value(found, "wait_time_mean")));
  EXPECT_TRUE(std::isnan(value(found, "makespan")));
  EXPECT_TRUE(found.tenants.empty());
}

TEST(Report, OfAnEmptyRunIsUndefined) {
  LogBuilder run(1);
  const RunReport found = report(run.work, run.log, fuzzball(), {}, true);
  EXPECT_EQ(found.workflows, 0);
  EXPECT_TRUE(std::isnan(value(found, "utilization")));
}

TEST(Report, AFailedWorkflowHasAWaitButNoTurnaround) {
  LogBuilder run(1);
  run.job("a", 0, 9);
  run.job("b", 0, 4);
  run.submit(0, 0).submit(0, 1).start(1, 0).event(3, EventKind::kFailed, 0).start(3, 1).finish(7, 1).end();
  const RunReport found = report(run.work, run.log, fuzzball(), {}, false);
  EXPECT_EQ(found.finished, 1);
  EXPECT_EQ(found.workflow_table.state[0], WorkflowState::kFailed);
  EXPECT_EQ(value(found, "wait_time_mean"), 2);
  EXPECT_EQ(value(found, "turnaround_time_mean"), 7);
  EXPECT_EQ(value(found, "makespan"), 7);
}

// Runs of single stages take a shortcut for the metrics of stages; a second workflow of two stages turns it off.
TEST(Report, StagesOfJobsHaveTheWaitsOfTheirJobs) {
  const auto found = [](bool shortcut) {
    LogBuilder run = catch_up_run(true);
    if (!shortcut) run.workflow("unsubmitted", 999'999, {1, 1});
    return report(run.work, run.log, fuzzball(), twelve_hours(), false);
  };
  const RunReport with = found(true), without = found(false);
  for (const char* name : {"stage_wait_time_mean", "stage_wait_time_median", "stage_wait_time_max",
                           "stage_first_wait_rms", "stage_slowdown_mean", "stage_slowdown_max"})
    EXPECT_EQ(value(with, name), value(without, name)) << name;
  EXPECT_EQ(value(with, "stage_wait_time_mean"), value(with, "wait_time_mean"));
}

}  // namespace
}  // namespace headroom
