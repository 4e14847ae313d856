#include "sim/metrics/workflow_values.h"

#include <algorithm>
#include <limits>

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double ratio(Duration a, Duration b) { return static_cast<double>(a.ns) / static_cast<double>(b.ns); }

/// Ages are whole seconds, so that the difference is exact.
std::int64_t drain_ns(Duration wait, double catch_up_age_s) {
  constexpr double kTooLong = 9.2e9;
  if (!(catch_up_age_s < kTooLong)) return -1;
  return std::max<std::int64_t>((wait - Duration::seconds(static_cast<std::int64_t>(catch_up_age_s))).ns, -1);
}

}  // namespace

WorkflowValues workflow_values(const Tabulated& tables, std::span<const Duration> critical_paths,
                               std::span<const double> catch_up_ages_s, Duration tau, TimePoint end) {
  const std::size_t n = tables.state.size();
  WorkflowValues values;
  values.wait.resize(n);
  values.turnaround.resize(n);
  values.slowdown.resize(n);
  values.bounded_slowdown.resize(n);
  values.drain.resize(n);
  values.cut_off.resize(n);
  for (std::size_t w = 0; w < n; ++w) {
    const WorkflowState state = tables.state[w];
    const bool started = !tables.started_at[w].is_never();
    const bool finished = state == WorkflowState::kFinished;
    const bool waits = state == WorkflowState::kWaiting;
    const bool goes_on = waits || state == WorkflowState::kRunning;
    const TimePoint submitted_at = tables.submitted_at[w];
    const Duration wait = (started ? tables.started_at[w] : end) - submitted_at;
    const Duration turnaround = (finished ? tables.finished_at[w] : end) - submitted_at;
    const Duration path = critical_paths[w];
    const Duration bound = std::max(path, tau);
    const bool ends = finished || goes_on;
    values.wait[w] = started || waits ? wait.ns : -1;
    values.turnaround[w] = ends ? turnaround.ns : -1;
    values.slowdown[w] = ends && path > Duration{} ? ratio(turnaround, path) : kNaN;
    values.bounded_slowdown[w] = ends && bound > Duration{} ? std::max(1.0, ratio(turnaround, bound)) : kNaN;
    values.drain[w] = started ? drain_ns(wait, catch_up_ages_s[w]) : -1;
    values.cut_off[w] = static_cast<std::uint8_t>((waits && !started ? WorkflowValues::kWaitCutOff : 0) |
                                                  (goes_on ? WorkflowValues::kEndCutOff : 0));
    values.any_cut_off = values.any_cut_off || goes_on;
  }
  return values;
}

}  // namespace headroom
