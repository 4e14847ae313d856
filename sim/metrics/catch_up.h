// What follows from the policy's priority alone: effective priorities, and after which age nobody new comes first.
// It must know nothing of a run.
#pragma once

#include <span>
#include <vector>

#include "policies/policy.h"
#include "workloads/work.h"

namespace headroom {

/// The priority of a workflow's stages at an age, as the double that the policy's expression evaluates to.
///
/// Hours are whole hours plus the remainder, each as a double; then the four integers are added from left to right.
/// Source  Fuzzball's default expression.
[[nodiscard]] double effective_priority(const Work& work, Priority priority, std::uint32_t workflow, Duration age);

/// By workflow, in seconds: the smallest age after which no newcomer of base c can rank before it, c being the largest
/// base of the workflows submitted strictly later. 0 where nobody is submitted later.
///
/// With aging at one unit an hour it is (c - own base) hours, 0 if its own is not smaller. Without aging +inf if its
/// own base is smaller, or if it is equal and a tie can favour a newcomer; what decides is whether the policy's ties
/// *can* (any order by tail time, size or draw), not whether they did. Submission time favours the older one. So does
/// the declaration number, unless the workflow has a plan, whose steps may be declared after the newcomer. Plans rank
/// before other stages: a later workflow with a plan can always be favoured.
///
/// Cost   O(n log n), O(n) if they are in order of submission.
[[nodiscard]] std::vector<double> catch_up_ages_s(const Work& work, const Policy& policy,
                                                  std::span<const TimePoint> submitted_at);

}  // namespace headroom
