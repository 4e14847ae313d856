// When an open hold of one plan gates the steps below another, as one released program decides it: each step has a
// stored answer that is looked at anew only when some step above it was flagged, and a flagged step starts from its
// declarer's old answer. So the outermost release over a sub-plan that exists already leaves that sub-plan's steps
// gated until the sub-plan or the holding plan ends, if a decision was tried while the hold was open. It must never
// know why else a stage waits.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "policies/ids.h"

namespace headroom {

class StaleSafety {
 public:
  /// `declarer` none: submitted with the workflow.
  void declared(StageId stage, StageId declarer);
  /// The outermost open or release. Returns every stage below, in no particular order but always the same. Cost
  /// O(them).
  const std::vector<StageId>& hold_changed(StageId declarer, bool holding);
  /// The plan has ended. Returns every stage below it.
  const std::vector<StageId>& ended(StageId plan);

  /// What the next look would find: may the stage be started, as far as holds go? Cost O(depth of plans).
  [[nodiscard]] bool is_safe(StageId stage) const;
  /// A decision is tried: the answers of now become the old ones.
  void settle();
  /// Has anything been flagged since?
  [[nodiscard]] bool is_settled() const { return touched_.empty(); }

 private:
  struct Node {
    StageId declarer;
    std::vector<StageId> children;
    bool safe = true;  ///< as stored
    bool flagged = false;
    bool touched = false;  ///< it or a stage above it is flagged
    bool holding = false;
  };

  [[nodiscard]] const Node& node(StageId stage) const { return nodes_.at(stage.value); }
  void touch(StageId stage, bool flag);
  void collect_below(StageId declarer);

  std::unordered_map<std::uint32_t, Node> nodes_;  ///< looked up, never walked
  std::vector<StageId> touched_;
  std::vector<StageId> below_;
  std::vector<bool> answers_;
};

}  // namespace headroom
