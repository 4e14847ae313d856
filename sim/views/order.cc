#include "sim/views/order.h"

#include <algorithm>

#include "policies/ready_queue.h"

namespace headroom::views {

bool is_gated_at(const StageFacts& stage, TimePoint t) {
  return std::ranges::any_of(stage.gates, [&](const auto& gate) { return gate.first <= t && t < gate.second; });
}

bool waits_at(const StageFacts& stage, TimePoint t) {
  if (stage.canceled_at <= t || is_gated_at(stage, t)) return false;
  return std::ranges::any_of(
      stage.attempts, [&](const AttemptFacts& attempt) { return attempt.eligible_at <= t && attempt.started_at >= t; });
}

Order::Order(const History& history) : h_(history), events_(history.workflows.size()) {
  for (const PriorityEvent& event : history.priority_events) events_[event.workflow].push_back(event);
}

PriorityInputs Order::inputs(std::uint32_t stage, TimePoint t) const {
  const StageFacts& of = h_.stages[stage];
  PriorityInputs inputs = h_.workflows[of.workflow].inputs;
  const auto apply = [&](const PriorityEvent& event) {
    std::int64_t* const targets[] = {&inputs.workflow, &inputs.organization, &inputs.account, &inputs.user};
    *targets[event.factor] = event.new_value;
  };
  for (const PriorityEvent& event : events_[of.workflow]) {
    if (event.at > t) break;
    // What changed its workflow before it was declared is in what it was declared with.
    if (event.at < of.declared_at || event.stage == static_cast<std::int64_t>(stage)) apply(event);
  }
  return inputs;
}

double Order::value(std::uint32_t stage, TimePoint t, const PriorityInputs* given) const {
  return h_.rule->value(filled(stage, t, given), t);
}

PriorityInputs Order::filled(std::uint32_t stage, TimePoint t, const PriorityInputs* given) const {
  PriorityInputs of = given != nullptr ? *given : inputs(stage, t);
  if (h_.rule->needs_queue()) of.queued = queue_length(t);
  if (!h_.rule->needs_stage()) return of;
  buffer_ = stage_inputs(stage, t);
  of.stage = &buffer_;
  return of;
}

StageInputs Order::stage_inputs(std::uint32_t stage, TimePoint t) const {
  const StageFacts& of = h_.stages[stage];
  StageInputs in;
  in.estimate = of.estimate;
  in.tail_time = tail(stage, t);
  in.cores = of.demand.cores;
  in.memory = of.demand.memory;
  in.gpus = of.demand.gpus;
  in.ready_at = of.declared_at;
  for (const AttemptFacts& attempt : of.attempts) {
    if (attempt.eligible_at <= t) in.ready_at = std::max(in.ready_at, attempt.eligible_at);
    in.attempt += attempt.started_at < t ? 1 : 0;
  }
  for (const auto& [from, to] : of.gates)
    if (to <= t) in.ready_at = std::max(in.ready_at, to);
  return in;
}

std::int64_t Order::queue_length(TimePoint t) const {
  const auto [at, is_new] = queue_lengths_.try_emplace(t, 0);
  if (is_new)
    at->second = std::ranges::count_if(h_.stages, [&](const StageFacts& stage) { return waits_at(stage, t); });
  return at->second;
}

const std::map<std::uint32_t, Duration>& Order::tails_of(std::uint32_t workflow, TimePoint t) const {
  const auto [at, is_new] = tails_.try_emplace({workflow, t});
  if (!is_new) return at->second;
  std::map<std::uint32_t, Duration>& tails = at->second;
  std::vector<std::uint32_t> stages;
  for (const std::uint32_t stage : h_.workflows[workflow].stages)
    if (h_.stages[stage].declared_at <= t) stages.push_back(stage);
  // Raised until nothing changes: graphs of plans may point backwards, so no order of the numbers helps.
  for (const std::uint32_t stage : stages) tails[stage] = h_.stages[stage].estimate;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      Duration longest;
      for (const std::uint32_t consumer : h_.stages[*stage].consumers) {
        const auto found = tails.find(consumer);
        if (found != tails.end()) longest = std::max(longest, found->second);
      }
      const std::int64_t own = h_.stages[*stage].estimate.ns;
      std::int64_t sum = 0;
      const Duration tail = __builtin_add_overflow(own, longest.ns, &sum) ? Duration::infinite() : Duration{sum};
      Duration& known = tails[*stage];
      changed |= tail > known;
      known = std::max(known, tail);
    }
  }
  return tails;
}

Duration Order::tail(std::uint32_t stage, TimePoint t) const {
  const StageFacts& of = h_.stages[stage];
  if (of.consumers.empty()) return of.estimate;
  const WorkflowFacts& workflow = h_.workflows[of.workflow];
  // A static graph is declared at once.
  return tails_of(of.workflow, workflow.has_plan ? t : TimePoint::never()).at(stage);
}

std::int64_t Order::tie_value(Tie tie, std::uint32_t stage, TimePoint t) const {
  const StageFacts& of = h_.stages[stage];
  const std::int64_t cores = of.demand.spread ? of.demand.cores : of.demand.cores * of.demand.nodes;
  switch (tie) {
    case Tie::kTailTime:
      return -tail(stage, t).ns;
    case Tie::kSubmitTime:
      return h_.workflows[of.workflow].submitted_at.ns;
    case Tie::kShortest:
      return of.estimate.ns;
    case Tie::kLongest:
      return -of.estimate.ns;
    case Tie::kLargest:
      return -cores;
    case Tie::kSmallest:
      return cores;
    case Tie::kRandom:
      return of.tie_draw;
    case Tie::kDeclaration:
      break;
  }
  return 0;
}

ExactKey Order::priority_key(const PriorityInputs& of, TimePoint t) const {
  switch (h_.rule->kind()) {
    case OrderKind::kStatic:
      return h_.rule->exact_key(of);
    case OrderKind::kPiecewise: {
      const Motion motion = h_.rule->motion(of, t);
      return key_of(motion.slope * t.ns + motion.at_zero);
    }
    case OrderKind::kRecomputed:
      break;
  }
  return descending_key(h_.rule->value(of, t));
}

Order::Key Order::key(std::uint32_t stage, TimePoint t, const PriorityInputs* given) const {
  Key key;
  key.priority = priority_key(filled(stage, t, given), t);
  key.kind = h_.stages[stage].is_plan ? 0 : 1;
  for (const Tie tie : h_.rules.ties) {
    if (tie == Tie::kDeclaration) break;
    key.ties.push_back(tie_value(tie, stage, t));
  }
  key.stage = stage;
  return key;
}

std::vector<std::uint32_t> Order::queue(TimePoint t) const {
  std::vector<Key> keys;
  for (std::uint32_t stage = 0; stage < h_.stages.size(); ++stage)
    if (waits_at(h_.stages[stage], t)) keys.push_back(key(stage, t));
  std::ranges::sort(keys);
  std::vector<std::uint32_t> order;
  order.reserve(keys.size());
  for (const Key& key : keys) order.push_back(key.stage);
  return order;
}

std::string Order::why_not() const {
  if (h_.rule == nullptr) return "the priority '" + h_.rules.expression + "' is no expression";
  if (h_.rule->needs_queue()) return "the queue's length, for which the priority asks, is not stored pass by pass";
  return "";
}

}  // namespace headroom::views
