// The parts of a `generate:` item that are read by themselves. Internal to the reader.
#pragma once

#include <string>

#include "workloads/read_sections.h"

namespace headroom::yaml {

/// `arrivals:`. With a load the rates that it asks for are left out: poisson and diurnal need none, `every` is made up.
/// Reports what is wrong and leaves something harmless.
[[nodiscard]] Arrivals read_arrivals(Context& context, const Node& node, bool with_load, bool& ok);

/// `shape:`.
[[nodiscard]] Shape read_shape(Context& context, const Node& node, const std::string& where);

/// What a generated stage takes and asks for: of the item itself, or of one entry of its mix, which begins as a copy of
/// the item's. `where`: "generate 'base'".
/// `needs_run_time`  reports a missing `runtime`.
void read_generated_stage(Reading& reading, MapReader& map, const std::string& where, bool needs_run_time,
                          GeneratedStage& into);

}  // namespace headroom::yaml
