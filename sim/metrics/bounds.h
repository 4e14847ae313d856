// What a schedule can be measured against without another schedule: the least makespan that any could have, the load
// that was offered, and the laws that every schedule obeys, checked after each run.
// It must know no policy beyond what the laws' premises name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/policy.h"
#include "sim/engine/run_log.h"
#include "sim/metrics/report.h"
#include "sim/metrics/tabulate.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// The earliest that each stage can be declared and can end, whatever the policy: a static stage is released with its
/// workflow's submission, a plan's step when the plan, started at its own earliest, has got to it without opening a
/// hold. Ends are a longest path of run times over needs. What can never run (a missing need, a cycle) is released and
/// ends at TimePoint::never().
struct EarliestTimes {
  std::vector<TimePoint> released, ends;  ///< by stage row
};
/// Cost  O(stages + needs).
[[nodiscard]] EarliestTimes earliest_times(const Work& work, std::span<const TimePoint> submitted_at);

/// max(latest earliest end, max over t(t + core time released at or after t / cores)) - first submission of the cohort;
/// of memory and GPUs likewise. Rounded up to whole nanoseconds.
///
/// `critical_paths`  by workflow.
/// Nothing           where it would bound nothing: an empty cohort, or something of it that did not finish.
/// Cost              O(stages) where there are no plans and workflows are in order of submission, else O(n log n).
[[nodiscard]] std::optional<Duration> lower_bound(const Work& work, const Tabulated& tables,
                                                  std::span<const Duration> critical_paths,
                                                  std::span<const std::uint32_t> cohort);

/// Core time of the cohort's stages / (cores x window): the window of submissions that `measure` sets, as far as it
/// does, else from the first submission to the last. NaN if all come at one instant or there is no core. A plan counts
/// with the length of its program.
[[nodiscard]] double offered_load(const Work& work, const Measure& measure, std::span<const TimePoint> submitted_at,
                                  std::span<const std::uint32_t> cohort);

/// The laws that hold for every run, whatever the policy. Little's is checked while the log is read.
///
/// Fails  CheckFailed where the run broke one whose premises hold (our bug, never the input's): a makespan below the
///        lower bound; above Graham's W / m + (1 - 1 / m) C; a sum of run time x wait on one slot that differs from
///        that of serving in order of submission.
void check_laws(const Work& work, const SchedulerSettings& settings, const Policy& policy, const RunReport& report);

}  // namespace headroom
