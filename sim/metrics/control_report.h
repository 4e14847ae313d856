// The control log once its run is over, told in names: rows of /events, /audit, /answers, /describes and /queue_views.
// It must know no file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/control_log.h"
#include "workloads/work.h"

namespace headroom {

/// What /stages cannot say of a workflow's life. By time, then in the order in which it happened.
struct ActivityRow {
  enum class Kind : std::uint8_t {
    kPriorityUpdated,
    kStopped,
    kOwnerAdded,
    kOwnerRemoved,
    kNodeFailed,
    kNodeRepaired,
    kNodeCordoned,
    kNodeUncordoned,
  };
  TimePoint at;
  Kind kind = Kind::kPriorityUpdated;
  std::int64_t workflow = -1, stage = -1, node = -1;  ///< -1: none
  std::int64_t factor = 0;                            ///< 0: none, else 1 + Factor
  double old_value, new_value;                        ///< NaN: none
  std::int64_t actor = -1;                            ///< user; -1: nobody
  std::string subject;                                ///< whom, of owners
};
[[nodiscard]] std::span<const std::string_view> activity_words();
[[nodiscard]] std::span<const std::string_view> factor_words();  ///< "none", then by Factor
[[nodiscard]] std::span<const std::string_view> audit_verb_words();

[[nodiscard]] std::vector<ActivityRow> activity(const Work& work, const ControlLog& control);
/// Workflows that were stamped: one for each changed workflow, of an entity's change every unfinished one of it.
[[nodiscard]] std::uint64_t priority_changes(const ControlLog& control);
/// Actions and submissions refused, wholly or in part.
[[nodiscard]] std::uint64_t refusals(const ControlLog& control);

}  // namespace headroom
