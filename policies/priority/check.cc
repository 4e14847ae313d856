// Names to slots, a type for every node, and the language's complaints in its own order: the first that a walk from
// left to right, operands before operators, comes upon.
#include <algorithm>
#include <array>
#include <optional>

#include "policies/priority/builtins.h"
#include "policies/priority/error.h"
#include "policies/priority/methods.h"
#include "policies/priority/syntax.h"

namespace headroom::expr {
namespace {

using enum TypeKind;
constexpr Type kUnknown{};
constexpr Type of(TypeKind kind) { return {kind, kAny, 0}; }

bool is_number(Type t) { return t.is(kInt) || t.is(kFloat); }

class Checker {
 public:
  Checker(Tree& tree, const Environment& environment) : tree_(tree), environment_(environment) {}
  void run() { visit(tree_.root); }

 private:
  struct Variable {
    std::string name;
    std::int64_t local;
    Type type;
  };

  [[noreturn]] static void fail(Category category, std::uint32_t offset, const std::string& message,
                                const std::string& token = "") {
    throw Error(Phase::kCheck, category, offset, message, token);
  }
  [[noreturn]] static void unsupported(std::uint32_t offset, const std::string& what) {
    fail(Category::kUnsupported, offset, what + " not supported in priority expressions");
  }
  static std::string shown(Type t) { return t.is(kNil) ? "nil" : std::string(type_name(t)); }

  Type visit(NodeId id) {
    const Type type = compute(id);
    tree_[id].type = type;
    return type;
  }

  Type compute(NodeId id) {
    Node& node = tree_[id];
    switch (node.kind) {
      case NodeKind::kNil:
        return of(kNil);
      case NodeKind::kBool:
        return of(kBool);
      case NodeKind::kInt:
        return of(kInt);
      case NodeKind::kFloat:
        return of(kFloat);
      case NodeKind::kString:
        return of(kString);
      case NodeKind::kName:
        return name(node);
      case NodeKind::kTee: {
        const Type type = visit(node.children[0]);
        const auto local = static_cast<std::size_t>(tree_[id].number);
        if (local_types_.size() <= local) local_types_.resize(local + 1);
        local_types_[local] = type;
        return type;
      }
      case NodeKind::kLocal:
        return local_types_[static_cast<std::size_t>(node.number)];
      case NodeKind::kInput:
        return node.type;
      case NodeKind::kUnary:
        return unary(id);
      case NodeKind::kBinary:
        return binary(id);
      case NodeKind::kConditional:
        return conditional(id);
      case NodeKind::kMember:
        return member(id);
      case NodeKind::kIndex:
        return index(id);
      case NodeKind::kMethod:
        return method(id);
      case NodeKind::kCall:
        return call(id);
      case NodeKind::kLet:
        return let(id);
      case NodeKind::kSequence: {
        Type last;
        for (const NodeId child : children(id)) last = visit(child);
        return last;
      }
      case NodeKind::kArray:
        return array(id);
      case NodeKind::kMap:
        return map(id);
      case NodeKind::kChain:
        return visit(node.children[0]);
    }
    return kUnknown;
  }

  [[nodiscard]] const std::vector<NodeId>& children(NodeId id) const { return tree_[id].children; }
  [[nodiscard]] std::uint32_t offset(NodeId id) const { return tree_[id].offset; }

  // ---- names
  Type name(Node& node) {
    for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
      if (variable->name != node.text) continue;
      node.kind = NodeKind::kLocal;
      node.number = variable->local;
      return variable->type;
    }
    if (node.text == "$env") unsupported(node.offset, "'$env' is");
    if (const Environment::Name* known = environment_.find(node.text)) {
      if (!known->type.is(kRecord)) {
        node.kind = NodeKind::kInput;
        node.number = known->slot;
      }
      return known->type;
    }
    if (find_builtin(node.text) != nullptr || is_refused_function(node.text)) return of(kFunction);
    unknown_name(node);
  }
  [[noreturn]] void unknown_name(const Node& node) const {
    std::vector<std::string> known;
    for (const Variable& variable : variables_) known.push_back(variable.name);
    for (const Environment::Name& one : environment_.names()) known.push_back(one.name);
    for (const BuiltinInfo& one : builtins()) known.emplace_back(one.name);
    std::string hint = nearest(node.text, known);
    if (node.text == "group") hint = "; a group is called 'account' here";
    if (node.text == "log" || node.text == "exp" || node.text == "sqrt" || node.text == "pow")
      hint = "; the language has no such function, only the operator '**'";
    fail(Category::kUnknownName, node.offset, "unknown name '" + node.text + "'" + hint, node.text);
  }

  Type let(NodeId id) {
    const std::string variable = tree_[id].text;
    const bool taken = environment_.find(variable) != nullptr || find_builtin(variable) != nullptr ||
                       is_refused_function(variable) ||
                       std::ranges::find(variables_, variable, &Variable::name) != variables_.end();
    if (taken)
      fail(Category::kRedeclared, offset(id),
           quoted(variable) + " has a meaning already; a variable needs another name", variable);
    const Type type = visit(children(id)[0]);
    const std::int64_t local = tree_.locals++;
    tree_[id].number = local;
    variables_.push_back({variable, local, type});
    const Type result = visit(children(id)[1]);
    variables_.pop_back();
    return result;
  }

  // ---- operators
  Type unary(NodeId id) {
    const Type t = visit(children(id)[0]);
    const Op op = tree_[id].op;
    if (op == Op::kNot) {
      if (t.is(kBool) || t.is(kAny)) return of(kBool);
    } else if (is_number(t) || t.is(kAny)) {
      return t;
    }
    std::string hint;
    if (t.is(kDuration)) hint = "; '-1 * …' would be right";
    fail(Category::kOperandTypes, offset(id),
         quoted(op_text(op)) + " takes " + (op == Op::kNot ? "a bool" : "a number") + ", not " + shown(t) + hint);
  }

  /// Both unknown, or one unknown and the other one of `kinds`.
  static bool open(Type l, Type r, std::initializer_list<TypeKind> kinds) {
    const auto fits = [&](Type t) { return std::ranges::find(kinds, t.kind) != kinds.end(); };
    return (l.is(kAny) && r.is(kAny)) || (l.is(kAny) && fits(r)) || (r.is(kAny) && fits(l));
  }
  static bool both(Type l, Type r, TypeKind kind) { return l.is(kind) && r.is(kind); }
  static bool comparable(Type l, Type r) {
    return l.is(kAny) || r.is(kAny) || l.is(kNil) || r.is(kNil) || l.kind == r.kind || (is_number(l) && is_number(r));
  }

  Type binary(NodeId id) {
    const Type l = visit(children(id)[0]);
    const Type r = visit(children(id)[1]);
    const Op op = tree_[id].op;
    if (const std::optional<Type> type = result_of(op, l, r, id)) return *type;
    std::string hint;
    if (l.is(kDuration) && (is_number(r) || r.is(kDuration)) && op != Op::kModulo)
      hint = "; '.Hours()' makes a number of a duration";
    fail(Category::kOperandTypes, offset(id),
         quoted(op_text(op)) + " cannot take " + shown(l) + " and " + shown(r) + hint);
  }

  std::optional<Type> result_of(Op op, Type l, Type r, NodeId id) {
    switch (op) {
      case Op::kOr:
      case Op::kAnd:
        if (both(l, r, kBool) || open(l, r, {kBool})) return of(kBool);
        break;
      case Op::kEqual:
      case Op::kNotEqual:
        if (comparable(l, r)) return of(kBool);
        break;
      case Op::kLess:
      case Op::kGreater:
      case Op::kLessEqual:
      case Op::kGreaterEqual:
        if ((is_number(l) && is_number(r)) || both(l, r, kString) || both(l, r, kTime) || both(l, r, kDuration) ||
            open(l, r, {kInt, kFloat, kString, kTime, kDuration}))
          return of(kBool);
        break;
      case Op::kIn:
        return membership(l, r, id);
      case Op::kMatches:
        if ((l.is(kString) || l.is(kAny)) && (r.is(kString) || r.is(kAny)))
          unsupported(offset(id), "regular expressions are");
        break;
      case Op::kContains:
      case Op::kStartsWith:
      case Op::kEndsWith:
        if (both(l, r, kString) || open(l, r, {kString})) return of(kBool);
        break;
      case Op::kRange:
        if (both(l, r, kInt) || open(l, r, {kInt})) unsupported(offset(id), "ranges are");
        break;
      case Op::kAdd:
        if (is_number(l) && is_number(r)) return number_type(l, r);
        if (both(l, r, kString)) return of(kString);
        if (both(l, r, kDuration)) return of(kDuration);
        if ((l.is(kTime) && r.is(kDuration)) || (l.is(kDuration) && r.is(kTime))) return of(kTime);
        if (open(l, r, {kInt, kFloat, kString, kTime, kDuration})) return kUnknown;
        break;
      case Op::kSubtract:
        if (is_number(l) && is_number(r)) return number_type(l, r);
        if (both(l, r, kDuration) || both(l, r, kTime)) return of(kDuration);
        if (l.is(kTime) && r.is(kDuration)) return of(kTime);
        if (open(l, r, {kInt, kFloat, kTime, kDuration})) return kUnknown;
        break;
      case Op::kMultiply:
        if (is_number(l) && is_number(r)) return number_type(l, r);
        if (both(l, r, kDuration) || (is_number(l) && r.is(kDuration)) || (l.is(kDuration) && is_number(r)))
          return of(kDuration);
        if (open(l, r, {kInt, kFloat, kDuration})) return kUnknown;
        break;
      case Op::kDivide:
      case Op::kPower:
        if ((is_number(l) && is_number(r)) || open(l, r, {kInt, kFloat})) return of(kFloat);
        break;
      case Op::kModulo:
        if (both(l, r, kInt) || open(l, r, {kInt})) return of(kInt);
        break;
      case Op::kCoalesce:
        if (l.is(kNil)) return r;
        if (r.is(kNil) || (l == r && !l.is(kAny))) return l;
        return kUnknown;
      default:
        break;
    }
    return std::nullopt;
  }
  static Type number_type(Type l, Type r) { return of(l.is(kFloat) || r.is(kFloat) ? kFloat : kInt); }

  std::optional<Type> membership(Type l, Type r, NodeId id) {
    if (r.is(kRecord) && (l.is(kString) || l.is(kAny))) return of(kBool);
    if (r.is(kMap)) {
      if (!l.is(kAny) && !l.is(kString))
        fail(Category::kBadIndexOrMembership, offset(id), "a map's keys are strings, never " + shown(l));
      return of(kBool);
    }
    if (r.is(kArray)) {
      if (!comparable(l, of(r.element)))
        fail(Category::kBadIndexOrMembership, offset(id),
             shown(l) + " is never in an array of " + shown(of(r.element)));
      return of(kBool);
    }
    if (r.is(kAny)) return of(kBool);
    return std::nullopt;
  }

  Type conditional(NodeId id) {
    const NodeId condition = children(id)[0];
    const Type test = visit(condition);
    if (!test.is(kBool) && !test.is(kAny))
      fail(Category::kConditionNotBool, offset(condition), "a condition is a bool, not " + shown(test));
    const Type a = visit(children(id)[1]);
    const Type b = visit(children(id)[2]);
    if (a.is(kNil)) return b.is(kNil) ? kUnknown : b;
    if (b.is(kNil)) return a;
    return a == b ? a : kUnknown;
  }

  // ---- members
  Type field_of(const Environment::Name& record, NodeId id, const std::string& field) {
    const auto found = std::ranges::find(record.fields, field, &Environment::Field::name);
    if (found == record.fields.end()) {
      std::vector<std::string> known;
      for (const Environment::Field& one : record.fields) known.push_back(one.name);
      fail(Category::kUnknownField, offset(id),
           quoted(record.name) + " has no field '" + field + "'" + nearest(field, known));
    }
    Node& node = tree_[id];
    node.kind = NodeKind::kInput;
    node.number = found->slot;
    node.children.clear();
    return found->type;
  }

  Type member(NodeId id) {
    const Type base = visit(children(id)[0]);
    const std::string field = tree_[id].text;
    switch (base.kind) {
      case kAny:
      case kMap:
        return kUnknown;
      case kNil:
        fail(Category::kMemberOfNil, offset(id), "nil has no field '" + field + "'");
      case kRecord:
        return field_of(environment_.names()[base.record], id, field);
      default:
        break;
    }
    if (find_method(base.kind, field) != nullptr) return of(kFunction);
    no_such(Category::kUnknownField, base, id, field);
  }
  [[noreturn]] void no_such(Category category, Type base, NodeId id, const std::string& name) const {
    std::vector<std::string> known;
    for (const MethodInfo& one : methods())
      if (one.receiver == base.kind) known.emplace_back(one.name);
    if (is_refused_method(base.kind, name)) unsupported(offset(id), "the method '" + name + "' is");
    fail(category, offset(id),
         shown(base) + " has no " + (category == Category::kUnknownField ? "field" : "method") + " '" + name + "'" +
             nearest(name, known));
  }

  Type index(NodeId id) {
    const NodeId key = children(id)[1];
    const Type base = visit(children(id)[0]);
    const Type t = visit(key);
    switch (base.kind) {
      case kAny:
        return kUnknown;
      case kNil:
        fail(Category::kMemberOfNil, offset(id), "nil has no members");
      case kRecord:
        if (tree_[key].kind == NodeKind::kString)
          return field_of(environment_.names()[base.record], id, tree_[key].text);
        unsupported(offset(id), "a field by a name that is computed is");
      case kMap:
        if (!t.is(kString) && !t.is(kAny))
          fail(Category::kBadIndexOrMembership, offset(key), "a map's keys are strings, not " + shown(t));
        return kUnknown;
      case kArray:
        if (!t.is(kInt) && !t.is(kAny))
          fail(Category::kBadIndexOrMembership, offset(key), "an array's index is an int, not " + shown(t));
        return of(base.element);
      default:
        fail(Category::kBadIndexOrMembership, offset(id), shown(base) + " has no elements");
    }
  }

  Type method(NodeId id) {
    const Type base = visit(children(id)[0]);
    const std::string called = tree_[id].text;
    const std::vector<NodeId> arguments(children(id).begin() + 1, children(id).end());
    switch (base.kind) {
      case kAny:
      case kMap:
        for (const NodeId argument : arguments) visit(argument);
        return kUnknown;
      case kNil:
        fail(Category::kMemberOfNil, offset(id), "nil has no method '" + called + "'");
      case kRecord: {
        const Environment::Name& record = environment_.names()[base.record];
        const auto found = std::ranges::find(record.fields, called, &Environment::Field::name);
        if (found != record.fields.end())
          fail(Category::kNotCallable, offset(id),
               "'" + record.name + "." + called + "' is " + shown(found->type) + " and cannot be called");
        fail(Category::kUnknownMethod, offset(id), quoted(record.name) + " has no method '" + called + "'");
      }
      default:
        break;
    }
    const MethodInfo* info = find_method(base.kind, called);
    if (info == nullptr) no_such(Category::kUnknownMethod, base, id, called);
    const std::size_t wanted = info->argument == kNil ? 0 : 1;
    if (arguments.size() != wanted)
      fail(Category::kArgumentCount, offset(id),
           quoted(called) + " takes " + std::to_string(wanted) + " arguments, not " + std::to_string(arguments.size()));
    for (const NodeId argument : arguments) {
      const Type t = visit(argument);
      if (t.kind != info->argument && !t.is(kAny))
        fail(Category::kArgumentType, offset(argument),
             quoted(called) + " takes " + shown(of(info->argument)) + ", not " + shown(t));
    }
    return of(info->result);
  }

  // ---- functions
  Type call(NodeId id) {
    const std::string called = tree_[id].text;
    const BuiltinInfo* info = find_builtin(called);
    if (info == nullptr) not_a_function(id);
    const std::vector<NodeId> arguments = children(id);
    std::vector<Type> types;
    if (info->builtin == Builtin::kDuration || info->builtin == Builtin::kNow) check_count(*info, arguments.size(), id);
    for (const NodeId argument : arguments) types.push_back(visit(argument));
    check_count(*info, arguments.size(), id);
    return result_of(*info, types, arguments, id);
  }
  [[noreturn]] void not_a_function(NodeId id) {
    Node callee = tree_[id];
    if (is_refused_function(callee.text)) unsupported(callee.offset, "the function '" + callee.text + "' is");
    callee.kind = NodeKind::kName;
    const Type t = name(callee);
    fail(Category::kNotCallable, callee.offset, quoted(callee.text) + " is " + shown(t) + " and cannot be called");
  }
  static void check_count(const BuiltinInfo& info, std::size_t given, NodeId, std::uint32_t offset) {
    const int count = static_cast<int>(std::min<std::size_t>(given, kMaxNodes));
    if (count >= info.least && (info.most < 0 || count <= info.most)) return;
    std::string message = quoted(info.name) + " takes " + std::to_string(info.least);
    if (info.most < 0) message += " or more";
    message += info.least == 1 && info.most == 1 ? " argument, not " : " arguments, not ";
    fail(Category::kArgumentCount, offset, message + std::to_string(given));
  }
  void check_count(const BuiltinInfo& info, std::size_t given, NodeId id) const {
    check_count(info, given, id, offset(id));
  }

  Type result_of(const BuiltinInfo& info, const std::vector<Type>& types, const std::vector<NodeId>& arguments,
                 NodeId id) {
    const auto refuse = [&](Type t, std::uint32_t at) {
      fail(Category::kArgumentType, at, quoted(info.name) + " cannot take " + shown(t));
    };
    // A duration passes for a number here, and fails when it runs: so it does in the real language.
    const auto numeric = [](Type t) { return is_number(t) || t.is(kDuration) || t.is(kOpaque) || t.is(kAny); };
    switch (info.builtin) {
      case Builtin::kAbs:
        if (!numeric(types[0])) refuse(types[0], offset(id));
        return types[0];
      case Builtin::kCeil:
      case Builtin::kFloor:
      case Builtin::kRound:
        if (!numeric(types[0])) refuse(types[0], offset(id));
        return of(kFloat);
      case Builtin::kMin:
      case Builtin::kMax:
      case Builtin::kMean:
      case Builtin::kMedian: {
        bool open_ended = false;
        for (const Type t : types) {
          if (!numeric(t) && !t.is(kArray)) refuse(t, offset(id));
          open_ended = open_ended || t.is(kAny) || t.is(kArray);
        }
        if (open_ended) return kUnknown;
        return info.builtin == Builtin::kMin || info.builtin == Builtin::kMax ? types[0] : of(kFloat);
      }
      case Builtin::kSum:
        if (!types[0].is(kArray) && !types[0].is(kAny)) refuse(types[0], offset(arguments[0]));
        return types[0].is(kArray) ? of(types[0].element) : kUnknown;
      case Builtin::kInt:
      case Builtin::kFloat:
        if (!numeric(types[0]) && !types[0].is(kString)) refuse(types[0], offset(id));
        return of(info.builtin == Builtin::kInt ? kInt : kFloat);
      case Builtin::kString:
      case Builtin::kType:
        return of(kString);
      case Builtin::kLen:
        if (!types[0].is(kArray) && !types[0].is(kMap) && !types[0].is(kString) && !types[0].is(kAny))
          refuse(types[0], offset(id));
        return of(kInt);
      case Builtin::kNow:
        return of(kTime);
      case Builtin::kDuration:
        if (!types[0].is(kString) && !types[0].is(kAny)) refuse(types[0], offset(arguments[0]));
        return of(kDuration);
      default:
        for (std::size_t i = 0; i < types.size(); ++i)
          if (!types[i].is(kInt) && !types[i].is(kAny)) refuse(types[i], offset(arguments[i]));
        return of(kInt);
    }
  }

  // ---- composites
  Type array(NodeId id) {
    Type element;
    bool first = true;
    for (const NodeId child : children(id)) {
      const Type t = visit(child);
      element = first || t == element ? t : kUnknown;
      if (!first && element.is(kAny)) element = kUnknown;
      first = false;
    }
    if (element.is(kArray) || element.is(kRecord) || element.is(kNil)) element = kUnknown;
    return {kArray, element.kind, 0};
  }
  Type map(NodeId id) {
    const std::vector<NodeId> parts = children(id);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Type t = visit(parts[i]);
      if (i % 2 == 0 && !t.is(kString) && !t.is(kAny))
        fail(Category::kBadMapKey, offset(parts[i]), "a map's keys are strings, not " + shown(t));
    }
    return of(kMap);
  }

  Tree& tree_;
  const Environment& environment_;
  std::vector<Variable> variables_;
  std::vector<Type> local_types_;
};

}  // namespace

void check(Tree& tree, const Environment& environment) { Checker(tree, environment).run(); }

bool knows_locals(const Tree& tree, NodeId part, std::vector<std::uint8_t>& known) {
  const Node& node = tree[part];
  const auto local = static_cast<std::size_t>(node.number);
  if (node.kind == NodeKind::kLocal) return known[local] != 0;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (!knows_locals(tree, node.children[i], known)) return false;
    if ((node.kind == NodeKind::kLet && i == 0) || node.kind == NodeKind::kTee) known[local] = 1;
  }
  return true;
}

}  // namespace headroom::expr
