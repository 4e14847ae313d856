// One walk over the event log for any number of readers: what several metrics look at is fetched, and told apart by its
// kind, once.
// It must know nothing of what its readers make of it.
#pragma once

#include <cstddef>

#include "policies/time.h"
#include "sim/engine/run_log.h"
#include "sim/metrics/report.h"
#include "workloads/work.h"

namespace headroom {

/// A reader that looks at nothing; readers hide what they look at. All is called in the order of the log.
struct LogReader {
  /// Is it for work only of which each_row_is_a_workflow() holds?
  static constexpr bool kReadsJobs = false;

  /// Before the first event of an instant, and at the end of the run.
  void advance(TimePoint /*to*/) {}
  void submitted(std::uint32_t /*workflow*/) {}
  /// enter() follows, at once or later, if ever.
  void declared(StageRow /*row*/) {}
  void enter(StageRow /*row*/) {}  ///< eligible from now on
  void gated(StageRow /*row*/) {}
  void started(StageRow /*row*/) {}
  void ended(StageRow /*row*/, StageState /*how*/) {}  ///< finished, failed, timed out, or stopped while it ran
  void canceled(StageRow /*row*/) {}                   ///< while it did not run
  void hold_opened(StageRow /*plan*/) {}
  void hold_released(StageRow /*plan*/) {}
  /// Some events ahead: what starts out of a deep queue, or ends, was last touched long ago.
  void prefetch(StageRow /*row*/) {}
  /// Later, when that should have come: what it leads to.
  void prefetch_from(StageRow /*row*/) {}
};

/// Workflow k is stage row k alone, and nothing needs anything: jobs of a trace.
[[nodiscard]] inline bool each_row_is_a_workflow(const Work& work) {
  if (work.stages() != work.workflows() || !work.needs_begin.empty() || !work.plans.empty()) return false;
  for (std::uint32_t w = 0; w < work.workflows(); ++w)
    if (work.first_stage[w] != w) return false;
  return true;
}

/// Cost  O(events).
template <class... Readers>
void replay(const Work& work, const RunLog& log, Readers&... readers) {
  constexpr std::size_t kAhead = 24, kSoon = 12;
  // Of jobs, everything is fetched: to ask what an event is costs more, since nobody can foresee the answer.
  constexpr bool kAllJobs = (Readers::kReadsJobs && ...);
  const auto is_worth_it = [](const Event& event) {
    return kAllJobs || event.kind == EventKind::kStarted || event.kind == EventKind::kFinished;
  };
  TimePoint now;
  const std::size_t n = log.events.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) {
      const Event& ahead = log.events[i + kAhead];
      if (is_worth_it(ahead)) (readers.prefetch(ahead.subject), ...);
      const Event& soon = log.events[i + kSoon];
      if (is_worth_it(soon)) (readers.prefetch_from(soon.subject), ...);
    }
    const Event& event = log.events[i];
    if (event.at != now) {
      now = event.at;
      (readers.advance(now), ...);
    }
    switch (event.kind) {
      case EventKind::kSubmitted:
        (readers.submitted(event.subject), ...);
        break;
      case EventKind::kJob:
        (readers.submitted(event.subject), ...);
        (readers.declared(work.first_stage[event.subject]), ...);
        (readers.enter(work.first_stage[event.subject]), ...);
        break;
      case EventKind::kDeclared:
        (readers.declared(event.subject), ...);
        if (event.at_once) (readers.enter(event.subject), ...);
        break;
      case EventKind::kEligible:
        (readers.enter(event.subject), ...);
        break;
      case EventKind::kGated:
        (readers.gated(event.subject), ...);
        break;
      case EventKind::kStarted:
        (readers.started(event.subject), ...);
        break;
      case EventKind::kFinished:
        (readers.ended(event.subject, StageState::kFinished), ...);
        break;
      case EventKind::kFailed:
        (readers.ended(event.subject, StageState::kFailed), ...);
        break;
      case EventKind::kTimedOut:
        (readers.ended(event.subject, StageState::kTimedOut), ...);
        break;
      case EventKind::kPreempted:
        (readers.ended(event.subject, StageState::kPreempted), ...);
        break;
      case EventKind::kCanceled:
        if (event.at_once)
          (readers.ended(event.subject, StageState::kCanceled), ...);
        else
          (readers.canceled(event.subject), ...);
        break;
      case EventKind::kHoldOpened:
        (readers.hold_opened(event.subject), ...);
        break;
      case EventKind::kHoldReleased:
        (readers.hold_released(event.subject), ...);
        break;
    }
  }
  (readers.advance(log.end), ...);
}

}  // namespace headroom
