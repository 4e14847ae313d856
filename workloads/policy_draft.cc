// What a policy's params may be, and the policies that come of several values.
#include "workloads/policy_draft.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "policies/expression_rule.h"
#include "policies/priority/builtins.h"
#include "policies/priority/inputs.h"

namespace headroom::yaml {
namespace {

constexpr std::size_t kMostVariants = 1000;

/// A name that an expression can say, and that means nothing else there.
bool is_param_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  static const std::vector<std::string> kWords{"not",      "in",  "or", "and",  "matches", "contains", "startsWith",
                                               "endsWith", "let", "if", "else", "true",    "false",    "nil"};
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); }) &&
         std::ranges::find(kWords, name) == kWords.end();
}

/// A number as an expression can hold it; reports what is none.
std::optional<std::string> param_number(Context& c, const Node& value, const std::string& name) {
  const auto number = number_of(c, value, "params." + name);
  if (!number) return std::nullopt;
  const bool plain = std::ranges::all_of(value.text, [](char d) {
    return (d >= '0' && d <= '9') || std::string_view("+-.eE").find(d) != std::string_view::npos;
  });
  const bool is_int = value.text.find_first_of(".eE") == std::string::npos;
  if (!plain || (is_int && std::fabs(*number) > 9e15L)) {
    c.error(value, "params." + name + ": '" + value.text + "' is no number that an expression can hold");
    return std::nullopt;
  }
  return value.text;
}

/// One number, or a list of different ones. At least one, unless something was wrong.
std::vector<std::string> param_numbers(Context& c, const Node& value, const std::string& name) {
  std::vector<std::string> numbers;
  if (!value.is_list()) {
    if (auto number = param_number(c, value, name)) numbers.push_back(std::move(*number));
    return numbers;
  }
  if (value.children.empty()) c.expected(value, "params." + name, "a number or a list of numbers");
  for (const NodeId id : value.children) {
    auto number = param_number(c, c.at(id), name);
    if (!number) continue;
    if (std::ranges::find(numbers, *number) != numbers.end()) {
      c.error(c.at(id), "params." + name + ": the value '" + *number + "' is there twice");
      continue;
    }
    numbers.push_back(std::move(*number));
  }
  return numbers;
}

std::string name_of_variant(const PolicyDraft& draft, const std::vector<expr::Param>& params) {
  std::string name = draft.policy.name;
  for (std::size_t i = 0; i < params.size(); ++i)
    if (draft.params[i].in_name) name += ":" + params[i].name + "=" + params[i].number;
  return name;
}

}  // namespace

void read_draft_params(Context& c, const Node& node, std::vector<DraftParam>& params) {
  if (!node.is_map()) return c.expected(node, "params", "a map of names and numbers like {cap: 24}");
  const expr::Environment taken = expr::scheduler_environment({});
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const Node& key = c.at(node.children[i]);
    const Node& value = c.at(node.children[i + 1]);
    if (!is_param_name(key.text) || taken.find(key.text) != nullptr || expr::find_builtin(key.text) != nullptr ||
        expr::is_refused_function(key.text)) {
      c.error(key, "params: '" + key.text + "' is no name that an expression can give a meaning to");
      continue;
    }
    std::vector<std::string> numbers = param_numbers(c, value, key.text);
    if (!numbers.empty()) params.push_back({key.text, std::move(numbers), value.is_list()});
  }
}

void read_chosen_params(Context& c, const Node& node, PolicyDraft& draft) {
  std::vector<std::string> known;
  for (const DraftParam& param : draft.params) known.push_back(param.name);
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const Node& key = c.at(node.children[i]);
    if (key.text == "policy") continue;
    const auto param = std::ranges::find(draft.params, key.text, &DraftParam::name);
    if (param == draft.params.end()) {
      std::string message = "the policy '" + draft.policy.name + "' has no param '" + key.text + "'";
      const std::string near = c.hint(key.text, known);
      std::string all;
      for (const std::string& name : known) all += (all.empty() ? "; it has " : ", ") + name;
      c.error(key, message + (!near.empty() ? near : all.empty() ? "; it has none at all" : all));
      continue;
    }
    std::vector<std::string> numbers = param_numbers(c, c.at(node.children[i + 1]), key.text);
    if (!numbers.empty()) *param = {key.text, std::move(numbers), true};
  }
}

std::vector<Policy> policies_of(Context& c, const PolicyDraft& draft, const Node& node) {
  std::size_t count = 1;
  for (const DraftParam& param : draft.params) count = std::min(count * param.numbers.size(), kMostVariants + 1);
  if (count > kMostVariants) {
    c.error(node,
            "the params of '" + draft.policy.name + "' make more than " + std::to_string(kMostVariants) + " policies");
    return {};
  }
  std::vector<Policy> policies;
  for (std::size_t variant = 0; variant < count; ++variant) {
    std::vector<expr::Param> params(draft.params.size());
    std::size_t rest = variant;
    for (std::size_t i = params.size(); i-- > 0;) {
      const DraftParam& param = draft.params[i];
      params[i] = {param.name, param.numbers[rest % param.numbers.size()]};
      rest /= param.numbers.size();
    }
    Policy policy = draft.policy;
    policy.name = name_of_variant(draft, params);
    try {
      if (draft.priority) set_priority_expression(policy, *draft.priority, std::move(params));
    } catch (const expr::Error& error) {
      if (draft.priority_node != nullptr) {
        expression_error(c, *draft.priority_node, error);
      } else {
        c.error(node, "the policy '" + policy.name + "': the priority: " + error.what());
      }
      return {};
    }
    policies.push_back(std::move(policy));
  }
  return policies;
}

void expression_error(Context& c, const Node& node, const expr::Error& error, std::uint32_t before) {
  const expr::Place place = expr::place_of(node.text, error.offset() + before);
  std::string message = "the priority: " + std::string(error.what());
  if (node.text.find('\n') == std::string::npos && node.parameter == kNoNode &&
      c.stands_at(node, node.quoted ? 1 : 0)) {
    Node part = node;
    part.kind = Node::Kind::kScalar;
    part.column += static_cast<std::int32_t>(place.column - 1) + (node.quoted ? 1 : 0);
    part.quoted = true;  // one caret
    return c.error(part, std::move(message));
  }
  const std::string shown = expr::to_text(error, std::string_view(node.text).substr(before));
  c.error(node, message + shown.substr(std::string_view(error.what()).size()));
}

}  // namespace headroom::yaml
