// Random small logs with everything in them: gates, failures and tries, cancelations, idle slots, waiting at the end.
#pragma once

#include <cstdint>

#include "log_builder.h"

namespace headroom {

/// A function of the seed. Times are whole seconds up to 24; every stage takes one slot; no event contradicts another.
LogBuilder random_run(std::uint32_t seed);

/// What the log says of each stage during the second [at, at + 1), by reading all of it once more: the obvious model.
struct Second {
  std::vector<bool> waits, runs;
};
std::vector<Second> seconds_of(const LogBuilder& run);

}  // namespace headroom
