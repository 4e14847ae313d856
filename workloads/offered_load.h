// `load:` of generated work: the arrival rate at which the work that comes is a given share of what the cluster can do.
// By cores alone, of the work as it is described: what fails and is tried again comes on top.
#pragma once

#include <string>

#include "workloads/workload.h"

namespace headroom {

/// Work of one workflow on average, in nanoseconds times cores; +inf where a run time has no finite mean. A stage that
/// asks for several nodes takes its cores on each; a walltime cuts run times off.
[[nodiscard]] long double mean_work(const GenerateItem& item);

/// Cores of all nodes. Cost O(node classes).
[[nodiscard]] long double cores_of(const ClusterSpec& cluster);

/// "base: load 0.9 of 64 cores is a rate of 43.2/h (0.8 core-hours a workflow)"; empty for an item without `load:`.
[[nodiscard]] std::string load_text(const GenerateItem& item, const ClusterSpec& cluster);

}  // namespace headroom
