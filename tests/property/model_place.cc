// What fits where, now and by estimates, in the model.
#include <algorithm>

#include "tests/property/model_state.h"

namespace headroom::oracle {
namespace {

void take(State::Room& room, const Demand& demand, const Allocation& where, std::int64_t sign) {
  for (const Share& share : where) {
    NodeCapacity& node = room.nodes[share.node];
    node.cores -= sign * share.cores;
    node.memory -= sign * demand.memory;
    node.gpus -= sign * demand.gpus;
  }
  for (const auto& [pool, amount] : demand.pools) room.pools[pool.value] -= sign * amount;
}

bool pools_suffice(const State::Room& room, const Demand& demand) {
  for (const auto& [pool, amount] : demand.pools)
    if (pool.value >= room.pools.size() || room.pools[pool.value] < amount) return false;
  return true;
}

bool node_suffices(const NodeCapacity& node, const Demand& demand) {
  return node.cores >= demand.cores && node.memory >= demand.memory && node.gpus >= demand.gpus;
}

/// Cores wherever they are free, in file order.
std::optional<Allocation> spread_out(const State::Room& room, const Demand& demand) {
  Allocation where;
  std::int64_t left = demand.cores;
  for (std::size_t n = 0; n < room.nodes.size() && left > 0; ++n) {
    const std::int64_t here = std::min(left, room.nodes[n].cores);
    if (here <= 0) continue;
    where.push_back({n, here});
    left -= here;
  }
  if (left > 0) return std::nullopt;
  return where;
}

/// Every choice of `count` of `nodes`, in lexicographic order.
void choose(const std::vector<std::size_t>& nodes, std::size_t count, std::size_t from,
            std::vector<std::size_t>& chosen, std::vector<std::vector<std::size_t>>& all) {
  if (chosen.size() == count) {
    all.push_back(chosen);
    return;
  }
  for (std::size_t i = from; i < nodes.size(); ++i) {
    chosen.push_back(nodes[i]);
    choose(nodes, count, i + 1, chosen, all);
    chosen.pop_back();
  }
}

}  // namespace

bool State::counts_as_gone(StageRow s) const {
  if (input.settings.simultaneous != Simultaneous::kPyss) return false;
  const TimePoint started = out.stages[s].attempts.back().start;
  return stages[s].due == now && saturating_add(started, std::max(estimate(s), Duration::nanoseconds(1))) <= now;
}

State::Room State::room_now() const { return room_without({}); }

State::Room State::room_without(const std::vector<StageRow>& gone) const {
  Room room = capacity;
  for (StageRow s = 0; s < work.stages(); ++s)
    if (phase(s) == Phase::kRunning && !counts_as_gone(s) && std::ranges::find(gone, s) == gone.end())
      take(room, demand(s), stages[s].allocation, 1);
  return room;
}

std::vector<Allocation> State::all_fits(const Room& room, StageRow s) const {
  const Demand& asks = demand(s);
  if (!pools_suffice(room, asks)) return {};
  if (asks.spread) {
    std::optional<Allocation> where = spread_out(room, asks);
    return where ? std::vector<Allocation>{*where} : std::vector<Allocation>{};
  }
  std::vector<std::size_t> suitable;
  for (std::size_t n = 0; n < room.nodes.size(); ++n)
    if (node_suffices(room.nodes[n], asks)) suitable.push_back(n);
  std::vector<std::size_t> chosen;
  std::vector<std::vector<std::size_t>> choices;
  choose(suitable, static_cast<std::size_t>(asks.nodes), 0, chosen, choices);
  std::vector<Allocation> fits;
  for (const auto& nodes : choices) {
    Allocation where;
    for (std::size_t n : nodes) where.push_back({n, asks.cores});
    fits.push_back(where);
  }
  return fits;
}

std::optional<Allocation> State::first_fit(const Room& room, StageRow s) const {
  const std::vector<Allocation> fits = all_fits(room, s);
  if (fits.empty()) return std::nullopt;
  return fits.front();
}

TimePoint State::believed_end(StageRow s, TimePoint started) const {
  const TimePoint end = saturating_add(started, std::max(estimate(s), Duration::nanoseconds(1)));
  return std::max(end, saturating_add(now, Duration::nanoseconds(1)));
}

State::Claim State::claim(StageRow s, const Allocation& where, TimePoint from) const {
  return {s, where, from, saturating_add(from, std::max(estimate(s), Duration::nanoseconds(1)))};
}

std::vector<State::Claim> State::claims_of_running() const {
  std::vector<Claim> claims;
  for (StageRow s = 0; s < work.stages(); ++s)
    if (phase(s) == Phase::kRunning && !counts_as_gone(s))
      claims.push_back({s, stages[s].allocation, now, believed_end(s, out.stages[s].attempts.back().start)});
  return claims;
}

State::Room State::always_free(const std::vector<Claim>& claims, TimePoint from, TimePoint to) const {
  std::vector<TimePoint> instants{from};
  for (const Claim& c : claims)
    if (from < c.from && c.from < to) instants.push_back(c.from);
  Room least = capacity;
  for (TimePoint at : instants) {
    Room room = capacity;
    for (const Claim& c : claims)
      if (c.from <= at && at < c.to) take(room, demand(c.stage), c.where, 1);
    for (std::size_t n = 0; n < room.nodes.size(); ++n) {
      least.nodes[n].cores = std::min(least.nodes[n].cores, room.nodes[n].cores);
      least.nodes[n].memory = std::min(least.nodes[n].memory, room.nodes[n].memory);
      least.nodes[n].gpus = std::min(least.nodes[n].gpus, room.nodes[n].gpus);
    }
    for (std::size_t p = 0; p < room.pools.size(); ++p) least.pools[p] = std::min(least.pools[p], room.pools[p]);
  }
  return least;
}

std::optional<State::Claim> State::earliest(StageRow s, const std::vector<Claim>& claims) const {
  // Room only appears where a claim ends.
  std::set<TimePoint> instants{now};
  for (const Claim& c : claims)
    if (!c.to.is_never()) instants.insert(c.to);
  for (TimePoint at : instants) {
    const Claim there = claim(s, {}, at);
    if (std::optional<Allocation> where = first_fit(always_free(claims, at, there.to), s)) return claim(s, *where, at);
  }
  return std::nullopt;
}

}  // namespace headroom::oracle
