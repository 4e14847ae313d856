// sim merge: shards into one file.
#include <algorithm>
#include <ostream>
#include <thread>

#include "sim/cli/commands.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/results/merge.h"
#include "sim/results/reader.h"

namespace headroom::cli {
namespace {

/// As `sim run` says it of the whole study: the status of each run is in the file.
ExitStatus verdict(const std::string& file, std::ostream& err) {
  const ResultsReader reader(file);
  const Column status = reader.column("runs", "status");
  const auto& codes = std::get<std::vector<std::uint8_t>>(status.data);
  ExitStatus exit = kDone;
  for (std::size_t run = 0; run < codes.size(); ++run) {
    const std::string& word = status.meanings.at(codes[run]);
    if (word != "failed" && word != "stalled") continue;
    err << "sim: run " << run << " " << word << "\n";
    exit = kRunFailed;
  }
  return exit;
}

}  // namespace

ExitStatus merge_command(const MergeArguments& arguments, const Streams& streams) {
  MergeRequest request{arguments.parts, arguments.out, arguments.force, 0};
  request.threads = arguments.jobs.value_or(std::max(1U, std::thread::hardware_concurrency())) - 1;
  const Merged merged = merge_parts(request);
  streams.out << "merged " << plural(arguments.parts.size(), "part") << " of " << printable(merged.title) << ": "
              << plural(merged.runs, "run") << " in '" << printable(arguments.out) << "'\n";
  return verdict(arguments.out, streams.err);
}

}  // namespace headroom::cli
