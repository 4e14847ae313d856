// What well-formed workloads mean: every section as workload-format describes it, parameters, overrides, policies.
#include "workloads/yaml_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace headroom {
namespace {

Workload read(const std::string& text, const std::vector<Override>& overrides = {}) {
  return WorkloadDocument::parse(text, "w.yaml").read(overrides);
}

std::string errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    static_cast<void>(read(text, overrides));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const WorkflowItem& workflow(const Workload& w, std::size_t i = 0) { return std::get<WorkflowItem>(w.items.at(i)); }
const GenerateItem& generated(const Workload& w, std::size_t i = 0) { return std::get<GenerateItem>(w.items.at(i)); }

/// A workflow of one stage with the given keys beside its name.
Workload one_stage(const std::string& keys) { return read("work: [{workflow: w, stages: [{name: a, " + keys + "}]}]"); }

const std::string kWork = "work: [{workflow: w, stages: [{name: a, runtime: 1s}]}]\n";
const std::string kExamples = std::string(HEADROOM_SOURCE_DIR) + "/workloads/examples/";

TEST(YamlReader, FillsInTheDefaults) {
  const Workload w = read(kWork);
  EXPECT_EQ(w.name, "w");  // the file's stem
  ASSERT_EQ(w.cluster.classes.size(), 1U);
  EXPECT_EQ(w.cluster.classes[0].capacity.cores, 1);
  EXPECT_FALSE(w.cluster.from_trace);
  EXPECT_EQ(w.scheduler.tick, Duration{});
  EXPECT_EQ(w.scheduler.default_estimate, Duration::seconds(1));
  ASSERT_EQ(w.tenants.users.size(), 1U);
  EXPECT_EQ(w.tenants.users[0].name, "default");
  EXPECT_EQ(w.tenants.accounts.at(0).users, std::vector<std::uint32_t>{0});
  ASSERT_EQ(w.policies.size(), 1U);
  EXPECT_EQ(w.policies[0].name, "default");
  EXPECT_EQ(w.measure.tau, Duration::seconds(10));
  EXPECT_EQ(w.sweep.replications, 1);
  EXPECT_EQ(w.record.stages, RecordStages::kAuto);
  EXPECT_FALSE(w.start_unix_s.has_value());
}

TEST(YamlReader, ReadsDurationsExactly) {
  const auto run_time = [](const std::string& text) {
    return workflow(one_stage("runtime: " + text)).stages[0].run_time.constant;
  };
  EXPECT_EQ(run_time("250ms"), 250'000'000);
  EXPECT_EQ(run_time("4.1s"), 4'100'000'000);
  EXPECT_EQ(run_time("4.1"), 4'100'000'000);
  EXPECT_EQ(run_time("10min"), 600'000'000'000);
  EXPECT_EQ(run_time("2h"), 7'200'000'000'000);
  EXPECT_EQ(run_time("7d"), 604'800'000'000'000);
  EXPECT_EQ(run_time("5us"), 5'000);
  EXPECT_EQ(run_time("3ns"), 3);
  EXPECT_EQ(run_time("0.000000001"), 1);
  EXPECT_EQ(run_time("1e-9"), 1);
  EXPECT_EQ(run_time("010"), 10'000'000'000);  // decimal, as YAML 1.2 has it
  EXPECT_EQ(run_time("4.10000000000000000000000000000s"), 4'100'000'000);
  EXPECT_EQ(run_time("3155759999.000000001"), 3'155'759'999'000'000'001);  // no double holds this
}

TEST(YamlReader, ReadsSlotsNodesAndPools) {
  const Workload w = read(
      "cluster: {nodes: [{name: cpu, count: 16, cores: 64, memory: 256GiB}, {name: gpu, cores: 64, memory: 512MB, "
      "gpus: 8}], "
      "pools: {license: 2}}\n" +
      kWork);
  ASSERT_EQ(w.cluster.classes.size(), 2U);
  EXPECT_EQ(w.cluster.classes[0].count, 16);
  EXPECT_EQ(w.cluster.classes[0].capacity, (NodeCapacity{64, 274'877'906'944, 0}));
  EXPECT_EQ(w.cluster.classes[1].capacity, (NodeCapacity{64, 512'000'000, 8}));
  EXPECT_EQ(w.cluster.pools, (std::vector<std::pair<std::string, std::int64_t>>{{"license", 2}}));
  EXPECT_EQ(read("cluster: {slots: 0x10}\n" + kWork).cluster.classes.at(0).capacity.cores, 16);
}

TEST(YamlReader, LikeSetsTheRestAndWhatFollowsOverrides) {
  const SchedulerSettings s = read("scheduler: {queue_depth: 5, like: fuzzball}\n" + kWork).scheduler;
  EXPECT_EQ(s.like, Like::kFuzzball);
  EXPECT_EQ(s.tick, Duration::seconds(1));
  EXPECT_EQ(s.queue_depth, 5);
  EXPECT_EQ(read("scheduler: {like: fuzzball}\n" + kWork).scheduler.queue_depth, 64);
}

TEST(YamlReader, LikeStepupIsWhatTheRealProgramWasMeasuredToDo) {
  const SchedulerSettings s = read("scheduler: {like: stepup-rc13}\n" + kWork).scheduler;
  EXPECT_EQ(s.hold_scope, HoldScope::kDeclarer);
  EXPECT_EQ(s.hold_release, HoldRelease::kStepUpRc13);
  EXPECT_EQ(s.on_failure, OnFailure::kDrain);
  EXPECT_EQ(s.overheads.static_file, Duration::microseconds(7300));
  EXPECT_EQ(s.overheads.plan_start, Duration::milliseconds(1200));
  EXPECT_EQ(s.tick, Duration{});
  EXPECT_EQ(s.queue_depth, 0);
  const SchedulerSettings other =
      read("scheduler: {hold_release: ideal, overheads: none, on_failure: continue, like: stepup-rc13}\n" + kWork)
          .scheduler;
  EXPECT_EQ(other.hold_scope, HoldScope::kDeclarer);
  EXPECT_EQ(other.hold_release, HoldRelease::kIdeal);
  EXPECT_EQ(other.overheads.step, Duration{});
  EXPECT_EQ(other.on_failure, OnFailure::kContinue);
  const SchedulerSettings alone =
      read("scheduler: {hold_scope: declarer, hold_release: stepup-rc13}\n" + kWork).scheduler;
  EXPECT_EQ(alone.like, Like::kDocumented);
  EXPECT_EQ(alone.hold_release, HoldRelease::kStepUpRc13);
}

TEST(YamlReader, ReadsSourceFilesAsOneCallOfThePlan) {
  const Workload w =
      read("work: [{workflow: w, plan: {steps: [{static: [a.csv, b.csv]}, {name: s, runtime: 1, inputs: [a.csv]}]}}]");
  const std::vector<PlanOp>& ops = workflow(w).plans.at(0).ops;
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[0].kind, PlanOp::Kind::kStatic);
  EXPECT_EQ(ops[0].files, (std::vector<std::string>{"a.csv", "b.csv"}));
}

TEST(YamlReader, ReadsOverheads) {
  const Overheads stepup = read("scheduler: {overheads: stepup}\n" + kWork).scheduler.overheads;
  EXPECT_EQ(stepup.declare, Duration::microseconds(3700));
  EXPECT_EQ(stepup.plan_start, Duration::milliseconds(1200));
  EXPECT_EQ(stepup.step, Duration::milliseconds(26));
  const Overheads some = read("scheduler: {overheads: {release: 6.1ms}}\n" + kWork).scheduler.overheads;
  EXPECT_EQ(some.release, Duration::microseconds(6100));
  EXPECT_EQ(some.declare, Duration{});
}

TEST(YamlReader, ReadsTheStartWithItsOffset) {
  const Workload w = read("start: 1996-09-23T14:00:00+02:00\n" + kWork);
  EXPECT_EQ(w.start_unix_s, 843'480'000);  // date -d 1996-09-23T12:00:00Z +%s
  EXPECT_EQ(w.utc_offset_s, 7200);
  EXPECT_EQ(read("start: 2000-02-29T00:00:00Z\n" + kWork).start_unix_s, 951'782'400);
}

const std::string kTenants = R"(tenants:
  users: {ada: {priority: 2}, ben: {}, gil: }
  organizations:
    - organization: acme
      priority: 1
      accounts:
        - {account: research, priority: 10, users: [ada, ben]}
        - {account: sales, users: [gil]}
)";

TEST(YamlReader, FindsTheUsersOnlyAccount) {
  const Workload w = read(kTenants +
                          "work: [{workflow: w, user: gil, stages: [{name: a, runtime: 1s}]}, "
                          "{workflow: v, user: ada, account: research, stages: [{name: a, runtime: 1s}]}]");
  EXPECT_EQ(w.tenants.users.at(0).priority, 2);
  EXPECT_EQ(w.tenants.accounts.at(0).priority, 10);
  EXPECT_EQ(w.tenants.accounts.at(1).users, std::vector<std::uint32_t>{2});
  EXPECT_EQ(workflow(w, 0).account, 1U);
  EXPECT_EQ(workflow(w, 0).user, 2U);
  EXPECT_EQ(workflow(w, 1).account, 0U);
}

TEST(YamlReader, ReadsEveryKeyOfAStage) {
  const Workload w = read(R"(
cluster: {nodes: [{name: n, count: 4, cores: 64, memory: 1TiB, gpus: 2}], pools: {license: 2}}
work:
  - workflow: train
    at: 10min
    priority: -10
    preemptible: true
    stages:
      - {name: fetch, runtime: 5min, estimate: 4min, preemptible: false}
      - {name: solver, runtime: 2h, needs: [fetch], cores: 32, memory: 64GiB, gpus: 1, nodes: 2, walltime: 3h,
         resources: {license: 1}, command: "echo $HOME", fails: 2, retry: 3}
      - {name: shard, runtime: {lognormal: {median: 10min, sigma: 0.8}}, needs: [fetch], count: 100, fails: {probability: 0.01}}
      - {name: test, runtime: 2s, count: 100, needs: ["shard[i]", "shard[7]"], fails: true}
)");
  const WorkflowItem& item = workflow(w);
  EXPECT_EQ(item.at.ns, 600'000'000'000);
  EXPECT_EQ(item.priority, -10);
  ASSERT_EQ(item.stages.size(), 4U);
  EXPECT_FALSE(item.stages[0].preemptible);
  EXPECT_EQ(item.stages[0].estimate, Distribution::always(240'000'000'000));
  const StageTemplate& solver = item.stages[1];
  EXPECT_TRUE(solver.preemptible);
  EXPECT_EQ(solver.demand.cores, 32);
  EXPECT_EQ(solver.demand.memory, std::int64_t{64} << 30);
  EXPECT_EQ(solver.demand.gpus, 1);
  EXPECT_EQ(solver.demand.nodes, 2);
  EXPECT_EQ(solver.demand.pools, (std::vector<std::pair<PoolId, std::int64_t>>{{PoolId{0}, 1}}));
  EXPECT_EQ(solver.walltime, Duration::hours(3));
  EXPECT_EQ(solver.command, "echo $HOME");
  EXPECT_EQ(solver.failing.kind, Failing::Kind::kFirst);
  EXPECT_EQ(solver.failing.first, 2);
  EXPECT_EQ(solver.retry, 3);
  ASSERT_EQ(solver.needs.size(), 1U);
  EXPECT_EQ(solver.needs[0].stage, 0U);
  EXPECT_EQ(item.stages[2].run_time.kind, Distribution::Kind::kLognormal);
  EXPECT_EQ(item.stages[2].run_time.a, 6e11L);
  EXPECT_EQ(item.stages[2].failing.kind, Failing::Kind::kProbability);
  ASSERT_EQ(item.stages[3].needs.size(), 2U);
  EXPECT_TRUE(item.stages[3].needs[0].element);
  EXPECT_EQ(item.stages[3].needs[1].index, 7);
  EXPECT_EQ(item.stages[3].failing.kind, Failing::Kind::kAlways);
}

TEST(YamlReader, TakesANameThatReadsAsAnotherTypeAsItsText) {
  const Workload w = read(
      "work: [{workflow: no, stages: [{name: null, runtime: 1}, {name: ~, runtime: 1}, {name: 1.50, runtime: 1}, "
      "{name: true, runtime: 1, needs: [null, ~, 1.50]}]}]");
  EXPECT_EQ(workflow(w).name, "no");
  EXPECT_EQ(workflow(w).stages[0].name, "null");
  EXPECT_EQ(workflow(w).stages[1].name, "~");
  EXPECT_EQ(workflow(w).stages[2].name, "1.50");
  EXPECT_EQ(workflow(w).stages[3].needs.size(), 3U);
}

TEST(YamlReader, TellsNothingFromANullThatFollows) {
  // Nothing stands behind `ada:`; the word on the next line is the next user's name.
  const Workload w = read(
      "tenants:\n  users:\n    ada:\n    null: {priority: 3}\n  organizations:\n"
      "    - {organization: o, accounts: [{account: a, users: [null]}]}\n" +
          kWork,
      {{"work.w.user", "null", "--set"}});
  ASSERT_EQ(w.tenants.users.size(), 2U);
  EXPECT_EQ(w.tenants.users[1].name, "null");
  EXPECT_EQ(w.tenants.users[1].priority, 3);
}

// The plan declares a, opens a hold, declares b and the sub-plan, which declares c, and closes it:
//
//   plan ── a
//        ── [ b, sub ── c ]
TEST(YamlReader, FlattensAPlanInDocumentOrder) {
  const Workload w = read(R"(
scheduler: {overheads: {declare: 3ms, hold: 4ms, release: 5ms, plan_start: 1s, subplan_start: 2s, plan_exit: 6ms}}
work:
  - workflow: build
    plan:
      declare: 1ms
      order: reversed
      steps:
        - {name: a, runtime: 1s, needs: [late], inputs: [nobody.makes], resources: {nothing: 1}}
        - pause: 1s
        - hold:
            - {name: b, runtime: 1s, count: 3, outputs: ["{i}.o"]}
            - plan: {name: sub, teardown: 7ms, steps: [{name: c, runtime: 1s, inputs: [2.o]}]}
        - {name: late, runtime: 1s}
)");
  const WorkflowItem& item = workflow(w);
  ASSERT_EQ(item.stages.size(), 6U);
  const std::vector<std::string> names{"plan", "a", "b", "sub", "c", "late"};
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(item.stages[i].name, names[i]);
  EXPECT_EQ(item.stages[0].plan, 0U);
  EXPECT_FALSE(item.stages[0].declarer.has_value());
  EXPECT_EQ(item.stages[3].plan, 1U);
  EXPECT_EQ(item.stages[3].declarer, 0U);
  EXPECT_EQ(item.stages[4].declarer, 3U);
  EXPECT_EQ(item.stages[1].needs.at(0).stage, 5U);
  EXPECT_EQ(item.stages[1].undefined_resources.size(), 1U);

  ASSERT_EQ(item.plans.size(), 2U);
  const PlanTemplate& root = item.plans[0];
  EXPECT_EQ(root.order, PlanOrder::kReversed);
  EXPECT_EQ(root.startup, Duration::seconds(1));
  EXPECT_EQ(root.declare, Duration::milliseconds(1));
  EXPECT_EQ(root.teardown, Duration::milliseconds(6));
  EXPECT_EQ(root.hold, Duration::milliseconds(4));
  EXPECT_EQ(root.release, Duration::milliseconds(5));
  using Kind = PlanOp::Kind;
  const std::vector<Kind> kinds{Kind::kDeclare, Kind::kPause,   Kind::kHold,   Kind::kDeclare,
                                Kind::kDeclare, Kind::kRelease, Kind::kDeclare};
  ASSERT_EQ(root.ops.size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(root.ops[i].kind, kinds[i]) << i;
  EXPECT_EQ(root.ops[4].stage, 3U);
  EXPECT_EQ(root.ops[6].stage, 5U);
  EXPECT_EQ(item.plans[1].startup, Duration::seconds(2));  // the overheads', not the parent's
  EXPECT_EQ(item.plans[1].declare, Duration::milliseconds(3));
  EXPECT_EQ(item.plans[1].teardown, Duration::milliseconds(7));
  ASSERT_EQ(item.plans[1].ops.size(), 1U);
  EXPECT_EQ(item.plans[1].ops[0].stage, 4U);
}

TEST(YamlReader, AppliesThePlansHold) {
  const auto kinds = [](const std::string& mode) {
    const Workload w = read("work: [{workflow: w, plan: {hold: " + mode +
                            ", steps: [{name: a, runtime: 1}, {hold: [{name: b, runtime: 1}]}]}}]");
    std::string text;
    for (const PlanOp& op : workflow(w).plans[0].ops) text += "dhrp"[static_cast<int>(op.kind)];
    return text;
  };
  EXPECT_EQ(kinds("as_written"), "dhdr");
  EXPECT_EQ(kinds("none"), "dd");
  EXPECT_EQ(kinds("all"), "hddr");
}

TEST(YamlReader, ReadsGeneratedWork) {
  const Workload w = read(kTenants + R"(
cluster: {slots: 64}
work:
  - generate:
      count: 10
      arrivals: {poisson: {rate: 36/h}}
      tenant: {choose: {research/ada: 3, research/ben: 1}}
      priority: {choose: {0: 0.8, -10: 0.2}}
      runtime: {uniform: [1s, 2s]}
      estimate: {factor: 1.5}
      cores: {choose: {1: 0.6, 8: 0.4}}
  - generate: {name: b, until: 1h, user: gil, arrivals: {periodic: {every: 1min, first: 5s}}, runtime: {exponential: {mean: 3s}}, estimate: exact}
  - generate: {account: sales, arrivals: {burst: {at: 1s, size: 4}}, runtime: 1s, estimate: 2s, shape: single}
)");
  const GenerateItem& first = generated(w, 0);
  EXPECT_EQ(first.name, "generate0");
  EXPECT_EQ(first.count, 10);
  EXPECT_EQ(first.arrivals.kind, Arrivals::Kind::kPoisson);
  EXPECT_EQ(first.arrivals.rate_per_ns, 36.0L / 3'600'000'000'000.0L);
  ASSERT_EQ(first.tenants.size(), 2U);
  EXPECT_EQ(first.tenants[0].weight, 3);
  EXPECT_EQ(first.tenants[1].user, 1U);
  EXPECT_EQ(first.priority.choices.at(1).value, -10);
  EXPECT_EQ(first.run_time.kind, Distribution::Kind::kUniform);
  EXPECT_EQ(first.run_time.b, 2e9L);
  EXPECT_EQ(first.estimate_factor, Distribution::always(1'500'000));
  EXPECT_EQ(first.cores.choices.size(), 2U);
  const GenerateItem& second = generated(w, 1);
  EXPECT_EQ(second.until, Duration::hours(1));
  EXPECT_EQ(second.arrivals.every, Duration::seconds(60));
  EXPECT_EQ(second.arrivals.first, Duration::seconds(5));
  EXPECT_EQ(second.tenants.at(0).account, 1U);
  EXPECT_FALSE(second.estimate || second.estimate_factor);
  const GenerateItem& third = generated(w, 2);
  EXPECT_EQ(third.name, "generate1");
  EXPECT_EQ(third.arrivals.size, 4);
  EXPECT_EQ(third.estimate, Distribution::always(2'000'000'000));
}

TEST(YamlReader, ReadsATraceRelativeToTheWorkloadsFolder) {
  const Workload w =
      WorkloadDocument::parse(
          "work: [{trace: {swf: small.swf, jobs: 3, start: 1h, end: 2h, overrun: extend, width: allocated, "
          "estimates: exact, zero_run: drop, preceding: honor, divide_arrivals: 2}}]",
          kExamples + "w.yaml")
          .read();
  const TraceItem& trace = std::get<TraceItem>(w.items.at(0));
  EXPECT_TRUE(w.cluster.from_trace);
  EXPECT_EQ(trace.name, "small");
  EXPECT_EQ(trace.path, kExamples + "small.swf");
  EXPECT_EQ(trace.options.jobs, 3);
  EXPECT_EQ(trace.options.end, Duration::hours(2));
  EXPECT_EQ(trace.options.overrun, SwfOptions::Overrun::kExtend);
  EXPECT_EQ(trace.options.width, SwfOptions::Width::kAllocated);
  EXPECT_EQ(trace.options.estimates, SwfOptions::Estimates::kExact);
  EXPECT_EQ(trace.options.zero_run, SwfOptions::ZeroRun::kDrop);
  EXPECT_EQ(trace.options.preceding, SwfOptions::Preceding::kHonor);
  EXPECT_EQ(trace.options.divide_arrivals, 2);
}

TEST(YamlReader, TakesABareTraceForAWorkload) {
  const WorkloadDocument document = WorkloadDocument::from_trace(kExamples + "small.swf");
  const Workload w = document.read();
  EXPECT_EQ(w.name, "small");
  EXPECT_TRUE(w.cluster.from_trace);
  EXPECT_EQ(std::get<TraceItem>(w.items.at(0)).path, kExamples + "small.swf");
  EXPECT_EQ(document.read({{"cluster.slots", "9", "--set"}}).cluster.classes.at(0).capacity.cores, 9);
  EXPECT_EQ(document.read({{"work.small.jobs", "2", "--set"}}).items.size(), 1U);
}

TEST(YamlReader, ReadsMeasureSweepAndRecord) {
  const Workload w = read(kTenants + "work: [{workflow: w, user: gil, stages: [{name: a, runtime: 1s}]}]\n" + R"(
measure: {from: 3d, to: 17d, give_up: 60d, late: 24h, starved: 12h, tau: 60s, classes: {bulk: {priority: -10}, victims: {user: [ada, ben]}}}
policies: [default, race]
sweep: {replications: 30, seed: 18446744073709551615, vary: {cluster.slots: [2, 3], work.w.at: [0s, 1.5h], policy: [default, race]}}
record: {stages: true, queue: 60s, priorities: [w]}
)");
  EXPECT_EQ(w.measure.from, Duration::hours(72));
  EXPECT_EQ(w.measure.classes.at(1).users, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(w.sweep.seed, 18'446'744'073'709'551'615U);
  ASSERT_EQ(w.sweep.axes.size(), 2U);
  EXPECT_EQ(w.sweep.axes[1].path, "work.w.at");
  EXPECT_EQ(w.sweep.axes[1].values, (std::vector<std::string>{"0s", "1.5h"}));
  EXPECT_EQ(w.policies.size(), 2U);
  EXPECT_EQ(w.record.stages, RecordStages::kTrue);
  EXPECT_EQ(w.record.queue, Duration::seconds(60));
}

TEST(YamlReader, ReadsInlinePolicies) {
  const Workload w = read(
      kWork +
      "policies: [race, {policy: mine, about: x, ties: [shortest, declaration], placement: easy, backfill: shortest, "
      "preemption: off, hold: ignore}]\n");
  const Policy& mine = w.policies.at(1);
  EXPECT_EQ(w.policies[0], *find_preset("race"));
  EXPECT_EQ(mine.priority, Priority::kNone);
  EXPECT_EQ(mine.ties, (std::vector<Tie>{Tie::kShortest, Tie::kDeclaration}));
  EXPECT_EQ(mine.placement, Placement::kEasy);
  EXPECT_EQ(mine.backfill, Backfill::kShortest);
  EXPECT_EQ(mine.hold, HoldRule::kIgnore);
}

TEST(YamlReader, PutsParametersWhereAScalarStands) {
  const Workload w = read(
      "params: {slots: 3, who: null, sigma: 0.5}\ncluster: {slots: $slots}\n"
      "work: [{workflow: $who, stages: [{name: a, runtime: {lognormal: {median: 1s, sigma: $sigma}}, command: cost "
      "$slots}]}]");
  EXPECT_EQ(w.cluster.classes.at(0).capacity.cores, 3);
  EXPECT_EQ(workflow(w).name, "null");
  EXPECT_EQ(workflow(w).stages[0].run_time.b, 0.5L);
  EXPECT_EQ(workflow(w).stages[0].command, "cost $slots");
}

TEST(YamlReader, KnowsAnAliasForWhatItStandsFor) {
  const Workload w =
      read("work: [{workflow: w, stages: [{name: a, runtime: &t {uniform: [1s, 2s]}}, {name: b, runtime: *t}]}]",
           {{"work.w.stages.a.runtime.uniform[0]", "500ms", "--set"}});
  EXPECT_EQ(workflow(w).stages[0].run_time.a, 5e8L);
  EXPECT_EQ(workflow(w).stages[1].run_time.a, 1e9L);  // a change at one place is not seen at another
}

// ---- overrides

TEST(Override, ReachesEveryPartByPath) {
  const std::string text = R"(
params: {slots: 3}
work:
  - workflow: build
    plan: {steps: [{hold: [{name: sleep 2.0, runtime: 2s}]}, {plan: {name: sub, steps: [{name: x, runtime: 1s}]}}]}
  - generate: {name: base, count: 3, arrivals: {poisson: {rate: 4/h}}, runtime: 1s}
)";
  const Workload w = read(text, {{"cluster.slots", "7", "--set"},
                                 {"work.base.arrivals.poisson.rate", "36/h", "--set"},
                                 {"work[0].at", "5s", "--set"},
                                 {"work.build.plan.steps.sleep 2.0.runtime", "9s", "--set"},
                                 {"work.build.plan.steps.sub.steps[0].runtime", "8s", "--set"},
                                 {"work[1].generate.count", "4", "--set"},
                                 {"scheduler.overheads.declare", "1ms", "--set"}});
  EXPECT_EQ(w.cluster.classes.at(0).capacity.cores, 7);
  EXPECT_EQ(generated(w, 1).arrivals.rate_per_ns, 36.0L / 3'600'000'000'000.0L);
  EXPECT_EQ(workflow(w).at.ns, 5'000'000'000);
  EXPECT_EQ(workflow(w).stages[1].run_time.constant, 9'000'000'000);
  EXPECT_EQ(workflow(w).stages[3].run_time.constant, 8'000'000'000);
  EXPECT_EQ(generated(w, 1).count, 4);
  EXPECT_EQ(workflow(w).plans[0].declare, Duration::milliseconds(1));
}

TEST(Override, IsNamedInItsErrors) {
  EXPECT_EQ(errors_of(kWork, {{"cluster.slots", "many", "--set"}}),
            "--set cluster.slots=many: slots: expected a whole number from 1 to 1000000000, found 'many'\n");
  EXPECT_EQ(errors_of(kWork, {{"cluster.slotz", "3", "--set"}}),
            "--set cluster.slotz=3: unknown key 'slotz' in cluster; did you mean 'slots'?\n");
  EXPECT_EQ(errors_of(kWork, {{"clustr.slots", "3", "--set"}}),
            "--set clustr.slots=3: unknown key 'clustr' in the workload; did you mean 'cluster'?\n");
  EXPECT_EQ(errors_of(kWork, {{"work[1].at", "3", "--set"}}),
            "--set work[1].at=3: the list has 1 entries, so there is no [1]\n");
  EXPECT_EQ(errors_of(kWork, {{"work.w.stages.b.runtime", "3", "--set"}}),
            "--set work.w.stages.b.runtime=3: there is no entry 'b'\n");
  EXPECT_EQ(errors_of(kWork, {{"work.w.at.x", "3", "--set"}, {"work.w.at", "[", "--set"}}),
            "--set work.w.at=[: the value is no YAML: a '[' is not closed by a ']', or a ',' is missing\n"
            "--set work.w.at.x=3: at: expected a duration like 4.1s, found a map\n");
  EXPECT_EQ(errors_of("params: {n: 3}\ncluster: {slots: $n}\n" + kWork, {{"params.n", "x", "sweep.vary"}}),
            "sweep.vary params.n=x: slots: expected a whole number from 1 to 1000000000, found 'x' (from $n)\n");
}

TEST(Override, OfAParameterThatNothingUsesIsAnError) {
  const std::string text =
      "params: {slots: 3}\ncluster: {slots: $slots}\nwork: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n";
  EXPECT_EQ(errors_of(text, {{"params.slots", "4", "--set"}}), "no error");
  EXPECT_EQ(errors_of(text, {{"params.slto", "4", "--set"}}),
            "--set params.slto=4: nothing in the file uses '$slto'; did you mean '$slots'?\n");
}

TEST(Override, OfASweptPathIsAnError) {
  const std::string text = "cluster: {slots: 3}\n" + kWork + "sweep: {vary: {cluster.slots: [2, 3]}}\n";
  EXPECT_EQ(errors_of(text, {{"cluster.slots", "4", "--set"}}),
            "--set cluster.slots=4: the file's sweep varies 'cluster.slots'; set 'sweep.vary.cluster.slots' instead, "
            "or leave this out\n");
  EXPECT_EQ(read(text, {{"cluster.slots", "4", "sweep.vary"}}).cluster.classes.at(0).capacity.cores, 4);
  EXPECT_EQ(read(text, {{"sweep.vary.cluster.slots", "[5]", "--set"}}).sweep.axes.at(0).values,
            std::vector<std::string>{"5"});
}

// ---- policies by name and by file

TEST(ReadPolicy, KnowsPresetsFilesAndBraces) {
  EXPECT_EQ(read_policy("easy"), *find_preset("easy"));
  EXPECT_EQ(read_policy("{policy: mine, ties: [longest]}").ties, std::vector<Tie>{Tie::kLongest});
  const std::string path = testing::TempDir() + "/gentle_policy.yaml";
  std::ofstream(path) << "policy: gentle\nplacement: strict\n";
  EXPECT_EQ(read_policy(path).name, "gentle");
  EXPECT_EQ(read_policy(path).placement, Placement::kStrict);
}

std::string policy_errors_of(const std::string& name) {
  try {
    return read_policy(name).name;
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(ReadPolicy, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(policy_errors_of("easy_sjbb"), "unknown policy 'easy_sjbb'; did you mean 'easy_sjbf'?\n");
  EXPECT_EQ(policy_errors_of("expr:1 + 1"), "expr:1 + 1");
  const std::string path = testing::TempDir() + "/aging_policy.yaml";
  std::ofstream(path) << "policy: aging\nparams: {cap: 84}\npriority: \"min(1, cap)\"\nties: [tail_tim]\n";
  EXPECT_EQ(
      policy_errors_of(path),
      path +
          ":4:8: ties: expected tail_time, declaration, submit_time, shortest, longest, largest, smallest or random, "
          "found 'tail_tim'; did you mean 'tail_time'?\n    4 | ties: [tail_tim]\n      |        ^^^^^^^^\n");
}

// ---- files

TEST(WorkloadFile, ThatIsNotThereIsToldFromOneThatIsWrong) {
  try {
    static_cast<void>(WorkloadDocument::load("/nonexistent/w.yaml"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), InputError::Kind::kNoInput);
    EXPECT_STREQ(error.what(), "/nonexistent/w.yaml: cannot be opened: No such file or directory\n");
  }
}

TEST(WorkloadFile, KeepsItsTextAndReadsAnyLineEnds) {
  const std::string text = "\xEF\xBB\xBFname: x\r\ncluster: {slots: 0}\r\n" + kWork;
  const WorkloadDocument document = WorkloadDocument::parse(text, "w.yaml");
  EXPECT_EQ(document.text(), text);
  EXPECT_NE(errors_of(text).find("w.yaml:2:18: "), std::string::npos) << errors_of(text);
}

TEST(WorkloadFile, CountsColumnsInCodePoints) {
  EXPECT_NE(errors_of("name: é\ncluster: {pools: {é: 1}, slots: 0}\n" + kWork).find("w.yaml:2:33: "),
            std::string::npos);
}

class Example : public testing::TestWithParam<const char*> {};

TEST_P(Example, ReadsAsItIs) { EXPECT_GT(WorkloadDocument::load(kExamples + GetParam()).read().items.size(), 0U); }

INSTANTIATE_TEST_SUITE_P(All, Example,
                         testing::Values("catch_up.yaml", "cluster.yaml", "duration_and_hold.yaml", "hold_vs_race.yaml",
                                         "queue.yaml", "trace.yaml", "urgent_backlog.yaml", "vocabulary.yaml"));

// The worked example of StepUp's documentation: startup 0, declare 1 ms, teardown 100 ms, four steps in one hold.
TEST(WorkloadFile, DurationAndHoldMeansWhatItSays) {
  const Workload w = WorkloadDocument::load(kExamples + "duration_and_hold.yaml").read();
  const WorkflowItem& item = workflow(w);
  ASSERT_EQ(item.stages.size(), 5U);
  EXPECT_EQ(item.stages[4].name, "sleep 4.1");
  EXPECT_EQ(item.stages[4].run_time.constant, 4'100'000'000);
  EXPECT_EQ(item.plans.at(0).declare, Duration::milliseconds(1));
  EXPECT_EQ(item.plans.at(0).teardown, Duration::milliseconds(100));
  EXPECT_EQ(item.plans.at(0).ops.size(), 6U);
  EXPECT_EQ(w.cluster.classes.at(0).capacity.cores, 3);
}

}  // namespace
}  // namespace headroom
