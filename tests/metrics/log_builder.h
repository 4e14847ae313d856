// Builds a Work and the log of a run on it by hand, for the tests of the metrics. Times are in whole seconds.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/run_log.h"
#include "workloads/work.h"

namespace headroom {

constexpr TimePoint at_s(std::int64_t seconds) { return TimePoint::zero() + Duration::seconds(seconds); }

class LogBuilder {
 public:
  /// One organization "acme" with the accounts "lab" and "shop", users "ada" and "ben", one node of `slots` cores.
  explicit LogBuilder(std::int64_t slots);

  /// A workflow of one-core stages without needs, in an item of its own unless the last item has the same name.
  /// Returns its index.
  std::uint32_t workflow(const char* name, std::int64_t submitted_s, const std::vector<std::int64_t>& run_times_s,
                         std::int64_t priority = 0, std::uint32_t user = 0, std::uint32_t account = 0);
  std::uint32_t job(const char* name, std::int64_t submitted_s, std::int64_t run_s, std::int64_t priority = 0) {
    return workflow(name, submitted_s, {run_s}, priority);
  }
  /// `row` needs `before`. Given by rising row.
  void need(StageRow row, StageRow before);

  // ---- events, in the order of the calls
  LogBuilder& submit(std::int64_t at, std::uint32_t workflow, bool stages_at_once = true);
  LogBuilder& declare(std::int64_t at, StageRow row, bool at_once);
  LogBuilder& event(std::int64_t at, EventKind kind, std::uint32_t subject, Reason reason = Reason::kAlone);
  LogBuilder& start(std::int64_t at, StageRow row) { return event(at, EventKind::kStarted, row); }
  LogBuilder& finish(std::int64_t at, StageRow row) { return event(at, EventKind::kFinished, row); }
  /// Ends the log; by default at its last event.
  LogBuilder& end(std::int64_t at = -1);

  /// Jobs on one slot, one after another in this order, each as soon as it can; then end().
  void serve(const std::vector<std::uint32_t>& order);

  Work work;
  RunLog log;
};

/// shared/workloads/catch_up.yaml: workflow 0 is bulk (-10), 1 … 40 are stream[0] … stream[39], hourly, 90 minutes
/// each.
LogBuilder catch_up_run(bool with_aging);

}  // namespace headroom
