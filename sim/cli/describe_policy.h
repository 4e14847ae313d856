// A policy in words: its parts, how the queue keeps its order and why, and whether newcomers can overtake without end.
#pragma once

#include <string>

#include "policies/policy.h"
#include "workloads/work.h"

namespace headroom::cli {

/// "static: every stage ages at 1/h, …".
[[nodiscard]] std::string order_text(const Policy& policy);
/// "kept: …", "NOT kept: …" or "not proved: …". Of an expression with work: by the bases that there are.
[[nodiscard]] std::string guarantee_text(const Policy& policy, const Work* work = nullptr);
/// The whole page, at most 100 columns wide. `work` (may be null): what its bases are said of.
[[nodiscard]] std::string describe_policy(const Policy& policy, const Work* work = nullptr);

}  // namespace headroom::cli
