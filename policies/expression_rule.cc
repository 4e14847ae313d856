#include "policies/expression_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "policies/priority/columns.h"
#include "policies/priority/error.h"
#include "policies/priority/exact.h"
#include "policies/priority/inputs.h"
#include "policies/priority/token.h"

namespace headroom {
namespace {

using expr::ExactProgram;
using expr::Value;

constexpr KeyInt kBeyond = value_of(kUnrankedKey) - 1;  // behind every key that a rule computes

struct Compiled {
  Compiled(const std::string& source, const std::vector<expr::Param>& params)
      : expression(source, expr::scheduler_environment(params)) {
    expression.require_number();
    for (const expr::Param& param : params) param_values.push_back(expr::param_value(param));
    auto built = ExactProgram::build(expression.tree(), param_values);
    if (auto* program = std::get_if<ExactProgram>(&built)) {
      exact = std::move(*program);
    } else {
      why_not = std::get<ExactProgram::Reason>(built).text;
      columns = expr::ColumnProgram::build(expression.tree());
    }
    std::vector<std::uint8_t> seen(expr::kFixedSlots, 0);
    for (const expr::Node& node : expression.tree().nodes)
      if (node.kind == expr::NodeKind::kInput && node.number < expr::kFixedSlots)
        seen[static_cast<std::size_t>(node.number)] = 1;
    for (std::uint32_t slot = 0; slot < expr::kFixedSlots; ++slot)
      if (seen[slot] != 0) used.push_back(slot);
  }

  [[nodiscard]] OrderKind kind() const {
    if (!exact) return OrderKind::kRecomputed;
    return exact->common_slope() ? OrderKind::kStatic : OrderKind::kPiecewise;
  }

  expr::Expression expression;
  std::vector<Value> param_values;
  std::optional<ExactProgram> exact;
  std::optional<expr::ColumnProgram> columns;
  std::string why_not;
  std::vector<std::uint32_t> used;  ///< slots, in order
};

/// The line of some stage, as a key: smaller first.
Motion as_motion(const expr::Line& line) {
  Motion motion;
  motion.until = TimePoint{line.until};
  if (!line.is_special) {
    motion.slope = -line.slope;
    motion.at_zero = -line.at_zero;
  } else if (std::isnan(line.special)) {
    motion.at_zero = value_of(kUnrankedKey);
  } else {
    motion.at_zero = line.special > 0 ? -kBeyond : kBeyond;
  }
  return motion;
}

/// Does the exact form agree with a closed form? Lines are linear in every input that the closed forms have, so a point
/// for each input beside one for none of them decides it; a product of inputs shows at the last point.
bool amounts_to(const Compiled& compiled, Priority priority) {
  if (!compiled.exact || compiled.exact->opaque() || !compiled.exact->common_slope()) return false;
  const auto is_input = [](std::uint32_t slot) {
    return slot == expr::kOrganizationPriority || slot == expr::kAccountPriority || slot == expr::kUserPriority ||
           slot == expr::kWorkflowPriority || slot == expr::kWorkflowCreateTime;
  };
  if (!std::ranges::all_of(compiled.used, is_input)) return false;
  constexpr KeyInt kHour = 3'600'000'000'000;
  const KeyInt unit = compiled.exact->denominator();
  const bool ages = priority == Priority::kFuzzball;
  if (ages ? *compiled.exact->common_slope() * kHour != unit : *compiled.exact->common_slope() != 0) return false;
  std::array<std::int64_t, expr::kFixedSlots> numbers{};
  std::uint64_t random = 1;
  for (int point = 0; point < 64; ++point) {
    KeyInt expected = 0;
    for (std::uint32_t slot = 0; slot < expr::kFixedSlots; ++slot) {
      if (!is_input(slot)) continue;
      random = random * 6364136223846793005U + 1442695040888963407U;
      const auto drawn = static_cast<std::int32_t>(random >> 32U);
      numbers[slot] = point == 0 ? 0 : point < 8 ? drawn % 3 : drawn;
      if (slot == expr::kWorkflowCreateTime) {
        numbers[slot] *= point < 8 ? 1 : 4'000'000'000;
        if (ages) expected -= numbers[slot] * unit / kHour;
      } else if (priority != Priority::kNone) {
        expected += numbers[slot] * unit;
      }
    }
    if (ages && unit % kHour != 0) return false;
    const expr::Line line = compiled.exact->at(0, numbers, {});
    if (line.is_special || line.at_zero != expected) return false;
  }
  return true;
}

Priority closed_form_of(const Compiled& compiled) {
  for (const Priority priority : {Priority::kNone, Priority::kBases, Priority::kFuzzball})
    if (amounts_to(compiled, priority)) return priority;
  return Priority::kExpression;
}

/// The same words, however they are spaced.
bool is_written_as(const std::string& expression, Priority priority) {
  const auto words = [](std::string_view text) {
    std::vector<std::string> all;
    for (const expr::Token& token : expr::tokens_of(text)) all.push_back(token.text);
    return all;
  };
  return words(expression) == words(priority_expression(priority));
}

class ExpressionRule final : public PriorityRule {
 public:
  ExpressionRule(const Policy& policy, RuleContext context)
      : compiled_(policy.expression, policy.params),
        context_(std::move(context)),
        epoch_(expr::Instant::of_unix_ns(context_.start_unix_ns)) {
    for (const std::uint32_t slot : compiled_.used)
      needs_stage_ = needs_stage_ || (slot >= expr::kStageEstimate && slot <= expr::kStageAttempt);
    needs_queue_ = std::ranges::find(compiled_.used, expr::kQueueLength) != compiled_.used.end();
    values_.resize(expr::kFixedSlots);
    values_.insert(values_.end(), compiled_.param_values.begin(), compiled_.param_values.end());
    const Priority form = closed_form_of(compiled_);
    if (form != Priority::kExpression) closed_form_ = make_priority_rule(form);
  }

  [[nodiscard]] OrderKind kind() const override { return compiled_.kind(); }
  [[nodiscard]] bool needs_stage() const override { return needs_stage_; }
  [[nodiscard]] bool needs_queue() const override { return needs_queue_; }

  [[nodiscard]] ExactKey exact_key(const PriorityInputs& in) const override {
    if (closed_form_ != nullptr) return closed_form_->exact_key(in);
    return key_of(as_motion(line(in, TimePoint::zero())).at_zero);
  }
  [[nodiscard]] Motion motion(const PriorityInputs& in, TimePoint now) const override {
    return as_motion(line(in, now));
  }
  [[nodiscard]] KeyInt unit() const override { return compiled_.exact ? compiled_.exact->denominator() : 1; }

  [[nodiscard]] double value(const PriorityInputs& in, TimePoint now) const override {
    fill(in);
    try {
      return expr::as_priority(compiled_.expression.evaluate(values_, clock(now)));
    } catch (const expr::Error&) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

  [[nodiscard]] std::string why_unranked(const PriorityInputs& in, TimePoint now) const override {
    fill(in);
    try {
      static_cast<void>(expr::as_priority(compiled_.expression.evaluate(values_, clock(now))));
    } catch (const expr::Error& error) {
      const expr::Place place = expr::place_of(compiled_.expression.source(), error.offset());
      return std::string(error.what()) + " (" + std::to_string(place.line) + ":" + std::to_string(place.column) + ")";
    }
    return PriorityRule::why_unranked(in, now);
  }

  [[nodiscard]] bool has_columns() const override { return compiled_.columns.has_value(); }
  void prepare(StageId stage, const PriorityInputs& in) override {
    fill(in);
    compiled_.columns->prepare(stage.value, values_, epoch_);
  }
  void values(std::span<const StageId> stages, TimePoint now, std::int64_t queued,
              std::span<double> into) const override {
    static_assert(sizeof(StageId) == sizeof(std::uint32_t));
    rows_.clear();
    for (const StageId stage : stages) rows_.push_back(stage.value);
    values_[expr::kQueueLength] = Value::of_int(queued);
    compiled_.columns->run(rows_, values_, clock(now), epoch_, into);
  }

 private:
  [[nodiscard]] expr::Clock clock(TimePoint now) const { return {epoch_.plus(now.ns), context_.utc_offset_s}; }

  [[nodiscard]] expr::Line line(const PriorityInputs& in, TimePoint now) const {
    for (const std::uint32_t slot : compiled_.used) numbers_[slot] = number(slot, in);
    if (compiled_.exact->opaque()) fill(in);
    return compiled_.exact->at(now.ns, numbers_, values_);
  }

  /// As exact code has it; 0 for texts.
  [[nodiscard]] static std::int64_t number(std::uint32_t slot, const PriorityInputs& in) {
    static const StageInputs none;
    const StageInputs& stage = in.stage != nullptr ? *in.stage : none;
    switch (slot) {
      case expr::kOrganizationPriority:
        return in.organization;
      case expr::kAccountPriority:
        return in.account;
      case expr::kUserPriority:
        return in.user;
      case expr::kWorkflowPriority:
        return in.workflow;
      case expr::kWorkflowCreateTime:
        return in.created_at.ns;
      case expr::kStageEstimate:
        return stage.estimate.ns;
      case expr::kStageTailTime:
        return stage.tail_time.ns;
      case expr::kStageCores:
        return stage.cores;
      case expr::kStageMemory:
        return stage.memory;
      case expr::kStageGpus:
        return stage.gpus;
      case expr::kStageReadyTime:
        return stage.ready_at.ns;
      case expr::kStageAttempt:
        return stage.attempt;
      case expr::kQueueLength:
        return in.queued;
      default:
        return 0;
    }
  }

  void fill(const PriorityInputs& in) const {
    for (const std::uint32_t slot : compiled_.used) {
      switch (slot) {
        case expr::kOrganizationId:
          values_[slot] = id(in.organization_id.value);
          break;
        case expr::kAccountId:
          values_[slot] = id(in.account_id.value);
          break;
        case expr::kUserId:
          values_[slot] = id(in.user_id.value);
          break;
        case expr::kWorkflowId:
          values_[slot] = id(context_.names ? context_.names->workflow_number(in.workflow_id) : in.workflow_id.value);
          break;
        case expr::kOrganizationName:
          values_[slot] = Value::of_string(context_.names ? context_.names->organization(in.organization_id) : "");
          break;
        case expr::kAccountName:
          values_[slot] = Value::of_string(context_.names ? context_.names->account(in.account_id) : "");
          break;
        case expr::kUserName:
          values_[slot] = Value::of_string(context_.names ? context_.names->user(in.user_id) : "");
          break;
        case expr::kWorkflowName:
          values_[slot] = Value::of_string(context_.names ? context_.names->workflow(in.workflow_id) : "");
          break;
        case expr::kWorkflowCreateTime:
        case expr::kStageReadyTime:
          values_[slot] = Value::of_time(epoch_.plus(number(slot, in)));
          break;
        case expr::kStageEstimate:
        case expr::kStageTailTime:
          values_[slot] = Value::of_duration(number(slot, in));
          break;
        default:
          values_[slot] = Value::of_int(number(slot, in));
          break;
      }
    }
  }
  static Value id(std::uint32_t number) { return Value::of_string(std::to_string(number)); }

  Compiled compiled_;
  std::unique_ptr<PriorityRule> closed_form_;  ///< with the same keys, sooner
  RuleContext context_;
  expr::Instant epoch_;
  bool needs_stage_ = false, needs_queue_ = false;
  // Filled anew for each stage; a rule belongs to one scheduler, which belongs to one thread.
  mutable std::array<std::int64_t, expr::kFixedSlots> numbers_{};
  mutable std::vector<Value> values_;
  mutable std::vector<std::uint32_t> rows_;
};

OrderAnalysis analysis_of(const Compiled& compiled) {
  OrderAnalysis analysis;
  analysis.kind = compiled.kind();
  analysis.closed_form = closed_form_of(compiled);
  if (analysis.kind == OrderKind::kRecomputed) {
    analysis.why = compiled.why_not;
    analysis.in_columns = compiled.columns.has_value();
    return analysis;
  }
  if (analysis.kind == OrderKind::kPiecewise) {
    analysis.why = compiled.exact->why_piecewise();
    return analysis;
  }
  analysis.slope_per_hour = static_cast<double>(static_cast<long double>(*compiled.exact->common_slope()) * 3.6e12L /
                                                static_cast<long double>(compiled.exact->denominator()));
  analysis.why = analysis.slope_per_hour == 0
                     ? "no term depends on now()"
                     : "every stage ages at " + expr::float_text(analysis.slope_per_hour) + "/h";
  return analysis;
}

}  // namespace

OrderAnalysis analyse(const std::string& expression, const std::vector<expr::Param>& params) {
  return analysis_of(Compiled(expression, params));
}

std::unique_ptr<PriorityRule> make_priority_rule(const Policy& policy, const RuleContext& context) {
  if (policy.priority != Priority::kExpression) return make_priority_rule(policy.priority);
  return std::make_unique<ExpressionRule>(policy, context);
}

void set_priority_expression(Policy& policy, std::string expression, std::vector<expr::Param> params) {
  const Priority form = analyse(expression, params).closed_form;
  // Another form of the same sum has other last bits where it is shown.
  policy.priority = form != Priority::kExpression && is_written_as(expression, form) ? form : Priority::kExpression;
  if (policy.priority != Priority::kExpression) return;
  policy.expression = std::move(expression);
  policy.params = std::move(params);
}

}  // namespace headroom
