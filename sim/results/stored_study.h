// What a results file says of its study, read back: enough to run it again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/results/study_facts.h"

namespace headroom {

struct StoredStudy {
  std::string version;  ///< of the program that wrote the file
  bool complete = false;
  std::string workload_text;
  std::vector<std::string> sets;              ///< path=value
  std::vector<std::string> policy_arguments;  ///< --policy as given
  std::uint64_t seed = 1;
  std::int64_t replications = 1;
  std::vector<InputFile> inputs;
};

/// Fails  InputError: kNoInput if there is no such file, kBadInput if it is no results file or says too little.
[[nodiscard]] StoredStudy read_stored_study(const std::string& path);

}  // namespace headroom
