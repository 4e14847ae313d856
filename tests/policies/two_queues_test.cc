// Two schedulers are told the same facts: one keeps its queue in the tree, the other evaluates and sorts a plain vector
// in each pass. They must decide the same, start by start. Times are whole hours and priorities whole numbers, so that
// the doubles of the second order as the exact keys of the first.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "policies/expression_rule.h"
#include "policies/scheduler.h"

namespace headroom {
namespace {

/// The same priority, with nothing proved about it.
class Unproved final : public PriorityRule {
 public:
  explicit Unproved(const Policy& policy) : rule_(make_priority_rule(policy)) {}
  [[nodiscard]] OrderKind kind() const override { return OrderKind::kRecomputed; }
  [[nodiscard]] ExactKey exact_key(const PriorityInputs& inputs) const override { return rule_->exact_key(inputs); }
  [[nodiscard]] double value(const PriorityInputs& inputs, TimePoint now) const override {
    return rule_->value(inputs, now);
  }
  [[nodiscard]] bool needs_stage() const override { return rule_->needs_stage(); }

 private:
  std::unique_ptr<PriorityRule> rule_;
};

struct Seen {
  int cases = 0, contention = 0, ties = 0, holds = 0;
};

/// One random history, told to both.
class Twins {
 public:
  explicit Twins(std::uint64_t seed)
      : random_(seed),
        options_(draw_options()),
        cluster_(draw_cluster()),
        tree_(cluster_, options_),
        sorted_(cluster_, options_, std::make_unique<Unproved>(options_.policy)) {
    both([&](Scheduler& s) {
      for (int i = 0; i < 2; ++i) s.add_account(s.add_organization(i), i);
      for (int i = 0; i < 2; ++i) s.add_user(i);
    });
  }

  /// What differs, in words; empty if nothing does.
  std::string run(Seen& seen) {
    for (now_ = 0; now_ < 12; ++now_) {
      while (!running_.empty() && below(3) != 0) end_one();
      for (std::uint64_t k = below(4); k > 0; --k) submit();
      if (below(3) == 0) change_a_priority();
      const std::string wrong = pass();
      if (!wrong.empty()) return "hour " + std::to_string(now_) + ": " + wrong;
    }
    ++seen.cases;
    seen.contention += contention_;
    seen.ties += ties_;
    seen.holds += holds_;
    return "";
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  [[nodiscard]] TimePoint now() const { return TimePoint{} + Duration::hours(now_); }
  template <class Fact>
  void both(Fact fact) {
    fact(tree_);
    fact(sorted_);
  }

  SchedulerOptions draw_options() {
    SchedulerOptions options;
    const auto presets = preset_policies();
    options.policy = presets[below(presets.size())];
    if (below(2) == 0) options.policy.priority = static_cast<Priority>(below(3));
    if (below(4) == 0) options.queue_depth = static_cast<std::int64_t>(1 + below(4));
    if (below(2) == 0) options.hold_gates = HoldGates::kDeclarer;
    return options;
  }

  ClusterCapacity draw_cluster() {
    ClusterCapacity cluster;
    for (std::uint64_t n = 1 + below(3); n > 0; --n)
      cluster.nodes.push_back({static_cast<std::int64_t>(1 + below(4)), 2, static_cast<std::int64_t>(below(2))});
    cluster.pools = {2};
    return cluster;
  }

  StageFacts draw_stage() {
    Demand demand;
    demand.cores = static_cast<std::int64_t>(1 + below(3));
    demand.memory = static_cast<std::int64_t>(below(2));
    if (below(6) == 0) demand.gpus = 1;
    if (below(6) == 0) demand.nodes = 2;
    if (below(6) == 0) demand.pools = {{PoolId{0}, 1}};
    StageFacts facts;
    facts.estimate = Duration::hours(static_cast<std::int64_t>(below(4)));
    facts.tie_draw = below(2) << 60U;
    both([&](Scheduler& s) { facts.demand = s.add_demand(demand); });
    return facts;
  }

  void submit() {
    const WorkflowFacts facts{now(), AccountId{static_cast<std::uint32_t>(below(2))},
                              UserId{static_cast<std::uint32_t>(below(2))}, static_cast<std::int64_t>(below(3))};
    WorkflowId workflow;
    both([&](Scheduler& s) {
      s.set_clock(now());
      workflow = s.submit(facts);
    });
    ++workflows_;
    StageFacts plan = draw_stage();
    const bool has_plan = below(2) == 0;
    if (has_plan) plan.kind = StageKind::kPlan;
    StageId first;
    both([&](Scheduler& s) { first = s.declare(workflow, plan); });
    for (std::uint64_t k = below(4); k > 0; --k) {
      const StageFacts stage = draw_stage();
      std::vector<StageId> needs;
      if (!has_plan && below(2) == 0) needs.push_back(first);
      both([&](Scheduler& s) { s.declare(workflow, stage, needs); });
    }
  }

  /// A plan that starts declares at once, behind a hold that its end, or an earlier moment, releases.
  void declare_below(StageId plan) {
    holds_ = true;
    both([&](Scheduler& s) { s.open_hold(plan); });
    for (std::uint64_t k = below(4); k > 0; --k) {
      StageFacts stage = draw_stage();
      stage.declarer = plan;
      both([&](Scheduler& s) { s.declare(s.workflow_of(plan), stage); });
    }
    if (below(2) == 0) both([&](Scheduler& s) { s.release_hold(plan); });
  }

  void end_one() {
    const std::size_t at = below(running_.size());
    const StageId stage = running_[at];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(at));
    const std::uint64_t how = below(8);
    both([&](Scheduler& s) {
      if (s.is_holding(stage)) s.release_hold(stage);
      if (how == 0)
        s.failed(stage);
      else if (how == 1)
        s.try_again(stage);
      else
        s.finished(stage);
    });
  }

  void change_a_priority() {
    const auto value = static_cast<std::int64_t>(below(4));
    const auto which = static_cast<std::uint32_t>(below(2));
    const std::uint64_t kind = below(4);
    const auto workflow = static_cast<std::uint32_t>(workflows_ > 0 ? below(workflows_) : 0);
    both([&](Scheduler& s) {
      if (kind == 0) s.set_priority(OrganizationId{which}, value);
      if (kind == 1) s.set_priority(AccountId{which}, value);
      if (kind == 2) s.set_priority(UserId{which}, value);
      if (kind == 3 && workflows_ > 0) s.set_priority(WorkflowId{workflow}, value);
    });
  }

  std::string pass() {
    const auto a = tree_.pass(now());
    const auto b = sorted_.pass(now());
    if (a.size() != b.size())
      return "the tree starts " + std::to_string(a.size()) + ", the sort " + std::to_string(b.size());
    const std::vector<Start> starts(a.begin(), a.end());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (starts[i].stage != b[i].stage || starts[i].node != b[i].node || starts[i].reason != b[i].reason)
        return "start " + std::to_string(i) + " is stage " + std::to_string(starts[i].stage.value) + ", by sorting " +
               std::to_string(b[i].stage.value);
      ties_ |= starts[i].reason == Reason::kDeclaration;
    }
    contention_ |= tree_.eligible_stages() > 0;
    for (const Start& start : starts) {
      running_.push_back(start.stage);
      if (below(3) == 0) declare_below(start.stage);
    }
    both([](Scheduler& s) { s.clear_transitions(); });
    return "";
  }

  std::mt19937_64 random_;
  SchedulerOptions options_;
  ClusterCapacity cluster_;
  Scheduler tree_, sorted_;
  std::int64_t now_ = 0;
  std::uint64_t workflows_ = 0;
  std::vector<StageId> running_;
  bool contention_ = false, ties_ = false, holds_ = false;
};

TEST(TwoQueues, DecideTheSame) {
  const int cases = std::getenv("HEADROOM_LONG") != nullptr ? 10000 : 500;
  Seen seen;
  for (int i = 0; i < cases; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    ASSERT_EQ(Twins(seed).run(seen), "") << "seed " << seed;
  }
  std::cout << seen.cases << " cases: contention " << seen.contention << ", ties " << seen.ties << ", holds "
            << seen.holds << '\n';
  EXPECT_GE(seen.contention * 5, seen.cases);
  EXPECT_GE(seen.ties * 5, seen.cases);
  EXPECT_GE(seen.holds * 5, seen.cases);
}

}  // namespace
}  // namespace headroom
