// Who may do what: pure functions of how an actor stands to what is concerned. They must never know a name, a file or
// a time. One check serves submission, scoring and update, so that what you can submit you can set, and the reverse.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headroom {

/// How an actor stands to one account and to the organization that the account belongs to. The organization that the
/// actor has selected as context is no part of it, on purpose: it never counts.
struct Standing {
  bool member = false;
  bool account_owner = false;
  bool organization_owner = false;  ///< the plain relation, granted on the cluster that orchestrates
  bool federate_owner = false;      ///< granted on a federate: no plain owner
  bool owner_elsewhere = false;     ///< plain owner of some other organization
};

/// What decided. The words are what audits store: the rule's number, or what the roles of the system say.
enum class Rule : std::uint8_t {
  kRoles,            ///< who may submit to an account at all, and who may change nodes
  kEntityPriority,   ///< R6: entities' priorities are for administrators and owners of organizations
  kSubmission,       ///< R8: an ordinary submitter's priority is at most 0
  kOwner,            ///< R9: an owner of the account's organization may go above 0
  kAccountOwner,     ///< R11: owning the account is not owning the organization
  kUpdate,           ///< R18: the same ceiling on an update
  kOwnOrganization,  ///< R19: the organization of the workflow's own account counts, no other
  kFederate,         ///< R20: a federate owner cannot go above 0
  kEnded,            ///< R22: what has ended is not changed
  kOwnership,        ///< R23: only who owns the workflow
  kEntity,           ///< R25: who sets which entity's priority
};
/// "roles", "R6", "R8" …; index = enumerator.
[[nodiscard]] std::span<const std::string_view> rule_words();

struct Decision {
  bool allowed = false;
  Rule rule = Rule::kRoles;
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// `workflow start` and `workflow score` with that priority, in the account that the standing is to.
[[nodiscard]] Decision may_submit(const Standing& actor, std::int64_t priority);
/// May the actor set the priority of a workflow of that account? `owns`: see owns_workflow().
[[nodiscard]] Decision may_update(const Standing& actor, bool owns, std::int64_t priority);
/// Stop it, and add or remove owners of it.
[[nodiscard]] Decision may_stop(bool owns);

/// `is_listed`: the actor is in the workflow's set of owners. An owner of the organization counts as one where
/// `implied`; owners of the account and of a federate do not.
[[nodiscard]] bool owns_workflow(const Standing& actor, bool is_listed, bool implied = true);

[[nodiscard]] Decision may_set_organization_priority(bool administrator);
/// Of an account, or of a user some account of whom is in an organization that the actor owns.
[[nodiscard]] Decision may_set_member_priority(bool organization_owner);
[[nodiscard]] Decision may_change_node(bool administrator);

}  // namespace headroom
