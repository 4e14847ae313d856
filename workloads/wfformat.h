// Reads WfFormat, the JSON in which WfCommons keeps traces of real workflows, into columns: one workflow of many tasks.
// It streams: memory is for the tasks, not for the text. It knows no cluster, no tenants and no options.
//
// Read are schema versions 1.0 to 1.6. Since 1.5 the graph stands in workflow.specification, run times in
// workflow.execution, and ids join them; before, everything of a task stood in workflow.tasks (workflow.jobs up
// to 1.2), and its name was what parents and children said. Where the tasks stand decides, not what schemaVersion says:
// some published files name the wrong one. Any other version is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/time.h"
#include "workloads/repair_log.h"

namespace headroom {

struct WfMachine {
  std::string name;
  std::int64_t cores = 0;
  std::int64_t memory = 0;  ///< bytes; 0: not said
};

/// Columns in the order in which the file lists the tasks.
struct WfTrace {
  std::string path;
  std::string name;                        ///< the file's own name for the workflow
  std::vector<std::string> task;           ///< what names it, distinct: the id since 1.5, the name before
  std::vector<Duration> run_time;          ///< to nanoseconds
  std::vector<std::int64_t> cores;         ///< >= 1; empty: 1 everywhere
  std::vector<std::int64_t> memory;        ///< bytes, 0 where not said; empty: said nowhere
  std::vector<std::uint32_t> needs_begin;  ///< size tasks + 1, into needs
  std::vector<std::uint32_t> needs;        ///< of each task its parents, rising, each once
  std::vector<WfMachine> machines;         ///< those with a number of cores; names are distinct
  std::optional<std::int64_t> start_unix_s;
  RepairLog repairs;

  [[nodiscard]] std::size_t tasks() const { return task.size(); }
};

/// Reads a whole trace.
///
/// Fails   InputError: what ByteSource refuses; text that is no JSON (the first place); else everything that is wrong
///         with the workflow at once: no tasks, repeated ids, unknown parents and children, circles, run times that are
///         missing, negative or longer than a century, another schema version.
/// Cost    O(bytes + dependencies log degree). A text of more than 16 MiB or more than 64 levels is refused.
[[nodiscard]] WfTrace read_wfformat(const std::string& path);
/// The same of text in memory; `name` stands in messages. The entry for fuzzing: whatever the bytes, it returns or
/// throws InputError.
[[nodiscard]] WfTrace read_wfformat_text(std::string_view text, const std::string& name);

/// Does the beginning of a text look like WfFormat? A JSON object with a key that a workload of ours has not.
[[nodiscard]] bool looks_like_wfformat(std::string_view head);

}  // namespace headroom
