// The table of attempts: one row for every try of every declared stage.
// It must know nothing of statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/policy.h"
#include "sim/engine/run_log.h"
#include "sim/metrics/report.h"
#include "workloads/work.h"

namespace headroom {

/// In order of declaration, then attempt. What is eligible again after a failure and has not started has a row of its
/// own, like a stage that never started. `eligible_at` is when the attempt was first eligible; `finished_at` is its end
/// of whatever kind, never() for what was canceled before it started.
///
/// Cost   O(events + rows).
[[nodiscard]] AttemptTable attempt_table(const Work& work, const RunLog& log, const Policy& policy,
                                         std::span<const TimePoint> submitted_at,
                                         const std::optional<std::vector<std::int64_t>>& passed_over_ns,
                                         std::span<const std::uint32_t> overtakes);

}  // namespace headroom
