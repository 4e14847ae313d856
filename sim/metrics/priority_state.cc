#include "sim/metrics/priority_state.h"

#include <algorithm>
#include <numeric>

namespace headroom {

PriorityInputs PriorityState::inputs(std::uint32_t w, TimePoint created_at) const {
  const std::uint32_t account = work_.account[w], user = work_.user[w];
  const AccountSpec& of = work_.tenants.accounts[account];
  PriorityInputs in;
  in.created_at = created_at;
  in.organization =
      value(Factor::kOrganization, of.organization, work_.tenants.organizations[of.organization].priority);
  in.account = value(Factor::kAccount, account, of.priority);
  in.user = value(Factor::kUser, user, work_.tenants.users[user].priority);
  in.workflow = value(Factor::kWorkflow, w, work_.priority[w]);
  in.organization_id = {of.organization};
  in.account_id = {account};
  in.user_id = {user};
  in.workflow_id = {w};
  return in;
}

std::vector<PriorityInputs> inputs_at_submission(const Work& work, const ControlLog& control,
                                                 const std::vector<TimePoint>& submitted_at) {
  const bool any = std::ranges::any_of(control.changes,
                                       [](const PriorityChange& change) { return change.factor != Factor::kWorkflow; });
  if (!any) return {};
  ControlLog entities;
  for (const PriorityChange& change : control.changes)
    if (change.factor != Factor::kWorkflow) entities.changes.push_back(change);
  // What comes at one instant: submissions first, then changes.
  for (PriorityChange& change : entities.changes) change.position = static_cast<std::size_t>(change.at.ns) + 1;
  PriorityState state(work, entities);
  std::vector<std::uint32_t> order(work.workflows());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t w) { return submitted_at[w]; });
  std::vector<PriorityInputs> inputs(work.workflows());
  for (const std::uint32_t w : order) {
    state.advance(static_cast<std::size_t>(submitted_at[w].ns));
    inputs[w] = state.inputs(w, submitted_at[w]);
  }
  return inputs;
}

}  // namespace headroom
