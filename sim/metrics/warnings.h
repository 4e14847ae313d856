// The sentences that a run's numbers should not be read without.
// It must know nothing of how they are shown.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/run_log.h"
#include "sim/metrics/report.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// "stage 'use' of 'build' waits for 'a.json', which nobody provides"
[[nodiscard]] std::string stall_text(const Work& work, const Stall& stall);

/// A stalled run's explanation; W02 where the offered load is 0.95 or more; W03 where the end of the run cut something
/// of the cohort off; W09 where there are too few workflows for a quantile. `report` has its counts and metrics.
[[nodiscard]] std::vector<Warning> warnings_of(const Work& work, const RunLog& log, const RunReport& report);

/// What the numbers cannot say because of how the work was made: W05 where a trace is replayed open; W06 where estimates
/// are multiples of the run time, if anybody orders by estimates; W07 where one of several users has more than half of
/// the jobs or of the work. Cost O(stages).
[[nodiscard]] std::vector<Warning> modelling_warnings(const Workload& workload, const Work& work, bool uses_estimates);

/// W01, for a study of one replication.
[[nodiscard]] Warning no_inference(bool random);

}  // namespace headroom
