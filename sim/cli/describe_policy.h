// A policy in words: its parts, how the queue keeps its order and why, and whether newcomers can overtake without end.
#pragma once

#include <string>

#include "policies/policy.h"

namespace headroom::cli {

/// "static: every stage ages at 1/h, …".
[[nodiscard]] std::string order_text(const Policy& policy);
/// "kept: …" or "NOT kept: …".
[[nodiscard]] std::string guarantee_text(const Policy& policy);
/// The whole page, at most 100 columns wide.
[[nodiscard]] std::string describe_policy(const Policy& policy);

}  // namespace headroom::cli
