#include "policies/outlook.h"

#include <algorithm>

namespace headroom {
namespace {

NodeCapacity cores_only(std::int64_t cores) { return {cores, 0, 0}; }

}  // namespace

template <class Change>
void Outlook::change(const Demand& demand, const Allocation& where, Change apply) {
  std::int64_t cores = 0;
  const auto on = [&](NodeId node, std::int64_t here) {
    if (cluster_->is_closed(node)) return;  // what ends there is of no use to anybody
    apply(nodes_[node.value], NodeCapacity{here, demand.memory, demand.gpus});
    cores += here;
  };
  if (where.further.empty()) on(where.first, demand.cores);
  for (const auto& part : where.further) on(part.node, part.cores);
  if (nodes_.size() > 1) apply(all_cores_, cores_only(cores));
  for (const auto& [pool, amount] : demand.pools) apply(pools_[pool.value], cores_only(amount));
}

void Outlook::make(const Cluster& cluster, const std::vector<ExpectedEnd>& ends, TimePoint now) {
  cluster_ = &cluster;
  now_ = now;
  nodes_.resize(cluster.nodes());
  pools_.resize(cluster.free_pools().size());
  std::int64_t cores = 0;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    nodes_[n].reset(now, cluster.free()[n]);
    cores += cluster.free()[n].cores;
  }
  all_cores_.reset(now, cores_only(cores));
  for (std::size_t p = 0; p < pools_.size(); ++p) pools_[p].reset(now, cores_only(cluster.free_pools()[p]));
  const TimePoint soonest = now + Duration::nanoseconds(1);
  for (std::size_t i = ends.size(); i-- > 0;) {
    const TimePoint at = std::max(ends[i].at, soonest);
    change(cluster.demand(ends[i].demand), *ends[i].allocation,
           [at](Timeline& timeline, const NodeCapacity& amount) { timeline.give_back(at, amount); });
  }
}

TimePoint Outlook::reserve(DemandId id, Duration length, Allocation& where) {
  const Demand& demand = cluster_->demand(id);
  const TimePoint at = earliest(demand, length);
  if (at.is_never()) return at;
  choose_nodes(demand, length, at, where);
  const TimePoint end = saturating_add(at, length);
  change(demand, where, [&](Timeline& timeline, const NodeCapacity& amount) { timeline.take(at, end, amount); });
  return at;
}

bool Outlook::fits_from_now(DemandId id, Duration length) const {
  if (!cluster_->fits(id)) return false;
  const Demand& demand = cluster_->demand(id);
  for (const auto& [pool, amount] : demand.pools)
    if (!pools_[pool.value].covers_during(now_, length, cores_only(amount))) return false;
  if (demand.spread) return steady_cores(now_, length) >= demand.cores;
  std::int64_t wanted = demand.nodes;
  for (const Timeline& node : nodes_)
    if (node.covers_during(now_, length, per_node(demand)) && --wanted <= 0) return true;
  return false;
}

FreeBound Outlook::most_free(TimePoint when) const {
  FreeBound most{0, 0, 0};
  for (const Timeline& node : nodes_) {
    const NodeCapacity& free = node.at(when);
    most.cores = std::max(most.cores, free.cores);
    most.memory = std::max(most.memory, free.memory);
    most.gpus = std::max(most.gpus, free.gpus);
  }
  return most;
}

// Each of the searches below says the first time, `from` or later, that suits its own resource. No time before it suits
// all, so asking in turns until nobody moves it finds the first that does.

TimePoint Outlook::earliest(const Demand& demand, Duration length) const {
  for (TimePoint at = now_;;) {
    const TimePoint pools = pools_earliest(demand, length, at);
    if (pools.is_never()) return pools;
    at = nodes_earliest(demand, length, pools);
    if (at == pools || at.is_never() || demand.pools.empty()) return at;
  }
}

TimePoint Outlook::pools_earliest(const Demand& demand, Duration length, TimePoint from) const {
  for (std::size_t agreed = 0; agreed < demand.pools.size();) {
    agreed = 0;
    for (const auto& [pool, amount] : demand.pools) {
      if (pool.value >= pools_.size()) return TimePoint::never();
      const TimePoint at = pools_[pool.value].earliest(from, length, cores_only(amount));
      if (at.is_never()) return at;
      agreed = at == from ? agreed + 1 : 0;
      from = at;
    }
  }
  return from;
}

TimePoint Outlook::nodes_earliest(const Demand& demand, Duration length, TimePoint from) const {
  if (demand.spread) return spread_earliest(demand, length, from);
  if (demand.nodes > 1) return several_nodes_earliest(demand, length, from);
  TimePoint first = TimePoint::never();
  for (const Timeline& node : nodes_) {
    first = std::min(first, node.earliest(from, length, per_node(demand)));
    if (first == from) break;
  }
  return first;
}

TimePoint Outlook::several_nodes_earliest(const Demand& demand, Duration length, TimePoint from) const {
  const auto wanted = static_cast<std::size_t>(demand.nodes);
  if (wanted > nodes_.size()) return TimePoint::never();
  std::vector<TimePoint> firsts(nodes_.size());
  for (;;) {
    std::ranges::transform(nodes_, firsts.begin(),
                           [&](const Timeline& node) { return node.earliest(from, length, per_node(demand)); });
    const auto last_needed = firsts.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
    std::ranges::nth_element(firsts, last_needed);
    if (*last_needed == from || last_needed->is_never()) return *last_needed;
    from = *last_needed;
  }
}

std::int64_t Outlook::steady_cores(TimePoint from, Duration length) const {
  std::int64_t cores = 0;
  for (const Timeline& node : nodes_) cores += node.least(from, length).cores;
  return cores;
}

TimePoint Outlook::spread_earliest(const Demand& demand, Duration length, TimePoint from) const {
  if (nodes_.size() == 1) return nodes_.front().earliest(from, length, cores_only(demand.cores));
  for (;;) {
    const TimePoint at = all_cores_.earliest(from, length, cores_only(demand.cores));
    if (at.is_never() || steady_cores(at, length) >= demand.cores) return at;
    // Enough in all, but not on the same nodes throughout: that can only change where something ends.
    from = all_cores_.next_change(at);
    if (from.is_never()) return from;
  }
}

void Outlook::choose_nodes(const Demand& demand, Duration length, TimePoint at, Allocation& where) const {
  where.further.clear();
  where.first = {0};
  std::int64_t left = demand.spread ? demand.cores : demand.nodes;
  for (std::uint32_t n = 0; n < nodes_.size() && left > 0; ++n) {
    if (demand.spread) {
      const std::int64_t here = std::min(left, nodes_[n].least(at, length).cores);
      if (here <= 0) continue;
      where.further.push_back({{n}, here});
      left -= here;
    } else if (nodes_[n].covers_during(at, length, per_node(demand))) {
      where.further.push_back({{n}, demand.cores});
      --left;
    }
  }
  if (!where.further.empty()) where.first = where.further.front().node;
  if (!demand.spread && demand.nodes == 1) where.further.clear();
}

}  // namespace headroom
