// Why a run that has nothing left to do still has work waiting.
#pragma once

#include <vector>

#include "policies/scheduler.h"
#include "sim/engine/run_log.h"
#include "workloads/work.h"

namespace headroom {

/// Fills log.stalls, causes that explain others first, and log.stalled_stages. `row_of`: by StageId.
void explain_stalls(const Work& work, const Scheduler& scheduler, const std::vector<StageRow>& row_of, RunLog& log);

}  // namespace headroom
