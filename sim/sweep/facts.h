// A study in the words of its results file, and what makes it the same study as another.
#pragma once

#include <string>
#include <vector>

#include "sim/results/part_store.h"
#include "sim/results/study_facts.h"
#include "sim/sweep/study.h"

namespace headroom {

/// Without trailing zeros: "0.0037s".
[[nodiscard]] std::string exact_text(Duration duration);

/// Everything but the inputs.
[[nodiscard]] StudyFacts facts_of(const Study& study);

/// A file that the study reads beside its workload.
struct InputName {
  std::string path;   ///< as it can be opened from here
  std::string shown;  ///< as it stands in the results: relative to the workload's folder
};
/// Traces of every point, then policy files; each once.
[[nodiscard]] std::vector<InputName> input_names(const Study& study);

/// Size and SHA-256 of every file, the workload's text first.
/// Fails  InputError where one cannot be read any more.
[[nodiscard]] std::vector<InputFile> hash_inputs(const Study& study);

/// All that decides the results. `with_contents`: with a checksum of every input, which means reading them.
[[nodiscard]] Identity identity_of(const Study& study, bool with_contents);

}  // namespace headroom
