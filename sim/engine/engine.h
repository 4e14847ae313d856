// Replays a Work through the real Scheduler on a virtual clock. Deterministic: same arguments, same log.
// It must know no file and print nothing.
#pragma once

#include <atomic>

#include "policies/policy.h"
#include "sim/engine/run_log.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// Runs until the cohort of `measure` has finished, nothing is left to do, or give_up.
///
/// `stop`  looked at now and then; when set the log ends there as kInterrupted. May be null.
/// Fails   std::overflow_error where the clock would pass 292 years.
/// Cost    O(log n) an event; a tick at which nothing can change costs nothing.
[[nodiscard]] RunLog simulate(const Work& work, const SchedulerSettings& settings, const Policy& policy,
                              const Measure& measure, const std::atomic<bool>* stop = nullptr);

}  // namespace headroom
