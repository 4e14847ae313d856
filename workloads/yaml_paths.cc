// Walks a path; the only place that adds to a tree after it was parsed.
#include "workloads/yaml_paths.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace headroom::yaml {
namespace {

/// Where a value hangs: child `slot` of `parent`.
struct Place {
  NodeId parent = kNoNode;
  std::size_t slot = 0;
};

bool ends_a_name(std::string_view rest, std::size_t length) {
  return rest.size() == length || rest[length] == '.' || rest[length] == '[';
}

class Walker {
 public:
  explicit Walker(const Tree& tree) : tree_(tree) {}

  /// Follows the path as far as it exists. Then rest() is what is left, in `at()`, which is a map, or error() says
  /// more.
  void walk(std::string_view path) {
    rest_ = path;
    at_ = tree_.root;
    if (path.empty()) error_ = "an empty path";
    while (error_.empty() && !rest_.empty() && step()) {
    }
  }

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] NodeId at() const { return at_; }
  [[nodiscard]] Place place() const { return place_; }

 private:
  struct Entry {
    std::string name;
    Place place;
  };

  bool step() {
    const Node& node = tree_[at_];
    if (node.is_list() && rest_.front() == '[') return by_index();
    if (place_.parent != kNoNode && !entered_) {
      if (rest_.front() != '.') return fail("'.' or '[' expected before '" + std::string(rest_) + "'");
      rest_.remove_prefix(1);
      if (rest_.empty()) return fail("the path ends in a '.'");
      entered_ = true;
    }
    if (node.is_list()) return by_name();
    if (node.is_map()) return by_key();
    if (node.is_null()) return false;
    return fail("there is a single value, '" + node.text + "', and no '" + std::string(rest_) + "' in it");
  }

  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  void descend(Place place, std::size_t length) {
    place_ = place;
    at_ = tree_[place.parent].children[place.slot];
    rest_.remove_prefix(length);
    entered_ = false;
  }

  bool by_index() {
    const std::size_t close = rest_.find(']');
    const std::string_view digits = close == std::string_view::npos ? "" : rest_.substr(1, close - 1);
    const bool is_number =
        !digits.empty() && digits.size() < 9 && digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number) return fail("an index like [0] expected at '" + std::string(rest_) + "'");
    const auto index = static_cast<std::size_t>(std::stoul(std::string(digits)));
    const std::size_t size = tree_[at_].children.size();
    if (index >= size)
      return fail("the list has " + std::to_string(size) + " entries, so there is no [" + std::string(digits) + "]");
    descend({at_, index}, close + 1);
    enter_wrapper();
    return true;
  }

  bool by_key() {
    const Node& node = tree_[at_];
    std::size_t best = 0, length = 0;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const std::string& key = tree_[node.children[i]].text;
      if (key.size() <= length || !rest_.starts_with(key) || !ends_a_name(rest_, key.size())) continue;
      best = i + 1;
      length = key.size();
    }
    if (length == 0) return false;
    descend({at_, best}, length);
    return true;
  }

  bool by_name() {
    std::vector<Entry> entries;
    collect(at_, entries);
    const Entry* best = nullptr;
    for (const Entry& entry : entries) {
      const bool longer = best == nullptr || entry.name.size() > best->name.size();
      if (!entry.name.empty() && longer && rest_.starts_with(entry.name) && ends_a_name(rest_, entry.name.size()))
        best = &entry;
    }
    if (best == nullptr) {
      std::vector<std::string> names;
      for (const Entry& entry : entries) names.push_back(entry.name);
      const std::string wanted(rest_.substr(0, rest_.find_first_of(".[")));
      return fail("there is no entry '" + wanted + "'" + did_you_mean(wanted, names));
    }
    const Entry found = *best;
    descend(found.place, found.name.size());
    enter_wrapper();
    return true;
  }

  /// `{generate: {…}}` is its inside, unless the path says `generate` itself; `{trace: …}` and `{plan: …}` too.
  void enter_wrapper() {
    const Node& node = tree_[at_];
    if (!node.is_map() || node.children.size() != 2) return;
    const std::string& key = tree_[node.children[0]].text;
    if (key != "generate" && key != "trace" && key != "plan") return;
    const bool is_said =
        rest_.size() > key.size() && rest_.substr(1).starts_with(key) && ends_a_name(rest_.substr(1), key.size());
    if (!is_said && tree_[node.children[1]].is_map()) {
      place_ = {at_, 1};
      at_ = node.children[1];
    }
  }

  /// The names of a list's entries; those inside holds too.
  void collect(NodeId list, std::vector<Entry>& entries) const {
    std::size_t unnamed = 0;
    for (std::size_t i = 0; i < tree_[list].children.size(); ++i) {
      const NodeId entry = tree_[list].children[i];
      if (const NodeId held = tree_.find(entry, "hold"); held != kNoNode && tree_[held].is_list()) {
        collect(held, entries);
      } else {
        entries.push_back({entry_name(entry, unnamed), {list, i}});
      }
    }
  }

  [[nodiscard]] std::string entry_name(NodeId entry, std::size_t& unnamed) const {
    if (tree_[entry].is_scalar()) return tree_[entry].text;
    for (const std::string_view key : {"name", "workflow", "organization", "account", "policy"}) {
      if (const NodeId name = tree_.find(entry, key); name != kNoNode && tree_[name].is_scalar())
        return tree_[name].text;
    }
    for (const std::string_view key : {"generate", "plan"}) {
      const NodeId inside = tree_.find(entry, key);
      if (inside == kNoNode) continue;
      if (const NodeId name = tree_.find(inside, "name"); name != kNoNode) return tree_[name].text;
      if (key == "generate") return "generate" + std::to_string(unnamed++);
    }
    if (const NodeId trace = tree_.find(entry, "trace"); trace != kNoNode) {
      if (const NodeId file = tree_.find(trace, "swf"); file != kNoNode) return stem(tree_[file].text);
    }
    return "";
  }

  static std::string stem(std::string path) {
    path.erase(0, path.rfind('/') + 1);
    if (path.ends_with(".gz")) path.resize(path.size() - 3);
    return path.substr(0, path.rfind('.'));
  }

  const Tree& tree_;
  std::string_view rest_;
  NodeId at_ = kNoNode;
  Place place_;
  bool entered_ = true;  ///< the '.' before the next name has been taken
  std::string error_;
};

/// Copies `from` to the end of `to`. Returns its root there.
NodeId graft(Tree& to, const Tree& from, std::int32_t override_index) {
  const auto offset = static_cast<NodeId>(to.nodes.size());
  for (Node node : from.nodes) {
    node.override_index = override_index;
    for (NodeId& child : node.children) child += offset;
    to.nodes.push_back(std::move(node));
  }
  return from.root + offset;
}

NodeId add_node(Tree& tree, Node::Kind kind, std::string text, std::int32_t override_index) {
  Node node;
  node.kind = kind;
  node.text = std::move(text);
  node.override_index = override_index;
  tree.nodes.push_back(std::move(node));
  return static_cast<NodeId>(tree.nodes.size() - 1);
}

/// Makes the maps on the way to a key that is not there. `rest` begins with a name. Returns the place of its value.
Place make_place(Tree& tree, NodeId map, std::string_view rest, std::int32_t override_index) {
  for (;;) {
    const std::size_t end = rest.find('.');
    const NodeId key = add_node(tree, Node::Kind::kScalar, std::string(rest.substr(0, end)), override_index);
    const NodeId value = add_node(tree, Node::Kind::kMap, "", override_index);
    tree[map].children.push_back(key);
    tree[map].children.push_back(value);
    if (end == std::string_view::npos) return {map, tree[map].children.size() - 1};
    map = value;
    rest.remove_prefix(end + 1);
  }
}

std::string bad_new_key(std::string_view rest) {
  const bool has_hole =
      rest.empty() || rest.front() == '.' || rest.back() == '.' || rest.find("..") != std::string_view::npos;
  if (has_hole) return "a name is missing between two dots";
  if (rest.find('[') != std::string_view::npos)
    return "there is no '" + std::string(rest.substr(0, rest.find('['))) + "' with entries";
  return "";
}

}  // namespace

std::string put_at_path(Tree& tree, std::string_view path, const std::string& value, std::int32_t override_index) {
  Tree parsed;
  const std::string text = normalised(value);
  try {
    parsed = parse(text, "");
  } catch (const InputError& error) {
    return "the value is no YAML: " + error.diagnostics().front().message;
  }
  if (parsed.empty()) return "there is no value";
  Walker walker(tree);
  walker.walk(path);
  if (!walker.error().empty()) return walker.error();
  Place place = walker.place();
  if (!walker.rest().empty()) {
    if (std::string wrong = bad_new_key(walker.rest()); !wrong.empty()) return wrong;
    NodeId map = walker.at();
    if (!tree[map].is_map()) {  // `cluster:` with nothing behind it
      const NodeId fresh = add_node(tree, Node::Kind::kMap, "", override_index);
      tree[place.parent].children[place.slot] = fresh;
      map = fresh;
    }
    place = make_place(tree, map, walker.rest(), override_index);
  }
  const NodeId root = graft(tree, parsed, override_index);
  tree[place.parent].children[place.slot] = root;
  return "";
}

NodeId find_path(const Tree& tree, std::string_view path) {
  Walker walker(tree);
  walker.walk(path);
  return walker.error().empty() && walker.rest().empty() ? walker.at() : kNoNode;
}

std::string flow_text(const Tree& tree, NodeId id) {
  const Node& node = tree[id];
  std::string text;
  if (node.is_scalar()) {
    if (!node.quoted && node.text.find_first_of(",[]{}:#&*!|>'\"%@`\n") == std::string::npos) return node.text;
    text = "\"";
    for (const char c : node.text) {
      if (c == '"' || c == '\\') text += '\\';
      text += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\t") : std::string(1, c);
    }
    return text + "\"";
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    text += i == 0 ? "" : node.is_map() && i % 2 == 1 ? ": " : ", ";
    text += flow_text(tree, node.children[i]);
  }
  if (node.is_list()) return "[" + text + "]";
  return node.is_map() ? "{" + text + "}" : "~";
}

}  // namespace headroom::yaml
