#include "sim/results/study_facts.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace headroom {
namespace {

template <class Number>
std::optional<std::vector<Number>> all_numbers(const std::vector<std::string>& values) {
  std::vector<Number> numbers;
  for (const std::string& text : values) {
    // "inf" and "nan" are names to a workload file, not numbers.
    if (text.find_first_not_of("+-.0123456789eE") != std::string::npos) return std::nullopt;
    Number number{};
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(begin, end, number);
    if (error != std::errc() || stopped != end || begin == end) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// The values without the unit that all of them end in; the values themselves where that leaves no numbers.
std::vector<std::string> without_unit(const std::vector<std::string>& values, std::string& unit) {
  std::vector<std::string> numbers;
  for (const std::string& value : values) {
    if (!value.ends_with(unit)) break;
    numbers.push_back(value.substr(0, value.size() - unit.size()));
  }
  if (numbers.size() == values.size() && all_numbers<double>(numbers)) return numbers;
  unit.clear();
  return values;
}

}  // namespace

AxisFacts::AxisFacts(std::string axis_path, std::vector<std::string> axis_values, std::string axis_unit, bool is_zipped)
    : path(std::move(axis_path)),
      values(std::move(axis_values)),
      unit(std::move(axis_unit)),
      zipped(is_zipped),
      coordinate(headroom::coordinate(without_unit(values, unit))) {}

std::uint64_t StudyFacts::runs() const {
  std::uint64_t cells = policies.size();
  for (const AxisFacts& axis : axes)
    if (!axis.zipped) cells *= axis.values.size();
  if (!grid.empty()) cells = static_cast<std::uint64_t>(std::ranges::count(grid, true));
  return cells * static_cast<std::uint64_t>(replications);
}

Column::Data coordinate(const std::vector<std::string>& values) {
  if (auto whole = all_numbers<std::int64_t>(values)) return *std::move(whole);
  if (auto real = all_numbers<double>(values)) return *std::move(real);
  return values;
}

std::string axis_name(const std::string& path, const std::vector<std::string>& taken) {
  std::string name = path;
  std::ranges::replace(name, '/', '_');
  while (std::ranges::find(taken, name) != taken.end()) name += '_';
  return name;
}

std::string history_of(const StudyFacts& facts) {
  std::vector<std::string> policies;
  for (const PolicyFacts& policy : facts.policies) policies.push_back(policy.name);
  std::string text = "workload " + facts.title + "; policies " + joined(policies);
  if (!facts.sets.empty()) text += "; set " + joined(facts.sets);
  return text + "; seed " + std::to_string(facts.seed) + "; replications " + std::to_string(facts.replications);
}

}  // namespace headroom
