// Which shard a process is: what the command line says, or Slurm.
#pragma once

#include "sim/cli/options.h"
#include "sim/sweep/shard.h"

namespace headroom::cli {

/// `array_index`: Slurm's SLURM_ARRAY_TASK_ID, or null where there is none. N never comes from Slurm, so that part of
/// an array can be sent again. Fails  UsageError: auto without an array, or an index that is not below N.
[[nodiscard]] Shard resolve(const ShardArgument& argument, const char* array_index);

}  // namespace headroom::cli
