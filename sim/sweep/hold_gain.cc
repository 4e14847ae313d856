#include "sim/sweep/hold_gain.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headroom {

std::vector<HoldPair> hold_pairs(std::span<const Policy> policies) {
  const auto without_names = [](Policy policy) {
    policy.name.clear();
    policy.about.clear();
    policy.hold = HoldRule::kHonor;
    return policy;
  };
  std::vector<HoldPair> pairs;
  for (std::uint32_t h = 0; h < policies.size(); ++h) {
    if (policies[h].hold != HoldRule::kHonor) continue;
    for (std::uint32_t i = 0; i < policies.size(); ++i) {
      if (policies[i].hold == HoldRule::kIgnore && without_names(policies[h]) == without_names(policies[i])) {
        pairs.push_back({h, i});
      }
    }
  }
  return pairs;
}

std::optional<double> hold_gain(std::span<const double> honor_s, std::span<const double> ignore_s) {
  // Long double keeps a million logarithms from adding up to an error that shows.
  long double sum = 0;
  std::size_t count = 0;
  for (std::size_t w = 0; w < std::min(honor_s.size(), ignore_s.size()); ++w) {
    if (!(honor_s[w] > 0) || !(ignore_s[w] > 0)) continue;  // NaN: did not finish
    sum += std::log(static_cast<long double>(ignore_s[w]) / static_cast<long double>(honor_s[w]));
    ++count;
  }
  if (count == 0) return std::nullopt;
  return static_cast<double>(std::exp(sum / static_cast<long double>(count)));
}

}  // namespace headroom
