// What `sim describe`, `sim queue` and `sim events` say of a stored run at any instant. Plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/views/history.h"
#include "sim/views/order.h"

namespace headroom::views {

struct Description {
  TimePoint at;  ///< the instant of the pass that is shown
  std::string workflow, stage, state;
  PriorityInputs inputs;
  Duration age;                              ///< since the workflow was created
  std::optional<double> effective_priority;  ///< none: it has ended, and the inputs are its stamp
};

/// Fails  InputError, each with the nearest name or the earliest time: no such workflow, no such stage, not yet there.
[[nodiscard]] Description describe(const History& history, const std::string& path, const std::string& workflow,
                                   const std::string& stage, TimePoint at);

struct QueuePlace {
  std::size_t position = 0;  ///< from 1, over everything queued
  std::string workflow, stage, user;
  double effective_priority = 0;
};
struct QueueAt {
  TimePoint at;
  std::size_t total = 0;
  std::vector<QueuePlace> rows;
};
/// `mine`: the rows of that user alone, at their places among all.
[[nodiscard]] QueueAt queue_at(const History& history, const std::string& path, TimePoint at,
                               const std::optional<std::string>& mine);

/// Index of the workflow of that name. Fails InputError.
[[nodiscard]] std::uint32_t find_workflow(const History& history, const std::string& path, const std::string& name);
/// Index of its stage of that name; "" is the only one. Fails InputError.
[[nodiscard]] std::uint32_t find_stage(const History& history, const std::string& path, std::uint32_t workflow,
                                       const std::string& name);

}  // namespace headroom::views
