#include "sim/metrics/passed_over.h"

#include <algorithm>
#include <bit>

#include "policies/check.h"
#include "sim/metrics/passed_over_wide.h"
#include "sim/metrics/submission_order.h"
#include "sim/metrics/wide.h"

namespace headroom {
namespace {

/// A multiset of ranks with its largest: counts, and bit sets that say which of 64 below are not empty.
class RankSet {
 public:
  explicit RankSet(std::uint32_t ranks) : count_(ranks) {
    std::size_t words = ranks;
    do {
      words = (words + 63) / 64;
      levels_.emplace_back(words, 0);
    } while (words > 1);
  }

  void insert(std::uint32_t rank) {
    if (count_[rank]++ > 0) return;
    std::size_t at = rank;
    for (auto& level : levels_) {
      std::uint64_t& word = level[at / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << (at % 64);
      if (!was_empty) return;
      at /= 64;
    }
  }
  void erase(std::uint32_t rank) {
    if (--count_[rank] > 0) return;
    std::size_t at = rank;
    for (auto& level : levels_) {
      std::uint64_t& word = level[at / 64];
      word &= ~(std::uint64_t{1} << (at % 64));
      if (word != 0) return;
      at /= 64;
    }
  }
  /// Not empty.
  [[nodiscard]] std::uint32_t largest() const {
    std::size_t at = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      at = at * 64 + 63 - static_cast<std::size_t>(std::countl_zero((*level)[at]));
    return static_cast<std::uint32_t>(at);
  }

 private:
  std::vector<std::uint32_t> count_;
  std::vector<std::vector<std::uint64_t>> levels_;  // from the ranks up to one word
};

/// For every rank, the time during which M was above it.
class TimeAbove {
 public:
  explicit TimeAbove(std::uint32_t ranks) : tree_(ranks + 1) {}

  /// M was `rank` for `time`. Runs of one rank are gathered before they touch the tree.
  void add(std::uint32_t rank, std::int64_t time) {
    if (rank != pending_rank_) flush(rank);
    pending_time_ += time;
  }
  /// A slot was free.
  void add_to_all(std::int64_t time) { all_ += time; }

  [[nodiscard]] std::int64_t above(std::uint32_t rank) const {
    std::int64_t time = all_;
    if (rank < pending_rank_) time += pending_time_;
    if (rank >= largest_) return time;  // a newcomer, and whoever is served in order of submission
    for (std::size_t i = rank + 1; i < tree_.size(); i += i & (~i + 1)) time += tree_[i];
    return time;
  }

 private:
  // Suffix sums: a node covers the ranks of its index and below, and time added at r counts for ranks < r.
  void flush(std::uint32_t next_rank) {
    if (pending_time_ > 0) {
      for (std::size_t i = pending_rank_; i > 0; i -= i & (~i + 1)) tree_[i] += pending_time_;
      largest_ = std::max(largest_, pending_rank_);
    }
    pending_rank_ = next_rank;
    pending_time_ = 0;
  }

  std::vector<std::int64_t> tree_;
  std::int64_t all_ = 0, pending_time_ = 0;
  std::uint32_t pending_rank_ = 0, largest_ = 0;
};

class PassedOver {
 public:
  PassedOver(const Work& work, const SubmissionRanks& ranks, Int128 slots)
      : rank_(work.stages()),
        running_(ranks.count),
        times_(ranks.count),
        waiting_(work.stages(), false),
        passed_over_(work.stages(), 0),
        slots_(slots) {
    for (StageRow row = 0; row < rank_.size(); ++row) rank_[row] = ranks.rank[work.workflow_of[row]];
  }

  /// A stage submitted at s is passed over while s < M(t), M being the latest submission among what runs, or anything
  /// at all while a slot is free. Every length of time is added to a Fenwick tree over submission times once; a stage
  /// reads the tree when it begins and when it ceases to wait.
  std::vector<std::int64_t> replay(const RunLog& log) {
    const std::size_t n = log.events.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) prefetch(log.events[i + kAhead]);
      advance(log.events[i].at);
      apply(log.events[i]);
    }
    advance(log.end);
    for (StageRow row = 0; row < waiting_.size(); ++row)
      if (waiting_[row]) leave(row);
    return std::move(passed_over_);
  }

 private:
  /// What starts out of a deep queue was last touched long ago.
  void prefetch(const Event& event) const {
    if (event.kind != EventKind::kStarted) return;
    __builtin_prefetch(&rank_[event.subject]);
    __builtin_prefetch(&passed_over_[event.subject]);
  }
  void apply(const Event& event) {
    switch (event.kind) {
      case EventKind::kDeclared:
        if (event.at_once) enter(event.subject);
        break;
      case EventKind::kEligible:
        enter(event.subject);
        break;
      case EventKind::kGated:
        leave(event.subject);
        break;
      case EventKind::kCanceled:
        if (waiting_[event.subject]) leave(event.subject);
        break;
      case EventKind::kStarted:
        leave(event.subject);
        running_.insert(rank_of(event.subject));
        ++busy_;
        break;
      case EventKind::kFinished:
      case EventKind::kFailed:
      case EventKind::kTimedOut:
        running_.erase(rank_of(event.subject));
        --busy_;
        break;
      case EventKind::kSubmitted:
      case EventKind::kHoldOpened:
      case EventKind::kHoldReleased:
        break;
    }
  }
  void advance(TimePoint to) {
    const std::int64_t time = (to - now_).ns;
    // Time during which nobody waits is read by nobody.
    if (time > 0 && waiters_ > 0) {
      if (busy_ < slots_)
        times_.add_to_all(time);
      else if (busy_ > 0)
        times_.add(running_.largest(), time);
    }
    now_ = to;
  }
  void enter(StageRow row) {
    waiting_[row] = true;
    ++waiters_;
    passed_over_[row] -= times_.above(rank_of(row));
  }
  void leave(StageRow row) {
    waiting_[row] = false;
    --waiters_;
    passed_over_[row] += times_.above(rank_of(row));
  }
  [[nodiscard]] std::uint32_t rank_of(StageRow row) const { return rank_[row]; }

  static constexpr std::size_t kAhead = 24;

  std::vector<std::uint32_t> rank_;  // by stage
  RankSet running_;
  TimeAbove times_;
  std::vector<bool> waiting_;
  std::vector<std::int64_t> passed_over_;
  Int128 slots_;
  std::int64_t busy_ = 0, waiters_ = 0;
  TimePoint now_;
};

/// Cores of one node, or of all nodes together, are all that anybody asks for.
bool is_one_bin(const Work& work) {
  const bool one_node = work.cluster.classes.size() == 1 && work.cluster.classes.front().count == 1;
  return std::all_of(work.demands.begin(), work.demands.end(), [&](const Demand& demand) {
    return (demand.spread || (one_node && demand.nodes == 1)) && demand.memory == 0 && demand.gpus == 0 &&
           demand.pools.empty();
  });
}

}  // namespace

bool has_one_slot_stages_only(const Work& work) {
  return std::all_of(work.demands.begin(), work.demands.end(), [](const Demand& demand) {
    return demand.cores == 1 && demand.memory == 0 && demand.gpus == 0 && demand.nodes == 1 && demand.pools.empty();
  });
}

std::optional<std::vector<std::int64_t>> passed_over_times_ns(const Work& work, const RunLog& log,
                                                              const SubmissionRanks& ranks, const Measure& measure) {
  if (!measure.passed_over.value_or(true)) return std::nullopt;
  const auto cores = static_cast<std::int64_t>(ClusterTotals(work.cluster).cores);
  if (has_one_slot_stages_only(work)) return PassedOver(work, ranks, cores).replay(log);
  if (work.stages() > kStagesPassedOverUnasked && !measure.passed_over) return std::nullopt;
  if (is_one_bin(work)) return passed_over_of_cores_ns(work, log, ranks, cores);
  return passed_over_of_nodes_ns(work, log, ranks);
}

}  // namespace headroom
