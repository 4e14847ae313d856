// What holding back is worth: makespans of workflows with holds ignored over those with holds honoured, on the scale on
// which ratios add up. It must never know how it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/compare/comparison.h"

namespace headroom::compare {

struct HoldRow {
  std::vector<std::string> at;  ///< by Comparison::others; empty: over all points
  std::size_t workflows = 0;    ///< of the first replication, that finished in both and took time
  double ratio = 0;             ///< geometric mean of makespan ignored / honoured; above 1: holding helped
  Interval interval;            ///< Student's on the logarithms, a value a replication
};

struct HoldRatios {
  std::string honor, ignore;  ///< policies
  std::vector<HoldRow> rows;  ///< points as in the file, then, if there are several, over all
};

/// Of every pair of compared policies that differ in `hold` alone. Empty where workflows were not recorded.
[[nodiscard]] std::vector<HoldRatios> hold_ratios(const SampledRuns& runs, const Comparison& comparison);

}  // namespace headroom::compare
