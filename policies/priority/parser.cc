// Words to a tree, by precedence climbing. What binds how, and where an error points, is the real language's.
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "policies/priority/builtins.h"
#include "policies/priority/error.h"
#include "policies/priority/syntax.h"
#include "policies/priority/token.h"

namespace headroom::expr {
namespace {

struct BinaryOperator {
  std::string_view text;
  Op op;
  int precedence;
  bool right = false;
};
constexpr int kPipePrecedence = 0;
constexpr std::array kBinary{
    BinaryOperator{"or", Op::kOr, 10},
    BinaryOperator{"||", Op::kOr, 10},
    BinaryOperator{"and", Op::kAnd, 15},
    BinaryOperator{"&&", Op::kAnd, 15},
    BinaryOperator{"==", Op::kEqual, 20},
    BinaryOperator{"!=", Op::kNotEqual, 20},
    BinaryOperator{"<", Op::kLess, 20},
    BinaryOperator{">", Op::kGreater, 20},
    BinaryOperator{"<=", Op::kLessEqual, 20},
    BinaryOperator{">=", Op::kGreaterEqual, 20},
    BinaryOperator{"in", Op::kIn, 20},
    BinaryOperator{"matches", Op::kMatches, 20},
    BinaryOperator{"contains", Op::kContains, 20},
    BinaryOperator{"startsWith", Op::kStartsWith, 20},
    BinaryOperator{"endsWith", Op::kEndsWith, 20},
    BinaryOperator{"..", Op::kRange, 25},
    BinaryOperator{"+", Op::kAdd, 30},
    BinaryOperator{"-", Op::kSubtract, 30},
    BinaryOperator{"*", Op::kMultiply, 60},
    BinaryOperator{"/", Op::kDivide, 60},
    BinaryOperator{"%", Op::kModulo, 60},
    BinaryOperator{"**", Op::kPower, 100, true},
    BinaryOperator{"^", Op::kPower, 100, true},
    BinaryOperator{"??", Op::kCoalesce, 500},
};

const BinaryOperator* binary_operator(const Token& token) {
  if (token.kind != TokenKind::kOperator) return nullptr;
  for (const BinaryOperator& candidate : kBinary)
    if (candidate.text == token.text) return &candidate;
  return nullptr;
}

bool is_ordering(Op op) { return op >= Op::kLess && op <= Op::kGreaterEqual; }
bool may_be_negated(std::string_view text) {
  return text == "in" || text == "matches" || text == "contains" || text == "startsWith" || text == "endsWith";
}

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(tokens_of(source)) {}

  Tree run() {
    tree_.root = sequence();
    if (current().kind != TokenKind::kEnd) unexpected();
    return std::move(tree_);
  }

 private:
  // ---- words
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  void next() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  [[noreturn]] void unexpected(const std::string& wanted = "") const {
    const Token& token = current();
    const std::string end = wanted.empty() ? "" : "; " + wanted;
    if (token.kind == TokenKind::kEnd)
      throw Error(Phase::kParse, Category::kUnexpectedEnd, token.offset, "the expression ends too early" + end);
    throw Error(Phase::kParse, Category::kUnexpectedToken, token.offset,
                quoted(token.text) + " does not belong here" + end, token.text);
  }
  void expect_operator(std::string_view text) {
    if (!current().is_operator(text)) unexpected(quoted(text) + " would be right");
    next();
  }
  void expect_bracket(std::string_view text) {
    if (!current().is_bracket(text)) unexpected(quoted(text) + " would be right");
    next();
  }

  // ---- nodes
  NodeId make(NodeKind kind, std::uint32_t offset, std::vector<NodeId> children = {}) {
    if (tree_.nodes.size() >= kMaxNodes)
      throw Error(Phase::kParse, Category::kTooLarge, offset,
                  "the expression has more than " + std::to_string(kMaxNodes) + " parts");
    Node node;
    node.kind = kind;
    node.offset = offset;
    for (const NodeId child : children) node.depth = std::max(node.depth, tree_[child].depth + 1);
    if (node.depth > kMaxDepth) too_deep(kMaxDepth, offset);
    node.children = std::move(children);
    tree_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(tree_.nodes.size() - 1);
  }
  NodeId make_op(NodeKind kind, Op op, std::uint32_t offset, std::vector<NodeId> children) {
    const NodeId id = make(kind, offset, std::move(children));
    tree_[id].op = op;
    return id;
  }
  NodeId make_text(NodeKind kind, const Token& token, std::vector<NodeId> children = {}) {
    const NodeId id = make(kind, token.offset, std::move(children));
    tree_[id].text = token.text;
    return id;
  }
  NodeId make_tee(NodeId child) {
    const NodeId id = make(NodeKind::kTee, tree_[child].offset, {child});
    tree_[id].number = tree_.locals++;
    return id;
  }
  NodeId local_of(NodeId tee) {
    const NodeId id = make(NodeKind::kLocal, tree_[tee].offset);
    tree_[id].number = tree_[tee].number;
    return id;
  }
  [[noreturn]] static void too_deep(std::uint32_t levels, std::uint32_t offset) {
    throw Error(Phase::kParse, Category::kTooLarge, offset,
                "the expression is nested more than " + std::to_string(levels) + " levels deep");
  }
  [[noreturn]] static void unsupported(std::uint32_t offset, const std::string& what) {
    throw Error(Phase::kParse, Category::kUnsupported, offset, what + " not supported in priority expressions");
  }
  struct Level {
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.levels_ > kMaxNesting) too_deep(kMaxNesting, parser_.current().offset);
    }
    ~Level() { --parser_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // ---- grammar
  NodeId sequence() {
    const std::uint32_t offset = current().offset;
    std::vector<NodeId> parts{expression(0)};
    while (current().is_operator(";")) {
      next();
      if (current().kind == TokenKind::kEnd) break;
      parts.push_back(expression(0));
    }
    return parts.size() == 1 ? parts.front() : make(NodeKind::kSequence, offset, std::move(parts));
  }

  NodeId expression(int least) {
    const Level level(*this);
    if (least == 0 && current().is_operator("let")) return declaration();
    if (least == 0 && current().is_operator("if")) return if_else();
    NodeId left = primary();
    std::string_view previous;
    for (;;) {
      const bool negated = current().is_operator("not");
      const std::size_t before = at_;
      const std::uint32_t not_offset = current().offset;
      if (negated) {
        next();
        if (!may_be_negated(current().text) || current().kind != TokenKind::kOperator) unexpected();
      }
      if (current().is_operator("|") && least == kPipePrecedence) {
        left = pipe(left);
        previous = "|";
        continue;
      }
      const BinaryOperator* op = binary_operator(current());
      if (op == nullptr || op->precedence < least) {
        at_ = before;
        break;
      }
      const std::uint32_t offset = current().offset;
      if (previous == "??" && op->op != Op::kCoalesce)
        throw Error(Phase::kParse, Category::kCoalesceMixed, offset,
                    quoted(current().text) + " cannot follow '?\?'; put one of them in parentheses", current().text);
      next();
      if (is_ordering(op->op)) {
        left = comparisons(left, op, offset);
      } else {
        const NodeId right = expression(op->right ? op->precedence : op->precedence + 1);
        left = make_op(NodeKind::kBinary, op->op, offset, {left, right});
      }
      if (negated) left = make_op(NodeKind::kUnary, Op::kNot, not_offset, {left});
      previous = op->text;
    }
    return least == 0 ? conditionals(left) : left;
  }

  /// a < b < c is a < b and b < c, with b computed once.
  NodeId comparisons(NodeId left, const BinaryOperator* op, std::uint32_t offset) {
    NodeId all = kNoNode;
    for (;;) {
      NodeId right = expression(op->precedence + 1);
      const BinaryOperator* following = binary_operator(current());
      const bool chained = following != nullptr && is_ordering(following->op);
      if (chained) right = make_tee(right);
      const NodeId one = make_op(NodeKind::kBinary, op->op, offset, {left, right});
      all = all == kNoNode ? one : make_op(NodeKind::kBinary, Op::kAnd, offset, {all, one});
      if (!chained) return all;
      left = local_of(right);
      op = following;
      offset = current().offset;
      next();
    }
  }

  NodeId pipe(NodeId left) {
    next();
    const Token& name = current();
    if (name.kind != TokenKind::kName) unexpected("a function's name would be right");
    next();
    return postfix(call(name, {left}));
  }

  NodeId conditionals(NodeId node) {
    while (current().is_operator("?")) {
      next();
      NodeId then = kNoNode;
      NodeId condition = node;
      if (current().is_operator(":")) {
        next();
        condition = make_tee(node);
        then = local_of(condition);
      } else {
        then = expression(0);
        expect_operator(":");
      }
      const NodeId otherwise = expression(0);
      node = make(NodeKind::kConditional, tree_[node].offset, {condition, then, otherwise});
    }
    return node;
  }

  NodeId if_else() {
    const Level level(*this);
    next();
    const NodeId condition = expression(0);
    expect_bracket("{");
    const NodeId then = sequence();
    expect_bracket("}");
    expect_operator("else");
    NodeId otherwise = kNoNode;
    if (current().is_operator("if")) {
      otherwise = if_else();
    } else {
      expect_bracket("{");
      otherwise = sequence();
      expect_bracket("}");
    }
    return make(NodeKind::kConditional, tree_[condition].offset, {condition, then, otherwise});
  }

  NodeId declaration() {
    next();
    const Token& name = current();
    if (name.kind != TokenKind::kName) unexpected("a name would be right");
    next();
    expect_operator("=");
    const NodeId value = expression(0);
    expect_operator(";");
    const NodeId rest = sequence();
    return make_text(NodeKind::kLet, name, {value, rest});
  }

  NodeId primary() {
    const Token& token = current();
    if (token.kind == TokenKind::kOperator) {
      const bool is_not = token.text == "not" || token.text == "!";
      if (is_not || token.text == "-" || token.text == "+") {
        const Op op = is_not ? Op::kNot : token.text == "-" ? Op::kNegate : Op::kPlus;
        next();
        const NodeId operand = expression(is_not ? 50 : 90);
        return postfix(make_op(NodeKind::kUnary, op, token.offset, {operand}));
      }
      if (token.text == "::") {
        next();
        const Token& name = current();
        if (name.kind != TokenKind::kName) unexpected("a function's name would be right");
        next();
        return postfix(call(name, {}));
      }
    }
    if (token.is_bracket("(")) {
      next();
      const NodeId inner = sequence();
      expect_bracket(")");
      return postfix(inner);
    }
    return secondary();
  }

  NodeId secondary() {
    const Token& token = current();
    switch (token.kind) {
      case TokenKind::kNumber:
        next();
        return number(token);  // nothing may be attached to a number
      case TokenKind::kString:
        next();
        return postfix(make_text(NodeKind::kString, token));
      case TokenKind::kName: {
        next();
        if (token.text == "true" || token.text == "false") {
          const NodeId id = make(NodeKind::kBool, token.offset);
          tree_[id].number = token.text == "true" ? 1 : 0;
          return postfix(id);
        }
        if (token.text == "nil") return postfix(make(NodeKind::kNil, token.offset));
        if (current().is_bracket("(")) return postfix(call(token, {}));
        return postfix(make_text(NodeKind::kName, token));
      }
      case TokenKind::kBracket:
        if (token.text == "[") return postfix(array());
        if (token.text == "{") return postfix(map());
        break;
      case TokenKind::kOperator:
        break;
      case TokenKind::kEnd:
        break;
    }
    unexpected();
  }

  NodeId number(const Token& token) {
    std::string digits;
    for (const char c : token.text)
      if (c != '_') digits.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    int base = 10;
    if (digits.starts_with("0x")) base = 16;
    const bool is_float = base == 10 && digits.find_first_of(".e") != std::string::npos;
    if (digits.starts_with("0b")) base = 2;
    if (digits.starts_with("0o")) base = 8;
    // Errors point behind the number, as the real language's do.
    const auto bad = [&](Category category, const std::string& why) {
      throw Error(Phase::kParse, category, current().offset, quoted(token.text) + " " + why);
    };
    const NodeId id = make(is_float ? NodeKind::kFloat : NodeKind::kInt, token.offset);
    Node& node = tree_[id];
    node.text = digits;
    const char* begin = digits.data() + (base == 10 ? 0 : 2);
    const char* end = digits.data() + digits.size();
    if (is_float) {
      const auto [rest, error] = std::from_chars(begin, end, node.real);
      const bool syntax = base != 10 || rest != end;
      if (syntax || error == std::errc::invalid_argument) bad(Category::kBadNumber, "is not a number");
      if (error == std::errc::result_out_of_range) {
        // Too small is 0; too large is an error.
        node.real = std::strtod(digits.c_str(), nullptr);
        if (!std::isfinite(node.real)) bad(Category::kNumberOutOfRange, "is larger than any number");
      }
      return id;
    }
    const auto [rest, error] = std::from_chars(begin, end, node.number, base);
    if (error == std::errc::result_out_of_range) bad(Category::kNumberOutOfRange, "does not fit into 64 bits");
    if (error != std::errc{} || rest != end) bad(Category::kBadNumber, "is not a number");
    return id;
  }

  NodeId call(const Token& name, std::vector<NodeId> arguments) {
    if (takes_predicate(name.text)) unsupported(name.offset, "predicates such as in '" + name.text + "(…, …)' are");
    const std::size_t given = arguments.size();
    expect_bracket("(");
    while (!current().is_bracket(")")) {
      if (arguments.size() > given) expect_operator(",");
      if (current().is_bracket(")")) break;
      arguments.push_back(expression(0));
    }
    expect_bracket(")");
    return make_text(NodeKind::kCall, name, std::move(arguments));
  }

  NodeId array() {
    const std::uint32_t offset = current().offset;
    next();
    std::vector<NodeId> items;
    while (!current().is_bracket("]")) {
      if (!items.empty()) {
        expect_operator(",");
        if (current().is_bracket("]")) break;
      }
      items.push_back(expression(0));
    }
    next();
    return make(NodeKind::kArray, offset, std::move(items));
  }

  NodeId map() {
    const std::uint32_t offset = current().offset;
    next();
    std::vector<NodeId> items;
    while (!current().is_bracket("}")) {
      if (!items.empty()) {
        expect_operator(",");
        if (current().is_bracket("}")) break;
        if (current().is_operator(",")) unexpected();
      }
      const Token& key = current();
      if (key.kind == TokenKind::kName || key.kind == TokenKind::kString || key.kind == TokenKind::kNumber) {
        next();
        items.push_back(make_text(NodeKind::kString, key));
      } else if (key.is_bracket("(")) {
        items.push_back(expression(0));
      } else {
        if (key.kind == TokenKind::kEnd) unexpected();
        throw Error(Phase::kParse, Category::kUnexpectedToken, key.offset,
                    "a map's key is a name, a string, a number or an expression in parentheses", key.text);
      }
      expect_operator(":");
      items.push_back(expression(0));
    }
    next();
    return make(NodeKind::kMap, offset, std::move(items));
  }

  NodeId postfix(NodeId node) {
    for (;;) {
      const Token& token = current();
      bool optional = token.is_operator("?.");
      if (optional || token.is_operator(".")) {
        next();
        if (optional && current().is_bracket("[")) {
          node = index(node, true);
          continue;
        }
        const Token& name = current();
        next();
        if (name.kind != TokenKind::kName && !(name.kind == TokenKind::kOperator && is_word(name.text)))
          unexpected("a name would be right after '" + token.text + "'");
        const bool in_chain = tree_[node].kind == NodeKind::kChain;
        if (in_chain) node = tree_[node].children.front();
        if (current().is_bracket("(")) {
          std::vector<NodeId> children = arguments_after(node);
          node = make_text(NodeKind::kMethod, name, std::move(children));
        } else {
          node = make_text(NodeKind::kMember, name, {node});
        }
        tree_[node].optional = optional;
        if (in_chain || optional) node = make(NodeKind::kChain, tree_[node].offset, {node});
      } else if (token.is_bracket("[")) {
        node = index(node, false);
      } else {
        return node;
      }
    }
  }

  static bool is_word(std::string_view text) { return !text.empty() && text.front() >= 'a' && text.front() <= 'z'; }

  std::vector<NodeId> arguments_after(NodeId receiver) {
    std::vector<NodeId> children{receiver};
    next();
    while (!current().is_bracket(")")) {
      if (children.size() > 1) expect_operator(",");
      if (current().is_bracket(")")) break;
      children.push_back(expression(0));
    }
    next();
    return children;
  }

  NodeId index(NodeId node, bool optional) {
    const std::uint32_t offset = current().offset;
    next();
    if (current().is_operator(":")) unsupported(current().offset, "slices are");
    const NodeId key = expression(0);
    if (current().is_operator(":")) unsupported(current().offset, "slices are");
    expect_bracket("]");
    const bool in_chain = tree_[node].kind == NodeKind::kChain;
    if (in_chain) node = tree_[node].children.front();
    node = make(NodeKind::kIndex, offset, {node, key});
    tree_[node].optional = optional;
    if (in_chain || optional) node = make(NodeKind::kChain, offset, {node});
    return node;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::uint32_t levels_ = 0;
  Tree tree_;
};

}  // namespace

std::string_view op_text(Op op) {
  for (const BinaryOperator& candidate : kBinary)
    if (candidate.op == op) return candidate.text;
  return op == Op::kNot ? "not" : op == Op::kNegate ? "-" : "+";
}

Tree parse(std::string_view source) { return Parser(source).run(); }

}  // namespace headroom::expr
