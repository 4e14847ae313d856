#include "sim/compare/gate.h"

#include <cmath>

#include "workloads/diagnostics.h"
#include "workloads/scalar_text.h"

namespace headroom::compare {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& what) {
  throw InputError({Diagnostic{
      "", 0, 0, "'" + text + "': " + what + "; write METRIC OP LIMIT, like 'wait_time_mean > +5%' or 'makespan <= 2h'",
      ""}});
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// A number, or a time in seconds.
double limit_of(const std::string& text, const std::string& limit) {
  const bool is_negative = limit.starts_with('-');
  const std::string size = limit.substr(is_negative || limit.starts_with('+') ? 1 : 0);
  double value = 0;
  if (size.empty() || size.front() == '-' || size.front() == '+') {
    refuse(text, "'" + limit + "' is neither a number nor a time nor a percentage");
  } else if (const auto number = read_number(size); number.ok()) {
    value = static_cast<double>(number.value);
  } else if (const auto time = read_duration(size); time.ok()) {
    value = time.value.in_seconds();
  } else {
    refuse(text, "'" + limit + "' is neither a number nor a time nor a percentage");
  }
  return is_negative ? -value : value;
}

bool holds(Gate::Op op, double value, double limit) {
  switch (op) {
    case Gate::Op::kLess:
      return value < limit;
    case Gate::Op::kLessOrEqual:
      return value <= limit;
    case Gate::Op::kMore:
      return value > limit;
    case Gate::Op::kMoreOrEqual:
      return value >= limit;
  }
  return false;
}

}  // namespace

Gate gate_of(const std::string& text) {
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string::npos) refuse(text, "there is no <, <=, > or >=");
  Gate gate;
  gate.text = text;
  const bool or_equal = at + 1 < text.size() && text[at + 1] == '=';
  gate.op = text[at] == '<' ? (or_equal ? Gate::Op::kLessOrEqual : Gate::Op::kLess)
                            : (or_equal ? Gate::Op::kMoreOrEqual : Gate::Op::kMore);
  const std::string name = trimmed(text.substr(0, at));
  const auto what = measured(name);
  if (!what) refuse(text, "'" + name + "' is no metric");
  gate.what = *what;
  std::string limit = trimmed(text.substr(at + (or_equal ? 2 : 1)));
  if (limit.empty()) refuse(text, "there is no limit");
  gate.is_relative = limit.ends_with('%');
  gate.is_difference = gate.is_relative || limit.starts_with('+') || limit.starts_with('-');
  if (gate.is_relative) limit.pop_back();
  gate.limit = limit_of(text, trimmed(limit));
  if (gate.is_relative) gate.limit /= 100;
  return gate;
}

std::vector<GateAnswer> ask(const Gate& gate, const SampledRuns& runs, const Comparison& comparison) {
  Request request;
  request.by = comparison.by;
  request.baseline = comparison.baseline;
  request.metrics = {gate.what};
  const Comparison own = compare(runs, request);
  std::vector<GateAnswer> answers;
  for (const Row& row : own.metrics.front().overall) {
    const Paired beyond =
        paired(shifted(row.baseline_sample, gate.limit, gate.is_relative), row.other_sample, !own.is_random);
    const Interval interval = gate.is_difference ? Interval{beyond.low, beyond.high} : row.pair.of_other;
    const double limit = gate.is_difference ? 0 : gate.limit;
    GateAnswer answer{row.value, row.pair.n, false, !std::isnan(interval.low) && !std::isnan(interval.high)};
    answer.is_shown = answer.can_be && holds(gate.op, interval.low, limit) && holds(gate.op, interval.high, limit);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace headroom::compare
