// What holds are worth: the same runs with and without them, compared workflow by workflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/policy.h"

namespace headroom {

struct HoldPair {
  std::uint32_t honor = 0, ignore = 0;  ///< indices of policies
};

/// Policies that differ in `hold` alone (names and descriptions aside).
[[nodiscard]] std::vector<HoldPair> hold_pairs(std::span<const Policy> policies);

/// Geometric mean over workflows of makespan(ignore) / makespan(honor). Workflows that did not finish in both, or took
/// no time in either, are left out; none left: nothing.
[[nodiscard]] std::optional<double> hold_gain(std::span<const double> honor_s, std::span<const double> ignore_s);

}  // namespace headroom
