// Every number of a run, as a function of its event log. One term, one definition, one function (see the catalogue).
// It must know neither files nor how the numbers are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policies/policy.h"
#include "policies/priority_rule.h"
#include "sim/engine/run_log.h"
#include "sim/metrics/samples.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

struct MetricInfo {
  std::string_view name;  ///< wait_time_mean
  std::string_view unit;  ///< "s", "1"
  std::string_view long_name;
  bool in_groups = true;  ///< false: of a whole run only (makespan, utilization, queue_length_mean)
};
/// The only list of metrics that a single run has; the order of the columns of /runs, /classes, /tenants.
[[nodiscard]] std::span<const MetricInfo> metric_catalog();
/// "; did you mean …?" for a name that is none: one that it is the beginning of, else the nearest; else "".
[[nodiscard]] std::string metric_hint(std::string_view name);
/// Index into the catalogue. A name that is not in it is a bug (checked).
[[nodiscard]] std::size_t metric_index(std::string_view name);

/// By index of the catalogue; NaN: undefined here. Infinity is a value (catch_up_age).
using MetricValues = std::vector<double>;

enum class WorkflowState : std::uint8_t { kWaiting, kRunning, kFinished, kFailed, kCanceled, kRefused };
enum class StageState : std::uint8_t {
  kBlocked,
  kEligible,
  kRunning,
  kFinished,
  kFailed,
  kTimedOut,
  kCanceled,
  kPreempted
};
enum class StageRunKind : std::uint8_t { kRun, kSkip, kHash, kPlan };
[[nodiscard]] std::span<const std::string_view> workflow_state_words();
[[nodiscard]] std::span<const std::string_view> stage_state_words();
[[nodiscard]] std::span<const std::string_view> stage_run_kind_words();

/// By workflow index of Work. TimePoint::never(): it did not happen. Columns behind critical_path only if asked for.
struct WorkflowTable {
  std::vector<TimePoint> submitted_at;  ///< as it happened: later than Work's where it had to wait for other workflows
  std::vector<TimePoint> started_at, finished_at;
  std::vector<WorkflowState> state;
  std::vector<Duration> critical_path;  ///< of true run times, plans' own running time included
  std::vector<std::uint32_t>
      klass;  ///< index into RunReport::classes of the first class it belongs to; 0xffffffff: none
  std::vector<double> catch_up_age_s;     ///< +inf: never; NaN: not proved
  std::vector<double> overtaken_until_s;  ///< NaN: nobody did
  std::vector<double> drain_time_s;       ///< NaN: it did not catch up
  std::vector<std::uint32_t> overtakes;   ///< first starts of later submissions during its wait
  std::vector<double> overtaking_work_s;  ///< core seconds of those inside its wait
  /// Inputs of its priority at submission; empty: those of Work.
  std::vector<PriorityInputs> inputs;
};

/// A stage that could have started left the queue, since a hold was opened above it.
struct Gate {
  StageRow stage = kNoRow;
  TimePoint from, to;  ///< to: never() if it was still gated
};

/// A try that was displaced, and for whom.
struct DisplacedTry {
  std::uint32_t row = 0;  ///< of AttemptTable
  StageRow preemptor = kNoRow;
  Duration lost;
};

/// One row an attempt, in order of declaration, then attempt; a declared stage that never started has one row.
struct AttemptTable {
  std::vector<StageRow> stage;
  std::vector<std::uint32_t> attempt;  ///< from 0
  std::vector<StageRunKind> kind;
  std::vector<TimePoint> declared_at, eligible_at, started_at, finished_at;  ///< never(): not yet
  std::vector<Duration> tail_time;         ///< at the start; of what never started: negative
  std::vector<double> effective_priority;  ///< at the start; NaN if it never started
  std::vector<Reason> reason;
  std::vector<NodeId> node;                             ///< none(): never started
  std::vector<std::int64_t> decision;                   ///< it was the k-th start of the run, from 0; -1: never started
  std::vector<std::pair<std::uint32_t, NodeId>> nodes;  ///< (row, node) of those on several nodes, the first included
  std::vector<StageState> state;
  std::vector<DisplacedTry> displaced;     ///< by time
  std::vector<Gate> gates;                 ///< by `from`
  std::vector<TimePoint> canceled_at;      ///< never(): it was not; empty: nothing was
  std::vector<double> passed_over_time_s;  ///< of the stage, on its first row; NaN: not computed
  std::vector<std::uint32_t> overtakes;    ///< of the stage, on its first row; else 0
};

/// A class, organization, account or user.
struct Group {
  enum class Kind : std::uint8_t { kClass, kOrganization, kAccount, kUser };
  Kind kind = Kind::kClass;
  std::string name;
  std::int64_t workflows = 0, started = 0, finished = 0, waiting = 0;  ///< of the cohort
  MetricValues metrics;
};

/// W02 and so on, or a stalled run's explanation; printed under the table, stored in /warnings.
struct Warning {
  std::string code;
  std::string text;
};

struct HoldInterval {
  StageRow plan = kNoRow;
  TimePoint from, to;  ///< to: never() if it was still open
};

struct RunReport {
  RunStatus status = RunStatus::kFinished;
  std::uint64_t decision_hash = 0;
  std::int64_t workflows = 0, started = 0, finished = 0, waiting = 0;  ///< of the cohort
  MetricValues metrics;
  std::optional<Duration> makespan, lower_bound;  ///< of the cohort, exactly; none: undefined
  std::vector<Group> classes;                     ///< measure.classes, or one per work item
  std::vector<Group> tenants;                     ///< organizations, accounts, users
  WorkflowTable workflow_table;
  AttemptTable attempt_table;  ///< empty unless asked for
  std::vector<HoldInterval> holds;
  ControlLog control;                         ///< only with attempts
  std::optional<QueueSamples> queue_samples;  ///< what `record:` asks for; filled in by who knows of it
  std::optional<PriorityTrajectory> priorities;
  std::vector<Warning> warnings;
  std::uint64_t passes = 0, events = 0;
  std::uint64_t starts = 0;  ///< decisions taken: every start of every attempt
  double wall_time_s = 0;    ///< first event to last metric; filled in by the caller that owns a clock
};

/// `with_attempts`: fill attempt_table, which costs about a hundred bytes an attempt.
/// Cost  O(n log n) of the events.
[[nodiscard]] RunReport report(const Work& work, const RunLog& log, const Policy& policy, const Measure& measure,
                               bool with_attempts);

}  // namespace headroom
