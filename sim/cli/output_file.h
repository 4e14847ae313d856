// Names of what is written, and small text files written whole or not at all.
#pragma once

#include <string>

namespace headroom::cli {

/// "build.h5": a workload's name as a file in the current folder; what a file name cannot hold becomes '_'.
[[nodiscard]] std::string default_output(const std::string& workload_name);

/// Fails  OutputError (kCannotCreate) where `path` is there and neither `force` nor `resume` is set, is no regular
/// file, or its
///        folder is missing. run_study checks again; this is for saying so before any work is done.
void check_output(const std::string& path, bool force, bool resume);

/// Under a temporary name first, then renamed.
/// Fails  OutputError: kCannotCreate (`path` is there and `force` is not set included), kCannotWrite.
void write_text_file(const std::string& path, const std::string& text, bool force);

}  // namespace headroom::cli
