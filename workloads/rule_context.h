// What a priority expression sees of a run beside the numbers: dates and names.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/expression_rule.h"
#include "workloads/work.h"

namespace headroom {

/// `work` must outlive it, and so must `workflow_of_id`: the index of a workflow in `work` by its id; null: ids are
/// indices.
[[nodiscard]] RuleContext rule_context(const Work& work, const std::vector<std::uint32_t>* workflow_of_id = nullptr);

}  // namespace headroom
