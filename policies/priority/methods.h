// The methods of times and durations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "policies/priority/environment.h"

namespace headroom::expr {

enum class Method : std::uint8_t {
  kHours,
  kMinutes,
  kSeconds,
  kMilliseconds,
  kMicroseconds,
  kNanoseconds,
  kAbs,
  kRoundTo,
  kTruncateTo,
  kText,
  kUnix,
  kUnixMilli,
  kUnixMicro,
  kUnixNano,
  kYear,
  kMonthOf,
  kDay,
  kYearDay,
  kWeekdayOf,
  kHour,
  kMinute,
  kSecond,
  kNanosecond,
  kAdd,
  kSub,
  kAfter,
  kBefore,
  kEqualTo,
  kCompare,
  kTruncateTime,
};

struct MethodInfo {
  TypeKind receiver;  ///< kDuration, kTime or kOpaque
  std::string_view name;
  Method method;
  TypeKind result;
  TypeKind argument = TypeKind::kNil;  ///< kNil: takes none
};

/// Case counts. Null if there is none of that name.
[[nodiscard]] const MethodInfo* find_method(TypeKind receiver, std::string_view name);
[[nodiscard]] std::span<const MethodInfo> methods();
/// Methods that the real language has and priority expressions do without.
[[nodiscard]] bool is_refused_method(TypeKind receiver, std::string_view name);
/// Of a value, for the look-up above; kAny if it has no methods.
[[nodiscard]] TypeKind receiver_of(ValueKind kind);

}  // namespace headroom::expr
