// The functions that an expression may call, and those of the real language that are refused by name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headroom::expr {

enum class Builtin : std::uint8_t {
  kAbs,
  kCeil,
  kFloor,
  kRound,
  kMin,
  kMax,
  kSum,
  kMean,
  kMedian,
  kInt,
  kFloat,
  kString,
  kType,
  kLen,
  kNow,
  kDuration,
  kBitAnd,
  kBitOr,
  kBitXor,
  kBitNand,
  kBitNot,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
};

struct BuiltinInfo {
  std::string_view name;
  Builtin builtin;
  int least = 1, most = 1;  ///< arguments; most < 0: any number
};
[[nodiscard]] const BuiltinInfo* find_builtin(std::string_view name);
[[nodiscard]] std::span<const BuiltinInfo> builtins();
/// Functions of the real language that priority expressions do without. Their names are taken.
[[nodiscard]] bool is_refused_function(std::string_view name);
/// Of those, the ones that take a predicate: their arguments are not even expressions.
[[nodiscard]] bool takes_predicate(std::string_view name);

}  // namespace headroom::expr
