#include "sim/metrics/capacity_account.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/check.h"
#include "sim/metrics/cluster_replay.h"
#include "sim/metrics/hold_idle.h"
#include "sim/metrics/priority_state.h"

namespace headroom {
namespace {

/// Each takes one core of wherever there is one, so that a number says what is free.
bool asks_for_one_core(const Demand& demand) {
  Demand one;
  one.spread = demand.spread;
  return demand == one;
}
bool is_a_matter_of_cores(const Work& work, const RunLog& log) {
  return log.control.nodes.empty() && std::ranges::all_of(work.demands, asks_for_one_core);
}

Int128 cores_in_all(const Demand& demand) { return Int128{demand.cores} * (demand.spread ? 1 : demand.nodes); }

std::int64_t clipped(const Window& window, TimePoint from, TimePoint to) {
  return std::max<std::int64_t>((std::min(to, window.to) - std::max(from, window.from)).ns, 0);
}

/// Stages by what they ask for, smallest demand first.
class Waiting {
 public:
  explicit Waiting(const Work& work) : work_(work), rank_(work.demands.size()), count_(work.demands.size(), 0) {
    for (std::uint32_t d = 0; d < work.demands.size(); ++d) order_.push_back(d);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t d) { return cores_in_all(work.demands[d]); });
    for (std::uint32_t r = 0; r < order_.size(); ++r) rank_[order_[r]] = r;
  }
  void add(StageRow row) {
    if (count_[work_.demand[row]]++ == 0) active_.insert(rank_[work_.demand[row]]);
    ++stages_;
  }
  void remove(StageRow row) {
    if (--count_[work_.demand[row]] == 0) active_.erase(rank_[work_.demand[row]]);
    --stages_;
  }
  [[nodiscard]] std::int64_t stages() const { return stages_; }
  /// Calls with (index of the demand, cores of one, stages), smallest first, until it says false.
  template <class Call>
  void for_each(Call call) const {
    for (const std::uint32_t rank : active_) {
      const std::uint32_t demand = order_[rank];
      if (!call(demand, cores_in_all(work_.demands[demand]), count_[demand])) return;
    }
  }

 private:
  const Work& work_;
  std::vector<std::uint32_t> order_, rank_;
  std::vector<std::int64_t> count_;
  std::set<std::uint32_t> active_;
  std::int64_t stages_ = 0;
};

class Accountant {
 public:
  Accountant(const Work& work, const RunLog& log, const Policy& policy, const Tabulated& tables)
      : work_(work),
        log_(log),
        window_(tables.window),
        placement_(policy.placement),
        idle_(ClusterTotals(work.cluster).cores),
        waiting_(work),
        is_waiting_(work.stages(), false),
        is_running_(work.stages(), false),
        may_fit_(log.tick > Duration{} || log.queue_depth > 0 || policy.placement != Placement::kGreedy ||
                 policy.preemption_terms.grace > Duration{}) {
    if (!is_a_matter_of_cores(work, log)) replay_.emplace(work, log);
    if (work.plans.empty()) return;
    for (const HeldStage& held : held_stages(work, log, tables)) {
      held_.emplace_back(held.from, cores_in_all(work.demands[work.demand[held.stage]]));
      held_.emplace_back(held.to, -cores_in_all(work.demands[work.demand[held.stage]]));
    }
    std::ranges::sort(held_);
  }

  CapacityAccount run() {
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
      change_nodes(i);
      advance(log_.events[i].at);
      apply(log_.events[i]);
    }
    change_nodes(log_.events.size());
    advance(log_.end);
    return account_;
  }

 private:
  void change_nodes(std::size_t position) {
    if (!replay_) return;
    for (; replay_->node_changes_before(position); replay_->change_node()) advance(replay_->next_node_change_at());
  }

  void apply(const Event& event) {
    switch (event.kind) {
      case EventKind::kJob:
        enter(work_.first_stage[event.subject]);
        break;
      case EventKind::kDeclared:
        if (event.at_once) enter(event.subject);
        break;
      case EventKind::kEligible:
        enter(event.subject);
        break;
      case EventKind::kStarted:
        leave(event.subject);
        if (replay_) {
          replay_->locate(event.subject);
          starting_.push_back(event.subject);  // some convention may start it before what it replaces has ended
        } else {
          --idle_;
        }
        is_running_[event.subject] = true;
        break;
      case EventKind::kGated:
        leave(event.subject);
        break;
      case EventKind::kFinished:
      case EventKind::kFailed:
      case EventKind::kTimedOut:
      case EventKind::kPreempted:
      case EventKind::kCanceled:
        leave(event.subject);
        if (is_running_[event.subject]) end(event.subject);
        is_running_[event.subject] = false;
        break;
      default:
        break;
    }
  }
  void end(StageRow row) {
    if (!replay_)
      ++idle_;
    else if (std::erase(starting_, row) == 0)
      replay_->end(row);
  }
  void enter(StageRow row) {
    is_waiting_[row] = true;
    waiting_.add(row);
  }
  void leave(StageRow row) {
    if (is_waiting_[row]) waiting_.remove(row);
    is_waiting_[row] = false;
  }

  // ---- time

  void advance(TimePoint to) {
    if (now_ < to) {
      for (const StageRow row : starting_) replay_->take(row);
      starting_.clear();
    }
    while (now_ < to) {
      while (next_held_ < held_.size() && held_[next_held_].first <= now_) held_cores_ += held_[next_held_++].second;
      TimePoint end = to;
      if (next_held_ < held_.size()) end = std::min(end, held_[next_held_].first);
      bool on_grid = true;
      if (log_.tick > Duration{}) {
        const std::int64_t rest = now_.ns % log_.tick.ns;
        on_grid = rest == 0;
        if (!on_grid) end = std::min(end, saturating_add(now_, log_.tick - Duration{rest}));
      }
      share_out(clipped(window_, now_, end), on_grid);
      now_ = end;
    }
  }

  /// The cores that are idle, for so many nanoseconds.
  void share_out(std::int64_t length, bool on_grid) {
    const Int128 idle = replay_ ? Int128{replay_->cluster().free_cores()} : idle_;
    Int128 left = idle;
    const auto take = [&](Int128& into, Int128 cores) {
      const Int128 taken = std::min(left, cores);
      into += taken * length;
      left -= taken;
    };
    if (waiting_.stages() > 0 && (idle > 0 || log_.tick > Duration{})) {
      Int128 fitting = 0, misplaced = 0;
      bool wider = false;
      waiting_.for_each([&](std::uint32_t demand, Int128 cores, std::int64_t stages) {
        if (cores > idle) {
          wider = true;
          return false;
        }
        const bool fits = may_fit_ && (!replay_ || replay_->cluster().fits(replay_->demand_at(demand)));
        (fits ? fitting : misplaced) += cores * stages;
        return fitting + misplaced < idle || (may_fit_ && fitting < idle);
      });
      if (on_grid || fitting == 0) considered_ = on_grid && fitting > 0;
      if (fitting > 0) take(why_passed_by(), fitting);
      take(account_.does_not_fit, misplaced);
      if (wider) take(account_.too_wide, left);
    } else {
      considered_ = false;
    }
    take(account_.held, held_cores_);
    take(account_.no_work, left);
    if (log_.control.nodes.empty()) return;
    const NodeCapacity closed = replay_->cluster().withheld();
    account_.down += Int128{closed.cores} * length;
    account_.down_memory += Int128{closed.memory} * length;
    account_.down_gpus += Int128{closed.gpus} * length;
  }
  Int128& why_passed_by() {
    if (!considered_) return account_.waiting_for_pass;
    const bool deep =
        log_.queue_depth > 0 && (placement_ == Placement::kGreedy || waiting_.stages() > log_.queue_depth);
    return deep ? account_.depth : account_.reserved;
  }

  const Work& work_;
  const RunLog& log_;
  const Window window_;
  const Placement placement_;
  std::optional<ClusterReplay> replay_;  // none: a matter of cores
  Int128 idle_;                          // then
  std::vector<StageRow> starting_;       // at this instant
  Waiting waiting_;
  std::vector<bool> is_waiting_, is_running_;
  const bool may_fit_;  // after a pass, behind a reservation, or behind whom others make room for: else whatever waits
                        // does not fit
  bool considered_ = false;  // what fits did so after the last pass already
  std::vector<std::pair<TimePoint, Int128>> held_;
  std::size_t next_held_ = 0;
  Int128 held_cores_ = 0;
  TimePoint now_;
  CapacityAccount account_;
};

/// Core time that plans hold without computing.
Int128 overhead(const Work& work, const RunLog& log, const Policy& policy, const Window& window) {
  Int128 sum = 0;
  if (work.plans.empty()) return sum;
  std::map<StageRow, TimePoint> started;
  const auto add = [&](StageRow row, TimePoint from, TimePoint until) {
    const PlanProgram& program = work.plans[static_cast<std::size_t>(work.program[row])];
    const Int128 cores = cores_in_all(work.demands[work.demand[row]]);
    TimePoint at = from;
    const auto spend = [&](Duration length, bool is_overhead) {
      const TimePoint end = std::min(saturating_add(at, length), until);
      if (is_overhead) sum += cores * clipped(window, at, end);
      at = end;
    };
    spend(program.startup, true);
    for (const PlanProgram::Op& op : program.ops) {
      const bool is_hold = op.kind == PlanOp::Kind::kHold || op.kind == PlanOp::Kind::kRelease;
      if (!is_hold || policy.hold == HoldRule::kHonor) spend(op.cost, op.kind != PlanOp::Kind::kPause);
    }
    spend(program.teardown, true);
  };
  for (const Event& event : log.events) {
    if (event.kind == EventKind::kSubmitted || event.kind == EventKind::kJob || work.program[event.subject] < 0)
      continue;
    const auto found = started.find(event.subject);
    if (event.kind == EventKind::kStarted) {
      started[event.subject] = event.at;
    } else if (found != started.end() && event.kind != EventKind::kHoldOpened &&
               event.kind != EventKind::kHoldReleased) {
      add(event.subject, found->second, event.at);
      started.erase(found);
    }
  }
  for (const auto& [row, from] : started) add(row, from, log.end);
  return sum;
}

/// Nothing lies idle while something waits that needs one core, as everything does.
bool is_plain(const Work& work, const RunLog& log) {
  return log.tick == Duration{} && log.queue_depth == 0 && work.plans.empty() && is_a_matter_of_cores(work, log);
}

}  // namespace

CapacityAccount capacity_account(const Work& work, const RunLog& log, const Policy& policy, const Tabulated& tables) {
  const Int128 whole = ClusterTotals(work.cluster).cores * std::max<std::int64_t>(tables.window.length().ns, 0);
  CapacityAccount account;
  if (is_plain(work, log)) {
    account.no_work = whole - tables.busy_cores;
  } else {
    account = Accountant(work, log, policy, tables).run();
    account.overhead = overhead(work, log, policy, tables.window);
  }
  account.busy = tables.busy_cores - account.overhead;
  HEADROOM_CHECK(account.sum() == whole, "the account of core time is off by " +
                                             std::to_string(static_cast<long double>(account.sum() - whole)) +
                                             " core ns");
  return account;
}

// ---- starts that a higher base had to watch

namespace {

std::int64_t base_of(const PriorityState& priorities, std::uint32_t workflow) {
  const PriorityInputs in = priorities.inputs(workflow, {});
  return in.organization + in.account + in.user + in.workflow;
}

class InversionCounter {
 public:
  InversionCounter(const Work& work, const RunLog& log, const Policy& policy, const Tabulated& tables)
      : work_(work),
        log_(log),
        tables_(tables),
        ages_(policy.priority == Priority::kFuzzball),
        replay_(work, log),
        priorities_(work, log.control),
        base_(work.stages(), 0),
        is_waiting_(work.stages(), false),
        is_running_(work.stages(), false) {}

  /// Nothing where a stage starts before what it replaces has ended.
  std::optional<BaseInversions> run() {
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
      if (is_strange_) return std::nullopt;
      while (replay_.node_changes_before(i)) replay_.change_node();
      if (i >= priorities_.next_position()) restamp(i);
      apply(log_.events[i]);
    }
    return out_;
  }

 private:
  /// Waiting stages of one base and demand, the oldest workflow first.
  using Ages = std::multiset<TimePoint>;

  void apply(const Event& event) {
    const StageRow row = event.kind == EventKind::kJob ? work_.first_stage[event.subject] : event.subject;
    switch (event.kind) {
      case EventKind::kJob:
      case EventKind::kEligible:
        enter(row);
        break;
      case EventKind::kDeclared:
        if (event.at_once) enter(row);
        break;
      case EventKind::kStarted:
        leave(row);
        replay_.locate(row);
        is_strange_ = !replay_.is_free(row);
        if (is_strange_) return;
        look(row, event.reason);
        replay_.take(row);
        is_running_[row] = true;
        break;
      case EventKind::kGated:
        leave(row);
        break;
      case EventKind::kFinished:
      case EventKind::kFailed:
      case EventKind::kTimedOut:
      case EventKind::kPreempted:
      case EventKind::kCanceled:
        leave(row);
        if (is_running_[row]) replay_.end(row);
        is_running_[row] = false;
        break;
      default:
        break;
    }
  }
  [[nodiscard]] TimePoint created(StageRow row) const { return tables_.submitted_at[work_.workflow_of[row]]; }
  void enter(StageRow row) {
    is_waiting_[row] = true;
    base_[row] = base_of(priorities_, work_.workflow_of[row]);
    waiting_[base_[row]][work_.demand[row]].insert(created(row));
  }
  void leave(StageRow row) {
    if (!is_waiting_[row]) return;
    is_waiting_[row] = false;
    const auto of_base = waiting_.find(base_[row]);
    const auto of_demand = of_base->second.find(work_.demand[row]);
    of_demand->second.erase(of_demand->second.find(created(row)));
    if (of_demand->second.empty()) of_base->second.erase(of_demand);
    if (of_base->second.empty()) waiting_.erase(of_base);
  }
  void restamp(std::size_t position) {
    std::vector<StageRow> all;
    for (StageRow row = 0; row < is_waiting_.size(); ++row)
      if (is_waiting_[row]) all.push_back(row);
    for (const StageRow row : all) leave(row);
    priorities_.advance(position);
    for (const StageRow row : all) enter(row);
  }

  /// Before it takes its place.
  void look(StageRow row, Reason reason) {
    ++out_.starts;
    const std::int64_t base = base_of(priorities_, work_.workflow_of[row]);
    bool any = false, tied = false;  // the best ranked of them decides why
    for (auto of_base = waiting_.rbegin(); of_base != waiting_.rend() && of_base->first > base; ++of_base) {
      for (const auto& [demand, ages] : of_base->second) {
        if (!replay_.cluster().fits(replay_.demand_at(demand))) continue;
        any = true;
        // Equal where the difference of bases is that of the ages, to the nanosecond.
        const Int128 ahead = Int128{of_base->first - base} * Duration::hours(1).ns;
        tied = tied || (ages_ && (*ages.begin() - created(row)).ns == ahead);
      }
    }
    if (!any) return;
    ++(reason == Reason::kBackfilled ? out_.reservation : tied ? out_.tie : out_.age);
  }

  const Work& work_;
  const RunLog& log_;
  const Tabulated& tables_;
  const bool ages_;
  ClusterReplay replay_;
  PriorityState priorities_;
  std::map<std::int64_t, std::map<std::uint32_t, Ages>> waiting_;  ///< by base, then demand
  std::vector<std::int64_t> base_;
  std::vector<bool> is_waiting_, is_running_;
  bool is_strange_ = false;
  BaseInversions out_;
};

bool all_bases_are_equal(const Work& work, const RunLog& log) {
  if (!log.control.changes.empty()) return false;
  const PriorityState state(work, log.control);
  for (std::uint32_t w = 1; w < work.workflows(); ++w)
    if (base_of(state, w) != base_of(state, 0)) return false;
  return true;
}

}  // namespace

std::optional<BaseInversions> base_inversions(const Work& work, const RunLog& log, const Policy& policy,
                                              const Tabulated& tables) {
  if (policy.priority == Priority::kExpression) return std::nullopt;  // its value at age 0 is not worked out here
  BaseInversions none;
  none.starts = log.starts.size();
  if (policy.priority == Priority::kNone || all_bases_are_equal(work, log)) return none;
  return InversionCounter(work, log, policy, tables).run();
}

}  // namespace headroom
