#include "policies/overtaking.h"

#include <algorithm>
#include <vector>

#include "policies/priority/inputs.h"
#include "policies/priority/program.h"

namespace headroom {
namespace {

constexpr std::size_t kMostPieces = 1'000;
constexpr KeyInt kSpecial = KeyInt{1} << 126;

/// What a stage created at 0 is worth from `from` on: slope * t + at_zero, larger first.
struct Piece {
  std::int64_t from;
  KeyInt slope, at_zero;
  [[nodiscard]] KeyInt at(std::int64_t t) const { return slope * t + at_zero; }
};
using Worth = std::vector<Piece>;

/// Empty: too many pieces, or no numbers.
Worth worth_of(const PriorityRule& rule, PriorityInputs in) {
  in.created_at = TimePoint::zero();
  Worth worth;
  for (TimePoint t = TimePoint::zero(); !t.is_never();) {
    const Motion motion = rule.motion(in, t);
    if (worth.size() == kMostPieces || motion.at_zero >= kSpecial || motion.at_zero <= -kSpecial) return {};
    worth.push_back({t.ns, -motion.slope, -motion.at_zero});
    t = motion.until;
  }
  return worth;
}

const Piece& piece_at(const Worth& worth, std::int64_t t) {
  return *std::prev(std::ranges::upper_bound(worth, t, {}, &Piece::from));
}

bool never_falls(const Worth& worth) {
  for (std::size_t k = 0; k < worth.size(); ++k) {
    if (worth[k].slope < 0) return false;
    if (k > 0 && worth[k].at(worth[k].from) < worth[k - 1].at(worth[k].from - 1)) return false;
  }
  return true;
}

/// Is a newcomer that is created when the other has this age ever worth more than it?
bool is_overtaken(const Worth& low, const Worth& high, std::int64_t age) {
  const auto ahead = [&](std::int64_t u) { return piece_at(high, u).at(u) > piece_at(low, age + u).at(age + u); };
  // The difference is linear between the ends of lines, so it is largest at one of these instants or at its end.
  for (const Piece& piece : high) {
    if (ahead(piece.from) || (piece.from > 0 && ahead(piece.from - 1))) return true;
  }
  for (const Piece& piece : low) {
    const std::int64_t u = piece.from - age;
    if (u > 0 && (ahead(u) || ahead(u - 1))) return true;
  }
  return high.back().slope > low.back().slope;
}

/// What an expression may look at for a stage to be worth the same at the same age, whenever it comes.
std::string what_else_counts(const expr::Tree& tree) {
  std::vector<std::uint8_t> in_age(tree.nodes.size(), 0);
  const auto is_now = [&](expr::NodeId id) { return tree[id].kind == expr::NodeKind::kCall && tree[id].text == "now"; };
  const auto is_creation = [&](expr::NodeId id) {
    return tree[id].kind == expr::NodeKind::kInput && tree[id].number == expr::kWorkflowCreateTime;
  };
  for (const expr::Node& node : tree.nodes) {
    const bool subtracts = (node.kind == expr::NodeKind::kBinary && node.op == expr::Op::kSubtract) ||
                           (node.kind == expr::NodeKind::kMethod && node.text == "Sub");
    if (!subtracts) continue;
    const expr::NodeId a = node.children[0];
    const expr::NodeId b = node.children[1];
    if ((is_now(a) && is_creation(b)) || (is_now(b) && is_creation(a))) in_age[a] = in_age[b] = 1;
  }
  for (const expr::Node& node : tree.nodes) {
    if (node.kind != expr::NodeKind::kInput) continue;
    if (node.number >= expr::kStageEstimate && node.number <= expr::kStageAttempt)
      return "it looks at the stage, and any may come";
    if (node.number == expr::kWorkflowName || node.number == expr::kWorkflowId)
      return "it looks at the workflow's name, and any may come";
  }
  for (expr::NodeId id = 0; id < tree.nodes.size(); ++id) {
    if (in_age[id] != 0) continue;
    if (is_now(id)) return "it asks for more about now() than the age";
    if (is_creation(id)) return "it asks for more about workflow.create_time than the age";
  }
  return "";
}

}  // namespace

Overtaking::Overtaking(const Policy& policy, const RuleContext& context) {
  Policy asked = policy;
  if (asked.priority != Priority::kExpression) {
    asked.expression = std::string(priority_expression(policy.priority));
    asked.priority = Priority::kExpression;
  }
  const expr::Expression expression(asked.expression, expr::scheduler_environment(asked.params));
  rule_ = make_priority_rule(asked, context);
  if (rule_->kind() == OrderKind::kRecomputed)
    why_not_ = analyse(asked.expression, asked.params).why;
  else
    why_not_ = what_else_counts(expression.tree());
}

/// The least age at which `overtaken` is false, if it is true up to there and never again.
template <class Overtaken>
Duration first_age_without(Overtaken overtaken) {
  std::int64_t last = INT64_MAX / 4;
  if (overtaken(last)) return Duration::infinite();
  std::int64_t first = -1;
  while (last - first > 1) {
    const std::int64_t middle = first + (last - first) / 2;
    (overtaken(middle) ? first : last) = middle;
  }
  return {last};
}

std::optional<Duration> Overtaking::age_on_arrival(const PriorityInputs& low, const PriorityInputs& high) const {
  if (!why_not_.empty()) return std::nullopt;
  const Worth waits = worth_of(*rule_, low);
  const Worth comes = worth_of(*rule_, high);
  if (waits.empty() || comes.empty() || !never_falls(waits)) return std::nullopt;
  return first_age_without([&](std::int64_t age) { return comes.front().at(0) > piece_at(waits, age).at(age); });
}

std::optional<Duration> Overtaking::age(const PriorityInputs& low, const PriorityInputs& high) const {
  if (!why_not_.empty()) return std::nullopt;
  const Worth waits = worth_of(*rule_, low);
  const Worth comes = worth_of(*rule_, high);
  if (waits.empty() || comes.empty() || !never_falls(waits)) return std::nullopt;
  // What never loses worth is overtaken by ever fewer: the last age is found by halving.
  return first_age_without([&](std::int64_t age) { return is_overtaken(waits, comes, age); });
}

bool Overtaking::may_tie_for_ever(const PriorityInputs& low, const PriorityInputs& high) const {
  if (!why_not_.empty()) return false;
  const Worth waits = worth_of(*rule_, low);
  const Worth comes = worth_of(*rule_, high);
  if (waits.empty() || comes.empty() || waits.back().slope != 0) return false;
  const KeyInt end = waits.back().at_zero;
  // A newcomer passes the value at which the other stays, or begins or stays there itself.
  return std::ranges::any_of(comes, [&](const Piece& piece) { return piece.at(piece.from) == end; }) ||
         is_overtaken(waits, comes, INT64_MAX / 4);
}

double Overtaking::worth_when_new(const PriorityInputs& inputs) const {
  PriorityInputs in = inputs;
  in.created_at = TimePoint::zero();
  return rule_->value(in, TimePoint::zero());
}

}  // namespace headroom
