#include "policies/permissions.h"

#include <array>

namespace headroom {
namespace {

constexpr std::array<std::string_view, 11> kRuleWords{"roles", "R6",  "R8",  "R9",  "R11", "R18",
                                                      "R19",   "R20", "R22", "R23", "R25"};

/// The ceiling that start, score and update share. `ordinary`: the rule that names it where nothing closer does.
Decision within_ceiling(const Standing& actor, std::int64_t priority, Rule ordinary) {
  if (priority <= 0) return {true, ordinary};
  if (actor.organization_owner) return {true, Rule::kOwner};
  // Refused; which rule, by the closest thing to an owner that the actor is.
  if (actor.federate_owner) return {false, Rule::kFederate};
  if (actor.account_owner) return {false, Rule::kAccountOwner};
  if (actor.owner_elsewhere) return {false, Rule::kOwnOrganization};
  return {false, ordinary};
}

}  // namespace

std::span<const std::string_view> rule_words() { return kRuleWords; }

Decision may_submit(const Standing& actor, std::int64_t priority) {
  const bool belongs = actor.member || actor.account_owner || actor.organization_owner || actor.federate_owner;
  if (!belongs) return {false, Rule::kRoles};
  return within_ceiling(actor, priority, Rule::kSubmission);
}

Decision may_update(const Standing& actor, bool owns, std::int64_t priority) {
  // Two independent checks, both needed.
  if (!owns) return {false, Rule::kOwnership};
  return within_ceiling(actor, priority, Rule::kUpdate);
}

Decision may_stop(bool owns) { return {owns, Rule::kOwnership}; }

bool owns_workflow(const Standing& actor, bool is_listed, bool implied) {
  return is_listed || (implied && actor.organization_owner);
}

Decision may_set_organization_priority(bool administrator) {
  return {administrator, administrator ? Rule::kEntity : Rule::kEntityPriority};
}

Decision may_set_member_priority(bool organization_owner) {
  return {organization_owner, organization_owner ? Rule::kEntity : Rule::kEntityPriority};
}

Decision may_change_node(bool administrator) { return {administrator, Rule::kRoles}; }

}  // namespace headroom
