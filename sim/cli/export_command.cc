// sim export: a run of a results file in a format of others.
#include <ostream>

#include "sim/cli/commands.h"

namespace headroom::cli {

ExitStatus export_command(const ExportArguments&, const Streams& streams) {
  streams.err << "sim: export is not in this build\n";
  return kUsage;
}

}  // namespace headroom::cli
