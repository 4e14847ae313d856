#include "sim/metrics/workflow_values.h"

#include <algorithm>
#include <limits>

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double ratio(Duration a, Duration b) { return static_cast<double>(a.ns) / static_cast<double>(b.ns); }

}  // namespace

WorkflowValues workflow_values(const Tabulated& tables, std::span<const Duration> critical_paths,
                               const Measure& measure, TimePoint end) {
  const std::size_t n = tables.state.size();
  WorkflowValues values;
  values.wait.resize(n);
  values.turnaround.resize(n);
  values.slowdown.resize(n);
  values.bounded_slowdown.resize(n);
  values.flags.resize(n);
  const std::int64_t late = measure.late ? measure.late->ns : std::numeric_limits<std::int64_t>::max();
  std::uint8_t all_flags = 0;
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
    const Duration bound = std::max(path, measure.tau);
    const bool has_end = finished || goes_on;
    const bool has_wait = started || waits;
    values.wait[w] = has_wait ? wait.ns : -1;
    values.turnaround[w] = has_end ? turnaround.ns : -1;
    values.slowdown[w] = has_end && path > Duration{} ? ratio(turnaround, path) : kNaN;
    values.bounded_slowdown[w] = has_end && bound > Duration{} ? std::max(1.0, ratio(turnaround, bound)) : kNaN;
    const int flags = (waits && !started ? WorkflowValues::kWaitCutOff : 0) |
                      (goes_on ? WorkflowValues::kEndCutOff : 0) | (started ? WorkflowValues::kStarted : 0) |
                      (finished ? WorkflowValues::kFinished : 0) | (waits ? WorkflowValues::kWaits : 0) |
                      (has_wait && wait.ns > late ? WorkflowValues::kLate : 0) |
                      (path == Duration{} ? WorkflowValues::kNoPath : 0);
    values.flags[w] = static_cast<std::uint8_t>(flags);
    all_flags |= values.flags[w];
  }
  values.any_cut_off = (all_flags & WorkflowValues::kEndCutOff) != 0;
  return values;
}

}  // namespace headroom
