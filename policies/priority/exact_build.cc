// A checked tree to exact code: denominators, bounds of magnitude and slopes are worked out here, once.
#include <algorithm>
#include <array>
#include <cmath>

#include "policies/priority/error.h"
#include "policies/priority/exact.h"
#include "policies/priority/inputs.h"

namespace headroom::expr {
namespace {

constexpr int kOpaqueBits = 36;
constexpr long double kTimes = 9.3e18L;  // no time or duration is larger, in ns
constexpr long double kLargestOpaque = 1.8e13L * static_cast<long double>(std::int64_t{1} << kOpaqueBits);  // 2^44
const long double kLimit = std::ldexp(1.0L, ExactProgram::kBits);

/// No exact form. `text`: because of what; empty: of something that only an opaque double can be.
struct NotExact {
  std::string text;
};

Int128 gcd(Int128 a, Int128 b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// 0.1 as 1/10. False if it takes more digits than that is worth.
bool decimal(const std::string& text, Int128& numerator, Int128& denominator) {
  numerator = 0;
  denominator = 1;
  int digits = 0;
  int scale = 0;
  bool after_point = false;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != 'e'; ++i) {
    if (text[i] == '.') {
      after_point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9' || ++digits > 18) return false;
    numerator = numerator * 10 + (text[i] - '0');
    if (after_point) ++scale;
  }
  if (i < text.size()) scale -= std::atoi(text.c_str() + i + 1);
  if (scale > 18 || scale < -18) return false;
  for (; scale > 0; --scale) denominator *= 10;
  for (; scale < 0; ++scale) numerator *= 10;
  const Int128 g = std::max<Int128>(1, gcd(numerator, denominator));
  numerator /= g;
  denominator /= g;
  return true;
}

/// "24", "0.5", "-3.25": a fraction for people.
std::string text_of(Int128 numerator, Int128 denominator) {
  return float_text(static_cast<double>(static_cast<long double>(numerator) / static_cast<long double>(denominator)));
}

}  // namespace

class ExactProgram::Builder {
 public:
  Builder(const Tree& tree, std::span<const Value> params) : tree_(tree), params_(params) {}

  ExactProgram run() {
    find_now(tree_.root);
    Form root = build(tree_.root);
    if (!is_number(root.type)) throw NotExact{"no number"};
    out_.denominator_ = root.denominator;
    if (root.slope && !root.breaks) {
      out_.common_slope_ = root.slope;
      why_.clear();
    }
    out_.why_ = why_.empty() && !out_.common_slope_ ? "the rate differs between stages" : why_;
    return std::move(out_);
  }

 private:
  /// What is known of a part.
  struct Form {
    TypeKind type = TypeKind::kFloat;
    Int128 denominator = 1;
    long double size = 0;             ///< no numerator is larger, at any time
    std::optional<Int128> slope = 0;  ///< numerator, if it is the same for every stage
    bool moves = false;               ///< depends on now()
    bool breaks = false;              ///< has several lines
    std::optional<Int128> constant;   ///< numerator, of a literal
    bool is_age = false;              ///< now() - …, for the wording
  };
  struct Saved {
    std::size_t code, opaque;
    int depth;
  };

  static bool is_number(TypeKind type) { return type == TypeKind::kInt || type == TypeKind::kFloat; }
  static double unit(const Form& form) { return 1.0 / static_cast<double>(form.denominator); }

  // ---- which parts depend on now()

  void find_now(NodeId root) {
    moves_.assign(tree_.nodes.size(), 0);
    std::vector<std::uint8_t> locals(tree_.locals, 0);
    find_now(root, locals);
  }
  bool find_now(NodeId id, std::vector<std::uint8_t>& locals) {
    const Node& node = tree_[id];
    bool moves = node.kind == NodeKind::kCall && find_builtin(node.text)->builtin == Builtin::kNow;
    if (node.kind == NodeKind::kInput && node.number == kQueueLength) moves = true;
    if (node.kind == NodeKind::kLocal) moves = locals[static_cast<std::size_t>(node.number)] != 0;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const bool child = find_now(node.children[i], locals);
      if ((node.kind == NodeKind::kLet && i == 0) || node.kind == NodeKind::kTee)
        locals[static_cast<std::size_t>(node.number)] = child ? 1 : 0;
      moves = moves || (child && !(node.kind == NodeKind::kLet && i == 0) &&
                        !(node.kind == NodeKind::kSequence && i + 1 < node.children.size()));
    }
    moves_[id] = moves ? 1 : 0;
    return moves;
  }

  // ---- code

  Instruction& emit(Code code, int change) {
    depth_ += change;
    if (depth_ > kDeepest || out_.code_.size() > kLongest) throw NotExact{"an expression of this size"};
    out_.code_.push_back({});
    out_.code_.back().code = code;
    return out_.code_.back();
  }
  static void bounded(long double size) {
    if (size >= kLimit) throw NotExact{"numbers of this size"};
  }
  /// Makes a form's numerators `factor` times as large.
  static void scale(Form& form, Int128 factor) {
    form.size *= std::fabs(static_cast<long double>(factor));
    bounded(form.size);
    if (form.slope) *form.slope *= factor;
    if (form.constant) *form.constant *= factor;
  }
  static void set_denominator(Form& form, Int128 denominator) {
    if (static_cast<long double>(denominator) > 1e30L) throw NotExact{"fractions of this size"};
    form.denominator = denominator;
  }
  /// The factors that give both the same denominator, applied to the forms.
  static void align(Instruction& i, Form& a, Form& b) {
    const Int128 g = gcd(a.denominator, b.denominator);
    i.left_unit = unit(a);
    i.right_unit = unit(b);
    i.first = b.denominator / g;
    i.second = a.denominator / g;
    if (static_cast<long double>(a.denominator) * static_cast<long double>(i.first) > 1e30L)
      throw NotExact{"fractions of this size"};
    const Int128 common = a.denominator * i.first;
    scale(a, i.first);
    scale(b, i.second);
    a.denominator = b.denominator = common;
  }

  Form literal(Int128 numerator, Int128 denominator, TypeKind type) {
    emit(Code::kLiteral, 1).first = numerator;
    Form form;
    form.type = type;
    form.denominator = denominator;
    form.size = std::fabs(static_cast<long double>(numerator)) + 1;
    form.constant = numerator;
    return form;
  }

  Form build(NodeId id) {
    if (moves_[id] != 0) return exact(id);
    const Saved saved{out_.code_.size(), out_.opaque_.size(), depth_};
    try {
      Form form = exact(id);
      // An int that could wrap is what it wraps to.
      if (form.type != TypeKind::kInt || form.size / static_cast<long double>(form.denominator) < kTimes) return form;
    } catch (const NotExact&) {
    }
    out_.code_.resize(saved.code);
    out_.opaque_.erase(out_.opaque_.begin() + static_cast<std::ptrdiff_t>(saved.opaque), out_.opaque_.end());
    depth_ = saved.depth;
    return opaque(id);
  }

  Form opaque(NodeId id) {
    const Node& node = tree_[id];
    const TypeKind type = node.type.kind;
    if (!is_number(type) && type != TypeKind::kBool && type != TypeKind::kAny && type != TypeKind::kDuration)
      throw NotExact{"a " + std::string(type_name(node.type))};
    if (!knows_outer_locals(id)) throw NotExact{"a variable inside of what has no exact value"};
    const bool whole = type == TypeKind::kDuration || (type == TypeKind::kInt && !mixes_numbers(id));
    out_.opaque_.push_back({Program(tree_, id, uses_locals(id) ? lets_ : Lets{}), type == TypeKind::kBool, whole});
    opaque_size_ += out_.opaque_.back().program.size();
    if (opaque_size_ > kLongest) throw NotExact{"an expression of this size"};
    emit(Code::kOpaque, 1).index = static_cast<std::uint32_t>(out_.opaque_.size() - 1);
    Form form;
    form.type = type == TypeKind::kAny ? TypeKind::kFloat : type;
    form.size = type == TypeKind::kBool ? 1 : whole ? kTimes : kLargestOpaque * 2;
    if (whole && node.kind == NodeKind::kBinary && node.op == Op::kModulo &&
        tree_[node.children[1]].kind == NodeKind::kInt)
      form.size = std::fabs(static_cast<long double>(tree_[node.children[1]].number));
    form.denominator = type == TypeKind::kBool || whole ? 1 : Int128{1} << kOpaqueBits;
    if (type == TypeKind::kInt && !whole) form.type = TypeKind::kFloat;
    return form;
  }
  /// Could a float come out of what is called an int? min(1, 0.5) is one.
  bool mixes_numbers(NodeId id) const {
    const Node& node = tree_[id];
    if (node.kind == NodeKind::kLocal) return true;
    if (node.kind == NodeKind::kCall && (node.text == "min" || node.text == "max" || node.text == "sum")) return true;
    return std::ranges::any_of(node.children, [&](NodeId child) { return mixes_numbers(child); });
  }
  bool uses_locals(NodeId id) const {
    const Node& node = tree_[id];
    return node.kind == NodeKind::kLocal ||
           std::ranges::any_of(node.children, [&](NodeId child) { return uses_locals(child); });
  }
  /// Are all variables of a part declared in it, or above it without now()?
  [[nodiscard]] bool knows_outer_locals(NodeId id) const {
    std::vector<std::uint8_t> known(tree_.locals, 0);
    for (const auto& [local, value] : lets_) known[local] = 1;
    return knows_locals(tree_, id, known);
  }
  Form exact(NodeId id) {
    const Node& node = tree_[id];
    switch (node.kind) {
      case NodeKind::kInt:
        return literal(node.number, 1, TypeKind::kInt);
      case NodeKind::kFloat: {
        Int128 numerator = 0, denominator = 1;
        if (!decimal(node.text, numerator, denominator)) throw NotExact{"numbers of this size"};
        return literal(numerator, denominator, TypeKind::kFloat);
      }
      case NodeKind::kBool: {
        Form form = literal(node.number, 1, TypeKind::kBool);
        form.constant.reset();
        return form;
      }
      case NodeKind::kInput:
        return input(node);
      case NodeKind::kLocal:
        return load(node);
      case NodeKind::kTee:
      case NodeKind::kLet:
        return store(node);
      case NodeKind::kSequence:
        return build(node.children.back());
      case NodeKind::kUnary:
        return unary(node);
      case NodeKind::kBinary:
        return binary(node);
      case NodeKind::kConditional:
        return conditional(node);
      case NodeKind::kMethod:
        return method(node);
      case NodeKind::kCall:
        return call(node);
      case NodeKind::kChain:
        return build(node.children[0]);
      default:
        throw NotExact{"what is computed from now() here"};
    }
  }

  Form input(const Node& node) {
    if (node.number == kQueueLength) throw NotExact{"queue.length, which changes with every pass"};
    if (node.number >= kFixedSlots) return param(params_[static_cast<std::size_t>(node.number - kFixedSlots)], node);
    const TypeKind type = node.type.kind;
    if (type != TypeKind::kInt && type != TypeKind::kDuration && type != TypeKind::kTime) throw NotExact{""};
    emit(Code::kInput, 1).index = static_cast<std::uint32_t>(node.number);
    Form form;
    form.type = type;
    // Priorities have 32 bits; cores, gpus and attempts have no more; memory is in bytes.
    form.size = type != TypeKind::kInt ? kTimes : node.number == kStageMemory ? 1.2e18L : 2.2e9L;
    return form;
  }
  Form param(const Value& value, const Node& node) {
    Int128 numerator = value.i, denominator = 1;
    if (value.is(ValueKind::kFloat)) {
      std::string digits = float_text(std::fabs(value.f));
      if (!decimal(digits, numerator, denominator)) throw NotExact{"numbers of this size"};
      if (value.f < 0) numerator = -numerator;
    }
    return literal(numerator, denominator, node.type.kind);
  }

  // ---- variables

  Form load(const Node& node) {
    const auto local = static_cast<std::size_t>(node.number);
    if (forms_.size() <= local || !forms_[local]) throw NotExact{""};
    emit(Code::kLoad, 1).index = static_cast<std::uint32_t>(local);
    return *forms_[local];
  }
  Form store(const Node& node) {
    const auto local = static_cast<std::size_t>(node.number);
    if (forms_.size() <= local) forms_.resize(local + 1);
    const Saved saved{out_.code_.size(), out_.opaque_.size(), depth_};
    try {
      const Form value = build(node.children[0]);
      forms_[local] = value;
    } catch (const NotExact&) {
      // A variable without a form is an error only where it is used.
      if (node.kind == NodeKind::kTee || moves_[node.children[0]] != 0) throw;
      out_.code_.resize(saved.code);
      out_.opaque_.erase(out_.opaque_.begin() + static_cast<std::ptrdiff_t>(saved.opaque), out_.opaque_.end());
      depth_ = saved.depth;
      forms_[local].reset();
      lets_.push_back({static_cast<std::uint32_t>(local), node.children[0]});
      const Form rest = build(node.children[1]);
      lets_.pop_back();
      return rest;
    }
    out_.locals_ = std::max(out_.locals_, static_cast<std::uint32_t>(local) + 1);
    if (local >= kLocals) throw NotExact{"an expression of this size"};
    emit(Code::kStore, 0).index = static_cast<std::uint32_t>(local);
    if (node.kind == NodeKind::kTee) return *forms_[local];
    const bool still = moves_[node.children[0]] == 0;
    if (still) lets_.push_back({static_cast<std::uint32_t>(local), node.children[0]});
    const Form rest = build(node.children[1]);
    if (still) lets_.pop_back();
    emit(Code::kPop, -1);
    return rest;
  }

  // ---- operators

  Form unary(const Node& node) {
    Form form = build(node.children[0]);
    if (node.op == Op::kPlus) return form;
    if (node.op == Op::kNot) {
      emit(Code::kNot, 0);
      return form;
    }
    emit(Code::kScale, 0).first = -1;
    scale(form, -1);
    form.is_age = false;
    return form;
  }

  Form binary(const Node& node) {
    if (node.op == Op::kPower) throw NotExact{"** of now()"};
    if (node.op == Op::kModulo) throw NotExact{"% of now()"};
    Form a = build(node.children[0]);
    if (node.op == Op::kCoalesce) return a;  // a number is never nil
    const std::size_t second = out_.code_.size();
    Form b = build(node.children[1]);
    switch (node.op) {
      case Op::kAdd:
      case Op::kSubtract:
        return sum(node, a, b);
      case Op::kMultiply:
        return product(node, a, b, second);
      case Op::kDivide:
        return quotient(a, b, second);
      case Op::kAnd:
      case Op::kOr: {
        emit(node.op == Op::kAnd ? Code::kAnd : Code::kOr, -1);
        return truth(a, b);
      }
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
        return comparison(node, a, b);
      default:
        throw NotExact{quoted(op_text(node.op)) + " of now()"};
    }
  }

  Form sum(const Node& node, Form a, Form b) {
    Instruction& i = emit(node.op == Op::kAdd ? Code::kAdd : Code::kSubtract, -1);
    align(i, a, b);
    Form form;
    form.type = node.type.kind;
    form.denominator = a.denominator;
    form.size = a.size + b.size;
    // Times cancel: an age is no larger than a time.
    if (node.type.is(TypeKind::kDuration) && a.type == TypeKind::kTime) form.size = kTimes;
    bounded(form.size);
    const bool minus = node.op == Op::kSubtract;
    form.slope = a.slope && b.slope ? std::optional(minus ? *a.slope - *b.slope : *a.slope + *b.slope) : std::nullopt;
    if (a.constant && b.constant) form.constant = minus ? *a.constant - *b.constant : *a.constant + *b.constant;
    form.moves = a.moves || b.moves;
    form.breaks = a.breaks || b.breaks;
    form.is_age = minus && a.type == TypeKind::kTime && a.moves && b.type == TypeKind::kTime && !b.moves;
    no_wrap(form);
    return form;
  }
  /// Integers wrap at 64 bits and lines do not.
  static void no_wrap(const Form& form) {
    if (form.type == TypeKind::kInt && form.size / static_cast<long double>(form.denominator) > kTimes)
      throw NotExact{"integers that can leave 64 bits"};
  }

  /// Times p/q.
  Form scaled(Form form, Int128 p, Int128 q, TypeKind type) {
    if (q < 0) {
      p = -p;
      q = -q;
    }
    const Int128 common = gcd(p, q);
    p /= common;
    q /= common;
    const Int128 h = std::max<Int128>(1, gcd(p, form.denominator));
    if (static_cast<long double>(form.denominator / h) * static_cast<long double>(q) > 1e30L)
      throw NotExact{"fractions of this size"};
    emit(Code::kScale, 0).first = p / h;
    scale(form, p / h);
    form.denominator = form.denominator / h * q;
    form.type = type;
    no_wrap(form);
    return form;
  }
  void drop_below() { emit(Code::kPop, -1); }

  /// Takes the code of the second operand back: its value is known here.
  void take_back(std::size_t second) {
    out_.code_.resize(second);
    --depth_;
  }

  Form product(const Node& node, const Form& a, const Form& b, std::size_t second) {
    const TypeKind type = node.type.kind;
    if (a.moves && b.moves) throw NotExact{"a product of two terms in now()"};
    if (b.constant && *b.constant != 0) {
      take_back(second);
      return scaled(a, *b.constant, b.denominator, type);
    }
    if (a.constant && *a.constant != 0) {
      drop_below();
      return scaled(b, *a.constant, a.denominator, type);
    }
    Instruction& i = emit(Code::kMultiply, -1);
    i.left_unit = unit(a);
    i.right_unit = unit(b);
    Form form;
    form.type = type;
    form.size = a.size * b.size;
    bounded(form.size);
    if (static_cast<long double>(a.denominator) * static_cast<long double>(b.denominator) > 1e30L)
      throw NotExact{"fractions of this size"};
    form.denominator = a.denominator * b.denominator;
    form.moves = a.moves || b.moves;
    form.breaks = a.breaks || b.breaks;
    if (form.moves) form.slope.reset();
    if (form.moves && why_.empty()) why_ = "the rate differs between stages";
    no_wrap(form);
    return form;
  }

  Form quotient(const Form& a, const Form& b, std::size_t second) {
    if (b.moves) throw NotExact{"a division by a term in now()"};
    if (!b.constant) throw NotExact{"a division by what differs between stages"};
    if (*b.constant == 0) throw NotExact{"a division by zero"};
    take_back(second);
    return scaled(a, b.denominator, *b.constant, TypeKind::kFloat);
  }

  static Form truth(const Form& a, const Form& b) {
    Form form;
    form.type = TypeKind::kBool;
    form.size = 1;
    form.moves = a.moves || b.moves;
    form.breaks = a.breaks || b.breaks || form.moves;
    return form;
  }
  Form comparison(const Node& node, Form a, Form b) {
    const auto is_ordered = [](TypeKind t) { return is_number(t) || t == TypeKind::kDuration || t == TypeKind::kTime; };
    if (!is_ordered(a.type) || !is_ordered(b.type)) throw NotExact{""};
    Instruction& i = emit(Code::kCompare, -1);
    i.op = node.op;
    align(i, a, b);
    bounded(a.size + b.size);
    return truth(a, b);
  }

  Form conditional(const Node& node) {
    const Form test = build(node.children[0]);
    Form a = build(node.children[1]);
    Form b = build(node.children[2]);
    if (a.type != b.type && !(is_number(a.type) && is_number(b.type))) throw NotExact{"branches of unlike types"};
    Instruction& i = emit(Code::kChoose, -2);
    align(i, a, b);
    Form form = choice(a, b);
    form.moves = form.moves || test.moves;
    form.breaks = form.breaks || test.breaks;
    if (test.moves && why_.empty()) why_ = "a condition on now() chooses";
    if (a.type == b.type) form.type = a.type;
    return form;
  }
  /// One of the two, which one nobody knows here. Both have the same denominator.
  static Form choice(const Form& a, const Form& b) {
    Form form;
    form.type = a.type == b.type ? a.type : TypeKind::kFloat;
    form.denominator = a.denominator;
    form.size = std::max(a.size, b.size);
    form.moves = a.moves || b.moves;
    form.breaks = a.breaks || b.breaks;
    form.slope = a.slope && b.slope && *a.slope == *b.slope ? a.slope : std::nullopt;
    return form;
  }

  // ---- functions and methods

  Form call(const Node& node) {
    const Builtin builtin = find_builtin(node.text)->builtin;
    switch (builtin) {
      case Builtin::kNow: {
        emit(Code::kNow, 1);
        Form form;
        form.type = TypeKind::kTime;
        form.size = kTimes;
        form.slope = 1;
        form.moves = true;
        return form;
      }
      case Builtin::kMin:
      case Builtin::kMax:
        return extreme(node, builtin == Builtin::kMin ? Code::kMin : Code::kMax);
      case Builtin::kAbs: {
        Form form = build(node.children[0]);
        if (!is_number(form.type)) throw NotExact{""};
        emit(Code::kAbs, 0);
        if (form.moves) {
          if (why_.empty()) why_ = "abs() of a term in now() turns";
          form.breaks = true;
          if (!form.slope || *form.slope != 0) form.slope.reset();
        }
        form.constant.reset();
        form.is_age = false;
        return form;
      }
      case Builtin::kSum:
        if (tree_[node.children[0]].kind == NodeKind::kArray && !tree_[node.children[0]].children.empty())
          return sum_of(node);
        break;
      case Builtin::kFloat:
        if (is_number(tree_[node.children[0]].type.kind)) {
          Form form = build(node.children[0]);
          form.type = TypeKind::kFloat;
          return form;
        }
        break;
      case Builtin::kDuration: {
        const Node& text = tree_[node.children[0]];
        std::int64_t ns = 0;
        if (text.kind == NodeKind::kString && parse_duration(text.text, ns)) {
          Form form = literal(ns, 1, TypeKind::kDuration);
          return form;
        }
        break;
      }
      default:
        break;
    }
    throw NotExact{node.text + "() of now()"};
  }

  Form sum_of(const Node& node) {
    const std::vector<NodeId>& items = tree_[node.children[0]].children;
    Form total = build(items[0]);
    for (std::size_t i = 1; i < items.size(); ++i) {
      const Form more = build(items[i]);
      Node add;
      add.op = Op::kAdd;
      add.type.kind = total.type == TypeKind::kInt && more.type == TypeKind::kInt ? TypeKind::kInt : TypeKind::kFloat;
      total = sum(add, total, more);
    }
    return total;
  }

  Form extreme(const Node& node, Code code) {
    Form best = build(node.children[0]);
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      Form other = build(node.children[k]);
      if (!(is_number(best.type) && is_number(other.type)) &&
          !(best.type == TypeKind::kDuration && other.type == best.type))
        throw NotExact{""};
      explain_extreme(code, best, other);
      Instruction& i = emit(code, -1);
      align(i, best, other);
      bounded(best.size + other.size);
      Form form = choice(best, other);
      const bool parallel = form.slope.has_value();
      form.breaks = form.breaks || (form.moves && !parallel);
      best = form;
    }
    return best;
  }
  void explain_extreme(Code code, const Form& a, const Form& b) {
    if (!why_.empty() || (!a.moves && !b.moves)) return;
    const std::string name = code == Code::kMin ? "min()" : "max()";
    const Form& moving = a.moves ? a : b;
    const Form& other = a.moves ? b : a;
    if (!other.constant) {
      why_ = name + " of terms in now()";
      return;
    }
    const std::string limit = text_of(*other.constant, other.denominator);
    if (moving.is_age) {
      why_ = name + (code == Code::kMin ? " caps age at " : " lifts age to ") + limit + age_unit(moving);
    } else {
      why_ = name + (code == Code::kMin ? " caps a term in now() at " : " lifts a term in now() to ") + limit;
    }
  }
  static std::string age_unit(const Form& age) {
    if (age.denominator == 3'600'000'000'000) return " h";
    if (age.denominator == 60'000'000'000) return " min";
    if (age.denominator == 1'000'000'000) return " s";
    return "";
  }

  Form method(const Node& node) {
    const Type receiver = tree_[node.children[0]].type;
    const MethodInfo* info = find_method(receiver.kind, node.text);
    if (info == nullptr) throw NotExact{"'." + node.text + "()' of what is unknown until it runs"};
    Int128 unit_ns = 0;
    switch (info->method) {
      case Method::kHours:
        unit_ns = 3'600'000'000'000;
        break;
      case Method::kMinutes:
        unit_ns = 60'000'000'000;
        break;
      case Method::kSeconds:
        unit_ns = 1'000'000'000;
        break;
      case Method::kNanoseconds:
        unit_ns = 1;
        break;
      case Method::kAdd:
      case Method::kSub: {
        const Form a = build(node.children[0]);
        const Form b = build(node.children[1]);
        Node as_operator;
        as_operator.op = info->method == Method::kAdd ? Op::kAdd : Op::kSubtract;
        as_operator.type = node.type;
        return sum(as_operator, a, b);
      }
      case Method::kAfter:
      case Method::kBefore: {
        const Form a = build(node.children[0]);
        const Form b = build(node.children[1]);
        Node as_operator;
        as_operator.op = info->method == Method::kAfter ? Op::kGreater : Op::kLess;
        return comparison(as_operator, a, b);
      }
      default:
        throw NotExact{"the steps of ." + node.text + "()"};
    }
    Form form = build(node.children[0]);
    if (form.type != TypeKind::kDuration) throw NotExact{""};
    const bool age = form.is_age;
    if (unit_ns > 1) form = scaled(form, 1, unit_ns, TypeKind::kFloat);
    form.type = info->result;
    form.is_age = age;
    return form;
  }

  static constexpr int kDeepest = 24;
  static constexpr std::size_t kLocals = 24;
  static constexpr std::size_t kLongest = 2'000;

  const Tree& tree_;
  std::span<const Value> params_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::optional<Form>> forms_;  ///< by local
  Lets lets_;                               ///< the variables without now() declared above
  std::size_t opaque_size_ = 0;
  std::string why_;
  int depth_ = 0;
  ExactProgram out_;
};

std::variant<ExactProgram, ExactProgram::Reason> ExactProgram::build(const Tree& tree, std::span<const Value> params) {
  try {
    return Builder(tree, params).run();
  } catch (const NotExact& reason) {
    return Reason{reason.text.empty() ? "what is computed here" : reason.text};
  }
}

}  // namespace headroom::expr
