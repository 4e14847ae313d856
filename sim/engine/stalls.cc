#include "sim/engine/stalls.h"

#include <algorithm>

namespace headroom {
namespace {

constexpr std::size_t kShown = 10;

Stall cause_of(const Work& work, const Scheduler& scheduler, const std::vector<StageRow>& row_of, StageId stage) {
  Stall stall;
  stall.stage = row_of[stage.value];
  if (!scheduler.could_fit(stage)) {
    stall.cause = Stall::Cause::kTooLarge;
    return stall;
  }
  for (const ArtifactId need : scheduler.undeclared_needs(stage)) {
    const bool missing = need.value >= work.stages();
    stall.cause = missing ? Stall::Cause::kMissing : Stall::Cause::kUndeclared;
    stall.other = missing ? need.value - static_cast<std::uint32_t>(work.stages()) : need.value;
    return stall;
  }
  if (const StageId plan = scheduler.gating_plan(stage); !plan.is_none()) {
    stall.cause = Stall::Cause::kHeld;
    stall.other = row_of[plan.value];
    return stall;
  }
  stall.cause = Stall::Cause::kWaitsFor;
  stall.other = stall.stage;
  for (const StageId producer : scheduler.producers(stage))
    if (scheduler.status(producer) != StageStatus::kFinished) {
      stall.other = row_of[producer.value];
      break;
    }
  return stall;
}

}  // namespace

void explain_stalls(const Work& work, const Scheduler& scheduler, const std::vector<StageRow>& row_of, RunLog& log) {
  std::vector<Stall> roots, others;
  for (std::uint32_t s = 0; s < scheduler.stages(); ++s) {
    const StageStatus status = scheduler.status({s});
    if (status != StageStatus::kBlocked && status != StageStatus::kEligible) continue;
    ++log.stalled_stages;
    const Stall stall = cause_of(work, scheduler, row_of, {s});
    auto& list = stall.cause == Stall::Cause::kWaitsFor ? others : roots;
    if (list.size() < kShown) list.push_back(stall);
  }
  roots.insert(roots.end(), others.begin(), others.end());
  roots.resize(std::min(roots.size(), kShown));
  log.stalls = std::move(roots);
}

}  // namespace headroom
