// From what the command line names to a document: a workload file, a bare trace, or stdin. The kind of a file is seen
// from its content, never from its name.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "policies/policy.h"
#include "workloads/workload.h"
#include "workloads/yaml_reader.h"

namespace headroom::cli {

enum class FileKind : std::uint8_t { kWorkload, kPolicy, kSwf, kWfFormat };
/// From the first bytes of a file. Gzip is taken for a trace, as nothing else of ours is compressed: for SWF here,
/// where nothing is inflated; kind_of_file() looks inside.
[[nodiscard]] FileKind kind_of_content(std::string_view beginning);
/// Fails  InputError (kNoInput) where it cannot be read.
[[nodiscard]] FileKind kind_of_file(const std::string& path);

/// `path` "-": `in` to its end, called "stdin".
/// Fails  InputError; UsageError for a trace on stdin.
[[nodiscard]] WorkloadDocument open_workload(const std::string& path, std::istream& in);

/// A policy by its name: of the workload (may be null), a preset, expr:EXPRESSION, a file, in braces; several where its
/// params have several values.
/// Fails  UsageError for a name that is none of these; InputError for an expression or a file with errors and for one
///        that is not there.
[[nodiscard]] std::vector<Policy> find_policies(const std::string& name, const Workload* workload);

}  // namespace headroom::cli
