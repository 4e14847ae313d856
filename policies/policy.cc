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
  };
  return table;
}

constexpr std::array<std::string_view, 8> kTieWords{"tail_time", "declaration", "submit_time", "shortest",
                                                    "longest",   "largest",     "smallest",    "random"};
constexpr std::array<std::string_view, 4> kPlacementWords{"greedy", "strict", "easy", "conservative"};
constexpr std::array<std::string_view, 2> kBackfillWords{"queue", "shortest"};
constexpr std::array<std::string_view, 3> kPreemptionWords{"off", "requeue", "suspend"};
constexpr std::array<std::string_view, 2> kHoldWords{"honor", "ignore"};
constexpr std::array<std::string_view, 13> kReasonWords{
    "alone",   "priority", "kind",   "tail_time",   "submit_time", "shortest",  "longest",
    "largest", "smallest", "random", "declaration", "fitted",      "backfilled"};

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
      break;
  }
  return "0";
}

}  // namespace headroom
