// The summary that people read: policies side by side, at most 100 columns, with what was assumed and every warning
// under it. It must print nothing itself.
#pragma once

#include <string>

#include "sim/sweep/study.h"

namespace headroom::cli {

/// `out`: the results file, named at the end. Empty: not named.
/// Cost  a bounded number of lines, however many points, policies, classes and users there are; what was left out is
///       counted and where it can be found is said.
[[nodiscard]] std::string summary_table(const Study& study, const StudyResult& result, const std::string& out);

/// The same few metrics as the table, one row a run, as a Markdown table.
[[nodiscard]] std::string summary_markdown(const Study& study, const StudyResult& result);

}  // namespace headroom::cli
