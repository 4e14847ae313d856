// What holding back cost: the slot-time that lay idle while a stage could have run but for a hold.
// It must know nothing of what a hold gates: a stage that has all it needs and is not eligible is held.
#pragma once

#include <vector>

#include "sim/engine/run_log.h"
#include "sim/metrics/tabulate.h"
#include "sim/metrics/wide.h"
#include "workloads/work.h"

namespace headroom {

/// Free cores x nanoseconds inside the window of `tables`, over the time during which at least one declared stage had
/// everything it needs and waited for a hold alone.
///
/// Cost  O(1) where no hold was opened; else O(events + n log n) of the stages that plans declared.
[[nodiscard]] Int128 hold_idle_core_ns(const Work& work, const RunLog& log, const Tabulated& tables);

/// A stage that had all it needs and waited for a hold alone.
struct HeldStage {
  StageRow stage = kNoRow;
  TimePoint from, to;
};
[[nodiscard]] std::vector<HeldStage> held_stages(const Work& work, const RunLog& log, const Tabulated& tables);

}  // namespace headroom
