// Generated work from its YAML: arrivals, shapes, estimates, mixes, loads; and that each draw stays what it is when
// something else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "workloads/draw.h"
#include "workloads/offered_load.h"
#include "workloads/realise.h"
#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

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

Work realised(const Workload& workload, std::uint64_t replication = 0) {
  TraceCache traces;
  return realise(workload, 1, replication, traces);
}

/// One item on 64 cores; `keys` are its own.
std::string item(const std::string& keys) {
  return "cluster: {slots: 64}\nwork: [{generate: {name: g, " + keys + "}}]\n";
}
Work made(const std::string& keys) { return realised(read(item(keys))); }

std::string message_of(const std::string& keys) {
  try {
    static_cast<void>(made(keys));
  } catch (const InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "no error";
}

/// "0 | 0 | 1,2": the needs of each stage of a workflow, by number within it.
std::string needs_of(const Work& work, std::uint32_t workflow = 0) {
  std::string text;
  const StageRow first = work.first_stage[workflow];
  for (StageRow row = first; row < work.first_stage[workflow + 1]; ++row) {
    if (row > first) text += " | ";
    if (work.needs_begin.empty()) continue;
    for (std::uint32_t k = work.needs_begin[row]; k < work.needs_begin[row + 1]; ++k)
      text += (k > work.needs_begin[row] ? "," : "") + std::to_string(work.needs[k] - first);
  }
  return text;
}

const std::string kOnce = "count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s";

// ---- shapes

TEST(Shape, OfEachKindNeedsWhatItSays) {
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {chain: {length: 4}}")), " | 0 | 1 | 2");
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {fork_join: {width: 3}}")), " | 0 | 0 | 0 | 1,2,3");
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {tree: {depth: 3, arity: 2}}")), " | 0 | 0 | 1 | 1 | 2 | 2");
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {tree: {depth: 3, arity: 1}}")), " | 0 | 1");
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {diamond: {width: 3}}")), " | 0 | 1 | 0 | 1,3 | 2,4 | 3 | 4,6 | 5,7");
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {layered: {layers: 3, width: 2, degree: 5}}")),
            " |  | 0,1 | 0,1 | 2,3 | 2,3");
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {random: {stages: 3, edge_probability: 1}}")), " | 0 | 0,1");
  EXPECT_EQ(needs_of(made(kOnce + ", shape: {random: {stages: 3, edge_probability: 0}}")), " |  | ");
  const Work chain = made(kOnce + ", shape: {chain: {length: 2}}");
  EXPECT_EQ(chain.workflow_name(0), "g[0]");
  EXPECT_EQ(chain.stage_name(1), "s1");
  EXPECT_EQ(made(kOnce + ", shape: single").stage_name(0), "main");
}

TEST(Shape, LayeredTakesSoManyDifferentOnesOfTheLayerBeforeEachEquallyOften) {
  const Work work =
      made("count: 2000, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {layered: {layers: 2, width: 5, degree: 2}}");
  std::vector<int> taken(5);
  std::set<std::string> pairs;
  for (StageRow row = 0; row < work.stages(); ++row) {
    const auto begin = work.needs.begin() + work.needs_begin[row], end = work.needs.begin() + work.needs_begin[row + 1];
    if (row % 10 < 5) {
      EXPECT_EQ(begin, end);
      continue;
    }
    ASSERT_EQ(end - begin, 2);
    ASSERT_LT(begin[0], begin[1]);
    for (auto need = begin; need != end; ++need) ++taken.at(*need - row / 10 * 10);
    pairs.insert(std::to_string(begin[0] % 10) + std::to_string(begin[1] % 10));
  }
  EXPECT_EQ(pairs.size(), 10U);
  // 10000 stages, each of five with probability 2/5: sd sqrt(10000 0.4 0.6) = 49.
  for (const int n : taken) EXPECT_NEAR(n, 4000, 4 * 49);
}

TEST(Shape, RandomHasEachNeedWithItsProbability) {
  const Work work = made(
      "count: 500, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {random: {stages: 20, edge_probability: 0.3}}");
  std::vector<int> first(20);
  for (StageRow row = 0; row < work.stages(); ++row) {
    for (std::uint32_t k = work.needs_begin[row]; k < work.needs_begin[row + 1]; ++k) {
      ASSERT_LT(work.needs[k], row);
      if (row % 20 == 19) ++first.at(work.needs[k] % 20);
    }
  }
  // 500 times 190 pairs, sd sqrt(95000 0.21) = 141; of one pair 500: sd 10.2.
  EXPECT_NEAR(static_cast<double>(work.needs.size()), 0.3 * 95'000, 4 * 141);
  for (int i = 0; i < 19; ++i) EXPECT_NEAR(first.at(static_cast<std::size_t>(i)), 150, 4 * 10.3) << i;
}

TEST(Shape, KeepsTheDrawsOfItsFirstStagesWhenItGrows) {
  const std::string keys = "count: 50, arrivals: {poisson: {rate: 1/h}}, runtime: {exponential: {mean: 1min}}, shape: ";
  const Work small = made(keys + "{random: {stages: 5, edge_probability: 0.5}}");
  const Work large = made(keys + "{random: {stages: 9, edge_probability: 0.5}}");
  for (std::uint32_t w = 0; w < 50; ++w) {
    EXPECT_EQ(small.submitted_at[w], large.submitted_at[w]);
    for (StageRow s = 0; s < 5; ++s) EXPECT_EQ(small.run_time[w * 5 + s], large.run_time[w * 9 + s]);
    EXPECT_TRUE(needs_of(large, w).starts_with(needs_of(small, w) + " | "));
  }
}

TEST(Shape, MayHaveDrawnNumbers) {
  const Work work =
      made("count: 400, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {fork_join: {width: {uniform: [4, 6]}}}");
  std::map<StageRow, int> seen;
  for (std::uint32_t w = 0; w < 400; ++w) ++seen[work.first_stage[w + 1] - work.first_stage[w]];
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen.begin()->first, 6U);
  for (const auto& [stages, times] : seen) EXPECT_NEAR(times, 133, 4 * 9.5) << stages;
}

TEST(Shape, OfTooManyStagesOrNeedsIsRefused) {
  EXPECT_NE(errors_of(item(kOnce + ", shape: {tree: {depth: 60, arity: 2}}"))
                .find("more than 50000000 stages in each workflow"),
            std::string::npos);
  EXPECT_NE(errors_of(item(kOnce + ", shape: {diamond: {width: 50000000}}"))
                .find("more than 50000000 stages in each workflow"),
            std::string::npos);
  EXPECT_NE(errors_of(item(kOnce + ", shape: {random: {stages: 1000000, edge_probability: 0.5}}"))
                .find("more than 200000000 needs in each workflow"),
            std::string::npos);
  EXPECT_EQ(
      message_of(
          "count: 3, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {diamond: {width: {choose: {1: 1, 8000: 1}}}}"),
      "generate 'g' draws a workflow of more than 50000000 stages");
  EXPECT_EQ(message_of("count: 1000000, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {chain: {length: 1000}}"),
            "generate 'g' makes about 1000000000 stages; at most 200000000 are simulated in one run");
}

// ---- arrivals

std::vector<long double> hours(const Work& work) {
  std::vector<long double> result;
  for (const TimePoint at : work.submitted_at) result.push_back(static_cast<long double>(at.ns) / kHour);
  return result;
}

TEST(Arrivals, OfAnMmppComeInBursts) {
  // On and off for an hour on average, 20/h when on: 10/h in the long run. Over windows much longer than an hour the
  // variance of the number is 1 + 20 * 1 / 2 = 11 times its mean (a Poisson process: 1). 400 windows: sd of that 7 %.
  constexpr int kWindows = 400, kLength = 50;
  const Work work = made("until: 20000h, arrivals: {mmpp: {rates: [0/h, 20/h], stay: [1h, 1h]}}, runtime: 1s");
  std::vector<double> in_window(kWindows);
  for (const long double at : hours(work)) ++in_window.at(static_cast<std::size_t>(at) / kLength);
  const double mean = std::accumulate(in_window.begin(), in_window.end(), 0.0) / kWindows;
  double variance = 0;
  for (const double n : in_window) variance += (n - mean) * (n - mean) / (kWindows - 1);
  EXPECT_NEAR(mean, 500, 4 * std::sqrt(500 * 11.0 / kWindows));
  EXPECT_NEAR(variance / mean, 11, 4 * 0.07 * 11);
}

TEST(Arrivals, OfAnMmppKeepItsStatesWhenRatesChange) {
  // Nobody comes in the hours when it is off, whichever the rate.
  const auto off_hours = [](const std::string& rate) {
    const auto at =
        hours(made("until: 200h, arrivals: {mmpp: {rates: [0/h, " + rate + "], stay: [4h, 4h]}}, runtime: 1s"));
    std::set<int> result;
    for (int h = 0; h < 200; ++h) {
      const auto inside = [h](long double t) { return t >= h && t < h + 1; };
      if (std::ranges::none_of(at, inside)) result.insert(h);
    }
    return result;
  };
  const std::set<int> slow = off_hours("200/h"), fast = off_hours("400/h");
  EXPECT_EQ(slow, fast);
  EXPECT_GT(slow.size(), 40U);
  EXPECT_LT(slow.size(), 140U);
}

TEST(Arrivals, OfADayFollowTheRateSummedOverTime) {
  // The i-th comes when the rate summed from 0 is the sum of i + 1 unit exponentials: checked with the integral.
  const Work work = made("count: 500, arrivals: {diurnal: {rate: 4/h, amplitude: 1, peak: 14h}}, runtime: 1s");
  const Draws draws(1, 0, "g");
  const long double turn = 2 * std::acos(-1.0L);
  long double mass = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    mass -= std::log1p(-draws.uniform(i, 0, 0, Attribute::kArrival));
    const long double t = hours(work)[i];
    const long double summed = 4 * (t + 24 / turn * (std::sin(turn * (t - 14) / 24) + std::sin(turn * 14 / 24)));
    EXPECT_NEAR(static_cast<double>(summed), static_cast<double>(mass), 1e-8) << i;
  }
}

TEST(Arrivals, OfADayByWeightsComeInTheirShifts) {
  const Work work = made("until: 1000d, arrivals: {diurnal: {rate: 1/h, weights: [0, 2, 1]}}, runtime: 1s");
  std::array<double, 3> in_shift{};
  for (const long double at : hours(work)) ++in_shift.at(static_cast<std::size_t>(std::fmod(at, 24.0L) / 8));
  EXPECT_EQ(in_shift[0], 0);
  EXPECT_NEAR(in_shift[1], 16'000, 4 * std::sqrt(16'000));
  EXPECT_NEAR(in_shift[2], 8'000, 4 * std::sqrt(8'000));
}

// ---- loads

TEST(Load, GivesTheRateAtWhichTheWorkIsThatShareOfTheCores) {
  const auto rate = [](const std::string& keys) {
    const Workload w = read(item("count: 10, load: 0.5, " + keys));
    return static_cast<double>(std::get<GenerateItem>(w.items.at(0)).arrivals.rate_per_ns * kHour);
  };
  EXPECT_DOUBLE_EQ(rate("runtime: 1h"), 32);
  EXPECT_DOUBLE_EQ(rate("runtime: {exponential: {mean: 30min}}, cores: 4, arrivals: poisson"), 16);
  EXPECT_DOUBLE_EQ(rate("runtime: 1h, cores: {choose: {1: 0.5, 7: 0.5}}, arrivals: {poisson: {}}"), 8);
  EXPECT_DOUBLE_EQ(rate("runtime: 1h, shape: {fork_join: {width: {uniform: [4, 8]}}}"), 4);
  EXPECT_DOUBLE_EQ(rate("runtime: 1h, shape: {tree: {depth: 3, arity: {choose: {1: 0.5, 2: 0.5}}}}"), 32 / 5.0);
  EXPECT_DOUBLE_EQ(rate("runtime: 2h, walltime: 1h"), 32);
  EXPECT_DOUBLE_EQ(rate("mix: [{weight: 3, cores: 1, runtime: 2h}, {weight: 1, cores: 5, runtime: 2h}]"), 8);
  EXPECT_DOUBLE_EQ(rate("runtime: 1h, arrivals: {diurnal: {amplitude: 0.5}}"), 32);
}

TEST(Load, KeepsThePatternOfTheArrivals) {
  const auto arrivals = [](const std::string& keys) {
    return std::get<GenerateItem>(read(item("count: 10, load: 0.5, runtime: 1h, " + keys)).items.at(0)).arrivals;
  };
  EXPECT_EQ(arrivals("arrivals: {periodic: {first: 3s}}").every.ns, kHour / 32);
  EXPECT_EQ(arrivals("arrivals: {burst: {at: 0s, size: 8}}").every.ns, kHour / 4);
  const Arrivals mmpp = arrivals("arrivals: {mmpp: {rates: [1/h, 3/h], stay: [1h, 1h]}}");
  EXPECT_NEAR(static_cast<double>(mmpp.phases.at(0).rate_per_ns * kHour), 16, 1e-12);
  EXPECT_NEAR(static_cast<double>(mmpp.phases.at(1).rate_per_ns * kHour), 48, 1e-12);
}

TEST(Load, IsSaidWithTheRateThatFollows) {
  const Workload w = read(item("count: 10, load: 0.5, runtime: 1h"));
  EXPECT_EQ(load_text(std::get<GenerateItem>(w.items.at(0)), w.cluster),
            "g: load 0.5 of 64 cores is a rate of 32/h (1 core-hours a workflow)");
}

TEST(Load, NeedsAClusterThatTheFileDescribes) {
  const std::string trace = "work: [{trace: {swf: " HEADROOM_SOURCE_DIR "/workloads/examples/small.swf}}, ";
  EXPECT_NE(errors_of(trace + "{generate: {name: g, count: 1, load: 0.9, runtime: 1s}}]\n")
                .find("generate 'g': a load needs a cluster that the file describes, not one taken from a trace\n"),
            std::string::npos);
}

// ---- what goes together, estimates, switching off

TEST(Mix, DrawsCoresAndRunTimesTogether) {
  const Work work = made(
      "count: 4000, arrivals: {burst: {at: 0s}}, walltime: 1d, mix: [{weight: 0.75, cores: 1, runtime: 1min}, {weight: "
      "0.25, "
      "cores: 32, runtime: 2h, estimate: unknown}]");
  int wide = 0;
  for (StageRow row = 0; row < work.stages(); ++row) {
    const bool is_wide = work.demands[work.demand[row]].cores == 32;
    wide += is_wide ? 1 : 0;
    EXPECT_EQ(work.run_time[row], is_wide ? Duration::hours(2) : Duration::seconds(60));
    EXPECT_EQ(work.estimate[row], is_wide ? Duration::hours(24) : Duration::seconds(60));
  }
  EXPECT_NEAR(wide, 1000, 4 * std::sqrt(4000 * 0.25 * 0.75));
}

TEST(Estimate, OfEachForm) {
  const auto estimate = [](const std::string& keys) {
    return made("count: 1, arrivals: {burst: {at: 0s}}, runtime: 10s" + keys).estimate.at(0).in_seconds();
  };
  EXPECT_EQ(estimate(""), 10);
  EXPECT_EQ(estimate(", estimate: exact"), 10);
  EXPECT_EQ(estimate(", estimate: unknown"), 1);
  EXPECT_EQ(estimate(", estimate: unknown, walltime: 1h"), 3600);
  EXPECT_EQ(estimate(", estimate: {constant: 7s}"), 7);
  EXPECT_EQ(estimate(", estimate: 8s"), 8);
  EXPECT_EQ(estimate(", estimate: {factor: 1.5}"), 15);
  EXPECT_EQ(estimate(", estimate: {factor: {uniform: [2, 2]}}"), 20);
}

TEST(Enabled, FalseLeavesTheNameAndNothingElse) {
  const Workload w = read(item("enabled: false, " + kOnce) + "measure: {classes: {mine: {workflow: [g]}}}\n");
  EXPECT_EQ(realised(w).workflows(), 0U);
  EXPECT_FALSE(is_random(read(item("enabled: false, count: 3, arrivals: {poisson: {rate: 1/h}}, runtime: 1s"))));
}

// Common random numbers: one thing changes, every other draw stays.
TEST(Draws, OfAWorkflowStayWhenTheRateTheMixOrALoadChanges) {
  const std::string rest =
      ", runtime: {lognormal: {median: 1min, sigma: 1}}, priority: {choose: {0: 1, 5: 1}}, cores: {uniform: [1, 8]}, "
      "estimate: {factor: {normal: {mean: 1, sd: 0.5}}}";
  const Work slow = made("count: 300, arrivals: {poisson: {rate: 1/h}}" + rest);
  for (const std::string other :
       {"arrivals: {poisson: {rate: 9/h}}", "arrivals: {mmpp: {rates: [1/h, 5/h], stay: [1h, 1h]}}", "load: 0.7",
        "arrivals: {diurnal: {rate: 5/h, amplitude: 0.3}}"}) {
    const Work fast = made("count: 300, " + other + rest);
    EXPECT_EQ(slow.run_time, fast.run_time) << other;
    EXPECT_EQ(slow.priority, fast.priority) << other;
    EXPECT_EQ(slow.estimate, fast.estimate) << other;
    EXPECT_EQ(slow.demand, fast.demand) << other;
    EXPECT_NE(slow.submitted_at, fast.submitted_at) << other;
  }
}

// ---- files of values

TEST(Empirical, TakesTheValuesOfItsFileAndSaysWhichFilesWereRead) {
  const std::string path = testing::TempDir() + "/observed.txt";
  std::ofstream(path) << "# seconds\n 5\n\n1.5 # short\r\n2min\n1.5\n";
  const Workload w = read(item("count: 400, arrivals: {burst: {at: 0s}}, runtime: {empirical: " + path +
                               "}, estimate: {empirical: " + path + "}"));
  EXPECT_EQ(w.data_files, std::vector<std::string>{path});
  std::map<std::int64_t, int> seen;
  for (const Duration run_time : realised(w).run_time) ++seen[run_time.ns / 1'000'000];
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_NEAR(seen.at(1'500), 200, 40);
  EXPECT_NEAR(seen.at(5'000), 100, 35);
  EXPECT_NEAR(seen.at(120'000), 100, 35);
}

TEST(Empirical, NamesTheLinesThatAreNoValues) {
  const std::string path = testing::TempDir() + "/bad.txt";
  std::ofstream(path) << "5\n  -1\nabc # x\n";
  const std::string text = item(kOnce + ", estimate: {empirical: " + path + "}");
  EXPECT_EQ(errors_of(text),
            path + ":2:3: expected a duration that is not negative, found '-1'\n    2 |   -1\n      |   ^^\n" + path +
                ":3:1: expected a duration like 250ms, 4.1s, 10min, 2h or 7d (a bare number is seconds), found 'abc'\n "
                "   3 | abc # x\n      | ^^^\n");
  EXPECT_NE(errors_of(item(kOnce + ", estimate: {empirical: /dev/zero}")).find("'/dev/zero' is not a regular file"),
            std::string::npos);
  std::ofstream(path) << "# nothing\n";
  EXPECT_EQ(errors_of(text), path + ": there is no value in it; one a line is expected\n");
}

// ---- plans

std::string program_of(const std::string& plan) {
  const Work work = realised(read("work: [{workflow: w, plan: {" + plan + "}}]\n"));
  std::string text;
  for (const PlanProgram::Op& op : work.plans.at(0).ops) {
    switch (op.kind) {
      case PlanOp::Kind::kDeclare:
        text += work.stage_name(op.stage);
        break;
      case PlanOp::Kind::kHold:
        text += "(";
        break;
      case PlanOp::Kind::kRelease:
        text += ")";
        break;
      case PlanOp::Kind::kPause:
        text += "_";
        break;
      case PlanOp::Kind::kStatic:
        text += ".";
        break;
    }
  }
  return text;
}

TEST(Plan, HoldsSoManyDeclarationsTogetherElementsOfArraysEachByItself) {
  const std::string steps =
      "steps: [{name: a, runtime: 1s}, {hold: [{name: c, count: 5, runtime: 1s}]}, {pause: 1s}, {name: z, runtime: "
      "1s}]";
  EXPECT_EQ(program_of("hold: 3, " + steps), "(ac[0]c[1])(c[2]c[3]c[4])_(z)");
  EXPECT_EQ(program_of("hold: 4, " + steps), "(ac[0]c[1]c[2])(c[3]c[4]_z)");
  EXPECT_EQ(program_of("hold: 1, order: reversed, " + steps), "(z)(c[4])(c[3])(c[2])(c[1])(c[0])_(a)");
  EXPECT_EQ(program_of("hold: 1000, " + steps), "(ac[0]c[1]c[2]c[3]c[4]_z)");
  EXPECT_EQ(program_of("hold: as_written, " + steps), "a(c[0]c[1]c[2]c[3]c[4])_z");
  EXPECT_EQ(
      program_of("hold: 2, steps: [{name: a, runtime: 1s}, {static: [x]}, {name: b, runtime: 1s}, {static: [y]}]"),
      "(a.b).");
  EXPECT_EQ(program_of("hold: none, " + steps), "ac[0]c[1]c[2]c[3]c[4]_z");
  EXPECT_EQ(program_of("hold: all, " + steps), "(ac[0]c[1]c[2]c[3]c[4]_z)");
}

// Templates: `count` makes an array, each element drawn and declared by itself, "{i}" its index, "cc[i]" its
// counterpart.
TEST(Plan, KnowsTemplates) {
  const std::string steps =
      "steps: [{name: cc, count: 3, runtime: {exponential: {mean: 1s}}, outputs: [\"{i}.o\"]}, {name: test, count: 3, "
      "runtime: 1s, needs: [\"cc[i]\"]}, {name: link, runtime: 1s, inputs: [0.o, 2.o]}]";
  EXPECT_EQ(program_of(steps), "cc[0]cc[1]cc[2]test[0]test[1]test[2]link");
  const Work work = realised(read("work: [{workflow: w, plan: {" + steps + "}}]\n"));
  EXPECT_EQ(needs_of(work), " |  |  |  | 1 | 2 | 3 | 1,3");
  EXPECT_NE(work.run_time[1], work.run_time[2]);
}

// ---- every key by --set and by sweep.vary

TEST(Override, ReachesTheKeysOfGeneratedWork) {
  const std::string text = R"(
cluster: {slots: 64}
work:
  - generate: {name: base, enabled: true, count: 3, load: 0.5, arrivals: {mmpp: {rates: [1/h, 2/h], stay: [1h, 2h]}}, shape: {fork_join: {width: {uniform: [4, 8]}}}, mix: [{weight: 1, cores: 1, runtime: {gamma: {shape: 2, scale: 1min}}}, {weight: 1, cores: 2, runtime: 1h}]}
  - workflow: build
    plan: {order: written, hold: 2, steps: [{name: a, runtime: {hyperexponential: {mean: 1s, scv: 4}}}]}
)";
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"work.base.enabled", "false"},
      {"work.base.load", "0.7"},
      {"work.base.arrivals.mmpp.rates[1]", "9/h"},
      {"work.base.arrivals.mmpp.stay", "[3h, 2h]"},
      {"work.base.shape.fork_join.width.uniform[1]", "9"},
      {"work.base.shape", "{chain: {length: 3}}"},
      {"work.base.mix[0].weight", "5"},
      {"work.base.mix[0].runtime.gamma.shape", "3"},
      {"work.base.mix[1].cores", "{choose: {1: 1, 2: 1}}"},
      {"work.base.estimate", "unknown"},
      {"work.build.plan.order", "shuffled"},
      {"work.build.plan.hold", "5"},
      {"work.build.plan.steps.a.runtime.hyperexponential.scv", "9"}};
  const Work before = realised(read(text));
  for (const auto& [path, value] : changes) {
    EXPECT_EQ(errors_of(text, {{path, value, "--set"}}), "no error") << path;
    EXPECT_EQ(errors_of(text + "sweep: {vary: {\"" + path + "\": [" + value + "]}}\n"), "no error") << path;
  }
  EXPECT_EQ(realised(read(text, {{"work.base.enabled", "false", "--set"}})).workflows(), 1U);
  EXPECT_EQ(realised(read(text, {{"work.base.shape", "{chain: {length: 3}}", "--set"}})).first_stage[1], 3U);
  EXPECT_EQ(errors_of(text, {{"work.base.shape.fork_join.widht", "3", "--set"}}),
            "--set work.base.shape.fork_join.widht=3: unknown key 'widht' in fork_join; did you mean 'width'?\n");
}

}  // namespace
}  // namespace headroom
