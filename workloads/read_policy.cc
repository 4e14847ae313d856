// Policies: presets by name, policy files, inline maps, and the list `policies:`.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "policies/expression_rule.h"
#include "policies/priority/builtins.h"
#include "policies/priority/error.h"
#include "policies/priority/inputs.h"
#include "workloads/read_sections.h"
#include "workloads/yaml_reader.h"

namespace headroom::yaml {
namespace {

void read_ties(Context& c, const Node& node, std::vector<Tie>& ties) {
  for (const Node* item : one_or_more(c, node, "ties")) {
    const auto word = word_of(c, *item, "ties", "policy.ties", tie_words());
    if (!word) continue;
    const Tie tie = static_cast<Tie>(*word);
    if (std::ranges::find(ties, tie) != ties.end()) {
      c.error(*item, "the tie '" + item->text + "' is there twice");
    } else if (!ties.empty() && ties.back() == Tie::kDeclaration) {
      c.error(*item, "no two stages tie after 'declaration', so '" + item->text + "' would never decide");
    }
    ties.push_back(tie);
  }
}

template <class Enum>
void read_word(Context& c, MapReader& map, std::string_view key, std::span<const std::string_view> words, Enum& into) {
  const Node* node = map.get(key);
  if (node == nullptr) return;
  if (const auto word = word_of(c, *node, key, "policy." + std::string(key), words)) into = static_cast<Enum>(*word);
}

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

void read_params(Context& c, const Node& node, std::vector<expr::Param>& params) {
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
    const auto number = number_of(c, value, "params." + key.text);
    if (!number) continue;
    const bool plain = std::ranges::all_of(value.text, [](char d) {
      return (d >= '0' && d <= '9') || std::string_view("+-.eE").find(d) != std::string_view::npos;
    });
    const bool is_int = value.text.find_first_of(".eE") == std::string::npos;
    if (!plain || (is_int && std::fabs(*number) > 9e15L)) {
      c.error(value, "params." + key.text + ": '" + value.text + "' is no number that an expression can hold");
      continue;
    }
    params.push_back({key.text, value.text});
  }
}

/// The expression's own place in the file where its text stands there as it is, else the node's.
/// `before`: characters of the text that stand before the expression.
void expression_error(Context& c, const Node& node, const expr::Error& error, std::uint32_t before = 0) {
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

void read_priority(Context& c, const Node& node, Policy& policy, std::vector<expr::Param> params) {
  const auto text = text_of(c, node, "priority");
  if (!text) return;
  try {
    set_priority_expression(policy, *text, std::move(params));
  } catch (const expr::Error& error) {
    expression_error(c, node, error);
  }
}

/// A word, or a map whose `mode` is that word.
void read_preemption(Context& c, const Node& node, Policy& policy) {
  const auto read_mode = [&](const Node& mode) {
    const auto word = word_of(c, mode, "preemption", "policy.preemption", preemption_words());
    if (word) policy.preemption = static_cast<Preemption>(*word);
  };
  if (!node.is_map()) return read_mode(node);
  MapReader map(c, node, "preemption", "preemption");
  PreemptionTerms& terms = policy.preemption_terms;
  if (const Node* mode = map.require("mode", "requeue or suspend")) read_mode(*mode);
  if (const Node* margin = map.get("margin")) {
    terms.margin = static_cast<double>(number_of(c, *margin, "margin").value_or(0));
    if (!(terms.margin >= 0)) c.expected(*margin, "margin", "a number that is not negative");
  }
  if (const Node* run = map.get("minimum_run"))
    terms.minimum_run = duration_of(c, *run, "minimum_run").value_or(Duration{});
  if (const Node* grace = map.get("grace")) terms.grace = duration_of(c, *grace, "grace").value_or(Duration{});
  map.finish();
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Policy& preset : preset_policies()) names.push_back(preset.name);
  return names;
}

[[noreturn]] void refuse(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  throw InputError({std::move(diagnostic)});
}

void throw_if_failed(Context& context) {
  if (!context.failed()) return;
  std::vector<Diagnostic> diagnostics;
  for (ReadError& error : context.errors()) diagnostics.push_back(std::move(error.diagnostic));
  std::ranges::stable_sort(diagnostics, [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  throw InputError(std::move(diagnostics));
}

Policy policy_of_text(std::string_view text, const std::string& file) {
  const std::string clean = normalised(text);
  const Tree tree = parse(clean, file);
  const Lines lines(clean);
  Context context(tree, lines, file);
  std::optional<Policy> policy;
  if (tree.empty()) {
    Node nothing;
    nothing.line = nothing.column = 1;
    context.error(nothing, "the file is empty; a policy begins with 'policy: NAME'");
  } else {
    policy = read_policy_map(context, tree[tree.root]);
  }
  throw_if_failed(context);
  return policy.value();
}

constexpr std::string_view kExpression = "expr:";

/// `default`, until it has another expression.
Policy default_named(const std::string& name) {
  Policy policy = *find_preset("default");
  policy.name = name;
  policy.about = "default with another expression";
  return policy;
}

Policy policy_of_expression(const std::string& text) {
  Policy policy = default_named(text);
  const std::string source = text.substr(kExpression.size());
  try {
    set_priority_expression(policy, source);
  } catch (const expr::Error& error) {
    Diagnostic diagnostic;
    const expr::Place place = expr::place_of(source, error.offset());
    diagnostic.file = "expr:";
    diagnostic.file.pop_back();
    diagnostic.line = place.line;
    diagnostic.column = place.column;
    diagnostic.message = error.what();
    std::string_view rest = source;
    for (std::uint32_t line = 1; line < place.line; ++line) rest.remove_prefix(rest.find('\n') + 1);
    diagnostic.set_source(rest.substr(0, rest.find('\n')));
    throw InputError({std::move(diagnostic)});
  }
  return policy;
}

bool looks_like_a_file(const std::string& text) {
  const std::string extension = std::filesystem::path(text).extension().string();
  return text.find('/') != std::string::npos || extension == ".yaml" || extension == ".yml" || extension == ".json";
}

/// An entry of the list: a name or a map.
std::optional<Policy> listed_policy(Reading& reading, const Node& node) {
  Context& c = reading.context;
  if (node.is_map()) return read_policy_map(c, node);
  const auto text = text_of(c, node, "policies");
  if (!text) return std::nullopt;
  if (text->starts_with(kExpression)) {
    Policy policy = default_named(*text);
    try {
      set_priority_expression(policy, text->substr(kExpression.size()));
    } catch (const expr::Error& error) {
      expression_error(c, node, error, static_cast<std::uint32_t>(kExpression.size()));
      return std::nullopt;
    }
    return policy;
  }
  try {
    return find_policy(*text, reading.context.folder());
  } catch (const InputError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      if (diagnostic.file.empty()) {
        c.error(node, diagnostic.message);
      } else {
        c.adopt({diagnostic});
      }
    }
    return std::nullopt;
  }
}

std::vector<Policy> read_list(Reading& reading, const Node& node) {
  Context& c = reading.context;
  std::vector<Policy> policies;
  std::vector<const Node*> items;
  if (node.is_map()) {
    items.push_back(&node);
  } else {
    items = one_or_more(c, node, "policies");
    if (node.is_list() && items.empty()) c.error(node, "policies: the list is empty");
  }
  for (const Node* item : items) {
    auto policy = listed_policy(reading, *item);
    if (!policy) continue;
    if (std::ranges::find(policies, policy->name, &Policy::name) != policies.end()) {
      c.error(*item, "the policy '" + policy->name + "' is there twice");
      continue;
    }
    policies.push_back(std::move(*policy));
  }
  return policies;
}

}  // namespace

std::optional<Policy> read_policy_map(Context& c, const Node& node) {
  MapReader map(c, node, "policy", "a policy");
  Policy policy;
  if (const Node* name = map.require("policy", "its name")) {
    policy.name = name_of(c, *name, "policy").value_or("");
    if (find_preset(policy.name) != nullptr || !later_message("policies", policy.name).empty()) {
      c.error(*name, "'" + policy.name + "' is a preset; a policy of your own needs a name of its own");
    }
  }
  if (const Node* about = map.get("about")) policy.about = text_of(c, *about, "about").value_or("");
  if (const Node* ties = map.get("ties")) read_ties(c, *ties, policy.ties);
  read_word(c, map, "placement", placement_words(), policy.placement);
  read_word(c, map, "backfill", backfill_words(), policy.backfill);
  if (const Node* preemption = map.get("preemption")) read_preemption(c, *preemption, policy);
  read_word(c, map, "hold", hold_words(), policy.hold);
  std::vector<expr::Param> params;
  const Node* given = map.get("params");
  if (given != nullptr) read_params(c, *given, params);
  if (const Node* priority = map.get("priority")) {
    read_priority(c, *priority, policy, std::move(params));
  } else if (given != nullptr) {
    c.error(*given, "params without a priority expression would change nothing");
  }
  map.finish();
  if (!map.ok()) return std::nullopt;
  return policy;
}

Policy find_policy(const std::string& text, const std::string& folder) {
  if (const Policy* preset = find_preset(text)) return *preset;
  if (text.starts_with(kExpression)) return policy_of_expression(text);
  if (text.starts_with("{")) return policy_of_text(text, "policy");
  if (const std::string later = later_message("policies", text); !later.empty()) refuse(later);
  const std::string path = text.starts_with('/') ? text : folder + text;
  std::error_code error;
  if (looks_like_a_file(text) || std::filesystem::is_regular_file(path, error)) {
    return policy_of_text(read_text_file(path), path);
  }
  std::string message = "unknown policy '" + text + "'" + did_you_mean(text, preset_names());
  if (message.back() != '?')
    message += "; the presets are " + [] {
      std::string all;
      for (const std::string& name : preset_names()) all += (all.empty() ? "" : ", ") + name;
      return all;
    }();
  refuse(std::move(message));
}

void read_policies(Reading& reading, const Node* policies, const Node* axis) {
  std::vector<Policy>& made = reading.workload.policies;
  if (policies != nullptr) made = read_list(reading, *policies);
  if (axis != nullptr) {
    std::vector<Policy> swept = read_list(reading, *axis);
    if (policies != nullptr && !reading.context.failed() && swept != made) {
      reading.context.error(*axis,
                            "sweep.vary.policy is the same as 'policies', but the two differ here; give one of them");
    }
    made = std::move(swept);
  }
  if (made.empty()) made.push_back(*find_preset("default"));
}

}  // namespace headroom::yaml

namespace headroom {

Policy read_policy(const std::string& name_or_file) { return yaml::find_policy(name_or_file, ""); }

}  // namespace headroom
