// A machine's part of a study. Who runs what follows from the study alone, so that machines need not talk to each other
// and a part can be run again by whoever comes along.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headroom {

struct Study;

struct Shard {
  std::uint32_t index = 0, count = 1;  ///< index < count
};

/// Which shard takes each item: the heaviest first, to the shard that has least so far; equal ones by number. No shard
/// gets more than the mean and the heaviest item. Cost O(n log n).
[[nodiscard]] std::vector<std::uint32_t> balanced(std::span<const std::uint64_t> weights, std::uint32_t shards);

/// The runs of a shard, rising. A run weighs as many stages as its point generates in replication 0; where generating
/// that for each point costs too much, all runs weigh the same.
/// Fails  InputError where a trace cannot be read.
[[nodiscard]] std::vector<std::uint64_t> runs_of(const Study& study, const Shard& shard);

/// What a shard of FILE works on: its part is this and ".part".
[[nodiscard]] std::string shard_output(const std::string& file, const Shard& shard);

}  // namespace headroom
