#include "sim/verify/verdict.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace headroom::verify {
namespace {

constexpr std::array<std::pair<const char*, const char*>, kRules> kTexts{{
    {"complete", "every stage and every decision is there, and what must have ended has"},
    {"attempts", "tries follow each other and do not overlap"},
    {"precedence", "nothing starts before what it needs has finished"},
    {"eligible", "eligible at the latest of declaration, predecessors' ends and releases"},
    {"holds", "nothing starts under a hold that gates it"},
    {"release", "nothing starts before it is submitted, declared and eligible"},
    {"run_time", "an end is the start plus the run time, and limits are kept"},
    {"tail_time", "the stored tail time is the longest estimated path"},
    {"priority", "the stored priority is what the policy's inputs give"},
    {"grid", "starts are at multiples of the tick, and before give_up"},
    {"capacity", "no node or pool gives more than it has"},
    {"node", "the first nodes in file order where it fits"},
    {"order", "nothing starts before a better-ranked stage that could start instead"},
    {"reservation", "no start delays the first stage in order"},
    {"idle", "nothing that could start is left waiting"},
}};

}  // namespace

const char* rule_name(Rule rule) { return kTexts[static_cast<std::size_t>(rule)].first; }
const char* rule_text(Rule rule) { return kTexts[static_cast<std::size_t>(rule)].second; }

void Verdict::add(Rule rule, std::uint32_t stage, Time at, std::string text) {
  ++violated[static_cast<std::size_t>(rule)];
  if (violations.size() < kMostKept) violations.push_back({rule, stage, at, std::move(text)});
}

void Verdict::skip(Rule rule, const std::string& why) {
  std::string text = std::string(rule_name(rule)) + ": " + why;
  if (std::ranges::find(not_checked, text) == not_checked.end()) not_checked.push_back(std::move(text));
}

std::uint64_t Verdict::total() const {
  return std::accumulate(std::begin(violated), std::end(violated), std::uint64_t{0});
}

std::string seconds_text(Time t) {
  if (t == kNever) return "never";
  const bool negative = t < 0;
  const std::uint64_t ns = negative ? -static_cast<std::uint64_t>(t) : static_cast<std::uint64_t>(t);
  std::string text = std::to_string(ns / 1'000'000'000);
  std::string rest = std::to_string(ns % 1'000'000'000);
  rest.insert(0, 9 - rest.size(), '0');
  rest.erase(rest.find_last_not_of('0') + 1);
  if (!rest.empty()) text += "." + rest;
  return (negative ? "-" : "") + text + " s";
}

Verdict check(const Schedule& schedule, std::uint64_t work) {
  Verdict verdict;
  check_rows(schedule, verdict);
  replay(schedule, work, verdict);
  return verdict;
}

}  // namespace headroom::verify
