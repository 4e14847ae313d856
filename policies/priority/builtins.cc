#include "policies/priority/builtins.h"

#include <algorithm>
#include <array>

namespace headroom::expr {
namespace {

constexpr std::array kBuiltins{
    BuiltinInfo{"abs", Builtin::kAbs},
    BuiltinInfo{"ceil", Builtin::kCeil},
    BuiltinInfo{"floor", Builtin::kFloor},
    BuiltinInfo{"round", Builtin::kRound},
    BuiltinInfo{"min", Builtin::kMin, 1, -1},
    BuiltinInfo{"max", Builtin::kMax, 1, -1},
    BuiltinInfo{"sum", Builtin::kSum},
    BuiltinInfo{"mean", Builtin::kMean, 1, -1},
    BuiltinInfo{"median", Builtin::kMedian, 1, -1},
    BuiltinInfo{"int", Builtin::kInt},
    BuiltinInfo{"float", Builtin::kFloat},
    BuiltinInfo{"string", Builtin::kString},
    BuiltinInfo{"type", Builtin::kType},
    BuiltinInfo{"len", Builtin::kLen},
    BuiltinInfo{"now", Builtin::kNow, 0, 0},
    BuiltinInfo{"duration", Builtin::kDuration},
    BuiltinInfo{"bitand", Builtin::kBitAnd, 2, 2},
    BuiltinInfo{"bitor", Builtin::kBitOr, 2, 2},
    BuiltinInfo{"bitxor", Builtin::kBitXor, 2, 2},
    BuiltinInfo{"bitnand", Builtin::kBitNand, 2, 2},
    BuiltinInfo{"bitnot", Builtin::kBitNot},
    BuiltinInfo{"bitshl", Builtin::kShiftLeft, 2, 2},
    BuiltinInfo{"bitshr", Builtin::kShiftRight, 2, 2},
    BuiltinInfo{"bitushr", Builtin::kShiftRightUnsigned, 2, 2},
};

constexpr std::array<std::string_view, 14> kPredicates{"all",   "none",    "any",       "one",      "filter",
                                                       "map",   "find",    "findIndex", "findLast", "findLastIndex",
                                                       "count", "groupBy", "sortBy",    "reduce"};
constexpr std::array<std::string_view, 33> kRefused{
    "trim",    "trimPrefix", "trimSuffix", "upper",      "lower",       "split",     "splitAfter",
    "replace", "repeat",     "join",       "indexOf",    "lastIndexOf", "hasPrefix", "hasSuffix",
    "toJSON",  "fromJSON",   "toBase64",   "fromBase64", "date",        "timezone",  "first",
    "last",    "get",        "take",       "keys",       "values",      "toPairs",   "fromPairs",
    "reverse", "uniq",       "concat",     "flatten",    "sort"};

}  // namespace

std::span<const BuiltinInfo> builtins() { return kBuiltins; }

const BuiltinInfo* find_builtin(std::string_view name) {
  const auto* found = std::ranges::find(kBuiltins, name, &BuiltinInfo::name);
  return found == kBuiltins.end() ? nullptr : found;
}

bool takes_predicate(std::string_view name) { return std::ranges::find(kPredicates, name) != kPredicates.end(); }

bool is_refused_function(std::string_view name) {
  return takes_predicate(name) || std::ranges::find(kRefused, name) != kRefused.end();
}

}  // namespace headroom::expr
