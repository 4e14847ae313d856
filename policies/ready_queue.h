// The eligible stages in the order of the policy. Three ways to keep it: a tree on static keys; a tree for each rate at
// which keys move; and a sort of freshly evaluated priorities, which serves recomputed rules and is the oracle of the
// trees. All answer one question, fast or slowly: which is the first in order, after this one, that may fit?
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "policies/cluster.h"
#include "policies/ids.h"
#include "policies/policy.h"
#include "policies/priority_rule.h"
#include "policies/stage_graph.h"
#include "policies/time.h"

namespace headroom {

/// A queued stage with the front part of its key: 32 bytes, since every comparison touches it.
struct ReadyEntry {
  ExactKey priority;
  std::uint64_t second = 0;  ///< kind in the top two bits, then the first tie, cut to 62 bits
  StageId stage;             ///< its id is the last tie
  DemandId demand;
};

/// What the search may skip by: nothing that exceeds it is asked about.
struct FitBound {
  FreeBound free;
  /// With a reservation: a stage longer than `spare_time` must also be within `spare`.
  Duration spare_time = Duration::infinite();
  FreeBound spare{INT64_MAX, INT64_MAX, INT64_MAX};
};

/// Asked for candidates in order; true ends the search.
class Accept {
 public:
  virtual ~Accept() = default;
  virtual bool operator()(const ReadyEntry& entry) = 0;
};

/// Decides what the front part of the key leaves equal: all ties in full, then the stage's id. What it looks at must
/// not change for a queued stage: erase it before, insert it after.
class TieBreaker {
 public:
  virtual ~TieBreaker() = default;
  [[nodiscard]] virtual bool before(StageId a, StageId b) const = 0;
};

/// What a stage asks for, as far as the search bounds go.
struct StageSize {
  NodeCapacity amount;  ///< on one node; of a spread width nothing
  Duration estimate;
};
class StageSizes {
 public:
  StageSizes(const Cluster& cluster, const StageGraph& graph) : cluster_(&cluster), graph_(&graph) {}
  [[nodiscard]] StageSize of(const ReadyEntry& entry) const {
    return {cluster_->amount(entry.demand), graph_->estimate(entry.stage)};
  }

 private:
  const Cluster* cluster_;
  const StageGraph* graph_;
};

/// The smaller entry is considered first.
class EntryOrder {
 public:
  explicit EntryOrder(const TieBreaker& ties) : ties_(&ties) {}
  bool operator()(const ReadyEntry& a, const ReadyEntry& b) const {
    if (a.priority.major != b.priority.major) return a.priority.major < b.priority.major;
    if (a.priority.minor != b.priority.minor) return a.priority.minor < b.priority.minor;
    if (a.second != b.second) return a.second < b.second;
    if (a.stage == b.stage) return false;
    return ties_->before(a.stage, b.stage);
  }

 private:
  const TieBreaker* ties_;
};

class ReadyQueue {
 public:
  virtual ~ReadyQueue() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  virtual void insert(const ReadyEntry& entry) = 0;
  /// `entry` is equal to what was inserted (checked to be there).
  virtual void erase(const ReadyEntry& entry) = 0;
  /// Before the first question of a pass; order and answers stand until the next insert or begin_pass.
  virtual void begin_pass(TimePoint now) = 0;

  /// The first, or null. The entry's key is only meaningful to this queue.
  [[nodiscard]] virtual const ReadyEntry* front() = 0;
  [[nodiscard]] virtual bool is_front(const ReadyEntry& entry) = 0;
  /// The one after `entry` (which may have been erased), or null.
  [[nodiscard]] virtual const ReadyEntry* next(const ReadyEntry& entry) = 0;
  /// The N-th in order, from 1; null if there are fewer.
  [[nodiscard]] virtual const ReadyEntry* nth(std::size_t n) = 0;
  /// The first after `after` (null: from the front) and up to `last` (null: to the end) within the bound that `accept`
  /// takes, or null. The pointer stands until the queue changes.
  [[nodiscard]] virtual const ReadyEntry* find(const ReadyEntry* after, const ReadyEntry* last, const FitBound& bound,
                                               Accept& accept) = 0;

  /// After begin_pass: the first later instant at which time alone may change which are the first `n`, or, for n = 0,
  /// anything about the order. Never too late; may be too early.
  [[nodiscard]] virtual TimePoint next_change(std::size_t /*n*/) { return TimePoint::never(); }
};

/// A B+ tree whose nodes know a lower bound of what is asked for below them.
/// Cost  insert, erase, next O(log n); find O(log n) an accepted or refused candidate.
[[nodiscard]] std::unique_ptr<ReadyQueue> make_static_queue(const TieBreaker& ties, const StageSizes& sizes);

/// How the key of a queued stage moves.
class Motions {
 public:
  virtual ~Motions() = default;
  [[nodiscard]] virtual Motion of(StageId stage, TimePoint now) const = 0;
};
/// A tree of static keys for each rate, merged by the keys' values at the pass; a stage whose line ends goes to another
/// tree. No two stages are ever swapped one by one, so that a thousand overtaken at once cost nothing.
/// Cost  insert, erase O(log n); front, next, find O(r log n) for r rates in use; a line's end O(log n).
[[nodiscard]] std::unique_ptr<ReadyQueue> make_moving_queue(const TieBreaker& ties, const StageSizes& sizes,
                                                            const Motions& motions);

/// Computes the keys' priorities at the beginning of a pass.
class Evaluate {
 public:
  virtual ~Evaluate() = default;
  virtual void operator()(std::span<ReadyEntry> entries, TimePoint now) const = 0;
};
/// Evaluates and sorts in each pass. Cost O(n) a pass that changes little about the order, else O(n log n).
[[nodiscard]] std::unique_ptr<ReadyQueue> make_sorted_queue(const TieBreaker& ties, const StageSizes& sizes,
                                                            const Evaluate& evaluate);

/// A double as a key in which larger values come first and NaN last; -0 and 0 are equal.
[[nodiscard]] ExactKey descending_key(double value);

}  // namespace headroom
