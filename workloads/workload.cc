#include "workloads/workload.h"

namespace headroom {

ClusterCapacity ClusterSpec::capacity() const {
  ClusterCapacity result;
  for (const NodeClass& nodes_of : classes) {
    result.nodes.insert(result.nodes.end(), static_cast<std::size_t>(nodes_of.count), nodes_of.capacity);
  }
  for (const auto& [name, amount] : pools) result.pools.push_back(amount);
  return result;
}

}  // namespace headroom
