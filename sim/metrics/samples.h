// What `record:` asks for beside the summary: the length of the queue at regular times, and effective priorities of
// named workflows over time. Functions of the event log.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/policy.h"
#include "policies/time.h"
#include "sim/engine/run_log.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// Eligible stages at 0, every, 2 every … up to the end of the run; of an instant, after all that happened at it.
struct QueueSamples {
  std::vector<TimePoint> at;
  std::vector<std::int64_t> length;
};

/// The policy's value for a workflow at its submission, at each start of one of its stages, before and after each
/// change of its inputs, and at its end (or the run's): between them a built-in priority is linear. Submissions, starts
/// and changes in order of time, then the ends by workflow.
struct PriorityTrajectory {
  std::vector<TimePoint> at;
  std::vector<std::uint32_t> workflow;  ///< index in Work
  std::vector<double> effective_priority;
};

/// Fails  std::runtime_error for more than ten million samples.
/// Cost   O(events + samples).
[[nodiscard]] QueueSamples sample_queue(const Work& work, const RunLog& log, Duration every);

/// `names`  of work items (all their workflows) or of single workflows like base[17].
/// Cost     O(events + workflows).
[[nodiscard]] PriorityTrajectory trace_priorities(const Work& work, const RunLog& log, const Policy& policy,
                                                  const std::vector<std::string>& names);

}  // namespace headroom
