// The summary as JSON, and FILE.perf.json. Every digit of every number; an undefined value is null, an infinite one the
// text "Infinity" (JSON has no such number).
#pragma once

#include <string>

#include "sim/sweep/study.h"

namespace headroom::cli {

/// One object, indented, with a newline at the end: {"headroom", "workload", "results", "warnings", "hold_gain",
/// "runs"}.
[[nodiscard]] std::string summary_json(const Study& study, const StudyResult& result, const std::string& out);

/// What the simulation itself cost, by run.
[[nodiscard]] std::string perf_json(const Study& study, const StudyResult& result);

/// One row a run: everything that the JSON has of the run as a whole. Undefined is empty, infinite is inf.
[[nodiscard]] std::string summary_csv(const Study& study, const StudyResult& result);

/// A field of a CSV line, quoted where it has to be (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view text);
/// The shortest digits that read back as the same double; "" for NaN, "inf" for infinity.
[[nodiscard]] std::string csv_number(double value);

}  // namespace headroom::cli
