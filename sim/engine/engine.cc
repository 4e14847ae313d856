#include "sim/engine/engine.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "policies/check.h"
#include "policies/expression_rule.h"
#include "policies/scheduler.h"
#include "sim/engine/control_plane.h"
#include "sim/engine/event_heap.h"
#include "sim/engine/plan_run.h"
#include "sim/engine/stalls.h"
#include "sim/engine/submissions.h"
#include "workloads/rule_context.h"

namespace headroom {
namespace {

SchedulerOptions options_of(const SchedulerSettings& settings, const Policy& policy) {
  SchedulerOptions options;
  options.policy = policy;
  options.hold_gates = settings.hold_scope == HoldScope::kBlock ? HoldGates::kBlock : HoldGates::kDeclarer;
  options.hold_release = settings.hold_release;
  options.queue_depth = settings.queue_depth;
  options.drain_on_failure = settings.on_failure == OnFailure::kDrain;
  return options;
}

class Engine final : ControlHost {
 public:
  Engine(const Work& work, const SchedulerSettings& settings, const Policy& policy, const Measure& measure)
      : work_(work),
        tick_(settings.tick),
        pyss_(settings.simultaneous == Simultaneous::kPyss),
        measure_(measure),
        give_up_(measure.give_up ? TimePoint::zero() + *measure.give_up : TimePoint::never()),
        scheduler_(work.cluster.capacity(), options_of(settings, policy),
                   policy.priority == Priority::kExpression
                       ? make_priority_rule(policy, rule_context(work, &workflow_of_id_))
                       : nullptr),
        submissions_(work) {
    log_.tick = settings.tick;
    log_.queue_depth = settings.queue_depth;
    for (const OrganizationSpec& organization : work.tenants.organizations)
      scheduler_.add_organization(organization.priority);
    for (const AccountSpec& account : work.tenants.accounts)
      scheduler_.add_account({account.organization}, account.priority);
    for (const UserSpec& user : work.tenants.users) scheduler_.add_user(user.priority);
    for (const Demand& demand : work.demands) demands_.push_back(scheduler_.add_demand(demand));
    plans_.resize(work.plans.size());
    if (!work.plans.empty()) provides_ = artifacts_in_use();
    preempts_ = policy.preemption != Preemption::kOff;
    suspends_ = policy.preemption == Preemption::kSuspend;
    if (preempts_) {
      started_at_.resize(work.stages());
      saved_.resize(work.stages());
      preemptor_.resize(work.stages(), kNoRow);
      goes_at_.resize(work.stages());
    }
    draws_ties_ = std::ranges::find(policy.ties, Tie::kRandom) != policy.ties.end();
    for (std::uint32_t w = 0; w < work.workflows(); ++w) unfinished_ += in_cohort(w);
    all_end_alike_ = unfinished_ == work.workflows() && work.after_begin.empty();
    log_.events.reserve(
        std::min<std::size_t>((work.stages() == work.workflows() ? 3 : 4) * work.stages(), std::size_t{1} << 24));
    log_.starts.reserve(work.stages());
    row_of_.reserve(work.stages());
    scheduler_.reserve(work.stages(), work.workflows());
    if (has_control()) {
      control_.emplace(work, scheduler_, static_cast<ControlHost&>(*this), log_.control);
      id_of_.resize(work.workflows(), WorkflowId::none());
      acts_at_ = control_->next_at();
    }
  }

  RunLog run(const std::atomic<bool>* stop) {
    constexpr std::uint64_t kLookEvery = 1024;
    for (std::uint64_t instants = 0; unfinished_ > 0; ++instants) {
      if (stop != nullptr && instants % kLookEvery == 0 && stop->load(std::memory_order_relaxed)) {
        log_.status = RunStatus::kInterrupted;
        break;
      }
      const TimePoint next = next_instant();
      if (next.is_never()) break;
      if (next > give_up_) {
        log_.status = RunStatus::kGaveUp;
        break;
      }
      now_ = next;
      scheduler_.set_clock(now_);
      if (pyss_)
        instant_as_pyss();
      else
        instant_in_batch();
      if (now_ == give_up_ && unfinished_ > 0) {
        log_.status = RunStatus::kGaveUp;
        break;
      }
    }
    finish_log();
    return std::move(log_);
  }

 private:
  enum class Outcome : std::uint8_t { kFinished, kFailed, kTimedOut };

  // ---- control plane

  /// Is there anything that it could be asked?
  [[nodiscard]] bool has_control() const {
    return !work_.actions.empty() || std::ranges::any_of(work_.priority, [](std::int64_t p) { return p > 0; });
  }
  void act() {
    control_->act(now_);
    log_.handled += 1;
    acts_at_ = control_->next_at();
  }
  [[nodiscard]] WorkflowId id_of(std::uint32_t workflow) const override { return id_of_[workflow]; }
  [[nodiscard]] StageRow row_of(StageId stage) const override { return row_of_[stage.value]; }
  [[nodiscard]] std::uint32_t index_of(WorkflowId workflow) const override { return workflow_of_id_[workflow.value]; }
  [[nodiscard]] std::size_t submitted() const override { return workflow_of_id_.size(); }
  [[nodiscard]] std::size_t position() const override { return log_.events.size(); }
  void stop(std::uint32_t workflow) override {
    const WorkflowId id = id_of_[workflow];
    std::vector<StageId> running;
    for (const StageId stage : scheduler_.unfinished_stages(id))
      if (scheduler_.status(stage) == StageStatus::kRunning) running.push_back(stage);
    for (const StageId stage : running) ends_.forget(stage.value);
    scheduler_.cancel(id);
    // Running ones are canceled first, in the same order.
    std::size_t next = 0;
    for (const Transition& change : scheduler_.transitions()) {
      const bool was_running = next < running.size() && change.stage == running[next];
      if (was_running) ++next;
      log({now_, row_of_[change.stage.value], EventKind::kCanceled, was_running});
    }
    scheduler_.clear_transitions();
    workflow_ended(workflow);
  }
  void lose(NodeId node) override {
    for (const StageId stage : scheduler_.running_on(node)) {
      if (scheduler_.status(stage) != StageStatus::kRunning) continue;  // canceled with one before it
      ends_.forget(stage.value);
      end_stage(stage, row_of_[stage.value], Outcome::kFailed);
    }
  }

  // ---- time

  [[nodiscard]] TimePoint next_instant() {
    while (!plan_ops_.empty() && is_stale_op(plan_ops_.top())) plan_ops_.pop();
    TimePoint next = std::min({ends_.next_at(), plan_ops_.next_at(), submissions_.next_at(), acts_at_});
    if (preempts_) next = std::min(next, next_grace());
    if (tick_ > Duration{} && scheduler_.wants_pass()) next = std::min(next, next_grid());
    const TimePoint crossing = scheduler_.next_crossing();
    if (!crossing.is_never()) next = std::min(next, grid_from(crossing));
    return next;
  }
  [[nodiscard]] TimePoint next_grace() {
    while (!graces_.empty() && !scheduler_.must_go({graces_.top().subject})) graces_.pop();
    return graces_.next_at();
  }
  [[nodiscard]] bool on_grid() const { return tick_ == Duration{} || now_.ns % tick_.ns == 0; }
  /// The first grid instant at which a pass may come: this one if its rounds are not over.
  [[nodiscard]] TimePoint next_grid() const { return grid_from(now_); }
  /// With tick 0, every instant is one.
  [[nodiscard]] TimePoint grid_from(TimePoint at) const {
    const std::int64_t rest = tick_ > Duration{} ? at.ns % tick_.ns : 0;
    return rest == 0 ? at : saturating_add(at, tick_ - Duration{rest});
  }
  [[nodiscard]] TimePoint after(Duration d) const {
    const TimePoint t = saturating_add(now_, d);
    if (t.is_never()) throw std::overflow_error("the simulated clock would pass 292 years");
    return t;
  }
  [[nodiscard]] bool passes_now() const { return on_grid() && now_ != give_up_; }

  // ---- one instant: ends, submissions and declarations, one pass; again while something is due

  void instant_in_batch() {
    do {
      while (ends_.next_at() == now_) handle_end(ends_.pop());
      while (graces_.next_at() == now_) handle_grace(graces_.pop());
      std::uint32_t workflow = 0;
      while (submissions_.pop_due(now_, workflow)) submit(workflow);
      while (plan_ops_.next_at() == now_) run_plan(plan_ops_.pop());
      if (acts_at_ == now_) act();
      if (scheduler_.changed() && passes_now()) pass();
      resume_plans();
    } while (something_is_due());
  }
  [[nodiscard]] bool something_is_due() const {
    return ends_.next_at() == now_ || graces_.next_at() == now_ || plan_ops_.next_at() == now_ ||
           submissions_.next_at() == now_;
  }

  /// The convention of older trace simulators: submissions before ends, a pass after every single event, and what ends
  /// at this instant by its estimate counts as gone from its beginning.
  void instant_as_pyss() {
    std::vector<PendingEvent> due;
    for (std::size_t next_end = 0;;) {
      for (; ends_.next_at() == now_; due.push_back(ends_.pop()))
        if (ends_by_estimate(ends_.top())) scheduler_.presume_gone({ends_.top().subject});
      std::uint32_t workflow = 0;
      if (submissions_.pop_due(now_, workflow)) {
        submit(workflow);
        if (newcomer_fits() && passes_now()) pass();
      } else if (next_end < due.size()) {
        handle_end(due[next_end++]);
        if (passes_now()) pass();
      } else if (plan_ops_.next_at() == now_) {
        run_plan(plan_ops_.pop());
        if (scheduler_.changed() && passes_now()) pass();
        resume_plans();
      } else if (graces_.next_at() == now_) {
        handle_grace(graces_.pop());
        if (scheduler_.changed() && passes_now()) pass();
      } else if (acts_at_ == now_) {
        act();
        if (scheduler_.changed() && passes_now()) pass();
      } else if ((tick_ > Duration{} || now_ >= scheduler_.next_crossing()) && scheduler_.changed() && passes_now()) {
        pass();
      } else {
        return;
      }
    }
  }
  [[nodiscard]] bool ends_by_estimate(const PendingEvent& end) const {
    const StageRow row = row_of_[end.subject];
    return std::max(work_.estimate[row], Duration::nanoseconds(1)) <= length(row);
  }
  [[nodiscard]] bool newcomer_fits() const {
    return std::ranges::any_of(newcomers_, [&](StageId stage) {
      return scheduler_.status(stage) == StageStatus::kEligible && scheduler_.fits_now(stage);
    });
  }

  // ---- submissions and declarations

  void submit(std::uint32_t w) {
    ++log_.handled;
    if (work_.priority[w] > 0 && !control_->admits(w, now_)) return workflow_ended(w);
    const StageRow first = work_.first_stage[w];
    const StageRow count = work_.first_stage[w + 1] - first;
    const bool is_job = count == 1 && work_.needs_begin.empty() && !work_.has_plan(w);
    log({now_, w, is_job ? EventKind::kJob : EventKind::kSubmitted});
    WorkflowFacts facts;
    facts.created_at = now_;
    facts.account = {work_.account[w]};
    facts.user = {work_.user[w]};
    facts.priority = work_.priority[w];
    const WorkflowId id = scheduler_.submit(facts);
    workflow_of_id_.push_back(w);
    if (control_) id_of_[w] = id;
    newcomers_.clear();
    if (work_.has_plan(w)) {
      declare(work_.plans[static_cast<std::size_t>(work_.root_plan[w])].stage, id, StageId::none());
      return;
    }
    if (is_job) {
      job_declared(scheduler_.declare(id, facts_of(first, StageId::none())), first);
      return;
    }
    declare_graph(id, first, count);
    if (count == 0) workflow_ended(w);
  }

  void declare_graph(WorkflowId id, StageRow first, StageRow count) {
    std::vector<StageFacts> facts;
    facts.reserve(count);
    for (StageRow row = first; row < first + count; ++row) facts.push_back(facts_of(row, StageId::none()));
    std::vector<std::uint32_t> begin, needs;
    if (!work_.needs_begin.empty()) {
      begin.reserve(count + 1);
      for (StageRow row = first; row < first + count; ++row) {
        begin.push_back(static_cast<std::uint32_t>(needs.size()));
        for (std::uint32_t i = work_.needs_begin[row]; i < work_.needs_begin[row + 1]; ++i)
          needs.push_back(work_.needs[i] - first);
      }
      begin.push_back(static_cast<std::uint32_t>(needs.size()));
    }
    const StageId first_id = scheduler_.declare_all(id, facts, begin, needs);
    scheduler_.clear_transitions();  // all of them say which of these are eligible at once, as the log does
    for (StageRow k = 0; k < count; ++k) declared({first_id.value + k}, first + k);
  }

  [[nodiscard]] StageFacts facts_of(StageRow row, StageId declarer) const {
    StageFacts facts;
    facts.estimate = work_.estimate[row];
    facts.demand = demands_[work_.demand[row]];
    facts.kind = program_of(row) >= 0 ? StageKind::kPlan : StageKind::kOrdinary;
    facts.preemptible = !work_.preemptible.empty() && work_.preemptible[row] != 0;
    facts.declarer = declarer;
    if (draws_ties_) facts.tie_draw = work_.tie_draw(row);
    return facts;
  }

  /// A step of a plan: what it needs may be declared later, so the row of each step is the artifact that it makes.
  void declare(StageRow row, WorkflowId workflow, StageId declarer) {
    awaits_.clear();
    if (!work_.needs_begin.empty())
      for (std::uint32_t i = work_.needs_begin[row]; i < work_.needs_begin[row + 1]; ++i)
        awaits_.push_back({work_.needs[i]});
    const ArtifactId made{row};
    const auto provides = provides_[row] != 0 ? std::span(&made, 1) : std::span<const ArtifactId>{};
    declared(scheduler_.declare(workflow, facts_of(row, declarer), {}, awaits_, provides), row);
  }

  /// What kJob says already: nothing stands in its way.
  void job_declared(StageId stage, StageRow row) {
    number(stage, row);
    HEADROOM_CHECK(scheduler_.status(stage) == StageStatus::kEligible, std::to_string(stage.value));
    scheduler_.clear_transitions();
  }
  void number(StageId stage, StageRow row) {
    row_of_.push_back(row);
    HEADROOM_CHECK(row_of_.size() == stage.value + 1, std::to_string(stage.value));
    if (pyss_) newcomers_.push_back(stage);
  }
  void declared(StageId stage, StageRow row) {
    number(stage, row);
    log({now_, row, EventKind::kDeclared, scheduler_.status(stage) == StageStatus::kEligible});
    for (const Transition& change : scheduler_.transitions())
      if (change.stage != stage || change.kind != Transition::Kind::kEligible) log_transition(change);
    scheduler_.clear_transitions();
  }

  // ---- plans

  void queue_plan(std::uint32_t program) {
    const PlanRun& plan = plans_[program];
    if (plan.due().is_never()) throw std::overflow_error("the simulated clock would pass 292 years");
    plan_ops_.push({program, plan.stage().value, plan.due()});
  }

  void resume_plans() {
    for (const std::uint32_t program : stopped_) queue_plan(program);
    stopped_.clear();
  }

  /// Everything that the plan does at this instant, up to an outermost release, which is followed by a pass.
  void run_plan(const PendingEvent& event) {
    if (is_stale_op(event)) return;
    PlanRun& plan = plans_[event.subject];
    const StageId stage = plan.stage();
    const StageRow row = row_of_[stage.value];
    while (plan.due() == now_) {
      ++log_.handled;
      if (plan.at_end()) {
        end_stage(stage, row, fails_now(row) ? Outcome::kFailed : Outcome::kFinished);
        return;
      }
      const PlanProgram::Op op = plan.op();
      plan.advance();
      bool released = false;
      switch (op.kind) {
        case PlanOp::Kind::kDeclare:
          declare(op.stage, scheduler_.workflow_of(stage), stage);
          break;
        case PlanOp::Kind::kHold:
          open_hold(stage, row);
          break;
        case PlanOp::Kind::kRelease:
          released = release_hold(stage, row);
          break;
        case PlanOp::Kind::kPause:
          break;
        case PlanOp::Kind::kStatic:
          if (op.stage != kNoRow) provide(op.stage);
          break;
      }
      if ((released && tick_ == Duration{}) || (pyss_ && plan.due() == now_)) {
        stopped_.push_back(event.subject);
        return;
      }
    }
    queue_plan(event.subject);
  }

  void provide(StageRow file) {
    scheduler_.provide({file});
    log_transitions();
  }
  void open_hold(StageId stage, StageRow row) {
    if (!scheduler_.honors_holds()) return;
    const bool outermost = !scheduler_.is_holding(stage);
    scheduler_.open_hold(stage);
    if (outermost) log({now_, row, EventKind::kHoldOpened});
    log_transitions();
  }
  bool release_hold(StageId stage, StageRow row) {
    if (!scheduler_.release_hold(stage)) return false;
    log({now_, row, EventKind::kHoldReleased});
    log_transitions();
    return true;
  }

  // ---- ends

  [[nodiscard]] std::int32_t program_of(StageRow row) const { return work_.program.empty() ? -1 : work_.program[row]; }
  [[nodiscard]] Duration walltime(StageRow row) const {
    return work_.walltime.empty() ? Duration::infinite() : work_.walltime[row];
  }
  /// Of a try of an ordinary stage; an end exactly at the limit is a finish.
  [[nodiscard]] Duration length(StageRow row) const { return std::min(run_left(row), limit_left(row)); }
  /// What displaced tries have kept need not be run again; a suspended stage's limit goes on where it stood.
  [[nodiscard]] Duration run_left(StageRow row) const {
    return preempts_ ? work_.run_time[row] - saved_[row] : work_.run_time[row];
  }
  [[nodiscard]] Duration limit_left(StageRow row) const {
    const Duration limit = walltime(row);
    return suspends_ && !limit.is_infinite() ? limit - saved_[row] : limit;
  }
  [[nodiscard]] bool fails_now(StageRow row) const {
    return !work_.failing.empty() && work_.fails(row, attempts_.empty() ? 0 : attempts_[row]);
  }
  /// What a plan would have done, had it not been cut off.
  [[nodiscard]] bool is_stale_op(const PendingEvent& op) const {
    return scheduler_.status(plans_[op.subject].stage()) != StageStatus::kRunning;
  }

  void handle_end(const PendingEvent& end) {
    ++log_.handled;
    prefetch_ends();
    const StageRow row = row_of_[end.subject];
    Outcome outcome = Outcome::kFinished;
    if (program_of(row) >= 0 || limit_left(row) < run_left(row))
      outcome = Outcome::kTimedOut;
    else if (fails_now(row))
      outcome = Outcome::kFailed;
    end_stage({end.subject}, row, outcome);
  }

  /// What ends next was last touched when it started, which may be long ago: first its own columns, then what they
  /// lead to. Inlined: g++ takes a function that only prefetches for one without effect.
  [[gnu::always_inline]] void prefetch_ends() const {
    if (ends_.empty()) return;
    for (const PendingEvent& end : ends_.after_top()) {
      __builtin_prefetch(&row_of_[end.subject]);
      scheduler_.prefetch({end.subject});
    }
    const StageId next{ends_.top().subject};
    __builtin_prefetch(&work_.run_time[row_of_[next.value]]);
    scheduler_.prefetch_end(next);
    const StageId start = scheduler_.likely_next();
    if (!start.is_none()) __builtin_prefetch(&work_.run_time[row_of_[start.value]]);
  }

  void end_stage(StageId stage, StageRow row, Outcome outcome) {
    constexpr EventKind kKinds[] = {EventKind::kFinished, EventKind::kFailed, EventKind::kTimedOut};
    log({now_, row, kKinds[static_cast<std::size_t>(outcome)]});
    if (outcome == Outcome::kFinished)
      scheduler_.finished(stage);
    else if (tries_left(row))
      scheduler_.try_again(stage);
    else
      scheduler_.failed(stage);
    log_transitions();
    end_workflow_of(stage);
  }
  /// If that was the last of it.
  void end_workflow_of(StageId stage) {
    const WorkflowId workflow = scheduler_.workflow_of(stage);
    if (scheduler_.live_stages(workflow) > 0) return;
    if (all_end_alike_)  // which one it was was last touched long ago, and nobody asks
      --unfinished_;
    else
      workflow_ended(workflow_of_id_[workflow.value]);
  }

  /// A plan is not run again: what it declared exists already.
  bool tries_left(StageRow row) {
    if (work_.retry.empty() || program_of(row) >= 0) return false;
    if (attempts_.empty()) attempts_.resize(work_.stages(), 0);
    if (attempts_[row]++ >= work_.retry[row]) return false;
    if (preempts_) saved_[row] = {};  // a further try is a full one
    return true;
  }

  void workflow_ended(std::uint32_t w) {
    unfinished_ -= in_cohort(w);
    submissions_.ended(w, now_);
  }
  [[nodiscard]] bool in_cohort(std::uint32_t w) const {
    const Duration at = work_.submitted_at[w] - TimePoint::zero();
    return (!measure_.from || at >= *measure_.from) && (!measure_.to || at < *measure_.to);
  }

  // ---- decisions

  void pass() {
    ++log_.passes;
    std::size_t number = 0, displaced = 0;
    const std::span<const Start> starts = scheduler_.pass(now_);
    const std::span<const Displacement> displacements = scheduler_.displacements();
    const auto displace_before = [&](std::size_t start) {
      for (; displaced < displacements.size() && displacements[displaced].before_start == start; ++displaced)
        displace(displacements[displaced]);
    };
    for (const Start& start : starts) {
      if (!displacements.empty()) displace_before(number++);
      const StageRow row = row_of_[start.stage.value];
      if (scheduler_.spans_nodes(start.stage)) log_further_nodes(start.stage);
      log_.starts.push_back({scheduler_.tail_time(start.stage), start.node});
      log({now_, row, EventKind::kStarted, false, start.reason});
      hash(static_cast<std::uint64_t>(now_.ns));
      hash((static_cast<std::uint64_t>(start.stage.value) << 32) | start.node.value);
      const std::int32_t program = program_of(row);
      if (program >= 0) {
        plans_[static_cast<std::size_t>(program)] =
            PlanRun(work_.plans[static_cast<std::size_t>(program)], start.stage, scheduler_.honors_holds(), now_);
        queue_plan(static_cast<std::uint32_t>(program));
        // A plan that is over exactly at its limit has finished; else the limit is an end like any other.
        if (plans_[static_cast<std::size_t>(program)].ends_at() > saturating_add(now_, walltime(row)))
          ends_.push({start.stage.value, sequence_++, after(walltime(row))});
      } else {
        ends_.push({start.stage.value, sequence_++, after(length(row))});
        if (preempts_) started_at_[row] = now_;
      }
    }
    displace_before(starts.size());
    const std::span<const double> priorities = scheduler_.start_priorities();
    log_.start_priorities.insert(log_.start_priorities.end(), priorities.begin(), priorities.end());
  }

  // ---- displacement

  void displace(const Displacement& displacement) {
    const StageRow victim = row_of_[displacement.victim.value];
    preemptor_[victim] = row_of_[displacement.preemptor.value];
    if (displacement.at > now_) {
      goes_at_[victim] = displacement.at;
      graces_.push({displacement.victim.value, sequence_++, displacement.at});
      return;
    }
    displaced(displacement.victim);
    log({now_, victim, EventKind::kEligible});
  }
  /// Its grace is over, if it has not ended by itself.
  void handle_grace(const PendingEvent& event) {
    const StageId stage{event.subject};
    // It may have ended, been tried again, and been told again meanwhile.
    if (!scheduler_.must_go(stage) || goes_at_[row_of_[stage.value]] != now_) return;
    ++log_.handled;
    scheduler_.displace(stage);
    displaced(stage);
    log_transitions();  // eligible again; or canceled, where its workflow starts nothing more
    end_workflow_of(stage);
  }
  void displaced(StageId stage) {
    const StageRow row = row_of_[stage.value];
    const Duration ran = now_ - started_at_[row];
    Duration kept;
    if (suspends_)
      kept = ran;
    else if (!work_.checkpoint.empty() && !work_.checkpoint[row].is_infinite())
      kept = ran - Duration{ran.ns % work_.checkpoint[row].ns};
    saved_[row] += kept;
    ends_.forget(stage.value);
    log({now_, row, EventKind::kPreempted});
    log_.preemptions.push_back({row, preemptor_[row], ran - kept});
  }

  void hash(std::uint64_t word) {
    log_.decision_hash = (log_.decision_hash ^ word) * 0x9E3779B97F4A7C15U;
    log_.decision_hash ^= log_.decision_hash >> 32;
  }

  // ---- the log

  void log(const Event& event) { log_.events.push_back(event); }
  void log_transitions() {
    for (const Transition& change : scheduler_.transitions()) log_transition(change);
    scheduler_.clear_transitions();
  }
  void log_transition(const Transition& change) {
    constexpr EventKind kKinds[] = {EventKind::kEligible, EventKind::kGated, EventKind::kCanceled};
    log({now_, row_of_[change.stage.value], kKinds[static_cast<std::size_t>(change.kind)]});
  }
  void log_further_nodes(StageId stage) {
    const auto& parts = scheduler_.allocation_of(stage).further;
    for (std::size_t i = 1; i < parts.size(); ++i)
      log_.further_nodes.push_back({static_cast<std::uint32_t>(log_.starts.size()), parts[i].node, parts[i].cores});
  }

  void finish_log() {
    log_.end = log_.status == RunStatus::kGaveUp ? give_up_ : now_;
    if (control_) control_->close();
    const Unranked& unranked = scheduler_.unranked();
    if (unranked.stages > 0)
      log_.unranked = {unranked.stages, row_of_[unranked.first.value], unranked.at, unranked.why};
    if (unfinished_ == 0 || log_.status != RunStatus::kFinished) return;
    log_.status = RunStatus::kStalled;
    explain_stalls(work_, scheduler_, row_of_, log_);
  }

  /// Which steps of plans anybody needs.
  [[nodiscard]] std::vector<std::uint8_t> artifacts_in_use() const {
    std::vector<std::uint8_t> used(work_.stages(), 0);
    for (const StageRow need : work_.needs)
      if (need < work_.stages()) used[need] = 1;
    return used;
  }

  const Work& work_;
  const Duration tick_;
  const bool pyss_;
  const Measure& measure_;
  const TimePoint give_up_;
  bool draws_ties_ = false;
  std::vector<std::uint32_t> workflow_of_id_;  ///< by WorkflowId; names are looked up by it
  Scheduler scheduler_;
  Submissions submissions_;
  std::vector<DemandId> demands_;        ///< by index of Work::demands
  std::vector<StageRow> row_of_;         ///< by StageId
  std::vector<std::uint8_t> provides_;   ///< by row; empty without plans
  std::vector<std::uint32_t> attempts_;  ///< by row: tries that did not finish; empty while there were none

  bool preempts_ = false, suspends_ = false;
  // By row; only with preemption.
  std::vector<TimePoint> started_at_;  ///< the last start
  std::vector<Duration> saved_;        ///< what displaced tries have kept
  std::vector<StageRow> preemptor_;    ///< of the last displacement
  std::vector<TimePoint> goes_at_;     ///< when its last grace ends
  EventHeap graces_;                   ///< subject: StageId

  std::optional<ControlPlane> control_;  ///< only where it could be asked anything
  TimePoint acts_at_ = TimePoint::never();
  std::vector<WorkflowId> id_of_;  ///< by workflow; only with control_

  TimePoint now_;
  EventHeap ends_;      ///< subject: StageId
  EventHeap plan_ops_;  ///< subject: program; rank: the plan's StageId
  std::uint32_t sequence_ = 0;
  std::vector<PlanRun> plans_;          ///< by program
  std::vector<std::uint32_t> stopped_;  ///< programs that go on after the pass
  std::vector<StageId> newcomers_;      ///< of the last submission
  std::vector<ArtifactId> awaits_;
  std::uint64_t unfinished_ = 0;  ///< workflows of the cohort
  bool all_end_alike_ = false;    ///< every workflow is of the cohort, and none waits for another
  RunLog log_;
};

}  // namespace

RunLog simulate(const Work& work, const SchedulerSettings& settings, const Policy& policy, const Measure& measure,
                const std::atomic<bool>* stop) {
  return Engine(work, settings, policy, measure).run(stop);
}

}  // namespace headroom
