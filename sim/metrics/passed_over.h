// How long each stage waited although it would have fitted beside the older workflows alone.
// It must know nothing of the scheduler: what runs where is read from the log.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/run_log.h"
#include "sim/metrics/submission_order.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// Does every stage ask for exactly one core of one node and nothing else (no memory, no GPUs, no pool)? Then nodes do
/// not matter: a stage fits if and only if fewer stages run than the cluster has cores.
[[nodiscard]] bool has_one_slot_stages_only(const Work& work);

/// The largest number of stages for which it is worked out unasked where stages are wider than a slot.
inline constexpr std::size_t kStagesPassedOverUnasked = 100'000;

/// passed_over_time by stage row, in nanoseconds: the measure of the instants at which the stage was eligible and would
/// have fitted if nothing of any workflow submitted strictly later were running. What still waits counts up to the
/// run's end. All events of an instant happen before the next length of time is looked at.
///
/// Nothing  where `measure.passed_over` says no, or says nothing and stages wider than a slot are too many.
/// Cost     one-slot stages: O(log n) an event; else quadratic in the length of the queue (see passed_over_wide.h).
[[nodiscard]] std::optional<std::vector<std::int64_t>> passed_over_times_ns(const Work& work, const RunLog& log,
                                                                            const SubmissionRanks& ranks,
                                                                            const Measure& measure);

}  // namespace headroom
