// The program without its process: parses, dispatches, and turns every error into one message and one exit status.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/commands.h"

namespace headroom::cli {

/// Never throws.
[[nodiscard]] ExitStatus run_program(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace headroom::cli
