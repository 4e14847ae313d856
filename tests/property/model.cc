// The model's clock: what happens at one instant, in which order, and when passes are made.
//
// Readings: where the written model leaves something open, this is what was taken to be most natural.
//  R1  The end of a plan is its next operation after the last one. So a plan without teardown whose last operation is
//  an
//      outermost release (tick 0) still holds its slot in the pass that follows the release.
//  R2  At one instant every plan does what is due up to an outermost release, then one pass follows for all of them.
//  R3  A plan that reaches its walltime while its program is not over does nothing more at that instant: ends come
//  first.
//      A program that is over exactly then has finished.
//  R4  A stage that cannot fit even when everything else has ended has no earliest time; as the reserved head of `easy`
//  it
//      is delayed by nothing, so everything behind it is considered.
//  R5  `easy`, a candidate of several nodes: the first choice of nodes in lexicographic file order that delays nothing.
//      A candidate that spreads: only the choice in file order is tried.
//  R6  What has been dispatched counts as started: a failed plan leaves it alone, further tries included. Drained work
//      starts nothing more, so there a stage that waits for its next try, or would have one, is canceled. What a failed
//      plan's running descendants, or a drained workflow's plans, declare later is canceled as it is declared.
//  R7  Canceled stages still count in the tail times of what they need.
//  R8  A declaration counts as a change even where the new stage is gated or canceled at once.
//  R9  At give_up everything due happens, over all rounds of that instant; if the cohort has then finished, so has the
//  run. R10 pyss: submissions in the order of `work:`, then ends in the order of their starts, then plans' operations;
//  a pass
//      after each of them that is a change. A submission makes one only if some eligible stage of it fits.
//  R11 A plan that is tried again runs its program from the start; declaring a step twice has no effect.
//  R13 hold_release: stepup-rc13: an attempt to pick is every look of a pass for the next stage while any core is free,
//      also where nothing waits. Of the changes of a step's state only the end of one that finished is flagged: below a
//      step that starts there is nothing yet, and what is below one that failed is canceled.
//  R12 A plan that is canceled never declares; what needs one of its steps waits for ever and the run is stalled.
#include "tests/property/model.h"

#include <algorithm>
#include <set>

#include "tests/property/model_state.h"

namespace headroom::oracle {
namespace {

using OpKind = PlanOp::Kind;

class Model {
 public:
  explicit Model(const Case& c) : state_(c), settings_(c.settings), policy_(c.policy), measure_(c.measure) {}

  ModelRun run();

 private:
  // ---- the clock
  [[nodiscard]] TimePoint next_instant() const;
  [[nodiscard]] TimePoint next_event() const;
  [[nodiscard]] bool is_due() const { return next_event() == state_.now; }
  [[nodiscard]] bool gives_up_now() const { return measure_.give_up && state_.now.ns == measure_.give_up->ns; }
  [[nodiscard]] bool cohort_has_finished() const;
  void batch_instant();
  void pyss_instant();
  void note_eligibility();
  [[nodiscard]] bool some_minimum_run_is_over() const;

  // ---- what happens
  bool do_one_submission(std::uint32_t* which = nullptr);
  bool do_one_end();
  void do_plans();
  bool do_plan_step(StageRow plan);  ///< true where the plan must wait for a pass
  void declare(StageRow s);
  void start_plan(StageRow s);
  void end(StageRow s, Phase how);
  /// Displaced ones do not count.
  [[nodiscard]] std::size_t tries(StageRow s) const {
    const auto& attempts = state_.out.stages[s].attempts;
    return attempts.size() - static_cast<std::size_t>(std::ranges::count(attempts, Phase::kPreempted, &Attempt::how));
  }
  void end_for_good(StageRow s, Phase how);
  void cancel(StageRow s);
  void cancel_what_is_lost();

  // ---- a pass
  void pass();
  struct Pick {
    StageRow stage;
    Allocation where;
  };
  std::optional<Pick> pick(const std::vector<StageRow>& considered);
  /// Sends away who has to go for it. A place, if it can start in theirs now.
  std::optional<Allocation> make_room(StageRow s);
  [[nodiscard]] bool awaits_room(StageRow s) const;
  [[nodiscard]] bool may_go_for(StageRow victim, StageRow s) const;
  void displace(StageRow s);
  std::optional<Pick> backfill(StageRow head, std::vector<StageRow> candidates);
  std::optional<Pick> pick_by_reservations(const std::vector<StageRow>& queue);
  void start(const Pick& pick);

  State state_;
  const SchedulerSettings& settings_;
  const Policy& policy_;
  const Measure& measure_;
  Flavour flavour_;
  bool changed_ = false;
  std::uint32_t next_number_ = 0;
  std::uint64_t next_start_ = 0;
  TimePoint last_pass_{-1};
  std::set<StageRow> asked_;  ///< in this pass
};

// ------------------------------------------------------------------------------------------------------------ the
// clock

TimePoint Model::next_event() const {
  TimePoint next = TimePoint::never();
  for (std::uint32_t w = 0; w < state_.work.workflows(); ++w)
    if (!state_.is_submitted(w)) next = std::min(next, state_.submission_due(w));
  for (StageRow s = 0; s < state_.work.stages(); ++s) {
    next = std::min(next, state_.stages[s].due);
    if (state_.plans[s].running) next = std::min(next, state_.plans[s].due);
    if (state_.phase(s) == Phase::kRunning) next = std::min(next, state_.stages[s].goes_at);
  }
  return next;
}

TimePoint Model::next_instant() const {
  TimePoint next = next_event();
  if (const Duration run = policy_.preemption_terms.minimum_run; run.ns > 0 && !state_.queue().empty()) {
    for (StageRow s = 0; s < state_.work.stages(); ++s) {
      if (state_.phase(s) != Phase::kRunning || !state_.preemptible(s)) continue;
      const TimePoint over = state_.stages[s].started_at + run;
      if (over <= last_pass_) continue;
      const std::int64_t tick = std::max<std::int64_t>(settings_.tick.ns, 1);
      next = std::min(next, TimePoint{(std::max(over, state_.now).ns + tick - 1) / tick * tick});
    }
  }
  if (changed_ && settings_.tick.ns > 0 && (!state_.queue().empty() || state_.any_flagged())) {
    const std::int64_t tick = settings_.tick.ns;
    next = std::min(next, TimePoint{(state_.now.ns + tick - 1) / tick * tick});
  }
  return next;
}

bool Model::cohort_has_finished() const {
  const Work& work = state_.work;
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    const std::int64_t at = work.submitted_at[w].ns;
    if ((measure_.from && at < measure_.from->ns) || (measure_.to && at >= measure_.to->ns)) continue;
    if (!state_.workflow_is_over(w)) return false;
  }
  return true;
}

/// Since the last pass.
bool Model::some_minimum_run_is_over() const {
  const Duration run = policy_.preemption_terms.minimum_run;
  if (run.ns == 0 || state_.queue().empty()) return false;
  for (StageRow s = 0; s < state_.work.stages(); ++s) {
    if (state_.phase(s) != Phase::kRunning || !state_.preemptible(s)) continue;
    const TimePoint at = state_.stages[s].started_at + run;
    if (at > last_pass_ && at <= state_.now) return true;
  }
  return false;
}

void Model::batch_instant() {
  int passes = 0;
  do {
    while (do_one_end()) {
    }
    for (StageRow s = 0; s < state_.work.stages(); ++s)
      if (state_.phase(s) == Phase::kRunning && state_.stages[s].goes_at == state_.now) displace(s);
    while (do_one_submission()) {
    }
    do_plans();
    if (!changed_ && some_minimum_run_is_over()) changed_ = true;
    const bool on_grid = settings_.tick.ns == 0 || state_.now.ns % settings_.tick.ns == 0;
    if (changed_ && on_grid && !gives_up_now()) {
      changed_ = false;
      pass();
      if (++passes > 1) flavour_.rounds = true;
    }
  } while (is_due());
}

void Model::pyss_instant() {
  int passes = 0;
  auto pass_now = [&] {
    changed_ = false;
    if (gives_up_now()) return;
    pass();
    if (++passes > 1) flavour_.rounds = true;
  };
  while (is_due()) {
    std::uint32_t newcomer = 0;
    if (do_one_submission(&newcomer)) {
      changed_ = false;
      bool fits = false;
      for (StageRow s : state_.queue())
        if (state_.work.workflow_of[s] == newcomer && state_.first_fit(state_.room_now(), s)) fits = true;
      if (fits) pass_now();
      continue;
    }
    if (do_one_end()) {
      pass_now();
      continue;
    }
    std::vector<StageRow> due;
    for (StageRow s = 0; s < state_.work.stages(); ++s)
      if (state_.plans[s].running && state_.plans[s].due == state_.now) due.push_back(s);
    do_plan_step(*std::ranges::min_element(due, {}, [&](StageRow s) { return state_.stages[s].number; }));
    if (changed_) pass_now();
  }
}

/// Only what lasts is recorded, so once an instant is enough.
void Model::note_eligibility() {
  for (StageRow s = 0; s < state_.work.stages(); ++s) {
    auto& intervals = state_.out.stages[s].eligible;
    const bool open = !intervals.empty() && intervals.back().second.is_never();
    const bool eligible = state_.is_eligible(s);
    if (eligible && !open) {
      if (!intervals.empty() && intervals.back().second == state_.now)
        intervals.back().second = TimePoint::never();
      else
        intervals.emplace_back(state_.now, TimePoint::never());
    } else if (!eligible && open) {
      intervals.back().second = state_.now;
    }
    flavour_.contention |= eligible && !changed_;
    flavour_.left_behind |= state_.phase(s) == Phase::kWaiting && state_.needs_are_met(s) && state_.is_gated(s) &&
                            !state_.under_open_hold(s);
    flavour_.holds |= state_.phase(s) == Phase::kWaiting && state_.needs_are_met(s) && state_.is_gated(s);
  }
}

ModelRun Model::run() {
  Outcome& out = state_.out;
  while (!cohort_has_finished()) {
    const TimePoint next = next_instant();
    if (next.is_never()) {
      for (StageRow s = 0; s < state_.work.stages(); ++s) out.waiting += state_.phase(s) == Phase::kWaiting ? 1 : 0;
      out.status = out.waiting > 0 ? RunStatus::kStalled : RunStatus::kFinished;
      out.end = state_.now;
      break;
    }
    if (measure_.give_up && next.ns > measure_.give_up->ns) {
      out.status = RunStatus::kGaveUp;
      out.end = TimePoint{measure_.give_up->ns};
      break;
    }
    state_.now = next;
    settings_.simultaneous == Simultaneous::kPyss ? pyss_instant() : batch_instant();
    note_eligibility();
    out.end = state_.now;
    if (gives_up_now() && !cohort_has_finished()) {
      out.status = RunStatus::kGaveUp;
      break;
    }
  }
  return {out, flavour_};
}

// --------------------------------------------------------------------------------------------------------- what
// happens

bool Model::do_one_submission(std::uint32_t* which) {
  for (std::uint32_t w = 0; w < state_.work.workflows(); ++w) {
    if (state_.is_submitted(w) || state_.submission_due(w) != state_.now) continue;
    state_.out.submitted_at[w] = state_.now;
    if (state_.work.has_plan(w)) {
      declare(state_.work.plans[static_cast<std::size_t>(state_.work.root_plan[w])].stage);
    } else {
      for (StageRow s = state_.work.first_stage[w]; s < state_.work.first_stage[w + 1]; ++s) declare(s);
    }
    changed_ = true;
    if (which) *which = w;
    return true;
  }
  return false;
}

/// The one that was started first; a plan's end comes from its program, unless its walltime is before that.
bool Model::do_one_end() {
  StageRow first = kNoRow;
  for (StageRow s = 0; s < state_.work.stages(); ++s) {
    const PlanState& plan = state_.plans[s];
    const bool program_over = plan.running && plan.next == plan.ops.size() && plan.due == state_.now;
    if (state_.stages[s].due != state_.now && !program_over) continue;
    if (first == kNoRow || state_.stages[s].start_sequence < state_.stages[first].start_sequence) first = s;
  }
  if (first == kNoRow) return false;
  if (state_.plans[first].running && state_.stages[first].due != state_.now) {
    do_plan_step(first);
    return true;
  }
  const bool fails = state_.fails(first, tries(first) - 1);
  const bool cut = state_.plans[first].running || state_.run_left(first) > state_.limit_left(first);
  end(first, cut ? Phase::kTimedOut : fails ? Phase::kFailed : Phase::kFinished);
  return true;
}

void Model::do_plans() {
  std::vector<StageRow> due;
  for (StageRow s = 0; s < state_.work.stages(); ++s)
    if (state_.plans[s].running && state_.plans[s].due == state_.now) due.push_back(s);
  std::ranges::sort(due, {}, [&](StageRow s) { return state_.stages[s].number; });
  for (StageRow s : due)
    while (state_.plans[s].running && state_.plans[s].due == state_.now)
      if (do_plan_step(s)) break;
}

bool Model::do_plan_step(StageRow row) {
  PlanState& plan = state_.plans[row];
  const PlanProgram& program = state_.work.plans[static_cast<std::size_t>(state_.program(row))];
  if (plan.next == plan.ops.size()) {
    const bool fails = state_.fails(row, tries(row) - 1);
    end(row, fails ? Phase::kFailed : Phase::kFinished);
    return false;
  }
  const PlanProgram::Op op = plan.ops[plan.next++];
  plan.due = plan.due + (plan.next == plan.ops.size() ? program.teardown : plan.ops[plan.next].cost);
  switch (op.kind) {
    case OpKind::kPause:
      break;
    case OpKind::kDeclare:
      if (plan.depth > 0 && settings_.hold_scope == HoldScope::kBlock && !state_.is_declared(op.stage))
        plan.held.insert(op.stage);
      declare(op.stage);
      changed_ = true;
      break;
    case OpKind::kStatic:
      break;  // no case has files
    case OpKind::kHold:
      if (++plan.depth == 1) state_.flag_with_all_below(row);
      break;
    case OpKind::kRelease:
      if (--plan.depth > 0) break;
      state_.flag_with_all_below(row);
      plan.held.clear();
      changed_ = true;
      return settings_.tick.ns == 0;
  }
  return false;
}

void Model::declare(StageRow s) {
  if (state_.is_declared(s)) return;
  state_.stages[s].number = next_number_++;
  state_.out.stages[s].declared_at = state_.now;
  state_.out.stages[s].phase = Phase::kWaiting;
  state_.flag(s);
  if (state_.drained[state_.work.workflow_of[s]] || state_.under_broken_plan(s)) cancel(s);
  cancel_what_is_lost();
}

void Model::cancel(StageRow s) {
  state_.out.stages[s].phase = Phase::kCanceled;
  flavour_.canceled = true;
}

void Model::cancel_what_is_lost() {
  for (bool again = true; again;) {
    again = false;
    for (StageRow s = 0; s < state_.work.stages(); ++s) {
      if (state_.phase(s) != Phase::kWaiting) continue;
      const auto needs = state_.needs(s);
      const bool lost =
          std::ranges::any_of(needs, [&](StageRow n) { return n < state_.work.stages() && state_.is_lost(n); });
      if (!lost) continue;
      cancel(s);
      again = true;
    }
  }
}

void Model::end(StageRow s, Phase how) {
  Attempt& attempt = state_.out.stages[s].attempts.back();
  attempt.end = state_.now;
  attempt.how = how;
  state_.stages[s].due = TimePoint::never();
  state_.stages[s].goes_at = TimePoint::never();
  state_.plans[s].running = false;
  changed_ = true;
  flavour_.timed_out |= how == Phase::kTimedOut;
  const auto tried = static_cast<std::int64_t>(tries(s));
  const std::uint32_t w = state_.work.workflow_of[s];
  if (how != Phase::kFinished && tried <= state_.retry(s)) {
    state_.stages[s].saved = {};
    state_.out.stages[s].phase = Phase::kWaiting;
    flavour_.retried = true;
    if (state_.drained[w]) {
      cancel(s);
      cancel_what_is_lost();
    }
  } else {
    end_for_good(s, how);
  }
  if (state_.workflow_is_over(w)) state_.workflow_ended_at[w] = state_.now;
}

void Model::end_for_good(StageRow s, Phase how) {
  state_.out.stages[s].phase = how;
  if (how == Phase::kFinished) {
    if (state_.is_plan(s)) state_.flag(s);
    return;
  }
  if (state_.is_plan(s)) state_.plans[s].broken = true;
  const std::uint32_t w = state_.work.workflow_of[s];
  if (settings_.on_failure == OnFailure::kDrain) state_.drained[w] = true;
  for (StageRow other = 0; other < state_.work.stages(); ++other) {
    if (state_.phase(other) != Phase::kWaiting) continue;
    const bool below = state_.under_broken_plan(other) && !state_.stages[other].dispatched;
    if (below || state_.drained[state_.work.workflow_of[other]]) cancel(other);
  }
  cancel_what_is_lost();
}

// --------------------------------------------------------------------------------------------------------------- a
// pass

void Model::pass() {
  last_pass_ = state_.now;
  asked_.clear();
  state_.refresh_safety();
  std::vector<StageRow> considered = state_.queue();
  const auto depth = static_cast<std::size_t>(settings_.queue_depth);
  if (depth > 0 && considered.size() > depth) considered.resize(depth);
  while (std::optional<Pick> next = pick(considered)) {
    const std::vector<StageRow> queue = state_.queue();
    const std::vector<Duration> tails = state_.tail_times();
    for (StageRow other : queue)
      flavour_.ties |= other != next->stage && state_.compare(other, next->stage, tails) == 0;
    start(*next);
  }
}

/// The one stage that is started next, seen from scratch; nothing where the pass is over.
std::optional<Model::Pick> Model::pick(const std::vector<StageRow>& considered) {
  state_.refresh_safety();
  std::vector<StageRow> queue = state_.queue();
  if (settings_.queue_depth > 0)
    std::erase_if(queue, [&](StageRow s) { return std::ranges::find(considered, s) == considered.end(); });
  if (policy_.placement == Placement::kConservative) {
    if (!queue.empty() && !state_.first_fit(state_.room_now(), queue.front())) {
      if (!awaits_room(queue.front()))
        if (std::optional<Allocation> where = make_room(queue.front())) return Pick{queue.front(), *where};
      if (awaits_room(queue.front())) return std::nullopt;
    }
    return pick_by_reservations(queue);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (std::optional<Allocation> where = state_.first_fit(state_.room_now(), queue[i])) return Pick{queue[i], *where};
    if (awaits_room(queue[i])) return std::nullopt;
    if (std::optional<Allocation> where = make_room(queue[i])) return Pick{queue[i], *where};
    if (awaits_room(queue[i])) return std::nullopt;
    switch (policy_.placement) {
      case Placement::kGreedy:
        break;
      case Placement::kStrict:
        return std::nullopt;
      case Placement::kEasy:
        return backfill(queue[i], {queue.begin() + static_cast<std::ptrdiff_t>(i) + 1, queue.end()});
      case Placement::kConservative:
        break;
    }
  }
  return std::nullopt;
}

/// Strictly below it, by more than the margin, and for long enough where it is.
bool Model::may_go_for(StageRow victim, StageRow s) const {
  const StageState& its = state_.stages[victim];
  const double difference = static_cast<double>(state_.priority(s) - state_.priority(victim)) / 3.6e12;
  return state_.phase(victim) == Phase::kRunning && state_.preemptible(victim) && its.goes_at.is_never() &&
         !state_.drained[state_.work.workflow_of[victim]] &&
         its.started_at + policy_.preemption_terms.minimum_run <= state_.now &&
         state_.priority(victim) < state_.priority(s) && difference > policy_.preemption_terms.margin;
}

bool Model::awaits_room(StageRow s) const {
  for (StageRow v = 0; v < state_.work.stages(); ++v)
    if (state_.phase(v) == Phase::kRunning && !state_.stages[v].goes_at.is_never() && state_.stages[v].goes_for == s)
      return true;
  return false;
}

std::optional<Allocation> Model::make_room(StageRow s) {
  if (policy_.preemption == Preemption::kOff || !asked_.insert(s).second) return std::nullopt;
  std::vector<StageRow> candidates, gone;
  for (StageRow v = 0; v < state_.work.stages(); ++v) {
    if (may_go_for(v, s)) candidates.push_back(v);
    if (state_.phase(v) == Phase::kRunning && !state_.stages[v].goes_at.is_never()) gone.push_back(v);
  }
  std::ranges::sort(candidates, [&](StageRow a, StageRow b) {
    if (state_.priority(a) != state_.priority(b)) return state_.priority(a) < state_.priority(b);
    if (state_.stages[a].started_at != state_.stages[b].started_at)
      return state_.stages[a].started_at > state_.stages[b].started_at;
    return state_.stages[a].number > state_.stages[b].number;
  });
  const auto fits = [&] { return state_.first_fit(state_.room_without(gone), s).has_value(); };
  std::vector<StageRow> victims;
  for (std::size_t i = 0; i < candidates.size() && !fits(); ++i) {
    gone.push_back(candidates[i]);
    victims.push_back(candidates[i]);
  }
  if (candidates.empty() || !fits()) return std::nullopt;
  for (std::size_t i = victims.size(); i-- > 0;) {
    const StageRow spared = victims[i];
    std::erase(gone, spared);
    if (fits()) {
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
      flavour_.spared = true;
    } else {
      gone.push_back(spared);
    }
  }
  if (victims.empty()) return std::nullopt;
  const Duration grace = policy_.preemption_terms.grace;
  for (const StageRow v : victims) {
    state_.stages[v].goes_for = s;
    if (grace.ns > 0)
      state_.stages[v].goes_at = state_.now + grace;
    else
      displace(v);
  }
  flavour_.told |= grace.ns > 0;
  return grace.ns > 0 ? std::nullopt : state_.first_fit(state_.room_now(), s);
}

void Model::displace(StageRow s) {
  StageState& stage = state_.stages[s];
  Attempt& attempt = state_.out.stages[s].attempts.back();
  attempt.end = state_.now;
  attempt.how = Phase::kPreempted;
  const Duration ran = state_.now - stage.started_at;
  if (policy_.preemption == Preemption::kSuspend)
    stage.saved += ran;
  else if (!state_.work.checkpoint.empty() && !state_.work.checkpoint[s].is_infinite())
    stage.saved += state_.work.checkpoint[s] * (ran.ns / state_.work.checkpoint[s].ns);
  if (!stage.goes_at.is_never()) changed_ = true;  // else it went in a pass
  stage.due = stage.goes_at = TimePoint::never();
  state_.out.stages[s].phase = Phase::kWaiting;
  flavour_.preempted = true;
  if (state_.drained[state_.work.workflow_of[s]]) cancel(s);
  cancel_what_is_lost();
  const std::uint32_t w = state_.work.workflow_of[s];
  if (state_.workflow_is_over(w)) state_.workflow_ended_at[w] = state_.now;  // it was canceled, being drained
}

std::optional<Model::Pick> Model::backfill(StageRow head, std::vector<StageRow> candidates) {
  if (policy_.backfill == Backfill::kShortest)
    std::ranges::stable_sort(candidates, {}, [&](StageRow s) { return state_.estimate(s).ns; });
  const std::vector<State::Claim> running = state_.claims_of_running();
  const auto time_of_head = [&](const std::vector<State::Claim>& claims) {
    const std::optional<State::Claim> its = state_.earliest(head, claims);
    return its ? its->from : TimePoint::never();
  };
  const TimePoint reserved = time_of_head(running);
  for (StageRow s : candidates) {
    for (const Allocation& where : state_.all_fits(state_.room_now(), s)) {
      std::vector<State::Claim> with_it = running;
      with_it.push_back(state_.claim(s, where, state_.now));
      if (time_of_head(with_it) == reserved) {
        flavour_.backfilled = true;
        return Pick{s, where};
      }
      flavour_.delayed = true;
    }
  }
  return std::nullopt;
}

/// Every reservation again, after each start.
std::optional<Model::Pick> Model::pick_by_reservations(const std::vector<StageRow>& queue) {
  std::vector<State::Claim> claims = state_.claims_of_running();
  for (StageRow s : queue) {
    const std::optional<State::Claim> its = state_.earliest(s, claims);
    const bool is_now = its && its->from == state_.now;
    flavour_.backfilled |= is_now && s != queue.front();
    flavour_.delayed |= !is_now && state_.first_fit(state_.room_now(), s);
    if (is_now) return Pick{s, its->where};
    if (its) claims.push_back(*its);
  }
  return std::nullopt;
}

void Model::start(const Pick& pick) {
  const StageRow s = pick.stage;
  Attempt attempt;
  attempt.start = state_.now;
  attempt.tail_time = state_.tail_times()[s];
  for (const Share& share : pick.where) attempt.nodes.push_back(NodeId{static_cast<std::uint32_t>(share.node)});
  state_.out.stages[s].attempts.push_back(attempt);
  state_.out.stages[s].phase = Phase::kRunning;
  state_.out.start_order.push_back(s);
  StageState& stage = state_.stages[s];
  stage.dispatched = true;
  stage.allocation = pick.where;
  stage.start_sequence = next_start_++;
  stage.started_at = state_.now;
  if (state_.is_plan(s))
    start_plan(s);
  else
    stage.due = saturating_add(state_.now, std::min(state_.run_left(s), state_.limit_left(s)));
}

void Model::start_plan(StageRow s) {
  const PlanProgram& program = state_.work.plans[static_cast<std::size_t>(state_.program(s))];
  PlanState plan;
  plan.running = true;
  Duration length = program.startup + program.teardown;
  for (const PlanProgram::Op& op : program.ops) {
    const bool of_a_hold = op.kind == OpKind::kHold || op.kind == OpKind::kRelease;
    if (of_a_hold && policy_.hold == HoldRule::kIgnore) continue;
    plan.ops.push_back(op);
    length += op.cost;
  }
  plan.due = state_.now + program.startup + (plan.ops.empty() ? program.teardown : plan.ops.front().cost);
  state_.plans[s] = plan;
  if (length > state_.walltime(s)) state_.stages[s].due = state_.now + state_.walltime(s);
}

}  // namespace

ModelRun run_model(const Case& c) { return Model(c).run(); }

}  // namespace headroom::oracle
