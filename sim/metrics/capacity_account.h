// Where the cluster's core time went, as an account that adds up: every core of every instant of the window is under
// exactly one heading. And base_inversions: starts that a stage of higher base had to watch.
// It must know neither files nor cohorts.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/policy.h"
#include "sim/engine/run_log.h"
#include "sim/metrics/tabulate.h"
#include "sim/metrics/wide.h"
#include "workloads/work.h"

namespace headroom {

/// Cores x nanoseconds inside the window. Of the cores that are idle at an instant, those that waiting stages ask for
/// go under why these wait (first what fits, then what does not, then what is held), the rest under no_work.
struct CapacityAccount {
  Int128 busy = 0;              ///< held by stages; of plans only while they compute
  Int128 overhead = 0;          ///< held by plans that start up, declare, hold, release or end
  Int128 waiting_for_pass = 0;  ///< something fits, and there has been no pass since it does
  Int128 depth = 0;             ///< something fits that the last pass did not look at
  Int128 reserved = 0;          ///< something fits that would have delayed what was promised
  Int128 does_not_fit = 0;      ///< asked for by what finds enough cores, but not in one place or not the rest
  Int128 too_wide = 0;          ///< asked for by what needs more cores than are idle
  Int128 held = 0;              ///< asked for by what could run but for a hold
  Int128 no_work = 0;
  Int128 down = 0;                        ///< of nodes that take no work, except what still runs there
  Int128 down_memory = 0, down_gpus = 0;  ///< the same of memory and GPUs; no part of the sum

  [[nodiscard]] Int128 sum() const {
    return busy + overhead + waiting_for_pass + depth + reserved + does_not_fit + too_wide + held + no_work + down;
  }
};

/// Fails  CheckFailed where it does not add up to cores x window.
/// Cost   nothing to speak of where every stage takes one core, at once; else O(events x different demands).
[[nodiscard]] CapacityAccount capacity_account(const Work& work, const RunLog& log, const Policy& policy,
                                               const Tabulated& tables);

/// Starts while a stage of higher base (the policy's priority at age 0) was eligible and fitted, by why the best ranked
/// of those was not taken: it was younger, it tied and a tie decided, or a reservation stood in its way.
struct BaseInversions {
  std::uint64_t starts = 0, age = 0, tie = 0, reservation = 0;
  [[nodiscard]] std::uint64_t all() const { return age + tie + reservation; }
};
/// Cost  O(workflows) where all bases are equal, else O(starts x different bases x different demands) at worst.
/// Nothing where a stage started before what it replaced had ended (`simultaneous: pyss`).
[[nodiscard]] std::optional<BaseInversions> base_inversions(const Work& work, const RunLog& log, const Policy& policy,
                                                            const Tabulated& tables);

}  // namespace headroom
