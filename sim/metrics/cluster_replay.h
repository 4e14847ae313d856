// The free resources of every node as the event log is read, where stages are put as they were put then.
// It must know no metric.
#pragma once

#include <cstddef>
#include <vector>

#include "policies/cluster.h"
#include "sim/engine/run_log.h"
#include "workloads/work.h"

namespace headroom {

class ClusterReplay {
 public:
  ClusterReplay(const Work& work, const RunLog& log) : log_(log), cluster_(work.cluster.capacity()), work_(work) {
    for (const Demand& demand : work.demands) demands_.push_back(cluster_.add_demand(demand));
    where_.resize(work.stages());
  }

  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] DemandId demand(StageRow row) const { return demands_[work_.demand[row]]; }
  [[nodiscard]] DemandId demand_at(std::size_t index) const { return demands_[index]; }

  /// The next start of the log is of that stage: where it goes is known from now on, but it takes nothing yet.
  void locate(StageRow row) {
    Allocation& where = where_[row];
    where.first = log_.starts[next_start_].node;
    where.further.clear();
    const Demand& wanted = work_.demands[work_.demand[row]];
    std::int64_t further = 0;
    const auto& parts = log_.further_nodes;
    for (std::size_t i = next_part_; i < parts.size() && parts[i].start == next_start_; ++i) further += parts[i].cores;
    if (next_part_ < parts.size() && parts[next_part_].start == next_start_)
      where.further.push_back({where.first, wanted.spread ? wanted.cores - further : wanted.cores});
    for (; next_part_ < parts.size() && parts[next_part_].start == next_start_; ++next_part_)
      where.further.push_back({parts[next_part_].node, parts[next_part_].cores});
    ++next_start_;
  }
  /// Is what it will take free by now?
  [[nodiscard]] bool is_free(StageRow row) const {
    const Demand& wanted = work_.demands[work_.demand[row]];
    const Allocation& where = where_[row];
    const auto has = [&](NodeId node, std::int64_t cores) {
      return covers(cluster_.free()[node.value], {cores, wanted.memory, wanted.gpus});
    };
    if (!pools_cover(cluster_.free_pools(), wanted)) return false;
    if (where.further.empty()) return has(where.first, wanted.cores);
    for (const auto& part : where.further)
      if (!has(part.node, part.cores)) return false;
    return true;
  }
  void take(StageRow row) { cluster_.take(demand(row), where_[row]); }
  void end(StageRow row) { cluster_.give_back(demand(row), where_[row]); }

  /// Does a node change before event `position`?
  [[nodiscard]] bool node_changes_before(std::size_t position) const {
    return next_node_ < log_.control.nodes.size() && log_.control.nodes[next_node_].position <= position;
  }
  [[nodiscard]] TimePoint next_node_change_at() const { return log_.control.nodes[next_node_].at; }
  void change_node() {
    const NodeChange& change = log_.control.nodes[next_node_++];
    change.takes_work ? cluster_.open(change.node) : cluster_.close(change.node);
  }

 private:
  const RunLog& log_;
  Cluster cluster_;
  const Work& work_;
  std::vector<DemandId> demands_;
  std::vector<Allocation> where_;
  std::size_t next_start_ = 0, next_part_ = 0, next_node_ = 0;
};

}  // namespace headroom
