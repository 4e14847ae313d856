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

}  // namespace

AxisFacts::AxisFacts(std::string axis_path, std::vector<std::string> axis_values)
    : path(std::move(axis_path)), values(std::move(axis_values)), coordinate(headroom::coordinate(values)) {}

std::uint64_t StudyFacts::runs() const {
  std::uint64_t runs = policies.size() * static_cast<std::uint64_t>(replications);
  for (const AxisFacts& axis : axes) runs *= axis.values.size();
  return runs;
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
