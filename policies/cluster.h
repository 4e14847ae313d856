// What is free where, and the first place in file order where a demand fits. It knows no stage and no time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "policies/ids.h"
#include "policies/resources.h"

namespace headroom {

/// Where a running stage sits. One node is the common case and costs no allocation.
struct Allocation {
  struct Part {
    NodeId node;
    std::int64_t cores = 0;
  };
  NodeId first;
  std::vector<Part> further;  ///< `nodes: N` and spread widths: every part, the first included; else empty
};

/// The amount that a demand takes on one node.
[[nodiscard]] inline NodeCapacity per_node(const Demand& demand) { return {demand.cores, demand.memory, demand.gpus}; }
[[nodiscard]] inline bool covers(const NodeCapacity& free, const NodeCapacity& amount) {
  return free.cores >= amount.cores && free.memory >= amount.memory && free.gpus >= amount.gpus;
}

/// Component-wise maximum of what nodes have free: a demand above it fits nowhere.
using FreeBound = NodeCapacity;

class Cluster {
 public:
  explicit Cluster(ClusterCapacity capacity);

  DemandId add_demand(const Demand& demand);
  [[nodiscard]] const Demand& demand(DemandId id) const { return demands_[id.value]; }

  /// The least that some one node must have free for it: of a spread width nothing.
  [[nodiscard]] const NodeCapacity& amount(DemandId id) const { return needs_[id.value].amount; }

  /// Would it fit if nothing ran?
  [[nodiscard]] bool could_fit(DemandId id) const;
  [[nodiscard]] bool fits(DemandId id) const;
  /// Takes the first nodes in file order. False, and nothing taken, where it does not fit.
  bool place(DemandId id, Allocation& out) {
    if (!is_one_on_one(id)) return place_on_nodes(id, out);
    const NodeCapacity& amount = needs_[id.value].amount;
    if (!covers(free_.front(), amount)) return false;
    add_to_first(amount, -1);
    out.first = {0};
    out.further.clear();
    return true;
  }
  /// Takes exactly these nodes (checked to be free).
  void take(DemandId id, const Allocation& allocation) { apply(id, allocation, -1); }
  void give_back(DemandId id, const Allocation& allocation) {
    if (is_one_on_one(id) && !any_closed_)
      add_to_first(needs_[id.value].amount, +1);
    else
      apply(id, allocation, +1);
  }

  /// A closed node takes nothing new: what is free of it counts as taken, and what ends on it gives back nothing until
  /// it is opened again. Closing twice, or opening what is open, does nothing.
  void close(NodeId node);
  void open(NodeId node);
  [[nodiscard]] bool is_closed(NodeId node) const { return any_closed_ && closed_[node.value] != 0; }

  /// By node, 1: closed. Empty while none ever was.
  [[nodiscard]] std::span<const std::uint8_t> closed() const { return closed_; }
  /// What is free on closed nodes, in all.
  [[nodiscard]] NodeCapacity withheld() const;

  [[nodiscard]] std::int64_t free_cores() const { return free_cores_; }
  [[nodiscard]] std::size_t nodes() const { return free_.size(); }
  [[nodiscard]] const std::vector<NodeCapacity>& free() const { return free_; }
  [[nodiscard]] const std::vector<std::int64_t>& free_pools() const { return free_pools_; }
  [[nodiscard]] FreeBound free_bound() const;
  /// The first node from `from` on that has `amount` free; none().
  [[nodiscard]] NodeId first_fit(const NodeCapacity& amount, NodeId from = {0}) const;

 private:
  struct Need {
    NodeCapacity amount;
    bool on_one_node = false;  ///< amounts on one node are all that it asks for
  };

  /// The usual case, which should cost next to nothing: such a demand, and one node that all of it comes from.
  [[nodiscard]] bool is_one_on_one(DemandId id) const { return free_.size() == 1 && needs_[id.value].on_one_node; }
  void add_to_first(const NodeCapacity& amount, std::int64_t sign) {
    NodeCapacity& free = free_.front();
    free.cores += sign * amount.cores;
    free.memory += sign * amount.memory;
    free.gpus += sign * amount.gpus;
    free_cores_ += sign * amount.cores;
  }
  bool place_on_nodes(DemandId id, Allocation& out);
  void apply(DemandId id, const Allocation& allocation, std::int64_t sign);
  void add_free(NodeId node, const NodeCapacity& amount, std::int64_t sign);
  void set_leaf(NodeId node);

  ClusterCapacity capacity_;
  std::vector<NodeCapacity> free_;
  std::vector<std::int64_t> free_pools_;
  std::int64_t free_cores_ = 0;
  bool any_closed_ = false;             ///< some node is, or was once
  std::vector<std::uint8_t> closed_;    ///< by node; empty while none was
  std::vector<NodeCapacity> withheld_;  ///< of closed nodes: what is free of them in truth
  std::vector<NodeCapacity> tree_;      ///< component-wise maxima, root at 1; leaves from leaves_; empty for one node
  std::size_t leaves_ = 0;
  std::vector<Demand> demands_;
  std::vector<Need> needs_;  ///< by DemandId
  std::map<Demand, DemandId> demand_ids_;
};

[[nodiscard]] bool pools_cover(const std::vector<std::int64_t>& pools, const Demand& demand);
/// Does the demand fit on these free nodes and pools?
[[nodiscard]] bool demand_fits(const Demand& demand, const std::vector<NodeCapacity>& nodes,
                               const std::vector<std::int64_t>& pools);

}  // namespace headroom
