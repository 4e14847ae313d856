// Who went first although it came later: how many first starts of stages of workflows submitted later there were while
// somebody waited, and how much slot-time those took inside its wait.
// It must know nothing of why they went first.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/run_log.h"
#include "sim/metrics/submission_order.h"
#include "sim/metrics/wide.h"
#include "workloads/work.h"

namespace headroom {

/// Of workflows submitted strictly later than the one that waited; its own stages never count.
struct Overtakes {
  // By workflow: during its wait, from submission to its first start or the end of the run. 0 where it has no wait.
  std::vector<std::uint32_t> count;  ///< first starts, those of the same instant that were picked earlier included
  std::vector<double> work_core_s;   ///< core time of those first tries inside the wait
  bool any = false;                  ///< is one of them above 0?
  // By stage, if asked for: the first starts while it was eligible, over all its tries.
  std::vector<std::uint32_t> stage_count;
};

/// What starts is only remembered while somebody older waits, and is looked up by rank of submission in a Fenwick tree.
/// Cost  O(log n) a start and an end where somebody is overtaken, O(1) elsewhere; 24 bytes a workflow.
[[nodiscard]] Overtakes overtakes(const Work& work, const RunLog& log, const SubmissionRanks& ranks, bool with_stages);

/// The same where sums inside a wait leave 64 bits (a million cores for three hours).
[[nodiscard]] Overtakes overtakes_in_128_bits(const Work& work, const RunLog& log, const SubmissionRanks& ranks,
                                              bool with_stages);

}  // namespace headroom
