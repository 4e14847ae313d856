// Paths into a document: `params.slots`, `work.base.arrivals.poisson.rate`, `work[0].at`. Entries of lists go by index
// or by name. It must never know which keys a workload may have: a key that is set and unknown is found by the readers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/yaml_tree.h"

namespace headroom::yaml {

/// Puts `value` (YAML text) at the path; keys that are not there yet are added. Everything put there gets
/// `override_index`. Returns what is wrong with the path or the value, "" if nothing is.
std::string put_at_path(Tree& tree, std::string_view path, const std::string& value, std::int32_t override_index);

/// What stands at the path, or kNoNode.
[[nodiscard]] NodeId find_path(const Tree& tree, std::string_view path);

/// A value as YAML text on one line that reads as the same value.
[[nodiscard]] std::string flow_text(const Tree& tree, NodeId id);

}  // namespace headroom::yaml
