#include "policies/reservation.h"

#include <algorithm>

namespace headroom {
namespace {

void add(std::vector<NodeCapacity>& nodes, std::vector<std::int64_t>& pools, const Demand& demand,
         const Allocation& allocation) {
  const auto on = [&](NodeId node, std::int64_t cores) {
    nodes[node.value].cores += cores;
    nodes[node.value].memory += demand.memory;
    nodes[node.value].gpus += demand.gpus;
  };
  if (allocation.further.empty()) on(allocation.first, demand.cores);
  for (const auto& part : allocation.further) on(part.node, part.cores);
  for (const auto& [pool, amount] : demand.pools) pools[pool.value] += amount;
}

}  // namespace

void Reservation::make(const Cluster& cluster, DemandId head, const std::vector<ExpectedEnd>& ends, TimePoint now) {
  head_ = &cluster.demand(head);
  nodes_ = cluster.free();
  pools_ = cluster.free_pools();
  const TimePoint soonest = now + Duration::nanoseconds(1);
  const auto end_of = [&](std::size_t i) { return std::max(ends[i].at, soonest); };
  for (std::size_t left = ends.size(); left > 0;) {
    at_ = end_of(left - 1);
    while (left > 0 && end_of(left - 1) == at_) {
      --left;
      add(nodes_, pools_, cluster.demand(ends[left].demand), *ends[left].allocation);
    }
    if (head_fits()) return;
  }
  at_ = TimePoint::never();
}

FreeBound Reservation::spare() const {
  if (nodes_.size() == 1 && !head_->spread) {
    const NodeCapacity& node = nodes_.front();
    return {node.cores - head_->cores, node.memory - head_->memory, node.gpus - head_->gpus};
  }
  FreeBound most{0, 0, 0};
  for (const NodeCapacity& node : nodes_) {
    most.cores = std::max(most.cores, node.cores);
    most.memory = std::max(most.memory, node.memory);
    most.gpus = std::max(most.gpus, node.gpus);
  }
  return most;
}

bool Reservation::take_if_head_fits(NodeId node, const NodeCapacity& amount) {
  NodeCapacity& free = nodes_[node.value];
  const NodeCapacity before = free;
  free.cores -= amount.cores;
  free.memory -= amount.memory;
  free.gpus -= amount.gpus;
  if (head_fits()) return true;
  free = before;
  return false;
}

bool Reservation::place_beside(Cluster& cluster, DemandId demand, TimePoint end, Allocation& out) {
  if (end <= at_) return cluster.place(demand, out);
  if (!cluster.fits(demand)) return false;
  const Demand& wanted = cluster.demand(demand);
  for (const auto& [pool, amount] : wanted.pools) pools_[pool.value] -= amount;
  const bool placed = pools_cover(pools_, *head_) && place_parts(cluster, wanted, out);
  if (!placed) {
    for (const auto& [pool, amount] : wanted.pools) pools_[pool.value] += amount;
    return false;
  }
  cluster.take(demand, out);
  return true;
}

bool Reservation::place_parts(const Cluster& cluster, const Demand& demand, Allocation& out) {
  out.further.clear();
  const bool whole = !demand.spread && demand.nodes == 1;
  std::int64_t left = demand.spread ? demand.cores : demand.nodes;
  const NodeCapacity least = demand.spread ? NodeCapacity{1, 0, 0} : per_node(demand);
  for (NodeId node = cluster.first_fit(least); left > 0 && !node.is_none();
       node = cluster.first_fit(least, {node.value + 1})) {
    const std::int64_t cores = demand.spread ? std::min(left, cluster.free()[node.value].cores) : demand.cores;
    if (!take_if_head_fits(node, {cores, demand.memory, demand.gpus})) continue;
    out.further.push_back({node, cores});
    left -= demand.spread ? cores : 1;
  }
  if (left > 0) {
    for (const auto& part : out.further) {
      nodes_[part.node.value].cores += part.cores;
      nodes_[part.node.value].memory += demand.memory;
      nodes_[part.node.value].gpus += demand.gpus;
    }
    return false;
  }
  out.first = out.further.front().node;
  if (whole) out.further.clear();
  return true;
}

}  // namespace headroom
