// How long each stage waited although it would have fitted beside the older workflows alone. One-slot stages only,
// where any free core fits any stage.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine/run_log.h"
#include "workloads/work.h"

namespace headroom {

/// Does every stage ask for exactly one core of one node and nothing else (no memory, no GPUs, no pool)? Then nodes do
/// not matter: a stage fits if and only if fewer stages run than the cluster has cores.
[[nodiscard]] bool has_one_slot_stages_only(const Work& work);

/// passed_over_time by stage row, in nanoseconds: the measure of the instants at which the stage was eligible and a
/// slot was free or held by a workflow submitted strictly later. What still waits counts up to the run's end. All
/// events of an instant happen before the next length of time is looked at. `submitted_at` is by workflow. Nothing
/// where has_one_slot_stages_only() is false.
///
/// A stage submitted at s is passed over while s < M(t), M being the latest submission among what runs, or anything at
/// all while a slot is free. Every length of time is added to a Fenwick tree over submission times once; a stage reads
/// the tree when it begins and when it ceases to wait.
/// Cost    O(log n) an event, mostly less; about 20 bytes a workflow and 17 a stage.
[[nodiscard]] std::optional<std::vector<std::int64_t>> passed_over_times_ns(const Work& work, const RunLog& log,
                                                                            std::span<const TimePoint> submitted_at);

}  // namespace headroom
