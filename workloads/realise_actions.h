// Actions once the work is known: which workflows and nodes their names stand for. Internal to realise().
#pragma once

#include <vector>

#include "workloads/work.h"

namespace headroom {

/// The actions by time, at one instant in file order. A name that stands for nothing is left unresolved: the engine
/// says so when the time comes.
/// Cost  O(actions x items), and O(jobs of a trace) for one that names a job.
[[nodiscard]] std::vector<Action> resolved_actions(std::vector<Action> actions, const Work& work);

}  // namespace headroom
