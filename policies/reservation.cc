#include "policies/reservation.h"

#include <algorithm>

namespace headroom {
namespace {

NodeCapacity minus(const NodeCapacity& a, const NodeCapacity& b) {
  return {a.cores - b.cores, a.memory - b.memory, a.gpus - b.gpus};
}

}  // namespace

void Reservation::apply(const Demand& demand, const Allocation& allocation, std::int64_t sign) {
  const auto on = [&](NodeId node, std::int64_t cores) {
    if (cluster_->is_closed(node)) return;  // what ends there is of no use to the head
    nodes_[node.value].cores += sign * cores;
    nodes_[node.value].memory += sign * demand.memory;
    nodes_[node.value].gpus += sign * demand.gpus;
  };
  if (allocation.further.empty()) on(allocation.first, demand.cores);
  for (const auto& part : allocation.further) on(part.node, part.cores);
  for (const auto& [pool, amount] : demand.pools) pools_[pool.value] += sign * amount;
}

void Reservation::make(const Cluster& cluster, DemandId head, const std::vector<ExpectedEnd>& ends, TimePoint now) {
  cluster_ = &cluster;
  head_ = &cluster.demand(head);
  second_chance_ = false;
  nodes_ = cluster.free();
  pools_ = cluster.free_pools();
  const TimePoint soonest = now + Duration::nanoseconds(1);
  const auto end_of = [&](std::size_t i) { return std::max(ends[i].at, soonest); };
  for (std::size_t left = ends.size(); left > 0;) {
    at_ = end_of(left - 1);
    while (left > 0 && end_of(left - 1) == at_) {
      --left;
      apply(cluster.demand(ends[left].demand), *ends[left].allocation, +1);
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

bool Reservation::costs_a_node(NodeId node, const NodeCapacity& amount) const {
  const NodeCapacity& free = nodes_[node.value];
  return !head_->spread && covers(free, per_node(*head_)) && !covers(minus(free, amount), per_node(*head_));
}

std::int64_t Reservation::nodes_to_spare() const {
  if (head_->spread) return 0;  // no node is lost to it
  const auto fitting = std::ranges::count_if(nodes_, [&](const auto& node) { return covers(node, per_node(*head_)); });
  return fitting - head_->nodes;
}

bool Reservation::choose_nodes(const Cluster& cluster, const Demand& demand, Allocation& out) const {
  const NodeCapacity amount = per_node(demand);
  std::vector<NodeId> fitting;
  std::int64_t harmless = 0;  // among them, those that cost the head no node
  for (NodeId node = cluster.first_fit(amount); !node.is_none(); node = cluster.first_fit(amount, {node.value + 1})) {
    fitting.push_back(node);
    harmless += costs_a_node(node, amount) ? 0 : 1;
    if (demand.nodes == 1 && harmless > 0) break;
  }
  std::int64_t wanted = demand.nodes;
  std::int64_t spare = nodes_to_spare();
  out.further.clear();
  for (const NodeId node : fitting) {
    if (wanted == 0) break;
    const bool costs = costs_a_node(node, amount);
    if (!costs) --harmless;
    // What is still wanted after this node comes from harmless ones first; the others cost one each.
    const std::int64_t cost = (costs ? 1 : 0) + std::max<std::int64_t>(wanted - 1 - harmless, 0);
    if (cost > spare) continue;
    out.further.push_back({node, demand.cores});
    spare -= costs ? 1 : 0;
    --wanted;
  }
  if (wanted > 0) return false;
  out.first = out.further.front().node;
  if (demand.nodes == 1) out.further.clear();
  return true;
}

bool Reservation::place_beside(Cluster& cluster, DemandId id, TimePoint end, Allocation& out) {
  if (end <= at_) return cluster.place(id, out);
  if (!cluster.fits(id)) return false;
  const Demand& demand = cluster.demand(id);
  if (demand.spread) {
    if (!cluster.place(id, out)) return false;
  } else {
    if (!choose_nodes(cluster, demand, out)) return false;
    cluster.take(id, out);
  }
  apply(demand, out, -1);
  if (head_fits()) return true;
  apply(demand, out, +1);
  cluster.give_back(id, out);
  second_chance_ |= demand.spread && !head_->spread && nodes_.size() > 1;
  return false;
}

}  // namespace headroom
