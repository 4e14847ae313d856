#include "sim/metrics/bounds.h"

#include <algorithm>
#include <limits>
#include <string>

#include "policies/check.h"
#include "sim/metrics/critical_path.h"
#include "sim/metrics/log_replay.h"
#include "sim/metrics/submission_order.h"
#include "sim/metrics/wide.h"

namespace headroom {
namespace {

Duration length_without_holds(const PlanProgram& program) {
  Duration length = program.startup + program.teardown;
  for (const PlanProgram::Op& op : program.ops)
    if (op.kind != PlanOp::Kind::kHold && op.kind != PlanOp::Kind::kRelease) length = length + op.cost;
  return length;
}

/// Kahn's order over needs and over who declares whom.
class ForwardPass {
 public:
  ForwardPass(const Work& work, std::span<const TimePoint> submitted_at) : work_(work) {
    const std::size_t n = work.stages();
    const std::size_t makers = n + work.missing.size();  // stages, then files that plans confirm
    out_.released.resize(n, TimePoint::never());
    out_.ends.resize(n, TimePoint::never());
    begins_.resize(n, TimePoint::zero());
    waits_for_.resize(n, 0);
    consumers_begin_.resize(makers + 1, 0);
    is_there_.resize(work.missing.size(), false);
    for (StageRow row = 0; row < n; ++row) count_needs(row);
    for (std::size_t i = 0; i < makers; ++i) consumers_begin_[i + 1] += consumers_begin_[i];
    consumers_.resize(consumers_begin_.back());
    std::vector<std::uint32_t> next(consumers_begin_.begin(), consumers_begin_.end() - 1);
    for (StageRow row = 0; row < n; ++row)
      for (const StageRow need : needs_of(row)) consumers_[next[need]++] = row;
    for (StageRow row = 0; row < n; ++row)
      if (declarer_of(row) == kNoRow) release(row, submitted_at[work.workflow_of[row]]);
  }

  EarliestTimes run() {
    for (std::size_t i = 0; i < ready_.size(); ++i) visit(ready_[i]);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::span<const StageRow> needs_of(StageRow row) const {
    if (work_.needs_begin.empty()) return {};
    return std::span(work_.needs).subspan(work_.needs_begin[row], work_.needs_begin[row + 1] - work_.needs_begin[row]);
  }
  [[nodiscard]] StageRow declarer_of(StageRow row) const {
    return work_.declarer.empty() ? kNoRow : work_.declarer[row];
  }

  void count_needs(StageRow row) {
    waits_for_[row] = 1;  // for its release
    for (const StageRow need : needs_of(row)) {
      ++waits_for_[row];
      ++consumers_begin_[need + 1];
    }
  }
  void release(StageRow row, TimePoint at) {
    out_.released[row] = at;
    satisfied(row, at);
  }
  void satisfied(StageRow row, TimePoint at) {
    begins_[row] = std::max(begins_[row], at);
    if (--waits_for_[row] == 0) ready_.push_back(row);
  }
  void visit(StageRow row) {
    const std::int32_t program = work_.program.empty() ? -1 : work_.program[row];
    Duration length = work_.run_time[row];
    if (program >= 0) length = declare_all(work_.plans[static_cast<std::size_t>(program)], begins_[row]);
    out_.ends[row] = saturating_add(begins_[row], length);
    provide(row, out_.ends[row]);
  }
  void provide(StageRow maker, TimePoint at) {
    for (std::uint32_t i = consumers_begin_[maker]; i < consumers_begin_[maker + 1]; ++i) satisfied(consumers_[i], at);
  }
  void confirm(StageRow file, TimePoint at) {
    if (file == kNoRow || is_there_[file - work_.stages()]) return;
    is_there_[file - work_.stages()] = true;
    provide(file, at);
  }
  Duration declare_all(const PlanProgram& program, TimePoint begin) {
    TimePoint at = saturating_add(begin, program.startup);
    for (const PlanProgram::Op& op : program.ops) {
      if (op.kind == PlanOp::Kind::kHold || op.kind == PlanOp::Kind::kRelease) continue;
      at = saturating_add(at, op.cost);
      if (op.kind == PlanOp::Kind::kDeclare) release(op.stage, at);
      if (op.kind == PlanOp::Kind::kStatic) confirm(op.stage, at);
    }
    return length_without_holds(program);
  }

  const Work& work_;
  EarliestTimes out_;
  std::vector<TimePoint> begins_;
  std::vector<std::uint32_t> waits_for_, consumers_begin_;
  std::vector<StageRow> consumers_, ready_;
  std::vector<bool> is_there_;
};

/// Amounts of one kind that have to be done from some time on.
struct Pile {
  Int128 capacity = 0, work = 0, latest = 0;  ///< latest: the largest t x capacity + work seen

  void add(Int128 amount_time) { work += amount_time; }
  void look(TimePoint at) { latest = std::max(latest, at.ns * capacity + work); }
  [[nodiscard]] TimePoint bound() const {
    if (capacity <= 0) return TimePoint::zero();
    const Int128 at = (latest + capacity - 1) / capacity;
    return at > TimePoint::never().ns ? TimePoint::never() : TimePoint{static_cast<std::int64_t>(at)};
  }
};

class Piles {
 public:
  explicit Piles(const Work& work) : work_(work) {
    const ClusterTotals totals(work.cluster);
    cores_.capacity = totals.cores;
    memory_.capacity = totals.memory;
    gpus_.capacity = totals.gpus;
    for (const Demand& demand : work.demands) plain_ = plain_ && demand == Demand{};
  }
  /// By falling time.
  void add(StageRow row, Duration length) {
    if (plain_) {
      cores_.add(length.ns);
      return;
    }
    const Demand& demand = work_.demands[work_.demand[row]];
    const Int128 node_time = Int128{demand.spread ? 1 : demand.nodes} * length.ns;
    cores_.add(demand.cores * node_time);
    memory_.add(demand.memory * node_time);
    gpus_.add(demand.gpus * node_time);
  }
  void look(TimePoint at) {
    cores_.look(at);
    if (plain_) return;
    memory_.look(at);
    gpus_.look(at);
  }
  [[nodiscard]] TimePoint bound() const { return std::max({cores_.bound(), memory_.bound(), gpus_.bound()}); }

 private:
  const Work& work_;
  bool plain_ = true;
  Pile cores_, memory_, gpus_;
};

Duration length_of(const Work& work, StageRow row) {
  if (work.program.empty() || work.program[row] < 0) return work.run_time[row];
  return length_without_holds(work.plans[static_cast<std::size_t>(work.program[row])]);
}

/// Everything of a workflow is released with its submission.
TimePoint bound_of_graphs(const Work& work, const Tabulated& workflows, std::span<const Duration> critical_paths,
                          std::span<const std::uint32_t> cohort) {
  Piles piles(work);
  TimePoint latest;
  std::vector<std::uint32_t> sorted;
  const auto later = [&](std::uint32_t a, std::uint32_t b) {
    return workflows.submitted_at[a] < workflows.submitted_at[b];
  };
  if (!std::is_sorted(cohort.begin(), cohort.end(), later)) {
    sorted.assign(cohort.begin(), cohort.end());
    std::sort(sorted.begin(), sorted.end(), later);
    cohort = sorted;
  }
  const bool one_row_each = each_row_is_a_workflow(work);
  for (std::size_t i = cohort.size(); i-- > 0;) {
    const std::uint32_t w = cohort[i];
    const TimePoint at = workflows.submitted_at[w];
    latest = std::max(latest, saturating_add(at, critical_paths[w]));
    if (one_row_each)
      piles.add(w, work.run_time[w]);
    else
      for (StageRow row = work.first_stage[w]; row < work.first_stage[w + 1]; ++row) piles.add(row, work.run_time[row]);
    piles.look(at);
  }
  return std::max(latest, piles.bound());
}

TimePoint bound_of_plans(const Work& work, const Tabulated& workflows, std::span<const std::uint32_t> cohort) {
  const EarliestTimes earliest = earliest_times(work, workflows.submitted_at);
  std::vector<StageRow> rows;
  TimePoint latest;
  for (const std::uint32_t w : cohort) {
    for (StageRow row = work.first_stage[w]; row < work.first_stage[w + 1]; ++row) {
      if (earliest.ends[row].is_never()) continue;  // of a plan that never came to it
      rows.push_back(row);
      latest = std::max(latest, earliest.ends[row]);
    }
  }
  std::sort(rows.begin(), rows.end(),
            [&](StageRow a, StageRow b) { return earliest.released[a] > earliest.released[b]; });
  Piles piles(work);
  for (const StageRow row : rows) {
    piles.add(row, length_of(work, row));
    piles.look(earliest.released[row]);
  }
  return std::max(latest, piles.bound());
}

TimePoint first_submission(const Tabulated& workflows, std::span<const std::uint32_t> cohort) {
  TimePoint first = TimePoint::never();
  for (const std::uint32_t w : cohort) first = std::min(first, workflows.submitted_at[w]);
  return first;
}

bool all_finished(const RunReport& report) {
  return std::all_of(report.workflow_table.state.begin(), report.workflow_table.state.end(),
                     [](WorkflowState state) { return state == WorkflowState::kFinished; });
}

bool one_core_each(const Work& work) {
  return std::all_of(work.demands.begin(), work.demands.end(), [](const Demand& demand) { return demand == Demand{}; });
}

/// No time passes with a free slot while something eligible waits.
bool conserves_work(const SchedulerSettings& settings, const Work& work) {
  return settings.tick == Duration{} && settings.simultaneous == Simultaneous::kBatch && settings.queue_depth == 0 &&
         work.plans.empty() && work.retry.empty();
}

void check_graham(const Work& work, const RunReport& report) {
  const WorkflowTable& table = report.workflow_table;
  const std::int64_t m = static_cast<std::int64_t>(ClusterTotals(work.cluster).cores);
  Int128 sum = 0;
  TimePoint last;
  Duration longest;
  for (const Duration run_time : work.run_time) sum += run_time.ns;
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    if (table.submitted_at[w] != table.submitted_at[0]) return;  // not released together
    last = std::max(last, table.finished_at[w]);
    longest = std::max(longest, table.critical_path[w]);
  }
  const Int128 makespan = (last - table.submitted_at[0]).ns;
  HEADROOM_CHECK(m * makespan <= sum + (m - 1) * Int128{longest.ns},
                 "a makespan of " + std::to_string((last - table.submitted_at[0]).ns) + " ns is above Graham's bound");
}

/// Serving in order of submission needs no simulation on one slot.
void check_conservation(const Work& work, const RunReport& report) {
  const WorkflowTable& table = report.workflow_table;
  Int128 seen = 0, expected = 0;
  TimePoint free_at;
  for (const std::uint32_t w : submission_order(table.submitted_at)) {
    const Duration run_time = work.run_time[w];
    seen += Int128{run_time.ns} * (table.started_at[w] - table.submitted_at[w]).ns;
    const TimePoint start = std::max(free_at, table.submitted_at[w]);
    expected += Int128{run_time.ns} * (start - table.submitted_at[w]).ns;
    free_at = start + run_time;
  }
  HEADROOM_CHECK(seen == expected, "the sum of run time x wait on one slot is not that of serving in order");
}

}  // namespace

EarliestTimes earliest_times(const Work& work, std::span<const TimePoint> submitted_at) {
  return ForwardPass(work, submitted_at).run();
}

std::optional<Duration> lower_bound(const Work& work, const Tabulated& tables, std::span<const Duration> critical_paths,
                                    std::span<const std::uint32_t> cohort) {
  if (cohort.empty()) return std::nullopt;
  for (const std::uint32_t w : cohort)
    if (tables.state[w] != WorkflowState::kFinished) return std::nullopt;
  const TimePoint bound =
      work.plans.empty() ? bound_of_graphs(work, tables, critical_paths, cohort) : bound_of_plans(work, tables, cohort);
  if (bound.is_never()) return std::nullopt;
  return bound - first_submission(tables, cohort);
}

double offered_load(const Work& work, const Measure& measure, std::span<const TimePoint> submitted_at,
                    std::span<const std::uint32_t> cohort) {
  TimePoint first = TimePoint::never(), last;
  Int128 core_time = 0;
  const bool plain_jobs = one_core_each(work) && each_row_is_a_workflow(work);
  for (const std::uint32_t w : cohort) {
    first = std::min(first, submitted_at[w]);
    last = std::max(last, submitted_at[w]);
    if (plain_jobs) {
      core_time += work.run_time[w].ns;
      continue;
    }
    for (StageRow row = work.first_stage[w]; row < work.first_stage[w + 1]; ++row) {
      const Demand& demand = work.demands[work.demand[row]];
      core_time += demand.cores * (demand.spread ? 1 : demand.nodes) * Int128{true_run_time(work, row).ns};
    }
  }
  if (measure.from) first = TimePoint::zero() + *measure.from;
  if (measure.to) last = TimePoint::zero() + *measure.to;
  const Int128 capacity = cohort.empty() ? 0 : ClusterTotals(work.cluster).cores * (last - first).ns;
  if (capacity <= 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(static_cast<long double>(core_time) / static_cast<long double>(capacity));
}

void check_laws(const Work& work, const SchedulerSettings& settings, const Policy& policy, const RunReport& report) {
  if (report.makespan && report.lower_bound)
    HEADROOM_CHECK(*report.makespan >= *report.lower_bound, "a makespan of " + std::to_string(report.makespan->ns) +
                                                                " ns is below the lower bound of " +
                                                                std::to_string(report.lower_bound->ns) + " ns");
  if (!work.actions.empty() || policy.preemption != Preemption::kOff || report.status != RunStatus::kFinished ||
      !conserves_work(settings, work) || !one_core_each(work) || work.workflows() == 0 || !all_finished(report))
    return;
  if (policy.placement == Placement::kGreedy) check_graham(work, report);
  if (ClusterTotals(work.cluster).cores == 1 && work.stages() == work.workflows()) check_conservation(work, report);
}

}  // namespace headroom
