// The rules that make jobs of a trace's lines: which are kept, how wide they are, how long they run, whose they are.
// Internal to realise().
#pragma once

#include <cstdint>

#include "workloads/swf.h"
#include "workloads/work_builder.h"
#include "workloads/workload.h"

namespace headroom {

/// Adds the trace's jobs, each a workflow of one stage, in order of submission, and what was repaired to Work::repairs.
///
/// A job's width is field 8 (or 5, as `width` says), the other one where that is unknown. Left out: wider than the
/// whole cluster; of run time 0 with `zero_run: drop`; submitted outside [start, end). `jobs: N` keeps the first N of
/// the rest. The estimate is the requested time, else the run time. Then, in this order: overrun, exact estimates,
/// arrivals.
///
/// `repairs_prefix`  stands before each example: the item's name where there are several traces.
/// Fails  InputError: no job is left.
/// Cost   O(jobs).
void import_swf(const TraceItem& item, const SwfTrace& trace, const std::string& repairs_prefix, WorkBuilder& builder);

/// Cores of all nodes; what a trace's job may be wide at most.
[[nodiscard]] std::int64_t total_cores(const ClusterSpec& cluster);

}  // namespace headroom
