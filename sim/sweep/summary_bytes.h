// A run's summary as bytes in its part file, so that a resumed study tells of earlier runs what it would tell of new
// ones.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/study.h"

namespace headroom {

/// Everything but the spec, the makespans and what the tables hold.
[[nodiscard]] std::string summary_bytes(const RunSummary& summary);
/// Fails  BytesDamaged (sim/results/bytes.h).
[[nodiscard]] RunSummary read_summary(const std::string& bytes, const RunSpec& spec);

[[nodiscard]] std::string makespan_bytes(const std::vector<double>& makespans_s);
[[nodiscard]] std::vector<double> read_makespans(const std::string& bytes);

}  // namespace headroom
