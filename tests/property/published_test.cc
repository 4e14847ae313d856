// Numbers that others have published, or that follow by hand from the text of the model, asked of both: the slow model
// and simulate(). The works are written by hand, so that neither the reader nor the other answer is needed to know what
// is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "sim/engine/engine.h"
#include "tests/property/model.h"
#include "tests/property/print.h"
#include "tests/property/work_builder.h"

namespace headroom::oracle {
namespace {

enum class Who : std::uint8_t { kModel, kSimulate };

class Published : public ::testing::TestWithParam<Who> {
 protected:
  Outcome run(const Work& work, const Policy& policy, SchedulerSettings settings = {}, Measure measure = {}) const {
    if (GetParam() == Who::kModel) return run_model({work, settings, policy, measure}).outcome;
    return outcome_of(work, simulate(work, settings, policy, measure));
  }
};

INSTANTIATE_TEST_SUITE_P(By, Published, ::testing::Values(Who::kModel, Who::kSimulate),
                         [](const auto& who) { return who.param == Who::kModel ? "Model" : "Simulate"; });

// ------------------------------------------------------------------------------- the presets, as workload-format.md
// has them

Policy make(std::string name, Priority priority, std::vector<Tie> ties, Placement placement = Placement::kGreedy) {
  Policy policy;
  policy.name = std::move(name);
  policy.priority = priority;
  policy.ties = std::move(ties);
  policy.placement = placement;
  return policy;
}

Policy default_policy() { return make("default", Priority::kFuzzball, {Tie::kTailTime, Tie::kDeclaration}); }
Policy no_aging() { return make("no_aging", Priority::kBases, {Tie::kTailTime, Tie::kDeclaration}); }
Policy race() {
  Policy policy = default_policy();
  policy.name = "race";
  policy.hold = HoldRule::kIgnore;
  return policy;
}
Policy tail_time() { return make("tail_time", Priority::kNone, {Tie::kTailTime, Tie::kDeclaration}); }
Policy declaration() { return make("declaration", Priority::kNone, {Tie::kDeclaration}); }
Policy ljf() { return make("ljf", Priority::kNone, {Tie::kLongest}); }
Policy easy() { return make("easy", Priority::kNone, {Tie::kSubmitTime}, Placement::kEasy); }
Policy conservative() { return make("conservative", Priority::kNone, {Tie::kSubmitTime}, Placement::kConservative); }
Policy fcfs() { return make("fcfs", Priority::kNone, {Tie::kSubmitTime}, Placement::kStrict); }

// The table of presets against the words of workload-format.md, ties that decide nothing left out.
TEST(Presets, AreAsTheFormatSaysThem) {
  Policy sjbf = make("easy_sjbf", Priority::kNone, {Tie::kSubmitTime}, Placement::kEasy);
  sjbf.backfill = Backfill::kShortest;
  const std::vector<Policy> expected = {default_policy(),
                                        no_aging(),
                                        race(),
                                        tail_time(),
                                        declaration(),
                                        fcfs(),
                                        easy(),
                                        conservative(),
                                        sjbf,
                                        ljf(),
                                        make("priority", Priority::kFuzzball, {}),
                                        make("sjf", Priority::kNone, {Tie::kShortest}),
                                        make("random", Priority::kNone, {Tie::kRandom})};
  // The others are formulas of other systems (tests/policies/peers_test.cc).
  const auto is_formula = [](const Policy& policy) { return policy.priority == Priority::kExpression; };
  EXPECT_EQ(preset_policies().size(),
            expected.size() + static_cast<std::size_t>(std::ranges::count_if(preset_policies(), is_formula)));
  EXPECT_EQ(preset_policies().front().name, "default");
  for (Policy want : expected) {
    const Policy* preset = find_preset(want.name);
    ASSERT_NE(preset, nullptr) << want.name;
    Policy got = *preset;
    got.about = want.about;
    std::erase(got.ties, Tie::kDeclaration);  // the last of all, stated or not
    std::erase(want.ties, Tie::kDeclaration);
    EXPECT_EQ(got, want) << want.name;
  }
}

TimePoint latest_end(const Outcome& outcome) {
  TimePoint latest;
  for (const StageOutcome& stage : outcome.stages)
    for (const Attempt& attempt : stage.attempts) latest = std::max(latest, attempt.end);
  return latest;
}

/// When each stage started, in seconds; -1: never.
std::vector<double> starts(const Outcome& outcome) {
  std::vector<double> all;
  for (const StageOutcome& stage : outcome.stages)
    all.push_back(stage.attempts.empty() ? -1 : stage.attempts.front().start.in_seconds());
  return all;
}

StageText text(std::string name, Duration run_time, std::vector<StageRow> needs = {}) {
  StageText stage;
  stage.name = std::move(name);
  stage.run_time = stage.estimate = run_time;
  stage.needs = std::move(needs);
  return stage;
}

// ------------------------------------------------------------------------------------------- Graham 1969 (truths.md
// C5, C6)

//   T1 -> T9    T4 -> T5, T6, T7, T8    T2, T3 alone
struct Graham {
  std::int64_t slots = 3;
  int shorter_by = 0;
  std::vector<int> children_of_4 = {5, 6, 7, 8};
  std::vector<int> list = {1, 2, 3, 4, 5, 6, 7, 8, 9};
};

Work graham(const Graham& g) {
  const std::vector<int> lengths = {3, 2, 2, 2, 4, 4, 4, 4, 9};
  auto row = [&](int task) { return static_cast<StageRow>(std::ranges::find(g.list, task) - g.list.begin()); };
  WorkBuilder builder(WorkBuilder::slots(g.slots));
  builder.workflow(TimePoint::zero());
  for (int task : g.list) {
    StageText stage =
        text("T" + std::to_string(task), Duration::seconds(lengths[static_cast<std::size_t>(task - 1)] - g.shorter_by));
    if (task == 9) stage.needs = {row(1)};
    if (std::ranges::find(g.children_of_4, task) != g.children_of_4.end()) stage.needs = {row(4)};
    builder.stage(stage);
  }
  return builder.done();
}

TEST_P(Published, GrahamsAnomaliesInListOrder) {
  EXPECT_EQ(latest_end(run(graham({}), declaration())).in_seconds(), 12);
  EXPECT_EQ(latest_end(run(graham({.slots = 4}), declaration())).in_seconds(), 15);
  EXPECT_EQ(latest_end(run(graham({.shorter_by = 1}), declaration())).in_seconds(), 13);
  EXPECT_EQ(latest_end(run(graham({.children_of_4 = {7, 8}}), declaration())).in_seconds(), 16);
  EXPECT_EQ(latest_end(run(graham({.list = {1, 2, 4, 5, 6, 3, 9, 7, 8}}), declaration())).in_seconds(), 14);
}

TEST_P(Published, TailTimeOrderHasNoneOfGrahamsAnomalies) {
  EXPECT_EQ(latest_end(run(graham({}), tail_time())).in_seconds(), 12);
  EXPECT_EQ(latest_end(run(graham({.slots = 4}), tail_time())).in_seconds(), 12);
  EXPECT_EQ(latest_end(run(graham({.shorter_by = 1}), tail_time())).in_seconds(), 10);
  EXPECT_EQ(latest_end(run(graham({.children_of_4 = {7, 8}}), tail_time())).in_seconds(), 12);
}

TEST_P(Published, TailTimesOfGrahamsTasks) {
  const Outcome outcome = run(graham({}), tail_time());
  std::vector<double> tails;
  for (const StageOutcome& stage : outcome.stages) tails.push_back(stage.attempts.at(0).tail_time.in_seconds());
  EXPECT_EQ(tails, (std::vector<double>{12, 2, 2, 6, 4, 4, 4, 4, 9}));
}

TEST_P(Published, GrahamsListBoundIsTight) {
  for (int m : {2, 3, 4, 8}) {
    WorkBuilder builder(WorkBuilder::slots(m));
    builder.workflow(TimePoint::zero());
    for (int i = 0; i < m * (m - 1); ++i) builder.stage(text("unit", Duration::seconds(1)));
    builder.stage(text("long", Duration::seconds(m)));
    const Work work = builder.done();
    EXPECT_EQ(latest_end(run(work, declaration())).in_seconds(), 2 * m - 1) << m << " slots";
    EXPECT_EQ(latest_end(run(work, ljf())).in_seconds(), m) << m << " slots";
  }
}

TEST_P(Published, TheBoundOfLongestFirstIsTight) {
  for (int m : {2, 3, 4, 8}) {
    WorkBuilder builder(WorkBuilder::slots(m));
    builder.workflow(TimePoint::zero());
    for (int length = m + 1; length <= 2 * m - 1; ++length)
      for (int i = 0; i < 2; ++i) builder.stage(text("pair", Duration::seconds(length)));
    for (int i = 0; i < 3; ++i) builder.stage(text("shortest", Duration::seconds(m)));
    EXPECT_EQ(latest_end(run(builder.done(), ljf())).in_seconds(), 4 * m - 1) << m << " slots";
  }
}

// --------------------------------------------------------------------------------------------- backfilling (truths.md
// C2)

Work four_jobs() {
  WorkBuilder builder(WorkBuilder::slots(100));
  struct Job {
    std::int64_t at, length, width;
  };
  for (const Job& job : {Job{0, 100, 70}, Job{1, 100, 80}, Job{2, 100, 90}, Job{50, 250, 20}}) {
    builder.workflow(TimePoint{} + Duration::seconds(job.at));
    StageText stage = text("main", Duration::seconds(job.length));
    stage.demand.cores = job.width;
    builder.stage(stage);
  }
  return builder.done();
}

TEST_P(Published, BackfillingFinishesFourJobsAsPublished) {
  struct Row {
    Policy policy;
    std::vector<double> ends;
  };
  for (const Row& row : {Row{easy(), {100, 200, 400, 300}}, Row{conservative(), {100, 200, 300, 550}}}) {
    for (Simultaneous simultaneous : {Simultaneous::kBatch, Simultaneous::kPyss}) {
      SchedulerSettings settings;
      settings.simultaneous = simultaneous;
      const Outcome outcome = run(four_jobs(), row.policy, settings);
      std::vector<double> ends;
      for (const StageOutcome& stage : outcome.stages) ends.push_back(stage.attempts.at(0).end.in_seconds());
      EXPECT_EQ(ends, row.ends) << row.policy.name;
    }
  }
}

// By hand: nothing passes the head, so the fourth waits for the third, and the third for the second.
TEST_P(Published, StrictOrderLetsNothingPass) {
  EXPECT_EQ(starts(run(four_jobs(), fcfs())), (std::vector<double>{0, 100, 200, 300}));
}

// ------------------------------------------------------------------------------------------ hold() (expected.md,
// truths C7)

/// The worked example of StepUp's page: rows plan, 2.0, 2.1, 4.0, 4.1.
Work duration_and_hold(std::int64_t slots) {
  using Kind = PlanOp::Kind;
  WorkBuilder builder(WorkBuilder::slots(slots));
  builder.workflow(TimePoint::zero());
  const StageRow plan = builder.plan(text("plan", Duration::seconds(1)), Duration{}, Duration::milliseconds(100));
  builder.op(plan, Kind::kHold, Duration{});
  for (int tenths : {20, 21, 40, 41}) {
    const StageRow row = builder.stage(text("sleep", Duration::milliseconds(100 * tenths)), plan);
    builder.op(plan, Kind::kDeclare, Duration::milliseconds(1), row);
  }
  builder.op(plan, Kind::kRelease, Duration{});
  return builder.done();
}

TEST_P(Published, HeldStepsStartLongestFirst) {
  const Outcome outcome = run(duration_and_hold(3), default_policy());
  EXPECT_EQ(starts(outcome), (std::vector<double>{0, 2.204, 0.104, 0.004, 0.004}));
  EXPECT_EQ(outcome.start_order, (std::vector<StageRow>{0, 4, 3, 2, 1}));
  EXPECT_EQ(latest_end(outcome), TimePoint{} + Duration::milliseconds(4204));
}

TEST_P(Published, RacedStepsStartAsDeclared) {
  const Outcome outcome = run(duration_and_hold(3), race());
  EXPECT_EQ(starts(outcome), (std::vector<double>{0, 0.001, 0.002, 2.001, 0.104}));
  EXPECT_EQ(latest_end(outcome), TimePoint{} + Duration::milliseconds(6001));
}

TEST_P(Published, HoldAgainstRaceOnTwoToFiveSlots) {
  struct Row {
    std::int64_t slots, held_ms, raced_ms;
  };
  for (const Row& row : {Row{2, 6204, 6304}, Row{3, 4204, 6001}, Row{4, 4104, 4204}, Row{5, 4104, 4104}}) {
    const Work work = duration_and_hold(row.slots);
    EXPECT_EQ(latest_end(run(work, default_policy())), TimePoint{} + Duration::milliseconds(row.held_ms)) << row.slots;
    EXPECT_EQ(latest_end(run(work, race())), TimePoint{} + Duration::milliseconds(row.raced_ms)) << row.slots;
  }
}

// Two adjacent holds, all at no cost, two slots beside the plan's: rows plan, a 1 s, b 4 s, c 5 s; {a b} {c}.
Work adjacent_holds() {
  using Kind = PlanOp::Kind;
  WorkBuilder builder(WorkBuilder::slots(3));
  builder.workflow(TimePoint::zero());
  const StageRow plan = builder.plan(text("plan", Duration::seconds(1)), Duration{}, Duration::seconds(100));
  const StageRow a = builder.stage(text("a", Duration::seconds(1)), plan);
  const StageRow b = builder.stage(text("b", Duration::seconds(4)), plan);
  const StageRow c = builder.stage(text("c", Duration::seconds(5)), plan);
  builder.op(plan, Kind::kHold, Duration{});
  builder.op(plan, Kind::kDeclare, Duration{}, a);
  builder.op(plan, Kind::kDeclare, Duration{}, b);
  builder.op(plan, Kind::kRelease, Duration{});
  builder.op(plan, Kind::kHold, Duration{});
  builder.op(plan, Kind::kDeclare, Duration{}, c);
  builder.op(plan, Kind::kRelease, Duration{});
  return builder.done();
}

TEST_P(Published, TwoAdjacentHoldsAreTwoBatches) {
  EXPECT_EQ(starts(run(adjacent_holds(), default_policy())), (std::vector<double>{0, 0, 0, 1}));
}

TEST_P(Published, TwoHoldsReleasedBetweenGridInstantsAreOneBatch) {
  // The plan starts at 0; its pass was the one at 0, so all its steps are there for the pass that the round after it
  // makes.
  SchedulerSettings settings;
  settings.tick = Duration::seconds(10);
  EXPECT_EQ(starts(run(adjacent_holds(), default_policy(), settings)), (std::vector<double>{0, 10, 0, 0}));
}

// -------------------------------------------------------------------------------------------- aging (expected.md,
// catch_up)

Work catch_up() {
  WorkBuilder builder(WorkBuilder::slots(1));
  builder.workflow(TimePoint::zero(), -10);
  builder.stage(text("sweep", Duration::hours(1) + Duration::seconds(1800)));
  for (int i = 0; i < 40; ++i) {
    builder.workflow(TimePoint{} + Duration::hours(i));
    builder.stage(text("main", Duration::hours(1) + Duration::seconds(1800)));
  }
  return builder.done();
}

TEST_P(Published, BulkWorkCatchesUpAfterTenHours) {
  SchedulerSettings settings;
  settings.tick = Duration::seconds(1);
  const Outcome outcome = run(catch_up(), default_policy(), settings);
  std::vector<StageRow> order = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0};
  for (StageRow s = 11; s <= 40; ++s) order.push_back(s);
  EXPECT_EQ(outcome.start_order, order);
  EXPECT_EQ(outcome.stages[0].attempts.at(0).start, TimePoint{} + Duration::hours(15));
}

TEST_P(Published, WithoutAgingBulkWorkIsLast) {
  SchedulerSettings settings;
  settings.tick = Duration::seconds(1);
  const Outcome outcome = run(catch_up(), no_aging(), settings);
  EXPECT_EQ(outcome.start_order.back(), 0U);
  EXPECT_EQ(outcome.stages[0].attempts.at(0).start, TimePoint{} + Duration::hours(60));
}

}  // namespace
}  // namespace headroom::oracle
