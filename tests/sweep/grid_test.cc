// Which points a sweep has, and how its results are laid out over the axes.
#include <gtest/gtest.h>

#include "sim/results/reader.h"
#include "sim/sweep/facts.h"
#include "sim/sweep/study.h"
#include "tests/results/samples.h"
#include "tests/sweep/studies.h"

namespace headroom {
namespace {

using testing::request_of;
using testing::TemporaryFolder;

const std::string kWork =
    "params: {slots: 3, x: 1, y: 1s}\n"
    "cluster: {slots: $slots, pools: {license: $x}}\n"
    "work: [{generate: {name: g, count: 3, arrivals: {periodic: {every: $y}}, runtime: {exponential: {mean: 5s}}}}]\n"
    "policies: [default, sjf]\n";

Study plan(const std::string& sweep) { return plan_study(request_of(kWork + "sweep: " + sweep + "\n")); }

using Points = std::vector<std::vector<std::string>>;

TEST(Grid, CrossesZippedGroupsWithTheOtherAxes) {
  const Study study = plan("{vary: {params.y: [1s, 2s]}, zip: [{params.slots: [2, 3, 4], params.x: [1, 2, 1]}]}");
  EXPECT_EQ(
      study.point_values,
      (Points{
          {"1s", "2", "1"}, {"1s", "3", "2"}, {"1s", "4", "1"}, {"2s", "2", "1"}, {"2s", "3", "2"}, {"2s", "4", "1"}}));
  EXPECT_EQ(study.runs.size(), 12U);
  EXPECT_EQ(study.points[4].cluster.capacity().nodes.at(0).cores, 3);
  EXPECT_EQ(facts_of(study).runs(), 12U);
}

TEST(Grid, NumbersOnlyWhatIsNotExcluded) {
  const Study study = plan(
      "{replications: 2, vary: {params.slots: [2, 3], params.x: [1, 2]}, exclude: [{params.slots: "
      "2, params.x: 2}, {policy: sjf, params.slots: 3, params.x: [1]}]}");
  EXPECT_EQ(study.point_values, (Points{{"2", "1"}, {"3", "1"}, {"3", "2"}}));
  ASSERT_EQ(study.runs.size(), 10U);
  for (std::uint64_t run = 0; run < 10; ++run) EXPECT_EQ(study.runs[run].run, run);
  EXPECT_EQ(study.runs[4].point, 1U);
  EXPECT_EQ(study.runs[4].policy, 0U);
  EXPECT_EQ(study.runs[6].point, 2U);
  EXPECT_EQ(study.first_run, (std::vector<std::uint64_t>{0, 2, 4, kNoRun, 6, 8}));
  EXPECT_EQ(study.grid, (std::vector<bool>{true, true, false, false, true, false, true, true}));
  EXPECT_EQ(facts_of(study).runs(), 10U);
}

TEST(Grid, RefusesToExcludeEverything) {
  try {
    (void)plan("{vary: {params.slots: [2, 3]}, exclude: [{params.slots: [2, 3]}]}");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("leaves nothing to run"), std::string::npos) << error.what();
  }
}

TEST(Grid, MakesOnePointOfEachDrawOfALatinHypercube) {
  const Study study =
      plan("{latin_hypercube: {points: 5}, vary: {params.slots: [2, 3], params.y: {linspace: [1, 2], unit: s}}}");
  EXPECT_EQ(study.points.size(), 5U);
  EXPECT_EQ(study.runs.size(), 10U);
}

TEST(Grid, RunsPutTheirCoordinatesInTheTableOfRuns) {
  const TemporaryFolder folder;
  const Study study = plan(
      "{zip: [{params.slots: [2, 4], params.y: {linspace: [1, 2, 2], unit: s}}], exclude: "
      "[{policy: sjf, params.slots: 4}]}");
  RunOptions options;
  options.out = folder / "r.h5";
  ASSERT_TRUE(run_study(study, options).complete);
  const ResultsReader reader(folder / "r.h5");
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(reader.column("runs", "params.slots").data),
            (std::vector<std::int64_t>{2, 2, 4}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(reader.column("runs", "params.y").data),
            (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_EQ(reader.column("runs", "params.y").units, "s");
}

}  // namespace
}  // namespace headroom
