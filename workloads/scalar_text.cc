// Exact reading: a decimal is its digits and a power of ten, and becomes an integer by integer arithmetic alone.
#include "workloads/scalar_text.h"

#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace headroom {
namespace {

using Wide = __int128;  // 38 digits: 22 of a decimal times the nanoseconds of a week still fit.

constexpr int kMostDigits = 22;
constexpr std::int64_t kNsPerDay = 86'400'000'000'000;
constexpr std::int64_t kLongest = 100 * 365 * kNsPerDay + 25 * kNsPerDay;

enum class Fault : std::uint8_t { kNone, kNoNumber, kNotFinite, kTooManyDigits, kTooFine, kTooLarge };

/// digits * 10^exponent, followed by what is no part of the number.
struct Decimal {
  Fault fault = Fault::kNone;
  bool negative = false;
  Wide digits = 0;
  int exponent = 0;
  std::string_view number, unit;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_not_finite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  for (const std::string_view word :
       {".inf", ".Inf", ".INF", "inf", "Inf", "INF", "infinity", "Infinity", ".nan", ".NaN", ".NAN", "nan", "NaN"}) {
    if (text == word) return true;
  }
  return false;
}

/// 12, 4.1, .5, 1e3; `text` from its first digit on. Leaves `at` behind the number.
void scan_mantissa(std::string_view text, std::size_t& at, Decimal& d) {
  int significant = 0;
  bool any = false, fraction = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !fraction)); ++at) {
    if (text[at] == '.') {
      fraction = true;
      continue;
    }
    any = true;
    // Zeros at the very end of a fraction say nothing, so that 4.10000000000000000000000000 is 4.1.
    if (fraction && text[at] == '0') {
      const std::size_t next = text.find_first_not_of('0', at);
      if (next == std::string_view::npos || !is_digit(text[next])) {
        at = next == std::string_view::npos ? text.size() : next;
        break;
      }
    }
    if (significant > 0 || text[at] != '0') ++significant;
    if (significant > kMostDigits) {
      d.fault = Fault::kTooManyDigits;
      continue;
    }
    d.digits = d.digits * 10 + (text[at] - '0');
    if (fraction) --d.exponent;
  }
  if (!any) d.fault = Fault::kNoNumber;
}

void scan_exponent(std::string_view text, std::size_t& at, Decimal& d) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return;
  std::size_t end = at + 1;
  const bool negative = end < text.size() && text[end] == '-';
  if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
  if (end >= text.size() || !is_digit(text[end])) return;
  int power = 0;
  for (; end < text.size() && is_digit(text[end]); ++end) power = power > 1000 ? power : power * 10 + (text[end] - '0');
  d.exponent += negative ? -power : power;
  at = end;
}

Decimal scan_decimal(std::string_view text) {
  Decimal d;
  if (is_not_finite(text)) {
    d.fault = Fault::kNotFinite;
    return d;
  }
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    d.negative = text[0] == '-';
    at = 1;
  }
  scan_mantissa(text, at, d);
  scan_exponent(text, at, d);
  d.number = text.substr(0, at);
  d.unit = text.substr(at);
  return d;
}

/// The decimal times `scale` as an integer of at most `limit`; the sign is the caller's.
Scalar<std::int64_t> exact(const Decimal& d, std::int64_t scale, std::int64_t limit, Fault& fault) {
  fault = d.fault;
  if (fault != Fault::kNone) return {};
  Wide value = d.digits * scale;
  if (value == 0) return {};
  for (int e = d.exponent; e < 0; ++e) {
    if (value % 10 != 0) {
      fault = Fault::kTooFine;
      return {};
    }
    value /= 10;
  }
  for (int e = d.exponent; e > 0 && value <= limit; --e) value *= 10;
  if (value > limit) fault = Fault::kTooLarge;
  return {static_cast<std::int64_t>(value > limit ? 0 : value), {}};
}

struct Unit {
  std::string_view name;
  std::int64_t scale;
};

template <std::size_t N>
std::int64_t scale_of(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.scale;
  }
  return 0;
}

constexpr std::array<Unit, 8> kTimeUnits{{{"", 1'000'000'000},
                                          {"ns", 1},
                                          {"us", 1'000},
                                          {"ms", 1'000'000},
                                          {"s", 1'000'000'000},
                                          {"min", 60'000'000'000},
                                          {"h", 3'600'000'000'000},
                                          {"d", kNsPerDay}}};
constexpr std::array<Unit, 10> kMemoryUnits{{{"", 1},
                                             {"B", 1},
                                             {"KB", 1'000},
                                             {"MB", 1'000'000},
                                             {"GB", 1'000'000'000},
                                             {"TB", 1'000'000'000'000},
                                             {"KiB", std::int64_t{1} << 10},
                                             {"MiB", std::int64_t{1} << 20},
                                             {"GiB", std::int64_t{1} << 30},
                                             {"TiB", std::int64_t{1} << 40}}};

constexpr const char* kDurationWanted = "a duration like 250ms, 4.1s, 10min, 2h or 7d (a bare number is seconds)";
constexpr const char* kMemoryWanted = "an amount of memory like 256GiB or 512MB";
constexpr std::int64_t kMostMemory = std::int64_t{1} << 60;

template <class T>
Scalar<T> wanted(std::string text) {
  return {T{}, std::move(text)};
}

}  // namespace

Scalar<std::uint64_t> read_unsigned(std::string_view text) {
  const char* const kWanted = "a whole number that is not negative";
  if (text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    base = text[1] == 'x' ? 16 : 8;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range) return wanted<std::uint64_t>("a number below 2^64");
  if (error != std::errc() || end != text.data() + text.size()) return wanted<std::uint64_t>(kWanted);
  return {value, {}};
}

Scalar<std::int64_t> read_whole(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (negative && (text.empty() || !is_digit(text[0]))) return wanted<std::int64_t>("a whole number");
  const Scalar<std::uint64_t> magnitude = read_unsigned(text);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!magnitude.ok() && magnitude.wanted != "a number below 2^64") return wanted<std::int64_t>("a whole number");
  if (!magnitude.ok() || magnitude.value > kMost) return wanted<std::int64_t>("a whole number of at most 2^63 - 1");
  const auto value = static_cast<std::int64_t>(magnitude.value);
  return {negative ? -value : value, {}};
}

Scalar<long double> read_number(std::string_view text) {
  const Decimal d = scan_decimal(text);
  if (d.fault == Fault::kNotFinite) return wanted<long double>("a finite number");
  if (d.fault == Fault::kNoNumber || !d.unit.empty()) return wanted<long double>("a number");
  std::string_view digits = d.number;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  long double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    return wanted<long double>("a number within 1e±4900");
  return {value, {}};
}

Scalar<std::int64_t> read_scaled(std::string_view text, std::int64_t scale) {
  const Decimal d = scan_decimal(text);
  if (d.fault == Fault::kNotFinite) return wanted<std::int64_t>("a finite number");
  if (d.fault == Fault::kNoNumber || !d.unit.empty()) return wanted<std::int64_t>("a number");
  Fault fault{};
  Scalar<std::int64_t> value = exact(d, scale, std::numeric_limits<std::int64_t>::max() / 4, fault);
  if (fault == Fault::kTooLarge) return wanted<std::int64_t>("a smaller number");
  if (fault != Fault::kNone)
    return wanted<std::int64_t>("a number of fewer digits (1/" + std::to_string(scale) + " is the finest)");
  if (d.negative) value.value = -value.value;
  return value;
}

Scalar<Duration> read_duration(std::string_view text) {
  const Decimal d = scan_decimal(text);
  if (d.fault == Fault::kNotFinite) return wanted<Duration>("a finite duration");
  if (d.fault == Fault::kNoNumber) return wanted<Duration>(kDurationWanted);
  const std::int64_t scale = scale_of(kTimeUnits, d.unit);
  if (scale == 0) return wanted<Duration>(kDurationWanted);
  if (d.negative) return wanted<Duration>("a duration that is not negative");
  Fault fault{};
  const Scalar<std::int64_t> ns = exact(d, scale, kLongest, fault);
  if (fault == Fault::kTooLarge) return wanted<Duration>("a duration of at most 100 years");
  if (fault != Fault::kNone) return wanted<Duration>("a duration of whole nanoseconds");
  return {Duration::nanoseconds(ns.value), {}};
}

Scalar<std::int64_t> read_memory(std::string_view text) {
  const Decimal d = scan_decimal(text);
  if (d.fault == Fault::kNotFinite) return wanted<std::int64_t>("a finite amount of memory");
  if (d.fault == Fault::kNoNumber) return wanted<std::int64_t>(kMemoryWanted);
  const std::int64_t scale = scale_of(kMemoryUnits, d.unit);
  if (scale == 0) return wanted<std::int64_t>(kMemoryWanted);
  if (d.negative) return wanted<std::int64_t>("an amount of memory that is not negative");
  Fault fault{};
  Scalar<std::int64_t> bytes = exact(d, scale, kMostMemory, fault);
  if (fault == Fault::kTooLarge) return wanted<std::int64_t>("at most 1048576TiB");
  if (fault != Fault::kNone) return wanted<std::int64_t>("whole bytes");
  return bytes;
}

Scalar<long double> read_rate(std::string_view text, bool may_be_zero) {
  const char* const kWanted =
      may_be_zero ? "a rate like 40/h, 2/s or 0/h" : "a rate above 0 like 40/h, 2/s, 1/min or 3/d";
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) return wanted<long double>(kWanted);
  const Scalar<long double> number = read_number(text.substr(0, slash));
  const std::int64_t scale = scale_of(kTimeUnits, text.substr(slash + 1));
  if (!number.ok() || scale == 0 || !(number.value > 0 || (may_be_zero && number.value == 0))) return wanted<long double>(kWanted);
  return {number.value / static_cast<long double>(scale), {}};
}

namespace {

/// Exactly `digits` digits from `at` on, or -1.
int fixed_number(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (i >= text.size() || !is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar. Years are counted from March, so that a leap day is the
/// last.
std::int64_t days_from_epoch(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

/// "Z", "+02:00", "-0530"; nothing where it is none.
std::optional<std::int32_t> utc_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const int hours = fixed_number(text, 1, 2), minutes = fixed_number(text, 4, 2);
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

}  // namespace

Scalar<Date> read_date(std::string_view text) {
  const char* const kWanted = "a date like 1996-09-23T14:00:00Z or with an offset like +02:00";
  if (text.size() < 20) return wanted<Date>(kWanted);
  const int year = fixed_number(text, 0, 4), month = fixed_number(text, 5, 2), day = fixed_number(text, 8, 2);
  const int hour = fixed_number(text, 11, 2), minute = fixed_number(text, 14, 2), second = fixed_number(text, 17, 2);
  const bool marks =
      text[4] == '-' && text[7] == '-' && (text[10] == 'T' || text[10] == 't') && text[13] == ':' && text[16] == ':';
  const std::optional<std::int32_t> offset = utc_offset(text.substr(19));
  if (!marks || year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0 || !offset)
    return wanted<Date>(kWanted);
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59 ||
      second > 59) {
    return wanted<Date>("a date that exists");
  }
  const std::int64_t local = days_from_epoch(year, month, day) * 86'400 + hour * 3600 + minute * 60 + second;
  return {{local - *offset, *offset}, {}};
}

std::optional<bool> read_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

}  // namespace headroom
