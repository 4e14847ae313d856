// What is true of every schedule, whoever made it: checked on outcomes without asking how they were found.
#pragma once

#include <string>

#include "tests/property/outcome.h"

namespace headroom::oracle {

/// The first broken law in words; empty if none is. Capacity, precedence, declaration before start, lengths of
/// attempts, no attempt too many, starts in order of time.
[[nodiscard]] std::string broken_law(const Case& c, const Outcome& outcome);

}  // namespace headroom::oracle
