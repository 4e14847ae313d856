// Common random numbers, as a sweep meets them: what is compared side by side differs in what was varied and in nothing
// that was drawn. Seen where it counts, in the attempts that were really run.
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/sweep/study.h"
#include "tests/sweep/studies.h"

namespace headroom {
namespace {

using testing::request_of;

// Tries fail with probability 0.3, and are tried again up to three times.
const char* const kDrawn = R"(
params: {slots: 2, rate: 60/h}
cluster: {slots: $slots}
work:
  - generate:
      name: g
      count: 60
      arrivals: {poisson: {rate: $rate}}
      runtime: {exponential: {mean: 60s}}
      estimate: {factor: {lognormal: {median: 1, sigma: 0.5}}}
      priority: {choose: {0: 1, -10: 1}}
      cores: {choose: {1: 1, 2: 1}}
      shape: {fork_join: {width: {uniform: [1, 4]}}}
      fails: {probability: 0.3}
      retry: 3
policies: [default, sjf, easy, race, random]
sweep: {replications: 2, vary: {params.slots: [2, 3, 8], params.rate: [30/h, 60/h]}}
)";

/// What was drawn for a run, apart from arrivals.
struct Draws {
  std::vector<Duration> run_time, estimate;
  std::vector<std::int64_t> priority, cores;
  std::vector<StageRow> first_stage;
  std::vector<bool> fails;  ///< of the first four tries of each stage
  friend bool operator==(const Draws&, const Draws&) = default;
};

Draws draws_of(const Work& work) {
  Draws draws{work.run_time, work.estimate, work.priority, {}, work.first_stage, {}};
  for (StageRow row = 0; row < work.stages(); ++row) {
    draws.cores.push_back(work.demands[work.demand[row]].cores);
    for (std::uint32_t attempt = 0; attempt < 4; ++attempt) draws.fails.push_back(work.fails(row, attempt));
  }
  return draws;
}

/// How long each try took and whether it failed, by stage and try.
using Tries = std::map<std::pair<StageRow, std::uint32_t>, std::pair<Duration, bool>>;
Tries tries_of(const RunReport& report) {
  Tries tries;
  const AttemptTable& table = report.attempt_table;
  for (std::size_t i = 0; i < table.stage.size(); ++i) {
    if (table.started_at[i].is_never() || table.finished_at[i].is_never()) continue;
    tries[{table.stage[i], table.attempt[i]}] = {table.finished_at[i] - table.started_at[i],
                                                 table.state[i] == StageState::kFailed};
  }
  return tries;
}

TEST(CommonRandomNumbers, NeitherSlotsNorPolicyChangeWhatArrivesOrHowLongItTakesOrWhatFails) {
  const Study study = plan_study(request_of(kDrawn));
  std::map<std::pair<std::string, std::uint64_t>, std::vector<TimePoint>> arrivals;  // by rate and replication
  std::map<std::uint64_t, Draws> draws;                                              // by replication
  std::map<std::uint64_t, Tries> tries;
  std::size_t shared_tries = 0, failures = 0;
  for (const RunSpec& run : study.runs) {
    const auto [work, report] = run_one(study, run, true);
    const std::string where = "run " + std::to_string(run.run);
    const std::string rate = study.point(run).at(1).second;
    EXPECT_EQ(arrivals.try_emplace({rate, run.replication}, work.submitted_at).first->second, work.submitted_at)
        << where;
    const Draws drawn = draws_of(work);
    EXPECT_TRUE(draws.try_emplace(run.replication, drawn).first->second == drawn) << where;
    // Not every run makes every try: what a stage needs may have failed for good, but then it did everywhere.
    for (const auto& [which, how] : tries_of(report)) {
      const auto [first, is_new] = tries[run.replication].try_emplace(which, how);
      EXPECT_EQ(first->second, how) << where << ", stage " << which.first << ", try " << which.second;
      shared_tries += is_new ? 0 : 1;
      failures += how.second ? 1 : 0;
    }
  }
  ASSERT_EQ(study.runs.size(), 60U);
  EXPECT_GT(shared_tries, 10'000U);
  EXPECT_GT(failures, 2'000U);
  EXPECT_FALSE(draws.at(0) == draws.at(1)) << "replications are drawn anew";
  EXPECT_NE((arrivals.at({"30/h", 0})), (arrivals.at({"60/h", 0})));
}

TEST(CommonRandomNumbers, ARateScalesTheArrivalsAndKeepsTheirDraws) {
  const Study study = plan_study(request_of(kDrawn));
  const Work slow = run_one(study, study.runs[0], false).first;
  const RunSpec& other = study.runs[10];  // The next point: 60/h instead of 30/h.
  ASSERT_EQ(study.point(other).at(1).second, "60/h");
  const Work fast = run_one(study, other, false).first;
  ASSERT_EQ(slow.workflows(), fast.workflows());
  for (std::size_t w = 0; w < slow.workflows(); ++w) {
    // Gaps are rounded to microseconds, so times agree to half of one for each gap before.
    EXPECT_NEAR(slow.submitted_at[w].in_seconds(), 2 * fast.submitted_at[w].in_seconds(),
                2e-6 * static_cast<double>(w + 1));
  }
}

TEST(CommonRandomNumbers, FollowTheNameOfAnItemAndNotItsPlace) {
  const std::string item =
      "generate: {name: NAME, count: 20, arrivals: {poisson: {rate: 9/h}}, runtime: {exponential: {mean: 1h}}}";
  const auto named = [&item](const std::string& name) { return std::string(item).replace(item.find("NAME"), 4, name); };
  const Study alone = plan_study(request_of("work: [{" + named("a") + "}]\n"));
  const Study second = plan_study(request_of("work: [{" + named("b") + "}, {" + named("a") + "}]\n"));
  const Work one = run_one(alone, alone.runs[0], false).first, two = run_one(second, second.runs[0], false).first;
  for (std::size_t w = 0; w < 20; ++w) {
    EXPECT_EQ(one.submitted_at[w], two.submitted_at[20 + w]);
    EXPECT_EQ(one.run_time[w], two.run_time[20 + w]);
    EXPECT_NE(one.run_time[w], two.run_time[w]);
  }
}

}  // namespace
}  // namespace headroom
