// `sweep:` as a file says it: which values, which of them together, which not at all. Values of ranges are computed by
// hand; messages are compared whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "workloads/sweep_values.h"
#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

using Values = std::vector<std::string>;

const std::string kWork =
    "params: {slots: 3, x: 1}\n"
    "cluster: {slots: $slots, pools: {license: $x}}\n"
    "work: [{generate: {name: base, count: 3, arrivals: {poisson: {rate: 9/h}}, runtime: 1s}}]\n";

SweepSpec sweep_of(const std::string& sweep) {
  return WorkloadDocument::parse(kWork + "sweep: " + sweep + "\n", "w.yaml").read().sweep;
}

std::string errors_of(const std::string& sweep) {
  try {
    static_cast<void>(sweep_of(sweep));
  } catch (const InputError& error) {
    std::string text;
    for (const Diagnostic& diagnostic : error.diagnostics())
      text += (text.empty() ? "" : "\n") + std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column) +
              " " + diagnostic.message;
    return text;
  }
  return "no error";
}

TEST(Sweep, ReadsEvenlySpacedValuesAndTheirUnit) {
  const SweepSpec sweep = sweep_of(
      "{vary: {params.slots: {linspace: [1, 4, 4]}, work.base.arrivals.poisson.rate: {linspace: [10, 40, 4], unit: "
      "/h}}}");
  ASSERT_EQ(sweep.axes.size(), 2U);
  EXPECT_EQ(sweep.axes[0].values, (Values{"1", "2", "3", "4"}));
  EXPECT_EQ(sweep.axes[1].values, (Values{"10/h", "20/h", "30/h", "40/h"}));
  EXPECT_EQ(sweep.axes[1].unit, "/h");
  EXPECT_FALSE(sweep.axes[1].zipped);
}

TEST(Sweep, ShowsNoRoundingErrorOfAStep) {
  // In doubles 0.1 + 2 * 0.1 is 0.30000000000000004.
  EXPECT_EQ(spaced_values({0.1, 0.9, false, ""}, 9),
            (Values{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}));
  EXPECT_EQ(spaced_values({1, -1, false, "s"}, 3), (Values{"1s", "0s", "-1s"}));
  EXPECT_EQ(spaced_values({5, 9, false, ""}, 1), (Values{"5"}));
}

TEST(Sweep, SpacesByEqualRatiosBetweenTheValuesThemselves) {
  EXPECT_EQ(spaced_values({1, 1000, true, ""}, 4), (Values{"1", "10", "100", "1000"}));
  EXPECT_EQ(spaced_values({0.25, 4, true, "h"}, 5), (Values{"0.25h", "0.5h", "1h", "2h", "4h"}));
  EXPECT_EQ(sweep_of("{vary: {params.slots: {logspace: [1, 64, 4]}}}").axes.at(0).values,
            (Values{"1", "4", "16", "64"}));
}

TEST(Sweep, WritesNumbersWithoutAnExponent) {
  EXPECT_EQ(plain_number(1e-7, 12), "0.0000001");
  EXPECT_EQ(plain_number(1e15, 12), "1000000000000000");
  EXPECT_EQ(plain_number(2.0 / 3, 6), "0.666667");
  EXPECT_EQ(plain_number(-0.0, 6), "0");
  EXPECT_EQ(plain_number(1234567.8, 6), "1234568");
}

TEST(Sweep, ZipsAxesOfAGroup) {
  const SweepSpec sweep =
      sweep_of("{vary: {params.slots: [2, 3]}, zip: [{work.base.count: [5, 6, 5], params.x: [1, 2, 3]}]}");
  ASSERT_EQ(sweep.axes.size(), 3U);
  EXPECT_FALSE(sweep.axes[0].zipped);
  EXPECT_FALSE(sweep.axes[1].zipped);
  EXPECT_TRUE(sweep.axes[2].zipped);
  EXPECT_EQ(sweep.axes[1].values, (Values{"5", "6", "5"}));
}

TEST(Sweep, DrawsALatinHypercube) {
  const SweepSpec sweep = sweep_of(
      "{latin_hypercube: {points: 20, seed: 7}, vary: {work.base.arrivals.poisson.rate: {logspace: [1, 1024], unit: "
      "/h}, params.slots: [2, 4]}}");
  ASSERT_EQ(sweep.axes.size(), 2U);
  EXPECT_TRUE(sweep.latin_hypercube);
  // Of 20 strata of equal ratios between 1 and 1024, ten end below 32.
  int below = 0;
  for (const std::string& value : sweep.axes[0].values) {
    ASSERT_TRUE(value.ends_with("/h")) << value;
    const double rate = std::stod(value);
    EXPECT_TRUE(rate >= 1 && rate <= 1024) << value;
    below += rate < 32 ? 1 : 0;
  }
  EXPECT_EQ(below, 10);
}

TEST(Sweep, ADrawnValueIsNoWholeNumber) {
  EXPECT_NE(errors_of("{latin_hypercube: {points: 9}, vary: {params.slots: {linspace: [1, 9]}}}")
                .find("expected a whole number from 1 to 1000000000, found '"),
            std::string::npos);
}

TEST(LatinHypercube, HasOneValueInEachStratumOfEachAxis) {
  for (const std::string path : {"a", "b"}) {
    const std::vector<double> shares = latin_shares(7, path, 50);
    std::set<int> strata;
    for (const double share : shares) strata.insert(static_cast<int>(share * 50));
    EXPECT_EQ(strata.size(), 50U);
    EXPECT_EQ(*strata.rbegin(), 49);
    EXPECT_FALSE(std::ranges::is_sorted(shares)) << "the order is drawn, too";
  }
  EXPECT_EQ(latin_shares(7, "a", 50), latin_shares(7, "a", 50));
  EXPECT_NE(latin_shares(7, "a", 50), latin_shares(8, "a", 50));
  EXPECT_NE(latin_shares(7, "a", 50), latin_shares(7, "b", 50));
}

TEST(Sweep, SharesAListEquallyInALatinHypercube) {
  const SweepSpec sweep =
      sweep_of("{latin_hypercube: {points: 20}, vary: {params.slots: [2, 4], params.x: [1, 2, 3, 4]}}");
  ASSERT_EQ(sweep.axes.size(), 2U);
  EXPECT_FALSE(sweep.axes[0].zipped);
  EXPECT_TRUE(sweep.axes[1].zipped);
  EXPECT_EQ(sweep.axes[0].values.size(), 20U);
  EXPECT_EQ(std::ranges::count(sweep.axes[0].values, "2"), 10);
  EXPECT_EQ(std::ranges::count(sweep.axes[1].values, "3"), 5);
}

TEST(Sweep, ReadsWhatIsExcluded) {
  const SweepSpec sweep = sweep_of(
      "{vary: {params.slots: [2, 3], params.x: {linspace: [1, 2, 2]}}, exclude: [{params.slots: 2, params.x: "
      "[1.0, 2]}, {policy: race, params.slots: 3}]}");
  ASSERT_EQ(sweep.exclude.size(), 2U);
  ASSERT_EQ(sweep.exclude[0].where.size(), 2U);
  EXPECT_EQ(sweep.exclude[0].where[1].second, (Values{"1", "2"})) << "1.0 is the axis' 1";
  EXPECT_EQ(sweep.exclude[1].where[0].first, "policy");
}

struct Wrong {
  const char* sweep;
  const char* message;
};

TEST(Sweep, SaysWhatIsWrongAndWhere) {
  // Column 8 is what follows `sweep: `.
  const Wrong cases[] = {
      {"{vary: {params.slots: {linspace: [1, 4]}}}", "4:41 linspace: expected [first, last, how many], found a list"},
      {"{vary: {params.slots: {linspace: [1, 4, 0]}}}",
       "4:48 linspace: expected a whole number from 1 to 1000000, found '0'"},
      {"{vary: {params.slots: {linspace: [1, x, 2]}}}", "4:45 linspace: expected a number, found 'x'"},
      {"{vary: {params.slots: {linspace: [2, 2, 3]}}}",
       "4:30 params.slots: the ends are too near each other for 3 values"},
      {"{vary: {params.slots: {logspace: [0, 4, 3]}}}",
       "4:41 logspace: expected ends above 0 (the values themselves, not exponents), found a list"},
      {"{vary: {params.slots: {lispace: [1, 4, 4]}}}",
       "4:31 unknown key 'lispace' in 'params.slots'; did you mean 'linspace'?"},
      {"{vary: {params.slots: {unit: s}}}",
       "4:30 params.slots: expected one of linspace and logspace, or a list of values, found a map"},
      {"{vary: {params.slots: {linspace: [1, 2, 3]}}}",
       "4:30 slots: expected a whole number from 1 to 1000000000, found '1.5' (from $slots)"},
      {"{vary: {params.slotz: {linspace: [1, 2, 2]}}}",
       "4:16 nothing in the file uses '$slotz'; did you mean '$slots'?"},
      {"{vary: {params.slots: [1, 2], zip: [3]}}", "4:38 'zip' stands beside 'vary', not in it"},
      {"{zip: [{params.slots: [1, 2]}]}",
       "4:15 zip: expected a group of at least two axes like {params.slots: [2, 4], params.mean: [60s, 30s]}, found a "
       "map"},
      {"{zip: [{params.slots: [1, 2], params.x: [1, 2, 3]}]}",
       "4:48 params.x: 3 values, but 'params.slots' in the same group has 2"},
      {"{zip: [{params.slots: [1, 2, 1], params.x: [1, 2, 1]}]}",
       "4:15 zip: the values number 3 of this group are there before"},
      {"{vary: {params.x: [1]}, zip: [{params.slots: [1, 2], params.x: [1, 2]}]}", "4:61 'params.x' is swept twice"},
      {"{zip: [{params.slots: [1, 2], params.y: [1, 2]}]}", "4:38 nothing in the file uses '$y'"},
      {"{zip: [{params.slots: [1, 2], policy: [race, default]}]}",
       "4:38 'policy' cannot be zipped: every policy meets the same points; 'exclude' leaves some out"},
      {"{latin_hypercube: {points: 4}}", "4:26 latin_hypercube: there are no axes under 'vary' to draw from"},
      {"{latin_hypercube: {seed: 4}, vary: {params.slots: [1]}}",
       "4:26 latin_hypercube: 'points' is missing: how many points are drawn"},
      {"{latin_hypercube: {points: 4}, vary: {params.x: {linspace: [1, 2, 3]}}}",
       "4:67 linspace: expected [least, most]; how many is said by latin_hypercube, found a list"},
      {"{vary: {params.slots: [1, 2]}, exclude: [{params.slot: 2}]}",
       "4:50 exclude: 'params.slot' is not swept; did you mean 'params.slots'?"},
      {"{vary: {params.slots: [1, 2]}, exclude: [{params.slots: 3}]}",
       "4:64 exclude: 'params.slots' never has the value '3'"},
      {"{vary: {work.bsae.load: [0.5]}}", "4:16 'work.bsae.load': there is no entry 'bsae'; did you mean 'base'?"},
  };
  for (const Wrong& c : cases) EXPECT_EQ(errors_of(c.sweep), c.message) << c.sweep;
}

TEST(Sweep, GivesItsValuesToThePointsAlone) {
  const WorkloadDocument document = WorkloadDocument::parse(
      kWork + "sweep: {vary: {params.slots: [2, 3], policy: [race]}, exclude: [{params.slots: 2}]}\n", "w.yaml");
  const Workload point = document.read({{"params.slots", "2", "sweep.vary"}});
  EXPECT_TRUE(point.sweep.axes.empty());
  EXPECT_EQ(point.cluster.classes.at(0).capacity.cores, 2);
  EXPECT_EQ(point.policies.at(0).name, "race");
}

}  // namespace
}  // namespace headroom
