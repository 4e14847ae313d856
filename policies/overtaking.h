// For how long can newcomers rank before what waits? The no-starvation guarantee of a priority, asked of two stages:
// one that waits, and any number of the other kind that come after it.
#pragma once

#include <optional>
#include <string>

#include "policies/expression_rule.h"

namespace headroom {

class Overtaking {
 public:
  /// `why_not`: why nothing can be proved of this policy's priority; "" if something can.
  Overtaking(const Policy& policy, const RuleContext& context);
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// The age of a stage with the inputs `low` from which on a newcomer with the inputs `high`, as it comes, is never
  /// worth more than it; infinite() if there is none. Creation times of both are not looked at. Equal worth, which
  /// falls to the ties, does not count. Nullopt: not proved, since what waits can also lose worth.
  [[nodiscard]] std::optional<Duration> age_on_arrival(const PriorityInputs& low, const PriorityInputs& high) const;
  /// Likewise, counting newcomers that wait themselves and pass later: what is left of aging once both ages are capped,
  /// or where rates differ. Never smaller.
  [[nodiscard]] std::optional<Duration> age(const PriorityInputs& low, const PriorityInputs& high) const;
  /// Can the two be worth the same for ever, so that the ties decide for ever?
  [[nodiscard]] bool may_tie_for_ever(const PriorityInputs& low, const PriorityInputs& high) const;
  /// What a stage is worth when it is new.
  [[nodiscard]] double worth_when_new(const PriorityInputs& inputs) const;

 private:
  std::unique_ptr<PriorityRule> rule_;
  std::string why_not_;
};

}  // namespace headroom
