// A policy is data: how to order the queue, how to break ties, how to place, whether holds count. The table of presets
// is the only list of them; `sim policies`, the contract tests and the benches walk it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policies/priority/param.h"
#include "policies/time.h"

namespace headroom {

/// The first key: larger first. All but kExpression are closed forms.
enum class Priority : std::uint8_t {
  kNone,        ///< 0 for every stage
  kBases,       ///< organization + account + user + workflow priority
  kFuzzball,    ///< kBases + hours since workflow.create_time
  kExpression,  ///< Policy::expression (expression_rule.h)
};

enum class Tie : std::uint8_t {
  kTailTime,     ///< larger first
  kDeclaration,  ///< smaller declaration number first; always the last tie, stated or not
  kSubmitTime,   ///< earlier submission of the workflow first
  kShortest,     ///< smaller estimate first
  kLongest,      ///< larger estimate first
  kLargest,      ///< more cores (times nodes) first
  kSmallest,     ///< fewer cores (times nodes) first
  kRandom,       ///< one fixed draw per stage, smaller first
};

enum class Placement : std::uint8_t {
  kGreedy,        ///< what does not fit is passed over and reserves nothing
  kStrict,        ///< the first that does not fit ends the pass
  kEasy,          ///< the first that does not fit gets a reservation; others start only if they do not delay it
  kConservative,  ///< all get reservations, in order and anew in each pass; those whose time is now start
};

enum class Backfill : std::uint8_t { kQueue, kShortest };
enum class Preemption : std::uint8_t { kOff, kRequeue, kSuspend };
enum class HoldRule : std::uint8_t { kHonor, kIgnore };
/// `ideal`: the outermost release lets go of all that the hold gates. `stepup-rc13`: the steps below a sub-plan that
/// exists already may stay behind (stale_safety.h); a setting of the scheduler, not
/// of the policy; goes with holds that gate what the declarer declared.
enum class HoldRelease : std::uint8_t { kIdeal, kStepUpRc13 };

/// When preemption is on, beyond who is below whom.
struct PreemptionTerms {
  double margin = 0;     ///< a victim's priority must be lower by more than this
  Duration minimum_run;  ///< nobody goes who has not run that long since its last start
  Duration grace;        ///< how long a victim may still run once it was chosen

  friend bool operator==(const PreemptionTerms&, const PreemptionTerms&) = default;
};

struct Policy {
  std::string name;
  std::string about;
  Priority priority = Priority::kNone;
  std::vector<Tie> ties;  ///< in order; what is left falls to the declaration number
  Placement placement = Placement::kGreedy;
  Backfill backfill = Backfill::kQueue;
  Preemption preemption = Preemption::kOff;
  PreemptionTerms preemption_terms;
  HoldRule hold = HoldRule::kHonor;
  std::string expression = {};           ///< of kExpression; compiles, and is no closed form
  std::vector<expr::Param> params = {};  ///< what it may name besides

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// Every preset, `default` first.
[[nodiscard]] std::span<const Policy> preset_policies();
/// Nullptr if no preset has that name.
[[nodiscard]] const Policy* find_preset(std::string_view name);

/// The words of the workload format, one table per enumeration; index = enumerator.
[[nodiscard]] std::span<const std::string_view> tie_words();
[[nodiscard]] std::span<const std::string_view> placement_words();
[[nodiscard]] std::span<const std::string_view> backfill_words();
[[nodiscard]] std::span<const std::string_view> preemption_words();
[[nodiscard]] std::span<const std::string_view> hold_words();

/// The priority as the expression it stands for, in Fuzzball's language; "0" for kNone.
[[nodiscard]] std::string_view priority_expression(Priority priority);
/// Likewise, of any policy.
[[nodiscard]] std::string_view priority_expression(const Policy& policy);

}  // namespace headroom
