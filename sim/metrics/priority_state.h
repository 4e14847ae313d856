// The inputs of every workflow's priority as the log is read: those of Work until somebody changes them.
// It must know no policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "policies/priority_rule.h"
#include "sim/engine/control_log.h"
#include "workloads/work.h"

namespace headroom {

class PriorityState {
 public:
  PriorityState(const Work& work, const ControlLog& control) : work_(work), changes_(control.changes) {}

  /// Applies what came before event `position` of the log. Rising.
  void advance(std::size_t position) {
    while (next_ < changes_.size() && changes_[next_].position <= position) apply(changes_[next_++]);
  }
  /// The next change alone; there is one.
  void apply_next() { apply(changes_[next_++]); }
  [[nodiscard]] PriorityInputs inputs(std::uint32_t workflow, TimePoint created_at) const;
  /// Position of the next change; the largest number if there is none.
  [[nodiscard]] std::size_t next_position() const {
    return next_ < changes_.size() ? changes_[next_].position : SIZE_MAX;
  }

 private:
  void apply(const PriorityChange& change) {
    changed_[static_cast<std::size_t>(change.factor)][change.target] = change.new_value;
  }
  [[nodiscard]] std::int64_t value(Factor factor, std::uint32_t target, std::int64_t first) const {
    const auto& changed = changed_[static_cast<std::size_t>(factor)];
    if (changed.empty()) return first;
    const auto found = changed.find(target);
    return found == changed.end() ? first : found->second;
  }

  const Work& work_;
  const std::vector<PriorityChange>& changes_;
  std::size_t next_ = 0;
  std::unordered_map<std::uint32_t, std::int64_t> changed_[4];  ///< by Factor; looked up, never walked
};

/// By workflow, the inputs at its submission; empty where no entity's priority was changed, so that they are Work's.
[[nodiscard]] std::vector<PriorityInputs> inputs_at_submission(const Work& work, const ControlLog& control,
                                                               const std::vector<TimePoint>& submitted_at);

}  // namespace headroom
