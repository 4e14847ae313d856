// What a run did to every stage: the common form in which the model's answer and simulate()'s log are compared. Plain
// values; it must know neither the scheduler nor how the answer was found.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "policies/ids.h"
#include "policies/policy.h"
#include "policies/time.h"
#include "sim/engine/run_log.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom::oracle {

/// Where a stage stands. An attempt that has not ended is kRunning.
enum class Phase : std::uint8_t {
  kUndeclared,
  kWaiting,
  kRunning,
  kFinished,
  kFailed,
  kTimedOut,
  kCanceled,
  kPreempted
};

struct Attempt {
  TimePoint start;
  TimePoint end = TimePoint::never();
  Phase how = Phase::kRunning;  ///< kRunning, kFinished, kFailed, kTimedOut or kPreempted
  std::vector<NodeId> nodes;    ///< first node first
  Duration tail_time;           ///< at the start

  friend bool operator==(const Attempt&, const Attempt&) = default;
};

struct StageOutcome {
  TimePoint declared_at = TimePoint::never();
  Phase phase = Phase::kUndeclared;
  std::vector<Attempt> attempts;
  /// When it was eligible and not running: intervals of positive length, touching ones merged; an open one ends never.
  std::vector<std::pair<TimePoint, TimePoint>> eligible;

  friend bool operator==(const StageOutcome&, const StageOutcome&) = default;
};

struct Outcome {
  std::vector<TimePoint> submitted_at;  ///< by workflow; never where it was not
  std::vector<StageOutcome> stages;     ///< by StageRow
  std::vector<StageRow> start_order;    ///< every start, in the order in which they were decided
  RunStatus status = RunStatus::kFinished;
  TimePoint end;              ///< meaningful for kGaveUp and kFinished
  std::uint64_t waiting = 0;  ///< stages that wait at the end of a stalled run
};

/// What one case was about; the property tests print how often each occurred.
struct Flavour {
  bool contention = false;   ///< something eligible was left after a pass
  bool ties = false;         ///< in some pass two eligible stages differed in nothing but the declaration number
  bool holds = false;        ///< a hold kept back a stage that was otherwise eligible, over some time
  bool left_behind = false;  ///< a release as in rc13 did, with no hold open above it
  bool rounds = false;       ///< one instant had more than one pass
  bool backfilled = false;   ///< a stage started beside a reservation
  bool delayed = false;      ///< a stage that fits was not started since it would have delayed the reservation
  bool preempted = false, told = false, spared = false;  ///< displaced at once; given a grace; a victim not needed
  bool canceled = false, retried = false, timed_out = false;
};

/// Everything that a run depends on.
struct Case {
  Work work;
  SchedulerSettings settings;
  Policy policy;
  Measure measure;
};

/// The log of simulate() in the common form.
[[nodiscard]] Outcome outcome_of(const Work& work, const RunLog& log);

/// The first differences in words, one a line; empty where the two are the same.
///
/// `prefix`  the first may have stopped early: what it says must be how the second began.
[[nodiscard]] std::string differences(const Outcome& got, const Outcome& expected, bool prefix = false);

}  // namespace headroom::oracle
