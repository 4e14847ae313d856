// The order of a stored queue at any instant, and what each priority in it was made of: what the scheduler used in its
// pass at that time.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/views/history.h"

namespace headroom::views {

/// Why one stage stands before another, by the first key in which they differ.
enum class Rung : std::uint8_t { kPriority, kKind, kTie, kDeclaration };

class Order {
 public:
  /// `history` outlives it.
  explicit Order(const History& history);

  /// Inputs of the stage's priority at `t`: those at submission, and every change until `t` or until it ended. Of a
  /// stage that was declared later those of its workflow then.
  /// Cost  O(log n) and the changes of its workflow.
  [[nodiscard]] PriorityInputs inputs(std::uint32_t stage, TimePoint t) const;
  /// The double that the policy's expression gives. There is a rule. `inputs`: others than those at `t`; what belongs
  /// to the stage is filled in.
  [[nodiscard]] double value(std::uint32_t stage, TimePoint t, const PriorityInputs* inputs = nullptr) const;
  /// Longest estimated path from its start, over what was declared by `t`.
  [[nodiscard]] Duration tail(std::uint32_t stage, TimePoint t) const;

  struct Key {
    ExactKey priority;
    int kind = 1;  ///< 0: a plan
    std::vector<std::int64_t> ties;
    std::uint32_t stage = 0;  ///< declaration
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// Smaller is considered first. `inputs`: others than those at `t`.
  [[nodiscard]] Key key(std::uint32_t stage, TimePoint t, const PriorityInputs* inputs = nullptr) const;

  /// Stages that the pass at `t` found eligible, first in order first.
  /// Cost  O(stages + n log n).
  [[nodiscard]] std::vector<std::uint32_t> queue(TimePoint t) const;
  /// Why the order is not to be had; empty: it is.
  [[nodiscard]] std::string why_not() const;

 private:
  /// With what the rule asks of the stage and of the queue, as they were when the pass at `t` began.
  [[nodiscard]] PriorityInputs filled(std::uint32_t stage, TimePoint t, const PriorityInputs* given) const;
  [[nodiscard]] StageInputs stage_inputs(std::uint32_t stage, TimePoint t) const;
  [[nodiscard]] std::int64_t queue_length(TimePoint t) const;
  [[nodiscard]] ExactKey priority_key(const PriorityInputs& of, TimePoint t) const;
  [[nodiscard]] std::int64_t tie_value(Tie tie, std::uint32_t stage, TimePoint t) const;
  [[nodiscard]] const std::map<std::uint32_t, Duration>& tails_of(std::uint32_t workflow, TimePoint t) const;

  const History& h_;
  std::vector<std::vector<PriorityEvent>> events_;  ///< by workflow
  mutable std::map<std::pair<std::uint32_t, TimePoint>, std::map<std::uint32_t, Duration>> tails_;
  mutable StageInputs buffer_;  ///< of the stage that was asked about last
  mutable std::map<TimePoint, std::int64_t> queue_lengths_;
};

/// Did a hold above it gate it when the pass at `t` began, though it could have started?
[[nodiscard]] bool is_gated_at(const StageFacts& stage, TimePoint t);
/// Was it eligible when the pass at `t` began?
[[nodiscard]] bool waits_at(const StageFacts& stage, TimePoint t);

}  // namespace headroom::views
