// Eligibility, tail times and order of the model, each recomputed from the definition whenever it is asked for.
#include "tests/property/model_state.h"

#include <algorithm>

namespace headroom::oracle {

State::State(const Case& c)
    : input(c),
      work(c.work),
      stages(c.work.stages()),
      plans(c.work.stages()),
      safe(c.work.stages(), true),
      flagged(c.work.stages(), false),
      drained(c.work.workflows()),
      workflow_ended_at(c.work.workflows(), TimePoint::never()) {
  out.stages.resize(work.stages());
  out.submitted_at.resize(work.workflows(), TimePoint::never());
  for (const NodeClass& kind : work.cluster.classes)
    for (std::int64_t i = 0; i < kind.count; ++i) capacity.nodes.push_back(kind.capacity);
  for (const auto& [name, amount] : work.cluster.pools) capacity.pools.push_back(amount);
}

std::span<const StageRow> State::needs(StageRow s) const {
  if (work.needs_begin.empty()) return {};
  return std::span(work.needs).subspan(work.needs_begin[s], work.needs_begin[s + 1] - work.needs_begin[s]);
}

bool State::fails(StageRow s, std::size_t attempt) const {
  if (work.failing.empty()) return false;
  const Failing& failing = work.failings[work.failing[s]];
  switch (failing.kind) {
    case Failing::Kind::kNever:
      return false;
    case Failing::Kind::kAlways:
      return true;
    case Failing::Kind::kFirst:
      return static_cast<std::int64_t>(attempt) < failing.first;
    case Failing::Kind::kProbability:
      return work.fails(s, static_cast<std::uint32_t>(attempt));
  }
  return false;
}

bool State::needs_are_met(StageRow s) const {
  for (StageRow need : needs(s)) {
    if (need >= work.stages()) return false;  // a file that nobody makes
    if (phase(need) != Phase::kFinished) return false;
  }
  return true;
}

bool State::is_gated(StageRow s) const {
  if (stages[s].dispatched) return false;
  if (remembers_safety()) return !refreshed_safety()[s];
  for (StageRow plan = declarer(s); plan != kNoRow; plan = declarer(plan)) {
    if (input.settings.hold_scope == HoldScope::kDeclarer && plans[plan].depth > 0) return true;
    if (plans[plan].held.contains(s)) return true;
  }
  return false;
}

void State::flag(StageRow s) {
  if (remembers_safety() && (is_plan(s) || declarer(s) != kNoRow)) flagged[s] = true;
}

void State::flag_with_all_below(StageRow s) {
  flag(s);
  for (StageRow child = 0; child < work.stages(); ++child)
    if (is_declared(child) && declarer(child) == s) flag_with_all_below(child);
}

bool State::any_flagged() const { return std::ranges::find(flagged, true) != flagged.end(); }

void State::walk_down(StageRow s, bool value, std::vector<std::vector<bool>>& received) const {
  received[s].push_back(value);
  for (StageRow child = 0; child < work.stages(); ++child)
    if (is_declared(child) && declarer(child) == s) walk_down(child, value && plans[s].depth == 0, received);
}

std::vector<bool> State::refreshed_safety() const {
  std::vector<std::vector<bool>> received(work.stages());
  for (StageRow s = 0; s < work.stages(); ++s) {
    if (!flagged[s]) continue;
    const StageRow above = declarer(s);
    walk_down(s, above == kNoRow || (safe[above] && plans[above].depth == 0), received);
  }
  std::vector<bool> after = safe;
  for (StageRow s = 0; s < work.stages(); ++s)
    if (!received[s].empty()) after[s] = std::ranges::find(received[s], false) == received[s].end();
  return after;
}

void State::refresh_safety() {
  if (!remembers_safety()) return;
  const Room room = room_now();
  const bool a_slot_is_free = std::ranges::any_of(room.nodes, [](const NodeCapacity& n) { return n.cores > 0; });
  if (!a_slot_is_free) return;
  safe = refreshed_safety();
  flagged.assign(flagged.size(), false);
}

bool State::is_eligible(StageRow s) const { return phase(s) == Phase::kWaiting && needs_are_met(s) && !is_gated(s); }

bool State::under_broken_plan(StageRow s) const {
  for (StageRow plan = declarer(s); plan != kNoRow; plan = declarer(plan))
    if (plans[plan].broken) return true;
  return false;
}

bool State::under_open_hold(StageRow s) const {
  for (StageRow plan = declarer(s); plan != kNoRow; plan = declarer(plan))
    if (plans[plan].depth > 0) return true;
  return false;
}

bool State::workflow_is_over(std::uint32_t w) const {
  if (!is_submitted(w)) return false;
  for (StageRow s = work.first_stage[w]; s < work.first_stage[w + 1]; ++s)
    if (is_declared(s) && !is_terminal(s)) return false;
  return true;
}

TimePoint State::submission_due(std::uint32_t w) const {
  TimePoint due = work.submitted_at[w];
  if (work.after_begin.empty()) return due;
  for (std::uint32_t i = work.after_begin[w]; i < work.after_begin[w + 1]; ++i)
    due = std::max(due, saturating_add(workflow_ended_at[work.after[i]], work.think_time[w]));
  return due;
}

std::vector<Duration> State::tail_times() const {
  // tail(s) = estimate(s) + the largest tail of its declared consumers, whatever has become of them: raised until
  // nothing changes, which is after as many rounds as the longest chain has stages.
  std::vector<Duration> tails(work.stages());
  for (StageRow s = 0; s < work.stages(); ++s)
    if (is_declared(s)) tails[s] = estimate(s);
  for (bool again = true; again;) {
    again = false;
    for (StageRow consumer = 0; consumer < work.stages(); ++consumer) {
      if (!is_declared(consumer)) continue;
      for (StageRow s : needs(consumer)) {
        if (s >= work.stages() || !is_declared(s) || tails[s] >= estimate(s) + tails[consumer]) continue;
        tails[s] = estimate(s) + tails[consumer];
        again = true;
      }
    }
  }
  return tails;
}

/// Times 3600e9, so that hours are nanoseconds. The age's `now` is the same for all and left out.
__int128 State::priority(StageRow s) const {
  if (input.policy.priority == Priority::kNone) return 0;
  const std::uint32_t w = work.workflow_of[s];
  const AccountSpec& account = work.tenants.accounts[work.account[w]];
  const __int128 base = static_cast<__int128>(work.tenants.organizations[account.organization].priority) +
                        account.priority + work.tenants.users[work.user[w]].priority + work.priority[w];
  const __int128 bases = base * 3'600'000'000'000;
  return input.policy.priority == Priority::kBases ? bases : bases - out.submitted_at[w].ns;
}

namespace {

template <class T>
int smaller_first(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
template <class T>
int larger_first(T a, T b) {
  return smaller_first(b, a);
}

__int128 cores_in_all(const Demand& demand) { return static_cast<__int128>(demand.cores) * demand.nodes; }

}  // namespace

int State::compare_by(Tie tie, StageRow a, StageRow b, const std::vector<Duration>& tails) const {
  switch (tie) {
    case Tie::kTailTime:
      return larger_first(tails[a].ns, tails[b].ns);
    case Tie::kDeclaration:
      return smaller_first(stages[a].number, stages[b].number);
    case Tie::kSubmitTime:
      return smaller_first(out.submitted_at[work.workflow_of[a]].ns, out.submitted_at[work.workflow_of[b]].ns);
    case Tie::kShortest:
      return smaller_first(estimate(a).ns, estimate(b).ns);
    case Tie::kLongest:
      return larger_first(estimate(a).ns, estimate(b).ns);
    case Tie::kLargest:
      return larger_first(cores_in_all(demand(a)), cores_in_all(demand(b)));
    case Tie::kSmallest:
      return smaller_first(cores_in_all(demand(a)), cores_in_all(demand(b)));
    case Tie::kRandom:
      return smaller_first(work.tie_draw(a), work.tie_draw(b));
  }
  return 0;
}

int State::compare(StageRow a, StageRow b, const std::vector<Duration>& tails) const {
  if (int by = larger_first(priority(a), priority(b))) return by;
  if (int by = larger_first(is_plan(a), is_plan(b))) return by;
  for (Tie tie : input.policy.ties) {
    if (tie == Tie::kDeclaration) break;  // decides whatever comes after it
    if (int by = compare_by(tie, a, b, tails)) return by;
  }
  return 0;
}

std::vector<StageRow> State::queue() const {
  std::vector<StageRow> eligible;
  for (StageRow s = 0; s < work.stages(); ++s)
    if (is_eligible(s)) eligible.push_back(s);
  const std::vector<Duration> tails = tail_times();
  std::ranges::sort(eligible, [&](StageRow a, StageRow b) {
    const int by = compare(a, b, tails);
    return by != 0 ? by < 0 : stages[a].number < stages[b].number;
  });
  return eligible;
}

}  // namespace headroom::oracle
