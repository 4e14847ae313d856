// Which dispatches of a recorded build have an order that can be held against a model, and whether a model has it.
//
// Each pick has a cause: the last of what it waited for. That is the call that declared it; the end of whoever makes
// one of its inputs; the release of a hold above it; the end of a plan above it just before (what an rc13 release
// leaves behind waits for that); and, if all slots were taken just before the end of a job, that end. Two picks compete
// if their causes are ends or calls of different processes less than 50 ms apart: on another run of the same build,
// noise might have had them the other way round. Those pairs are counted and not compared. All others are: what one
// plan's process does is in one order whatever the noise, and so are the picks that one end sets free.
#pragma once

#include <string>
#include <vector>

#include "tests/golden/recorded_build.h"

namespace headroom::golden {

struct Agreement {
  std::size_t pairs = 0;     ///< of dispatches
  std::size_t compared = 0;  ///< those that do not compete
  std::vector<std::string>
      differences;  ///< compared pairs that the model has the other way round, and what only one has
};

/// `dispatched`: the model's order, by recorded names.
[[nodiscard]] Agreement compare(const RecordedBuild& build, const std::vector<std::string>& dispatched);

}  // namespace headroom::golden
