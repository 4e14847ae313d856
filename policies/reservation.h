// The promise that EASY backfilling makes to the first stage that does not fit: the earliest time at which it fits by
// estimates, and the test that a start beside it does not move that time. On every resource that the stage asks for.
#pragma once

#include <utility>
#include <vector>

#include "policies/cluster.h"
#include "policies/ids.h"
#include "policies/resources.h"
#include "policies/time.h"

namespace headroom {

/// A running stage's end by its estimate.
struct ExpectedEnd {
  TimePoint at;
  StageId stage;
  DemandId demand;
  const Allocation* allocation = nullptr;
};

/// Latest first; no two are equal.
inline bool later_end(const ExpectedEnd& a, const ExpectedEnd& b) {
  return a.at != b.at ? a.at > b.at : a.stage > b.stage;
}

class Reservation {
 public:
  /// The earliest time at which `head` fits if nothing else starts.
  ///
  /// `ends`   what runs, latest end first. An end that has passed counts as 1 ns from now.
  /// Cost     O(what runs x nodes).
  void make(const Cluster& cluster, DemandId head, const std::vector<ExpectedEnd>& ends, TimePoint now);

  /// never(): it fits at no time.
  [[nodiscard]] TimePoint at() const { return at_; }
  /// What candidates that outlast at() may take of any one node at most.
  [[nodiscard]] FreeBound spare() const;

  /// Places the demand on the first node in file order where it fits now and leaves at() as it is. `nodes: N` takes the
  /// first such choice of nodes, in lexicographic file order; a width that spreads is only tried from the first node
  /// on. False, and nothing taken, where there is none. Cost  O(nodes).
  bool place_beside(Cluster& cluster, DemandId demand, TimePoint end, Allocation& out);
  /// Since the last call: was a width that spreads refused which a further start could make harmless? It takes cores in
  /// file order, so with fewer free on the first nodes it moves to others. All else that is refused stays refused.
  [[nodiscard]] bool take_second_chance() { return std::exchange(second_chance_, false); }

 private:
  [[nodiscard]] bool head_fits() const { return demand_fits(*head_, nodes_, pools_); }
  /// Would the head, if it sits on whole nodes, lose the node at at() to such an amount?
  [[nodiscard]] bool costs_a_node(NodeId node, const NodeCapacity& amount) const;
  [[nodiscard]] std::int64_t nodes_to_spare() const;
  bool choose_nodes(const Cluster& cluster, const Demand& demand, Allocation& out) const;
  /// At at(): sign -1 takes, +1 gives back.
  void apply(const Demand& demand, const Allocation& allocation, std::int64_t sign);

  const Cluster* cluster_ = nullptr;
  const Demand* head_ = nullptr;
  TimePoint at_;
  bool second_chance_ = false;
  std::vector<NodeCapacity> nodes_;  ///< free at at(), before the head is placed
  std::vector<std::int64_t> pools_;
};

}  // namespace headroom
