#include "workloads/realise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "trace_files.h"
#include "workloads/diagnostics.h"

namespace headroom {
namespace {

using testing::data_file;
using testing::real_trace;

constexpr std::int64_t kSecond = 1'000'000'000;

Workload on_slots(std::int64_t slots) {
  Workload workload;
  workload.name = "test";
  NodeClass node;
  node.name = "slots";
  node.capacity.cores = slots;
  workload.cluster.classes = {node};
  workload.tenants.organizations = {{"default", 0}};
  workload.tenants.users = {{"default", 0}};
  workload.tenants.accounts = {{"default", 0, 0, {0}}};
  workload.policies.emplace_back();
  return workload;
}

Distribution make(Distribution::Kind kind, long double a, long double b = 0) {
  Distribution result;
  result.kind = kind;
  result.a = a;
  result.b = b;
  return result;
}
Distribution seconds(std::int64_t s) { return Distribution::always(s * kSecond); }

StageTemplate stage(std::string name, std::int64_t run_s, std::vector<Need> needs = {}) {
  StageTemplate result;
  result.name = std::move(name);
  result.run_time = seconds(run_s);
  result.needs = std::move(needs);
  return result;
}

Work realised(const Workload& workload, std::uint64_t seed = 1, std::uint64_t replication = 0) {
  TraceCache traces;
  return realise(workload, seed, replication, traces);
}

std::string message_of(const Workload& workload) {
  try {
    static_cast<void>(realised(workload));
  } catch (const InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "no error";
}

std::vector<std::string> stage_names(const Work& work) {
  std::vector<std::string> names;
  for (StageRow row = 0; row < work.stages(); ++row) names.push_back(work.stage_name(row));
  return names;
}

std::vector<StageRow> needs_of(const Work& work, StageRow row) {
  if (work.needs_begin.empty()) return {};
  return {work.needs.begin() + work.needs_begin[row], work.needs.begin() + work.needs_begin[row + 1]};
}

std::vector<std::int64_t> in_seconds(const auto& column) {
  std::vector<std::int64_t> result;
  for (const auto& value : column) result.push_back(value.ns / kSecond);
  return result;
}

std::vector<std::string> repairs_of(const Work& work) {
  std::vector<std::string> result;
  for (const Repair& repair : work.repairs) {
    result.push_back(std::to_string(repair.count) + "x " + repair.what + " (" + repair.example + ")");
  }
  return result;
}

// ---- workflows

//   fetch ──► shard[0..2] ──► plot[0..2]   (element to element)
//      └────────────────────► all          (all shards, and fetch)
Workload diamond() {
  Workload workload = on_slots(4);
  WorkflowItem item;
  item.name = "train";
  item.at = TimePoint{600 * kSecond};
  item.priority = -10;
  StageTemplate shard = stage("shard", 3, {{0, false, {}}}), plot = stage("plot", 1, {{1, true, {}}});
  shard.count = 3;
  plot.count = 3;
  item.stages = {stage("fetch", 5), shard, plot, stage("all", 2, {{1, false, {}}, {0, false, {}}}),
                 stage("one", 2, {{1, false, 2}})};
  workload.items = {item};
  return workload;
}

TEST(Realise, GivesArraysRowsInFileOrder) {
  const Work work = realised(diamond());
  EXPECT_LIST((stage_names(work)), "fetch", "shard[0]", "shard[1]", "shard[2]", "plot[0]", "plot[1]", "plot[2]", "all",
              "one");
  EXPECT_EQ(work.workflow_name(0), "train");
  EXPECT_EQ(work.submitted_at[0].ns, 600 * kSecond);
  EXPECT_EQ(work.priority[0], -10);
  EXPECT_LIST((in_seconds(work.run_time)), 5, 3, 3, 3, 1, 1, 1, 2, 2);
  EXPECT_LIST((work.first_stage), 0, 9);
  EXPECT_TRUE(work.declarer.empty());
  EXPECT_TRUE(work.program.empty());
  EXPECT_TRUE(work.root_plan.empty());
  EXPECT_EQ(work.demands.size(), 1U);
}

TEST(Realise, TiesElementsToElementsAndToAll) {
  const Work work = realised(diamond());
  EXPECT_TRUE(needs_of(work, 0).empty());
  EXPECT_LIST((needs_of(work, 1)), 0);
  EXPECT_LIST((needs_of(work, 4)), 1);
  EXPECT_LIST((needs_of(work, 6)), 3);
  EXPECT_LIST((needs_of(work, 7)), 0, 1, 2, 3);
  EXPECT_LIST((needs_of(work, 8)), 3);
  EXPECT_EQ(work.needs_begin.size(), work.stages() + 1);
}

TEST(Realise, FallsBackFromEstimateToWalltimeToDefault) {
  Workload workload = diamond();
  workload.scheduler.default_estimate = Duration::seconds(7);
  auto& item = std::get<WorkflowItem>(workload.items[0]);
  item.stages[0].estimate = seconds(4);
  item.stages[0].walltime = Duration::seconds(50);
  item.stages[1].walltime = Duration::seconds(60);
  const Work work = realised(workload);
  EXPECT_LIST((in_seconds(work.estimate)), 4, 60, 60, 60, 7, 7, 7, 7, 7);
  ASSERT_EQ(work.walltime.size(), work.stages());
  EXPECT_EQ(work.walltime[3], Duration::seconds(60));
  EXPECT_TRUE(work.walltime[4].is_infinite());
}

TEST(Realise, TiesFilesByNameAndElement) {
  Workload workload = diamond();
  auto& stages = std::get<WorkflowItem>(workload.items[0]).stages;
  for (auto& each : stages) each.needs.clear();
  stages[1].outputs = {"{i}.o", "log"};
  stages[2].inputs = {"{i}.o"};
  stages[3].inputs = {"2.o", "log", "nowhere.json"};
  stages[4].inputs = {"nowhere.json"};
  const Work work = realised(workload);
  EXPECT_LIST((needs_of(work, 4)), 1);
  EXPECT_LIST((needs_of(work, 6)), 3);
  EXPECT_LIST((needs_of(work, 7)), 1, 2, 3, 9);
  EXPECT_LIST((needs_of(work, 8)), 9);
  EXPECT_LIST((work.missing), "nowhere.json");
}

TEST(Realise, NumbersWhatIsMissingAfterTheRowsOfAllItems) {
  Workload workload = diamond();
  auto& stages = std::get<WorkflowItem>(workload.items[0]).stages;
  stages[4].undefined_resources = {{"license", 1}};
  workload.items.push_back(diamond().items[0]);
  const Work work = realised(workload);
  EXPECT_EQ(work.stages(), 18U);
  EXPECT_LIST((needs_of(work, 8)), 3, 18);
  EXPECT_LIST((needs_of(work, 9 + 8)), 9 + 3);
  EXPECT_LIST((work.missing), "license");
}

TEST(Realise, BoundsWhatArraysNeedOfEachOther) {
  Workload workload = diamond();
  auto& stages = std::get<WorkflowItem>(workload.items[0]).stages;
  stages[1].count = 20'000;
  stages[2] = stage("cross", 1, {{1, false, {}}});
  stages[2].count = 20'000;
  EXPECT_CONTAINS((message_of(workload)), "the arrays of workflow 'train' need each other 400");
  stages[1].count = INT64_MAX;
  EXPECT_CONTAINS((message_of(workload)), "more than 200000000 stages");
}

TEST(Realise, RefusesAStageThatNoNodeHolds) {
  Workload workload = diamond();
  std::get<WorkflowItem>(workload.items[0]).stages[3].demand.cores = 5;
  EXPECT_CONTAINS((message_of(workload)), "stage 'all' of workflow 'train' asks for more");
}

// ---- plans

Workload planned() {
  Workload workload = on_slots(3);
  workload.scheduler.overheads.step = Duration::seconds(100);
  WorkflowItem item;
  item.name = "build";
  StageTemplate plan = stage("plan", 0), cc = stage("cc", 2), sub = stage("sub", 0), inner = stage("inner", 4);
  plan.plan = 0;
  cc.count = 3;
  cc.declarer = 0;
  sub.declarer = 0;
  sub.plan = 1;
  inner.declarer = 2;
  item.stages = {plan, cc, sub, inner};
  PlanTemplate root, below;
  root.startup = Duration::seconds(1);
  root.declare = Duration::milliseconds(1);
  root.teardown = Duration::seconds(2);
  root.hold = Duration::milliseconds(3);
  root.release = Duration::milliseconds(6);
  using Kind = PlanOp::Kind;
  root.ops = {{Kind::kHold, 0, {}},
              {Kind::kDeclare, 1, {}},
              {Kind::kRelease, 0, {}},
              {Kind::kPause, 0, Duration::seconds(9)},
              {Kind::kDeclare, 2, {}}};
  below.declare = Duration::milliseconds(5);
  below.ops = {{Kind::kDeclare, 3, {}}};
  item.plans = {root, below};
  workload.items = {item};
  return workload;
}

std::vector<StageRow> declared(const PlanProgram& program) {
  std::vector<StageRow> rows;
  for (const auto& op : program.ops) rows.push_back(op.stage);
  return rows;
}

TEST(Realise, WritesAProgramForEveryPlan) {
  const Work work = realised(planned());
  EXPECT_LIST((stage_names(work)), "plan", "cc[0]", "cc[1]", "cc[2]", "sub", "inner");
  EXPECT_LIST((work.declarer), kNoRow, 0, 0, 0, 0, 4);
  EXPECT_LIST((work.program), 0, -1, -1, -1, 1, -1);
  EXPECT_LIST((work.root_plan), 0);
  ASSERT_EQ(work.plans.size(), 2U);
  const PlanProgram& root = work.plans[0];
  EXPECT_EQ(root.stage, 0U);
  EXPECT_EQ(root.startup, Duration::seconds(1));
  EXPECT_EQ(root.teardown, Duration::seconds(2));
  EXPECT_LIST((declared(root)), kNoRow, 1, 2, 3, kNoRow, kNoRow, 4);
  EXPECT_EQ(root.ops[0].cost, Duration::milliseconds(3));
  EXPECT_EQ(root.ops[1].cost, Duration::milliseconds(1));
  EXPECT_EQ(root.ops[4].cost, Duration::milliseconds(6));
  EXPECT_EQ(root.ops[5].cost, Duration::seconds(9));
  EXPECT_EQ(work.plans[1].stage, 4U);
  EXPECT_EQ(work.plans[1].ops.at(0).cost, Duration::milliseconds(5));
}

TEST(Realise, AddsTheStepOverheadToDeclaredStepsOnly) {
  Workload workload = planned();
  workload.items.push_back(diamond().items[0]);
  const Work work = realised(workload);
  EXPECT_LIST((in_seconds(work.run_time)), 0, 102, 102, 102, 0, 104, 5, 3, 3, 3, 1, 1, 1, 2, 2);
}

TEST(Realise, LetsAPlansStepAskForWhatThereIsNot) {
  Workload workload = planned();
  std::get<WorkflowItem>(workload.items[0]).stages[3].demand.cores = 99;
  EXPECT_EQ(message_of(workload), "no error");
}

TEST(Realise, PermutesDeclarationsAndLeavesHoldsInPlace) {
  Workload workload = planned();
  auto& plan = std::get<WorkflowItem>(workload.items[0]).plans[0];
  plan.order = PlanOrder::kReversed;
  EXPECT_LIST((declared(realised(workload).plans[0])), kNoRow, 4, 3, 2, kNoRow, kNoRow, 1);
  plan.order = PlanOrder::kShuffled;
  std::set<std::vector<StageRow>> orders;
  for (std::uint64_t replication = 0; replication < 400; ++replication) {
    const auto order = declared(realised(workload, 1, replication).plans[0]);
    EXPECT_EQ(order[0], kNoRow);
    EXPECT_EQ(order[4], kNoRow);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 24U);  // all orders of four: each is missed by 400 draws with probability 4e-8
  EXPECT_EQ(declared(realised(workload, 1, 7).plans[0]), declared(realised(workload, 1, 7).plans[0]));
  EXPECT_TRUE(is_random(workload));
}

// ---- generated work

Workload generated(const std::function<void(GenerateItem&)>& change) {
  Workload workload = on_slots(100);
  GenerateItem item;
  item.name = "base";
  item.tenants = {{0, 0, 1}};
  item.run_time = seconds(10);
  item.arrivals.every = Duration::seconds(60);
  item.count = 3;
  change(item);
  workload.items = {item};
  return workload;
}

TEST(Generate, NamesItsWorkflowsByIndex) {
  const Work work = realised(generated([](GenerateItem&) {}));
  EXPECT_EQ(work.workflow_name(0), "base[0]");
  EXPECT_EQ(work.workflow_name(2), "base[2]");
  EXPECT_EQ(work.stage_name(1), "main");
  EXPECT_LIST((in_seconds(work.estimate)), 10, 10, 10);  // exact unless given
}

TEST(Generate, ArrivesPeriodically) {
  const auto times = [](const std::function<void(GenerateItem&)>& change) {
    return in_seconds(realised(generated(change)).submitted_at);
  };
  EXPECT_LIST((times([](GenerateItem& item) { item.arrivals.first = Duration::seconds(5); })), 5, 65, 125);
  const auto until_120 = [](GenerateItem& item) {
    item.count.reset();
    item.until = Duration::seconds(120);  // exclusive
  };
  EXPECT_LIST((times(until_120)), 0, 60);
  EXPECT_LIST((times([&](GenerateItem& item) {
                until_120(item);
                item.count = 1;
              })),
              0);
}

TEST(Generate, ArrivesInBursts) {
  const auto times = [](const std::function<void(GenerateItem&)>& change) {
    return in_seconds(realised(generated([&](GenerateItem& item) {
                        item.arrivals.kind = Arrivals::Kind::kBurst;
                        item.arrivals.first = Duration::seconds(7);
                        change(item);
                      })).submitted_at);
  };
  EXPECT_LIST((times([](GenerateItem& item) { item.arrivals.every = {}; })), 7, 7, 7);
  EXPECT_LIST((times([](GenerateItem& item) { item.arrivals.size = 2; })), 7, 7, 67);
  EXPECT_LIST((times([](GenerateItem&) {})), 7, 67, 127);
  EXPECT_LIST((times([](GenerateItem& item) {
                item.count.reset();
                item.until = Duration::seconds(68);
                item.arrivals.size = 2;
              })),
              7, 7, 67, 67);
}

GenerateItem& poisson(GenerateItem& item, long double per_hour) {
  item.arrivals.kind = Arrivals::Kind::kPoisson;
  item.arrivals.rate_per_ns = per_hour / 3600e9L;
  return item;
}

// 100 000 gaps of mean 90 s: their mean has a standard deviation of 0.285 s; four of these are 1.14 s.
TEST(Generate, ArrivesAsAPoissonProcessAfterOneGap) {
  const Work work = realised(generated([](GenerateItem& item) { poisson(item, 40).count = 100'000; }));
  EXPECT_GT(work.submitted_at[0], TimePoint::zero());
  EXPECT_NEAR(work.submitted_at.back().in_seconds() / 100'000, 90, 1.14);
  for (std::size_t w = 1; w < work.workflows(); ++w) {
    ASSERT_GE(work.submitted_at[w], work.submitted_at[w - 1]);
    ASSERT_EQ(work.submitted_at[w].ns % 1000, 0);
  }
}

TEST(Generate, StopsAPoissonProcessBeforeUntil) {
  const Work work = realised(generated([](GenerateItem& item) {
    poisson(item, 3600).count.reset();
    item.until = Duration::hours(1);
  }));
  EXPECT_NEAR(static_cast<double>(work.workflows()), 3600, 240);  // four standard deviations
  EXPECT_LT(work.submitted_at.back(), TimePoint::zero() + Duration::hours(1));
}

TEST(Generate, KeepsEveryOtherDrawWhenTheRateOrTheClusterChanges) {
  const auto item = [](long double rate) {
    return [rate](GenerateItem& to) {
      poisson(to, rate).count = 200;
      to.run_time = make(Distribution::Kind::kLognormal, 600e9L, 1.2L);
      to.estimate_factor = make(Distribution::Kind::kLognormal, 1e6L, 0.3L);
      to.cores = make(Distribution::Kind::kUniform, 1, 64);
    };
  };
  const Work one = realised(generated(item(10)));
  Workload changed = generated(item(40));
  changed.cluster.classes[0].capacity.cores = 1000;
  changed.items.insert(changed.items.begin(), diamond().items[0]);  // another item before it
  const Work other = realised(changed);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const StageRow row = other.first_stage[i + 1];
    EXPECT_EQ(one.run_time[i], other.run_time[row]);
    EXPECT_EQ(one.estimate[i], other.estimate[row]);
    EXPECT_EQ(one.demands[one.demand[i]], other.demands[other.demand[row]]);
    EXPECT_EQ(one.tie_draw(i), other.tie_draw(row));
    // A rate four times as high: gaps a quarter as long, up to the rounding of each.
    EXPECT_NEAR(static_cast<double>(one.submitted_at[i].ns), 4.0 * static_cast<double>(other.submitted_at[i + 1].ns),
                2500.0 * (i + 1));
  }
  EXPECT_NE(realised(generated(item(10)), 1, 1).run_time, one.run_time);
  EXPECT_NE(realised(generated(item(10)), 2, 0).run_time, one.run_time);
}

TEST(Generate, ScalesAnEstimateByAFactorOfTheRunTime) {
  const Work work = realised(generated([](GenerateItem& item) {
    item.run_time = Distribution::always(1'000'000'001);
    item.estimate_factor = Distribution::always(1'500'000);
  }));
  EXPECT_EQ(work.estimate[0].ns, 1'500'000'002);  // 1 500 000 001.5, half away from zero
}

TEST(Generate, ChoosesTenantsByWeight) {
  Workload workload = generated([](GenerateItem& item) {
    item.count = 10'000;
    item.tenants = {{0, 0, 3}, {1, 1, 1}};
  });
  workload.tenants.users.push_back({"ben", 0});
  workload.tenants.accounts.push_back({"research", 0, 0, {1}});
  const Work work = realised(workload);
  const auto second = std::count(work.user.begin(), work.user.end(), 1U);
  EXPECT_NEAR(static_cast<double>(second), 2500, 4 * 43.3);  // sd = sqrt(10000 * 3/16)
  for (std::size_t w = 0; w < work.workflows(); ++w) ASSERT_EQ(work.account[w], work.user[w]);
}

TEST(Generate, InternsWhatStagesAskFor) {
  const Work work = realised(generated([](GenerateItem& item) {
    item.count = 1000;
    item.cores = make(Distribution::Kind::kUniform, 1, 8);
  }));
  EXPECT_EQ(work.demands.size(), 8U);
}

TEST(Generate, RefusesWhatCannotRunOrEnd) {
  EXPECT_CONTAINS((message_of(generated([](GenerateItem& item) { item.cores = Distribution::always(101); }))),
                  "generate 'base' draws a stage of 101 cores");
  EXPECT_CONTAINS((message_of(generated([](GenerateItem& item) { item.count = 1'000'000'000; }))),
                  "makes about 1000000000 workflows");
  EXPECT_CONTAINS((message_of(generated([](GenerateItem& item) {
                    poisson(item, 3.6e15L).count.reset();
                    item.until = Duration::hours(24);
                  }))),
                  "makes about 86400");
  EXPECT_CONTAINS((message_of(generated([](GenerateItem& item) { item.arrivals.every = Duration::hours(2'000'000); }))),
                  "more than 292 years");
}

// ---- traces

Workload of_trace(
    const std::string& path, const std::function<void(SwfOptions&)>& change = [](SwfOptions&) {}) {
  Workload workload = on_slots(64);
  TraceItem item;
  item.name = "trace";
  item.path = path;
  change(item.options);
  workload.items = {item};
  return workload;
}

TEST(Trace, BecomesWorkflowsOfOneStage) {
  const Work work = realised(of_trace(data_file("swf/oddities.swf")));
  // Job 5 is wider than 64; the others by submission.
  ASSERT_EQ(work.workflows(), 4U);
  EXPECT_EQ(work.workflow_name(0), "job1");
  EXPECT_EQ(work.workflow_name(1), "job3");
  EXPECT_EQ(work.workflow_name(2), "job2");
  EXPECT_EQ(work.workflow_name(3), "job6");
  EXPECT_EQ(work.stage_name(2), "main");
  EXPECT_LIST((in_seconds(work.submitted_at)), 0, 5, 10, 40);
  EXPECT_LIST((in_seconds(work.run_time)), 100, 200, 0, 60);
  EXPECT_LIST((in_seconds(work.estimate)), 200, 200, 0, 90);
  EXPECT_EQ(work.demands[work.demand[1]].cores, 8);
  EXPECT_FALSE(work.demands[work.demand[1]].spread);
  EXPECT_EQ(work.start_unix_s, 1'000'000'000);
  EXPECT_FALSE(work.cluster_from_trace);
  EXPECT_LIST((repairs_of(work)), "1x MaxJobs is not the number of job lines (MaxJobs 3, job lines 7)",
              "1x line of a partial execution (status 2 to 4) skipped (line 19: status 2)",
              "1x job of run time < 0 dropped (line 17: run time -1)",
              "1x job wider than the cluster dropped (line 18: 65 processors, the cluster has 64)",
              "1x number of processors taken from the other column (line 14: 1 processors)",
              "1x no requested time: the run time taken as estimate (line 14)",
              "1x run time cut to the requested time (overrun: cap) (line 15: run time 300 s, requested 200 s)",
              "1x submit time falls: jobs sorted by submission (line 15: submit time 5 after a later one)");
}

TEST(Trace, MakesUsersInTheTraceAccount) {
  Workload workload = of_trace(data_file("swf/oddities.swf"), [](SwfOptions& options) { options.users = {{9, 0}}; });
  workload.cluster.classes[0].capacity.cores = 100;
  const Work work = realised(workload);
  ASSERT_EQ(work.tenants.users.size(), 3U);
  EXPECT_EQ(work.tenants.users[1].name, "user7");
  EXPECT_EQ(work.tenants.users[2].name, "user-unknown");
  ASSERT_EQ(work.tenants.accounts.size(), 2U);
  EXPECT_EQ(work.tenants.accounts[1].name, "trace");
  EXPECT_EQ(work.tenants.accounts[1].organization, 0U);
  EXPECT_LIST((work.tenants.accounts[1].users), 1, 2);
  EXPECT_LIST((work.user), 1, 0, 1, 2, 1);
  EXPECT_LIST((work.account), 1, 0, 1, 1, 1);
  workload.items.push_back(workload.items[0]);  // the same users again: none is made twice
  EXPECT_EQ(realised(workload).tenants.users.size(), 3U);
  EXPECT_LIST((realised(workload).tenants.accounts[1].users), 1, 2);
}

TEST(Trace, FollowsItsOptions) {
  const std::string path = data_file("swf/oddities.swf");
  const auto run_times = [&](const std::function<void(SwfOptions&)>& change) {
    return in_seconds(realised(of_trace(path, change)).run_time);
  };
  const auto estimates = [&](const std::function<void(SwfOptions&)>& change) {
    return in_seconds(realised(of_trace(path, change)).estimate);
  };
  const auto extend = [](SwfOptions& options) { options.overrun = SwfOptions::Overrun::kExtend; };
  EXPECT_LIST((run_times(extend)), 100, 300, 0, 60);
  EXPECT_LIST((estimates(extend)), 200, 300, 0, 90);
  const auto exact = [](SwfOptions& options) { options.estimates = SwfOptions::Estimates::kExact; };
  EXPECT_LIST((estimates(exact)), 100, 200, 0, 60);  // after the cut
  EXPECT_LIST((run_times([](SwfOptions& options) { options.zero_run = SwfOptions::ZeroRun::kDrop; })), 100, 200, 60);
  EXPECT_LIST((run_times([](SwfOptions& options) { options.jobs = 2; })), 100, 200);
  EXPECT_LIST((run_times([](SwfOptions& options) {
                options.start = Duration::seconds(5);
                options.end = Duration::seconds(40);
              })),
              200, 0);  // [start, end)
  EXPECT_LIST((run_times([](SwfOptions& options) {
                options.start = Duration::seconds(5);
                options.jobs = 1;
              })),
              200);
}

TEST(Trace, DividesArrivalsFromTheFirstKeptJob) {
  const auto times = [](std::int64_t divisor, std::int64_t start) {
    return in_seconds(realised(of_trace(data_file("swf/oddities.swf"), [&](SwfOptions& options) {
                        options.divide_arrivals = divisor;
                        options.start = Duration::seconds(start);
                      })).submitted_at);
  };
  EXPECT_LIST((times(3, 0)), 0, 1, 3, 13);
  EXPECT_LIST((times(3, 1)), 5, 6, 16);  // 5, 5 + 5 / 3, 5 + 35 / 3
}

TEST(Trace, TakesTheOtherWidth) {
  // Field 5 is 4 and field 8 is 2, then each alone.
  const std::string path = ::testing::TempDir() + "headroom_width.swf";
  {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fputs("1 0 0 1 4 0 0 2 9\n2 1 0 1 4 0 0 -1 9\n3 2 0 1 -1 0 0 2 9\n", file);
    std::fclose(file);
  }
  const auto widths = [&](SwfOptions::Width width) {
    const Work work = realised(of_trace(path, [&](SwfOptions& options) { options.width = width; }));
    std::vector<std::int64_t> result;
    for (const std::uint32_t demand : work.demand) result.push_back(work.demands[demand].cores);
    return result;
  };
  EXPECT_LIST((widths(SwfOptions::Width::kRequested)), 2, 4, 2);
  EXPECT_LIST((widths(SwfOptions::Width::kAllocated)), 4, 4, 2);
}

TEST(Trace, SpreadsOverSeveralNodes) {
  Workload workload = of_trace(data_file("swf/oddities.swf"));
  workload.cluster.classes[0].count = 2;
  workload.cluster.classes[0].capacity.cores = 33;  // 66 in all: job 5 of 65 cores fits
  const Work work = realised(workload);
  ASSERT_EQ(work.workflows(), 5U);
  EXPECT_EQ(work.demands[work.demand[3]].cores, 65);
  EXPECT_TRUE(work.demands[work.demand[3]].spread);
}

TEST(Trace, BringsItsCluster) {
  Workload workload = of_trace(data_file("swf/oddities.swf"));
  workload.cluster = {};
  workload.cluster.from_trace = true;
  const Work work = realised(workload);
  EXPECT_TRUE(work.cluster_from_trace);
  ASSERT_EQ(work.cluster.classes.size(), 1U);
  EXPECT_EQ(work.cluster.classes[0].name, "slots");
  EXPECT_EQ(work.cluster.classes[0].capacity.cores, 64);
  workload.start_unix_s = 5;
  EXPECT_EQ(realised(workload).start_unix_s, 5);
}

TEST(Trace, WithoutHeaderNeedsACluster) {
  Workload workload = of_trace(data_file("swf/accasim-sample.swf"));
  workload.cluster = {};
  workload.cluster.from_trace = true;
  EXPECT_CONTAINS((message_of(workload)), "has neither MaxProcs nor MaxNodes in its header");
}

TEST(Trace, OfWhichNothingIsLeftIsAnError) {
  const auto late = [](SwfOptions& options) { options.start = Duration::seconds(41); };
  EXPECT_EQ(message_of(of_trace(data_file("swf/oddities.swf"), late)),
            "no job is left of 7 job lines; 1x MaxJobs is not the number of job lines; 1x line of a partial execution "
            "(status 2 to 4) skipped; 1x job of run time < 0 dropped; 1x submit time falls: jobs sorted by submission");
  Workload workload = of_trace(data_file("swf/preceding.swf"), [](SwfOptions& options) {
    options.start = Duration::seconds(20);
    options.zero_run = SwfOptions::ZeroRun::kDrop;
  });
  workload.cluster.classes[0].capacity.cores = 0;
  EXPECT_EQ(message_of(workload),
            "no job is left of 5 job lines; 1x malformed line skipped; 5x job wider than the cluster dropped");
}

TEST(Trace, NumbersRepeatedJobs) {
  const std::string path = ::testing::TempDir() + "headroom_repeated.swf";
  {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fputs("7 0 0 1 1 0 0 1 9\n7 1 0 1 1 0 0 1 9\n3 2 0 1 1 0 0 1 9\n7 3 0 1 1 0 0 1 9\n", file);
    std::fclose(file);
  }
  const Work work = realised(of_trace(path));
  EXPECT_EQ(work.workflow_name(0), "job7");
  EXPECT_EQ(work.workflow_name(1), "job7#2");
  EXPECT_EQ(work.workflow_name(2), "job3");
  EXPECT_EQ(work.workflow_name(3), "job7#3");
  EXPECT_LIST((repairs_of(work)), "2x job number occurs again: named job<number>#<k> (job number 7)",
              "4x unknown user: taken as user-unknown (line 1)");
}

TEST(Trace, HonorsPrecedingJobsOrCountsThem) {
  const std::string path = data_file("swf/preceding.swf");
  const Work ignored = realised(of_trace(path));
  EXPECT_TRUE(ignored.after_begin.empty());
  EXPECT_LIST((repairs_of(ignored)), "1x malformed line skipped (line 1: column 1 is not a number: 'id')",
              "3x preceding job ignored (preceding: ignore) (line 3: preceding job 1)");
  const Work honored =
      realised(of_trace(path, [](SwfOptions& options) { options.preceding = SwfOptions::Preceding::kHonor; }));
  EXPECT_LIST((honored.after_begin), 0, 0, 1, 1, 4, 4);
  EXPECT_LIST((honored.after), 0, 0, 1, 2);
  EXPECT_LIST((in_seconds(honored.think_time)), 0, 0, 0, 60, 0);
  EXPECT_LIST((repairs_of(honored)), "1x malformed line skipped (line 1: column 1 is not a number: 'id')",
              "1x preceding job that is not an earlier job of the trace ignored (line 6: preceding job 9)");
}

TEST(TraceCache, IsSharedByThreads) {
  TraceCache cache;
  std::vector<std::shared_ptr<const SwfTrace>> seen(4);
  std::vector<std::thread> threads;
  for (auto& to : seen) threads.emplace_back([&cache, &to] { to = cache.swf(data_file("swf/oddities.swf")); });
  for (auto& thread : threads) thread.join();
  for (const auto& trace : seen) EXPECT_EQ(trace, seen[0]);
}

// ---- the real logs: n, the sum of processors x run time after the cap, and the first submission of every file of the
// oracle table (facts.json of the shared traces: jobs, area, first_submit).
struct LogTotals {
  const char* file;
  std::int64_t processors;
  std::optional<std::int64_t> first_n;
  SwfOptions::Overrun overrun;
  SwfOptions::ZeroRun zero_run;
  std::size_t jobs;
  std::int64_t area, first_submit;
};
class TraceLogs : public ::testing::TestWithParam<LogTotals> {};

TEST_P(TraceLogs, GiveTheWorkOfTheOracleTable) {
  const LogTotals& totals = GetParam();
  const auto path = real_trace(std::string("swf/") + totals.file);
  HEADROOM_NEEDS_TRACE(path);
  Workload workload = of_trace(*path, [&](SwfOptions& options) {
    options.jobs = totals.first_n;
    options.overrun = totals.overrun;
    options.zero_run = totals.zero_run;
  });
  workload.cluster.classes[0].capacity.cores = totals.processors;
  const Work work = realised(workload);
  EXPECT_EQ(work.workflows(), totals.jobs);
  std::int64_t area = 0;
  for (StageRow row = 0; row < work.stages(); ++row) {
    area += work.run_time[row].ns / kSecond * work.demands[work.demand[row]].cores;
    ASSERT_LE(work.run_time[row], work.estimate[row]);
  }
  EXPECT_EQ(area, totals.area);
  EXPECT_EQ(work.submitted_at[0].ns, totals.first_submit * kSecond);
}

constexpr auto kCap = SwfOptions::Overrun::kCap;
constexpr auto kExtend = SwfOptions::Overrun::kExtend;
constexpr auto kKeep = SwfOptions::ZeroRun::kKeep;
INSTANTIATE_TEST_SUITE_P(
    Table, TraceLogs,
    ::testing::Values(LogTotals{"HPC2N-2002-first3170.swf", 240, {}, kCap, kKeep, 3145, 502'018'364, 0},
                      LogTotals{"HPC2N-2002-first3170.swf", 240, {}, kExtend, kKeep, 3145, 502'634'281, 0},
                      LogTotals{"KTH-SP2-1996-2.swf", 100, 2000, kCap, kKeep, 2000, 135'188'171, 0},
                      LogTotals{"KTH-SP2-1996-2.swf", 100, 2000, kExtend, kKeep, 2000, 135'277'233, 0},
                      // truths.md C1: 28 481 jobs after the filter, total work 2 013 209 080 processor seconds
                      LogTotals{
                          "KTH-SP2-1996-2.swf", 100, {}, kCap, SwfOptions::ZeroRun::kDrop, 28'481, 2'013'209'080, 0},
                      LogTotals{"NASA-iPSC-1993-3-head.swf", 128, {}, kCap, kKeep, 228, 3'281'872, 0},
                      LogTotals{"derived-messy-hpc2n.swf", 240, {}, kCap, kKeep, 391, 93'701'175, 0},
                      LogTotals{"derived-messy-hpc2n.swf", 240, {}, kExtend, kKeep, 391, 93'728'839, 0},
                      LogTotals{"fit-dag1.swf", 16, {}, kCap, kKeep, 12, 50'400, 20},
                      LogTotals{"fit-dag2.swf", 16, {}, kCap, kKeep, 12, 259'200, 0},
                      LogTotals{"lublin_256.swf", 256, 2000, kCap, kKeep, 2000, 403'624'309, 5094}));

// truths.md C1 names the eight KTH jobs that go because their run time is 0.
TEST(Trace, OfKthLosesEightJobsOfRunTimeZero) {
  const auto path = real_trace("swf/KTH-SP2-1996-2.swf");
  HEADROOM_NEEDS_TRACE(path);
  const Work all = realised(of_trace(*path, [](SwfOptions&) {}));
  Workload workload = of_trace(*path);
  workload.cluster.classes[0].capacity.cores = 100;
  const Work work = realised(workload);
  std::vector<std::int64_t> zero;
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    if (work.run_time[w] == Duration{}) zero.push_back(work.items[0].job_numbers[w]);
  }
  EXPECT_LIST((zero), 2466, 4360, 4866, 6608, 15282, 20544, 25143, 25200);
  EXPECT_LT(all.workflows(), work.workflows());  // 64 slots hold fewer
}

TEST(IsRandom, SeesEveryDraw) {
  const auto random = [](const std::function<void(GenerateItem&)>& change) { return is_random(generated(change)); };
  EXPECT_FALSE(random([](GenerateItem&) {}));
  EXPECT_TRUE(random([](GenerateItem& item) { poisson(item, 1); }));
  EXPECT_TRUE(random([](GenerateItem& item) { item.run_time = make(Distribution::Kind::kExponential, 1e9L); }));
  EXPECT_TRUE(random([](GenerateItem& item) { item.estimate_factor = make(Distribution::Kind::kUniform, 1, 2); }));
  EXPECT_TRUE(random([](GenerateItem& item) { item.failing.kind = Failing::Kind::kProbability; }));
  EXPECT_FALSE(random([](GenerateItem& item) { item.failing.kind = Failing::Kind::kAlways; }));
  EXPECT_FALSE(is_random(diamond()));
  EXPECT_FALSE(is_random(of_trace("any.swf")));
  Workload workload = diamond();
  workload.policies[0].ties = {Tie::kRandom};
  EXPECT_TRUE(is_random(workload));
}

}  // namespace
}  // namespace headroom
