// The results file: HDF5 in netCDF-4's layout, readable without any code of ours.
#pragma once

#include <string>

#include "sim/results/stored_runs.h"
#include "sim/results/study_facts.h"

namespace headroom {

/// Raised when a column changes its meaning or goes away, and when one is new that our own readers cannot do without.
inline constexpr int kSchemaVersion = 2;
/// The version of this program, which results and part files carry.
[[nodiscard]] std::string headroom_version();

/// Writes everything to `path`, which is replaced. Neither fsynced nor renamed: that is the caller's step.
///
/// The same bytes for the same runs, whatever parts they came in and whatever `threads` (0: none beside the caller's).
/// Fails   OutputError kCannotWrite; the file is removed. BytesDamaged if a part changed since it was checked.
/// Cost    memory for a few chunks a column.
void write_results_file(const std::string& path, const StudyFacts& facts, StoredRuns& runs, unsigned threads);

}  // namespace headroom
