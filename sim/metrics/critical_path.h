// The longest path of true run times through each workflow.
// It must know nothing of what a run did: it is a function of the Work alone.
#pragma once

#include <vector>

#include "policies/time.h"
#include "workloads/work.h"

namespace headroom {

/// How long a stage runs once: its run time; of a plan its program's own length (startup, operations, teardown).
[[nodiscard]] Duration true_run_time(const Work& work, StageRow row);

/// By workflow. Only `needs` inside the workflow count: neither the time at which a plan declares a step nor what a
/// trace says of a preceding job makes a path longer. A need that nobody provides and one that closes a cycle (such
/// stages never run) are left out. Sums that leave 292 years stay there.
///
/// Cost   O(stages + needs), no recursion.
[[nodiscard]] std::vector<Duration> critical_paths(const Work& work);

}  // namespace headroom
