#include "sim/sweep/shard.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "policies/check.h"
#include "sim/sweep/study.h"

namespace headroom {
namespace {

constexpr std::uint64_t kMostGenerated = 20'000'000;  ///< stages generated only to be counted

/// Stages by point. All 1 where they are not worth counting.
std::vector<std::uint64_t> stages_by_point(const Study& study) {
  std::vector<std::uint64_t> stages(study.points.size(), 1);
  std::uint64_t generated = 0;
  for (std::size_t p = 0; p < study.points.size(); ++p) {
    // One stage more, so that runs without any are spread too.
    stages[p] = std::uint64_t{realise(study.points[p], study.seed, 0, *study.traces).stages()} + 1;
    generated += stages[p];
    if (generated > kMostGenerated) return std::vector<std::uint64_t>(study.points.size(), 1);
  }
  return stages;
}

}  // namespace

std::vector<std::uint32_t> balanced(std::span<const std::uint64_t> weights, std::uint32_t shards) {
  HEADROOM_CHECK(shards > 0, "runs need a shard to go to");
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  using Load = std::pair<std::uint64_t, std::uint32_t>;  // so far, shard: least first
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::uint32_t s = 0; s < shards; ++s) loads.emplace(0, s);
  std::vector<std::uint32_t> taken_by(weights.size());
  for (const std::size_t item : order) {
    const auto [load, shard] = loads.top();
    loads.pop();
    taken_by[item] = shard;
    loads.emplace(load + weights[item], shard);
  }
  return taken_by;
}

std::vector<std::uint64_t> runs_of(const Study& study, const Shard& shard) {
  const std::vector<std::uint64_t> stages = stages_by_point(study);
  std::vector<std::uint64_t> weights;
  weights.reserve(study.runs.size());
  for (const RunSpec& run : study.runs) weights.push_back(stages[run.point]);
  const std::vector<std::uint32_t> taken_by = balanced(weights, shard.count);
  std::vector<std::uint64_t> runs;
  for (const RunSpec& run : study.runs)
    if (taken_by[run.run] == shard.index) runs.push_back(run.run);
  return runs;
}

std::string shard_output(const std::string& file, const Shard& shard) {
  return file + ".shard-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
}

}  // namespace headroom
