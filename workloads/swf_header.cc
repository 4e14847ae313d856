#include "workloads/swf_header.h"

#include <algorithm>
#include <limits>

#include "workloads/swf_line.h"

namespace headroom {
namespace {

constexpr std::size_t kMostEntries = 200;
constexpr std::size_t kLongestValue = 1000;
constexpr std::int64_t kMostProcessors = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kYear10000 = 253'402'300'800;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The first number outside parentheses: "120 (2 cpu each)", "(64,64) 128". Unknown (negative) is no number.
std::optional<std::int64_t> first_number(std::string_view value) {
  int depth = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > 0 || !((c >= '0' && c <= '9') || c == '-' || c == '+')) continue;
    const std::size_t end = std::min(value.find_first_of(" \t(,;", i), value.size());
    const SwfNumber number = parse_swf_number(value.substr(i, end - i));
    if (!number.is_number()) return std::nullopt;
    return number.whole;
  }
  return std::nullopt;
}

/// Sets `to` if it is not set yet. False if the value is no number within [low, high]; -1, "unknown", is fine.
bool set_number(std::string_view value, std::int64_t low, std::int64_t high, std::optional<std::int64_t>& to) {
  const auto number = first_number(value);
  if (!number) return false;
  if (*number == -1 && low >= 0) return true;
  if (*number < low || *number > high) return false;
  if (!to) to = *number;
  return true;
}

/// What a header says reaches results and screens: printable ASCII only.
std::string plain(std::string_view text) {
  std::string result(text.substr(0, kLongestValue));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

}  // namespace

bool read_swf_header_line(std::string_view text, SwfHeader& header) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string_view key = trim(text.substr(0, colon));
  const std::string_view value = trim(text.substr(colon + 1));
  if (key.empty()) return true;
  if (header.entries.size() < kMostEntries) header.entries.emplace_back(plain(key), plain(value));

  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  if (key == "MaxJobs") return set_number(value, 0, kAny, header.max_jobs);
  if (key == "MaxNodes") return set_number(value, 1, kMostProcessors, header.max_nodes);
  if (key == "MaxProcs") return set_number(value, 1, kMostProcessors, header.max_procs);
  if (key == "UnixStartTime") return set_number(value, 0, kYear10000 - 1, header.unix_start_s);
  if (key == "TimeZone") return set_number(value, -86'400, 86'400, header.time_zone_s);
  if (key == "TimeZoneString" && header.time_zone.empty()) header.time_zone = plain(value);
  return true;
}

}  // namespace headroom
