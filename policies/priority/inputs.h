// The names that a priority may use, in a scheduler, and their slots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/priority/environment.h"
#include "policies/priority/param.h"

namespace headroom::expr {

enum Slot : std::uint32_t {
  kOrganizationId,
  kOrganizationName,
  kOrganizationPriority,
  kAccountId,
  kAccountName,
  kAccountPriority,
  kUserId,
  kUserName,
  kUserPriority,
  kWorkflowId,
  kWorkflowName,
  kWorkflowPriority,
  kWorkflowCreateTime,
  kStageEstimate,
  kStageTailTime,
  kStageCores,
  kStageMemory,
  kStageGpus,
  kStageReadyTime,
  kStageAttempt,
  kQueueLength,
  kFixedSlots,  ///< parameters follow
};

/// organization, account, user, workflow, stage, queue; then each parameter by its bare name.
[[nodiscard]] Environment scheduler_environment(const std::vector<Param>& params);
[[nodiscard]] Value param_value(const Param& param);

}  // namespace headroom::expr
