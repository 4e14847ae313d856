// What a run took for granted, in words: the cluster, how the mechanism ran, what was measured. Printed with every
// table, so that no number stands without its assumptions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/sweep/study.h"

namespace headroom::cli {

/// "3 slots"; "16 cpu (64 cores, 256 GiB), 4 gpu (64 cores, 512 GiB, 8 gpus); pools license 2".
[[nodiscard]] std::string cluster_text(const ClusterSpec& cluster);
/// "like documented, tick 0 s (a pass at every change), simultaneous batch, …".
[[nodiscard]] std::string scheduler_text(const SchedulerSettings& settings);
/// "submitted in [3 d, 17 d), given up at 60 d, late above 24 h"; empty if nothing was asked.
[[nodiscard]] std::string measure_text(const Measure& measure);

/// Label and text of every line under a table: cluster, scheduler, measure, traces. Where points differ, it says so.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> used_settings(const Study& study,
                                                                             const StudyResult& result);

}  // namespace headroom::cli
