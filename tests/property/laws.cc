#include "tests/property/laws.h"

#include <algorithm>
#include <sstream>

#include "tests/property/print.h"

namespace headroom::oracle {
namespace {

struct Busy {
  StageRow stage;
  const Attempt* attempt;
};

const Demand& demand_of(const Work& work, StageRow s) { return work.demands[work.demand[s]]; }

/// What runs just after the starts of instant `t`; attempts of length 0 hold nothing.
std::vector<Busy> running_at(const Outcome& outcome, TimePoint t) {
  std::vector<Busy> busy;
  for (StageRow s = 0; s < outcome.stages.size(); ++s)
    for (const Attempt& a : outcome.stages[s].attempts)
      if (a.start <= t && t < a.end) busy.push_back({s, &a});
  return busy;
}

std::string over_capacity(const Case& c, const Outcome& outcome, TimePoint t) {
  const Work& work = c.work;
  std::vector<NodeCapacity> nodes;
  for (const NodeClass& kind : work.cluster.classes)
    for (std::int64_t i = 0; i < kind.count; ++i) nodes.push_back(kind.capacity);
  std::vector<std::int64_t> pools;
  for (const auto& [name, amount] : work.cluster.pools) pools.push_back(amount);
  std::int64_t all_cores = 0;
  for (const NodeCapacity& node : nodes) all_cores += node.cores;
  for (const Busy& b : running_at(outcome, t)) {
    const Demand& demand = demand_of(work, b.stage);
    all_cores -= demand.cores * demand.nodes;
    for (const auto& [pool, amount] : demand.pools) {
      if (pool.value >= pools.size()) return "a pool that the cluster lacks";
      pools[pool.value] -= amount;
    }
    if (demand.spread) continue;  // which cores of which node is not in the log
    for (NodeId n : b.attempt->nodes) {
      nodes[n.value].cores -= demand.cores;
      nodes[n.value].memory -= demand.memory;
      nodes[n.value].gpus -= demand.gpus;
    }
  }
  for (const NodeCapacity& node : nodes)
    if (node.cores < 0 || node.memory < 0 || node.gpus < 0) return "a node";
  if (all_cores < 0) return "the cluster's cores";
  if (std::ranges::any_of(pools, [](std::int64_t left) { return left < 0; })) return "a pool";
  return "";
}

std::string broken_by_stage(const Case& c, const Outcome& outcome, StageRow s) {
  const Work& work = c.work;
  const StageOutcome& stage = outcome.stages[s];
  const Duration walltime = work.walltime.empty() ? Duration::infinite() : work.walltime[s];
  const bool is_plan = !work.program.empty() && work.program[s] >= 0;
  const std::int64_t retry = work.retry.empty() ? 0 : work.retry[s];
  if (static_cast<std::int64_t>(stage.attempts.size()) > retry + 1) return "more attempts than tries";
  TimePoint free_from = stage.declared_at;
  for (const Attempt& a : stage.attempts) {
    if (a.start < free_from) return "started before it was declared or its last try had ended";
    free_from = a.end;
    const Demand& demand = demand_of(work, s);
    if (!demand.spread && static_cast<std::int32_t>(a.nodes.size()) != demand.nodes)
      return "not on as many nodes as it asks for";
    if (!std::ranges::is_sorted(a.nodes) || std::ranges::adjacent_find(a.nodes) != a.nodes.end())
      return "nodes not in file order, or one twice";
    if (a.how == Phase::kRunning) continue;
    const Duration length = a.end - a.start;
    if (length > walltime) return "ran past its walltime";
    if (a.how == Phase::kTimedOut && length != walltime) return "timed out elsewhere than at its walltime";
    if (a.how != Phase::kTimedOut && !is_plan && length != work.run_time[s]) return "did not run as long as it does";
  }
  if (stage.attempts.empty() || work.needs_begin.empty()) return "";
  for (std::uint32_t i = work.needs_begin[s]; i < work.needs_begin[s + 1]; ++i) {
    const StageRow need = work.needs[i];
    if (need >= work.stages()) return "started without a file that nobody makes";
    const StageOutcome& before = outcome.stages[need];
    if (before.phase != Phase::kFinished || before.attempts.back().end > stage.attempts.front().start)
      return "started before s" + std::to_string(need) + " had finished";
  }
  return "";
}

}  // namespace

std::string broken_law(const Case& c, const Outcome& outcome) {
  for (StageRow s = 0; s < outcome.stages.size(); ++s)
    if (std::string law = broken_by_stage(c, outcome, s); !law.empty())
      return "s" + std::to_string(s) + ' ' + law + ": " + show(outcome.stages[s]);
  std::vector<std::size_t> seen(outcome.stages.size());
  TimePoint last;
  for (StageRow s : outcome.start_order) {
    const TimePoint at = outcome.stages[s].attempts[seen[s]++].start;
    if (at < last) return "starts are not in order of time";
    last = at;
    if (std::string what = over_capacity(c, outcome, at); !what.empty())
      return "more than " + what + " has is in use after the starts of " + show(at);
  }
  return "";
}

}  // namespace headroom::oracle
