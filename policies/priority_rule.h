// The first key of the order: a number per stage and pass, larger first. Rules are pure; a compiled expression
// (expression_rule.h) is one of them. What a rule proves about itself decides which queue keeps the order
// (ready_queue.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "policies/check.h"
#include "policies/ids.h"
#include "policies/policy.h"
#include "policies/time.h"

namespace headroom {

/// Of the stage itself; only filled for rules that ask for it.
struct StageInputs {
  Duration estimate, tail_time;
  std::int64_t cores = 0, memory = 0, gpus = 0;
  TimePoint ready_at;
  std::int64_t attempt = 0;  ///< starts so far
};

/// What a rule may look at.
struct PriorityInputs {
  TimePoint created_at;  ///< submission of the workflow
  std::int64_t organization = 0, account = 0, user = 0, workflow = 0;
  OrganizationId organization_id = {};
  AccountId account_id = {};
  UserId user_id = {};
  WorkflowId workflow_id = {};
  const StageInputs* stage = nullptr;
  std::int64_t queued = 0;  ///< stages in the queue; in a pass, at its beginning
};

/// A priority as an exact static key, smaller first, compared major before minor. Two words, so that no input
/// overflows.
struct ExactKey {
  std::int64_t major = 0, minor = 0;
  friend constexpr auto operator<=>(ExactKey, ExactKey) = default;
};

/// 128 bits as such a key, in the same order.
__extension__ using KeyInt = __int128;
[[nodiscard]] constexpr ExactKey key_of(KeyInt value) {
  constexpr auto kTop = std::uint64_t{1} << 63U;
  return {static_cast<std::int64_t>(value >> 64), static_cast<std::int64_t>(static_cast<std::uint64_t>(value) ^ kTop)};
}
[[nodiscard]] constexpr KeyInt value_of(ExactKey key) {
  constexpr auto kTop = std::uint64_t{1} << 63U;
  return (static_cast<KeyInt>(key.major) << 64) | static_cast<KeyInt>(static_cast<std::uint64_t>(key.minor) ^ kTop);
}

/// The key of a priority that is NaN or could not be evaluated: behind all others (their ties decide among them).
inline constexpr ExactKey kUnrankedKey = key_of((KeyInt{1} << 126) + 1);

/// How a stage's key moves: slope * t + at_zero (t: TimePoint::ns), smaller first, until the instant `until`, from
/// which on another line may hold. Below 2^126 in size at all times.
struct Motion {
  KeyInt slope = 0, at_zero = 0;
  TimePoint until = TimePoint::never();
};

enum class OrderKind : std::uint8_t {
  kStatic,      ///< every stage ages at the same rate: the order of two stages changes with their inputs only
  kPiecewise,   ///< each stage's priority is linear between known instants
  kRecomputed,  ///< evaluated for every waiting stage in each pass
};

class PriorityRule {
 public:
  virtual ~PriorityRule() = default;
  [[nodiscard]] virtual OrderKind kind() const = 0;
  /// kStatic: the exact key. Its order is that of value() in exact arithmetic, at whatever `now`.
  [[nodiscard]] virtual ExactKey exact_key(const PriorityInputs& inputs) const = 0;
  /// The double that the expression language gives: what is shown, and what decides under kRecomputed. NaN sorts last.
  [[nodiscard]] virtual double value(const PriorityInputs& inputs, TimePoint now) const = 0;
  /// kPiecewise: the line that holds at `now`.
  [[nodiscard]] virtual Motion motion(const PriorityInputs& /*inputs*/, TimePoint /*now*/) const {
    HEADROOM_CHECK(false, "not a piecewise rule");
    return {};
  }
  /// kPiecewise: by how much a motion falls when the priority rises by 1.
  [[nodiscard]] virtual KeyInt unit() const { return 1; }
  /// Why value() is NaN, for people: "it is NaN", or the message of what failed.
  [[nodiscard]] virtual std::string why_unranked(const PriorityInputs& /*inputs*/, TimePoint /*now*/) const {
    return "it is NaN";
  }
  /// Does it look at PriorityInputs::stage?
  [[nodiscard]] virtual bool needs_stage() const { return false; }
  /// And at PriorityInputs::queued?
  [[nodiscard]] virtual bool needs_queue() const { return false; }

  // kRecomputed in columns: what does not depend on time is computed when a stage enters the queue.
  [[nodiscard]] virtual bool has_columns() const { return false; }
  virtual void prepare(StageId /*stage*/, const PriorityInputs& /*inputs*/) {}
  /// The bits that value() gives, for stages that were prepared.
  virtual void values(std::span<const StageId> /*stages*/, TimePoint /*now*/, std::int64_t /*queued*/,
                      std::span<double> /*into*/) const {}
};

/// The closed forms of Policy::priority. Never null.
[[nodiscard]] std::unique_ptr<PriorityRule> make_priority_rule(Priority priority);

/// Hours as the expression language counts them: whole hours, plus the remainder over 3.6e12, both as doubles.
[[nodiscard]] double hours(Duration d);

}  // namespace headroom
