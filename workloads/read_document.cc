// The top level of a workload file, and its parameters.
#include "workloads/read_document.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

/// "$slots" and nothing else; "$" inside a longer text, as in commands, is text.
bool is_parameter(const Node& node) {
  if (!node.is_scalar() || node.text.size() < 2 || node.text[0] != '$') return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return is_letter(node.text[1]) && std::all_of(node.text.begin() + 2, node.text.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
         });
}

class Parameters {
 public:
  Parameters(Tree& tree, Context& context) : tree_(tree), c_(context) {}

  void put_in() {
    const NodeId params = tree_.find(tree_.root, "params");
    if (params != kNoNode) read(params);
    std::vector<bool> seen(tree_.nodes.size());
    std::vector<NodeId> open{tree_.root};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (id == params || seen[id]) continue;
      seen[id] = true;
      if (is_parameter(tree_[id])) replace(tree_[id]);
      const Node& node = tree_[id];
      for (std::size_t i = node.is_map() ? 1 : 0; i < node.children.size(); i += node.is_map() ? 2 : 1) {
        open.push_back(node.children[i]);
      }
    }
    refuse_unused_overrides(params);
  }

 private:
  /// A parameter that is set from outside and used nowhere is a slip: it would change nothing, silently.
  void refuse_unused_overrides(NodeId params) {
    if (params == kNoNode || !tree_[params].is_map()) return;
    const Node& map = tree_[params];
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const std::string& name = tree_[map.children[i]].text;
      const Node& value = tree_[map.children[i + 1]];
      if (value.override_index < 0 || used_.contains(name)) continue;
      std::vector<std::string> others;
      for (const std::string& other : names_)
        if (other != "$" + name) others.push_back(other);
      c_.error(value, "nothing in the file uses '$" + name + "'" + c_.hint("$" + name, others));
    }
  }

  void read(NodeId params) {
    const Node& map = tree_[params];
    if (!map.is_map()) return c_.expected(map, "params", "a map of names and values like {slots: 3}");
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const Node& key = tree_[map.children[i]];
      Node& value = tree_[map.children[i + 1]];
      Node as_used = key;
      as_used.text = "$" + key.text;
      if (!is_parameter(as_used))
        c_.error(key, "params: '" + key.text + "' is no name that $… can say (letters, digits, _ and -)");
      if (!value.is_scalar() || is_parameter(value)) {
        c_.expected(value, "params." + key.text,
                    value.is_scalar() ? "a plain value, not another parameter" : "a single value");
        value.broken = true;
      }
      values_.emplace(key.text, map.children[i + 1]);
      names_.push_back("$" + key.text);
    }
  }

  void replace(Node& node) {
    const std::string name = node.text.substr(1);
    const auto found = values_.find(name);
    if (found == values_.end()) {
      c_.error(node, "unknown parameter '" + node.text + "'" + c_.hint(node.text, names_) +
                         (values_.empty() ? "; this file has no 'params'" : ""));
      node.broken = true;
      return;
    }
    used_.insert(name);
    const Node& value = tree_[found->second];
    node.parameter = found->second;
    node.parameter_name = name;
    node.text = value.text;
    node.quoted = value.quoted;
    node.broken = value.broken;
    if (value.override_index >= 0) node.override_index = value.override_index;
  }

  Tree& tree_;
  Context& c_;
  std::unordered_map<std::string, NodeId> values_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> used_;
};

bool has_trace(const Tree& tree, const Node* work) {
  if (work == nullptr || !work->is_list()) return false;
  return std::ranges::any_of(work->children, [&](NodeId item) { return tree.find(item, "trace") != kNoNode; });
}

/// The value of `sweep.vary.policy`, which is read with the policies.
const Node* policy_axis(const Tree& tree, const Node* sweep) {
  if (sweep == nullptr || !sweep->is_map()) return nullptr;
  for (std::size_t i = 0; i + 1 < sweep->children.size(); i += 2) {
    if (tree[sweep->children[i]].text != "vary") continue;
    const NodeId axis = tree.find(sweep->children[i + 1], "policy");
    return axis == kNoNode ? nullptr : &tree[axis];
  }
  return nullptr;
}

void read_name(Context& c, const Node& node, std::string& name) {
  const auto text = name_of(c, node, "name");
  if (!text) return;
  if (text->find('/') != std::string::npos) c.expected(node, "name", "a name without '/' (results are called so)");
  name = *text;
}

void read_top(Reading& reading, const Node& root) {
  Context& c = reading.context;
  MapReader map(c, root, "workload", "the workload");
  if (!map.ok()) return;
  if (const Node* name = map.get("name")) read_name(c, *name, reading.workload.name);
  if (const Node* start = map.get("start")) read_start(reading, *start);
  map.get("params");
  const Node* cluster = map.get("cluster");
  const Node* scheduler = map.get("scheduler");
  const Node* tenants = map.get("tenants");
  const Node* work = map.require("work", "a list of what is to be done");
  const Node* actions = map.get("actions");
  const Node* policies = map.get("policies");
  const Node* measure = map.get("measure");
  const Node* sweep = map.get("sweep");
  const Node* record = map.get("record");
  const Node* compare = map.get("compare");
  map.finish();
  read_cluster(reading, cluster, has_trace(c.tree(), work));
  if (scheduler != nullptr) read_scheduler(reading, *scheduler);
  read_tenants(reading, tenants);
  if (work != nullptr) read_work(reading, *work);
  if (actions != nullptr) read_actions(reading, *actions);
  read_policies(reading, policies, policy_axis(c.tree(), sweep));
  if (measure != nullptr) read_measure(reading, *measure);
  if (sweep != nullptr) read_sweep(reading, *sweep);
  if (record != nullptr) read_record(reading, *record);
  if (compare != nullptr) reading.workload.compare = read_compare(c, *compare);
}

}  // namespace

DocumentRead read_document(Tree& tree, const Lines& lines, const DocumentPlace& place, bool check_fit) {
  DocumentRead result;
  result.workload.name = place.stem;
  Context context(tree, lines, place.file, place.folder);
  Reading reading{context, result.workload, check_fit, false, true, {}, {}, {}, 0};
  Parameters(tree, context).put_in();
  read_top(reading, tree[tree.root]);
  result.workload.data_files = context.data_files();
  result.errors = std::move(context.errors());
  result.dropped = context.dropped();
  return result;
}

}  // namespace headroom::yaml
