// Policies: presets by name, policy files, inline maps, and the list `policies:`.
#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "policies/expression_rule.h"
#include "policies/priority/error.h"
#include "workloads/policy_draft.h"
#include "workloads/read_sections.h"
#include "workloads/yaml_reader.h"

namespace headroom::yaml {
namespace {

[[noreturn]] void refuse(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  throw InputError({std::move(diagnostic)});
}

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

/// What a policy's map says; nothing if it is no map. The expression is not compiled yet.
std::optional<PolicyDraft> read_draft(Context& c, const Node& node) {
  MapReader map(c, node, "policy", "a policy");
  PolicyDraft draft;
  Policy& policy = draft.policy;
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
  const Node* params = map.get("params");
  if (params != nullptr) read_draft_params(c, *params, draft.params);
  if (const Node* priority = map.get("priority")) {
    draft.priority = text_of(c, *priority, "priority");
    draft.priority_node = priority;
  } else if (params != nullptr) {
    c.error(*params, "params without a priority expression would change nothing");
  }
  map.finish();
  if (!map.ok()) return std::nullopt;
  return draft;
}

PolicyDraft draft_of(const Policy& policy) {
  PolicyDraft draft;
  draft.policy = policy;
  if (policy.priority != Priority::kExpression) return draft;
  draft.priority = policy.expression;
  for (const expr::Param& param : policy.params) draft.params.push_back({param.name, {param.number}});
  return draft;
}

/// Is it a map that only chooses params of a policy that stands elsewhere?
bool only_chooses(const Context& c, const Node& node) {
  static constexpr std::array<std::string_view, 8> kParts{"about",      "ties", "placement", "backfill",
                                                          "preemption", "hold", "params",    "priority"};
  if (!node.is_map() || node.children.size() < 4) return false;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
    if (std::ranges::find(kParts, c.at(node.children[i]).text) != kParts.end()) return false;
  const NodeId name = c.tree().find_in(node, "policy");
  return name != kNoNode && c.at(name).is_scalar();
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Policy& preset : preset_policies()) names.push_back(preset.name);
  return names;
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

/// Reads a policy's text with `use`, which is given its context and its map. Throws what is wrong with it.
template <class Use>
auto with_policy_text(std::string_view text, const std::string& file, Use use) {
  const std::string clean = normalised(text);
  const Tree tree = parse(clean, file);
  const Lines lines(clean);
  Context context(tree, lines, file);
  if (tree.empty()) {
    Node nothing;
    nothing.line = nothing.column = 1;
    context.error(nothing, "the file is empty; a policy begins with 'policy: NAME'");
    throw_if_failed(context);
  }
  auto result = use(context, tree[tree.root]);
  throw_if_failed(context);
  return result;
}

/// A policy file's, with its expression tried; its nodes are gone.
PolicyDraft draft_of_file(const std::string& path) {
  return with_policy_text(read_text_file(path), path, [](Context& c, const Node& node) {
    std::optional<PolicyDraft> draft = read_draft(c, node);
    if (draft && !c.failed()) static_cast<void>(policies_of(c, *draft, node));
    if (draft) draft->priority_node = nullptr;
    return draft.value_or(PolicyDraft{});
  });
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

/// Where `{policy: gentle, cap: [24, 84]}` looks for gentle.
struct Elsewhere {
  std::span<const Node* const> listed;  ///< the policies beside it
  std::string folder;                   ///< where a relative file name starts
};

/// The policy of that name, to be given other params. Nothing if there is none.
std::optional<PolicyDraft> find_draft(Context& c, const std::string& name, const Elsewhere& elsewhere) {
  for (const Node* node : elsewhere.listed) {
    const NodeId own = c.tree().find_in(*node, "policy");
    if (own != kNoNode && c.at(own).text == name && !only_chooses(c, *node)) return read_draft(c, *node);
  }
  if (const Policy* preset = find_preset(name)) return draft_of(*preset);
  if (looks_like_a_file(name)) return draft_of_file(name.starts_with('/') ? name : elsewhere.folder + name);
  return std::nullopt;
}

/// A map: a policy of its own, or another one with params chosen anew.
std::vector<Policy> policies_of_map(Context& c, const Node& node, const Elsewhere& elsewhere) {
  if (only_chooses(c, node)) {
    const Node& name = c.at(c.tree().find_in(node, "policy"));
    if (auto draft = find_draft(c, name.text, elsewhere)) {
      read_chosen_params(c, node, *draft);
      if (c.failed()) return {};
      draft->priority_node = nullptr;
      return policies_of(c, *draft, node);
    }
    if (const std::string near = c.hint(name.text, preset_names()); !near.empty()) {
      c.error(name, "unknown policy '" + name.text + "'" + near);
      return {};
    }
  }
  const std::optional<PolicyDraft> draft = read_draft(c, node);
  return draft ? policies_of(c, *draft, node) : std::vector<Policy>{};
}

/// What another file or name says of itself is its own matter; the rest is said at the node that names it.
void adopt(Context& c, const Node& node, const InputError& error) {
  for (const Diagnostic& diagnostic : error.diagnostics()) {
    if (diagnostic.file.empty()) {
      c.error(node, diagnostic.message);
    } else {
      c.adopt({diagnostic});
    }
  }
}

/// An entry of the list: a name or a map.
std::vector<Policy> listed_policies(Context& c, const Node& node, const Elsewhere& elsewhere) {
  try {
    if (node.is_map()) return policies_of_map(c, node, elsewhere);
    const auto text = text_of(c, node, "policies");
    if (!text) return {};
    if (!text->starts_with(kExpression)) return find_policies(*text, elsewhere.folder);
    Policy policy = default_named(*text);
    set_priority_expression(policy, text->substr(kExpression.size()));
    return {policy};
  } catch (const expr::Error& error) {
    expression_error(c, node, error, static_cast<std::uint32_t>(kExpression.size()));
  } catch (const InputError& error) {
    adopt(c, node, error);
  }
  return {};
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
    for (Policy& policy : listed_policies(c, *item, {items, c.folder()})) {
      if (std::ranges::find(policies, policy.name, &Policy::name) != policies.end()) {
        c.error(*item, "the policy '" + policy.name + "' is there twice");
        continue;
      }
      policies.push_back(std::move(policy));
    }
  }
  return policies;
}

}  // namespace

std::vector<Policy> find_policies(const std::string& text, const std::string& folder) {
  if (const Policy* preset = find_preset(text)) return {*preset};
  if (text.starts_with(kExpression)) return {policy_of_expression(text)};
  const auto read = [&](Context& c, const Node& node) { return policies_of_map(c, node, {{}, folder}); };
  if (text.starts_with("{")) return with_policy_text(text, "policy", read);
  if (const std::string later = later_message("policies", text); !later.empty()) refuse(later);
  const std::string path = text.starts_with('/') ? text : folder + text;
  std::error_code error;
  if (looks_like_a_file(text) || std::filesystem::is_regular_file(path, error)) {
    const auto read_file = [&](Context& c, const Node& node) {
      return policies_of_map(c, node, {{}, path.substr(0, path.rfind('/') + 1)});
    };
    return with_policy_text(read_text_file(path), path, read_file);
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

std::vector<Policy> read_policies(const std::string& name_or_file) { return yaml::find_policies(name_or_file, ""); }

Policy read_policy(const std::string& name_or_file) {
  std::vector<Policy> policies = read_policies(name_or_file);
  if (policies.size() == 1) return std::move(policies.front());
  yaml::refuse("'" + name_or_file + "' is " + std::to_string(policies.size()) +
               " policies, one for each value; name one");
}

}  // namespace headroom
