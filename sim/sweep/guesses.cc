#include "sim/sweep/guesses.h"

#include <algorithm>
#include <string>

#include "sim/sweep/facts.h"

namespace headroom {

bool asks_for_estimates(const Policy& policy) {
  if (policy.placement != Placement::kGreedy && policy.placement != Placement::kStrict) return true;
  return std::ranges::any_of(
      policy.ties, [](Tie tie) { return tie == Tie::kTailTime || tie == Tie::kShortest || tie == Tie::kLongest; });
}

std::optional<Repair> missing_estimates(const Workload& workload) {
  Repair repair;
  for (const WorkItem& item : workload.items) {
    const auto* workflow = std::get_if<WorkflowItem>(&item);
    if (workflow == nullptr) continue;
    for (const StageTemplate& stage : workflow->stages) {
      if (stage.plan || stage.estimate || stage.walltime) continue;
      if (repair.count == 0) repair.example = "'" + stage.name + "' of workflow '" + workflow->name + "'";
      repair.count += stage.count.value_or(1);
    }
  }
  if (repair.count == 0) return std::nullopt;
  repair.what = "stages without an estimate, taken to last " + exact_text(workload.scheduler.default_estimate) +
                " (scheduler.default_estimate)";
  return repair;
}

}  // namespace headroom
