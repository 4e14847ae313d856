#include "policies/cluster.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "policies/check.h"

namespace headroom {
namespace {

NodeCapacity maximum(const NodeCapacity& a, const NodeCapacity& b) {
  return {std::max(a.cores, b.cores), std::max(a.memory, b.memory), std::max(a.gpus, b.gpus)};
}

constexpr NodeCapacity kNothing{-1, -1, -1};  // a leaf beyond the last node

}  // namespace

bool pools_cover(const std::vector<std::int64_t>& pools, const Demand& demand) {
  return std::ranges::all_of(demand.pools, [&](const auto& part) {
    return part.first.value < pools.size() && pools[part.first.value] >= part.second;
  });
}

bool demand_fits(const Demand& demand, const std::vector<NodeCapacity>& nodes, const std::vector<std::int64_t>& pools) {
  if (!pools_cover(pools, demand)) return false;
  if (demand.spread) {
    std::int64_t cores = 0;
    for (const NodeCapacity& node : nodes)
      if ((cores += node.cores) >= demand.cores) return true;
    return demand.cores <= 0;
  }
  std::int64_t wanted = demand.nodes;
  for (const NodeCapacity& node : nodes)
    if (covers(node, per_node(demand)) && --wanted <= 0) return true;
  return false;
}

Cluster::Cluster(ClusterCapacity capacity)
    : capacity_(std::move(capacity)), free_(capacity_.nodes), free_pools_(capacity_.pools) {
  for (const NodeCapacity& node : free_) free_cores_ += node.cores;
  if (free_.size() <= 1) return;
  leaves_ = std::bit_ceil(free_.size());
  tree_.assign(2 * leaves_, kNothing);
  std::ranges::copy(free_, tree_.begin() + static_cast<std::ptrdiff_t>(leaves_));
  for (std::size_t i = leaves_; i-- > 1;) tree_[i] = maximum(tree_[2 * i], tree_[2 * i + 1]);
}

DemandId Cluster::add_demand(const Demand& demand) {
  const auto [at, is_new] = demand_ids_.try_emplace(demand, DemandId{static_cast<std::uint32_t>(demands_.size())});
  if (is_new) {
    demands_.push_back(demand);
    needs_.push_back({demand.spread ? NodeCapacity{0, 0, 0} : per_node(demand),
                      !demand.spread && demand.nodes == 1 && demand.pools.empty()});
  }
  return at->second;
}

bool Cluster::could_fit(DemandId id) const { return demand_fits(demand(id), capacity_.nodes, capacity_.pools); }

FreeBound Cluster::free_bound() const {
  if (!tree_.empty()) return tree_[1];
  return free_.empty() ? kNothing : free_.front();
}

NodeId Cluster::first_fit(const NodeCapacity& amount, NodeId from) const {
  if (tree_.empty())
    return from.value == 0 && !free_.empty() && covers(free_.front(), amount) ? NodeId{0} : NodeId::none();
  if (from.value >= free_.size()) return NodeId::none();
  // Climb from the first leaf allowed to a subtree that may hold a fit, look into it, and climb on where it did not:
  // a component-wise maximum promises nothing.
  std::size_t at = leaves_ + from.value;
  for (;;) {
    if (covers(tree_[at], amount)) {
      if (at >= leaves_) return {static_cast<std::uint32_t>(at - leaves_)};
      at = 2 * at;
      continue;
    }
    while ((at & 1U) == 1) {  // a right child: its parent is done
      at /= 2;
      if (at <= 1) return NodeId::none();
    }
    ++at;
  }
}

bool Cluster::fits(DemandId id) const {
  const Demand& wanted = demand(id);
  if (!wanted.pools.empty() && !pools_cover(free_pools_, wanted)) return false;
  if (wanted.spread) return free_cores_ >= wanted.cores;
  const NodeCapacity amount = per_node(wanted);
  NodeId node = first_fit(amount);
  for (std::int32_t k = 1; k < wanted.nodes && !node.is_none(); ++k) node = first_fit(amount, {node.value + 1});
  return !node.is_none();
}

bool Cluster::place_on_nodes(DemandId id, Allocation& out) {
  const Demand& wanted = demand(id);
  out.further.clear();
  if (!wanted.pools.empty() && !pools_cover(free_pools_, wanted)) return false;
  if (wanted.spread) {
    if (free_cores_ < wanted.cores) return false;
    std::int64_t left = wanted.cores;
    for (NodeId node = first_fit({1, 0, 0}); left > 0; node = first_fit({1, 0, 0}, {node.value + 1})) {
      const std::int64_t here = std::min(left, free_[node.value].cores);
      out.further.push_back({node, here});
      left -= here;
    }
    out.first = out.further.empty() ? NodeId{0} : out.further.front().node;
  } else {
    const NodeCapacity amount = per_node(wanted);
    out.first = first_fit(amount);
    if (out.first.is_none()) return false;
    if (wanted.nodes > 1) {
      NodeId node = out.first;
      out.further.push_back({node, wanted.cores});
      for (std::int32_t k = 1; k < wanted.nodes; ++k) {
        node = first_fit(amount, {node.value + 1});
        if (node.is_none()) return false;
        out.further.push_back({node, wanted.cores});
      }
    }
  }
  take(id, out);
  return true;
}

void Cluster::apply(DemandId id, const Allocation& allocation, std::int64_t sign) {
  const Demand& wanted = demand(id);
  if (allocation.further.empty())
    add_free(allocation.first, per_node(wanted), sign);
  else
    for (const auto& part : allocation.further) add_free(part.node, {part.cores, wanted.memory, wanted.gpus}, sign);
  for (const auto& [pool, amount] : wanted.pools) free_pools_[pool.value] += sign * amount;
}

void Cluster::add_free(NodeId node, const NodeCapacity& amount, std::int64_t sign) {
  if (is_closed(node)) {
    NodeCapacity& kept = withheld_[node.value];
    kept = {kept.cores + sign * amount.cores, kept.memory + sign * amount.memory, kept.gpus + sign * amount.gpus};
    return;
  }
  NodeCapacity& free = free_[node.value];
  free.cores += sign * amount.cores;
  free.memory += sign * amount.memory;
  free.gpus += sign * amount.gpus;
  free_cores_ += sign * amount.cores;
  HEADROOM_CHECK(free.cores >= 0 && free.memory >= 0 && free.gpus >= 0,
                 "node " + std::to_string(node.value) + " has " + std::to_string(free.cores) + " cores free");
  set_leaf(node);
}

void Cluster::set_leaf(NodeId node) {
  if (tree_.empty()) return;
  std::size_t at = leaves_ + node.value;
  tree_[at] = free_[node.value];
  while ((at /= 2) >= 1) {
    const NodeCapacity both = maximum(tree_[2 * at], tree_[2 * at + 1]);
    if (both == tree_[at]) break;
    tree_[at] = both;
  }
}

void Cluster::close(NodeId node) {
  if (is_closed(node)) return;
  if (!any_closed_) {
    any_closed_ = true;
    closed_.resize(free_.size(), 0);
    withheld_.resize(free_.size(), {0, 0, 0});
  }
  closed_[node.value] = 1;
  withheld_[node.value] = std::exchange(free_[node.value], {0, 0, 0});
  free_cores_ -= withheld_[node.value].cores;
  set_leaf(node);
}

NodeCapacity Cluster::withheld() const {
  NodeCapacity all{0, 0, 0};
  for (const NodeCapacity& node : withheld_)
    all = {all.cores + node.cores, all.memory + node.memory, all.gpus + node.gpus};
  return all;
}

void Cluster::open(NodeId node) {
  if (!is_closed(node)) return;
  closed_[node.value] = 0;
  free_[node.value] = std::exchange(withheld_[node.value], {0, 0, 0});
  free_cores_ += free_[node.value].cores;
  set_leaf(node);
}

}  // namespace headroom
