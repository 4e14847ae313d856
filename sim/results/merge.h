// Shards into one results file: that they are parts of one study, that nothing is missing, and then the very step that
// ends an unsharded run. It needs the parts alone, neither the workload nor its traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/results/study_facts.h"

namespace headroom {

struct MergeRequest {
  std::vector<std::string> parts;  ///< folders of finished shards
  std::string out;
  bool force = false;    ///< `out` may be replaced
  unsigned threads = 0;  ///< that pack chunks beside the calling one
};

struct Merged {
  std::string title;
  std::uint64_t runs = 0;
};

/// The parts are kept.
/// Fails  InputError kNoInput: a part is not there. kBadInput: a part is unfinished, in use, or of another study than
/// the
///        first, or the parts leave runs out or have them twice. OutputError kCannotCreate, or kCannotWrite, which is
///        also what a damaged part is.
[[nodiscard]] Merged merge_parts(const MergeRequest& request);

/// What a shard keeps beside its runs so that merge_parts() can write the whole: everything of `facts`.
[[nodiscard]] std::string facts_bytes(const StudyFacts& facts);
/// Fails  BytesDamaged.
[[nodiscard]] StudyFacts read_facts(const std::string& bytes);

}  // namespace headroom
