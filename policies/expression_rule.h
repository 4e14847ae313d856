// A priority expression as a rule: compiled once, analysed once. What the analysis proves decides how the order is
// kept.
#pragma once

#include <memory>
#include <string>

#include "policies/policy.h"
#include "policies/priority_rule.h"

namespace headroom {

/// What the world looks like to an expression, beside the numbers.
struct RuleContext {
  std::int64_t start_unix_ns = 0;  ///< the date of time 0
  std::int64_t utc_offset_s = 0;   ///< in which now().Hour() counts
  /// `organization.name` and its kin; without it, names are empty.
  class Names {
   public:
    virtual ~Names() = default;
    [[nodiscard]] virtual std::string organization(OrganizationId id) const = 0;
    [[nodiscard]] virtual std::string account(AccountId id) const = 0;
    [[nodiscard]] virtual std::string user(UserId id) const = 0;
    [[nodiscard]] virtual std::string workflow(WorkflowId id) const = 0;
    /// As results number it, which is what `workflow.id` says; ids of a scheduler go by submission.
    [[nodiscard]] virtual std::uint32_t workflow_number(WorkflowId id) const { return id.value; }
  };
  std::shared_ptr<const Names> names;
};

/// What is known of an expression's order without any stage.
struct OrderAnalysis {
  OrderKind kind = OrderKind::kRecomputed;
  /// kNone, kBases, kFuzzball: in exact arithmetic it is this closed form, however it is written.
  Priority closed_form = Priority::kExpression;
  std::string why;            ///< "every stage ages at 1/h", "min() caps age at 24 h", "** of now()"
  double slope_per_hour = 0;  ///< kStatic
  bool in_columns = false;    ///< kRecomputed
};

/// Fails  expr::Error (compile): the expression is none, or no number.
[[nodiscard]] OrderAnalysis analyse(const std::string& expression, const std::vector<expr::Param>& params);

/// The rule of any policy. Fails likewise, for policies whose priority is an expression.
[[nodiscard]] std::unique_ptr<PriorityRule> make_priority_rule(const Policy& policy, const RuleContext& context = {});

/// Puts an expression into a policy: as the closed form, if it is written like one. Fails likewise.
void set_priority_expression(Policy& policy, std::string expression, std::vector<expr::Param> params = {});

}  // namespace headroom
