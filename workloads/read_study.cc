// What is asked of the runs: `measure:`, `sweep:` and `record:`.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "workloads/read_sections.h"
#include "workloads/yaml_paths.h"

namespace headroom::yaml {
namespace {

constexpr std::int64_t kMostReplications = 1'000'000;
constexpr std::int64_t kMostRuns = 100'000'000;

std::vector<std::string> item_names(const Workload& workload) {
  std::vector<std::string> names;
  for (const WorkItem& item : workload.items) names.push_back(name_of_item(item));
  return names;
}

/// An item, or one workflow of a generate or trace: "base[17]", "job7".
bool names_work(const Workload& workload, const std::string& text) {
  return std::ranges::any_of(workload.items, [&](const WorkItem& item) {
    if (text == name_of_item(item)) return true;
    if (std::holds_alternative<TraceItem>(item)) return text.starts_with("job");
    return std::holds_alternative<GenerateItem>(item) && text.starts_with(name_of_item(item) + "[") &&
           text.ends_with("]");
  });
}

void read_class(Reading& reading, const Node& name_node, const Node& node) {
  Context& c = reading.context;
  Measure::Class made;
  made.name = name_of(c, name_node, "classes").value_or("");
  MapReader map(c, node, "class", "class '" + made.name + "'");
  if (const Node* priority = map.get("priority")) made.priority = priority_of(c, *priority, "priority");
  if (const Node* users = map.get("user")) {
    for (const Node* user : one_or_more(c, *users, "user")) {
      if (const auto index = user_of(reading, *user, "user")) made.users.push_back(*index);
    }
  }
  if (const Node* accounts = map.get("account")) {
    for (const Node* account : one_or_more(c, *accounts, "account")) {
      if (const auto index = account_of(reading, *account, "account")) made.accounts.push_back(*index);
    }
  }
  if (const Node* workflows = map.get("workflow")) {
    const std::vector<std::string> names = item_names(reading.workload);
    for (const Node* workflow : one_or_more(c, *workflows, "workflow")) {
      const std::string text = text_of(c, *workflow, "workflow").value_or("");
      if (std::ranges::find(names, text) == names.end() && workflow->is_scalar()) {
        c.error(*workflow, "there is no work called '" + text + "'" + c.hint(text, names));
      }
      made.items.push_back(text);
    }
  }
  map.finish();
  if (map.ok() && node.children.empty())
    c.expected(node, "class '" + made.name + "'", "a condition like {priority: -10}");
  reading.workload.measure.classes.push_back(std::move(made));
}

std::optional<Duration> optional_duration(Context& c, MapReader& map, std::string_view key) {
  const Node* node = map.get(key);
  return node == nullptr ? std::nullopt : duration_of(c, *node, key);
}

}  // namespace

void read_measure(Reading& reading, const Node& node) {
  Context& c = reading.context;
  Measure& m = reading.workload.measure;
  MapReader map(c, node, "measure", "measure");
  m.from = optional_duration(c, map, "from");
  m.to = optional_duration(c, map, "to");
  if (m.from && m.to && *m.from >= *m.to) c.expected(*map.get("to"), "to", "a time later than 'from'");
  m.give_up = optional_duration(c, map, "give_up");
  m.late = optional_duration(c, map, "late");
  m.starved = optional_duration(c, map, "starved");
  if (const Node* node_of = map.get("passed_over")) {
    if (node_of->is_scalar() && node_of->text == "auto")
      m.passed_over.reset();
    else if (const auto always = node_of->is_scalar() ? read_boolean(node_of->text) : std::nullopt)
      m.passed_over = always;
    else
      c.expected(*node_of, "passed_over", "true, false or auto");
  }
  if (const Node* tau = map.get("tau")) m.tau = positive_duration_of(c, *tau, "tau").value_or(m.tau);
  if (const Node* classes = map.get("classes")) {
    if (!classes->is_map()) c.expected(*classes, "classes", "a map like {bulk: {priority: -10}}");
    for (std::size_t i = 0; classes->is_map() && i + 1 < classes->children.size(); i += 2) {
      read_class(reading, c.at(classes->children[i]), c.at(classes->children[i + 1]));
    }
  }
  map.finish();
}

namespace {

std::vector<std::string> axis_values(Context& c, const Node& node, const std::string& path) {
  std::vector<std::string> values;
  if (node.is_map() && node.children.size() >= 2) {
    if (const std::string later = later_message("sweep.vary", c.at(node.children[0]).text); !later.empty()) {
      c.error(c.at(node.children[0]), later);
      return values;
    }
  }
  if (!node.is_list() || node.children.empty()) {
    c.expected(node, path, "a list of values like [2, 3, 4]");
    return values;
  }
  std::unordered_set<std::string> seen;
  for (const NodeId id : node.children) {
    values.push_back(flow_text(c.tree(), id));
    if (!seen.insert(values.back()).second)
      c.error(c.at(id), path + ": the value '" + values.back() + "' is there twice");
  }
  return values;
}

void read_axis(Reading& reading, const Node& key, const Node& value) {
  Context& c = reading.context;
  if (key.text == "policy") return;  // Read with the policies.
  if (const std::string later = later_message("sweep.vary", key.text); !later.empty()) return c.error(key, later);
  for (const std::string_view fixed : {"name", "policies", "sweep", "record", "measure"}) {
    const bool is_inside =
        key.text.starts_with(fixed) && (key.text.size() == fixed.size() || key.text[fixed.size()] == '.');
    if (is_inside)
      return c.error(
          key, "'" + key.text + "' cannot be swept" + (fixed == "policies" ? "; the axis is called 'policy'" : ""));
  }
  SweepAxis axis{key.text, axis_values(c, value, key.text)};
  reading.workload.sweep.axes.push_back(std::move(axis));
}

}  // namespace

void read_sweep(Reading& reading, const Node& node) {
  Context& c = reading.context;
  SweepSpec& sweep = reading.workload.sweep;
  MapReader map(c, node, "sweep", "sweep");
  if (const Node* replications = map.get("replications")) {
    sweep.replications = whole_of(c, *replications, "replications", 1, kMostReplications).value_or(1);
  }
  if (const Node* seed = map.get("seed")) {
    const Scalar<std::uint64_t> value = read_unsigned(seed->text);
    if (!seed->is_scalar() || !value.ok()) c.expected(*seed, "seed", "a whole number from 0 to 2^64 - 1");
    sweep.seed = value.ok() ? value.value : 1;
  }
  if (const Node* vary = map.get("vary")) {
    if (!vary->is_map()) c.expected(*vary, "vary", "a map of paths and lists like {params.slots: [2, 3, 4]}");
    for (std::size_t i = 0; vary->is_map() && i + 1 < vary->children.size(); i += 2) {
      read_axis(reading, c.at(vary->children[i]), c.at(vary->children[i + 1]));
    }
    __int128 runs =
        static_cast<__int128>(sweep.replications) * static_cast<std::int64_t>(reading.workload.policies.size());
    for (const SweepAxis& axis : sweep.axes) {
      runs = std::min<__int128>(runs * std::max<std::int64_t>(static_cast<std::int64_t>(axis.values.size()), 1),
                                kMostRuns + 1);
    }
    if (runs > kMostRuns) c.error(*vary, "vary: more than " + std::to_string(kMostRuns) + " runs");
  }
  map.finish();
}

void read_record(Reading& reading, const Node& node) {
  Context& c = reading.context;
  RecordSpec& record = reading.workload.record;
  MapReader map(c, node, "record", "record");
  if (const Node* stages = map.get("stages")) {
    constexpr std::array<std::string_view, 3> kWords{"false", "true", "auto"};
    if (const auto word = word_of(c, *stages, "stages", "record.stages", kWords))
      record.stages = static_cast<RecordStages>(*word);
  }
  if (const Node* queue = map.get("queue")) record.queue = positive_duration_of(c, *queue, "queue");
  if (const Node* priorities = map.get("priorities")) {
    for (const NodeId id : items_of(c, *priorities, "priorities")) {
      const auto text = text_of(c, c.at(id), "priorities");
      if (!text) continue;
      if (!names_work(reading.workload, *text)) {
        c.error(c.at(id), "there is no work called '" + *text + "'" + c.hint(*text, item_names(reading.workload)));
      }
      record.priorities.push_back(*text);
    }
  }
  map.finish();
}

}  // namespace headroom::yaml
