// Running a study in shards and merging them, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/merge.h"
#include "sim/sweep/study.h"
#include "tests/results/samples.h"

namespace headroom::testing {

/// Runs every shard of a study into `out`, one after the other. Returns the parts.
inline std::vector<std::string> run_shards(const Study& study, const std::string& out, std::uint32_t count) {
  std::vector<std::string> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    RunOptions options;
    options.out = out;
    options.shard = Shard{i, count};
    options.jobs = 1 + i % 3;
    EXPECT_TRUE(run_study(study, options).complete);
    parts.push_back(shard_output(out, *options.shard) + ".part");
    EXPECT_TRUE(std::filesystem::is_directory(parts.back())) << "a shard without runs is a shard too";
  }
  return parts;
}

inline std::string merged_bytes(std::vector<std::string> parts, const std::string& out) {
  (void)merge_parts({std::move(parts), out, true, 1});
  return read_bytes(out);
}

inline std::string unsharded_bytes(const Study& study, const std::string& out) {
  RunOptions options;
  options.out = out;
  options.force = true;
  options.jobs = 2;
  EXPECT_TRUE(run_study(study, options).complete);
  return read_bytes(out);
}

}  // namespace headroom::testing
