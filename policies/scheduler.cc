// Facts: what becomes eligible, what is gated, what is canceled. Decisions are in scheduler_pass.cc.
#include "policies/scheduler.h"

#include <algorithm>
#include <string>

#include "policies/check.h"
#include "policies/expression_rule.h"

namespace headroom {
namespace {

std::string text(StageId stage) { return "stage " + std::to_string(stage.value); }

}  // namespace

HoldGuard::HoldGuard(Scheduler& scheduler, StageId declarer) : scheduler_(&scheduler), declarer_(declarer) {
  scheduler.open_hold(declarer);
}

HoldGuard::~HoldGuard() {
  if (scheduler_ != nullptr) scheduler_->release_hold(declarer_);
}

Scheduler::Scheduler(ClusterCapacity cluster, SchedulerOptions options, std::unique_ptr<PriorityRule> rule)
    : options_(std::move(options)),
      has_one_key_(rule == nullptr && options_.policy.priority == Priority::kNone),
      rule_(rule ? std::move(rule) : make_priority_rule(options_.policy)),
      draws_ties_(std::ranges::find(options_.policy.ties, Tie::kRandom) != options_.policy.ties.end()),
      cluster_(std::move(cluster)) {
  switch (rule_->kind()) {
    case OrderKind::kStatic:
      queue_ = make_static_queue(ties_, sizes_);
      break;
    case OrderKind::kPiecewise:
      queue_ = make_moving_queue(ties_, sizes_, motions_);
      break;
    case OrderKind::kRecomputed:
      queue_ = make_sorted_queue(ties_, sizes_, evaluation_);
      break;
  }
  if (options_.hold_release == HoldRelease::kIdeal || !honors_holds()) return;
  HEADROOM_CHECK(options_.hold_gates == HoldGates::kDeclarer, "the release of stepup-rc13 goes with declarer");
  safety_ = std::make_unique<StaleSafety>();
}

Scheduler::~Scheduler() = default;

// ---- who there is

OrganizationId Scheduler::add_organization(std::int64_t priority) {
  organizations_.push_back(priority);
  return {static_cast<std::uint32_t>(organizations_.size() - 1)};
}

AccountId Scheduler::add_account(OrganizationId organization, std::int64_t priority) {
  HEADROOM_CHECK(organization.value < organizations_.size(), std::to_string(organization.value));
  accounts_.push_back({organization, priority});
  return {static_cast<std::uint32_t>(accounts_.size() - 1)};
}

UserId Scheduler::add_user(std::int64_t priority) {
  users_.push_back(priority);
  return {static_cast<std::uint32_t>(users_.size() - 1)};
}

void Scheduler::reserve(std::size_t stages, std::size_t workflows) {
  workflows_.reserve(workflows);
  graph_.reserve(stages);
  stages_.reserve(stages);
}

// ---- submissions and declarations

/// The columns of one more stage, blocked until the caller says otherwise. The graph has it already.
StageId Scheduler::add_stage(WorkflowId workflow, const StageFacts& facts) {
  const StageId stage{static_cast<std::uint32_t>(stages_.size())};
  stages_.push_back({workflow, facts.demand, 0, StageStatus::kBlocked, facts.kind, false,
                     facts.preemptible && facts.kind == StageKind::kOrdinary});
  if (draws_ties_) tie_draw_.push_back(facts.tie_draw);
  if (rule_->needs_stage()) {
    ready_at_.push_back(clock_);
    attempts_.push_back(0);
  }
  Workflow& owner = workflows_[workflow.value];
  ++owner.live;
  if (owner.first.is_none()) owner.first = stage;
  owner.last = stage;
  if (!facts.declarer.is_none()) {
    families_[facts.declarer.value].children.push_back(stage);
    families_[stage.value].declarer = facts.declarer;
  }
  if (safety_ != nullptr && (!facts.declarer.is_none() || facts.kind == StageKind::kPlan))
    safety_->declared(stage, facts.declarer);
  changed_ = true;
  return stage;
}

StageId Scheduler::declare(WorkflowId workflow, const StageFacts& facts, std::span<const StageId> needs,
                           std::span<const ArtifactId> awaits, std::span<const ArtifactId> provides) {
  graph_.add(facts.estimate);
  const StageId stage = add_stage(workflow, facts);
  bool hopeless = workflows_[workflow.value].drained || declarer_failed(facts.declarer);
  const auto depend_on = [&](StageId producer) {
    graph_.add_edge(producer, stage);
    const StageStatus status = stages_[producer.value].status;
    hopeless |= status == StageStatus::kFailed || status == StageStatus::kCanceled;
    if (status != StageStatus::kFinished) ++stages_[stage.value].blockers;
  };
  for (const StageId producer : needs) depend_on(producer);
  for (const ArtifactId id : awaits) {
    if (id.value >= artifacts_.size()) artifacts_.resize(id.value + 1);
    Artifact& artifact = artifacts_[id.value];
    if (artifact.is_there) continue;
    if (!artifact.producer.is_none()) {
      depend_on(artifact.producer);
    } else {
      artifact.waiting.push_back(stage);
      ++stages_[stage.value].blockers;
    }
  }
  if (!awaits.empty()) awaits_[stage.value].assign(awaits.begin(), awaits.end());
  for (const ArtifactId id : provides) {
    if (id.value >= artifacts_.size()) artifacts_.resize(id.value + 1);
    Artifact& artifact = artifacts_[id.value];
    HEADROOM_CHECK(artifact.producer.is_none() && !artifact.is_there,
                   "artifact " + std::to_string(id.value) + " is made twice");
    artifact.producer = stage;
    // What waited for somebody to make it now waits for this stage: one blocker for another.
    for (const StageId consumer : artifact.waiting) graph_.add_edge(stage, consumer);
    artifact.waiting.clear();
  }
  if (!facts.declarer.is_none()) gate_if_held(stage, facts.declarer);
  if (hopeless) {
    cancel_all({stage});
  } else if (stages_[stage.value].blockers == 0) {
    make_eligible(stage);
  }
  return stage;
}

StageId Scheduler::declare_all(WorkflowId workflow, std::span<const StageFacts> facts,
                               std::span<const std::uint32_t> needs_begin, std::span<const std::uint32_t> needs) {
  std::vector<Duration> estimates;
  estimates.reserve(facts.size());
  for (const StageFacts& stage : facts) estimates.push_back(stage.estimate);
  const StageId first = graph_.add_batch(estimates, needs_begin, needs);
  HEADROOM_CHECK(workflows_[workflow.value].first.is_none(), "a static graph is declared once");
  for (std::size_t k = 0; k < facts.size(); ++k) {
    const StageId stage = add_stage(workflow, facts[k]);
    if (!needs.empty()) stages_[stage.value].blockers = needs_begin[k + 1] - needs_begin[k];
    if (stages_[stage.value].blockers == 0) make_eligible(stage);
  }
  return first;
}

void Scheduler::provide(ArtifactId id) {
  if (id.value >= artifacts_.size()) artifacts_.resize(id.value + 1);
  Artifact& artifact = artifacts_[id.value];
  HEADROOM_CHECK(artifact.producer.is_none(), "artifact " + std::to_string(id.value) + " is made by a stage");
  artifact.is_there = true;
  for (const StageId consumer : artifact.waiting) unblock(consumer);
  artifact.waiting.clear();
  changed_ = true;
}

// ---- holds

void Scheduler::open_hold(StageId declarer) {
  if (!honors_holds()) return;
  Hold& hold = holds_[declarer.value];
  if (++hold.depth > 1 || options_.hold_gates == HoldGates::kBlock) return;
  if (safety_ != nullptr) return gate_as_stored(safety_->hold_changed(declarer, true));
  for (const StageId stage : not_dispatched_below(declarer)) block(stage);
}

bool Scheduler::release_hold(StageId declarer) {
  if (!honors_holds()) return false;
  const auto found = holds_.find(declarer.value);
  if (found == holds_.end()) return false;  // its plan has failed meanwhile: nothing is left to release
  if (--found->second.depth > 0) return false;
  if (safety_ != nullptr) {
    holds_.erase(found);
    gate_as_stored(safety_->hold_changed(declarer, false));
    changed_ = true;
    return true;
  }
  const std::vector<StageId> gated =
      options_.hold_gates == HoldGates::kBlock ? std::move(found->second.gated) : not_dispatched_below(declarer);
  holds_.erase(found);
  for (const StageId stage : gated) unblock(stage);
  changed_ = true;
  return true;
}

bool Scheduler::is_holding(StageId declarer) const { return holds_.contains(declarer.value); }

void Scheduler::gate_if_held(StageId stage, StageId declarer) {
  if (options_.hold_gates == HoldGates::kBlock) {
    const auto found = holds_.find(declarer.value);
    if (found == holds_.end()) return;
    found->second.gated.push_back(stage);
    ++stages_[stage.value].blockers;
    return;
  }
  if (safety_ != nullptr) return gate_as_stored({stage});
  for (StageId above = declarer; !above.is_none(); above = declarer_of(above))
    if (is_holding(above)) ++stages_[stage.value].blockers;
}

/// Gates those of the list that wait, or lets them go, by what safety_ says of each.
void Scheduler::gate_as_stored(const std::vector<StageId>& stages) {
  if (gated_as_stored_.size() < stages_.size()) gated_as_stored_.resize(stages_.size(), 0);
  for (const StageId stage : stages) {
    const StageStatus status = stages_[stage.value].status;
    const bool waits = status == StageStatus::kBlocked || status == StageStatus::kEligible;
    if (!waits || stages_[stage.value].dispatched != 0) continue;
    const bool gated = !safety_->is_safe(stage);
    if (gated == (gated_as_stored_[stage.value] != 0)) continue;
    gated_as_stored_[stage.value] = gated ? 1 : 0;
    gated ? block(stage) : unblock(stage);
  }
}

StageId Scheduler::declarer_of(StageId stage) const {
  const auto found = families_.find(stage.value);
  return found == families_.end() ? StageId::none() : found->second.declarer;
}

bool Scheduler::declarer_failed(StageId declarer) const {
  for (; !declarer.is_none(); declarer = declarer_of(declarer))
    if (stages_[declarer.value].status == StageStatus::kFailed) return true;
  return false;
}

/// In order of declaration below each declarer; without recursion, since plans may nest as deep as users like.
std::vector<StageId> Scheduler::not_dispatched_below(StageId declarer) const {
  std::vector<StageId> found;
  std::vector<StageId> open{declarer};
  while (!open.empty()) {
    const auto family = families_.find(open.back().value);
    open.pop_back();
    if (family == families_.end()) continue;
    for (const StageId child : family->second.children) {
      const StageStatus status = stages_[child.value].status;
      if (!stages_[child.value].dispatched && (status == StageStatus::kBlocked || status == StageStatus::kEligible))
        found.push_back(child);
      open.push_back(child);
    }
  }
  return found;
}

// ---- eligibility

void Scheduler::make_eligible(StageId stage) {
  stages_[stage.value].status = StageStatus::kEligible;
  if (rule_->needs_stage()) ready_at_[stage.value] = clock_;
  enqueue(stage);
  transitions_.push_back({stage, Transition::Kind::kEligible});
}

void Scheduler::unblock(StageId stage) {
  if (stages_[stage.value].status != StageStatus::kBlocked) return;
  if (--stages_[stage.value].blockers == 0) make_eligible(stage);
}

void Scheduler::block(StageId stage) {
  if (stages_[stage.value].status == StageStatus::kEligible) {
    queue_->erase(entry(stage));
    stages_[stage.value].status = StageStatus::kBlocked;
    transitions_.push_back({stage, Transition::Kind::kGated});
  }
  ++stages_[stage.value].blockers;
}

// ---- ends

void Scheduler::give_back(StageId stage) {
  Running& running = running_[stages_[stage.value].blockers];
  if (!running.gone) {
    cluster_.give_back(stages_[stage.value].demand, running.allocation);
    forget_expected_end(running);
  }
  running.allocation.further.clear();
  if (!on_their_way_out_.empty())
    std::erase_if(on_their_way_out_, [&](const OnItsWay& one) { return one.victim == stage; });
  free_slots_.push_back(stages_[stage.value].blockers);
  stages_[stage.value].blockers = 0;
}

void Scheduler::forget_expected_end(const Running& running) {
  if (!keeps_expected_ends()) return;
  const ExpectedEnd key{running.expected_end, running.stage, {}, nullptr};
  const auto at = std::ranges::lower_bound(expected_ends_, key, later_end);
  HEADROOM_CHECK(at != expected_ends_.end() && at->stage == running.stage, text(running.stage));
  expected_ends_.erase(at);
}

void Scheduler::end_live(StageId stage, StageStatus status) {
  stages_[stage.value].status = status;
  --workflows_[stages_[stage.value].workflow.value].live;
}

void Scheduler::finished(StageId stage) {
  HEADROOM_CHECK(stages_[stage.value].status == StageStatus::kRunning, text(stage));
  give_back(stage);
  end_live(stage, StageStatus::kFinished);
  if (safety_ != nullptr && stages_[stage.value].kind == StageKind::kPlan) gate_as_stored(safety_->ended(stage));
  for (const StageId consumer : graph_.consumers(stage)) unblock(consumer);
  changed_ = true;
}

void Scheduler::failed(StageId stage) {
  HEADROOM_CHECK(stages_[stage.value].status == StageStatus::kRunning, text(stage));
  give_back(stage);
  end_live(stage, StageStatus::kFailed);
  changed_ = true;
  holds_.erase(stage.value);
  std::vector<StageId> canceled = not_dispatched_below(stage);
  for (const StageId consumer : graph_.consumers(stage)) canceled.push_back(consumer);
  if (options_.drain_on_failure) {
    Workflow& workflow = workflows_[stages_[stage.value].workflow.value];
    workflow.drained = true;
    const std::vector<StageId> rest = waiting_stages(stages_[stage.value].workflow);
    canceled.insert(canceled.end(), rest.begin(), rest.end());
  }
  cancel_all(std::move(canceled));
}

/// Those of the list that wait, and everything that needs them.
void Scheduler::cancel_all(std::vector<StageId> stages) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageId stage = stages[i];
    const StageStatus status = stages_[stage.value].status;
    if (status != StageStatus::kBlocked && status != StageStatus::kEligible) continue;
    if (status == StageStatus::kEligible) queue_->erase(entry(stage));
    end_live(stage, StageStatus::kCanceled);
    transitions_.push_back({stage, Transition::Kind::kCanceled});
    for (const StageId consumer : graph_.consumers(stage)) stages.push_back(consumer);
  }
}

/// Every stage of a workflow that is blocked or eligible, in order of declaration.
std::vector<StageId> Scheduler::waiting_stages(WorkflowId workflow) const {
  std::vector<StageId> found = stages_of(workflow);
  std::erase_if(found, [&](StageId stage) {
    const StageStatus status = stages_[stage.value].status;
    return status != StageStatus::kBlocked && status != StageStatus::kEligible;
  });
  return found;
}

void Scheduler::try_again(StageId stage) {
  HEADROOM_CHECK(stages_[stage.value].status == StageStatus::kRunning, text(stage));
  give_back(stage);
  changed_ = true;
  stages_[stage.value].status = StageStatus::kBlocked;
  if (workflows_[stages_[stage.value].workflow.value].drained)
    cancel_all({stage});
  else
    make_eligible(stage);
}

void Scheduler::presume_gone(StageId stage) {
  HEADROOM_CHECK(stages_[stage.value].status == StageStatus::kRunning, text(stage));
  Running& running = running_[stages_[stage.value].blockers];
  if (running.gone) return;
  cluster_.give_back(stages_[stage.value].demand, running.allocation);
  forget_expected_end(running);
  running.gone = true;
}

// ---- changes in place

template <class Concerned, class Change>
void Scheduler::reorder(Concerned concerned, Change change) {
  std::vector<StageId> moved;
  for (std::uint32_t s = 0; s < stages_.size(); ++s)
    if (stages_[s].status == StageStatus::kEligible &&
        concerned(workflows_[stages_[s].workflow.value], stages_[s].workflow))
      moved.push_back({s});
  for (const StageId stage : moved) queue_->erase(entry(stage));
  change();
  for (const StageId stage : moved) enqueue(stage);
  changed_ = true;
}

void Scheduler::set_priority(WorkflowId workflow, std::int64_t priority) {
  set_priority(std::span(&workflow, 1), priority);
}

void Scheduler::set_priority(std::span<const WorkflowId> workflows, std::int64_t priority) {
  std::vector<StageId> moved;
  std::vector<WorkflowId> altered;
  for (const WorkflowId id : workflows) {
    if (workflows_[id.value].priority == priority) continue;
    altered.push_back(id);
    for (const StageId stage : waiting_stages(id))
      if (stages_[stage.value].status == StageStatus::kEligible) moved.push_back(stage);
  }
  if (altered.empty()) return;
  for (const StageId stage : moved) queue_->erase(entry(stage));
  for (const WorkflowId id : altered) workflows_[id.value].priority = priority;
  for (const StageId stage : moved) enqueue(stage);
  changed_ = true;
}

void Scheduler::set_priority(OrganizationId organization, std::int64_t priority) {
  if (organizations_[organization.value] == priority) return;
  reorder([&](const Workflow& w, WorkflowId) { return accounts_[w.account.value].organization == organization; },
          [&] { organizations_[organization.value] = priority; });
}

void Scheduler::set_priority(AccountId account, std::int64_t priority) {
  if (accounts_[account.value].priority == priority) return;
  reorder([&](const Workflow& w, WorkflowId) { return w.account == account; },
          [&] { accounts_[account.value].priority = priority; });
}

void Scheduler::set_priority(UserId user, std::int64_t priority) {
  if (users_[user.value] == priority) return;
  reorder([&](const Workflow& w, WorkflowId) { return w.user == user; }, [&] { users_[user.value] = priority; });
}

void Scheduler::cancel(WorkflowId workflow) {
  workflows_[workflow.value].drained = true;
  std::vector<StageId> waiting;
  for (const StageId stage : unfinished_stages(workflow)) {
    if (stages_[stage.value].status != StageStatus::kRunning) {
      waiting.push_back(stage);
      continue;
    }
    give_back(stage);
    end_live(stage, StageStatus::kCanceled);
    holds_.erase(stage.value);
    transitions_.push_back({stage, Transition::Kind::kCanceled});
  }
  cancel_all(std::move(waiting));
  changed_ = true;
}

void Scheduler::close_node(NodeId node) {
  if (cluster_.is_closed(node)) return;
  cluster_.close(node);
  changed_ = true;
}

void Scheduler::open_node(NodeId node) {
  if (!cluster_.is_closed(node)) return;
  cluster_.open(node);
  changed_ = true;
}

// ---- views

std::vector<StageId> Scheduler::queue_at(TimePoint now) {
  update_tails();
  std::vector<StageId> order;
  if (queue_->size() == 0) return order;
  queue_->begin_pass(now);
  order.reserve(queue_->size());
  const ReadyEntry* entry = queue_->front();
  while (entry != nullptr) {
    const ReadyEntry here = *entry;
    order.push_back(here.stage);
    entry = queue_->next(here);
  }
  return order;
}

std::vector<StageId> Scheduler::stages_of(WorkflowId workflow) const {
  std::vector<StageId> found;
  const Workflow& owner = workflows_[workflow.value];
  if (owner.first.is_none()) return found;
  for (std::uint32_t s = owner.first.value; s <= owner.last.value; ++s)
    if (stages_[s].workflow == workflow) found.push_back({s});
  return found;
}

std::vector<StageId> Scheduler::unfinished_stages(WorkflowId workflow) const {
  std::vector<StageId> found = stages_of(workflow);
  std::erase_if(found, [&](StageId stage) { return stages_[stage.value].status > StageStatus::kRunning; });
  return found;
}

std::vector<StageId> Scheduler::running_on(NodeId node) const {
  std::vector<StageId> found;
  for (const Running& running : running_) {
    if (!is_taken(running)) continue;
    const Allocation& where = running.allocation;
    const bool here = where.further.empty()
                          ? where.first == node
                          : std::ranges::any_of(where.further, [&](const auto& part) { return part.node == node; });
    if (here) found.push_back(running.stage);
  }
  std::ranges::sort(found);
  return found;
}

PriorityInputs Scheduler::inputs(WorkflowId id) const {
  const Workflow& workflow = workflows_[id.value];
  const Account& account = accounts_[workflow.account.value];
  PriorityInputs in;
  in.created_at = workflow.created_at;
  in.organization = organizations_[account.organization.value];
  in.account = account.priority;
  in.user = users_[workflow.user.value];
  in.workflow = workflow.priority;
  in.organization_id = account.organization;
  in.account_id = workflow.account;
  in.user_id = workflow.user;
  in.workflow_id = id;
  return in;
}

double Scheduler::effective_priority(StageId stage, TimePoint now) const {
  StageInputs buffer;
  return rule_->value(inputs(stage, buffer), now);
}

std::vector<NodeId> Scheduler::nodes_of(StageId stage) const {
  HEADROOM_CHECK(stages_[stage.value].status == StageStatus::kRunning, text(stage));
  const Allocation& allocation = running_[stages_[stage.value].blockers].allocation;
  if (allocation.further.empty()) return {allocation.first};
  std::vector<NodeId> nodes;
  for (const auto& part : allocation.further) nodes.push_back(part.node);
  return nodes;
}

StageId Scheduler::gating_plan(StageId stage) const {
  const StageId declarer = declarer_of(stage);
  if (stages_[stage.value].status != StageStatus::kBlocked || declarer.is_none()) return StageId::none();
  if (options_.hold_gates == HoldGates::kBlock) {
    const auto found = holds_.find(declarer.value);
    const bool inside =
        found != holds_.end() && std::ranges::find(found->second.gated, stage) != found->second.gated.end();
    return inside ? declarer : StageId::none();
  }
  if (safety_ != nullptr && gated_as_stored_[stage.value] == 0) return StageId::none();
  for (StageId above = declarer; !above.is_none(); above = declarer_of(above))
    if (is_holding(above)) return above;
  return safety_ != nullptr ? declarer : StageId::none();  // released, but its stored answer is old
}

std::vector<ArtifactId> Scheduler::undeclared_needs(StageId stage) const {
  std::vector<ArtifactId> missing;
  const auto found = awaits_.find(stage.value);
  if (found == awaits_.end()) return missing;
  for (const ArtifactId id : found->second)
    if (artifacts_[id.value].producer.is_none() && !artifacts_[id.value].is_there) missing.push_back(id);
  return missing;
}

}  // namespace headroom
