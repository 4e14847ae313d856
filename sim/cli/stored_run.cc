#include "sim/cli/stored_run.h"

#include <algorithm>
#include <vector>

#include "sim/cli/units.h"
#include "sim/cli/usage_error.h"

namespace headroom::cli {

std::uint64_t chosen_run(const ResultsReader& reader, const std::string& path,
                         const std::optional<std::uint64_t>& asked) {
  const std::vector<std::uint64_t> runs = reader.runs();
  if (runs.empty()) throw UsageError("'" + path + "' holds no run");
  const std::string range = runs.size() == 1 ? std::to_string(runs.front())
                                             : std::to_string(runs.front()) + " to " + std::to_string(runs.back());
  if (!asked) {
    if (runs.size() == 1) return runs.front();
    throw UsageError("'" + path + "' holds " + plural(runs.size(), "run") + ": say which with --run N (" + range + ")");
  }
  if (!std::binary_search(runs.begin(), runs.end(), *asked))
    throw UsageError("'" + path + "' has no run " + std::to_string(*asked) + " (it has " + range + ")");
  return *asked;
}

}  // namespace headroom::cli
