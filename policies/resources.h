// What a stage asks for and what a cluster has: plain values.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "policies/ids.h"

namespace headroom {

/// Request of one stage. Amounts are per node for each of `nodes` nodes, except where `spread` is set.
struct Demand {
  std::int64_t cores = 1;
  std::int64_t memory = 0;  ///< bytes
  std::int64_t gpus = 0;
  std::int32_t nodes = 1;  ///< that many different nodes, the amounts on each
  bool spread = false;     ///< cores in all, over as many nodes as it takes (a trace's width); no memory, no gpus
  std::vector<std::pair<PoolId, std::int64_t>>
      pools;  ///< by rising PoolId, amounts > 0, once per stage; a PoolId outside the cluster never fits

  friend bool operator==(const Demand&, const Demand&) = default;
  friend auto operator<=>(const Demand&, const Demand&) = default;
};

/// One node's capacity. Amounts >= 0.
struct NodeCapacity {
  std::int64_t cores = 1;
  std::int64_t memory = 0;  ///< bytes
  std::int64_t gpus = 0;

  friend bool operator==(const NodeCapacity&, const NodeCapacity&) = default;
};

/// All nodes in file order, and the pools' amounts by PoolId. `slots: N` is one node of N cores.
struct ClusterCapacity {
  std::vector<NodeCapacity> nodes;
  std::vector<std::int64_t> pools;
};

}  // namespace headroom
