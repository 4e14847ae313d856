#include "tests/verify/schedule_of.h"

#include "sim/engine/engine.h"
#include "sim/metrics/report.h"

namespace headroom::verify {
namespace {

Rules rules_of(const oracle::Case& c) {
  Rules r;
  r.priority = c.policy.priority == headroom::Priority::kNone    ? Priority::kNone
               : c.policy.priority == headroom::Priority::kBases ? Priority::kBases
                                                                 : Priority::kAgeing;
  for (const headroom::Tie tie : c.policy.ties) r.ties.push_back(static_cast<Tie>(tie));
  constexpr Placement kPlacements[] = {Placement::kGreedy, Placement::kStrict, Placement::kEasy,
                                       Placement::kConservative};
  r.placement = kPlacements[static_cast<std::size_t>(c.policy.placement)];
  r.is_preemptive = c.policy.preemption != Preemption::kOff;
  r.suspends = c.policy.preemption == Preemption::kSuspend;
  r.preemption_grace = c.policy.preemption_terms.grace.ns;
  r.shortest_backfill = c.policy.backfill == Backfill::kShortest;
  r.tick = c.settings.tick.ns;
  r.queue_depth = c.settings.queue_depth;
  r.pyss = c.settings.simultaneous == Simultaneous::kPyss;
  r.gates_descendants = c.settings.hold_scope == HoldScope::kDeclarer;
  r.releases_all = c.settings.hold_release == HoldRelease::kIdeal;
  r.give_up = c.measure.give_up ? c.measure.give_up->ns : kNever;
  r.is_cut = c.measure.from || c.measure.to;
  return r;
}

}  // namespace

Schedule schedule_of(const oracle::Case& c) {
  const Work& work = c.work;
  const RunLog log = simulate(work, c.settings, c.policy, c.measure);
  const RunReport made = report(work, log, c.policy, c.measure, true);
  Schedule s;
  s.rules = rules_of(c);
  s.is_finished = log.status == RunStatus::kFinished;
  for (const NodeClass& kind : work.cluster.classes)
    s.nodes.insert(s.nodes.end(), static_cast<std::size_t>(kind.count),
                   {kind.capacity.cores, kind.capacity.memory, kind.capacity.gpus});
  for (const auto& [name, amount] : work.cluster.pools) s.pools.push_back(amount);
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    const AccountSpec& account = work.tenants.accounts[work.account[w]];
    s.workflows.push_back({made.workflow_table.submitted_at[w].ns, made.workflow_table.started_at[w].ns,
                           work.tenants.organizations[account.organization].priority + account.priority +
                               work.tenants.users[work.user[w]].priority + work.priority[w],
                           work.first_stage[w + 1] - work.first_stage[w]});
  }
  const AttemptTable& t = made.attempt_table;
  for (std::size_t i = 0; i < t.stage.size(); ++i) {
    const StageRow row = t.stage[i];
    const Demand& demand = work.demands[work.demand[row]];
    Attempt a;
    a.workflow = work.workflow_of[row];
    a.stage = row;
    a.number = t.attempt[i];
    a.is_plan = t.kind[i] == StageRunKind::kPlan;
    a.state = static_cast<State>(t.state[i]);
    a.declared = t.declared_at[i].ns;
    a.eligible = t.eligible_at[i].ns;
    a.started = t.started_at[i].ns;
    a.finished = t.finished_at[i].ns;
    a.run_time = a.started == kNever || a.finished == kNever ? kNever : a.finished - a.started;
    a.estimate = work.estimate[row].ns;
    a.tail = t.tail_time[i].ns;
    a.walltime = work.walltime.empty() ? kNever : work.walltime[row].ns;
    a.effective_priority = t.effective_priority[i];
    a.amounts = {demand.cores, demand.memory, demand.gpus};
    a.nodes = demand.nodes;
    a.is_spread = demand.spread;
    a.node = t.node[i].is_none() ? -1 : static_cast<std::int32_t>(t.node[i].value);
    a.declarer = work.declarer.empty() || work.declarer[row] == kNoRow ? -1 : std::int64_t{work.declarer[row]};
    a.decision = t.decision[i];
    s.attempts.push_back(a);
  }
  for (const DisplacedTry& displaced : t.displaced) s.displacements.push_back({displaced.row, displaced.preemptor});
  for (const auto& [row, node] : t.nodes) s.further_nodes.emplace_back(row, static_cast<std::int32_t>(node.value));
  for (StageRow row = 0; row < work.stages(); ++row) {
    for (const auto& [pool, amount] : work.demands[work.demand[row]].pools)
      s.pool_requests.push_back({row, {pool.value, amount}});
    if (work.needs_begin.empty()) continue;
    for (std::uint32_t i = work.needs_begin[row]; i < work.needs_begin[row + 1]; ++i)
      if (work.needs[i] < work.stages()) s.dependencies.emplace_back(work.needs[i], row);
  }
  for (const HoldInterval& hold : made.holds) s.holds.push_back({hold.plan, hold.from.ns, hold.to.ns});
  return s;
}

}  // namespace headroom::verify
