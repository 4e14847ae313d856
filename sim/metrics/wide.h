// Integers wide enough for sums of nanoseconds times cores or bytes, and what a cluster has in all.
#pragma once

#include "workloads/workload.h"

namespace headroom {

__extension__ typedef __int128 Int128;

/// Over all nodes.
struct ClusterTotals {
  Int128 cores = 0, memory = 0, gpus = 0;

  explicit ClusterTotals(const ClusterSpec& cluster) {
    for (const NodeClass& node : cluster.classes) {
      cores += Int128{node.count} * node.capacity.cores;
      memory += Int128{node.count} * node.capacity.memory;
      gpus += Int128{node.count} * node.capacity.gpus;
    }
  }
};

}  // namespace headroom
