// Everything that the metrics take from the event log, in as few walks over it as it allows.
// It must know neither cohorts nor statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/policy.h"
#include "sim/engine/run_log.h"
#include "sim/metrics/capacity_account.h"
#include "sim/metrics/overtakes.h"
#include "sim/metrics/submission_order.h"
#include "sim/metrics/tabulate.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

struct LogFacts {
  Tabulated tables;
  std::optional<std::vector<std::int64_t>> passed_over_ns;  ///< as passed_over_times_ns() has it
  Overtakes overtaking;
  std::optional<BaseInversions> inversions;  ///< where they come along; else base_inversions() is to be asked
};

/// tabulate(), passed_over_times_ns() and overtakes() at once.
[[nodiscard]] LogFacts read_log(const Work& work, const RunLog& log, const Policy& policy, const Measure& measure,
                                bool with_stages);

}  // namespace headroom
