// An expression as an exact function of now(): for each stage linear between certain instants, in integers over one
// denominator. What does not depend on now() and has no exact value (a power, a remainder) is taken as the double that
// it is, rounded to 2^-36 and kept within 2^44. Where an expression has no such form, the reason is said.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "policies/priority/program.h"

namespace headroom::expr {

__extension__ using Int128 = __int128;
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// slope * t + at_zero, t in nanoseconds since time 0 of the run, until the instant `until`, from which on the formula
/// may be another one. A truth value is 0 or 1. `special`: NaN or an infinity instead.
struct Line {
  Int128 slope = 0, at_zero = 0;
  std::int64_t until = kNever;
  bool is_special = false;
  double special = 0;

  [[nodiscard]] Int128 at(std::int64_t t) const { return slope * t + at_zero; }
};

/// Of one stage: ints as they are, durations and times in nanoseconds, times since time 0 of the run.
using ExactInputs = std::span<const std::int64_t>;

class ExactProgram {
 public:
  struct Reason {
    std::string text;  ///< "** of now()"
  };
  /// A checked tree that was not folded: its literals are still as written. `params`: values of slots from kFixedSlots
  /// on. Or why there is none.
  static std::variant<ExactProgram, Reason> build(const Tree& tree, std::span<const Value> params);

  /// The line that holds at `t`. `values`: the same inputs for what has no exact form; only read if opaque() is true.
  [[nodiscard]] Line at(std::int64_t t, ExactInputs inputs, std::span<const Value> values) const;

  [[nodiscard]] bool opaque() const { return !opaque_.empty(); }
  /// Values of at() are this many times the priority.
  [[nodiscard]] Int128 denominator() const { return denominator_; }
  /// The slope of every stage at every instant, if it is one and the same; in the units of at().
  [[nodiscard]] std::optional<Int128> common_slope() const { return common_slope_; }
  /// What makes lines end, or slopes differ: "min() caps at 24"; empty with a common slope.
  [[nodiscard]] const std::string& why_piecewise() const { return why_; }
  /// No value is larger than this, in the units of at().
  static constexpr int kBits = 125;

 private:
  class Builder;
  enum class Code : std::uint8_t {
    kLiteral,  ///< number
    kNow,
    kInput,   ///< slot index
    kOpaque,  ///< opaque_[index]
    kScale,   ///< by first
    kAdd,     ///< left * first + right * second
    kSubtract,
    kMultiply,  ///< one of the two has no slope
    kMin,
    kMax,
    kAbs,
    kCompare,  ///< op
    kNot,
    kAnd,
    kOr,
    kChoose,  ///< condition, then, otherwise; these times first, second
    kStore,   ///< a copy of the top into local index
    kLoad,
    kPop,  ///< what lies below the top
  };
  struct Instruction {
    Code code;
    Op op = Op::kLess;
    std::uint32_t index = 0;
    Int128 first = 1, second = 1;
    // Scales of the two operands back to the language's numbers, where infinities meet numbers.
    double left_unit = 1, right_unit = 1;
  };
  struct Opaque {
    Program program;
    bool is_bool, is_whole;  ///< is_whole: an int, exact
  };
  [[nodiscard]] Line run_opaque(const Opaque& opaque, std::span<const Value> values) const;

  std::vector<Instruction> code_;
  std::vector<Opaque> opaque_;
  std::uint32_t locals_ = 0;
  Int128 denominator_ = 1;
  std::optional<Int128> common_slope_;
  std::string why_;
};

}  // namespace headroom::expr
