// Everything of the workload format that a later version brings, in one table: it is refused by name, never ignored.
#include <array>
#include <string>
#include <string_view>

#include "workloads/read_context.h"

namespace headroom::yaml {
namespace {

struct Later {
  std::string_view section;  ///< of a key: the map's; of a word: the path of the key whose value it is
  std::string_view key;
  std::string_view with;  ///< what it comes with
};

constexpr std::string_view kBuilds = "StepUp builds";
constexpr std::string_view kModels = "further models of generated work";
constexpr std::string_view kTraces = "the other trace formats";
constexpr std::string_view kReplay = "the statistics of traces";

constexpr std::array kTable{
    Later{"scheduler", "defer_cap", kBuilds},
    Later{"scheduler", "durations", kBuilds},
    Later{"workflow", "builds", kBuilds},
    Later{"stage", "optional", kBuilds},
    Later{"stage", "env", kBuilds},
    Later{"stage", "workdir", kBuilds},
    Later{"step", "amend", kBuilds},
    Later{"step", "raise", kBuilds},
    Later{"step", "exit", kBuilds},
    Later{"step", "optional", kBuilds},
    Later{"step", "env", kBuilds},
    Later{"step", "workdir", kBuilds},
    Later{"generate.arrivals", "lublin", kModels},
    Later{"generate.arrivals", "closed", kModels},
    Later{"generate.shape", "cholesky", kModels},
    Later{"generate.shape", "lu", kModels},
    Later{"generate.shape", "fft", kModels},
    Later{"generate.shape", "stencil", kModels},
    Later{"generate.shape", "montage", kModels},
    Later{"generate.estimate", "modal", kModels},
    Later{"trace", "stg", kTraces},
    Later{"trace", "psplib", kTraces},
    Later{"trace", "dot", kTraces},
    Later{"trace", "dax", kTraces},
    Later{"trace", "ninja", kTraces},
    Later{"trace", "nextflow", kTraces},
    Later{"trace", "sacct", kTraces},
    Later{"trace", "stepup", kTraces},
    Later{"trace", "fuzzball", kTraces},
    Later{"trace", "batsim", kTraces},
    Later{"trace", "where", kTraces},
    Later{"trace", "accounts", kTraces},
    Later{"trace", "time_zone", kTraces},
    Later{"trace", "cancelled", kTraces},
    Later{"trace", "running_at_start", kTraces},
    Later{"trace", "resample", kReplay},
    Later{"trace", "shake", kReplay},
    Later{"trace", "load", kReplay},
    Later{"trace", "by", kReplay},
    Later{"trace.feedback", "fields", kReplay},
    Later{"trace.feedback", "sessions", kReplay},
};

}  // namespace

std::string later_message(std::string_view section, std::string_view key) {
  for (const Later& later : kTable) {
    if (later.section != section || later.key != key) continue;
    return "'" + std::string(key) + "' comes with " + std::string(later.with) + " and is not supported yet";
  }
  return "";
}

}  // namespace headroom::yaml
