// The scheduler: mechanism for whatever order and placement a Policy states. It is told facts, at any time and in any
// number; pass(now) decides. Simulation, live runs and a server drive this very class. It must never know a true run
// time, a file, a thread or a real clock.
//
//   submit / declare / hold / release / finished / failed / update / cancel     (facts, no decision)
//   pass(now) -> starts, each with its reason                                   (decisions, one frozen clock reading)
//
// Deterministic: the same facts in the same order give the same decisions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policies/check.h"
#include "policies/cluster.h"
#include "policies/ids.h"
#include "policies/outlook.h"
#include "policies/policy.h"
#include "policies/priority_rule.h"
#include "policies/ready_queue.h"
#include "policies/reason.h"
#include "policies/reservation.h"
#include "policies/resources.h"
#include "policies/stage_graph.h"
#include "policies/stale_safety.h"
#include "policies/time.h"

namespace headroom {

/// `block`: a hold gates the steps declared inside it. `declarer`: whatever the declaring step, or a step that it
/// declared, has declared and that was not dispatched yet.
enum class HoldGates : std::uint8_t { kBlock, kDeclarer };

struct SchedulerOptions {
  Policy policy;
  HoldGates hold_gates = HoldGates::kBlock;
  HoldRelease hold_release = HoldRelease::kIdeal;
  std::int64_t queue_depth = 0;   ///< 0: the whole queue is considered in a pass; N: the N best at its beginning
  bool drain_on_failure = false;  ///< after a failure nothing more of that workflow starts
};

struct WorkflowFacts {
  TimePoint created_at;
  AccountId account;
  UserId user;
  std::int64_t priority = 0;
};

enum class StageKind : std::uint8_t { kSkipCheck, kPlan, kOrdinary };  ///< in the order in which they are preferred

struct StageFacts {
  Duration estimate;
  DemandId demand;
  StageKind kind = StageKind::kOrdinary;
  bool preemptible = false;    ///< may be displaced while it runs; of a plan without effect
  StageId declarer;            ///< the running plan that declares it; none: submitted with the workflow
  std::uint64_t tie_draw = 0;  ///< for the tie `random`
};

enum class StageStatus : std::uint8_t { kBlocked, kEligible, kRunning, kFinished, kFailed, kCanceled };

struct Start {
  StageId stage;
  Reason reason = Reason::kAlone;
  NodeId node;  ///< the first; all of them by Scheduler::nodes_of
};

/// What a pass displaced, for the sake of a stage of higher priority.
struct Displacement {
  StageId victim, preemptor;
  TimePoint at;                  ///< when it has to go: now, and it is eligible again already; or after its grace
  std::size_t before_start = 0;  ///< index into the starts of the pass: displaced before that one
};

/// Stages whose priority was NaN, or failed to be evaluated, at some moment in the queue: ranked last, by the ties. A
/// recomputed priority is looked at in each pass, others where they enter the queue and where their formula changes.
struct Unranked {
  std::uint64_t stages = 0;  ///< each once
  StageId first;             ///< the first of them, when, and why
  TimePoint at;
  std::string why;
};

/// What a fact or a pass changed about a stage, for the driver's log.
struct Transition {
  enum class Kind : std::uint8_t { kEligible, kGated, kCanceled };
  StageId stage;
  Kind kind = Kind::kEligible;
};

class Scheduler;

/// Keeps a hold open: released when it goes out of scope, by exception too.
class HoldGuard {
 public:
  HoldGuard(Scheduler& scheduler, StageId declarer);
  HoldGuard(HoldGuard&& other) noexcept
      : scheduler_(std::exchange(other.scheduler_, nullptr)), declarer_(other.declarer_) {}
  HoldGuard& operator=(HoldGuard&&) = delete;
  ~HoldGuard();

 private:
  Scheduler* scheduler_;
  StageId declarer_;
};

class Scheduler {
 public:
  /// `rule`: the priority, if not the closed form that the policy names.
  Scheduler(ClusterCapacity cluster, SchedulerOptions options, std::unique_ptr<PriorityRule> rule = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // ---- who there is
  OrganizationId add_organization(std::int64_t priority);
  AccountId add_account(OrganizationId organization, std::int64_t priority);
  UserId add_user(std::int64_t priority);
  /// The same demand gives the same id.
  DemandId add_demand(const Demand& demand) { return cluster_.add_demand(demand); }

  /// Room for so many stages and workflows, so that columns do not move while they grow.
  void reserve(std::size_t stages, std::size_t workflows);

  // ---- facts
  /// The facts that follow happen at `now`. Asked for by what an expression calls stage.ready_time, and by priorities
  /// that cross: one that does has changed something.
  void set_clock(TimePoint now) {
    clock_ = now;
    if (now >= next_crossing_) changed_ = true;
  }
  WorkflowId submit(const WorkflowFacts& facts);
  /// Declares one stage that needs `needs` (declared before it) and `awaits` (made by whoever provides it, declared
  /// or not), and makes `provides` when it finishes. Canceled at once if something it needs has failed.
  StageId declare(WorkflowId workflow, const StageFacts& facts, std::span<const StageId> needs = {},
                  std::span<const ArtifactId> awaits = {}, std::span<const ArtifactId> provides = {});
  /// A static graph at once: the k-th stage needs needs[needs_begin[k] .. needs_begin[k+1]), indices into the batch.
  /// Returns the first id; ids are consecutive. Cost O(stages + needs).
  StageId declare_all(WorkflowId workflow, std::span<const StageFacts> facts,
                      std::span<const std::uint32_t> needs_begin, std::span<const std::uint32_t> needs);

  /// It is there from now on, made by no stage: a source file that was confirmed.
  void provide(ArtifactId artifact);

  /// `auto guard = scheduler.hold(plan);`
  [[nodiscard]] HoldGuard hold(StageId declarer) { return {*this, declarer}; }
  /// Nested holds of one declarer only count. Under `hold: ignore` both do nothing.
  void open_hold(StageId declarer);
  /// True if this was the outermost release: what it gated is eligible from now on, with HoldRelease::kIdeal all of it.
  bool release_hold(StageId declarer);
  [[nodiscard]] bool is_holding(StageId declarer) const;
  [[nodiscard]] bool honors_holds() const { return options_.policy.hold == HoldRule::kHonor; }

  void finished(StageId stage);
  /// It will not be tried again: everything that needs it is canceled; of a plan also what it or its steps declared.
  void failed(StageId stage);
  /// The try failed or was cut off; the stage is eligible again at once.
  void try_again(StageId stage);
  /// Was it told to go, and is still running?
  [[nodiscard]] bool must_go(StageId stage) const {
    return std::ranges::find(on_their_way_out_, stage, &OnItsWay::victim) != on_their_way_out_.end();
  }
  /// The grace of a victim is over (Displacement::at): it goes, and is eligible again.
  void displace(StageId stage);
  /// Its resources count as free from now on though it has not ended: what a trace simulator does that reads free
  /// capacity from estimated ends.
  void presume_gone(StageId stage);

  void set_priority(WorkflowId workflow, std::int64_t priority);
  void set_priority(OrganizationId organization, std::int64_t priority);
  void set_priority(AccountId account, std::int64_t priority);
  void set_priority(UserId user, std::int64_t priority);
  /// The same of several workflows at once. Cost O(their stages), O(log n) a queued one.
  void set_priority(std::span<const WorkflowId> workflows, std::int64_t priority);

  /// Everything of it that has not ended is canceled, what runs too: that gives back what it holds.
  void cancel(WorkflowId workflow);

  /// A closed node takes no new work; what runs there goes on. Opened nodes take work from the next pass on.
  void close_node(NodeId node);
  void open_node(NodeId node);

  // ---- decisions
  /// Has a fact come in since the last pass that could make this one decide differently?
  [[nodiscard]] bool changed() const { return changed_; }
  /// Can a pass do anything now: start something, or be remembered by HoldRelease::kStepUpRc13?
  [[nodiscard]] bool wants_pass() const {
    return changed_ && (queue_->size() > 0 || (safety_ != nullptr && !safety_->is_settled()));
  }
  /// After a pass: when time alone may change what the next one decides; never() where the placement cannot tell.
  [[nodiscard]] TimePoint next_crossing() const { return next_crossing_; }
  /// One decision at a time: each start is chosen on what the ones before it left. Valid until the next call.
  /// Cost  O(log n) a start, and what the placement has to look past.
  std::span<const Start> pass(TimePoint now);
  /// Of the last pass, in order. Only with preemption on.
  [[nodiscard]] std::span<const Displacement> displacements() const { return displacements_; }

  /// Of the starts of the last pass, as it had them. Only where the rule asks for the queue's length.
  [[nodiscard]] std::span<const double> start_priorities() const { return start_priorities_; }

  // ---- views
  /// Between passes, before effective_priority() of a rule that asks for tail times.
  void bring_up_to_date() { update_tails(); }
  [[nodiscard]] const Unranked& unranked() const { return unranked_; }
  /// A guess at what starts next, so that a driver can fetch what it knows of it; none().
  [[nodiscard]] StageId likely_next() const { return likely_next_; }
  // (Inlined: g++ takes a function that only prefetches for one without effect.)
  /// A stage that will be asked for soon.
  [[gnu::always_inline]] void prefetch(StageId stage) const { __builtin_prefetch(&stages_[stage.value]); }
  /// A running stage that will end soon, prefetched a while ago.
  [[gnu::always_inline]] void prefetch_end(StageId running) const {
    const Stage& stage = stages_[running.value];
    __builtin_prefetch(&workflows_[stage.workflow.value].live);
    __builtin_prefetch(&running_[stage.blockers]);
  }
  [[nodiscard]] std::span<const Transition> transitions() const { return transitions_; }
  void clear_transitions() { transitions_.clear(); }
  [[nodiscard]] std::size_t stages() const { return stages_.size(); }
  [[nodiscard]] StageStatus status(StageId stage) const { return stages_[stage.value].status; }
  /// Up to date after pass().
  [[nodiscard]] Duration tail_time(StageId stage) const { return graph_.tail(stage); }
  [[nodiscard]] std::span<const StageId> producers(StageId stage) const { return graph_.producers(stage); }
  [[nodiscard]] double effective_priority(StageId stage, TimePoint now) const;
  [[nodiscard]] WorkflowId workflow_of(StageId stage) const { return stages_[stage.value].workflow; }
  /// Could it be placed if nothing ran?
  [[nodiscard]] bool could_fit(StageId stage) const { return cluster_.could_fit(stages_[stage.value].demand); }
  [[nodiscard]] bool fits_now(StageId stage) const { return cluster_.fits(stages_[stage.value].demand); }
  /// Of a running stage: does it sit on several nodes?
  [[nodiscard]] bool spans_nodes(StageId stage) const {
    return running_[stages_[stage.value].blockers].allocation.further.size() > 1;
  }
  [[nodiscard]] const Allocation& allocation_of(StageId running) const {
    return running_[stages_[running.value].blockers].allocation;
  }
  /// Nodes of a running stage, in file order; a node once however much of it.
  [[nodiscard]] std::vector<NodeId> nodes_of(StageId stage) const;
  /// Stages of the workflow that are blocked, eligible or running.
  [[nodiscard]] std::uint32_t live_stages(WorkflowId workflow) const { return workflows_[workflow.value].live; }
  [[nodiscard]] std::size_t eligible_stages() const { return queue_->size(); }
  /// The eligible stages in the order in which a pass at `now` would consider them. Cost O(n), O(n log n) recomputed.
  [[nodiscard]] std::vector<StageId> queue_at(TimePoint now);
  /// Stages of the workflow that are blocked, eligible or running, in order of declaration.
  [[nodiscard]] std::vector<StageId> unfinished_stages(WorkflowId workflow) const;
  /// All of them that were declared.
  [[nodiscard]] std::vector<StageId> stages_of(WorkflowId workflow) const;
  /// Stages that run on the node, in order of declaration.
  [[nodiscard]] std::vector<StageId> running_on(NodeId node) const;
  [[nodiscard]] PriorityInputs priority_inputs(WorkflowId workflow) const { return inputs(workflow); }
  [[nodiscard]] TimePoint started_at(StageId running) const {
    return running_[stages_[running.value].blockers].started_at;
  }
  /// The plan whose hold gates the stage; none.
  [[nodiscard]] StageId gating_plan(StageId stage) const;
  /// What the stage awaits that nobody has declared.
  [[nodiscard]] std::vector<ArtifactId> undeclared_needs(StageId stage) const;

 private:
  struct Workflow {
    TimePoint created_at;
    std::int64_t priority = 0;
    AccountId account;
    UserId user;
    std::uint32_t live = 0;
    StageId first, last;  ///< of its stages by declaration; among them may be others'
    bool drained = false;
  };
  /// 16 bytes: what starts out of a deep queue was last touched long ago, and should cost one cache line.
  struct Stage {
    WorkflowId workflow;
    DemandId demand;
    std::uint32_t blockers = 0;  ///< unfinished needs and gates; of a running stage its slot in running_
    StageStatus status = StageStatus::kBlocked;
    StageKind kind = StageKind::kOrdinary;
    bool dispatched = false;  ///< was started once
    bool preemptible = false;
  };
  struct Account {
    OrganizationId organization;
    std::int64_t priority = 0;
  };
  struct Running {
    StageId stage;
    TimePoint started_at;
    TimePoint expected_end;  ///< by estimate, at least 1 ns after the start
    Allocation allocation;
    bool gone = false;
  };
  struct Artifact {
    StageId producer;
    std::vector<StageId> waiting;  ///< declared before the producer
    bool is_there = false;         ///< made by no stage
  };
  struct Hold {
    std::uint32_t depth = 0;
    std::vector<StageId> gated;  ///< kBlock: declared inside
  };
  /// What only plans have, so that a trace of jobs does not pay for it.
  struct Family {
    StageId declarer;
    std::vector<StageId> children;
  };
  /// Looks ties up in the columns below.
  class Ties final : public TieBreaker {
   public:
    explicit Ties(const Scheduler& scheduler) : scheduler_(scheduler) {}
    [[nodiscard]] bool before(StageId a, StageId b) const override;
    /// The first rung on which a and b differ.
    [[nodiscard]] Reason rung(StageId a, StageId b) const;

   private:
    const Scheduler& scheduler_;
  };
  class Evaluation final : public Evaluate {
   public:
    explicit Evaluation(Scheduler& scheduler) : scheduler_(scheduler) {}
    void operator()(std::span<ReadyEntry> entries, TimePoint now) const override;

   private:
    Scheduler& scheduler_;
    mutable std::vector<StageId> stages_;  ///< kept for their buffers
    mutable std::vector<double> values_;
  };

  /// Looks up how the priority of a stage moves.
  class StageMotions final : public Motions {
   public:
    explicit StageMotions(Scheduler& scheduler) : scheduler_(scheduler) {}
    [[nodiscard]] Motion of(StageId stage, TimePoint now) const override;

   private:
    Scheduler& scheduler_;
  };

  /// Somebody who may be displaced now.
  struct Candidate {
    StageId stage;
    ExactKey key;  ///< of its priority now; smaller first
    double priority = 0;
    TimePoint started_at;
  };
  class PlaceOrDisplace;
  /// Does something run in that slot? A free one still names what ran there last.
  [[nodiscard]] bool is_taken(const Running& slot) const {
    return !slot.stage.is_none() && stages_[slot.stage.value].status == StageStatus::kRunning &&
           &running_[stages_[slot.stage.value].blockers] == &slot;
  }
  struct OnItsWay {
    StageId victim, preemptor;
  };
  /// Somebody is on its way out for it: nothing ranked below it starts meanwhile, or the two could take turns for ever.
  [[nodiscard]] bool awaits_room(StageId stage) const {
    return std::ranges::find(on_their_way_out_, stage, &OnItsWay::preemptor) != on_their_way_out_.end();
  }

  StageId add_stage(WorkflowId workflow, const StageFacts& facts);
  [[nodiscard]] PriorityInputs inputs(WorkflowId workflow) const;
  /// With what the rule asks of the stage, kept in `buffer`.
  [[nodiscard]] PriorityInputs inputs(StageId stage, StageInputs& buffer) const;
  [[nodiscard]] ReadyEntry entry(StageId stage) const;
  void enqueue(StageId stage);
  /// Its priority is none.
  void note_unranked(StageId stage, TimePoint now);
  [[nodiscard]] TimePoint crossing_after_pass();
  void make_eligible(StageId stage);
  /// One reason less, or more, to wait.
  void unblock(StageId stage);
  void block(StageId stage);
  void gate_if_held(StageId stage, StageId declarer);
  void gate_as_stored(const std::vector<StageId>& stages);
  [[nodiscard]] StageId declarer_of(StageId stage) const;
  [[nodiscard]] bool declarer_failed(StageId declarer) const;
  [[nodiscard]] std::vector<StageId> not_dispatched_below(StageId declarer) const;
  [[nodiscard]] std::vector<StageId> waiting_stages(WorkflowId workflow) const;
  void cancel_all(std::vector<StageId> stages);
  void give_back(StageId stage);
  void forget_expected_end(const Running& running);
  void end_live(StageId stage, StageStatus status);
  /// Takes the eligible stages of the workflows that `concerned` names out of the queue, makes the change, puts them
  /// back.
  template <class Concerned, class Change>
  void reorder(Concerned concerned, Change change);
  void update_tails();
  /// Smaller first.
  [[nodiscard]] std::int64_t tie_value(Tie tie, StageId stage) const;

  [[nodiscard]] Reason reason_over_next(const ReadyEntry& chosen);
  void start(const ReadyEntry& chosen, Allocation allocation, Reason reason, TimePoint now);
  void pass_greedy(TimePoint now, const ReadyEntry* last, const ReadyEntry* after = nullptr);
  /// Considers in order what is above something that may be displaced, then goes on as ever.
  void pass_displacing(TimePoint now, const ReadyEntry* last);
  [[nodiscard]] bool preempts() const { return options_.policy.preemption != Preemption::kOff; }
  void gather_candidates(TimePoint now);
  [[nodiscard]] ExactKey key_at(StageId stage, TimePoint now) const;
  /// How many of the candidates, from the lowest up, are low enough for it to displace.
  [[nodiscard]] std::size_t candidates_below(StageId stage, TimePoint now) const;
  /// Who has to go for it, by index of candidates_; nobody where that would not help, or others are on their way out.
  [[nodiscard]] std::vector<std::size_t> victims_for(const ReadyEntry& wanted, TimePoint now) const;
  /// With a grace they are only told.
  void tell_to_go(const std::vector<std::size_t>& victims, StageId preemptor, TimePoint now);
  /// Displaces them at once, starts the stage in their place, and puts them back into the queue.
  void start_in_their_place(const std::vector<std::size_t>& victims, const ReadyEntry& chosen, TimePoint now);
  [[nodiscard]] TimePoint wake_after_pass(TimePoint now);
  /// Starts from the front while it fits. True if something is left, in `head`.
  bool pass_in_order(TimePoint now, const ReadyEntry* last, ReadyEntry& head);
  /// Starts what does not delay the reservation that `head` gets.
  void pass_beside(const ReadyEntry& head, TimePoint now, const ReadyEntry* last);
  /// Gives reservations from `head` on; starts what gets one for now.
  void pass_by_reservations(const ReadyEntry& head, TimePoint now, const ReadyEntry* last);
  /// How long it takes up its place by its estimate.
  [[nodiscard]] Duration believed_length(StageId stage) const {
    return std::max(graph_.estimate(stage), Duration::nanoseconds(1));
  }
  [[nodiscard]] bool keeps_expected_ends() const {
    return options_.policy.placement == Placement::kEasy || options_.policy.placement == Placement::kConservative;
  }
  [[nodiscard]] std::vector<ReadyEntry> candidates_by_estimate(const ReadyEntry& head, const ReadyEntry* last,
                                                               const FitBound& bound);

  SchedulerOptions options_;
  bool has_one_key_;  ///< no priority: every stage has the same, and nothing need be looked up
  std::unique_ptr<PriorityRule> rule_;
  bool draws_ties_ = false;
  Cluster cluster_;

  std::vector<std::int64_t> organizations_, users_;
  std::vector<Account> accounts_;
  std::vector<Workflow> workflows_;

  // By stage.
  StageGraph graph_;
  std::vector<Stage> stages_;
  std::vector<std::uint64_t> tie_draw_;  ///< only if the policy draws
  std::vector<TimePoint> ready_at_;      ///< by stage; only if the rule looks at stages
  std::vector<std::uint32_t> attempts_;  ///< likewise: starts
  std::unordered_map<std::uint32_t, Family>
      families_;  ///< of stages that plans declared, and of plans; looked up, never walked
  std::unordered_map<std::uint32_t, Hold> holds_;  ///< by declarer; looked up, never walked
  std::unique_ptr<StaleSafety> safety_;            ///< only for HoldRelease::kStepUpRc13
  std::vector<std::uint8_t> gated_as_stored_;      ///< by stage, as long as need be; only with safety_
  std::vector<Artifact> artifacts_;
  std::unordered_map<std::uint32_t, std::vector<ArtifactId>> awaits_;  ///< of stages that await something

  Ties ties_{*this};
  Evaluation evaluation_{*this};
  StageMotions motions_{*this};
  StageSizes sizes_{cluster_, graph_};
  EntryOrder order_{ties_};
  std::unique_ptr<ReadyQueue> queue_;
  std::deque<Running> running_;             ///< by slot; addresses stay
  std::vector<std::uint32_t> free_slots_;   ///< of running_
  std::vector<ExpectedEnd> expected_ends_;  ///< latest first; only kept for reservations
  Reservation reservation_;                 ///< of the pass that runs; kept for its buffers
  Outlook outlook_;                         ///< likewise

  std::vector<Candidate> candidates_;       ///< of the pass that runs; the first to go first
  std::vector<OnItsWay> on_their_way_out_;  ///< told to go, still running
  std::vector<StageId> displaced_now_;      ///< in the pass that runs, to be queued at its end
  std::vector<Displacement> displacements_;

  Unranked unranked_;
  std::vector<bool> is_unranked_;  ///< by stage; empty while there was none

  std::optional<std::int64_t> pass_queue_;  ///< in a pass: stages in the queue when it began
  std::vector<Start> starts_;
  std::vector<double> start_priorities_;
  StageId likely_next_;
  std::vector<Transition> transitions_;
  TimePoint clock_;
  TimePoint next_crossing_ = TimePoint::never();
  bool changed_ = false;
};

// Inlined: facts written one by one and copied two at a time would have to reach the cache between.
inline WorkflowId Scheduler::submit(const WorkflowFacts& facts) {
  HEADROOM_CHECK(facts.account.value < accounts_.size() && facts.user.value < users_.size(),
                 std::to_string(facts.account.value) + ", " + std::to_string(facts.user.value));
  Workflow workflow;
  workflow.created_at = facts.created_at;
  workflow.priority = facts.priority;
  workflow.account = facts.account;
  workflow.user = facts.user;
  workflows_.push_back(workflow);
  changed_ = true;
  return {static_cast<std::uint32_t>(workflows_.size() - 1)};
}

}  // namespace headroom
