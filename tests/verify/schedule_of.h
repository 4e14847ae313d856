// A simulated run as the table that the checker looks at, without a file in between.
#pragma once

#include "sim/verify/schedule.h"
#include "tests/property/outcome.h"

namespace headroom::verify {

/// Simulates the case.
[[nodiscard]] Schedule schedule_of(const oracle::Case& c);

}  // namespace headroom::verify
