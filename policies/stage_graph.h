// The dependency graph of all declared stages, growing as they are declared, and its tail times: exact, updated
// upstream of what changed only. It knows neither states nor queues.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policies/ids.h"
#include "policies/time.h"

namespace headroom {

/// tail(s) = estimate(s) + the largest tail of its consumers (0 if none), over all declared consumers.
class StageGraph {
 public:
  void reserve(std::size_t stages) { times_.reserve(stages); }
  /// A stage without edges; ids are given in order from 0.
  StageId add(Duration estimate);
  /// Several stages at once, the k-th of which needs `needs[needs_begin[k] .. needs_begin[k+1])`, as indices into the
  /// batch. Their tail times are right at once. No cycle (checked).
  /// Cost  O(stages + needs).
  StageId add_batch(std::span<const Duration> estimates, std::span<const std::uint32_t> needs_begin,
                    std::span<const std::uint32_t> needs);
  /// `consumer` needs `producer`. Tail times upstream are out of date until the next update().
  void add_edge(StageId producer, StageId consumer);

  [[nodiscard]] bool up_to_date() const { return dirty_.empty(); }
  /// Brings every tail time up to date. `before(stage)` is called while the old value still stands, `after(stage)` once
  /// the new one does, for each stage whose value changes. Edges are only ever added, so values only rise.
  ///
  /// Cost  nothing upstream of a stage whose value stands; a stage is visited once, except where some consumer was
  ///       declared before its producer: then at most once per edge and level.
  template <class Before, class After>
  void update(Before before, After after);

  void prefetch(StageId stage) const { __builtin_prefetch(&times_[stage.value]); }
  [[nodiscard]] std::size_t size() const { return times_.size(); }
  [[nodiscard]] Duration tail(StageId stage) const { return times_[stage.value].tail; }
  [[nodiscard]] Duration estimate(StageId stage) const { return times_[stage.value].estimate; }
  [[nodiscard]] std::span<const StageId> consumers(StageId stage) const { return consumers_.of(stage); }
  [[nodiscard]] std::span<const StageId> producers(StageId stage) const { return producers_.of(stage); }

 private:
  /// Growing lists in one arena: a list that is full moves to the arena's end with twice the room.
  class Lists {
   public:
    [[nodiscard]] std::span<const StageId> of(StageId stage) const {
      if (stage.value >= lists_.size()) return {};
      const List& list = lists_[stage.value];
      return {arena_.data() + list.begin, list.size};
    }
    void push(StageId stage, StageId value);
    /// Room for a batch: sizes[k] entries for stage first + k.
    void reserve_batch(StageId first, std::span<const std::uint32_t> sizes);

   private:
    struct List {
      std::uint64_t begin = 0;
      std::uint32_t size = 0, capacity = 0;
    };
    std::vector<List> lists_;  ///< shorter than the graph while nobody has an edge
    std::vector<StageId> arena_;
  };

  [[nodiscard]] Duration recomputed(StageId stage) const;
  /// `producer` is now known to last at least until its consumer's end.
  void raise(StageId producer, StageId consumer);

  struct Times {
    Duration estimate, tail;
  };
  std::vector<Times> times_;
  Lists consumers_, producers_;
  std::vector<StageId> dirty_;    ///< whose tail may rise; a max-heap by id, or a queue if forward_edges_
  std::vector<Duration> raised_;  ///< by stage: what its tail rises to; zero: not dirty. Shorter while unused
  bool forward_edges_ = false;    ///< a consumer was declared before its producer: ids are no topological order
};

template <class Before, class After>
void StageGraph::update(Before before, After after) {
  const auto settle = [&](StageId stage) {
    const Duration value = raised_[stage.value];
    raised_[stage.value] = Duration{};
    if (value <= times_[stage.value].tail) return;
    before(stage);
    times_[stage.value].tail = value;
    after(stage);
    for (const StageId producer : producers_.of(stage)) raise(producer, stage);
  };
  if (forward_edges_) {
    for (std::size_t i = 0; i < dirty_.size(); ++i) settle(dirty_[i]);
    dirty_.clear();
    return;
  }
  // Producers have smaller ids than their consumers, so the largest dirty id is settled for good when it is visited.
  while (!dirty_.empty()) {
    std::pop_heap(dirty_.begin(), dirty_.end());
    const StageId stage = dirty_.back();
    dirty_.pop_back();
    settle(stage);
  }
}

}  // namespace headroom
