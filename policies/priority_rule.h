// The first key of the order: a number per stage and pass, larger first. Rules are pure; a compiled expression will be
// one more of them. What a rule proves about itself decides which queue keeps the order (ready_queue.h).
#pragma once

#include <cstdint>
#include <memory>

#include "policies/policy.h"
#include "policies/time.h"

namespace headroom {

/// What a rule may look at.
struct PriorityInputs {
  TimePoint created_at;  ///< submission of the workflow
  std::int64_t organization = 0, account = 0, user = 0, workflow = 0;
};

/// A priority as an exact static key, smaller first, compared major before minor. Two words, so that no input
/// overflows.
struct ExactKey {
  std::int64_t major = 0, minor = 0;
  friend constexpr auto operator<=>(ExactKey, ExactKey) = default;
};

enum class OrderKind : std::uint8_t {
  kStatic,      ///< every stage ages at the same rate: the order of two stages changes with their inputs only
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
};

/// The closed forms of Policy::priority. Never null.
[[nodiscard]] std::unique_ptr<PriorityRule> make_priority_rule(Priority priority);

/// Hours as the expression language counts them: whole hours, plus the remainder over 3.6e12, both as doubles.
[[nodiscard]] double hours(Duration d);

}  // namespace headroom
