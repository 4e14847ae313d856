// The activity log of one workflow: everything that happened to it and to its stages, in order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/views/history.h"

namespace headroom::views {

struct LogLine {
  TimePoint at;
  std::string kind;         ///< workflow_submitted, stage_ready, stage_started, priority_updated …
  std::int64_t stage = -1;  ///< index; -1: the workflow as a whole
  std::string factor, actor, detail;
  std::optional<double> old_value, new_value;
};

/// By time; at one instant ends come before submissions, those before what becomes ready, then what people did, then
/// starts.
[[nodiscard]] std::vector<LogLine> activity_log(const History& history, std::uint32_t workflow);

}  // namespace headroom::views
