// Stages of a run as the CSV that tools for Batsim read (evalys and others): its columns in its order, then ours.
// It must know no results file: plain values in, text out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom::cli {

/// One attempt. Times in seconds; NaN: it did not come to that.
struct ExportedAttempt {
  std::string workflow, stage;
  std::int64_t attempt = 0;
  double submitted_at = 0;  ///< of the workflow
  double eligible_at = 0, started_at = 0, finished_at = 0;
  double requested_time = 0;    ///< the walltime, or the estimate of what has none
  std::int64_t cores = 1;       ///< in all, over every node
  std::int64_t first_core = 0;  ///< of its first node, counted over the nodes in file order
  std::string state, kind, reason, node;
  std::string user, account;
};

/// "COMPLETED_SUCCESSFULLY" and so on; "" for a state in which a stage is not over.
[[nodiscard]] std::string batsim_state(const std::string& state);

/// Cores of every attempt as Batsim writes sets ("1-2 5 10-50"), no core twice at one instant: at each start the lowest
/// free ones from first_core on. Empty for what never started. Which further nodes a stage of several took is not
/// asked: of those the numbers say how many, not where. Cost  O(n log n + intervals handed out).
[[nodiscard]] std::vector<std::string> allocate_cores(const std::vector<ExportedAttempt>& attempts);

/// Header and one line an attempt that is over; `left_out` counts those that were not.
///
/// job_id is the workflow's name, or workflow/stage where that is not `main`, with #k for its k-th further attempt. A
/// stage is submitted, in Batsim's sense, when it is eligible: waiting_time is the wait of this attempt.
[[nodiscard]] std::string batsim_csv(const std::vector<ExportedAttempt>& attempts, const std::string& workload,
                                     std::uint64_t& left_out);

}  // namespace headroom::cli
