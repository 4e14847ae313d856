// Shards: who runs what, and that the parts make the file that one machine would have made.
#include "sim/sweep/shard.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "sim/results/merge.h"
#include "sim/results/part_store.h"
#include "sim/sweep/study.h"
#include "tests/results/samples.h"
#include "tests/sweep/shards.h"
#include "tests/sweep/studies.h"

namespace headroom {
namespace {

using testing::kHoldVsRace;
using testing::kRandom;
using testing::merged_bytes;
using testing::read_bytes;
using testing::request_of;
using testing::run_shards;
using testing::TemporaryFolder;
using testing::unsharded_bytes;
using testing::write_bytes;

RC_GTEST_PROP(Balanced, GivesNoShardMoreThanTheMeanAndTheHeaviest, ()) {
  const auto weights = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 1000));
  const auto shards = *rc::gen::inRange<std::uint32_t>(1, 20);
  const std::vector<std::uint32_t> by = balanced(weights, shards);
  RC_ASSERT(by.size() == weights.size());
  std::vector<std::uint64_t> loads(shards);
  for (std::size_t i = 0; i < by.size(); ++i) {
    RC_ASSERT(by[i] < shards);
    loads[by[i]] += weights[i];
  }
  const std::uint64_t all = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  const std::uint64_t heaviest = weights.empty() ? 0 : *std::ranges::max_element(weights);
  RC_ASSERT(*std::ranges::max_element(loads) <= all / shards + heaviest);
  RC_ASSERT(balanced(weights, shards) == by);
}

TEST(Balanced, TakesTheHeaviestFirst) {
  const std::vector<std::uint64_t> weights{1, 5, 1, 4, 1};
  EXPECT_EQ(balanced(weights, 2), (std::vector<std::uint32_t>{1, 0, 0, 1, 1}));
}

std::string merge_error(std::vector<std::string> parts, const std::string& out) {
  try {
    (void)merge_parts({std::move(parts), out, false, 0});
  } catch (const InputError& error) {
    return (error.kind() == InputError::Kind::kNoInput ? "66 " : "65 ") + std::string(error.what());
  } catch (const OutputError& error) {
    return (error.kind() == OutputError::Kind::kCannotCreate ? "73 " : "74 ") + std::string(error.what());
  }
  return "no error";
}

Study random_study(std::int64_t replications, std::uint64_t seed = 1) {
  StudyRequest request = request_of(kRandom);
  request.replications = replications;
  request.seed = seed;
  return plan_study(std::move(request));
}

TEST(Shards, OfASweepWithHolesMergeToTheBytesOfTheUnshardedRun) {
  const TemporaryFolder folder;
  const Study study =
      plan_study(request_of("params: {slots: 2, mean: 60s}\ncluster: {slots: $slots}\n"
                            "work: [{generate: {name: g, count: 5, arrivals: {poisson: {rate: 60/h}}, runtime: "
                            "{exponential: {mean: $mean}}}}]\n"
                            "policies: [default, sjf]\nsweep: {vary: {params.slots: [1, 2]}, zip: [{params.mean: [60s, "
                            "90s, 60s], work.g.count: "
                            "[1, 2, 9]}], exclude: [{policy: sjf, params.slots: 1}]}\n"));
  const std::string whole = unsharded_bytes(study, folder / "whole.h5");
  EXPECT_TRUE(merged_bytes(run_shards(study, folder / "r.h5", 3), folder / "r.h5") == whole);
  // More shards than runs.
  EXPECT_TRUE(merged_bytes(run_shards(study, folder / "r.h5", 11), folder / "r.h5") == whole);
}

TEST(Shards, AreDisjointAndCompleteAndBalancedByStages) {
  // Points of 1 to 4 times 10 stages: 100 stages and as many shares for each of four machines.
  const Study study =
      plan_study(request_of("work: [{generate: {name: g, count: 10, arrivals: {poisson: {rate: 9/h}}, runtime: 1s}}]\n"
                            "sweep: {replications: 10, vary: {work.g.count: [9, 19, 29, 39]}}\n"));
  std::vector<std::uint64_t> all;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::vector<std::uint64_t> runs = runs_of(study, {i, 4});
    std::uint64_t stages = 0;
    for (const std::uint64_t run : runs) stages += 10 * (study.runs[run].point + 1);
    EXPECT_NEAR(static_cast<double>(stages), 250, 40) << "shard " << i;
    EXPECT_TRUE(std::ranges::is_sorted(runs));
    all.insert(all.end(), runs.begin(), runs.end());
  }
  std::ranges::sort(all);
  std::vector<std::uint64_t> expected(40);
  std::iota(expected.begin(), expected.end(), std::uint64_t{0});
  EXPECT_EQ(all, expected);
}

TEST(Shards, ResumeWhatIsThere) {
  const TemporaryFolder folder;
  const Study study = random_study(3);
  const std::string whole = unsharded_bytes(study, folder / "whole.h5");
  std::atomic<bool> stop{false};
  RunOptions options;
  options.out = folder / "r.h5";
  options.shard = Shard{1, 2};
  options.stop = &stop;
  options.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t) {
    EXPECT_EQ(all, 12U);
    stop = done >= 5;
  };
  const StudyResult cut = run_study(study, options);
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.runs.size(), 12U);
  const std::string part = shard_output(folder / "r.h5", {1, 2}) + ".part";
  EXPECT_NE(merge_error({part}, folder / "r.h5").find("is not finished"), std::string::npos);

  std::uint64_t begun_at = 99;
  RunOptions rest = options;
  rest.stop = nullptr;
  rest.resume = true;
  rest.progress = [&](std::uint64_t done, std::uint64_t, std::uint64_t) { begun_at = std::min(begun_at, done); };
  EXPECT_TRUE(run_study(study, rest).complete);
  EXPECT_EQ(begun_at, 5U);
  RunOptions other;
  other.out = folder / "r.h5";
  other.shard = Shard{0, 2};
  EXPECT_TRUE(run_study(study, other).complete);
  EXPECT_TRUE(merged_bytes({part, shard_output(folder / "r.h5", {0, 2})}, folder / "r.h5") == whole);
  // And once more where there is nothing left to do.
  EXPECT_TRUE(run_study(study, rest).complete);
  EXPECT_EQ(begun_at, 5U);
}

TEST(Merge, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  const std::vector<std::string> parts = run_shards(random_study(3), folder / "r.h5", 3);
  const std::string out = folder / "m.h5";
  EXPECT_EQ(merge_error({parts[0], folder / "nowhere.part"}, out).substr(0, 2), "66");
  const std::string lacking = merge_error({parts[0], parts[2]}, out);
  EXPECT_NE(lacking.find("lack 8 of 24 runs: 1, 4, 7, 10, 13 and 3 more"), std::string::npos) << lacking;
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_NE(merge_error({parts[0], parts[1], parts[2], parts[1]}, out).find("run 1 is in"), std::string::npos);
  std::filesystem::create_directory(folder / "empty");
  EXPECT_NE(merge_error({folder / "empty"}, out).find("is no part of a study"), std::string::npos);
  write_bytes(out, "mine");
  EXPECT_EQ(merge_error(parts, out).substr(0, 2), "73");
  EXPECT_EQ(read_bytes(out), "mine");
}

TEST(Merge, SaysWhereTwoPartsAreOfTwoStudies) {
  const TemporaryFolder folder;
  const std::vector<std::string> parts = run_shards(random_study(2), folder / "a.h5", 2);
  const std::vector<std::string> others = run_shards(random_study(2, 99), folder / "b.h5", 2);
  const std::string error = merge_error({parts[0], others[1]}, folder / "m.h5");
  EXPECT_EQ(error.substr(0, 2), "65");
  EXPECT_NE(error.find("is of another study than"), std::string::npos) << error;
  EXPECT_NE(error.find("seed is 99, and was 1"), std::string::npos) << error;
}

TEST(Merge, FindsDamage) {
  const TemporaryFolder folder;
  const std::vector<std::string> parts = run_shards(random_study(2), folder / "r.h5", 2);
  const std::string whole = merged_bytes(parts, folder / "whole.h5");
  const std::string finished = parts[1] + "/finished";
  const std::string good = read_bytes(finished);
  write_bytes(finished, good.substr(0, good.size() - 3));
  EXPECT_EQ(merge_error(parts, folder / "m.h5").substr(0, 2), "74");
  write_bytes(finished, good);
  const std::string file = part_paths(parts[1]).front();
  std::string bytes = read_bytes(file);
  for (const std::size_t at : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 5}) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    write_bytes(file, bad);
    const std::string error = merge_error(parts, folder / "m.h5");
    if (error == "no error") {  // it was in a summary, which no results file holds
      EXPECT_TRUE(read_bytes(folder / "m.h5") == whole) << "byte " << at;
      std::filesystem::remove(folder / "m.h5");
    } else {
      EXPECT_TRUE(error.starts_with("74")) << error;
    }
  }
}

TEST(Shards, LeaveHoldGainToTheWhole) {
  const TemporaryFolder folder;
  const Study study = plan_study(request_of(kHoldVsRace));
  const std::string whole = unsharded_bytes(study, folder / "whole.h5");
  EXPECT_TRUE(merged_bytes(run_shards(study, folder / "r.h5", 5), folder / "r.h5") == whole);
}

TEST(FactsBytes, AreReadBack) {
  StudyFacts facts = testing::sample_facts(3);
  facts.axes.emplace_back("work.g.rate", std::vector<std::string>{"1/h", "2/h", "3/h"}, "/h", true);
  facts.policy_arguments = {"expr:1,2"};
  facts.grid.assign(12, true);
  facts.grid[5] = false;
  const std::string bytes = facts_bytes(facts);
  EXPECT_EQ(facts_bytes(read_facts(bytes)), bytes);
  EXPECT_EQ(read_facts(bytes).runs(), 33U);
}

}  // namespace
}  // namespace headroom
