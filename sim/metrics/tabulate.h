// The event log read once, from front to back: what happened to each stage and workflow, and the integrals over time.
// It must know neither cohorts nor statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/run_log.h"
#include "sim/metrics/report.h"
#include "sim/metrics/wide.h"
#include "workloads/work.h"

namespace headroom {

/// A stage over all its attempts. never(): it did not happen.
struct StageTimes {
  TimePoint since;  ///< while eligible: since when; else its last start
  TimePoint first_eligible = TimePoint::never();
  TimePoint first_started = TimePoint::never();
  TimePoint ended = TimePoint::never();  ///< of its last attempt, or its cancellation; never() while it goes on
  Duration waited;                       ///< eligible, over all attempts, up to the end of the run
  StageState state = StageState::kBlocked;
  bool is_declared = false;

  [[nodiscard]] bool has_ended() const { return state >= StageState::kFinished; }
  [[nodiscard]] bool has_started() const { return !first_started.is_never(); }
  [[nodiscard]] bool was_eligible() const { return !first_eligible.is_never(); }
};

/// The instants that utilization and queue length are taken over.
struct Window {
  TimePoint from, to;
  [[nodiscard]] Duration length() const { return to > from ? to - from : Duration{}; }
};

struct Tabulated {
  /// By stage. Empty where each workflow is one stage that queued from its submission on and was tried once at most:
  /// then the columns below say all of it. Never empty for work with needs or plans.
  std::vector<StageTimes> stages;

  // By workflow.
  std::vector<std::uint8_t> is_submitted;
  std::vector<TimePoint> submitted_at;  ///< when it was; where it was not, when Work would have it at the earliest
  std::vector<TimePoint> started_at;    ///< first start of any stage
  std::vector<TimePoint> finished_at;   ///< when its last stage ended, however it ended; never() if something goes on
  std::vector<WorkflowState> state;
  std::vector<Duration> overtaken_until;  ///< 0: nobody submitted later started earlier
  bool any_overtaken = false;             ///< is one of them above 0?

  Window window;
  Int128 busy_cores = 0, busy_memory = 0, busy_gpus = 0;  ///< amount x nanoseconds inside the window
  Int128 queue_area = 0;                                  ///< eligible stages x nanoseconds inside the window
  std::int64_t queue_max = 0;                             ///< largest that lasted, inside the window
  std::vector<HoldInterval> holds;
};

/// The window is [from, to) of `measure`, as far as the run got; without them [first submission, last finish], or up to
/// the run's end where something had not finished.
///
/// Fails   CheckFailed where the log contradicts itself (a start of a stage that is not eligible), and where the area
///         under the queue's length is not the sum of the stages' waits (Little's law, in integers).
/// Cost    O(events + stages + workflows).
[[nodiscard]] Tabulated tabulate(const Work& work, const RunLog& log, const Measure& measure);

}  // namespace headroom
