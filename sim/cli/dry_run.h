// sim run --dry-run: what a study would be and about what it would cost; writes nothing.
#pragma once

#include <optional>
#include <string>

#include "sim/cli/options.h"
#include "sim/sweep/study.h"

namespace headroom::cli {

/// What was found out by running some of the runs in memory.
struct Sample {
  std::size_t finished = 0;     ///< runs that ended within the time
  double seconds = 0;           ///< of those
  double stages = 0;            ///< in those
  double longest_fraction = 0;  ///< of a run that did not end: the part of its workflows that had finished
  double longest_seconds = 0;
  double longest_stages = 0;  ///< stages of that run
};

struct Estimate {
  bool known = false;
  double seconds = 0, bytes = 0;
};
/// For `runs` runs of the study on `jobs` threads.
[[nodiscard]] Estimate estimate(const Study& study, const Sample& sample, std::uint64_t runs, unsigned jobs);

/// Runs samples for up to 2 s. Of a shard, time and bytes are its own. `format`: JSON, or for every other a text.
[[nodiscard]] std::string dry_run(const Study& study, const std::string& out, const std::optional<Shard>& shard,
                                  unsigned jobs, Format format);

}  // namespace headroom::cli
