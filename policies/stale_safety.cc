#include "policies/stale_safety.h"

namespace headroom {

void StaleSafety::touch(StageId stage, bool flag) {
  Node& own = nodes_.at(stage.value);
  own.flagged |= flag;
  if (own.touched) return;
  own.touched = true;
  touched_.push_back(stage);
}

void StaleSafety::declared(StageId stage, StageId declarer) {
  nodes_[stage.value].declarer = declarer;
  if (!declarer.is_none()) nodes_[declarer.value].children.push_back(stage);
  touch(stage, true);
}

/// Without recursion, since plans may nest as deep as users like.
void StaleSafety::collect_below(StageId declarer) {
  below_.assign(node(declarer).children.begin(), node(declarer).children.end());
  for (std::size_t i = 0; i < below_.size(); ++i) {
    const std::vector<StageId>& children = node(below_[i]).children;
    below_.insert(below_.end(), children.begin(), children.end());
  }
}

const std::vector<StageId>& StaleSafety::hold_changed(StageId declarer, bool holding) {
  nodes_[declarer.value].holding = holding;
  collect_below(declarer);
  touch(declarer, true);
  for (const StageId stage : below_) touch(stage, true);
  return below_;
}

// The start of a plan is a change of state like its end, but nothing is below it yet.
const std::vector<StageId>& StaleSafety::ended(StageId plan) {
  nodes_.try_emplace(plan.value);
  collect_below(plan);
  touch(plan, true);
  for (const StageId stage : below_) touch(stage, false);
  return below_;
}

/// The least of what the walks bring that begin at each flagged stage above, the stage itself included; without any,
/// what is stored. A walk begins with the declarer's stored answer and is stopped by every open hold on its way.
bool StaleSafety::is_safe(StageId stage) const {
  bool safe = true;
  bool walked = false;
  bool way_is_free = true;
  for (StageId at = stage;;) {
    const Node& own = node(at);
    const Node* declarer = own.declarer.is_none() ? nullptr : &node(own.declarer);
    const bool gate_is_open = declarer == nullptr || !declarer->holding;
    if (own.flagged) {
      walked = true;
      safe &= way_is_free && gate_is_open && (declarer == nullptr || declarer->safe);
    }
    if (declarer == nullptr) break;
    way_is_free &= gate_is_open;
    at = own.declarer;
  }
  return walked ? safe : node(stage).safe;
}

void StaleSafety::settle() {
  // All answers rest on the old ones, so none is stored before the last is found.
  answers_.clear();
  for (const StageId stage : touched_) answers_.push_back(is_safe(stage));
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    Node& own = nodes_.at(touched_[i].value);
    own.safe = answers_[i];
    own.flagged = own.touched = false;
  }
  touched_.clear();
}

}  // namespace headroom
