#include "sim/metrics/submission_order.h"

#include <algorithm>
#include <numeric>

namespace headroom {

std::vector<std::uint32_t> submission_order(std::span<const TimePoint> submitted_at) {
  std::vector<std::uint32_t> order(submitted_at.size());
  std::iota(order.begin(), order.end(), 0U);
  if (!std::is_sorted(submitted_at.begin(), submitted_at.end()))
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return submitted_at[a] < submitted_at[b]; });
  return order;
}

SubmissionRanks submission_ranks(std::span<const TimePoint> submitted_at) {
  SubmissionRanks ranks;
  ranks.rank.resize(submitted_at.size());
  TimePoint previous;
  for (const std::uint32_t workflow : submission_order(submitted_at)) {
    const TimePoint at = submitted_at[workflow];
    if (ranks.count == 0 || at != previous) ++ranks.count;
    ranks.rank[workflow] = ranks.count - 1;
    previous = at;
  }
  return ranks;
}

}  // namespace headroom
