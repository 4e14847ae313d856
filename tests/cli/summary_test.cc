// Summaries of studies that were never run: made up here, so that every number shown is known.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/cli/aggregate.h"
#include "sim/cli/summary_json.h"
#include "sim/cli/summary_table.h"
#include "sim/cli/text_table.h"

namespace headroom::cli {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void set(MetricValues& values, std::string_view name, double value) {
  values.resize(metric_catalog().size(), kNaN);
  values[metric_index(name)] = value;
}

/// `points` values of params.slots from 2 on, under default and race; every run of makespan slots + policy / 8 seconds.
struct Made {
  Study study;
  StudyResult result;

  Made(std::uint32_t points, std::int64_t replications) {
    study.workload.name = "made";
    study.workload.cluster.classes = {{"slots", 1, {3, 0, 0}}};
    study.policies = {*find_preset("default"), *find_preset("race")};
    if (points > 1) study.axes = {{"params.slots", {}}};
    study.replications = replications;
    for (std::uint32_t p = 0; p < points; ++p) {
      study.points.push_back(study.workload);
      study.point_values.push_back(points > 1 ? std::vector{std::to_string(p + 2)} : std::vector<std::string>{});
      if (points > 1) study.axes[0].values.push_back(std::to_string(p + 2));
      for (std::uint32_t policy = 0; policy < 2; ++policy)
        for (std::int64_t r = 0; r < replications; ++r) add_run(p, policy, static_cast<std::uint64_t>(r));
    }
    result.complete = true;
  }

  void add_run(std::uint32_t point, std::uint32_t policy, std::uint64_t replication) {
    RunSummary run;
    run.spec = {result.runs.size(), point, policy, replication};
    run.report.workflows = run.report.started = run.report.finished = 1;
    run.report.decision_hash = 0xabc;
    run.report.wall_time_s = 0.5;
    run.report.starts = 20;
    run.report.metrics.resize(metric_catalog().size(), kNaN);
    set(run.report.metrics, "makespan", point + 2 + policy / 8.0 + static_cast<double>(replication));
    study.runs.push_back(run.spec);
    result.runs.push_back(std::move(run));
  }
  void add_class(const std::string& name, std::string_view metric, double value) {
    for (RunSummary& run : result.runs) {
      Group group;
      group.name = name;
      set(group.metrics, metric, value);
      set(group.metrics, "n", 1);
      run.report.classes.push_back(std::move(group));
    }
  }
};

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) most = std::max(most, display_width(line));
  return most;
}
std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SummaryTable, PutsPoliciesSideBySide) {
  Made made(1, 1);
  const std::string text = summary_table(made.study, made.result, "out.h5");
  EXPECT_TRUE(has(text, "made: 2 runs = 2 policies")) << text;
  EXPECT_TRUE(has(text, "       default              race\n")) << text;
  EXPECT_TRUE(has(text, "2.000 s           2.125 s\n")) << text;
  EXPECT_TRUE(has(text, "0000000000000abc")) << text;
  EXPECT_TRUE(has(text, "cluster    3 slots")) << text;
  EXPECT_TRUE(has(text, "scheduler  like documented, tick 0 s (a pass at every change), simultaneous batch")) << text;
  EXPECT_TRUE(has(text, "results    out.h5")) << text;
  EXPECT_LE(widest(text), kTerminalWidth) << text;
}

TEST(SummaryTable, ASweepHasARowAPointAndTheGainBesideIt) {
  Made made(4, 1);
  made.result.hold_gains = {{0, 0, 1, 0, 1.0161186}, {1, 0, 1, 0, 1.4274500}};
  const std::string text = summary_table(made.study, made.result, "");
  EXPECT_TRUE(has(text, "made: 8 runs = 4 points × 2 policies")) << text;
  EXPECT_TRUE(has(text,
                  "makespan\n"
                  "  params.slots  default     race  hold_gain\n"
                  "             2  2.000 s  2.125 s   1.016119\n"
                  "             3  3.000 s  3.125 s   1.427450\n"
                  "             4  4.000 s  4.125 s          -\n"))
      << text;
}

TEST(SummaryTable, ClassesHaveBlocksOfTheirOwn) {
  Made made(1, 1);
  made.add_class("bulk", "catch_up_age", 36000);
  made.add_class("stream", "catch_up_age", kInfinity);
  const std::string text = summary_table(made.study, made.result, "");
  EXPECT_TRUE(has(text, "bulk (1 workflow)")) << text;
  EXPECT_TRUE(has(text, "catch_up_age              10 h              10 h\n")) << text;
  EXPECT_TRUE(has(text, "catch_up_age               inf               inf\n")) << text;
}

TEST(SummaryTable, IsBoundedHoweverMuchThereIs) {
  Made made(500, 1);
  for (int i = 0; i < 300; ++i) made.add_class("class" + std::to_string(i), "wait_time_mean", i);
  for (RunSummary& run : made.result.runs)
    for (int u = 0; u < 3000 && run.spec.run == 0; ++u) {
      Group user;
      user.kind = Group::Kind::kUser;
      user.name = "user" + std::to_string(u);
      run.report.tenants.push_back(user);
    }
  const std::string text = summary_table(made.study, made.result, "out.h5");
  EXPECT_LT(line_count(text), 60U);
  EXPECT_TRUE(has(text, "476 more points")) << text;
  Made one(1, 1);
  one.result.runs[0].report.tenants = made.result.runs[0].report.tenants;
  EXPECT_TRUE(
      has(summary_table(one.study, one.result, ""), "3,000 users: figures of each in the results file (/tenants)"));
}

TEST(SummaryTable, MeansOverReplicationsAreSaidToBeMeans) {
  Made made(1, 3);  // makespans 2, 3, 4
  const std::string text = summary_table(made.study, made.result, "");
  EXPECT_TRUE(has(text, "× 3 replications")) << text;
  EXPECT_TRUE(has(text, "means over the replications")) << text;
  EXPECT_TRUE(has(text, "3.000 s  3.125 s")) << text;
}

TEST(SummaryTable, SaysWhatBecameOfARunThatDidNotFinish) {
  Made made(1, 1);
  made.result.runs[1].report.status = RunStatus::kGaveUp;
  made.result.runs[1].report.finished = 0;
  const std::string text = summary_table(made.study, made.result, "");
  EXPECT_TRUE(has(text, "gave_up")) << text;
  EXPECT_TRUE(has(text, "finished")) << text;
}

TEST(SummaryTable, PrintsEachWarningOnceWithItsRuns) {
  Made made(1, 1);
  for (RunSummary& run : made.result.runs) run.report.warnings = {{"W02", "offered load 1.5"}};
  made.result.runs[1].report.warnings.push_back({"W03", "cut off"});
  const std::string text = summary_table(made.study, made.result, "");
  EXPECT_TRUE(has(text, "W02        offered load 1.5 (every run)\n")) << text;
  EXPECT_TRUE(has(text, "W03        cut off (1 run, the first is 1)\n")) << text;
  EXPECT_TRUE(has_numbered_warning(made.result));
}

TEST(SummaryTable, NamesTheTracesClusterAndItsRepairs) {
  Made made(1, 1);
  made.study.points[0].cluster = {};
  made.study.points[0].cluster.from_trace = true;
  for (RunSummary& run : made.result.runs) {
    run.cluster_from_trace = true;
    run.cluster.classes = {{"slots", 1, {100, 0, 0}}};
    run.repairs = {{"job of run time < 0 dropped", 12, "line 17: run time -1"}};
  }
  const std::string text = summary_table(made.study, made.result, "");
  EXPECT_TRUE(has(text, "cluster    100 slots, taken from the trace\n")) << text;
  EXPECT_TRUE(has(text, "repairs    12 × job of run time < 0 dropped (line 17: run time -1)\n")) << text;
}

TEST(SummaryTable, AnyNumberOfPoliciesFits) {
  Made made(1, 1);
  made.study.policies.assign(preset_policies().begin(), preset_policies().end());
  made.result.runs.clear();
  for (std::uint32_t p = 0; p < made.study.policies.size(); ++p) made.add_run(0, p, 0);
  EXPECT_LE(widest(summary_table(made.study, made.result, std::string(90, 'x'))), kTerminalWidth + 2);
}

TEST(SummaryJson, HasOneObjectARunWithEveryDigit) {
  Made made(2, 1);
  set(made.result.runs[0].report.metrics, "wait_time_mean", 1.0 / 3);
  set(made.result.runs[0].report.metrics, "late_count", 19);
  made.add_class("bulk", "catch_up_age", kInfinity);
  made.result.hold_gains = {{1, 0, 1, 0, 1.25}};
  made.result.runs[0].report.warnings = {{"W02", "offered load 1.5"}};
  const auto json = nlohmann::json::parse(summary_json(made.study, made.result, "out.h5"));
  EXPECT_EQ(json["workload"], "made");
  EXPECT_EQ(json["results"], "out.h5");
  ASSERT_EQ(json["runs"].size(), 4U);
  const auto& run = json["runs"][0];
  EXPECT_EQ(run["policy"], "default");
  EXPECT_EQ(run["point"]["params.slots"], 2);
  EXPECT_EQ(run["status"], "finished");
  EXPECT_EQ(run["decision_hash"], "0000000000000abc");
  EXPECT_EQ(run["metrics"]["wait_time_mean"].get<double>(), 1.0 / 3);
  EXPECT_TRUE(run["metrics"]["late_count"].is_number_integer());
  EXPECT_TRUE(run["metrics"]["wait_time_p99"].is_null());
  EXPECT_EQ(run["metrics"]["wall_time"], 0.5);
  EXPECT_EQ(run["metrics"]["decision_rate"], 40.0);
  EXPECT_EQ(run["classes"]["bulk"]["catch_up_age"], "Infinity");
  EXPECT_FALSE(run["classes"]["bulk"].contains("makespan"));
  EXPECT_EQ(json["hold_gain"][0]["hold_gain"], 1.25);
  EXPECT_EQ(json["hold_gain"][0]["point"]["params.slots"], 3);
  EXPECT_EQ(json["warnings"][0]["code"], "W02");
}

TEST(SummaryJson, ARunThatFailedSaysWhy) {
  Made made(1, 1);
  made.result.runs[1].failure = "policy broke";
  const auto json = nlohmann::json::parse(summary_json(made.study, made.result, ""));
  EXPECT_EQ(json["runs"][1]["status"], "failed");
  EXPECT_EQ(json["runs"][1]["failure"], "policy broke");
}

TEST(SummaryJson, NamesThatAreNotUtf8DoNotBreakIt) {
  Made made(1, 1);
  made.study.workload.name = "a\xff";
  EXPECT_FALSE(nlohmann::json::parse(summary_json(made.study, made.result, ""), nullptr, false).is_discarded());
}

TEST(SummaryCsv, HasOneRowARunAndQuotesWhatNeedsIt) {
  Made made(2, 1);
  made.study.point_values[0][0] = "10/h, \"odd\"";
  set(made.result.runs[0].report.metrics, "catch_up_age", kInfinity);
  std::istringstream csv(summary_csv(made.study, made.result));
  std::string header, first;
  std::getline(csv, header);
  std::getline(csv, first);
  EXPECT_TRUE(header.starts_with("run,policy,params.slots,replication,seed,status,decision_hash,")) << header;
  EXPECT_TRUE(first.starts_with("0,default,\"10/h, \"\"odd\"\"\",0,1,finished,0000000000000abc,")) << first;
  EXPECT_TRUE(has(first, ",inf,")) << first;
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(kNaN), "");
}

TEST(SummaryMarkdown, IsATableOfTheSameLength) {
  Made made(2, 1);
  made.study.policies[0].name = "a|b";
  const std::string text = summary_markdown(made.study, made.result);
  EXPECT_TRUE(
      text.starts_with("| run | policy | params.slots | status | makespan |\n|---|---|---|---|---:|\n| 0 | a\\|b | 2 | "
                       "finished | 2.000 s |\n"))
      << text;
  EXPECT_EQ(line_count(text), 2U + 4U);
}

TEST(PerfJson, HoldsTheCostOfEachRun) {
  Made made(1, 1);
  const auto json = nlohmann::json::parse(perf_json(made.study, made.result));
  EXPECT_EQ(json["runs"][1]["wall_time"], 0.5);
  EXPECT_EQ(json["runs"][1]["decision_rate"], 40.0);
}

}  // namespace
}  // namespace headroom::cli
