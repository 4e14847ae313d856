// Decisions: one pass over the queue, one start at a time.
#include <algorithm>
#include <array>

#include "policies/check.h"
#include "policies/scheduler.h"

namespace headroom {
namespace {

constexpr int kKindShift = 62;
constexpr std::uint64_t kTieMask = (std::uint64_t{1} << kKindShift) - 1;

/// The first tie in 62 bits, in the same order; what does not fit is cut, and looked up when equal.
std::uint64_t cut(std::int64_t value) {
  constexpr std::int64_t kHalf = std::int64_t{1} << (kKindShift - 1);
  return static_cast<std::uint64_t>(std::clamp(value, -kHalf, kHalf - 1) + kHalf) & kTieMask;
}

constexpr std::array<Reason, 8> kReasonOfTie{Reason::kTailTime, Reason::kDeclaration, Reason::kSubmitTime,
                                             Reason::kShortest, Reason::kLongest,     Reason::kLargest,
                                             Reason::kSmallest, Reason::kRandom};

}  // namespace

std::int64_t Scheduler::tie_value(Tie tie, StageId stage) const {
  const auto cores = [&] {
    const Demand& demand = cluster_.demand(stages_[stage.value].demand);
    return demand.spread ? demand.cores : demand.cores * demand.nodes;
  };
  switch (tie) {
    case Tie::kTailTime:
      return -graph_.tail(stage).ns;
    case Tie::kSubmitTime:
      return workflows_[stages_[stage.value].workflow.value].created_at.ns;
    case Tie::kShortest:
      return graph_.estimate(stage).ns;
    case Tie::kLongest:
      return -graph_.estimate(stage).ns;
    case Tie::kLargest:
      return -cores();
    case Tie::kSmallest:
      return cores();
    case Tie::kRandom:
      return static_cast<std::int64_t>(tie_draw_[stage.value] >> 2);
    case Tie::kDeclaration:
      break;
  }
  return stage.value;
}

bool Scheduler::Ties::before(StageId a, StageId b) const {
  for (const Tie tie : scheduler_.options_.policy.ties) {
    const std::int64_t x = scheduler_.tie_value(tie, a);
    const std::int64_t y = scheduler_.tie_value(tie, b);
    if (x != y) return x < y;
  }
  return a < b;
}

Reason Scheduler::Ties::rung(StageId a, StageId b) const {
  for (const Tie tie : scheduler_.options_.policy.ties)
    if (scheduler_.tie_value(tie, a) != scheduler_.tie_value(tie, b))
      return kReasonOfTie[static_cast<std::size_t>(tie)];
  return Reason::kDeclaration;
}

void Scheduler::Evaluation::operator()(std::span<ReadyEntry> entries, TimePoint now) const {
  if (!scheduler_.rule_->has_columns()) {
    StageInputs buffer;
    for (ReadyEntry& entry : entries) {
      entry.priority = descending_key(scheduler_.rule_->value(scheduler_.inputs(entry.stage, buffer), now));
      if (entry.priority == kUnrankedKey) scheduler_.note_unranked(entry.stage, now);
    }
    return;
  }
  stages_.clear();
  for (const ReadyEntry& entry : entries) stages_.push_back(entry.stage);
  values_.resize(entries.size());
  const std::int64_t queued = scheduler_.pass_queue_.value_or(static_cast<std::int64_t>(entries.size()));
  scheduler_.rule_->values(stages_, now, queued, values_);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].priority = descending_key(values_[i]);
    if (entries[i].priority == kUnrankedKey) scheduler_.note_unranked(entries[i].stage, now);
  }
}

Motion Scheduler::StageMotions::of(StageId stage, TimePoint now) const {
  StageInputs buffer;
  const Motion motion = scheduler_.rule_->motion(scheduler_.inputs(stage, buffer), now);
  if (motion.slope == 0 && motion.at_zero == value_of(kUnrankedKey)) scheduler_.note_unranked(stage, now);
  return motion;
}

void Scheduler::note_unranked(StageId stage, TimePoint now) {
  if (is_unranked_.size() <= stage.value) is_unranked_.resize(std::max(stage.value + std::size_t{1}, stages_.size()));
  if (is_unranked_[stage.value]) return;
  is_unranked_[stage.value] = true;
  if (++unranked_.stages > 1) return;
  StageInputs buffer;
  unranked_.first = stage;
  unranked_.at = now;
  unranked_.why = rule_->why_unranked(inputs(stage, buffer), now);
}

PriorityInputs Scheduler::inputs(StageId stage, StageInputs& buffer) const {
  PriorityInputs in = inputs(stages_[stage.value].workflow);
  in.queued = pass_queue_.value_or(static_cast<std::int64_t>(queue_->size()));
  if (!rule_->needs_stage()) return in;
  const Demand& demand = cluster_.demand(stages_[stage.value].demand);
  buffer = {graph_.estimate(stage), graph_.tail(stage),    demand.cores, demand.memory, demand.gpus,
            ready_at_[stage.value], attempts_[stage.value]};
  in.stage = &buffer;
  return in;
}

/// Into the queue. Its key depends on what is known now; erase it before that changes.
void Scheduler::enqueue(StageId stage) {
  if (rule_->has_columns()) {
    StageInputs buffer;
    rule_->prepare(stage, inputs(stage, buffer));
  }
  const ReadyEntry queued = entry(stage);
  if (queued.priority == kUnrankedKey) note_unranked(stage, clock_);
  queue_->insert(queued);
}

ReadyEntry Scheduler::entry(StageId stage) const {
  ReadyEntry entry;
  if (!has_one_key_ && rule_->kind() == OrderKind::kStatic) {
    StageInputs buffer;
    entry.priority = rule_->needs_stage() ? rule_->exact_key(inputs(stage, buffer))
                                          : rule_->exact_key(inputs(stages_[stage.value].workflow));
  }
  entry.second = static_cast<std::uint64_t>(stages_[stage.value].kind) << kKindShift;
  if (!options_.policy.ties.empty()) entry.second |= cut(tie_value(options_.policy.ties.front(), stage));
  entry.stage = stage;
  entry.demand = stages_[stage.value].demand;
  return entry;
}

void Scheduler::update_tails() {
  if (graph_.up_to_date()) return;
  const auto is_queued = [&](StageId stage) { return stages_[stage.value].status == StageStatus::kEligible; };
  graph_.update(
      [&](StageId stage) {
        if (is_queued(stage)) queue_->erase(entry(stage));
      },
      [&](StageId stage) {
        if (is_queued(stage)) enqueue(stage);
      });
}

Reason Scheduler::reason_over_next(const ReadyEntry& chosen) {
  const ReadyEntry* next = queue_->next(chosen);
  if (next == nullptr) return Reason::kAlone;
  // It starts before long, and was last touched when it came.
  __builtin_prefetch(&stages_[next->stage.value]);
  graph_.prefetch(next->stage);
  likely_next_ = next->stage;
  if (next->priority != chosen.priority) return Reason::kPriority;
  if ((next->second ^ chosen.second) >> kKindShift != 0) return Reason::kKind;
  return ties_.rung(chosen.stage, next->stage);
}

void Scheduler::start(const ReadyEntry& chosen, Allocation allocation, Reason reason, TimePoint now) {
  const StageId stage = chosen.stage;
  queue_->erase(chosen);
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(running_.size());
    running_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Running& running = running_[slot];
  running.stage = stage;
  running.started_at = now;
  running.expected_end = saturating_add(now, believed_length(stage));
  running.allocation = std::move(allocation);
  running.gone = false;
  stages_[stage.value].status = StageStatus::kRunning;
  stages_[stage.value].dispatched = true;
  if (rule_->needs_queue()) start_priorities_.push_back(effective_priority(stage, now));
  if (rule_->needs_stage()) ++attempts_[stage.value];
  stages_[stage.value].blockers = slot;
  if (keeps_expected_ends()) {
    const ExpectedEnd end{running.expected_end, stage, chosen.demand, &running.allocation};
    expected_ends_.insert(std::ranges::lower_bound(expected_ends_, end, later_end), end);
  }
  starts_.push_back({stage, reason, running.allocation.first});
}

std::span<const Start> Scheduler::pass(TimePoint now) {
  starts_.clear();
  displacements_.clear();
  displaced_now_.clear();
  if (safety_ != nullptr && cluster_.free_cores() > 0) safety_->settle();
  update_tails();
  changed_ = false;
  clock_ = now;
  next_crossing_ = TimePoint::never();
  if (queue_->size() == 0) return starts_;
  queue_->begin_pass(now);
  start_priorities_.clear();
  pass_queue_ = static_cast<std::int64_t>(queue_->size());
  if (preempts()) gather_candidates(now);
  ReadyEntry deepest;
  const ReadyEntry* last = nullptr;
  if (options_.queue_depth > 0) {
    if (const ReadyEntry* found = queue_->nth(static_cast<std::size_t>(options_.queue_depth))) {
      deepest = *found;
      last = &deepest;
    }
  }
  ReadyEntry head;
  switch (options_.policy.placement) {
    case Placement::kGreedy:
      preempts() ? pass_displacing(now, last) : pass_greedy(now, last);
      break;
    case Placement::kStrict:
      pass_in_order(now, last, head);
      break;
    case Placement::kEasy:
      if (pass_in_order(now, last, head)) pass_beside(head, now, last);
      break;
    case Placement::kConservative:
      if (pass_in_order(now, last, head)) pass_by_reservations(head, now, last);
      break;
  }
  pass_queue_.reset();
  for (const StageId stage : displaced_now_) enqueue(stage);
  if (rule_->kind() == OrderKind::kPiecewise) next_crossing_ = crossing_after_pass();
  if (preempts()) next_crossing_ = std::min(next_crossing_, wake_after_pass(now));
  return starts_;
}

/// A greedy pass leaves nothing that fits, so that only who is looked at can matter; strict and EASY placement ask who
/// is first, conservative placement asks for the whole order.
TimePoint Scheduler::crossing_after_pass() {
  if (options_.queue_depth > 0) return queue_->next_change(static_cast<std::size_t>(options_.queue_depth));
  switch (options_.policy.placement) {
    case Placement::kGreedy:
      break;
    case Placement::kStrict:
    case Placement::kEasy:
      return queue_->next_change(1);
    case Placement::kConservative:
      return queue_->next_change(0);
  }
  return TimePoint::never();
}

bool Scheduler::pass_in_order(TimePoint now, const ReadyEntry* last, ReadyEntry& head) {
  while (const ReadyEntry* front = queue_->front()) {
    if (last != nullptr && order_(*last, *front)) return false;
    head = *front;
    Allocation allocation;
    if (cluster_.place(head.demand, allocation)) {
      start(head, std::move(allocation), reason_over_next(head), now);
      continue;
    }
    if (awaits_room(head.stage)) return false;
    const std::vector<std::size_t> victims = preempts() ? victims_for(head, now) : std::vector<std::size_t>{};
    if (victims.empty()) return true;
    if (options_.policy.preemption_terms.grace > Duration{}) {
      tell_to_go(victims, head.stage, now);
      return false;
    }
    start_in_their_place(victims, head, now);
  }
  return false;
}

void Scheduler::pass_greedy(TimePoint now, const ReadyEntry* last, const ReadyEntry* after) {
  class TryToPlace final : public Accept {
   public:
    explicit TryToPlace(Cluster& cluster) : cluster_(cluster) {}
    bool operator()(const ReadyEntry& entry) override { return cluster_.place(entry.demand, allocation); }
    Allocation allocation;

   private:
    Cluster& cluster_;
  } place(cluster_);

  // What was passed over does not fit on what is left either, so the search goes on from the last start; while nothing
  // was, that is the front.
  ReadyEntry chosen;
  const ReadyEntry* const first = after != nullptr ? queue_->front() : nullptr;
  bool passed_over = first != nullptr && order_(*first, *after);
  for (;;) {
    FitBound bound;
    bound.free = cluster_.free_bound();
    // While all of the queue is considered its front is had without a search, and most often it fits.
    const ReadyEntry* found = after == nullptr && last == nullptr ? queue_->front() : nullptr;
    if (found == nullptr || !covers(bound.free, cluster_.amount(found->demand)) || !place(*found))
      found = queue_->find(after, last, bound, place);
    if (found == nullptr) return;
    chosen = *found;
    passed_over = passed_over || !queue_->is_front(chosen);
    const Reason reason = passed_over ? Reason::kFitted : reason_over_next(chosen);
    start(chosen, std::move(place.allocation), reason, now);
    if (passed_over || after != nullptr) after = &chosen;
  }
}

void Scheduler::pass_beside(const ReadyEntry& head, TimePoint now, const ReadyEntry* last) {
  class TryBeside final : public Accept {
   public:
    TryBeside(Cluster& cluster, Reservation& reservation, const StageGraph& graph, TimePoint now)
        : cluster_(cluster), reservation_(reservation), graph_(graph), now_(now) {}
    bool operator()(const ReadyEntry& entry) override {
      const Duration lasts = std::max(graph_.estimate(entry.stage), Duration::nanoseconds(1));
      return reservation_.place_beside(cluster_, entry.demand, saturating_add(now_, lasts), allocation);
    }
    Allocation allocation;

   private:
    Cluster& cluster_;
    Reservation& reservation_;
    const StageGraph& graph_;
    TimePoint now_;
  } place(cluster_, reservation_, graph_, now);

  if (queue_->next(head) == nullptr) return;
  reservation_.make(cluster_, head.demand, expected_ends_, now);
  const auto bound = [&] {
    FitBound limits;
    limits.free = cluster_.free_bound();
    limits.spare_time = reservation_.at().is_never() ? Duration::infinite() : reservation_.at() - now;
    limits.spare = reservation_.spare();
    return limits;
  };
  if (options_.policy.backfill == Backfill::kShortest) {
    std::vector<ReadyEntry> candidates = candidates_by_estimate(head, last, bound());
    for (std::size_t i = 0; i < candidates.size();) {
      if (stages_[candidates[i].stage.value].status != StageStatus::kEligible || !place(candidates[i])) {
        ++i;
        continue;
      }
      start(candidates[i], std::move(place.allocation), Reason::kBackfilled, now);
      i = reservation_.take_second_chance() ? 0 : i + 1;
    }
    return;
  }
  ReadyEntry chosen = head;
  while (const ReadyEntry* found = queue_->find(&chosen, last, bound(), place)) {
    chosen = *found;
    start(chosen, std::move(place.allocation), Reason::kBackfilled, now);
    if (reservation_.take_second_chance()) chosen = head;
  }
}

// While nothing waits, free resources only grow with time, so that "fits now" and "has its earliest time now" are the
// same: pass_in_order() has done that part. From `head` on, what decides is the reservations of all that is ranked
// before; but nothing is kept, so only those count that are ranked before something that could still start.
// Reservations only take: what cannot start now beside some of them cannot beside more. So the search for the next that
// could start may look past the others, and where it finds none the rest of the queue needs no reservations at all.
void Scheduler::pass_by_reservations(const ReadyEntry& head, TimePoint now, const ReadyEntry* last) {
  class FitsNow final : public Accept {
   public:
    explicit FitsNow(const Scheduler& scheduler) : scheduler_(scheduler) {}
    bool operator()(const ReadyEntry& entry) override { return scheduler_.cluster_.fits(entry.demand); }

   private:
    const Scheduler& scheduler_;
  } fits_now(*this);
  class CouldStart final : public Accept {
   public:
    explicit CouldStart(const Scheduler& scheduler) : scheduler_(scheduler) {}
    bool operator()(const ReadyEntry& entry) override {
      return scheduler_.outlook_.fits_from_now(entry.demand, scheduler_.believed_length(entry.stage));
    }

   private:
    const Scheduler& scheduler_;
  } could_start(*this);
  /// Gives reservations to all before `goal`, for as long as that could start; `reached`: the last one asked about.
  class ReserveBefore final : public Accept {
   public:
    ReserveBefore(Scheduler& scheduler, const ReadyEntry& goal, CouldStart& could_start)
        : scheduler_(scheduler), goal_(goal), could_start_(could_start) {}
    bool operator()(const ReadyEntry& entry) override {
      if (entry.stage == goal_.stage) return true;
      scheduler_.outlook_.reserve(entry.demand, scheduler_.believed_length(entry.stage), where_);
      return !could_start_(goal_);
    }

   private:
    Scheduler& scheduler_;
    const ReadyEntry& goal_;
    CouldStart& could_start_;
    Allocation where_;
  };

  FitBound bound;
  bound.free = cluster_.free_bound();
  if (queue_->find(&head, last, bound, fits_now) == nullptr) return;
  Allocation where;
  outlook_.make(cluster_, expected_ends_, now);
  const TimePoint promised = outlook_.reserve(head.demand, believed_length(head.stage), where);
  FitBound everything;
  everything.free = {INT64_MAX, INT64_MAX, INT64_MAX};
  ReadyEntry done = head;  // all up to it have what they get
  for (;;) {
    bound.free = cluster_.free_bound();
    if (!promised.is_never()) {
      bound.spare_time = promised - now;
      bound.spare = outlook_.most_free(promised);
    }
    const ReadyEntry* found = queue_->find(&done, last, bound, could_start);
    if (found == nullptr) return;
    const ReadyEntry goal = *found;
    ReserveBefore reserve_before(*this, goal, could_start);
    done = *queue_->find(&done, last, everything, reserve_before);
    if (done.stage != goal.stage) continue;
    const TimePoint at = outlook_.reserve(goal.demand, believed_length(goal.stage), where);
    HEADROOM_CHECK(at == now, "a stage that could start got a later time");
    cluster_.take(goal.demand, where);
    start(goal, std::move(where), Reason::kBackfilled, now);
  }
}

std::vector<ReadyEntry> Scheduler::candidates_by_estimate(const ReadyEntry& head, const ReadyEntry* last,
                                                          const FitBound& bound) {
  class Gather final : public Accept {
   public:
    bool operator()(const ReadyEntry& entry) override {
      entries.push_back(entry);
      return false;
    }
    std::vector<ReadyEntry> entries;
  } gather;
  queue_->find(&head, last, bound, gather);
  std::ranges::stable_sort(gather.entries, {}, [&](const ReadyEntry& e) { return graph_.estimate(e.stage); });
  return std::move(gather.entries);
}

}  // namespace headroom
