// One build that the real StepUp made, as it was recorded: what its plan says, and when what was picked and ended. Of
// the simulator it must know nothing: what is read here is the judge.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace headroom::golden {

/// All times in seconds since the first pick of the build.
struct Pick {
  std::string name;  ///< "plan.py" for the root plan
  double picked = 0, ended = 0;
};

/// A call of a plan that makes something eligible, or may.
struct Call {
  std::string event;  ///< "declare", "static", "release"
  std::string name;   ///< of the step, the files, or the hold
  std::string plan;   ///< whose process made it
  double at = 0;      ///< when it was called
};

struct RecordedStep {
  std::string plan;  ///< that declares it; "" for the root plan
  bool is_plan = false;
  std::vector<std::string> inputs, outputs, resources;
};

struct RecordedBuild {
  std::string id;  ///< the case's
  std::size_t index = 0;
  std::string error;  ///< what could not be read; "" if all could
  int slots = 1;
  std::vector<std::string> flags, targets;
  nlohmann::json plan;
  std::vector<Pick> picks;  ///< every run, in order of dispatch
  std::vector<Call> calls;  ///< by time
  std::map<std::string, RecordedStep> steps;
  std::map<std::string, double> plan_begin;  ///< first line of a plan, by its name
  double makespan = 0;
};

/// Every build of every case in the folder, by file name.
[[nodiscard]] std::vector<RecordedBuild> read_folder(const std::filesystem::path& folder);

}  // namespace headroom::golden
