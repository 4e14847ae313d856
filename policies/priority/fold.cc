// What is constant is computed once. Which errors and non-errors of a run become visible by that is part of the
// language: `1 % 0` is refused even where it is never reached, and `x and true` is x, whatever x is.
#include <optional>

#include "policies/priority/error.h"
#include "policies/priority/operations.h"
#include "policies/priority/syntax.h"

namespace headroom::expr {
namespace {

std::optional<Value> literal(const Node& node) {
  switch (node.kind) {
    case NodeKind::kInt:
      return Value::of_int(node.number);
    case NodeKind::kFloat:
      return Value::of_float(node.real);
    case NodeKind::kString:
      return Value::of_string(node.text);
    case NodeKind::kBool:
      return Value::of_bool(node.number != 0);
    default:
      return std::nullopt;
  }
}

class Folder {
 public:
  explicit Folder(Tree& tree) : tree_(tree) {}

  void fold(NodeId id) {
    for (const NodeId child : tree_[id].children) fold(child);
    if (tree_[id].kind == NodeKind::kUnary) unary(id);
    if (tree_[id].kind == NodeKind::kBinary) binary(id);
  }

 private:
  void become(NodeId id, const Value& value) {
    Node& node = tree_[id];
    node.children.clear();
    node.text.clear();
    switch (value.kind) {
      case ValueKind::kInt:
        node.kind = NodeKind::kInt;
        node.number = value.i;
        break;
      case ValueKind::kFloat:
        node.kind = NodeKind::kFloat;
        node.real = value.f;
        break;
      case ValueKind::kBool:
        node.kind = NodeKind::kBool;
        node.number = value.i;
        break;
      default:
        node.kind = NodeKind::kString;
        node.text = *value.text;
        break;
    }
  }
  void become_child(NodeId id, NodeId child) {
    const Node copy = tree_[child];
    tree_[id] = copy;
  }

  void unary(NodeId id) {
    const std::optional<Value> a = literal(tree_[tree_[id].children[0]]);
    if (!a || a->is(ValueKind::kString)) return;
    become(id, expr::unary(tree_[id].op, *a, tree_[id].offset));
  }

  void binary(NodeId id) {
    const Node& node = tree_[id];
    const NodeId left = node.children[0];
    const NodeId right = node.children[1];
    if (node.op == Op::kAnd || node.op == Op::kOr) return connective(id, left, right);
    const std::optional<Value> a = literal(tree_[left]);
    const std::optional<Value> b = literal(tree_[right]);
    if (!a || !b) return;
    const bool numbers = a->is_number() && b->is_number();
    switch (node.op) {
      case Op::kModulo:
        if (b->i == 0) throw Error(Phase::kFold, Category::kModuloByZero, node.offset, "'%' by zero");
        break;
      case Op::kAdd:
        if (!numbers && tree_[left].text.size() + tree_[right].text.size() > static_cast<std::size_t>(kMaxValueSize))
          return;
        break;
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kPower:
        break;
      default:
        return;
    }
    become(id, expr::binary(node.op, *a, *b, node.offset));
    // A long sum of strings would be kept once per operator.
    tree_[left].text.clear();
    tree_[right].text.clear();
  }

  void connective(NodeId id, NodeId left, NodeId right) {
    const bool neutral = tree_[id].op == Op::kAnd;  // true and x, false or x
    const auto is = [&](NodeId node, bool value) {
      return tree_[node].kind == NodeKind::kBool && (tree_[node].number != 0) == value;
    };
    if (is(left, neutral)) return become_child(id, right);
    if (is(right, neutral)) return become_child(id, left);
    if (is(left, !neutral) || is(right, !neutral)) become(id, Value::of_bool(!neutral));
  }

  Tree& tree_;
};

}  // namespace

void fold(Tree& tree) { Folder(tree).fold(tree.root); }

}  // namespace headroom::expr
