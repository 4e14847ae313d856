#include "sim/metrics/hold_idle.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace headroom {
namespace {

struct Interval {
  TimePoint from, to;
};

/// When each step of a plan was held: from the instant at which it had all it needs, or was gated, until it was
/// eligible.
class HeldTimes {
 public:
  HeldTimes(const Work& work, const RunLog& log, const Tabulated& tables)
      : work_(work),
        log_(log),
        tables_(tables),
        declared_at_(work.stages(), TimePoint::never()),
        file_at_(work.missing.size(), TimePoint::never()) {
    for (const PlanProgram& plan : work.plans) confirm_files(plan);
  }

  std::vector<HeldStage> collect() {
    std::map<StageRow, TimePoint> gated_at;
    for (const Event& event : log_.events) {
      if (event.kind == EventKind::kDeclared) declared_at_[event.subject] = event.at;
      if (event.kind == EventKind::kGated) gated_at[event.subject] = event.at;
      if (event.kind != EventKind::kEligible && event.kind != EventKind::kCanceled) continue;
      const auto gated = gated_at.find(event.subject);
      if (gated == gated_at.end()) continue;
      add(event.subject, gated->second, event.at);
      gated_at.erase(gated);
    }
    for (const auto& [row, from] : gated_at) add(row, from, log_.end);
    for (StageRow row = 0; row < work_.stages(); ++row)
      if (work_.declarer[row] != kNoRow && !declared_at_[row].is_never()) add_first(row);
    return std::move(held_);
  }

 private:
  /// A plan does what it does at fixed times after its start.
  void confirm_files(const PlanProgram& plan) {
    const StageTimes& stage = tables_.stages[plan.stage];
    if (!stage.has_started()) return;
    TimePoint at = stage.first_started + plan.startup;
    for (const PlanProgram::Op& op : plan.ops) {
      at = saturating_add(at, op.cost);
      if (op.kind != PlanOp::Kind::kStatic || op.stage == kNoRow) continue;
      TimePoint& there = file_at_[op.stage - work_.stages()];
      there = std::min(there, at);
    }
  }
  [[nodiscard]] TimePoint made_at(StageRow need) const {
    if (need >= work_.stages()) return file_at_[need - work_.stages()];
    const StageTimes& stage = tables_.stages[need];
    return stage.state == StageState::kFinished ? stage.ended : TimePoint::never();
  }
  void add(StageRow row, TimePoint from, TimePoint to) {
    if (from < to) held_.push_back({row, from, to});
  }
  void add_first(StageRow row) {
    TimePoint ready = declared_at_[row];
    if (!work_.needs_begin.empty()) {
      for (std::uint32_t i = work_.needs_begin[row]; i < work_.needs_begin[row + 1]; ++i) {
        const StageRow need = work_.needs[i];
        const TimePoint there = made_at(need);
        if (there > log_.end) return;
        ready = std::max(ready, there);
      }
    }
    const StageTimes& stage = tables_.stages[row];
    add(row, ready, stage.was_eligible() ? stage.first_eligible : std::min(stage.ended, log_.end));
  }

  const Work& work_;
  const RunLog& log_;
  const Tabulated& tables_;
  std::vector<TimePoint> declared_at_;
  std::vector<TimePoint> file_at_;  // by Work::missing; never(): no plan came to say so
  std::vector<HeldStage> held_;
};

/// Sorted, apart from each other.
std::vector<Interval> united(const std::vector<HeldStage>& held) {
  std::vector<Interval> intervals;
  for (const HeldStage& stage : held) intervals.push_back({stage.from, stage.to});
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
  std::vector<Interval> whole;
  for (const Interval& next : intervals) {
    if (whole.empty() || next.from > whole.back().to)
      whole.push_back(next);
    else
      whole.back().to = std::max(whole.back().to, next.to);
  }
  return whole;
}

/// The integral of what is free over the intervals, as the log is read.
class FreeTime {
 public:
  FreeTime(const Work& work, const std::vector<Interval>& intervals, const Window& window)
      : work_(work), intervals_(intervals), window_(window), free_(ClusterTotals(work.cluster).cores) {}

  Int128 integrate(const RunLog& log) {
    std::vector<bool> runs(work_.stages(), false);
    for (const Event& event : log.events) {
      advance(event.at);
      if (event.kind == EventKind::kSubmitted || event.kind == EventKind::kJob) continue;  // of a workflow
      if (event.kind == EventKind::kStarted) {
        runs[event.subject] = true;
        free_ -= cores(event.subject);
      } else if (runs[event.subject] && event.kind != EventKind::kHoldOpened &&
                 event.kind != EventKind::kHoldReleased) {
        runs[event.subject] = false;
        free_ += cores(event.subject);
      }
    }
    advance(log.end);
    return area_;
  }

 private:
  void advance(TimePoint to) {
    for (; at_ < intervals_.size(); ++at_) {
      const Interval& held = intervals_[at_];
      const TimePoint from = std::max({now_, held.from, window_.from});
      const TimePoint until = std::min({to, held.to, window_.to});
      if (from < until) area_ += free_ * (until - from).ns;
      if (held.to > to) break;
    }
    now_ = to;
  }
  [[nodiscard]] Int128 cores(StageRow row) const {
    const Demand& demand = work_.demands[work_.demand[row]];
    return Int128{demand.cores} * (demand.spread ? 1 : demand.nodes);
  }

  const Work& work_;
  const std::vector<Interval>& intervals_;
  const Window& window_;
  Int128 free_, area_ = 0;
  std::size_t at_ = 0;  // in intervals_
  TimePoint now_;
};

}  // namespace

std::vector<HeldStage> held_stages(const Work& work, const RunLog& log, const Tabulated& tables) {
  if (tables.holds.empty() || work.declarer.empty()) return {};
  return HeldTimes(work, log, tables).collect();
}

Int128 hold_idle_core_ns(const Work& work, const RunLog& log, const Tabulated& tables) {
  if (tables.holds.empty() || work.declarer.empty()) return 0;
  const std::vector<Interval> held = united(held_stages(work, log, tables));
  return FreeTime(work, held, tables.window).integrate(log);
}

}  // namespace headroom
