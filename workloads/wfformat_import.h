// A recorded workflow as work. Internal to realise().
#pragma once

#include <string>

#include "workloads/wfformat.h"
#include "workloads/work_builder.h"
#include "workloads/workload.h"

namespace headroom {

/// Adds the trace as one workflow, submitted at 0 in the account `trace`: each task is a stage in the file's order,
/// whose estimate is its run time. Memory is asked for if any node has some.
///
/// Fails  InputError: a task that the empty cluster cannot hold (all of them, up to 100).
/// Cost   O(tasks + dependencies).
void import_wfformat(const TraceItem& item, const WfTrace& trace, const std::string& repairs_prefix,
                     WorkBuilder& builder);

}  // namespace headroom
