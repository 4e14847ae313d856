// Workflows by time of submission, and their ranks: what "submitted later" means is decided here.
// It must know nothing of where the times come from (a workflow that waits for another is submitted when the run says).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/time.h"

namespace headroom {

/// Every workflow, by submission, then index. Cost O(n) if they are in that order already, else O(n log n).
[[nodiscard]] std::vector<std::uint32_t> submission_order(std::span<const TimePoint> submitted_at);

/// rank[workflow]: how many distinct submission times are before its own. Equal times have equal ranks, so that
/// "submitted strictly later" is a larger rank.
struct SubmissionRanks {
  std::vector<std::uint32_t> rank;
  std::uint32_t count = 0;
};
[[nodiscard]] SubmissionRanks submission_ranks(std::span<const TimePoint> submitted_at);

}  // namespace headroom
