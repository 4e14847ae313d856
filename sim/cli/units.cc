#include "sim/cli/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headroom::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;  ///< seconds in one
  double from;    ///< used from so many seconds on
};
// Hours go on to ten days, since waits are spoken of in hours.
constexpr std::array kTimeUnits = {Unit{"ns", 1e-9, 0},     Unit{"µs", 1e-6, 1e-6}, Unit{"ms", 1e-3, 1e-3},
                                   Unit{"s", 1, 1},         Unit{"min", 60, 120},   Unit{"h", 3600, 7200},
                                   Unit{"d", 86400, 864000}};

const Unit& time_unit(double seconds) {
  const Unit* best = &kTimeUnits.front();
  for (const Unit& unit : kTimeUnits)
    if (std::abs(seconds) >= unit.from * (1 - 1e-12)) best = &unit;
  return *best;
}

bool exact_with(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::abs(std::round(value * scale) / scale - value) <= 1e-10 * std::abs(value);
}

constexpr int kLargestDigits = 5;  ///< of the largest value of a row; the others have four at least
constexpr int kLeastDigits = 4;
constexpr int kMostDecimals = 6;

/// The fewest decimals that show `value` exactly or to so many significant digits.
int decimals_for(double value, int significant) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int digits_before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  const int enough = std::max(0, significant - digits_before);
  for (int d = 0; d < enough; ++d)
    if (exact_with(value, d)) return d;
  return enough;
}

std::string with_commas(std::string digits) {
  const std::size_t start = !digits.empty() && digits[0] == '-' ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > start + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string in_unit(double value, double factor, int decimals, std::string_view unit) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string digits = with_commas(fmt::format("{:.{}f}", value / factor, decimals));
  return unit.empty() ? digits : digits + " " + std::string(unit);
}

struct Range {
  double smallest = 0, largest = 0;  ///< sizes of the finite values that are not 0
};
Range range_of(std::span<const double> values) {
  Range out;
  for (const double v : values) {
    if (!std::isfinite(v) || v == 0) continue;
    const double size = std::abs(v);
    out.largest = std::max(out.largest, size);
    out.smallest = out.smallest == 0 ? size : std::min(out.smallest, size);
  }
  return out;
}

}  // namespace

std::vector<std::string> format_row(std::span<const double> values, Scale scale) {
  const Range range = range_of(values);
  std::vector<std::string> out;
  out.reserve(values.size());
  if (values.size() > 1 && range.smallest < 1e-3 * range.largest && scale != Scale::kPercent) {
    for (const double v : values) out.push_back(format_value(v, scale));
    return out;
  }
  // Between the smallest and the largest: 210 h and 6 h, neither 0.25 d nor 360 min; but 1.66 s and 0.02 s.
  const Unit unit = scale == Scale::kTime
                        ? time_unit(std::max(std::sqrt(range.smallest * range.largest), std::min(range.largest, 1.0)))
                    : scale == Scale::kPercent ? Unit{"%", 0.01, 0}
                                               : Unit{"", 1, 0};
  int decimals = decimals_for(range.largest / unit.factor, kLargestDigits);
  for (const double v : values) decimals = std::max(decimals, decimals_for(v / unit.factor, kLeastDigits));
  decimals = std::min(decimals, scale == Scale::kPercent ? 2 : kMostDecimals);
  for (const double v : values) {
    const bool bare_zero = v == 0 && scale == Scale::kTime;  // nothing is nothing in every unit
    out.push_back(bare_zero ? "0 s" : in_unit(v, unit.factor, decimals, unit.name));
  }
  return out;
}

std::string format_value(double value, Scale scale) { return format_row({&value, 1}, scale).front(); }

std::string format_count(std::uint64_t count) { return with_commas(std::to_string(count)); }

std::string format_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, kUnits[unit]);
}

std::string format_memory(std::int64_t bytes) {
  struct Step {
    std::int64_t size;
    const char* name;
  };
  constexpr std::array kSteps = {
      Step{1LL << 40, "TiB"}, Step{1'000'000'000'000, "TB"}, Step{1LL << 30, "GiB"}, Step{1'000'000'000, "GB"},
      Step{1LL << 20, "MiB"}, Step{1'000'000, "MB"},         Step{1LL << 10, "KiB"}, Step{1000, "kB"}};
  for (const Step& step : kSteps)
    if (bytes >= step.size && bytes % step.size == 0) return fmt::format("{} {}", bytes / step.size, step.name);
  return fmt::format("{} B", bytes);
}

std::string format_short(double value) {
  if (!std::isfinite(value)) return "-";
  constexpr std::array kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", value, value >= 100 || (unit == 0 && value >= 10) ? 0 : 1, kUnits[unit]);
}

std::string plural(std::uint64_t count, std::string_view noun) {
  std::string word(noun);
  if (count != 1) {
    if (word.ends_with('s'))
      word += "es";
    else if (word.ends_with('y') && !word.ends_with("ay"))
      word.replace(word.size() - 1, 1, "ies");
    else
      word += 's';
  }
  return format_count(count) + " " + word;
}

}  // namespace headroom::cli
