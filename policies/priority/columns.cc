#include "policies/priority/columns.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "policies/priority/error.h"

namespace headroom::expr {
namespace {

constexpr int kBlock = 256;
constexpr int kDeepest = 16;
constexpr std::uint32_t kLocals = 16;
constexpr std::size_t kLongest = 1'000;
/// Up to here a double holds every int.
constexpr double kWholeDoubles = 9007199254740992.0;

using Doubles = Eigen::Array<double, kBlock, 1>;
using Ints = Eigen::Array<std::int64_t, kBlock, 1>;
using Words = Eigen::Array<std::uint64_t, kBlock, 1>;
struct Block {
  Doubles f;
  Ints i;
};

Words words(const Ints& ints) { return ints.cast<std::uint64_t>(); }

template <class A>
auto compare(Op op, const A& a, const A& b) -> Ints {
  switch (op) {
    case Op::kLess:
      return (a < b).template cast<std::int64_t>();
    case Op::kLessEqual:
      return (a <= b).template cast<std::int64_t>();
    case Op::kGreater:
      return (a > b).template cast<std::int64_t>();
    case Op::kGreaterEqual:
      return (a >= b).template cast<std::int64_t>();
    case Op::kEqual:
      return (a == b).template cast<std::int64_t>();
    default:
      return (a != b).template cast<std::int64_t>();
  }
}

/// No column form.
struct Unfit {};

}  // namespace

struct ColumnProgram::Registers {
  std::array<Block, kDeepest + 1> stack;
  std::array<Block, kLocals> locals;
};

class ColumnProgram::Builder {
 public:
  explicit Builder(const Tree& tree) : tree_(tree) {}

  ColumnProgram run() {
    facts_.resize(tree_.nodes.size());
    std::vector<Facts> locals(tree_.locals);
    look_at(tree_.root, locals);
    const Form root = build(tree_.root);
    if (root.type != TypeKind::kFloat && root.type != TypeKind::kInt) throw Unfit{};
    out_.root_is_float_ = root.type == TypeKind::kFloat;
    out_.columns_.resize(out_.parts_.size());
    return std::move(out_);
  }

 private:
  struct Facts {
    bool now = false, stage = false, may_fail = false, mixes = false;
  };
  /// `type`: int, float, bool, duration or time. A float that may be one of the language's ints has `whole` >= 0: no
  /// such int is larger.
  struct Form {
    TypeKind type = TypeKind::kFloat;
    double whole = -1;
    double size = 0;  ///< of an int: none is larger
  };

  Facts look_at(NodeId id, std::vector<Facts>& locals) {
    const Node& node = tree_[id];
    Facts facts;
    const auto local = static_cast<std::size_t>(node.number);
    if (node.kind == NodeKind::kLocal) facts = locals[local];
    if (node.kind == NodeKind::kInput) {
      facts.now = node.number == kQueueLength;
      facts.stage = node.number < kFixedSlots && node.number != kQueueLength;
    }
    if (node.kind == NodeKind::kCall) call(node, facts);
    const bool any = node.type.is(TypeKind::kAny);
    facts.may_fail = facts.may_fail || any || node.kind == NodeKind::kIndex || node.kind == NodeKind::kName;
    if (node.kind == NodeKind::kBinary && node.op == Op::kModulo) {
      const Node& divisor = tree_[node.children[1]];
      facts.may_fail = facts.may_fail || divisor.kind != NodeKind::kInt || divisor.number == 0;
    }
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Facts child = look_at(node.children[i], locals);
      if ((node.kind == NodeKind::kLet && i == 0) || node.kind == NodeKind::kTee) locals[local] = child;
      facts.now |= child.now;
      facts.stage |= child.stage;
      facts.may_fail |= child.may_fail;
      facts.mixes |= child.mixes;
    }
    facts_[id] = facts;
    return facts;
  }
  void call(const Node& node, Facts& facts) const {
    const Builtin builtin = find_builtin(node.text)->builtin;
    facts.now = builtin == Builtin::kNow;
    facts.mixes = builtin == Builtin::kMin || builtin == Builtin::kMax || builtin == Builtin::kSum;
    const auto is_number = [&](std::size_t i) {
      const TypeKind t = tree_[node.children[i]].type.kind;
      return t == TypeKind::kInt || t == TypeKind::kFloat;
    };
    switch (builtin) {
      case Builtin::kNow:
      case Builtin::kLen:
      case Builtin::kString:
      case Builtin::kType:
        break;
      case Builtin::kDuration: {
        const Node& text = tree_[node.children[0]];
        std::int64_t ns = 0;
        facts.may_fail = text.kind != NodeKind::kString || !parse_duration(text.text, ns);
        break;
      }
      case Builtin::kSum:
        facts.may_fail = tree_[node.children[0]].type.element != TypeKind::kInt &&
                         tree_[node.children[0]].type.element != TypeKind::kFloat;
        break;
      default:
        for (std::size_t i = 0; i < node.children.size(); ++i) facts.may_fail = facts.may_fail || !is_number(i);
        if (builtin >= Builtin::kShiftLeft) facts.may_fail = true;
        break;
    }
  }

  void emit(Code code, int change, std::uint32_t index = 0, std::int64_t number = 0, Op op = Op::kLess) {
    depth_ += change;
    if (depth_ > kDeepest || out_.code_.size() > kLongest) throw Unfit{};
    out_.code_.push_back({code, op, index, number});
  }

  /// Of a stage, or of a pass: a part that the scalar machine computes.
  Form part(NodeId id, bool global) {
    const Node& node = tree_[id];
    const Facts facts = facts_[id];
    const TypeKind type = node.type.kind;
    if (facts.may_fail || (facts.mixes && (type == TypeKind::kInt || type == TypeKind::kDuration))) throw Unfit{};
    if (type != TypeKind::kInt && type != TypeKind::kFloat && type != TypeKind::kBool && type != TypeKind::kDuration &&
        type != TypeKind::kTime)
      throw Unfit{};
    if (type == TypeKind::kDuration && has_float_product(id)) throw Unfit{};
    std::vector<std::uint8_t> known(tree_.locals, 0);
    for (const auto& [local, value] : lets_) known[local] = 1;
    if (!knows_locals(tree_, id, known)) throw Unfit{};
    auto& parts = global ? out_.globals_ : out_.parts_;
    for (const auto& [local, value] : lets_)
      if (facts_[value].may_fail || (global && facts_[value].stage) || (!global && facts_[value].now)) throw Unfit{};
    parts.push_back({Program(tree_, id, lets_), type == TypeKind::kFloat, type == TypeKind::kTime});
    size_ += parts.back().program.size();
    if (size_ > kLongest) throw Unfit{};
    emit(global ? Code::kGlobal : Code::kColumn, 1, static_cast<std::uint32_t>(parts.size() - 1));
    Form form;
    form.type = type;
    if (facts.mixes && type == TypeKind::kFloat) {
      // It may come out as an int after all: min(0.5, workflow.priority).
      form.whole = largest_int(id);
      if (form.whole > kWholeDoubles) throw Unfit{};
    }
    form.size = node.kind == NodeKind::kInt ? std::fabs(static_cast<double>(node.number))
                : node.kind == NodeKind::kInput && node.number != kStageMemory ? 2.2e9
                                                                               : 9.3e18;
    return form;
  }
  /// No int that a part may be, or that it is made of, is larger.
  double largest_int(NodeId id) const {
    const Node& node = tree_[id];
    double children = 0;
    double product = 1;
    for (const NodeId child : node.children) {
      const double one = largest_int(child);
      children += one;
      product *= std::max(1.0, one);
    }
    switch (node.kind) {
      case NodeKind::kInt:
        return std::fabs(static_cast<double>(node.number));
      case NodeKind::kInput:
        return node.number == kStageMemory || node.number >= kFixedSlots ? 9.3e18 : 2.2e9;
      case NodeKind::kLocal:
        return 9.3e18;
      case NodeKind::kBinary:
        return node.op == Op::kMultiply ? product : children;
      default:
        return children;
    }
  }
  /// A duration times a float is typed a duration and is none.
  bool has_float_product(NodeId id) const {
    const Node& node = tree_[id];
    if (node.kind == NodeKind::kBinary && node.op == Op::kMultiply && node.type.is(TypeKind::kDuration) &&
        (tree_[node.children[0]].type.is(TypeKind::kFloat) || tree_[node.children[1]].type.is(TypeKind::kFloat)))
      return true;
    return std::ranges::any_of(node.children, [&](NodeId child) { return has_float_product(child); });
  }

  Form build(NodeId id) {
    const Facts facts = facts_[id];
    if (!facts.now) return part(id, false);
    const Node& node = tree_[id];
    const bool is_now = node.kind == NodeKind::kCall && find_builtin(node.text)->builtin == Builtin::kNow;
    if (is_now) {
      emit(Code::kNow, 1);
      return {TypeKind::kTime, -1, 0};
    }
    if (!facts.stage && node.kind != NodeKind::kLocal && node.kind != NodeKind::kLet) return part(id, true);
    switch (node.kind) {
      case NodeKind::kLocal: {
        const auto local = static_cast<std::size_t>(node.number);
        if (forms_.size() <= local || !forms_[local]) throw Unfit{};
        emit(Code::kLoad, 1, static_cast<std::uint32_t>(local));
        return *forms_[local];
      }
      case NodeKind::kLet:
      case NodeKind::kTee:
        return store(node);
      case NodeKind::kUnary:
        return unary(node);
      case NodeKind::kBinary:
        return binary(node);
      case NodeKind::kConditional: {
        build(node.children[0]);
        Form a = build(node.children[1]);
        Form b = build(node.children[2]);
        const Form form = unite(a, b);
        emit(form.type == TypeKind::kFloat ? Code::kChooseF : Code::kChooseI, -2);
        return form;
      }
      case NodeKind::kMethod:
        return method(node);
      case NodeKind::kCall:
        return function(node);
      default:
        throw Unfit{};
    }
  }

  Form store(const Node& node) {
    const auto local = static_cast<std::size_t>(node.number);
    if (local >= kLocals) throw Unfit{};
    if (forms_.size() <= local) forms_.resize(local + 1);
    if (node.kind == NodeKind::kLet && !facts_[node.children[0]].now) {
      lets_.push_back({static_cast<std::uint32_t>(local), node.children[0]});
      const Form rest = build(node.children[1]);
      lets_.pop_back();
      return rest;
    }
    forms_[local] = build(node.children[0]);
    emit(Code::kStore, 0, static_cast<std::uint32_t>(local));
    if (node.kind == NodeKind::kTee) return *forms_[local];
    const Form rest = build(node.children[1]);
    emit(Code::kPop, -1);
    return rest;
  }

  /// Makes both one type; the two topmost registers hold them. Number 0: below the top.
  Form unite(Form a, Form b) {
    if (a.type == b.type) {
      Form form = a;
      form.size = std::max(a.size, b.size);
      form.whole = std::max(a.whole, b.whole);
      return form;
    }
    const bool numbers = is_number(a) && is_number(b);
    if (!numbers) throw Unfit{};
    const double whole = a.type == TypeKind::kInt ? a.size : b.size;
    if (whole > kWholeDoubles) throw Unfit{};
    emit(Code::kToFloat, 0, a.type == TypeKind::kInt ? 1 : 0);
    return {TypeKind::kFloat, std::max({whole, a.whole, b.whole}), 0};
  }
  static bool is_number(const Form& form) { return form.type == TypeKind::kInt || form.type == TypeKind::kFloat; }
  /// A float, or an int as one, in the register `below` the top.
  void to_float(const Form& form, std::uint32_t below) {
    if (form.type == TypeKind::kInt) emit(Code::kToFloat, 0, below);
  }

  Form unary(const Node& node) {
    Form form = build(node.children[0]);
    if (node.op == Op::kPlus) return form;
    if (node.op == Op::kNot) {
      emit(Code::kNot, 0);
      return form;
    }
    if (form.whole >= 0) throw Unfit{};  // the negative of an int 0 is 0, of a float 0 it is -0
    emit(form.type == TypeKind::kFloat ? Code::kNegateF : Code::kNegateI, 0);
    return form;
  }

  Form binary(const Node& node) {
    const Form a = build(node.children[0]);
    const Form b = build(node.children[1]);
    switch (node.op) {
      case Op::kAnd:
      case Op::kOr:
        emit(node.op == Op::kAnd ? Code::kAnd : Code::kOr, -1);
        return {TypeKind::kBool, -1, 1};
      case Op::kAdd:
      case Op::kSubtract:
        return sum(node, a, b);
      case Op::kMultiply:
        return product(a, b);
      case Op::kDivide:
      case Op::kPower:
        if (!is_number(a) || !is_number(b)) throw Unfit{};
        to_float(a, 1);
        to_float(b, 0);
        emit(node.op == Op::kDivide ? Code::kDivide : Code::kPower, -1);
        return {TypeKind::kFloat, -1, 0};
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
      case Op::kEqual:
      case Op::kNotEqual: {
        const bool ints = a.type == b.type && a.type != TypeKind::kFloat;
        if (!ints) {
          if (!is_number(a) || !is_number(b)) throw Unfit{};
          to_float(a, 1);
          to_float(b, 0);
        }
        emit(ints ? Code::kCompareI : Code::kCompareF, -1, 0, 0, node.op);
        return {TypeKind::kBool, -1, 1};
      }
      default:
        throw Unfit{};
    }
  }
  Form sum(const Node& node, const Form& a, const Form& b) {
    const bool plus = node.op == Op::kAdd;
    if (is_number(a) && is_number(b)) {
      if (a.type == TypeKind::kInt && b.type == TypeKind::kInt) {
        emit(plus ? Code::kAddI : Code::kSubtractI, -1);
        return {TypeKind::kInt, -1, a.size + b.size};
      }
      to_float(a, 1);
      to_float(b, 0);
      emit(plus ? Code::kAddF : Code::kSubtractF, -1);
      // Only if both may be ints can the sum be one.
      const double x = a.type == TypeKind::kInt ? a.size : a.whole;
      const double y = b.type == TypeKind::kInt ? b.size : b.whole;
      const double whole = x >= 0 && y >= 0 ? x + y : -1;
      if (whole > kWholeDoubles) throw Unfit{};
      return {TypeKind::kFloat, whole, 0};
    }
    emit(plus ? Code::kAddI : Code::kSubtractI, -1);
    return {node.type.kind, -1, 9.3e18};
  }
  Form product(const Form& a, const Form& b) {
    const bool ints = a.type != TypeKind::kFloat && b.type != TypeKind::kFloat;
    if (ints) {
      emit(Code::kMultiplyI, -1);
      const bool duration = a.type == TypeKind::kDuration || b.type == TypeKind::kDuration;
      return {duration ? TypeKind::kDuration : TypeKind::kInt, -1, a.size * b.size};
    }
    if (!is_number(a) || !is_number(b)) throw Unfit{};
    // An int 0 times -1 is 0, a float 0 times -1 is -0.
    const auto may_be_int = [](const Form& f) { return f.type == TypeKind::kInt || f.whole >= 0; };
    if (may_be_int(a) && may_be_int(b)) throw Unfit{};
    to_float(a, 1);
    to_float(b, 0);
    emit(Code::kMultiplyF, -1);
    return {TypeKind::kFloat, -1, 0};
  }

  Form function(const Node& node) {
    switch (find_builtin(node.text)->builtin) {
      case Builtin::kMin:
      case Builtin::kMax: {
        const bool min = node.text == "min";
        Form best = build(node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i) {
          best = unite(best, build(node.children[i]));
          if (best.type == TypeKind::kFloat)
            emit(min ? Code::kMinF : Code::kMaxF, -1);
          else
            emit(min ? Code::kMinI : Code::kMaxI, -1);
        }
        if (!is_number(best) && best.type != TypeKind::kDuration) throw Unfit{};
        return best;
      }
      case Builtin::kAbs: {
        const Form form = build(node.children[0]);
        if (!is_number(form)) throw Unfit{};
        emit(form.type == TypeKind::kFloat ? Code::kAbsF : Code::kAbsI, 0);
        return form;
      }
      case Builtin::kCeil:
      case Builtin::kFloor:
      case Builtin::kRound:
      case Builtin::kFloat: {
        const Form form = build(node.children[0]);
        if (!is_number(form)) throw Unfit{};
        to_float(form, 0);
        if (node.text != "float")
          emit(node.text == "ceil" ? Code::kCeil : node.text == "floor" ? Code::kFloor : Code::kRound, 0);
        return {TypeKind::kFloat, -1, 0};
      }
      default:
        throw Unfit{};
    }
  }

  Form method(const Node& node) {
    const MethodInfo* info = find_method(tree_[node.children[0]].type.kind, node.text);
    if (info == nullptr) throw Unfit{};
    const Form form = build(node.children[0]);
    if (form.type != TypeKind::kDuration) throw Unfit{};
    switch (info->method) {
      case Method::kHours:
        emit(Code::kHours, 0);
        return {TypeKind::kFloat, -1, 0};
      case Method::kMinutes:
        emit(Code::kMinutes, 0);
        return {TypeKind::kFloat, -1, 0};
      case Method::kSeconds:
        emit(Code::kSeconds, 0);
        return {TypeKind::kFloat, -1, 0};
      case Method::kMilliseconds:
        emit(Code::kQuotientI, 0, 0, 1'000'000);
        return {TypeKind::kInt, -1, 9.3e12};
      case Method::kMicroseconds:
        emit(Code::kQuotientI, 0, 0, 1'000);
        return {TypeKind::kInt, -1, 9.3e15};
      case Method::kNanoseconds:
        return {TypeKind::kInt, -1, 9.3e18};
      default:
        throw Unfit{};
    }
  }

  const Tree& tree_;
  std::vector<Facts> facts_;
  std::vector<std::optional<Form>> forms_;
  Lets lets_;
  std::size_t size_ = 0;
  int depth_ = 0;
  ColumnProgram out_;
};

std::optional<ColumnProgram> ColumnProgram::build(const Tree& tree) {
  try {
    return Builder(tree).run();
  } catch (const Unfit&) {
    return std::nullopt;
  }
}

ColumnProgram::Cell ColumnProgram::cell_of(const Part& part, const Value& value, Instant epoch) {
  Cell cell{0};
  if (part.is_float)
    cell.f = value.as_double();
  else
    cell.i = part.is_time ? value.instant().minus(epoch) : value.i;
  return cell;
}

void ColumnProgram::prepare(std::uint32_t row, std::span<const Value> inputs, Instant epoch) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (columns_[k].size() <= row)
      columns_[k].resize(std::max<std::size_t>(row + std::size_t{1}, columns_[k].size() * 2));
    columns_[k][row] = cell_of(parts_[k], parts_[k].program.run(inputs, {}), epoch);
  }
}

void ColumnProgram::run(std::span<const std::uint32_t> rows, std::span<const Value> inputs, const Clock& clock,
                        Instant epoch, std::span<double> into) const {
  std::vector<Cell> globals;
  for (const Part& part : globals_) globals.push_back(cell_of(part, part.program.run(inputs, clock), epoch));
  const std::int64_t now = clock.now.minus(epoch);
  if (registers_ == nullptr) registers_ = std::make_shared<Registers>();
  Registers* const registers = registers_.get();
  auto& stack = registers->stack;
  const auto convert = [](Block& block, auto function) {
    for (int k = 0; k < kBlock; ++k) block.f[k] = function(block.i[k]);
  };
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const auto count = static_cast<int>(std::min<std::size_t>(kBlock, rows.size() - first));
    std::size_t top = 0;
    for (const Instruction& i : code_) {
      Block* const b = top >= 1 ? &stack[top - 1] : nullptr;
      Block* const a = top >= 2 ? &stack[top - 2] : nullptr;
      switch (i.code) {
        case Code::kColumn: {
          Block& block = stack[top++];
          const std::vector<Cell>& column = columns_[i.index];
          if (parts_[i.index].is_float) {
            for (int k = 0; k < count; ++k) block.f[k] = column[rows[first + static_cast<std::size_t>(k)]].f;
            for (int k = count; k < kBlock; ++k) block.f[k] = 0;
          } else {
            for (int k = 0; k < count; ++k) block.i[k] = column[rows[first + static_cast<std::size_t>(k)]].i;
            for (int k = count; k < kBlock; ++k) block.i[k] = 0;
          }
          break;
        }
        case Code::kGlobal:
          if (globals_[i.index].is_float)
            stack[top++].f.setConstant(globals[i.index].f);
          else
            stack[top++].i.setConstant(globals[i.index].i);
          break;
        case Code::kNow:
          stack[top++].i.setConstant(now);
          break;
        case Code::kToFloat: {
          Block& block = stack[top - 1 - i.index];
          block.f = block.i.cast<double>();
          break;
        }
        case Code::kAddF:
          a->f += b->f;
          --top;
          break;
        case Code::kSubtractF:
          a->f -= b->f;
          --top;
          break;
        case Code::kMultiplyF:
          a->f *= b->f;
          --top;
          break;
        case Code::kDivide:
          a->f /= b->f;
          --top;
          break;
        case Code::kPower:
          for (int k = 0; k < count; ++k) a->f[k] = power(a->f[k], b->f[k]);
          --top;
          break;
        case Code::kMinF:
          a->f = (b->f < a->f).select(b->f, a->f);
          --top;
          break;
        case Code::kMaxF:
          a->f = (b->f > a->f).select(b->f, a->f);
          --top;
          break;
        case Code::kNegateF:
          b->f = -b->f;
          break;
        case Code::kAbsF:
          b->f = b->f.abs();
          break;
        case Code::kCeil:
          for (int k = 0; k < kBlock; ++k) b->f[k] = std::ceil(b->f[k]);
          break;
        case Code::kFloor:
          for (int k = 0; k < kBlock; ++k) b->f[k] = std::floor(b->f[k]);
          break;
        case Code::kRound:
          for (int k = 0; k < kBlock; ++k) b->f[k] = std::round(b->f[k]);
          break;
        case Code::kCompareF:
          a->i = compare(i.op, a->f, b->f);
          --top;
          break;
        case Code::kCompareI:
          a->i = compare(i.op, a->i, b->i);
          --top;
          break;
        case Code::kChooseF: {
          Block& test = stack[top - 3];
          test.f = (test.i != 0).select(a->f, b->f);
          top -= 2;
          break;
        }
        case Code::kChooseI: {
          Block& test = stack[top - 3];
          test.i = (test.i != 0).select(a->i, b->i);
          top -= 2;
          break;
        }
        case Code::kAddI:
          a->i = (words(a->i) + words(b->i)).cast<std::int64_t>();
          --top;
          break;
        case Code::kSubtractI:
          a->i = (words(a->i) - words(b->i)).cast<std::int64_t>();
          --top;
          break;
        case Code::kMultiplyI:
          a->i = (words(a->i) * words(b->i)).cast<std::int64_t>();
          --top;
          break;
        case Code::kMinI:
          a->i = (b->i < a->i).select(b->i, a->i);
          --top;
          break;
        case Code::kMaxI:
          a->i = (b->i > a->i).select(b->i, a->i);
          --top;
          break;
        case Code::kNegateI:
          for (int k = 0; k < kBlock; ++k) b->i[k] = wrap_subtract(0, b->i[k]);
          break;
        case Code::kAbsI:
          for (int k = 0; k < kBlock; ++k) b->i[k] = b->i[k] < 0 ? wrap_subtract(0, b->i[k]) : b->i[k];
          break;
        case Code::kQuotientI:
          b->i /= i.number;
          break;
        case Code::kHours:
          convert(*b, hours_of);
          break;
        case Code::kMinutes:
          convert(*b, minutes_of);
          break;
        case Code::kSeconds:
          convert(*b, seconds_of);
          break;
        case Code::kAnd:
          a->i = ((a->i != 0) && (b->i != 0)).cast<std::int64_t>();
          --top;
          break;
        case Code::kOr:
          a->i = ((a->i != 0) || (b->i != 0)).cast<std::int64_t>();
          --top;
          break;
        case Code::kNot:
          b->i = (b->i == 0).cast<std::int64_t>();
          break;
        case Code::kStore:
          registers->locals[i.index] = *b;
          break;
        case Code::kLoad:
          stack[top++] = registers->locals[i.index];
          break;
        case Code::kPop:
          *a = *b;
          --top;
          break;
      }
    }
    for (int k = 0; k < count; ++k)
      into[first + static_cast<std::size_t>(k)] = root_is_float_ ? stack[0].f[k] : static_cast<double>(stack[0].i[k]);
  }
}

}  // namespace headroom::expr
