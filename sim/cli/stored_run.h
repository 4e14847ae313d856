// Which run of a results file is meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/results/reader.h"

namespace headroom::cli {

/// `asked`: what --run says. Fails UsageError: there is none, no such one, or several and nobody said which.
[[nodiscard]] std::uint64_t chosen_run(const ResultsReader& reader, const std::string& path,
                                       const std::optional<std::uint64_t>& asked);

}  // namespace headroom::cli
