// Exact code at an instant.
#include "policies/priority/exact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "policies/priority/error.h"

namespace headroom::expr {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Line special(double value, std::int64_t until) {
  Line line;
  line.is_special = true;
  line.special = value;
  line.until = until;
  return line;
}
Line truth(bool value, std::int64_t until) {
  Line line;
  line.at_zero = value ? 1 : 0;
  line.until = until;
  return line;
}

Int128 floor_div(Int128 a, Int128 b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
std::int64_t clipped(Int128 t) { return t >= kNever ? kNever : static_cast<std::int64_t>(t); }

/// slope * t + zero compared with 0 at t, and the first later instant at which that comparison comes out differently.
struct Sign {
  bool holds;
  std::int64_t until;
};

/// Is d < 0 (or, with `or_equal`, d <= 0)?
Sign below(Int128 slope, Int128 zero, std::int64_t t, bool or_equal) {
  const Int128 value = slope * t + zero;
  const bool holds = or_equal ? value <= 0 : value < 0;
  if (slope == 0 || (holds && slope < 0) || (!holds && slope > 0)) return {holds, kNever};
  // The root lies ahead. d rises: it leaves at the first t with d > 0 (d >= 0). d falls: it enters likewise.
  if (holds) return {holds, clipped(or_equal ? floor_div(-zero, slope) + 1 : -floor_div(zero, slope))};
  return {holds, clipped(or_equal ? -floor_div(-zero, -slope) : floor_div(zero, -slope) + 1)};
}

Sign equals(Int128 slope, Int128 zero, std::int64_t t) {
  const Int128 value = slope * t + zero;
  if (slope == 0) return {value == 0, kNever};
  if (value == 0) return {true, t == kNever ? kNever : t + 1};
  if (zero % slope != 0) return {false, kNever};
  const Int128 root = -zero / slope;
  return {false, root > t ? clipped(root) : kNever};
}

bool compare(Op op, double a, double b) {
  switch (op) {
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kGreater:
      return a > b;
    case Op::kGreaterEqual:
      return a >= b;
    case Op::kEqual:
      return a == b;
    default:
      return a != b;
  }
}

Sign compare(Op op, Int128 slope, Int128 zero, std::int64_t t) {
  const auto negated = [](Sign s) { return Sign{!s.holds, s.until}; };
  switch (op) {
    case Op::kLess:
      return below(slope, zero, t, false);
    case Op::kLessEqual:
      return below(slope, zero, t, true);
    case Op::kGreater:
      return negated(below(slope, zero, t, true));
    case Op::kGreaterEqual:
      return negated(below(slope, zero, t, false));
    case Op::kEqual:
      return equals(slope, zero, t);
    default:
      return negated(equals(slope, zero, t));
  }
}

double shown(const Line& line, double unit, std::int64_t t) {
  return line.is_special ? line.special : static_cast<double>(line.at(t)) * unit;
}

}  // namespace

Line ExactProgram::run_opaque(const Opaque& opaque, std::span<const Value> values) const {
  Value value;
  try {
    value = opaque.program.run(values, {});
  } catch (const Error&) {
    return special(kNaN, kNever);
  }
  Line line;
  if (opaque.is_bool ? value.is(ValueKind::kBool) : opaque.is_whole && !value.is(ValueKind::kFloat)) {
    line.at_zero = value.i;
    return line;
  }
  if (!value.is_number()) return special(kNaN, kNever);
  const double x = value.as_double();
  if (!std::isfinite(x)) return special(x, kNever);
  if (opaque.is_whole) {
    line.at_zero = static_cast<Int128>(std::clamp(std::nearbyint(x), -9e18, 9e18));
    return line;
  }
  constexpr double kLargest = 1.7e13;
  line.at_zero = static_cast<Int128>(std::nearbyint(std::ldexp(std::clamp(x, -kLargest, kLargest), 36)));
  return line;
}

Line ExactProgram::at(std::int64_t t, ExactInputs inputs, std::span<const Value> values) const {
  constexpr std::size_t kStack = 32;
  std::array<Line, kStack> stack;
  std::array<Line, kStack> locals;
  std::size_t top = 0;  // stack[top - 1]
  const auto numbers = [&](const Instruction& i, auto result) {
    Line& a = stack[top - 2];
    const Line& b = stack[top - 1];
    a = special(result(shown(a, i.left_unit, t), shown(b, i.right_unit, t)), std::min(a.until, b.until));
    --top;
  };
  for (const Instruction& i : code_) {
    Line* const b = top >= 1 ? &stack[top - 1] : nullptr;
    Line* const a = top >= 2 ? &stack[top - 2] : nullptr;
    const bool odd = a != nullptr && (a->is_special || b->is_special);
    switch (i.code) {
      case Code::kLiteral:
        stack[top] = {};
        stack[top++].at_zero = i.first;
        break;
      case Code::kNow:
        stack[top] = {};
        stack[top++].slope = 1;
        break;
      case Code::kInput:
        stack[top] = {};
        stack[top++].at_zero = inputs[i.index];
        break;
      case Code::kOpaque:
        stack[top++] = run_opaque(opaque_[i.index], values);
        break;
      case Code::kScale:
        if (b->is_special) {
          b->special *= i.first < 0 ? -1 : i.first == 0 ? 0 : 1;
        } else {
          b->slope *= i.first;
          b->at_zero *= i.first;
        }
        break;
      case Code::kAdd:
      case Code::kSubtract: {
        const bool minus = i.code == Code::kSubtract;
        if (odd) {
          numbers(i, [&](double x, double y) { return minus ? x - y : x + y; });
          break;
        }
        const Int128 second = minus ? -i.second : i.second;
        a->slope = a->slope * i.first + b->slope * second;
        a->at_zero = a->at_zero * i.first + b->at_zero * second;
        a->until = std::min(a->until, b->until);
        --top;
        break;
      }
      case Code::kMultiply: {
        if (odd) {
          numbers(i, [](double x, double y) { return x * y; });
          break;
        }
        const Int128 slope = a->slope * b->at_zero + a->at_zero * b->slope;
        a->at_zero *= b->at_zero;
        a->slope = slope;
        a->until = std::min(a->until, b->until);
        --top;
        break;
      }
      case Code::kMin:
      case Code::kMax: {
        const std::int64_t until = std::min(a->until, b->until);
        bool second = false;  // the first stays, if neither is better
        std::int64_t turn = kNever;
        if (odd) {
          const double x = shown(*a, i.left_unit, t);
          const double y = shown(*b, i.right_unit, t);
          second = i.code == Code::kMin ? y < x : y > x;
        } else {
          const Int128 slope = b->slope * i.second - a->slope * i.first;
          const Int128 zero = b->at_zero * i.second - a->at_zero * i.first;
          const Sign sign = i.code == Code::kMin ? below(slope, zero, t, false) : below(-slope, -zero, t, false);
          second = sign.holds;
          turn = sign.until;
        }
        const Line& chosen = second ? *b : *a;
        const Int128 factor = second ? i.second : i.first;
        Line result = chosen;
        result.slope *= factor;
        result.at_zero *= factor;
        result.until = std::min(until, turn);
        *a = result;
        --top;
        break;
      }
      case Code::kAbs: {
        if (b->is_special) {
          b->special = std::fabs(b->special);
          break;
        }
        const Sign sign = below(b->slope, b->at_zero, t, false);
        if (sign.holds) {
          b->slope = -b->slope;
          b->at_zero = -b->at_zero;
        }
        b->until = std::min(b->until, sign.until);
        break;
      }
      case Code::kCompare: {
        const std::int64_t until = std::min(a->until, b->until);
        if (odd) {
          *a = truth(compare(i.op, shown(*a, i.left_unit, t), shown(*b, i.right_unit, t)), until);
        } else {
          const Sign sign =
              compare(i.op, a->slope * i.first - b->slope * i.second, a->at_zero * i.first - b->at_zero * i.second, t);
          *a = truth(sign.holds, std::min(until, sign.until));
        }
        --top;
        break;
      }
      case Code::kNot:
        if (!b->is_special) b->at_zero = 1 - b->at_zero;
        break;
      case Code::kAnd:
      case Code::kOr: {
        // What the first decides alone, it decides until it changes itself.
        const bool decides = !a->is_special && (a->at_zero != 0) == (i.code == Code::kOr);
        if (!decides && !a->is_special) {
          const std::int64_t until = std::min(a->until, b->until);
          *a = *b;
          a->until = until;
        }
        --top;
        break;
      }
      case Code::kChoose: {
        Line& test = stack[top - 3];
        if (test.is_special) {
          test = special(kNaN, test.until);
        } else {
          const bool first = test.at_zero != 0;
          Line result = first ? *a : *b;
          const Int128 factor = first ? i.first : i.second;
          result.slope *= factor;
          result.at_zero *= factor;
          result.until = std::min(result.until, test.until);
          test = result;
        }
        top -= 2;
        break;
      }
      case Code::kStore:
        locals[i.index] = *b;
        break;
      case Code::kLoad:
        stack[top++] = locals[i.index];
        break;
      case Code::kPop:
        *a = *b;
        --top;
        break;
    }
  }
  return stack[0];
}

}  // namespace headroom::expr
