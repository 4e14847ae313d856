// What each workflow contributes to a distribution: its wait, turnaround, slowdowns, computed once and read by every
// group that it belongs to.
// It must know nothing of groups.
#pragma once

#include <algorithm>
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
  /// Bits of `flags`: what was cut off, and how it stands.
  static constexpr std::uint8_t kWaitCutOff = 1, kEndCutOff = 2, kStarted = 4, kFinished = 8, kWaits = 16, kLate = 32,
                                kNoPath = 64;
  std::vector<std::uint8_t> flags;
  bool any_cut_off = false;
};

/// A workflow that waits at the end of the run has everything cut off there, one that runs its turnaround and
/// slowdowns. Failed workflows have a wait, but neither turnaround nor slowdown; what was canceled before it started
/// has nothing. No slowdown where the critical path is 0 (kNoPath). kLate: waited longer than `late`.
///
/// Cost  O(workflows).
[[nodiscard]] WorkflowValues workflow_values(const Tabulated& tables, std::span<const Duration> critical_paths,
                                             const Measure& measure, TimePoint end);

/// wait - catch_up_age of what had waited that long when it started; -1 elsewhere. Ages are whole seconds, so that the
/// difference is exact.
[[nodiscard]] inline std::int64_t drain_time_ns(TimePoint submitted_at, TimePoint started_at, double catch_up_age_s) {
  constexpr double kTooLong = 9.2e9;
  if (started_at.is_never() || !(catch_up_age_s < kTooLong)) return -1;
  const Duration age = Duration::seconds(static_cast<std::int64_t>(catch_up_age_s));
  return std::max<std::int64_t>((started_at - submitted_at - age).ns, -1);
}

}  // namespace headroom
