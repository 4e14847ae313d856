#include "policies/priority/program.h"

#include <algorithm>

#include "policies/priority/error.h"

namespace headroom::expr {

using Code = Instruction::Code;

class Program::Compiler {
 public:
  Compiler(const Tree& tree, Program& program) : tree_(tree), program_(program) {}

  void emit_let(NodeId value, std::uint32_t number) {
    emit(value);
    add(Code::kStore, local(number), 0, 0);
  }

  void emit(NodeId id) {
    const Node& node = tree_[id];
    const auto& children = node.children;
    switch (node.kind) {
      case NodeKind::kNil:
        return constant(Value::nil(), node.offset);
      case NodeKind::kBool:
        return constant(Value::of_bool(node.number != 0), node.offset);
      case NodeKind::kInt:
        return constant(Value::of_int(node.number), node.offset);
      case NodeKind::kFloat:
        return constant(Value::of_float(node.real), node.offset);
      case NodeKind::kString:
        return constant(Value::of_string(node.text), node.offset);
      case NodeKind::kName:
        return add(node.type.is(TypeKind::kRecord) ? Code::kRecord : Code::kUncalled, node.type.record, 0, node.offset);
      case NodeKind::kLocal:
        return add(Code::kPushLocal, local(node.number), 0, node.offset);
      case NodeKind::kTee:
        emit(children[0]);
        return add(Code::kTee, local(node.number), 0, node.offset);
      case NodeKind::kInput:
        return add(Code::kInput, static_cast<std::uint32_t>(node.number), 0, node.offset);
      case NodeKind::kUnary:
        emit(children[0]);
        return add(Code::kUnary, static_cast<std::uint32_t>(node.op), 0, node.offset);
      case NodeKind::kBinary:
        return binary(node);
      case NodeKind::kConditional:
        return conditional(node);
      case NodeKind::kMember:
      case NodeKind::kIndex:
      case NodeKind::kMethod:
        return member(node);
      case NodeKind::kCall:
        return call(node);
      case NodeKind::kLet:
        emit(children[0]);
        add(Code::kStore, local(node.number), 0, node.offset);
        return emit(children[1]);
      case NodeKind::kSequence:
        for (std::size_t i = 0; i < children.size(); ++i) {
          emit(children[i]);
          if (i + 1 < children.size()) add(Code::kPop, 0, 0, node.offset);
        }
        return;
      case NodeKind::kArray:
      case NodeKind::kMap:
        for (const NodeId child : children) emit(child);
        return add(node.kind == NodeKind::kArray ? Code::kArray : Code::kMap, 0, count(children.size()), node.offset);
      case NodeKind::kChain: {
        const std::vector<std::size_t> outer = std::move(chain_);
        chain_.clear();
        emit(children[0]);
        for (const std::size_t jump : chain_) land(jump);
        chain_ = outer;
        return;
      }
    }
  }

 private:
  static std::uint32_t count(std::size_t n) { return static_cast<std::uint32_t>(n); }
  std::uint32_t local(std::int64_t number) {
    program_.locals_ = std::max(program_.locals_, static_cast<std::uint32_t>(number) + 1);
    return static_cast<std::uint32_t>(number);
  }
  void add(Code code, std::uint32_t a, std::uint32_t b, std::uint32_t offset) {
    program_.code_.push_back({code, a, b, offset});
  }
  void constant(Value value, std::uint32_t offset) {
    program_.constants_.push_back(std::move(value));
    add(Code::kConstant, count(program_.constants_.size() - 1), 0, offset);
  }
  std::uint32_t name(const std::string& text) {
    program_.names_.push_back(text);
    return count(program_.names_.size() - 1);
  }
  std::size_t jump(Code code, std::uint32_t offset) {
    add(code, 0, 0, offset);
    return program_.code_.size() - 1;
  }
  void land(std::size_t at) { program_.code_[at].a = count(program_.code_.size()); }

  void binary(const Node& node) {
    emit(node.children[0]);
    if (node.op == Op::kAnd || node.op == Op::kOr || node.op == Op::kCoalesce) {
      const Code code = node.op == Op::kAnd  ? Code::kJumpIfFalse
                        : node.op == Op::kOr ? Code::kJumpIfTrue
                                             : Code::kJumpIfValue;
      const std::size_t end = jump(code, node.offset);
      add(Code::kPop, 0, 0, node.offset);
      emit(node.children[1]);
      if (node.op != Op::kCoalesce) add(Code::kCheckBool, static_cast<std::uint32_t>(node.op), 0, node.offset);
      return land(end);
    }
    emit(node.children[1]);
    add(Code::kBinary, static_cast<std::uint32_t>(node.op), 0, node.offset);
  }

  void conditional(const Node& node) {
    emit(node.children[0]);
    const std::size_t otherwise = jump(Code::kBranch, node.offset);
    emit(node.children[1]);
    const std::size_t end = jump(Code::kJump, node.offset);
    land(otherwise);
    emit(node.children[2]);
    land(end);
  }

  void member(const Node& node) {
    emit(node.children[0]);
    if (node.optional) chain_.push_back(jump(Code::kJumpIfNil, node.offset));
    if (node.kind == NodeKind::kMember) return add(Code::kMember, name(node.text), 0, node.offset);
    // Whatever `?.` the arguments have ends with them.
    const std::vector<std::size_t> outer = std::move(chain_);
    chain_.clear();
    for (std::size_t i = 1; i < node.children.size(); ++i) emit(node.children[i]);
    chain_ = outer;
    if (node.kind == NodeKind::kIndex) return add(Code::kElement, 0, 0, node.offset);
    const Type receiver = tree_[node.children[0]].type;
    const bool typed = !receiver.is(TypeKind::kAny) && !receiver.is(TypeKind::kMap);
    add(typed ? Code::kMethodTyped : Code::kMethod, name(node.text), count(node.children.size() - 1), node.offset);
  }

  void call(const Node& node) {
    const Builtin builtin = find_builtin(node.text)->builtin;
    const Node* list = node.children.size() == 1 ? &tree_[node.children[0]] : nullptr;
    if (builtin == Builtin::kSum && list != nullptr && list->kind == NodeKind::kArray && list->children.size() >= 2) {
      // The real optimiser makes a + (b + (c + …)) of it, and rounds like that.
      for (const NodeId child : list->children) emit(child);
      for (std::size_t i = 1; i < list->children.size(); ++i)
        add(Code::kBinary, static_cast<std::uint32_t>(Op::kAdd), 0, node.offset);
      return;
    }
    for (const NodeId child : node.children) emit(child);
    add(Code::kCall, static_cast<std::uint32_t>(builtin), count(node.children.size()), node.offset);
  }

  const Tree& tree_;
  Program& program_;
  std::vector<std::size_t> chain_;  ///< jumps to the end of the chain that is being compiled
};

Program::Program(const Tree& tree, NodeId node, const Lets& lets) {
  Compiler compiler(tree, *this);
  for (const auto& [local, value] : lets) compiler.emit_let(value, local);
  compiler.emit(node);
}

Value Program::run(std::span<const Value> inputs, const Clock& clock) const {
  std::vector<Value> stack;
  std::vector<Value> locals(locals_);
  const auto pop = [&] {
    Value top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  const auto require_bool = [&](const Value& v, const Instruction& at) {
    if (!v.is(ValueKind::kBool))
      throw Error(Phase::kRuntime, Category::kOperandTypes, at.offset,
                  "a condition is a bool, not " + std::string(kind_name(v.kind)));
    return v.i != 0;
  };
  const auto last = [&](std::size_t n) { return std::span<const Value>(stack).last(n); };
  for (std::size_t at = 0; at < code_.size(); ++at) {
    const Instruction& i = code_[at];
    switch (i.code) {
      case Code::kConstant:
        stack.push_back(constants_[i.a]);
        break;
      case Code::kInput:
        stack.push_back(inputs[i.a]);
        break;
      case Code::kRecord:
        stack.push_back(Value::of_kind(ValueKind::kRecord, i.a));
        break;
      case Code::kUncalled:
        throw Error(Phase::kRuntime, Category::kMemberOfWrongValue, i.offset, "a function is called with '()'");
      case Code::kPushLocal:
        stack.push_back(locals[i.a]);
        break;
      case Code::kStore:
        locals[i.a] = pop();
        break;
      case Code::kTee:
        locals[i.a] = stack.back();
        break;
      case Code::kPop:
        stack.pop_back();
        break;
      case Code::kUnary:
        stack.back() = unary(static_cast<Op>(i.a), stack.back(), i.offset);
        break;
      case Code::kBinary: {
        const Value right = pop();
        stack.back() = binary(static_cast<Op>(i.a), stack.back(), right, i.offset);
        break;
      }
      case Code::kJump:
        at = i.a - 1;
        break;
      case Code::kJumpIfFalse:
        if (!require_bool(stack.back(), i)) at = i.a - 1;
        break;
      case Code::kJumpIfTrue:
        if (require_bool(stack.back(), i)) at = i.a - 1;
        break;
      case Code::kBranch:
        if (!require_bool(pop(), i)) at = i.a - 1;
        break;
      case Code::kJumpIfNil:
        if (stack.back().is(ValueKind::kNil)) at = i.a - 1;
        break;
      case Code::kJumpIfValue:
        if (!stack.back().is(ValueKind::kNil)) at = i.a - 1;
        break;
      case Code::kCheckBool:
        static_cast<void>(require_bool(stack.back(), i));
        break;
      case Code::kMember:
        stack.back() = member(stack.back(), names_[i.a], i.offset);
        break;
      case Code::kElement: {
        const Value key = pop();
        stack.back() = element(stack.back(), key, i.offset);
        break;
      }
      case Code::kMethod:
      case Code::kMethodTyped: {
        const Value& receiver = stack[stack.size() - 1 - i.b];
        const MethodInfo* method = find_method(receiver_of(receiver.kind), names_[i.a]);
        if (method == nullptr)
          throw Error(Phase::kRuntime,
                      i.code == Code::kMethod ? Category::kMemberOfWrongValue : Category::kMethodOnWrongValue, i.offset,
                      std::string(kind_name(receiver.kind)) + " has no method '" + names_[i.a] + "'");
        Value result = expr::call(*method, receiver, last(i.b), clock, i.offset);
        stack.resize(stack.size() - i.b);
        stack.back() = std::move(result);
        break;
      }
      case Code::kCall: {
        Value result = expr::call(static_cast<Builtin>(i.a), last(i.b), clock, i.offset);
        stack.resize(stack.size() - i.b);
        stack.push_back(std::move(result));
        break;
      }
      case Code::kArray:
      case Code::kMap: {
        Value result = i.code == Code::kArray ? array_of(last(i.b), i.offset) : map_of(last(i.b), i.offset);
        stack.resize(stack.size() - i.b);
        stack.push_back(std::move(result));
        break;
      }
    }
  }
  return stack.back();
}

Expression::Expression(std::string source, const Environment& environment) : source_(std::move(source)) {
  tree_ = parse(source_);
  check(tree_, environment);
  type_ = tree_[tree_.root].type;
  Tree folded = tree_;
  fold(folded);
  program_ = std::make_shared<const Program>(folded, folded.root);
}

void Expression::require_number() const {
  if (type_.is(TypeKind::kAny) || type_.is(TypeKind::kInt) || type_.is(TypeKind::kFloat)) return;
  std::string hint;
  if (type_.is(TypeKind::kDuration)) hint = "; '(…).Hours()' would be one";
  throw Error(Phase::kCheck, Category::kResultNotNumber, 0,
              "a priority is a number, and this is " +
                  (type_.is(TypeKind::kNil) ? "nil" : std::string(type_name(type_))) + hint);
}

}  // namespace headroom::expr
