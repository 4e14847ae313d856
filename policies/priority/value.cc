#include "policies/priority/value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace headroom::expr {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::array<std::string_view, 13> kKindNames{"nil",   "bool", "int",    "float", "string", "duration", "time",
                                                      "array", "map",  "record", "func",  "month",  "weekday"};

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar, and back. Source: Howard Hinnant, "chrono-
/// Compatible Low-Level Date Algorithms".
std::int64_t days_from_civil(std::int64_t y, int m, int d) {
  y -= m <= 2 ? 1 : 0;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::string padded(std::int64_t value, int width) {
  std::string digits = std::to_string(value);
  while (static_cast<int>(digits.size()) < width) digits.insert(digits.begin(), '0');
  return digits;
}

/// ".5" for 500000000 of 9 digits; "" for 0.
std::string decimals(std::int64_t value, int width) {
  if (value == 0) return "";
  std::string digits = padded(value, width);
  while (digits.back() == '0') digits.pop_back();
  return "." + digits;
}

bool read_digits(std::string_view text, std::size_t at, std::size_t count, int& value) {
  if (at + count > text.size()) return false;
  value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  return true;
}

}  // namespace

Instant Instant::of_unix_ns(std::int64_t ns) {
  const std::int64_t seconds = floor_div(ns, kNsPerSecond);
  return {seconds, static_cast<std::int32_t>(ns - seconds * kNsPerSecond)};
}

Instant Instant::plus(std::int64_t ns) const {
  const Instant delta = of_unix_ns(ns);
  Instant sum{seconds + delta.seconds, nanoseconds + delta.nanoseconds};
  if (sum.nanoseconds >= kNsPerSecond) {
    sum.nanoseconds -= static_cast<std::int32_t>(kNsPerSecond);
    ++sum.seconds;
  }
  return sum;
}

std::int64_t Instant::minus(const Instant& other) const {
  const __int128 ns = (static_cast<__int128>(seconds) - other.seconds) * kNsPerSecond + nanoseconds - other.nanoseconds;
  if (ns > std::numeric_limits<std::int64_t>::max()) return std::numeric_limits<std::int64_t>::max();
  if (ns < std::numeric_limits<std::int64_t>::min()) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(ns);
}

Value Value::of_kind(ValueKind kind, std::int64_t value) {
  Value v;
  v.kind = kind;
  v.i = value;
  return v;
}
Value Value::of_bool(bool value) { return of_kind(ValueKind::kBool, value ? 1 : 0); }
Value Value::of_int(std::int64_t value, Width width) {
  Value v = of_kind(ValueKind::kInt, value);
  v.width = width;
  return v;
}
Value Value::of_float(double value) {
  Value v;
  v.kind = ValueKind::kFloat;
  v.f = value;
  return v;
}
Value Value::of_string(std::string value) {
  Value v = of_kind(ValueKind::kString);
  v.text = std::make_shared<const std::string>(std::move(value));
  return v;
}
Value Value::of_duration(std::int64_t ns) { return of_kind(ValueKind::kDuration, ns); }
Value Value::of_time(Instant at) {
  Value v = of_kind(ValueKind::kTime, at.seconds);
  v.nanoseconds = at.nanoseconds;
  return v;
}
Value Value::of_items(Items value) {
  Value v = of_kind(ValueKind::kArray);
  v.items = std::make_shared<const Items>(std::move(value));
  return v;
}
Value Value::of_fields(Fields value) {
  Value v = of_kind(ValueKind::kMap);
  v.fields = std::make_shared<const Fields>(std::move(value));
  return v;
}

std::string_view kind_name(ValueKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is(ValueKind::kInt) && b.is(ValueKind::kInt)) return a.i == b.i;
    return a.as_double() == b.as_double();
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case ValueKind::kString:
      return *a.text == *b.text;
    case ValueKind::kTime:
      return a.instant() == b.instant();
    case ValueKind::kArray: {
      if (a.items->size() != b.items->size()) return false;
      for (std::size_t i = 0; i < a.items->size(); ++i)
        if (!equal((*a.items)[i], (*b.items)[i])) return false;
      return true;
    }
    case ValueKind::kMap: {
      if (a.fields->size() != b.fields->size()) return false;
      for (auto x = a.fields->begin(), y = b.fields->begin(); x != a.fields->end(); ++x, ++y)
        if (x->first != y->first || !equal(x->second, y->second)) return false;
      return true;
    }
    case ValueKind::kNil:
      return true;
    default:
      return a.i == b.i;
  }
}

std::string float_text(double value, int exponent_from) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  std::array<char, 64> buffer;
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string text(buffer.data(), scientific.ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  if (value != 0 && (exponent < -4 || exponent >= exponent_from)) return text;
  std::array<char, 512> fixed;
  const auto end = std::to_chars(fixed.data(), fixed.data() + fixed.size(), value, std::chars_format::fixed);
  return {fixed.data(), end.ptr};
}

std::string duration_text(std::int64_t ns) {
  if (ns == 0) return "0s";
  const bool negative = ns < 0;
  const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  std::string text = negative ? "-" : "";
  if (size < 1'000) return text + std::to_string(size) + "ns";
  const auto part = [&](std::uint64_t unit, int width, const char* name) {
    return text + std::to_string(size / unit) + decimals(static_cast<std::int64_t>(size % unit), width) + name;
  };
  if (size < 1'000'000) return part(1'000, 3, "µs");
  if (size < 1'000'000'000) return part(1'000'000, 6, "ms");
  const std::uint64_t seconds = size / 1'000'000'000;
  if (seconds >= 3600) text += std::to_string(seconds / 3600) + "h";
  if (seconds >= 60) text += std::to_string(seconds / 60 % 60) + "m";
  return text + std::to_string(seconds % 60) + decimals(static_cast<std::int64_t>(size % 1'000'000'000), 9) + "s";
}

std::string time_text(Instant at) {
  const Calendar c = calendar_of(at, 0);
  return padded(c.year, 4) + "-" + padded(c.month, 2) + "-" + padded(c.day, 2) + "T" + padded(c.hour, 2) + ":" +
         padded(c.minute, 2) + ":" + padded(c.second, 2) + decimals(at.nanoseconds, 9) + "Z";
}

std::string value_text(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNil:
      return "nil";
    case ValueKind::kBool:
      return value.i != 0 ? "true" : "false";
    case ValueKind::kInt:
      return std::to_string(value.i);
    case ValueKind::kFloat:
      return float_text(value.f);
    case ValueKind::kString:
      return *value.text;
    case ValueKind::kDuration:
      return duration_text(value.i);
    case ValueKind::kTime:
      return time_text(value.instant());
    case ValueKind::kArray: {
      std::string text = "[";
      for (const Value& item : *value.items) text += (text.size() == 1 ? "" : " ") + value_text(item);
      return text + "]";
    }
    case ValueKind::kMonth: {
      constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                         "May",       "June",     "July",     "August",
                                                         "September", "October",  "November", "December"};
      return std::string(kMonths[static_cast<std::size_t>((value.i + 11) % 12)]);
    }
    case ValueKind::kWeekday: {
      constexpr std::array<std::string_view, 7> kDays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                      "Thursday", "Friday", "Saturday"};
      return std::string(kDays[static_cast<std::size_t>(value.i % 7)]);
    }
    case ValueKind::kMap:
    case ValueKind::kRecord:
    case ValueKind::kFunction:
      break;
  }
  return std::string(kind_name(value.kind));
}

bool parse_duration(std::string_view text, std::int64_t& ns) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text == "0") {
    ns = 0;
    return true;
  }
  if (text.empty()) return false;
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  std::uint64_t total = 0;
  while (!text.empty()) {
    std::uint64_t whole = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
      if (whole > kLimit / 10) return false;
      whole = whole * 10 + static_cast<std::uint64_t>(text[digits] - '0');
      if (whole > kLimit) return false;
    }
    text.remove_prefix(digits);
    std::uint64_t fraction = 0;
    double scale = 1;
    std::size_t decimal_digits = 0;
    if (!text.empty() && text.front() == '.') {
      text.remove_prefix(1);
      bool full = false;  // more decimals than 64 bits hold change nothing
      for (; decimal_digits < text.size() && text[decimal_digits] >= '0' && text[decimal_digits] <= '9';
           ++decimal_digits) {
        if (full || fraction > (kLimit - 1) / 10) {
          full = true;
          continue;
        }
        const std::uint64_t more = fraction * 10 + static_cast<std::uint64_t>(text[decimal_digits] - '0');
        if (more > kLimit) {
          full = true;
          continue;
        }
        fraction = more;
        scale *= 10;
      }
      text.remove_prefix(decimal_digits);
    }
    if (digits == 0 && decimal_digits == 0) return false;
    std::size_t name = 0;
    while (name < text.size() && text[name] != '.' && (text[name] < '0' || text[name] > '9')) ++name;
    const std::string_view unit_name = text.substr(0, name);
    std::uint64_t unit = 0;
    if (unit_name == "ns") unit = 1;
    if (unit_name == "us" || unit_name == "µs" || unit_name == "μs") unit = 1'000;
    if (unit_name == "ms") unit = 1'000'000;
    if (unit_name == "s") unit = 1'000'000'000;
    if (unit_name == "m") unit = 60'000'000'000;
    if (unit_name == "h") unit = 3'600'000'000'000;
    if (unit == 0 || whole > kLimit / unit) return false;
    text.remove_prefix(name);
    whole *= unit;
    // The decimals go through a double, as the real language's do.
    if (fraction > 0)
      whole += static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
    if (whole > kLimit || total + whole > kLimit) return false;
    total += whole;
  }
  if (!negative && total > kLimit - 1) return false;
  ns = static_cast<std::int64_t>(negative ? 0 - total : total);
  return true;
}

bool parse_time(std::string_view text, Instant& at) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!read_digits(text, 0, 4, year) || !read_digits(text, 5, 2, month) || !read_digits(text, 8, 2, day) ||
      !read_digits(text, 11, 2, hour) || !read_digits(text, 14, 2, minute) || !read_digits(text, 17, 2, second))
    return false;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't' && text[10] != ' ') || text[13] != ':' ||
      text[16] != ':')
    return false;
  constexpr std::array<int, 12> kDays{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1 || day > kDays[static_cast<std::size_t>(month - 1)] || hour > 23 ||
      minute > 59 || second > 59)
    return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month == 2 && day == 29 && !leap) return false;
  std::size_t i = 19;
  std::int64_t nanoseconds = 0;
  if (i < text.size() && text[i] == '.') {
    std::int64_t unit = kNsPerSecond / 10;
    const std::size_t first = ++i;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10) nanoseconds += (text[i] - '0') * unit;
    if (i == first) return false;
  }
  std::int64_t east = 0;
  if (text.substr(i) != "Z" && text.substr(i) != "z") {
    int hours = 0, minutes = 0;
    if (text.size() != i + 6 || (text[i] != '+' && text[i] != '-') || text[i + 3] != ':' ||
        !read_digits(text, i + 1, 2, hours) || !read_digits(text, i + 4, 2, minutes) || hours > 23 || minutes > 59)
      return false;
    east = (hours * 3600 + minutes * 60) * (text[i] == '-' ? -1 : 1);
  }
  at.seconds = days_from_civil(year, month, day) * kSecondsPerDay + hour * 3600 + minute * 60 + second - east;
  at.nanoseconds = static_cast<std::int32_t>(nanoseconds);
  return true;
}

Calendar calendar_of(Instant at, std::int64_t utc_offset_s) {
  const std::int64_t seconds = at.seconds + utc_offset_s;
  const std::int64_t days = floor_div(seconds, kSecondsPerDay);
  const auto of_day = static_cast<int>(seconds - days * kSecondsPerDay);
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = floor_div(shifted, 146'097);
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  Calendar c{};
  c.day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  c.month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  c.year = year_of_era + era * 400 + (c.month <= 2 ? 1 : 0);
  c.hour = of_day / 3600;
  c.minute = of_day / 60 % 60;
  c.second = of_day % 60;
  c.weekday = static_cast<int>(((days % 7) + 11) % 7);  // 1970-01-01 was a Thursday
  c.year_day = static_cast<int>(days - days_from_civil(c.year, 1, 1) + 1);
  return c;
}

}  // namespace headroom::expr
