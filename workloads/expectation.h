// Expected values of what is drawn, for an arrival rate that follows from an offered load. It draws nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "policies/time.h"
#include "workloads/workload.h"

namespace headroom {

/// Mean length in nanoseconds of what sample_duration() and drawn_duration() give, cut off at `most`; what is drawn
/// again because it was negative does not count. +inf: it has no finite mean. Source  the textbook means; with a
/// cut-off and for what has no closed form expectation().
[[nodiscard]] long double mean_duration(const Distribution& distribution, Duration most = Duration::infinite());

/// Mean of sample_integer(), where what is drawn below `least` counts as `least`.
[[nodiscard]] long double mean_integer(const Distribution& distribution, std::int64_t least);

/// E f(X), X in the distribution's own unit, by the midpoints of 256 equal parts of each of the u in [0, 1/2), [1/2,
/// 3/4), [3/4, 7/8) … : tails count in full. Exact for constants and `choose`; otherwise about four digits or better.
[[nodiscard]] long double expectation(const Distribution& distribution,
                                      const std::function<long double(long double)>& f);

/// Values that sample_integer() takes, at least `least`, and their probabilities. Cut into at most 4096 equally likely
/// parts where there are more, and into those of expectation() where it is continuous.
[[nodiscard]] std::vector<std::pair<std::int64_t, long double>> support_of(const Distribution& distribution,
                                                                           std::int64_t least);

}  // namespace headroom
