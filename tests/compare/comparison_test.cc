// Comparisons of studies that are really run, against sums over their results by hand.
#include "sim/compare/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "sim/compare/hold_ratio.h"
#include "sim/compare/payers.h"
#include "sim/sweep/study.h"
#include "tests/results/samples.h"
#include "tests/sweep/studies.h"
#include "workloads/diagnostics.h"

namespace headroom::compare {
namespace {

using testing::kHoldVsRace;
using testing::kRandom;
using testing::request_of;
using testing::TemporaryFolder;

/// Runs a study into a file of that folder.
std::string run(const TemporaryFolder& folder, const std::string& text, std::int64_t replications = 1,
                const std::string& name = "r.h5") {
  StudyRequest request = request_of(text);
  if (replications > 1) request.replications = replications;
  const Study study = plan_study(std::move(request));
  RunOptions options;
  options.out = folder / name;
  options.jobs = 2;
  EXPECT_TRUE(run_study(study, options).complete);
  return folder / name;
}

Request asking(std::vector<Measured> metrics, std::string by = "") {
  Request request;
  request.by = std::move(by);
  request.metrics = std::move(metrics);
  return request;
}

std::string complaint(const SampledRuns& runs, const Request& request) {
  try {
    static_cast<void>(compare(runs, request));
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

TEST(Comparison, OfWhatIsNotRandomIsExact) {
  const TemporaryFolder folder;
  const SampledRuns runs({run(folder, kHoldVsRace)});
  EXPECT_FALSE(runs.is_random());
  const Comparison c = compare(runs, asking({{"makespan", ""}}));
  EXPECT_EQ(c.by, "policy");
  EXPECT_EQ(c.baseline, "default");
  EXPECT_EQ(c.values, std::vector<std::string>{"race"});
  EXPECT_EQ(c.others, std::vector<std::string>{"params.slots"});
  ASSERT_EQ(c.metrics.at(0).points.size(), 4U);
  // Three slots: 6.001 s raced, 4.204 s held.
  const Row& three = c.metrics[0].points[1];
  EXPECT_EQ(three.at, std::vector<std::string>{"3"});
  EXPECT_NEAR(three.pair.baseline, 4.204, 1e-9);
  EXPECT_NEAR(three.pair.other, 6.001, 1e-9);
  EXPECT_TRUE(three.pair.exact);
  EXPECT_EQ(three.pair.low, three.pair.difference);
}

// The ratios that are published with that workload.
TEST(HoldRatios, AreThePublishedOnes) {
  const TemporaryFolder folder;
  const SampledRuns runs({run(folder, kHoldVsRace)});
  const std::vector<HoldRatios> ratios = hold_ratios(runs, compare(runs, asking({{"makespan", ""}})));
  ASSERT_EQ(ratios.size(), 1U);
  EXPECT_EQ(ratios[0].honor, "default");
  EXPECT_EQ(ratios[0].ignore, "race");
  const std::vector<double> expected{1.016119, 1.427450, 1.024366, 1};
  ASSERT_EQ(ratios[0].rows.size(), 5U);
  double logs = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(ratios[0].rows[i].ratio, expected[i], 5e-7);
    logs += std::log(expected[i]);
  }
  EXPECT_NEAR(ratios[0].rows[4].ratio, std::exp(logs / 4), 1e-6);
  EXPECT_EQ(ratios[0].rows[0].workflows, 1U);
  EXPECT_EQ(ratios[0].rows[4].workflows, 4U);
}

/// A column of /runs by axis values and replication: written out the long way.
std::map<std::vector<std::string>, double> by_hand(const std::string& file, const std::string& metric) {
  const ResultsReader reader(file);
  const Table table = reader.table("runs");
  const std::vector<double> values = numbers_of(*table.find(metric)),
                            replication = numbers_of(*table.find("replication"));
  std::vector<std::vector<std::string>> keys;
  for (const char* axis : {"params.slots", "params.mean", "policy"}) keys.push_back(texts_of(*table.find(axis)));
  std::map<std::vector<std::string>, double> found;
  for (std::size_t i = 0; i < values.size(); ++i)
    found[{keys[0][i], keys[1][i], keys[2][i], std::to_string(static_cast<int>(replication[i]))}] = values[i];
  return found;
}

TEST(Comparison, OverAllPointsHasTheReplicationAsItsBlock) {
  const TemporaryFolder folder;
  const std::string file = run(folder, kRandom, 4);
  const SampledRuns runs({file});
  EXPECT_TRUE(runs.is_random());
  const Comparison c = compare(runs, asking({{"wait_time_mean", ""}}));
  EXPECT_EQ(c.points, 4U);
  EXPECT_EQ(c.replications, 4U);
  const auto values = by_hand(file, "wait_time_mean");
  std::vector<double> baseline, other;
  for (int r = 0; r < 4; ++r) {
    double one = 0, two = 0;
    for (const char* slots : {"1", "2"})
      for (const char* mean : {"60s", "90s"}) {
        one += values.at({slots, mean, "default", std::to_string(r)});
        two += values.at({slots, mean, "sjf", std::to_string(r)});
      }
    baseline.push_back(one / 4);
    other.push_back(two / 4);
  }
  const Paired expected = paired(baseline, other, false);
  const Paired& overall = c.metrics.at(0).overall.at(0).pair;
  EXPECT_NEAR(overall.difference, expected.difference, 1e-9);
  EXPECT_NEAR(overall.low, expected.low, 1e-9);
  EXPECT_LT(overall.high, 0) << "the shortest first waits less";
  const Row& first = c.metrics[0].points.at(0);
  EXPECT_EQ(first.at, (std::vector<std::string>{"1", "60s"}));
  std::vector<double> a, b;
  for (int r = 0; r < 4; ++r) {
    a.push_back(values.at({"1", "60s", "default", std::to_string(r)}));
    b.push_back(values.at({"1", "60s", "sjf", std::to_string(r)}));
  }
  EXPECT_NEAR(first.pair.high, paired(a, b, false).high, 1e-9);
}

TEST(Comparison, IsByAnyAxisAndFromAnyBaseline) {
  const TemporaryFolder folder;
  const SampledRuns runs({run(folder, kRandom, 2)});
  Request request = asking({{"wait_time_mean", ""}}, "params.slots");
  request.baseline = "2";
  const Comparison c = compare(runs, request);
  EXPECT_EQ(c.values, std::vector<std::string>{"1"});
  EXPECT_EQ(c.others, (std::vector<std::string>{"params.mean", "policy"}));
  EXPECT_GT(c.metrics.at(0).overall.at(0).pair.difference, 0) << "fewer slots, longer waits";
  request.baseline.clear();
  request.usual_baseline = "2";
  EXPECT_EQ(compare(runs, request).baseline, "2");
  request.usual_baseline = "default";
  EXPECT_EQ(compare(runs, request).baseline, "1") << "no value of this axis";
}

TEST(Comparison, OfTwoFilesPairsTheirRuns) {
  const TemporaryFolder folder;
  const std::string a = run(folder, kRandom, 2, "a.h5");
  std::string faster = kRandom;
  faster.replace(faster.find("rate: 60/h"), 10, "rate: 30/h");
  const std::string b = run(folder, faster, 2, "b.h5");
  const Comparison c = compare(SampledRuns({a, b}), asking({{"wait_time_mean", ""}}));
  EXPECT_EQ(c.by, "file");
  EXPECT_EQ(c.baseline, a);
  EXPECT_EQ(c.values, std::vector<std::string>{b});
  EXPECT_EQ(c.points, 8U);
  EXPECT_EQ(c.unmatched, 0U);
  EXPECT_LT(c.metrics.at(0).overall.at(0).pair.difference, 0);
  EXPECT_THROW(SampledRuns({a, run(folder, kHoldVsRace, 1, "c.h5")}), InputError);
}

TEST(Comparison, SaysWhatThereIsInstead) {
  const TemporaryFolder folder;
  const SampledRuns runs({run(folder, kRandom)});
  EXPECT_EQ(complaint(runs, asking({}, "polcy")),
            "there is no axis called 'polcy'; did you mean 'policy'? (there are params.slots, params.mean, policy)");
  Request wrong = asking({});
  wrong.baseline = "defualt";
  EXPECT_EQ(complaint(runs, wrong),
            "the baseline 'defualt' is no value of policy; did you mean 'default'? (there are default, sjf)");
  EXPECT_NE(complaint(runs, asking({{"makespann", ""}})).find("did you mean 'makespan'?"), std::string::npos);
  EXPECT_NE(complaint(runs, asking({{"wait_time_mean", "nobody"}})).find("no class or tenant called 'nobody'"),
            std::string::npos);
  EXPECT_NE(complaint(runs, asking({{"makespan", "g"}})).find("a metric of a whole run"), std::string::npos);
}

TEST(Primary, HasAVerdictByHolmOverAllValues) {
  const TemporaryFolder folder;
  std::string three = kRandom;
  three.replace(three.find("[default, sjf]"), 14, "[fcfs, sjf, ljf]");
  const SampledRuns runs({run(folder, three, 6)});
  Request request = asking({});
  request.primary = Measured{"wait_time_mean", ""};
  const Comparison c = compare(runs, request);
  ASSERT_EQ(c.primary->shown.size(), 2U);
  EXPECT_EQ(c.primary->shown[0].verdict, Verdict::kBetter);
  EXPECT_EQ(c.primary->shown[1].verdict, Verdict::kWorse);
  const double one = c.primary->shown[0].finding.p, two = c.primary->shown[1].finding.p;
  EXPECT_NEAR(std::min(c.primary->shown[0].p, c.primary->shown[1].p), 2 * std::min(one, two), 1e-15);
  request.margin = 10;  // a thousand per cent
  request.margin_is_relative = true;
  const Comparison loose = compare(runs, request);
  for (const Shown& shown : loose.primary->shown) EXPECT_EQ(shown.verdict, Verdict::kEquivalent);
  Request neither = asking({});
  neither.primary = Measured{"offered_load", ""};
  EXPECT_NE(complaint(runs, neither).find("neither more nor less is better"), std::string::npos);
  Request more = asking({});
  more.primary = Measured{"utilization", ""};
  const Comparison strict = compare(runs, more);
  for (const Shown& shown : strict.primary->shown) EXPECT_NE(shown.verdict, Verdict::kEquivalent) << "no margin";
}

// Each second that somebody gains on one slot is one that others lose where all run equally long: conservation.
TEST(Payers, GainWhatOthersLoseWhereServiceIsEqual) {
  const TemporaryFolder folder;
  const std::string text = R"(cluster: {slots: 1}
tenants:
  users: {ada: {priority: 3}, ben: {}}
  organizations: [{organization: acme, accounts: [{account: lab, users: [ada, ben]}]}]
work:
  - generate: {name: a, user: ada, count: 50, arrivals: {poisson: {rate: 27/h}}, runtime: 60s}
  - generate: {name: b, user: ben, count: 50, arrivals: {poisson: {rate: 27/h}}, runtime: 60s}
policies: [fcfs, default]
)";
  const SampledRuns runs({run(folder, text, 3)});
  const Comparison c = compare(runs, asking({}));
  for (const Payer by : {Payer::kJob, Payer::kUser, Payer::kAccount}) {
    const std::vector<Payers> all = payers(runs, c, by);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].value, "default");
    EXPECT_EQ(all[0].left_out, 0U);
    EXPECT_NEAR(all[0].gained_s, all[0].lost_s, 1e-3);
    double sum = 0;
    for (const Share& share : all[0].shares) sum += share.difference_s;
    EXPECT_NEAR(sum, 0, 1e-3);
    EXPECT_EQ(all[0].shares.size(), by == Payer::kJob ? 100U : by == Payer::kUser ? 2U : 1U);
    for (std::size_t i = 1; i < all[0].shares.size(); ++i)
      EXPECT_GE(all[0].shares[i - 1].difference_s, all[0].shares[i].difference_s);
  }
  const std::vector<Share> users = payers(runs, c, Payer::kUser)[0].shares;
  EXPECT_EQ(users[0].name, "ben") << "ada goes first";
  EXPECT_GT(users[0].difference_s, 0);
  EXPECT_EQ(users[0].jobs, 50U);
}

}  // namespace
}  // namespace headroom::compare
