// How long each stage waited although it would have fitted beside the older workflows alone, where stages ask for more
// than a slot: any amounts, several nodes, pools.
// It must know nothing of the scheduler: what runs where is read from the log.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/run_log.h"
#include "sim/metrics/submission_order.h"
#include "workloads/work.h"

namespace headroom {

/// passed_over_times_ns() where every stage asks for cores out of one bin of `cores`: one node, or widths that spread
/// over all nodes.
/// Cost   O(waiting / 64) an event, O(64) more for each block of the queue in which somebody begins or ceases to fit.
[[nodiscard]] std::vector<std::int64_t> passed_over_of_cores_ns(const Work& work, const RunLog& log,
                                                                const SubmissionRanks& ranks, std::int64_t cores);

/// The same for any cluster and any demand: node by node what is free there and what later submissions hold there has
/// to cover it, on as many nodes as it asks for; of its pools likewise.
/// Cost   O(waiting + running on the node) an event; O(nodes + running) for each that enters the queue.
[[nodiscard]] std::vector<std::int64_t> passed_over_of_nodes_ns(const Work& work, const RunLog& log,
                                                                const SubmissionRanks& ranks);

}  // namespace headroom
