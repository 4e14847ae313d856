// Decisions: who has to go for the sake of whom. The choice among those who may go is made in preemption.h.
#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/check.h"
#include "policies/preemption.h"
#include "policies/scheduler.h"

namespace headroom {

/// Looks at what is queued, in order, until one can start, in a free place or in that of others.
class Scheduler::PlaceOrDisplace final : public Accept {
 public:
  PlaceOrDisplace(Scheduler& scheduler, TimePoint now) : scheduler_(scheduler), now_(now) {}

  bool operator()(const ReadyEntry& entry) override {
    if (scheduler_.cluster_.place(entry.demand, allocation)) return true;
    if (scheduler_.awaits_room(entry.stage)) return blocked = true;
    if (scheduler_.candidates_below(entry.stage, now_) == 0) {
      if (!scheduler_.on_their_way_out_.empty()) return passed(entry);  // somebody behind it may await room
      nobody_below = true;
      return true;
    }
    victims = scheduler_.victims_for(entry, now_);
    if (victims.empty()) return passed(entry);
    if (scheduler_.options_.policy.preemption_terms.grace == Duration{}) return true;
    scheduler_.tell_to_go(victims, entry.stage, now_);
    return blocked = true;
  }

  Allocation allocation;
  std::vector<std::size_t> victims;
  bool nobody_below = false;  ///< of it and of all behind it
  bool blocked = false;       ///< it awaits the room of others: the pass is over
  ReadyEntry last_passed;
  bool any_passed = false;

 private:
  bool passed(const ReadyEntry& entry) {
    last_passed = entry;
    any_passed = true;
    return false;
  }

  Scheduler& scheduler_;
  TimePoint now_;
};

ExactKey Scheduler::key_at(StageId stage, TimePoint now) const {
  StageInputs buffer;
  const PriorityInputs in = inputs(stage, buffer);
  switch (rule_->kind()) {
    case OrderKind::kStatic:
      return rule_->exact_key(in);
    case OrderKind::kPiecewise: {
      const Motion motion = rule_->motion(in, now);
      return key_of(motion.slope * now.ns + motion.at_zero);
    }
    case OrderKind::kRecomputed:
      break;
  }
  return descending_key(rule_->value(in, now));
}

/// Lowest priority first, then the youngest start, then the larger declaration number.
void Scheduler::gather_candidates(TimePoint now) {
  candidates_.clear();
  const PreemptionTerms& terms = options_.policy.preemption_terms;
  for (const Running& running : running_) {
    if (!is_taken(running) || running.gone) continue;
    const Stage& stage = stages_[running.stage.value];
    if (!stage.preemptible || workflows_[stage.workflow.value].drained) continue;
    if (saturating_add(running.started_at, terms.minimum_run) > now) continue;
    if (must_go(running.stage)) continue;
    candidates_.push_back(
        {running.stage, key_at(running.stage, now), effective_priority(running.stage, now), running.started_at});
  }
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
    if (a.key != b.key) return b.key < a.key;
    if (a.started_at != b.started_at) return b.started_at < a.started_at;
    return b.stage < a.stage;
  });
}

std::size_t Scheduler::candidates_below(StageId stage, TimePoint now) const {
  const ExactKey own = key_at(stage, now);
  const double margin = options_.policy.preemption_terms.margin;
  const double bar = margin > 0 ? effective_priority(stage, now) - margin : 0;
  const auto end = std::ranges::find_if_not(candidates_, [&](const Candidate& candidate) {
    return own < candidate.key && (margin == 0 || candidate.priority < bar);
  });
  return static_cast<std::size_t>(end - candidates_.begin());
}

std::vector<std::size_t> Scheduler::victims_for(const ReadyEntry& wanted, TimePoint now) const {
  const std::size_t below = candidates_below(wanted.stage, now);
  if (below == 0) return {};
  std::vector<Occupant> occupants;
  // Who was told to go makes room in any case, so it is the first to be taken; if that is enough nobody else goes.
  for (const OnItsWay& one : on_their_way_out_)
    occupants.push_back({&cluster_.demand(stages_[one.victim.value].demand), &allocation_of(one.victim)});
  const std::size_t on_their_way_out = occupants.size();
  for (std::size_t i = 0; i < below; ++i)
    occupants.push_back(
        {&cluster_.demand(stages_[candidates_[i].stage.value].demand), &allocation_of(candidates_[i].stage)});
  const auto victims = choose_victims(cluster_.demand(wanted.demand), cluster_.free(), cluster_.free_pools(), occupants,
                                      cluster_.closed(), on_their_way_out);
  if (!victims) return {};
  std::vector<std::size_t> found;
  for (const std::size_t victim : *victims) found.push_back(victim - on_their_way_out);
  return found;
}

void Scheduler::tell_to_go(const std::vector<std::size_t>& victims, StageId preemptor, TimePoint now) {
  const TimePoint at = saturating_add(now, options_.policy.preemption_terms.grace);
  for (auto victim = victims.rbegin(); victim != victims.rend(); ++victim) {
    const StageId stage = candidates_[*victim].stage;
    displacements_.push_back({stage, preemptor, at, starts_.size()});
    on_their_way_out_.push_back({stage, preemptor});
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(*victim));
  }
}

void Scheduler::start_in_their_place(const std::vector<std::size_t>& victims, const ReadyEntry& chosen, TimePoint now) {
  std::vector<StageId> displaced;
  for (const std::size_t victim : victims) displaced.push_back(candidates_[victim].stage);
  for (auto victim = victims.rbegin(); victim != victims.rend(); ++victim)
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(*victim));
  for (const StageId stage : displaced) {
    displacements_.push_back({stage, chosen.stage, now, starts_.size()});
    give_back(stage);
    stages_[stage.value].status = StageStatus::kBlocked;
  }
  Allocation allocation;
  HEADROOM_CHECK(cluster_.place(chosen.demand, allocation), "no place for stage " + std::to_string(chosen.stage.value));
  const ReadyEntry started = chosen;
  start(started, std::move(allocation), Reason::kPreempting, now);
  for (const StageId stage : displaced) {
    stages_[stage.value].status = StageStatus::kEligible;
    if (rule_->needs_stage()) ready_at_[stage.value] = now;
    // With a depth, the best at the beginning of the pass are looked at: it is none of them.
    if (options_.queue_depth > 0)
      displaced_now_.push_back(stage);
    else
      enqueue(stage);
  }
  queue_->begin_pass(now);  // a queue that evaluates has newcomers to evaluate
}

/// By its whole estimate from here on, a suspension too: what a displaced try has kept is the driver's business.
void Scheduler::displace(StageId stage) {
  HEADROOM_CHECK(must_go(stage), "stage " + std::to_string(stage.value) + " was not told to go");
  try_again(stage);
}

void Scheduler::pass_displacing(TimePoint now, const ReadyEntry* last) {
  ReadyEntry chosen;
  const ReadyEntry* after = nullptr;
  while (!candidates_.empty() || !on_their_way_out_.empty()) {
    PlaceOrDisplace look(*this, now);
    const ReadyEntry* found = queue_->find(after, last, FitBound{{INT64_MAX, INT64_MAX, INT64_MAX}}, look);
    if (found == nullptr || look.blocked) return;
    const bool is_first = after == nullptr && !look.any_passed && queue_->is_front(*found);
    if (look.nobody_below) {
      if (look.any_passed) {
        chosen = look.last_passed;
        after = &chosen;
      }
      break;
    }
    const ReadyEntry next = *found;
    if (look.victims.empty())
      start(next, std::move(look.allocation), is_first ? reason_over_next(next) : Reason::kFitted, now);
    else
      start_in_their_place(look.victims, next, now);
    chosen = next;
    after = &chosen;
  }
  pass_greedy(now, last, after);
}

/// When time alone makes a victim of somebody that runs: at the end of its minimum run, or where its priority is
/// crossed by that of something queued. A recomputed priority is looked at when there is a pass.
TimePoint Scheduler::wake_after_pass(TimePoint now) {
  TimePoint next = TimePoint::never();
  if (queue_->size() == 0) return next;
  const Duration minimum = options_.policy.preemption_terms.minimum_run;
  std::vector<Motion> running;
  for (const Running& slot : running_) {
    if (!is_taken(slot) || slot.gone || !stages_[slot.stage.value].preemptible) continue;
    const TimePoint due = saturating_add(slot.started_at, minimum);
    if (due > now) next = std::min(next, due);
    StageInputs buffer;
    if (rule_->kind() == OrderKind::kPiecewise) running.push_back(rule_->motion(inputs(slot.stage, buffer), now));
  }
  if (running.empty()) return next;

  class Crossings final : public Accept {
   public:
    Crossings(const Scheduler& scheduler, const std::vector<Motion>& running, TimePoint now)
        : scheduler_(scheduler),
          running_(running),
          now_(now),
          margin_(in_keys(scheduler.options_.policy.preemption_terms.margin, scheduler.rule_->unit())) {}
    bool operator()(const ReadyEntry& entry) override {
      StageInputs buffer;
      const Motion own = scheduler_.rule_->motion(scheduler_.inputs(entry.stage, buffer), now_);
      for (const Motion& other : running_) {
        // Lines hold until one of them bends: there is another look then.
        next = std::min({next, own.until, other.until});
        const KeyInt gap = (own.slope * now_.ns + own.at_zero) - (other.slope * now_.ns + other.at_zero) + margin_;
        const KeyInt closing = other.slope - own.slope;
        if (gap < 0 || closing <= 0) continue;  // above it by the margin already, or never before the bend
        const KeyInt after = gap / closing + 1;
        if (after < TimePoint::never().ns - now_.ns)
          next = std::min(next, now_ + Duration{static_cast<std::int64_t>(after)});
      }
      return false;
    }
    TimePoint next = TimePoint::never();

   private:
    /// Rounded up; what is beyond all keys is never reached.
    static KeyInt in_keys(double margin, KeyInt unit) {
      const long double keys = std::ceil(static_cast<long double>(margin) * static_cast<long double>(unit));
      constexpr long double kMost = 0x1p125L;
      return keys < kMost ? static_cast<KeyInt>(keys) : KeyInt{1} << 125;
    }

    const Scheduler& scheduler_;
    const std::vector<Motion>& running_;
    TimePoint now_;
    KeyInt margin_;
  } crossings(*this, running, now);
  queue_->find(nullptr, nullptr, FitBound{{INT64_MAX, INT64_MAX, INT64_MAX}}, crossings);
  return std::min(next, crossings.next);
}

}  // namespace headroom
