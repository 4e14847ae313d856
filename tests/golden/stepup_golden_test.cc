// First builds of the real StepUp against the simulator under `like: stepup-rc13`: the same plan, the recorded start of
// each plan, the measured overheads; the order of dispatch must be the recorded one wherever it does not hang on noise.
// The recordings are in the folder that STEPUP_GOLDEN names, by default beside the clone; a few of them are in
// tests/data.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "sim/engine/engine.h"
#include "tests/golden/agreement.h"
#include "tests/golden/replay.h"
#include "workloads/realise.h"

namespace headroom::golden {
namespace {

namespace fs = std::filesystem;

struct Excluded {
  const char* id;
  std::size_t build;
  const char* reason;
};

/// What is not simulated yet, one by one: each goes away with the feature that it waits for.
constexpr std::array kExcluded{
    Excluded{"amend_defer_j2", 0, "amend"},
    Excluded{"deleted_output_j2", 1, "a rebuild"},
    Excluded{"fail_j2", 1, "a rebuild"},
    Excluded{"learned_durations_j2", 1, "a rebuild"},
    Excluded{"no_duration_j2", 1, "a rebuild"},
    Excluded{"optional_j2", 0, "optional"},
    Excluded{"plan_dies_in_hold_kg_j2", 0, "exit"},
    Excluded{"plan_raises_after_hold_j3", 0, "raise"},
    Excluded{"plan_raises_in_hold_j2", 0, "raise"},
    Excluded{"random16_rebuild_j3", 1, "a rebuild"},
    Excluded{"seed_nodur_hold_j3", 1, "a rebuild"},
    Excluded{"seed_rebuilds_j3", 1, "a rebuild"},
    Excluded{"seed_rebuilds_j3", 2, "a rebuild"},
    Excluded{"skip_then_run_j2", 1, "a rebuild"},
    Excluded{"targets_j2", 0, "targets"},
};

/// Fewer than these, and the comparison has lost its teeth.
constexpr std::size_t kLeastBuilds = 32, kLeastCompared = 950;
constexpr std::size_t kLeastBuildsHere = 7, kLeastComparedHere = 75;
constexpr std::size_t kLeastPercent = 95;  ///< of the pairs, of whatever folder

std::string reason_by_name(const RecordedBuild& build) {
  for (const Excluded& one : kExcluded)
    if (one.id == build.id && one.build == build.index) return one.reason;
  return "";
}

struct Sum {
  std::size_t builds = 0, excluded = 0, pairs = 0, compared = 0;
  std::size_t listed = 0;  ///< of those that kExcluded names
};

/// Compares every build that can be simulated, and prints what was compared of each.
Sum compare_all(const fs::path& folder) {
  Sum sum;
  std::printf("%-36s %5s %8s %6s  %s\n", "build", "runs", "compared", "pairs", "makespan simulated - recorded");
  for (const RecordedBuild& build : read_folder(folder)) {
    const std::string label = build.id + " #" + std::to_string(build.index);
    const std::string reason = not_simulated_yet(build);
    const std::string known = reason_by_name(build);
    EXPECT_TRUE(known.empty() || known == reason)
        << label << " is listed for '" << known << "', not '" << reason << "'";
    if (!reason.empty()) {
      ++sum.excluded;
      sum.listed += known.empty() ? 0 : 1;
      std::printf("%-36s %5zu        -      -  not simulated yet: %s\n", label.c_str(), build.picks.size(),
                  reason.c_str());
      continue;
    }
    EXPECT_EQ(build.error, "") << label;
    const Replay replay = simulate_build(build);
    const Agreement found = compare(build, replay.dispatched);
    std::printf("%-36s %5zu %8zu %6zu  %+.3f s\n", label.c_str(), build.picks.size(), found.compared, found.pairs,
                replay.makespan - build.makespan);
    for (const std::string& difference : found.differences) ADD_FAILURE() << label << ": " << difference;
    ++sum.builds;
    sum.pairs += found.pairs;
    sum.compared += found.compared;
  }
  std::printf("%zu builds compared, %zu not simulated yet; %zu of %zu pairs of dispatches compared\n", sum.builds,
              sum.excluded, sum.compared, sum.pairs);
  return sum;
}

fs::path golden_folder() {
  const char* named = std::getenv("STEPUP_GOLDEN");
  return named != nullptr ? fs::path(named) : fs::path(HEADROOM_SOURCE_DIR) / ".." / "shared" / "golden" / "stepup";
}

TEST(StepUpGolden, FirstBuildsDispatchInTheRecordedOrder) {
  const fs::path folder = golden_folder();
  if (!fs::is_directory(folder)) {
    if (std::getenv("HEADROOM_NO_SKIP") != nullptr) FAIL() << folder << " is missing; STEPUP_GOLDEN names it";
    GTEST_SKIP() << folder << " is missing; STEPUP_GOLDEN names it";
  }
  const Sum sum = compare_all(folder);
  EXPECT_GE(sum.builds, 1U);
  EXPECT_GE(sum.compared * 100, sum.pairs * kLeastPercent);
  if (sum.listed < kExcluded.size()) return;  // another folder than the one that the floors were set on
  EXPECT_GE(sum.builds, kLeastBuilds);
  EXPECT_GE(sum.compared, kLeastCompared);
}

TEST(StepUpGolden, TheRecordingsKeptHereDispatchInTheRecordedOrder) {
  const Sum sum = compare_all(HEADROOM_SOURCE_DIR "/tests/data/stepup");
  EXPECT_GE(sum.builds, kLeastBuildsHere);
  EXPECT_GE(sum.compared, kLeastComparedHere);
}

/// How many of the builds kept here a model gets wrong that has one rule less.
std::size_t builds_that_differ(const std::vector<Override>& without, const char* policy = "default") {
  std::size_t differ = 0;
  for (const RecordedBuild& build : read_folder(HEADROOM_SOURCE_DIR "/tests/data/stepup"))
    differ += compare(build, simulate_build(build, without, policy).dispatched).differences.empty() ? 0 : 1;
  return differ;
}

TEST(StepUpGolden, DiffersFromAModelThatLacksOneOfTheRules) {
  EXPECT_EQ(builds_that_differ({}), 0U);
  EXPECT_GE(builds_that_differ({{"scheduler.hold_release", "ideal", "test"}}), 1U);  // the other case differs in time alone
  EXPECT_GE(builds_that_differ({}, "race"), 2U);
  EXPECT_GE(builds_that_differ({}, "declaration"), 2U);
}

/// Seconds, of the worked example.
double makespan_of_example(const char* like, const char* policy) {
  const Workload workload = WorkloadDocument::load(HEADROOM_SOURCE_DIR "/workloads/examples/duration_and_hold.yaml")
                                .read({{"scheduler.like", like, "test"}});
  TraceCache traces;
  const Work work = realise(workload, 1, 0, traces);
  return simulate(work, workload.scheduler, *find_preset(policy), workload.measure).end.in_seconds();
}

// The worked example: three slots, four steps declared 1 ms apart, the plan goes on for 100 ms. Documented, a hold
// costs nothing: the long ones start at 4 ms, 2.1 s at 104 ms, 2.0 s after it: 0.104 + 2.1 + 2.0 s. As measured,
// opening takes 3.4 ms, the release 6.1 ms, a step 26 ms beyond its sleep: 0.1135 + 2.126 + 2.026 s. Ignoring holds,
// the short ones start at 1 and 2 ms, and 4.0 s comes after 2.0 s: 0.001 + 2.0 + 4.0 s, or 0.001 + 2.026 + 4.026 s. The
// real program took 4.23 s with the hold and 6.11 s without, from the plan's first line.
TEST(StepUpGolden, TheWorkedExampleTakesAsLongAsComputedByHand) {
  EXPECT_NEAR(makespan_of_example("documented", "default"), 4.204, 1e-9);
  EXPECT_NEAR(makespan_of_example("documented", "race"), 6.001, 1e-9);
  EXPECT_NEAR(makespan_of_example("stepup-rc13", "default"), 4.2655, 1e-9);
  EXPECT_NEAR(makespan_of_example("stepup-rc13", "race"), 6.053, 1e-9);
}

}  // namespace
}  // namespace headroom::golden
