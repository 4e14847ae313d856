// Nodes that fail and are cordoned, where the core time went, and starts that a higher base had to watch. Expected
// values are worked out by hand, in the comments where they are not plain.
#include <gtest/gtest.h>

#include "tests/fuzzball/run.h"

namespace headroom::testing {
namespace {

using Names = std::vector<std::string>;

std::string stage(const std::string& name, const std::string& keys) {
  return "  - {workflow: " + name + ", " + keys + "}\n";
}
std::string job(const std::string& name, const std::string& at, const std::string& stage_keys) {
  return stage(name, "at: " + at + ", stages: [{name: s, " + stage_keys + "}]");
}

void expect_account(const RuleRun& r, const std::vector<std::pair<const char*, double>>& parts) {
  const std::vector<const char*> all{"capacity_busy",     "capacity_overhead", "capacity_waiting_for_pass",
                                     "capacity_depth",    "capacity_reserved", "capacity_does_not_fit",
                                     "capacity_too_wide", "capacity_held",     "capacity_no_work",
                                     "capacity_down"};
  for (const char* name : all) {
    double expected = 0;
    for (const auto& [part, value] : parts)
      if (std::string(part) == name) expected = value;
    EXPECT_EQ(r.metric(name), expected) << name;
  }
}

// ---- nodes

TEST(Nodes, WhatRunsOnAFailingNodeFailsAndTheNodeIsBackLater) {
  for (const char* retry : {"0", "1"}) {
    const RuleRun r = run("cluster: {slots: 2}\nwork:\n" + job("w", "0s", std::string("runtime: 1h, retry: ") + retry) +
                          "actions:\n  - {at: 10min, fail: {node: \"slots[0]\"}, for: 20min}\n");
    const AttemptTable& a = r.report.attempt_table;
    EXPECT_EQ(a.finished_at.at(0), TimePoint::zero() + Duration::seconds(600));
    EXPECT_EQ(a.state.at(0), StageState::kFailed);
    if (*retry == '0') {
      EXPECT_EQ(a.stage.size(), 1u);
      EXPECT_EQ(r.report.workflow_table.state[0], WorkflowState::kFailed);
    } else {
      ASSERT_EQ(a.stage.size(), 2u);
      EXPECT_EQ(a.started_at.at(1), TimePoint::zero() + Duration::seconds(1800));
      EXPECT_EQ(a.finished_at.at(1), TimePoint::zero() + Duration::seconds(5400)) << "all of it again";
    }
  }
}

TEST(Nodes, ACordonLetsRunWhatRunsAndNothingElse) {
  const std::string work = "cluster: {nodes: [{name: n, count: 2, cores: 1}]}\nwork:\n" +
                           job("a", "0s", "runtime: 30min") + job("b", "10min", "runtime: 1h") +
                           job("c", "11min", "runtime: 1h");
  const RuleRun r = run(work + "actions:\n  - {at: 5min, cordon: {node: \"n[0]\"}, for: 55min}\n");
  EXPECT_EQ(r.start("b"), 600);
  EXPECT_EQ(r.start("c"), 3600) << "n[0] is free from 30 min on, but takes nothing before 60 min";
  EXPECT_EQ(r.report.attempt_table.finished_at.at(0), TimePoint::zero() + Duration::seconds(1800));
  const RuleRun early = run(work +
                            "actions:\n  - {at: 5min, cordon: {node: \"n[0]\"}, for: 55min}\n"
                            "  - {at: 40min, uncordon: {node: \"n[0]\"}}\n");
  EXPECT_EQ(early.start("c"), 2400);
  EXPECT_EQ(early.log.control.nodes.size(), 2u) << "the cordon has no end left to come to";
}

TEST(Nodes, AReservationIsNotMadeOnANodeThatTakesNoWork) {
  // n[0] ends first but is cordoned for good: wide gets n[1] at 2 h, and small must not be in its way.
  const std::string work =
      "cluster: {nodes: [{name: n, count: 2, cores: 2}]}\nwork:\n" +
      job("x", "0s", "runtime: 1h, estimate: 1h, cores: 2") + job("y", "0s", "runtime: 2h, estimate: 2h") +
      job("wide", "1s", "runtime: 1h, estimate: 1h, cores: 2") + job("small", "2s", "runtime: 3h, estimate: 3h") +
      "actions:\n" + "  - {at: 1s, cordon: {node: \"n[0]\"}}\n";
  const RuleRun r = run(work, "easy");
  EXPECT_EQ(r.start("wide"), 7200);
  EXPECT_EQ(r.start("small"), 10800);
}

TEST(Nodes, AreForAdministrators) {
  const RuleRun r = run(kTenants +
                        "work:\n  - {workflow: w, user: ada, account: research, stages: [{name: s, runtime: "
                        "1h}]}\nactions:\n  - {at: 1min, by: olivia, fail: {node: \"slots[0]\"}}\n"
                        "  - {at: 2min, by: root, cordon: {node: \"slots[0]\"}}\n");
  ASSERT_EQ(r.refusals().size(), 1u);
  EXPECT_EQ(r.rule(0), "roles");
  EXPECT_EQ(r.log.control.nodes.size(), 1u);
  EXPECT_EQ(r.start("w"), 0);
}

// ---- the account of core time

TEST(Capacity, IdleCoresThatNobodyAsksForHaveNoWork) {
  expect_account(run("cluster: {slots: 2}\nwork:\n" + job("w", "0s", "runtime: 10min")),
                 {{"capacity_busy", 600}, {"capacity_no_work", 600}});
}

TEST(Capacity, WaitsForThePass) {
  // From 30 s to 660 s on two cores: one waits half a minute for the pass, then runs ten.
  expect_account(run("cluster: {slots: 2}\nscheduler: {tick: 1min}\nwork:\n" + job("w", "30s", "runtime: 10min")),
                 {{"capacity_busy", 600}, {"capacity_waiting_for_pass", 30}, {"capacity_no_work", 630}});
}

TEST(Capacity, IsTooLittleForWhatIsWide) {
  expect_account(run("cluster: {slots: 4}\nwork:\n" + job("half", "0s", "runtime: 1h, cores: 2") +
                     job("wide", "1s", "runtime: 1h, cores: 4")),
                 {{"capacity_busy", 7200 + 14400},
                  {"capacity_no_work", 2},  // the first second
                  {"capacity_too_wide", 2 * 3599}});
}

TEST(Capacity, IsInTheWrongPlaces) {
  const RuleRun r = run("cluster: {nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}\nwork:\n" +
                        job("x", "0s", "runtime: 1h, memory: 3GiB") + job("y", "0s", "runtime: 1h, memory: 3GiB") +
                        job("pair", "0s", "runtime: 1h, cores: 2"));
  // One core of each node lies idle for an hour, then the other node for another.
  expect_account(r, {{"capacity_busy", 3 * 3600 + 3600}, {"capacity_does_not_fit", 7200}, {"capacity_no_work", 7200}});
}

TEST(Capacity, IsReserved) {
  const RuleRun r = run("cluster: {slots: 4}\nwork:\n" + job("half", "0s", "runtime: 1h, estimate: 1h, cores: 2") +
                            job("wide", "0s", "runtime: 1h, estimate: 1h, cores: 4") +
                            job("small", "0s", "runtime: 2h, estimate: 2h"),
                        "easy");
  // Until 1 h small wants one of two idle cores and would delay wide, which wants them all. Then small runs to 4 h.
  expect_account(r, {{"capacity_busy", 7200 + 14400 + 7200},
                     {"capacity_reserved", 3600},
                     {"capacity_too_wide", 3600},
                     {"capacity_no_work", 3 * 7200}});
}

TEST(Capacity, IsOutOfSightBelowTheDepth) {
  const std::string work =
      "work:\n" + job("half", "0s", "runtime: 1h, cores: 2") +
      "  - {generate: {name: wide, count: 3, arrivals: {burst: {at: 1s}}, runtime: 1h, cores: 4}}\n" +
      job("small", "2s", "runtime: 1h");
  // From 2 s to 1 h three wide ones hide small, which wants one of the two idle cores.
  const RuleRun r = run("cluster: {slots: 4}\nscheduler: {queue_depth: 3}\n" + work);
  EXPECT_EQ(r.metric("capacity_depth"), 3598);
  EXPECT_EQ(r.metric("capacity_reserved"), 0);
  EXPECT_EQ(run("cluster: {slots: 4}\nscheduler: {queue_depth: 4}\n" + work).metric("capacity_depth"), 0);
}

TEST(Capacity, OfANodeThatTakesNoWorkIsDown) {
  const RuleRun r = run("cluster: {nodes: [{name: n, count: 2, cores: 2}]}\nwork:\n" + job("w", "0s", "runtime: 1h") +
                        "actions:\n  - {at: 10min, cordon: {node: \"n[0]\"}, for: 10min}\n"
                        "  - {at: 10min, cordon: {node: \"n[1]\"}, for: 20min}\n");
  // n[0] has one core free for 10 min, n[1] two for 20; what runs on n[0] goes on.
  expect_account(r,
                 {{"capacity_busy", 3600}, {"capacity_down", 600 + 2400}, {"capacity_no_work", 14400 - 3600 - 3000}});
  EXPECT_DOUBLE_EQ(r.metric("utilization"), 3600.0 / (14400 - 3000)) << "what is down is not available";
}

TEST(Capacity, IsHeldAndSpentOnOverhead) {
  const std::string plan = R"(cluster: {slots: 3}
work:
  - workflow: w
    plan:
      startup: 1s
      declare: 2s
      teardown: 3s
      hold: all
      steps: [{name: a, runtime: 10s}, {pause: 4s}, {name: b, runtime: 10s}]
)";
  // The plan holds a core for 1 + 2 + 4 + 2 + 3 s, of which it computes 4; a exists at 3 s and is held until 9 s.
  const RuleRun r = run(plan);
  expect_account(r, {{"capacity_busy", 20 + 4},
                     {"capacity_overhead", 8},
                     {"capacity_held", 6},
                     {"capacity_no_work", 3 * 19 - 24 - 8 - 6}});
  EXPECT_EQ(run(plan, "race").metric("capacity_held"), 0);
}

// ---- starts that a higher base had to watch

TEST(BaseInversions, AgeLetsTheLowerBaseGoFirst) {
  // catch_up: bulk at -10 starts at 15 h while stream[10] to stream[14] wait at 0. The first of them ties to the
  // nanosecond; of a bulk that came a minute later it does not, goes first, and the next is younger by that minute.
  const auto work = [](const std::string& at) {
    return "work:\n  - {workflow: bulk, at: " + at +
           ", priority: -10, stages: [{name: sweep, runtime: 90min, estimate: 90min}]}\n"
           "  - {generate: {name: stream, count: 40, arrivals: {periodic: {every: 1h}}, runtime: 90min}}\n";
  };
  const RuleRun r = run(work("0s"));
  EXPECT_EQ(r.start("bulk"), 15 * 3600);
  EXPECT_DOUBLE_EQ(r.metric("base_inversions"), 1.0 / 41);
  EXPECT_DOUBLE_EQ(r.metric("base_inversions_tail_time"), 1.0 / 41);
  const RuleRun later = run(work("1min"));
  EXPECT_EQ(later.start("bulk"), 16.5 * 3600);
  EXPECT_DOUBLE_EQ(later.metric("base_inversions_age"), 1.0 / 41);
  EXPECT_EQ(run(work("0s"), "no_aging").metric("base_inversions"), 0);
}

TEST(BaseInversions, ATieDecidesWhereAgeMakesExactlyUpForTheBase) {
  const RuleRun r = run("work:\n" + job("first", "0s", "runtime: 2h") +
                        stage("low", "at: 30min, priority: -1, stages: [{name: s, runtime: 1h, estimate: 1h}]") +
                        stage("high", "at: 90min, stages: [{name: s, runtime: 1h, estimate: 1s}]"));
  EXPECT_EQ(r.order(), (Names{"first", "low", "high"}));
  EXPECT_DOUBLE_EQ(r.metric("base_inversions_tail_time"), 1.0 / 3);
  EXPECT_EQ(r.metric("base_inversions_age"), 0);
}

// One core each is counted in a faster way; asking for memory as well makes the same schedule and the general way.
TEST(BaseInversions, AreCountedAlikeWhereStagesAskForMoreThanACore) {
  for (const int seed : {1, 2, 3, 4, 5, 6}) {
    const auto work = [&](const std::string& more) {
      return "cluster: {nodes: [{name: n, count: 1, cores: 2, memory: 64GiB}]}\nscheduler: {tick: " +
             std::string(seed % 2 == 0 ? "0s" : "7min") + "}\nsweep: {seed: " + std::to_string(seed) + "}\nwork:\n" +
             "  - {generate: {name: g, count: 120, arrivals: {poisson: {rate: 8/h}}, priority: {choose: {0: 2, -1: 1, "
             "-2: 1}}, runtime: {choose: {5min: 1, 30min: 1}}, estimate: {factor: 1}" +
             more + "}}\n";
    };
    const RuleRun fast = run(work(""), "default"), general = run(work(", memory: 1GiB"), "default");
    ASSERT_EQ(fast.log.decision_hash, general.log.decision_hash);
    for (const char* name : {"base_inversions", "base_inversions_age", "base_inversions_tail_time", "capacity_busy",
                             "capacity_waiting_for_pass", "capacity_no_work", "capacity_does_not_fit"})
      EXPECT_EQ(fast.metric(name), general.metric(name)) << name << ", seed " << seed;
    EXPECT_GT(fast.metric("base_inversions_age"), 0) << seed;
  }
}

TEST(BaseInversions, ThereAreNoneWithoutPriorities) {
  const RuleRun r = run("policies: [easy]\nwork:\n" + job("first", "0s", "runtime: 2h"), "easy");
  EXPECT_EQ(r.metric("base_inversions"), 0) << "without priorities there are no bases";
}

}  // namespace
}  // namespace headroom::testing
