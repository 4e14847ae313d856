#include "sim/results/run_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policies/reason.h"
#include "tests/results/samples.h"

namespace headroom {
namespace {

constexpr auto kSecond = Duration::seconds(1);

TimePoint at(std::int64_t s) { return TimePoint::zero() + kSecond * s; }

//   build: fetch -> cc        every: two of three, the last never submitted anything that ran
Work sample_work() {
  Work work;
  work.items = {{"build", Work::Item::Naming::kOne, 0, 1, {"fetch", "cc"}, {}, {}},
                {"base", Work::Item::Naming::kIndexed, 1, 1, {}, {}, {}}};
  work.submitted_at = {at(0), at(10)};
  work.item = {0, 1};
  work.account = {1, 0};
  work.user = {1, 0};
  work.priority = {-3, 2};
  work.first_stage = {0, 2, 3};
  work.workflow_of = {0, 0, 1};
  work.run_time = {kSecond * 5, kSecond * 2, kSecond * 7};
  work.estimate = {kSecond * 4, kSecond * 2, kSecond * 7};
  work.walltime = {Duration::infinite(), kSecond * 100, Duration::infinite()};
  work.demand = {0, 1, 0};
  work.demands = {Demand{}, Demand{4, 1024, 2, 3, false, {}}};
  work.needs_begin = {0, 0, 2, 2};
  work.needs = {0, 3};  // The second is a file that nobody makes.
  work.missing = {"x.json"};
  work.tenants.organizations = {{"acme", 0}, {"globex", 1}};
  work.tenants.accounts = {{"research", 0, 0, {}}, {"ops", 0, 1, {}}};
  work.tenants.users = {{"ada", 0}, {"ben", 0}};
  work.cluster.classes = {{"cpu", 16, {64, 256, 0}}, {"gpu", 4, {32, 512, 8}}};
  work.cluster.pools = {{"license", 2}};
  work.repairs = {{"job of run time < 0 dropped", 3, "line 17"}};
  return work;
}

RunReport sample_report() {
  RunReport report;
  report.status = RunStatus::kGaveUp;
  report.decision_hash = 0xabc;
  report.metrics.assign(metric_catalog().size(), 0);
  report.metrics[metric_index("makespan")] = 12.5;
  report.classes = {{Group::Kind::kClass, "build", 1, 1, 1, 0, report.metrics}};
  report.tenants = {{Group::Kind::kOrganization, "acme", 1, 1, 1, 0, report.metrics},
                    {Group::Kind::kUser, "ada", 1, 1, 1, 0, report.metrics}};
  WorkflowTable& w = report.workflow_table;
  w.submitted_at = {at(0), at(10)};
  w.started_at = {at(1), TimePoint::never()};
  w.finished_at = {at(9), TimePoint::never()};
  w.state = {WorkflowState::kFinished, WorkflowState::kWaiting};
  w.critical_path = {kSecond * 7, kSecond * 7};
  w.klass = {0, 0xffffffff};
  w.catch_up_age_s = {36000, INFINITY};
  w.overtaken_until_s = {testing::kNan, 4};
  w.drain_time_s = {2, testing::kNan};
  w.overtakes = {3, 0};
  w.overtaking_work_s = {7.5, 0};
  AttemptTable& a = report.attempt_table;
  a.stage = {0, 1, 1, 2};
  a.attempt = {0, 0, 1, 0};
  a.kind.assign(4, StageRunKind::kRun);
  a.declared_at = {at(0), at(0), at(0), at(10)};
  a.eligible_at = {at(0), at(6), at(7), at(10)};
  a.started_at = {at(1), at(6), at(7), TimePoint::never()};
  a.finished_at = {at(6), at(7), at(9), TimePoint::never()};
  a.tail_time = {kSecond * 6, kSecond * 2, kSecond * 2, -kSecond};
  a.effective_priority = {-3, -2.5, -2.25, testing::kNan};
  a.reason = {Reason::kAlone, Reason::kPriority, Reason::kDeclaration, Reason::kAlone};
  a.node = {NodeId{0}, NodeId{16}, NodeId{17}, NodeId::none()};
  a.state = {StageState::kFinished, StageState::kFailed, StageState::kFinished, StageState::kEligible};
  a.passed_over_time_s = {0, 1.5, testing::kNan, 0};
  a.overtakes = {0, 2, 0, 0};
  report.holds = {{0, at(2), at(3)}, {1, at(4), TimePoint::never()}};
  report.warnings = {{"W02", "too much load"}};
  return report;
}

RunFacts sample_run_facts() {
  RunFacts facts;
  facts.run = 9;
  facts.point = {1, 1};
  facts.policy = 1;
  facts.replication = 0;
  return facts;
}

class RunTables : public ::testing::Test {
 protected:
  void make(const RunFacts& facts) {
    for (const TableSource& source : run_tables(study_, facts, work_, report_)) tables_.push_back(make_table(source));
  }
  [[nodiscard]] const Table& table(const std::string& name) const {
    const auto found = std::ranges::find(tables_, name, &Table::name);
    EXPECT_NE(found, tables_.end()) << name;
    return *found;
  }
  [[nodiscard]] const Column& column(const std::string& of, const std::string& name) const {
    const Column* found = table(of).find(name);
    EXPECT_NE(found, nullptr) << of << "/" << name;
    return *found;
  }
  template <class Value>
  [[nodiscard]] std::vector<Value> values(const std::string& of, const std::string& name) const {
    return std::get<std::vector<Value>>(column(of, name).data);
  }
  /// The words that a column of codes stands for; "-" for -1.
  [[nodiscard]] std::vector<std::string> words(const std::string& of, const std::string& name) const {
    std::vector<std::string> words;
    const Column& from = column(of, name);
    const auto add = [&](std::int64_t code) {
      words.push_back(code < 0 ? "-" : from.meanings.at(static_cast<std::size_t>(code)));
    };
    if (const auto* small = std::get_if<std::vector<std::uint8_t>>(&from.data)) {
      for (const auto code : *small) add(code);
    } else {
      for (const auto code : std::get<std::vector<std::int32_t>>(from.data)) add(code);
    }
    return words;
  }

  StudyFacts study_ = testing::sample_facts();
  Work work_ = sample_work();
  RunReport report_ = sample_report();
  std::vector<Table> tables_;
};

using Texts = std::vector<std::string>;
using Numbers = std::vector<std::int32_t>;
using Wide = std::vector<std::int64_t>;
using Reals = std::vector<double>;

TEST_F(RunTables, TellTheRunItsPointAndItsMetrics) {
  make(sample_run_facts());
  EXPECT_EQ(table("runs").rows(), 1U);
  EXPECT_EQ(values<std::int64_t>("runs", "params.slots"), Wide{3}) << "an axis of whole numbers is one";
  EXPECT_EQ(values<std::string>("runs", "work.base.every"), Texts{"2h"});
  EXPECT_EQ(values<std::string>("runs", "policy"), Texts{"race"});
  EXPECT_EQ(values<std::uint64_t>("runs", "seed"), std::vector<std::uint64_t>{17});
  EXPECT_EQ(words("runs", "status"), Texts{"gave_up"});
  EXPECT_EQ(values<std::string>("runs", "decision_hash"), Texts{"0000000000000abc"});
  EXPECT_EQ(values<double>("runs", "makespan"), Reals{12.5});
  EXPECT_EQ(column("runs", "makespan").units, "s");
  for (const MetricInfo& info : metric_catalog()) {
    EXPECT_NE(table("runs").find(std::string(info.name)), nullptr) << info.name;
    EXPECT_EQ(table("classes").find(std::string(info.name)) != nullptr, info.in_groups) << info.name;
  }
  EXPECT_EQ(words("tenants", "kind"), (Texts{"organization", "user"}));
}

TEST_F(RunTables, GiveAWorkflowsNamesAndTimes) {
  make(sample_run_facts());
  EXPECT_EQ(values<std::string>("workflows", "name"), (Texts{"build", "base[0]"}));
  EXPECT_EQ(words("workflows", "organization"), (Texts{"globex", "acme"}));
  EXPECT_EQ(words("workflows", "account"), (Texts{"ops", "research"}));
  EXPECT_EQ(words("workflows", "user"), (Texts{"ben", "ada"}));
  EXPECT_EQ(words("workflows", "class"), (Texts{"build", "-"}));
  EXPECT_EQ(column("workflows", "class").names, "class");
  EXPECT_EQ(words("workflows", "state"), (Texts{"finished", "waiting"}));
  EXPECT_EQ(values<std::int64_t>("workflows", "priority"), (Wide{-3, 2}));
  EXPECT_EQ(values<double>("workflows", "submitted_at"), (Reals{0, 10}));
  EXPECT_EQ(values<double>("workflows", "makespan")[0], 9);
  EXPECT_TRUE(std::isnan(values<double>("workflows", "makespan")[1]));
  EXPECT_TRUE(std::isnan(values<double>("workflows", "started_at")[1]));
  EXPECT_TRUE(std::isinf(values<double>("workflows", "catch_up_age")[1]));
}

TEST_F(RunTables, HaveARowAnAttempt) {
  make(sample_run_facts());
  EXPECT_EQ(values<std::int32_t>("stages", "workflow"), (Numbers{0, 0, 0, 1}));
  EXPECT_EQ(values<std::int32_t>("stages", "stage"), (Numbers{0, 1, 1, 2}));
  EXPECT_EQ(values<std::string>("stages", "name"), (Texts{"fetch", "cc", "cc", "main"}));
  EXPECT_EQ(values<std::int32_t>("stages", "attempt"), (Numbers{0, 0, 1, 0}));
  const Reals run_time = values<double>("stages", "run_time");
  EXPECT_EQ((Reals{run_time[0], run_time[1], run_time[2]}), (Reals{5, 1, 2}));
  EXPECT_TRUE(std::isnan(run_time[3]));
  EXPECT_EQ(values<double>("stages", "estimate"), (Reals{4, 2, 2, 7}));
  EXPECT_TRUE(std::isnan(values<double>("stages", "tail_time")[3]));
  EXPECT_EQ(values<double>("stages", "walltime")[1], 100);
  EXPECT_TRUE(std::isinf(values<double>("stages", "walltime")[0]));
  EXPECT_EQ(values<std::int32_t>("stages", "node"), (Numbers{0, 16, 17, -1}));
  EXPECT_EQ(values<std::int64_t>("stages", "cores"), (Wide{1, 12, 12, 1})) << "3 nodes of 4 cores each";
  EXPECT_EQ(values<std::int64_t>("stages", "memory"), (Wide{0, 3072, 3072, 0}));
  EXPECT_EQ(values<std::int64_t>("stages", "gpus"), (Wide{0, 6, 6, 0}));
  const Texts reasons = words("stages", "reason");
  EXPECT_EQ(reasons[1], reason_words()[static_cast<std::size_t>(Reason::kPriority)]);
  EXPECT_EQ(reasons[3], "none") << "it never started";
  EXPECT_EQ(words("stages", "state")[1], stage_state_words()[static_cast<std::size_t>(StageState::kFailed)]);
}

TEST_F(RunTables, ListOnlyDependenciesThatHaveASource) {
  make(sample_run_facts());
  EXPECT_EQ(values<std::int32_t>("dependencies", "source"), Numbers{0});
  EXPECT_EQ(values<std::int32_t>("dependencies", "sink"), Numbers{1});
}

TEST_F(RunTables, TellOfHoldsCapacityWarningsAndRepairs) {
  make(sample_run_facts());
  EXPECT_EQ(values<double>("holds", "from"), (Reals{2, 4}));
  EXPECT_TRUE(std::isnan(values<double>("holds", "to")[1])) << "still open";
  EXPECT_EQ(values<std::string>("capacity", "resource"), (Texts{"cores", "memory", "gpus", "pools.license"}));
  EXPECT_EQ(values<std::int64_t>("capacity", "amount"), (Wide{16 * 64 + 4 * 32, 16 * 256 + 4 * 512, 32, 2}));
  EXPECT_EQ(values<std::int64_t>("node_classes", "first_node"), (Wide{0, 16}));
  EXPECT_EQ(values<std::string>("warnings", "code"), Texts{"W02"});
  EXPECT_EQ(values<std::int64_t>("repairs", "count"), Wide{3});
}

TEST_F(RunTables, LeaveStagesOutWhereNobodyWantsThem) {
  RunFacts facts = sample_run_facts();
  facts.with_stages = false;
  make(facts);
  for (const char* name : {"stages", "workflows", "dependencies", "holds"}) {
    EXPECT_EQ(std::ranges::count(tables_, name, &Table::name), 0) << name;
  }
  EXPECT_EQ(table("runs").rows(), 1U);
}

TEST_F(RunTables, SayWhyARunFailed) {
  work_ = Work{};
  report_ = RunReport{};
  RunFacts facts = sample_run_facts();
  facts.failure = "check failed: x";
  make(facts);
  EXPECT_EQ(words("runs", "status"), Texts{"failed"});
  EXPECT_TRUE(std::isnan(values<double>("runs", "makespan")[0]));
  EXPECT_EQ(values<std::string>("warnings", "code"), Texts{"failed"});
  EXPECT_EQ(values<std::string>("warnings", "text"), Texts{"check failed: x"});
}

TEST(Coordinate, IsNumericOnlyWhereEveryValueIs) {
  EXPECT_EQ(std::get<Wide>(coordinate({"2", "-3", "+4"})), (Wide{2, -3, 4}));
  EXPECT_EQ(std::get<Reals>(coordinate({"2", "0.5", "1e-3"})), (Reals{2, 0.5, 1e-3}));
  EXPECT_EQ(std::get<Texts>(coordinate({"2", "10min"})), (Texts{"2", "10min"}));
  EXPECT_EQ(std::get<Texts>(coordinate({"nan", "1"})), (Texts{"nan", "1"}));
  EXPECT_EQ(std::get<Texts>(coordinate({"", "1"})), (Texts{"", "1"}));
}

TEST(AxisName, IsNeverAGroupAndNeverTaken) {
  EXPECT_EQ(axis_name("work.a/b.load", {}), "work.a_b.load");
  EXPECT_EQ(axis_name("run", {"run"}), "run_");
}

}  // namespace
}  // namespace headroom
