#include "sim/engine/control_plane.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "workloads/tenants.h"

namespace headroom {
namespace {

using Outcome = Reply::Outcome;

constexpr AuditEntry::Verb verb_of(Action::Kind kind) {
  switch (kind) {
    case Action::Kind::kScore:
      return AuditEntry::Verb::kScore;
    case Action::Kind::kStop:
      return AuditEntry::Verb::kStop;
    case Action::Kind::kAddOwner:
      return AuditEntry::Verb::kAddOwner;
    case Action::Kind::kRemoveOwner:
      return AuditEntry::Verb::kRemoveOwner;
    case Action::Kind::kFail:
      return AuditEntry::Verb::kFail;
    case Action::Kind::kCordon:
      return AuditEntry::Verb::kCordon;
    case Action::Kind::kUncordon:
      return AuditEntry::Verb::kUncordon;
    default:
      return AuditEntry::Verb::kUpdate;
  }
}

Factor factor_of(Action::Target target) { return static_cast<Factor>(target); }

}  // namespace

ControlPlane::ControlPlane(const Work& work, Scheduler& scheduler, ControlHost& host, ControlLog& log)
    : work_(work), scheduler_(scheduler), host_(host), log_(log) {
  for (const OrganizationSpec& organization : work.tenants.organizations)
    organizations_.push_back(organization.priority);
  for (const AccountSpec& account : work.tenants.accounts) accounts_.push_back(account.priority);
  for (const UserSpec& user : work.tenants.users) users_.push_back(user.priority);
}

// ---- submissions

bool ControlPlane::admits(std::uint32_t w, TimePoint now) {
  const std::int64_t priority = work_.priority[w];
  if (priority <= 0) return true;
  AuditEntry entry;
  const Decision decision = may_submit(standing_of(work_.tenants, work_.user[w], work_.account[w]), priority);
  entry.at = now;
  entry.actor = work_.user[w];
  entry.verb = AuditEntry::Verb::kStart;
  entry.index = w;
  entry.new_value = priority;
  entry.applied = decision.allowed;
  entry.rule = decision.rule;
  log_.audit.push_back(entry);
  if (!decision.allowed) log_.refused_workflows.push_back(w);
  return decision.allowed;
}

// ---- time

TimePoint ControlPlane::next_at() const {
  const TimePoint next = next_ < work_.actions.size() ? work_.actions[next_].at : TimePoint::never();
  return endings_.empty() ? next : std::min(next, endings_.front().at);
}

void ControlPlane::act(TimePoint now) {
  now_ = now;
  while (!endings_.empty() && endings_.front().at == now) {
    const Ending ending = endings_.front();
    endings_.erase(endings_.begin());
    end_by_itself(ending);
  }
  for (; next_ < work_.actions.size() && work_.actions[next_].at == now; ++next_)
    perform(work_.actions[next_], static_cast<std::uint32_t>(next_));
}

void ControlPlane::close() { log_.actions_left = static_cast<std::uint32_t>(work_.actions.size() - next_); }

void ControlPlane::perform(const Action& action, std::uint32_t number) {
  number_ = number;
  Reply reply;
  reply.action = number;
  switch (action.kind) {
    case Action::Kind::kUpdate:
      action.target == Action::Target::kWorkflow ? update_workflows(action, reply) : update_entity(action, reply);
      break;
    case Action::Kind::kStop:
      stop(action, reply);
      break;
    case Action::Kind::kScore:
      score(action, reply);
      break;
    case Action::Kind::kAddOwner:
    case Action::Kind::kRemoveOwner:
      change_owner(action, reply);
      break;
    case Action::Kind::kDescribe:
      describe(action, reply);
      break;
    case Action::Kind::kQueue:
      view_queue(action, reply);
      break;
    case Action::Kind::kFail:
    case Action::Kind::kCordon:
    case Action::Kind::kUncordon:
      change_node(action, reply);
      break;
  }
  reply.outcome = reply.refused > 0      ? Outcome::kRefused
                  : reply.done > 0       ? Outcome::kDone
                  : reply.unchanged > 0  ? Outcome::kUnchanged
                  : !reply.ended.empty() ? Outcome::kEnded
                                         : Outcome::kNotThere;
  log_.replies.push_back(std::move(reply));
}

// ---- who owns what

bool ControlPlane::owns(std::uint32_t user, std::uint32_t w) const {
  const auto changed = owners_.find(w);
  const bool listed = changed == owners_.end() ? work_.user[w] == user
                                               : std::ranges::find(changed->second, user) != changed->second.end();
  return owns_workflow(standing_of(work_.tenants, user, work_.account[w]), listed,
                       work_.tenants.org_owner_implies_workflow_owner);
}

std::vector<std::uint32_t>& ControlPlane::owners_of(std::uint32_t w) {
  return owners_.try_emplace(w, std::vector<std::uint32_t>{work_.user[w]}).first->second;
}

AuditEntry& ControlPlane::audit(const Action& action, std::uint32_t index, Decision decision) {
  AuditEntry entry;
  entry.at = now_;
  entry.actor = action.by;
  entry.context = action.context;
  entry.verb = verb_of(action.kind);
  entry.target = action.target;
  entry.index = index;
  entry.action = number_;
  entry.applied = decision.allowed;
  entry.rule = decision.rule;
  log_.audit.push_back(entry);
  return log_.audit.back();
}

std::vector<std::uint32_t> ControlPlane::living(const Action& action, Reply& reply) const {
  std::vector<std::uint32_t> found;
  if (action.workflows == 0) reply.not_there = 1;
  for (std::uint32_t w = action.first_workflow; w < action.first_workflow + action.workflows; ++w) {
    const WorkflowId id = host_.id_of(w);
    if (id.is_none())
      ++reply.not_there;
    else if (scheduler_.live_stages(id) == 0)
      reply.ended.push_back(w);
    else
      found.push_back(w);
  }
  return found;
}

// ---- priorities

void ControlPlane::stamp(const PriorityChange& change, const std::vector<WorkflowId>& workflows) {
  const auto number = static_cast<std::uint32_t>(log_.changes.size());
  log_.changes.push_back(change);
  log_.changes.back().workflows = static_cast<std::uint32_t>(workflows.size());
  for (const WorkflowId id : workflows)
    for (const StageId stage : scheduler_.unfinished_stages(id)) log_.stamps.push_back({number, host_.row_of(stage)});
}

void ControlPlane::update_workflows(const Action& action, Reply& reply) {
  std::vector<WorkflowId> changed;
  std::optional<std::size_t> refusal;  // one entry for all that are refused
  const std::vector<std::uint32_t> targets = living(action, reply);
  for (const std::uint32_t w : targets) {
    const Standing standing = standing_of(work_.tenants, action.by, work_.account[w]);
    const Decision decision = may_update(standing, owns(action.by, w), action.priority);
    const auto known = priorities_.find(w);
    const std::int64_t old_value = known == priorities_.end() ? work_.priority[w] : known->second;
    if (!decision.allowed) {
      ++reply.refused;
      if (!refusal) {
        AuditEntry& entry = audit(action, w, decision);
        entry.new_value = action.priority;
        if (!action.is_pattern()) entry.old_value = old_value;
        refusal = log_.audit.size() - 1;
      }
      continue;
    }
    if (old_value == action.priority) {
      ++reply.unchanged;
      continue;
    }
    ++reply.done;
    AuditEntry& entry = audit(action, w, decision);
    entry.old_value = old_value;
    entry.new_value = action.priority;
    priorities_[w] = action.priority;
    const WorkflowId id = host_.id_of(w);
    changed.push_back(id);
    stamp({now_, host_.position(), Factor::kWorkflow, w, old_value, action.priority, action.by, 0}, {id});
  }
  if (refusal) {
    log_.audit[*refusal].refused = reply.refused;
    log_.audit[*refusal].of = static_cast<std::uint32_t>(targets.size());
  }
  scheduler_.set_priority(changed, action.priority);
}

std::int64_t& ControlPlane::entity_priority(Action::Target target, std::uint32_t index) {
  if (target == Action::Target::kOrganization) return organizations_[index];
  return target == Action::Target::kAccount ? accounts_[index] : users_[index];
}

bool ControlPlane::concerns(Action::Target target, std::uint32_t index, std::uint32_t w) const {
  if (target == Action::Target::kUser) return work_.user[w] == index;
  if (target == Action::Target::kAccount) return work_.account[w] == index;
  return work_.tenants.accounts[work_.account[w]].organization == index;
}

void ControlPlane::update_entity(const Action& action, Reply& reply) {
  const Tenants& tenants = work_.tenants;
  Decision decision;
  bool federate = false;
  switch (action.target) {
    case Action::Target::kOrganization:
      decision = may_set_organization_priority(is_administrator(tenants, action.by));
      federate = tenants.organizations[action.index].on_federate;
      break;
    case Action::Target::kAccount: {
      const std::uint32_t organization = tenants.accounts[action.index].organization;
      decision = may_set_member_priority(owns_organization(tenants, action.by, organization));
      federate = tenants.organizations[organization].on_federate;
      break;
    }
    default:
      decision = may_set_member_priority(owns_organization_of(tenants, action.by, action.index));
      break;
  }
  std::int64_t& value = entity_priority(action.target, action.index);
  if (decision.allowed && value == action.priority) {
    reply.unchanged = 1;
    return;
  }
  AuditEntry& entry = audit(action, action.index, decision);
  entry.old_value = value;
  entry.new_value = action.priority;
  entry.decided_on_federate = federate;
  if (!decision.allowed) {
    reply.refused = 1;
    return;
  }
  reply.done = 1;
  std::vector<WorkflowId> unfinished;
  for (std::uint32_t id = 0; id < host_.submitted(); ++id)
    if (scheduler_.live_stages({id}) > 0 && concerns(action.target, action.index, host_.index_of({id})))
      unfinished.push_back({id});
  stamp({now_, host_.position(), factor_of(action.target), action.index, value, action.priority, action.by, 0},
        unfinished);
  value = action.priority;
  if (action.target == Action::Target::kOrganization)
    scheduler_.set_priority(OrganizationId{action.index}, value);
  else if (action.target == Action::Target::kAccount)
    scheduler_.set_priority(AccountId{action.index}, value);
  else
    scheduler_.set_priority(UserId{action.index}, value);
}

// ---- workflows otherwise

void ControlPlane::stop(const Action& action, Reply& reply) {
  std::optional<std::size_t> refusal;
  const std::vector<std::uint32_t> targets = living(action, reply);
  for (const std::uint32_t w : targets) {
    const Decision decision = may_stop(owns(action.by, w));
    if (decision.allowed) {
      ++reply.done;
      log_.stops.push_back({now_, w, action.by});
      host_.stop(w);
      continue;
    }
    if (++reply.refused > 1) continue;
    audit(action, w, decision);
    refusal = log_.audit.size() - 1;
  }
  if (!refusal) return;
  log_.audit[*refusal].refused = reply.refused;
  log_.audit[*refusal].of = static_cast<std::uint32_t>(targets.size());
}

void ControlPlane::change_owner(const Action& action, Reply& reply) {
  for (const std::uint32_t w : living(action, reply)) {
    const Decision decision = may_stop(owns(action.by, w));
    if (!decision.allowed) {
      if (++reply.refused == 1) audit(action, w, decision);
      continue;
    }
    std::vector<std::uint32_t>& owners = owners_of(w);
    const auto at = std::ranges::find(owners, action.user);
    const bool adds = action.kind == Action::Kind::kAddOwner;
    if (adds == (at != owners.end())) {
      ++reply.unchanged;
      continue;
    }
    if (adds)
      owners.push_back(action.user);
    else
      owners.erase(at);
    ++reply.done;
    log_.owners.push_back({now_, w, action.user, action.by, adds});
  }
}

void ControlPlane::score(const Action& action, Reply& reply) {
  const Decision decision = may_submit(standing_of(work_.tenants, action.by, action.account), action.priority);
  if (decision.allowed) {
    reply.done = 1;
    return;
  }
  reply.refused = 1;
  audit(action, action.account, decision).new_value = action.priority;
}

// ---- views

void ControlPlane::describe(const Action& action, Reply& reply) {
  if (action.workflows == 0 || host_.id_of(action.first_workflow).is_none()) {
    reply.not_there = 1;
    return;
  }
  const std::uint32_t w = action.first_workflow;
  const WorkflowId id = host_.id_of(w);
  const StageRow first = work_.first_stage[w], end = work_.first_stage[w + 1];
  if (action.stage.empty() && end - first != 1) {
    reply.not_there = 1;
    return;
  }
  scheduler_.bring_up_to_date();
  for (const StageId stage : scheduler_.stages_of(id)) {
    const StageRow row = host_.row_of(stage);
    if (!action.stage.empty() && work_.stage_name(row) != action.stage) continue;
    const PriorityInputs inputs = scheduler_.priority_inputs(id);
    const bool ended = scheduler_.status(stage) > StageStatus::kRunning;
    log_.describes.push_back(
        {now_, action.by, row, inputs, now_ - inputs.created_at,
         ended ? std::numeric_limits<double>::quiet_NaN() : scheduler_.effective_priority(stage, now_)});
    reply.done = 1;
    return;
  }
  reply.not_there = 1;
}

void ControlPlane::view_queue(const Action& action, Reply& reply) {
  QueueView view;
  view.at = now_;
  view.actor = action.by;
  view.mine = action.mine;
  for (const StageId stage : scheduler_.queue_at(now_)) {
    ++view.total;
    const std::uint32_t w = host_.index_of(scheduler_.workflow_of(stage));
    if (action.mine && work_.user[w] != action.by) continue;
    view.rows.push_back({view.total, host_.row_of(stage), scheduler_.effective_priority(stage, now_)});
  }
  log_.queues.push_back(std::move(view));
  reply.done = 1;
}

// ---- nodes

void ControlPlane::change_node(const Action& action, Reply& reply) {
  if (action.index == Action::kUnknown) {
    reply.not_there = 1;
    return;
  }
  const Decision decision = may_change_node(is_administrator(work_.tenants, action.by));
  if (!decision.allowed) {
    reply.refused = 1;
    audit(action, action.index, decision);
    return;
  }
  NodeState& state = nodes_[action.index];
  reply.done = 1;
  if (action.kind == Action::Kind::kUncordon) {
    if (state.cordons == 0) {
      reply.done = 0;
      reply.unchanged = 1;
      return;
    }
    state.cordons = 0;
    std::erase_if(endings_, [&](const Ending& ending) {
      const Action& begun = work_.actions[ending.action];
      return begun.kind == Action::Kind::kCordon && begun.index == action.index;
    });
    set_node(action.index, NodeChange::Kind::kUncordoned, action.by);
    return;
  }
  const bool fails = action.kind == Action::Kind::kFail;
  ++(fails ? state.failures : state.cordons);
  if (action.lasts) {
    const Ending ending{saturating_add(now_, *action.lasts), number_};
    endings_.insert(std::ranges::upper_bound(endings_, ending.at, {}, &Ending::at), ending);
  }
  set_node(action.index, fails ? NodeChange::Kind::kFailed : NodeChange::Kind::kCordoned, action.by);
  if (fails) host_.lose({action.index});
}

void ControlPlane::end_by_itself(const Ending& ending) {
  const Action& begun = work_.actions[ending.action];
  NodeState& state = nodes_[begun.index];
  const bool failed = begun.kind == Action::Kind::kFail;
  --(failed ? state.failures : state.cordons);
  set_node(begun.index, failed ? NodeChange::Kind::kRepaired : NodeChange::Kind::kUncordoned, std::nullopt);
}

void ControlPlane::set_node(std::uint32_t node, NodeChange::Kind kind, std::optional<std::uint32_t> actor) {
  const NodeState& state = nodes_[node];
  const bool takes_work = state.failures == 0 && state.cordons == 0;
  if (takes_work)
    scheduler_.open_node({node});
  else
    scheduler_.close_node({node});
  log_.nodes.push_back({now_, host_.position(), kind, {node}, actor, takes_work});
}

}  // namespace headroom
