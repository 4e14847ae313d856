#include "sim/cli/shard_option.h"

#include <charconv>
#include <string>

namespace headroom::cli {

Shard resolve(const ShardArgument& argument, const char* array_index) {
  if (argument.index) return {*argument.index, argument.count};
  const std::string all = "auto/" + std::to_string(argument.count);
  if (array_index == nullptr)
    throw UsageError("option '--shard " + all + "' takes the index from Slurm's SLURM_ARRAY_TASK_ID, which is not set");
  const std::string text = array_index;
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index >= argument.count)
    throw UsageError("option '--shard " + all + "': SLURM_ARRAY_TASK_ID is '" + text + "', not a number from 0 to " +
                     std::to_string(argument.count - 1));
  return {index, argument.count};
}

}  // namespace headroom::cli
