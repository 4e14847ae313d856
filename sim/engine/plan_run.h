// A plan that runs: how far it is in its program, and when what it does next takes effect.
#pragma once

#include <cstdint>

#include "policies/ids.h"
#include "policies/time.h"
#include "workloads/work.h"

namespace headroom {

class PlanRun {
 public:
  PlanRun() = default;
  /// Starts at `now`. Holds that are ignored cost no time.
  PlanRun(const PlanProgram& program, StageId stage, bool holds_count, TimePoint now)
      : program_(&program), stage_(stage), holds_count_(holds_count) {
    due_ = saturating_add(saturating_add(now, program.startup), cost());
  }

  [[nodiscard]] StageId stage() const { return stage_; }
  [[nodiscard]] TimePoint due() const { return due_; }
  /// When the program is over, if nothing cuts it off. Cost O(operations left).
  [[nodiscard]] TimePoint ends_at() const {
    PlanRun rest = *this;
    while (!rest.at_end()) rest.advance();
    return rest.due();
  }
  [[nodiscard]] bool at_end() const { return next_ == program_->ops.size(); }
  /// What takes effect at due(); not at_end().
  [[nodiscard]] const PlanProgram::Op& op() const { return program_->ops[next_]; }
  /// The effect is done: on to the next.
  void advance() {
    ++next_;
    due_ = saturating_add(due_, cost());
  }

 private:
  [[nodiscard]] Duration cost() const {
    if (at_end()) return program_->teardown;
    const bool is_hold = op().kind == PlanOp::Kind::kHold || op().kind == PlanOp::Kind::kRelease;
    return is_hold && !holds_count_ ? Duration{} : op().cost;
  }

  const PlanProgram* program_ = nullptr;
  StageId stage_;
  bool holds_count_ = true;
  std::size_t next_ = 0;
  TimePoint due_;
};

}  // namespace headroom
