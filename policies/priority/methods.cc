#include "policies/priority/methods.h"

#include <algorithm>
#include <array>

namespace headroom::expr {
namespace {

using enum TypeKind;
constexpr std::array kMethods{
    MethodInfo{kDuration, "Hours", Method::kHours, kFloat},
    MethodInfo{kDuration, "Minutes", Method::kMinutes, kFloat},
    MethodInfo{kDuration, "Seconds", Method::kSeconds, kFloat},
    MethodInfo{kDuration, "Milliseconds", Method::kMilliseconds, kInt},
    MethodInfo{kDuration, "Microseconds", Method::kMicroseconds, kInt},
    MethodInfo{kDuration, "Nanoseconds", Method::kNanoseconds, kInt},
    MethodInfo{kDuration, "Abs", Method::kAbs, kDuration},
    MethodInfo{kDuration, "Round", Method::kRoundTo, kDuration, kDuration},
    MethodInfo{kDuration, "Truncate", Method::kTruncateTo, kDuration, kDuration},
    MethodInfo{kDuration, "String", Method::kText, kString},
    MethodInfo{kTime, "Unix", Method::kUnix, kInt},
    MethodInfo{kTime, "UnixMilli", Method::kUnixMilli, kInt},
    MethodInfo{kTime, "UnixMicro", Method::kUnixMicro, kInt},
    MethodInfo{kTime, "UnixNano", Method::kUnixNano, kInt},
    MethodInfo{kTime, "Year", Method::kYear, kInt},
    MethodInfo{kTime, "Month", Method::kMonthOf, kOpaque},
    MethodInfo{kTime, "Day", Method::kDay, kInt},
    MethodInfo{kTime, "YearDay", Method::kYearDay, kInt},
    MethodInfo{kTime, "Weekday", Method::kWeekdayOf, kOpaque},
    MethodInfo{kTime, "Hour", Method::kHour, kInt},
    MethodInfo{kTime, "Minute", Method::kMinute, kInt},
    MethodInfo{kTime, "Second", Method::kSecond, kInt},
    MethodInfo{kTime, "Nanosecond", Method::kNanosecond, kInt},
    MethodInfo{kTime, "Add", Method::kAdd, kTime, kDuration},
    MethodInfo{kTime, "Sub", Method::kSub, kDuration, kTime},
    MethodInfo{kTime, "After", Method::kAfter, kBool, kTime},
    MethodInfo{kTime, "Before", Method::kBefore, kBool, kTime},
    MethodInfo{kTime, "Equal", Method::kEqualTo, kBool, kTime},
    MethodInfo{kTime, "Compare", Method::kCompare, kInt, kTime},
    MethodInfo{kTime, "Truncate", Method::kTruncateTime, kTime, kDuration},
    MethodInfo{kOpaque, "String", Method::kText, kString},
};
constexpr std::array<std::string_view, 26> kRefusedOfTime{
    "AddDate",       "AppendFormat",  "Clock",       "Date",        "Format",          "GoString",
    "GobEncode",     "ISOWeek",       "In",          "IsDST",       "IsZero",          "Local",
    "Location",      "MarshalBinary", "MarshalJSON", "MarshalText", "Round",           "String",
    "UTC",           "Zone",          "ZoneBounds",  "GobDecode",   "UnmarshalBinary", "UnmarshalJSON",
    "UnmarshalText", "AppendText"};

}  // namespace

std::span<const MethodInfo> methods() { return kMethods; }

const MethodInfo* find_method(TypeKind receiver, std::string_view name) {
  const auto* found =
      std::ranges::find_if(kMethods, [&](const MethodInfo& m) { return m.receiver == receiver && m.name == name; });
  return found == kMethods.end() ? nullptr : found;
}

bool is_refused_method(TypeKind receiver, std::string_view name) {
  return receiver == kTime && std::ranges::find(kRefusedOfTime, name) != kRefusedOfTime.end();
}

TypeKind receiver_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kDuration:
      return kDuration;
    case ValueKind::kTime:
      return kTime;
    case ValueKind::kMonth:
    case ValueKind::kWeekday:
      return kOpaque;
    default:
      return kAny;
  }
}

}  // namespace headroom::expr
