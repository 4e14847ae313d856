// The tables of the control plane: /events, /audit, /answers, /describes, /queue_views.
#pragma once

#include <vector>

#include "sim/engine/control_log.h"
#include "sim/results/table.h"
#include "workloads/work.h"

namespace headroom {

/// None where nobody could have done anything. The result refers to both arguments.
[[nodiscard]] std::vector<TableSource> control_tables(const Work& work, const ControlLog& control);

}  // namespace headroom
