// What a run orders by although nobody said it: stages without any estimate under a policy that asks for one.
#pragma once

#include <optional>

#include "policies/policy.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// Does the order, or a reservation, rest on estimates?
[[nodiscard]] bool asks_for_estimates(const Policy& policy);

/// How many stages have neither estimate nor walltime, so that `default_estimate` is taken; nothing if none. Plans are
/// not counted: they come before other stages whatever their estimate. Cost O(templates).
[[nodiscard]] std::optional<Repair> missing_estimates(const Workload& workload);

}  // namespace headroom
