// Works and outcomes as a few short lines, for the message of a failing property.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "tests/property/outcome.h"

namespace headroom::oracle {

/// "3h", "1500ms", "7ns": the largest unit that divides it. "never".
[[nodiscard]] std::string show(Duration length);
[[nodiscard]] std::string show(TimePoint at);
[[nodiscard]] std::string show(const std::vector<StageRow>& rows);
[[nodiscard]] std::string show(const StageOutcome& stage);
/// Cluster, settings, policy, then one line per workflow, stage and plan; ends in a newline.
[[nodiscard]] std::string show(const Case& c);

[[nodiscard]] std::string_view word(RunStatus status);
[[nodiscard]] std::string_view word(Phase phase);

std::ostream& operator<<(std::ostream& out, const Case& c);

}  // namespace headroom::oracle
