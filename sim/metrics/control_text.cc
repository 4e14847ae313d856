#include "sim/metrics/control_text.h"

#include <array>
#include <string_view>

namespace headroom {
namespace {

constexpr std::size_t kNamed = 10;

std::string quoted(const std::string& name) { return "'" + name + "'"; }

const std::string& user(const Work& work, std::uint32_t index) { return work.tenants.users[index].name; }

/// The account of what an entry is about: workflows have one, scores ask for one.
std::uint32_t account_of(const Work& work, const AuditEntry& entry) {
  return entry.target == Action::Target::kWorkflow ? work.account[entry.index] : entry.index;
}

std::string organization_of(const Work& work, const AuditEntry& entry) {
  const AccountSpec& account = work.tenants.accounts[account_of(work, entry)];
  return "organization " + quoted(work.tenants.organizations[account.organization].name) + ", to which account " +
         quoted(account.name) + " belongs";
}

bool is_forwarded(const Work& work, const AuditEntry& entry) {
  if (entry.target != Action::Target::kWorkflow) return false;
  return work.tenants.organizations[work.tenants.accounts[work.account[entry.index]].organization].on_federate;
}

std::string ceiling_text(const Work& work, const AuditEntry& entry) {
  const std::string actor = quoted(user(work, entry.actor));
  const std::string owner = "above 0 takes an owner of " + organization_of(work, entry);
  switch (entry.rule) {
    case Rule::kAccountOwner:
      return owner + "; " + actor + " owns the account only";
    case Rule::kOwnOrganization:
      return owner + "; " + actor + " owns another organization, and the selected context does not count";
    case Rule::kFederate:
      return owner + "; " + actor + " owns it on a federate only, which is not that relation";
    default:
      return owner + "; the ceiling of " + actor + " is 0";
  }
}

std::string entity_text(const Work& work, const AuditEntry& entry) {
  const std::string actor = quoted(user(work, entry.actor));
  if (entry.target == Action::Target::kOrganization)
    return entry.applied ? actor + " is an administrator" : "an organization's priority is set by administrators alone";
  if (entry.target == Action::Target::kUser) {
    const std::string owner = "an owner of an organization in one of whose accounts the user is";
    return entry.applied ? actor + " is " + owner : "a user's priority is set by " + owner;
  }
  const std::string organization =
      quoted(work.tenants.organizations[work.tenants.accounts[entry.index].organization].name);
  return entry.applied ? actor + " owns organization " + organization
                       : "the priority of an account is set by owners of its organization, here " + organization;
}

std::string rule_text(const Work& work, const AuditEntry& entry) {
  const std::string actor = quoted(user(work, entry.actor));
  switch (entry.rule) {
    case Rule::kRoles:
      if (entry.target == Action::Target::kNode) return "nodes are changed by administrators alone";
      return actor + " is not in account " + quoted(work.tenants.accounts[account_of(work, entry)].name);
    case Rule::kEntityPriority:
    case Rule::kEntity:
      return entity_text(work, entry);
    case Rule::kOwner:
      return actor + " owns " + organization_of(work, entry);
    case Rule::kOwnership:
      if (entry.applied) return actor + " owns the workflow";
      return actor + " is no owner of it: it was submitted by " + quoted(user(work, work.user[entry.index]));
    default:
      return entry.applied ? "at most 0, by an owner of the workflow" : ceiling_text(work, entry);
  }
}

std::string plural(std::uint32_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string ended_text(const Work& work, const Reply& reply) {
  std::string text;
  for (std::size_t i = 0; i < reply.ended.size() && i < kNamed; ++i)
    text += (i == 0 ? "" : ", ") + work.workflow_name(reply.ended[i]);
  if (reply.ended.size() > kNamed) text += " and " + std::to_string(reply.ended.size() - kNamed) + " more";
  return text;
}

/// What was done to `what`.
std::string done_text(const Work& work, const Action& action, const std::string& what) {
  constexpr std::string_view kNext = ", which the scheduler's next pass will see";
  switch (action.kind) {
    case Action::Kind::kUpdate:
      return "priority of " + what + " set to " + std::to_string(action.priority) + std::string(kNext);
    case Action::Kind::kStop:
      return what + " stopped";
    case Action::Kind::kScore:
      return "a workflow of priority " + std::to_string(action.priority) + " would be accepted in " + what;
    case Action::Kind::kAddOwner:
      return quoted(user(work, action.user)) + " owns " + what + " from now on";
    case Action::Kind::kRemoveOwner:
      return quoted(user(work, action.user)) + " does not own " + what + " any more";
    case Action::Kind::kFail:
      return what + " failed";
    case Action::Kind::kCordon:
      return what + " takes no new work" + std::string(kNext);
    case Action::Kind::kUncordon:
      return what + " takes work again" + std::string(kNext);
    default:
      return what + " shown";
  }
}

constexpr std::array<std::string_view, 6> kTargets{"workflow", "organization", "account", "user", "node", "queue"};

std::string action_target(const Action& action) {
  const std::string kind(kTargets[static_cast<std::size_t>(action.target)]);
  return action.target == Action::Target::kQueue ? kind : kind + " " + quoted(action.name);
}

}  // namespace

std::string node_name(const ClusterSpec& cluster, NodeId node) {
  std::int64_t first = 0;
  for (const NodeClass& nodes : cluster.classes) {
    if (node.value < first + nodes.count) return nodes.name + "[" + std::to_string(node.value - first) + "]";
    first += nodes.count;
  }
  return "node " + std::to_string(node.value);
}

std::string target_text(const Work& work, Action::Target target, std::uint32_t index) {
  const std::string kind(kTargets[static_cast<std::size_t>(target)]);
  switch (target) {
    case Action::Target::kWorkflow:
      return kind + " " + work.workflow_name(index);
    case Action::Target::kOrganization:
      return kind + " " + work.tenants.organizations[index].name;
    case Action::Target::kAccount:
      return kind + " " + work.tenants.accounts[index].name;
    case Action::Target::kUser:
      return kind + " " + work.tenants.users[index].name;
    case Action::Target::kNode:
      return kind + " " + node_name(work.cluster, {index});
    case Action::Target::kQueue:
      break;
  }
  return kind;
}

std::string target_text(const Work& work, const AuditEntry& entry) {
  if (!entry.applied && entry.action && work.actions[*entry.action].is_pattern())
    return "workflow " + work.actions[*entry.action].name;
  return target_text(work, entry.target, entry.index);
}

std::string why_text(const Work& work, const AuditEntry& entry) {
  std::string text = rule_text(work, entry);
  if (is_forwarded(work, entry)) text += "; forwarded by the organization's federate";
  if (!entry.applied && entry.action && work.actions[*entry.action].is_pattern())
    text += "; so for " + std::to_string(entry.refused) + " of " + plural(entry.of, "workflow") + ", the first is " +
            work.workflow_name(entry.index);
  return text;
}

std::string reply_text(const Work& work, const Reply& reply) {
  const Action& action = work.actions[reply.action];
  const std::string target = action_target(action);
  const std::string what = action.is_pattern() ? plural(reply.done, "workflow") + " of " + quoted(action.name) : target;
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (reply.done > 0) add(done_text(work, action, what));
  if (reply.unchanged > 0)
    add(action.is_pattern() ? plural(reply.unchanged, "workflow") + " unchanged" : target + " was so already");
  if (reply.refused > 0)
    add(action.is_pattern() ? "refused for " + plural(reply.refused, "workflow") : "refused: " + target);
  if (!reply.ended.empty()) {
    add(action.is_pattern() ? std::to_string(reply.ended.size()) + " had ended already: " + ended_text(work, reply)
                            : target + " has ended already: nothing is recorded");
  }
  if (reply.not_there > 0) {
    if (action.is_pattern() && action.workflows > 0)
      add(plural(reply.not_there, "workflow") + " not submitted yet");
    else if (action.kind == Action::Kind::kDescribe)
      add(target + " has no such stage now");
    else
      add("there is no " + target + (action.workflows > 0 ? " yet: it has not been submitted" : ""));
  }
  return text.empty() ? "nothing to do" : text;
}

}  // namespace headroom
