// What the checker found: what it looked at how often, what is wrong, and what it could not look at and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/verify/schedule.h"

namespace headroom::verify {

enum class Rule : std::uint8_t {
  kComplete,    ///< every stage is there, every decision once, and who must have ended has
  kAttempts,    ///< tries follow each other and do not overlap; states and times agree
  kPrecedence,  ///< nobody starts before what it needs has finished
  kEligible,    ///< eligible_at is the latest of declaration, predecessors' ends and the release that it waited for
  kHolds,       ///< nobody starts under a hold that gates it
  kRelease,     ///< nobody starts before it was submitted, declared and eligible
  kRunTime,     ///< ends = starts + run time; limits are kept
  kTailTime,
  kPriority,
  kGrid,         ///< with a tick: starts on its multiples only; none at or after give_up
  kCapacity,     ///< of every node and pool, at every instant
  kNode,         ///< the first nodes in file order where it fits
  kOrder,        ///< nobody starts before an earlier-ranked stage that could have been started instead
  kReservation,  ///< easy: no start moves the first waiting stage's earliest time
  kIdle,         ///< nothing that could start is left waiting when a pass is over
};
inline constexpr std::size_t kRules = 15;
/// "capacity"; and one sentence of what it asks for.
[[nodiscard]] const char* rule_name(Rule rule);
[[nodiscard]] const char* rule_text(Rule rule);

struct Violation {
  Rule rule = Rule::kComplete;
  std::uint32_t stage = 0;
  Time at = kNever;  ///< kNever: at no instant
  std::string text;
};

struct Verdict {
  static constexpr std::size_t kMostKept = 100;

  std::uint64_t checked[kRules] = {};
  std::uint64_t violated[kRules] = {};
  std::vector<Violation> violations;     ///< the first kMostKept
  std::vector<std::string> not_checked;  ///< "order: ties are drawn at random"

  void add(Rule rule, std::uint32_t stage, Time at, std::string text);
  void count(Rule rule) { ++checked[static_cast<std::size_t>(rule)]; }
  /// Once, however often it is said.
  void skip(Rule rule, const std::string& why);
  [[nodiscard]] std::uint64_t total() const;
};

/// Checks everything that the schedule says enough of.
///
/// `work`  about so many elementary steps of looking for better candidates are spent; what is left is then said to be
///         not checked.
/// Cost    O(n log n) for n attempts and dependencies, beside that.
[[nodiscard]] Verdict check(const Schedule& schedule, std::uint64_t work = 4'000'000'000);

// ---- its two parts
void check_rows(const Schedule& schedule, Verdict& verdict);
void replay(const Schedule& schedule, std::uint64_t work, Verdict& verdict);

/// "12.5 s".
[[nodiscard]] std::string seconds_text(Time t);

}  // namespace headroom::verify
