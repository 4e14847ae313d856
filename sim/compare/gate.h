// What a policy repository's CI asks of a comparison: wait_time_mean > +5%. It must never know an exit status.
#pragma once

#include <string>
#include <vector>

#include "sim/compare/comparison.h"

namespace headroom::compare {

/// METRIC[(GROUP)] OP LIMIT. A limit that has a sign or ends in % is a difference to the baseline; else it is a value
/// of the metric itself. Times may have a unit: +30s, 2h.
struct Gate {
  std::string text;
  Measured what;
  enum class Op : std::uint8_t { kLess, kLessOrEqual, kMore, kMoreOrEqual };
  Op op = Op::kMore;
  double limit = 0;  ///< of a percentage the fraction
  bool is_difference = false, is_relative = false;
};
/// Fails  InputError that says which part is wrong and what would be right.
[[nodiscard]] Gate gate_of(const std::string& text);

/// Of one value of the axis: does the whole interval, or the exact number, fulfil it?
struct GateAnswer {
  std::string value;
  std::size_t pairs = 0;
  bool is_shown = false;
  bool can_be = true;  ///< false: it has no such value, or one replication of what is random
};
/// By value, over all points.
[[nodiscard]] std::vector<GateAnswer> ask(const Gate& gate, const SampledRuns& runs, const Comparison& comparison);

}  // namespace headroom::compare
