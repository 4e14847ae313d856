// The tree's own functions and the checks of the text before YAML sees it.
#include "workloads/yaml_tree.h"

#include <algorithm>

namespace headroom::yaml {

bool Node::is_null() const {
  if (kind == Kind::kEmpty) return true;
  return kind == Kind::kScalar && !quoted && (text == "~" || text == "null" || text == "Null" || text == "NULL");
}

NodeId Tree::find_in(const Node& map, std::string_view key) const {
  if (!map.is_map()) return kNoNode;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    if (nodes[map.children[i]].text == key) return map.children[i + 1];
  }
  return kNoNode;
}

namespace {

/// Recursion is bounded by kDeepest, which counts through aliases.
NodeId copy(const Tree& from, NodeId id, Tree& to) {
  const auto made = static_cast<NodeId>(to.nodes.size());
  to.nodes.push_back(from[id]);
  for (std::size_t i = 0; i < from[id].children.size(); ++i) {
    const NodeId child = copy(from, from[id].children[i], to);
    to[made].children[i] = child;
  }
  return made;
}

}  // namespace

Tree without_aliases(const Tree& tree) {
  if (!tree.has_aliases || tree.empty()) return tree;
  Tree result;
  result.root = copy(tree, tree.root, result);
  return result;
}

Lines::Lines(std::string_view text) : text_(text), begins_{0} {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') begins_.push_back(at + 1);
  }
}

std::string_view Lines::line(std::int64_t number) const {
  if (number < 1 || static_cast<std::size_t>(number) > begins_.size()) return "";
  const std::size_t begin = begins_[static_cast<std::size_t>(number) - 1];
  const std::size_t end = std::min(text_.find('\n', begin), text_.size());
  return text_.substr(begin, end - begin);
}

std::string normalised(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r') {
      result += text[at];
      continue;
    }
    result += '\n';
    if (at + 1 < text.size() && text[at + 1] == '\n') ++at;
  }
  return result;
}

}  // namespace headroom::yaml
