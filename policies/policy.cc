#include "policies/policy.h"

#include <algorithm>
#include <array>

#include "policies/reason.h"

namespace headroom {
namespace {

Policy preset(std::string name, std::string about, Priority priority, std::vector<Tie> ties,
              Placement placement = Placement::kGreedy, Backfill backfill = Backfill::kQueue,
              HoldRule hold = HoldRule::kHonor) {
  Policy policy;
  policy.name = std::move(name);
  policy.about = std::move(about);
  policy.priority = priority;
  policy.ties = std::move(ties);
  policy.placement = placement;
  policy.backfill = backfill;
  policy.hold = hold;
  return policy;
}

/// Another system's priority, or one of Fuzzball's own making: an expression and its numbers, no C++.
Policy formula(std::string name, std::string about, std::string expression, std::vector<expr::Param> params,
               std::vector<Tie> ties) {
  Policy policy = preset(std::move(name), std::move(about), Priority::kExpression, std::move(ties));
  policy.expression = std::move(expression);
  policy.params = std::move(params);
  return policy;
}

const std::vector<Policy>& presets() {
  using enum Priority;
  using enum Tie;
  static const std::vector<Policy> table{
      preset("default", "Fuzzball's priority (hours queued + inputs), then tail time, then declaration; holds honoured",
             kFuzzball, {kTailTime, kDeclaration}),
      preset("race", "default with holds ignored: whatever is eligible when a slot is free takes it", kFuzzball,
             {kTailTime, kDeclaration}, Placement::kGreedy, Backfill::kQueue, HoldRule::kIgnore),
      preset("priority", "default without the tail-time tie", kFuzzball, {kDeclaration}),
      preset("no_aging", "default without the hours: the four inputs alone", kBases, {kTailTime, kDeclaration}),
      preset("tail_time", "longest tail time first, no priority", kNone, {kTailTime, kDeclaration}),
      preset("declaration", "in order of declaration alone", kNone, {kDeclaration}),
      preset("fcfs", "first submitted, first started; the first that does not fit waits and all behind it", kNone,
             {kSubmitTime, kDeclaration}, Placement::kStrict),
      preset("easy", "fcfs with EASY backfilling in queue order", kNone, {kSubmitTime, kDeclaration}, Placement::kEasy),
      preset("easy_sjbf", "fcfs with EASY backfilling, shortest estimate first", kNone, {kSubmitTime, kDeclaration},
             Placement::kEasy, Backfill::kShortest),
      preset("conservative",
             "fcfs with conservative backfilling: every stage has a reservation, made anew in each pass", kNone,
             {kSubmitTime, kDeclaration}, Placement::kConservative),
      preset("sjf", "shortest estimate first", kNone, {kShortest, kDeclaration}),
      preset("ljf", "longest estimate first", kNone, {kLongest, kDeclaration}),
      preset("random", "one fixed draw per stage", kNone, {kRandom, kDeclaration}),
      // An age that counts up to a cap: what is worth less by more than the cap is passed by newcomers for ever.
      formula("capped_aging", "default, but hours count up to a cap",
              "min((now() - workflow.create_time).Hours(), cap) + organization.priority + account.priority + "
              "user.priority + workflow.priority",
              {{"cap", "24"}}, {kTailTime, kDeclaration}),
      // Source: slurm.schedmd.com/priority_multifactor.html. The age factor grows to 1 at PriorityMaxAge (7 days) and
      // counts from when a job is eligible; the size factor is the share of the cluster; partition and QOS stand for
      // the organization's and the account's priority over the largest that there is; a workflow's priority is a
      // negative nice. Weights as sites set them; fair-share, association, site and TRES factors are not there. Ties:
      // submit time, then job id. Bad with a small age weight: once ages are at their cap, the other factors decide for
      // ever.
      formula(
          "slurm_multifactor", "Slurm's weighted sum of factors in [0, 1], without fair-share",
          "age_weight * min((now() - stage.ready_time).Hours() / max_age, 1) + size_weight * stage.cores / "
          "cluster_cores + partition_weight * organization.priority / partition_max + qos_weight * account.priority "
          "/ qos_max + workflow.priority",
          {{"age_weight", "1000"},
           {"max_age", "168"},
           {"size_weight", "1000"},
           {"cluster_cores", "1024"},
           {"partition_weight", "1000"},
           {"partition_max", "100"},
           {"qos_weight", "1000"},
           {"qos_max", "100"}},
          {kSubmitTime, kDeclaration}),
      // Source: job_sort_formula and max_starve (24 h) in the PBS Professional administrator's guide: the formula is
      // arithmetic over queue_priority, job_priority, resources and eligible_time; what has starved for max_starve is
      // of a class before all others, here by a term that no formula value reaches. Bad: the class is served in order
      // of the formula too, so that it can starve within itself.
      formula("pbs_formula", "a job_sort_formula of PBS, with its class of starving jobs",
              "queue_weight * organization.priority + job_weight * workflow.priority + cores_weight * stage.cores + "
              "eligible_weight * (now() - stage.ready_time).Hours() + ((now() - stage.ready_time).Hours() > max_starve "
              "? 1000000 : 0)",
              {{"queue_weight", "10"},
               {"job_weight", "1"},
               {"cores_weight", "0.01"},
               {"eligible_weight", "0.1"},
               {"max_starve", "24"}},
              {kSubmitTime, kDeclaration}),
      // Source: WeightedBalancedSchedulingConfiguration of the AWS Deadline Cloud API; the error weight is its default.
      // Errors are tries before this one. The term of tasks that render now is left out: a priority sees no running
      // work.
      formula("deadline_cloud", "AWS Deadline Cloud's weighted balance of priority, errors and time since submission",
              "priority_weight * workflow.priority + error_weight * stage.attempt + submission_weight * (now() - "
              "workflow.create_time).Seconds()",
              {{"priority_weight", "100.0"}, {"error_weight", "-10.0"}, {"submission_weight", "3.0"}},
              {kSubmitTime, kDeclaration}),
  };
  return table;
}

constexpr std::array<std::string_view, 8> kTieWords{"tail_time", "declaration", "submit_time", "shortest",
                                                    "longest",   "largest",     "smallest",    "random"};
constexpr std::array<std::string_view, 4> kPlacementWords{"greedy", "strict", "easy", "conservative"};
constexpr std::array<std::string_view, 2> kBackfillWords{"queue", "shortest"};
constexpr std::array<std::string_view, 3> kPreemptionWords{"off", "requeue", "suspend"};
constexpr std::array<std::string_view, 2> kHoldWords{"honor", "ignore"};
constexpr std::array<std::string_view, 14> kReasonWords{
    "alone",   "priority", "kind",   "tail_time",   "submit_time", "shortest",   "longest",
    "largest", "smallest", "random", "declaration", "fitted",      "backfilled", "preempting"};

}  // namespace

std::span<const Policy> preset_policies() { return presets(); }

const Policy* find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Policy::name);
  return found == presets().end() ? nullptr : &*found;
}

std::span<const std::string_view> tie_words() { return kTieWords; }
std::span<const std::string_view> placement_words() { return kPlacementWords; }
std::span<const std::string_view> backfill_words() { return kBackfillWords; }
std::span<const std::string_view> preemption_words() { return kPreemptionWords; }
std::span<const std::string_view> hold_words() { return kHoldWords; }
std::span<const std::string_view> reason_words() { return kReasonWords; }

std::string_view priority_expression(Priority priority) {
  switch (priority) {
    case Priority::kFuzzball:
      return "(now() - workflow.create_time).Hours() + organization.priority + account.priority + user.priority + "
             "workflow.priority";
    case Priority::kBases:
      return "organization.priority + account.priority + user.priority + workflow.priority";
    case Priority::kNone:
    case Priority::kExpression:
      break;
  }
  return "0";
}

std::string_view priority_expression(const Policy& policy) {
  return policy.priority == Priority::kExpression ? std::string_view(policy.expression)
                                                  : priority_expression(policy.priority);
}

}  // namespace headroom
