// What each workflow contributes to a distribution: its wait, turnaround, slowdowns, computed once and read by every
// group that it belongs to.
// It must know nothing of groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/time.h"
#include "sim/metrics/tabulate.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// By workflow. Times in nanoseconds, -1: it has none; ratios, NaN: it has none. A value that the end of the run cut
/// off is how far it had got.
struct WorkflowValues {
  std::vector<std::int64_t> wait, turnaround;
  std::vector<double> slowdown, bounded_slowdown;
  std::vector<std::int64_t> drain;  ///< wait - catch_up_age, of what had waited that long when it started
  /// Bits: what was cut off.
  static constexpr std::uint8_t kWaitCutOff = 1, kEndCutOff = 2;
  std::vector<std::uint8_t> cut_off;
  bool any_cut_off = false;
};

/// A workflow that waits at the end of the run has everything cut off there, one that runs its turnaround and
/// slowdowns. Failed workflows have a wait, but neither turnaround nor slowdown; what was canceled before it started
/// has nothing. No slowdown where the critical path is 0.
///
/// Cost  O(workflows).
[[nodiscard]] WorkflowValues workflow_values(const Tabulated& tables, std::span<const Duration> critical_paths,
                                             std::span<const double> catch_up_ages_s, Duration tau, TimePoint end);

}  // namespace headroom
