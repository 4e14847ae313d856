// What is asked of the runs: `measure:` and `record:`.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "workloads/read_sections.h"
#include "workloads/scalar_text.h"

namespace headroom::yaml {
namespace {

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

/// METRIC or METRIC(CLASS). Which metrics there are, its readers know.
void read_primary(Context& c, const Node& node, CompareSpec& compare) {
  const auto text = text_of(c, node, "primary");
  if (!text) return;
  const std::size_t open = text->find('(');
  const bool has_group = open != std::string::npos;
  if (text->empty() || open == 0 || has_group != text->ends_with(')') || (has_group && text->size() < open + 3))
    return c.expected(node, "primary", "a metric like wait_time_p99, or of a class like wait_time_p99(bulk)");
  compare.metric = text->substr(0, open);
  if (has_group) compare.group = text->substr(open + 1, text->size() - open - 2);
}

void read_margin(Context& c, const Node& node, CompareSpec& compare) {
  std::string text = node.is_scalar() ? node.text : "";
  compare.margin_text = text;
  compare.margin_is_relative = text.ends_with('%');
  if (compare.margin_is_relative) text.pop_back();
  if (const auto number = read_number(text); number.ok() && number.value >= 0) {
    compare.margin = static_cast<double>(number.value) / (compare.margin_is_relative ? 100 : 1);
  } else if (const auto time = read_duration(text); time.ok() && !compare.margin_is_relative) {
    compare.margin = time.value.in_seconds();
  } else {
    c.expected(node, "margin", "a fraction of the baseline like 5%, a time like 30s or a number, not negative");
  }
}

CompareSpec read_compare(Context& c, const Node& node) {
  CompareSpec compare;
  MapReader map(c, node, "compare", "compare");
  if (const Node* baseline = map.get("baseline")) compare.baseline = text_of(c, *baseline, "baseline").value_or("");
  const Node* primary = map.get("primary");
  if (primary != nullptr) read_primary(c, *primary, compare);
  if (const Node* margin = map.get("margin")) {
    read_margin(c, *margin, compare);
    if (primary == nullptr && map.ok()) c.error(*margin, "a margin without a primary metric would mean nothing");
  }
  map.finish();
  return compare;
}

}  // namespace headroom::yaml
