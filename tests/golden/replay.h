// A recorded build as a workload file, and what the simulator makes of it. From the recording it takes the slots, the
// options and when each plan's first line ran; everything else is the plan's text and `like: stepup-rc13`.
#pragma once

#include <string>
#include <vector>

#include "tests/golden/recorded_build.h"
#include "workloads/yaml_reader.h"

namespace headroom::golden {

/// Why the build cannot be simulated yet; "" if it can.
[[nodiscard]] std::string not_simulated_yet(const RecordedBuild& build);

/// The workload file, as text: JSON, which is YAML.
[[nodiscard]] std::string workload_text(const RecordedBuild& build);

struct Replay {
  std::vector<std::string> dispatched;  ///< in order, by recorded name
  double makespan = 0;                  ///< seconds
};
/// Reads workload_text(), overrides put in place, and runs it. Fails  InputError.
[[nodiscard]] Replay simulate_build(const RecordedBuild& build, const std::vector<Override>& overrides = {},
                                    const char* policy = "default");

}  // namespace headroom::golden
