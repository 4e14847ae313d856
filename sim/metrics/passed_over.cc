#include "sim/metrics/passed_over.h"

#include <algorithm>

#include "sim/metrics/passed_over_slots.h"
#include "sim/metrics/passed_over_wide.h"
#include "sim/metrics/wide.h"

namespace headroom {
namespace {

/// Cores of one node, or of all nodes together, are all that anybody asks for.
bool is_one_bin(const Work& work) {
  const bool one_node = work.cluster.classes.size() == 1 && work.cluster.classes.front().count == 1;
  return std::all_of(work.demands.begin(), work.demands.end(), [&](const Demand& demand) {
    return (demand.spread || (one_node && demand.nodes == 1)) && demand.memory == 0 && demand.gpus == 0 &&
           demand.pools.empty();
  });
}

}  // namespace

bool has_one_slot_stages_only(const Work& work) {
  return std::all_of(work.demands.begin(), work.demands.end(), [](const Demand& demand) {
    return demand.cores == 1 && demand.memory == 0 && demand.gpus == 0 && demand.nodes == 1 && demand.pools.empty();
  });
}

std::optional<std::vector<std::int64_t>> passed_over_times_ns(const Work& work, const RunLog& log,
                                                              const SubmissionRanks& ranks, const Measure& measure) {
  if (!measure.passed_over.value_or(true)) return std::nullopt;
  if (has_one_slot_stages_only(work)) {
    SlotsPassedOver reader(work, ranks);
    replay(work, log, reader);
    return reader.take();
  }
  if (work.stages() > kStagesPassedOverUnasked && !measure.passed_over) return std::nullopt;
  if (is_one_bin(work))
    return passed_over_of_cores_ns(work, log, ranks, static_cast<std::int64_t>(ClusterTotals(work.cluster).cores));
  return passed_over_of_nodes_ns(work, log, ranks);
}

}  // namespace headroom
