// One function for each kind of item of `work:`. Internal to realise().
#pragma once

#include "workloads/work_builder.h"
#include "workloads/workload.h"

namespace headroom {

/// A workflow of a static graph or of plans: arrays expanded, names and files tied to rows, programs written out.
/// Fails  InputError: too many stages or needs; a stage of a static graph that the empty cluster cannot hold.
void add_workflow_item(const WorkflowItem& item, const SchedulerSettings& scheduler, WorkBuilder& builder);

/// Generated workflows of one stage or of a shape; none where the item is not enabled.
/// Fails  InputError: too many workflows, stages or needs; a drawn stage that the empty cluster cannot hold.
void add_generate_item(const GenerateItem& item, const SchedulerSettings& scheduler, WorkBuilder& builder);

}  // namespace headroom
