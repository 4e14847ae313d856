// The reader of the event log that passed_over_times_ns() is made of where every stage takes one slot.
// It must know nothing of the scheduler.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/metrics/log_replay.h"
#include "sim/metrics/submission_order.h"
#include "sim/metrics/suffix_sums.h"
#include "sim/metrics/wide.h"
#include "workloads/work.h"

namespace headroom {

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

  [[gnu::always_inline]] void prefetch(std::uint32_t rank) const { __builtin_prefetch(&count_[rank]); }
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
  explicit TimeAbove(std::uint32_t ranks) : sums_(ranks) {}

  /// M was `rank` for `time`. Runs of one rank are gathered before they touch the tree.
  void add(std::uint32_t rank, std::int64_t time) {
    if (rank != pending_rank_) flush(rank);
    pending_time_ += time;
  }
  /// A slot was free.
  void add_to_all(std::int64_t time) { all_ += time; }

  [[gnu::always_inline]] void prefetch(std::uint32_t rank) const { sums_.prefetch(rank); }
  [[nodiscard]] bool is_zero() const { return sums_.is_zero(); }
  [[nodiscard]] std::int64_t above(std::uint32_t rank) const {
    return all_ + (rank < pending_rank_ ? pending_time_ : 0) + sums_.above(rank);
  }

 private:
  void flush(std::uint32_t next_rank) {
    if (pending_time_ > 0) sums_.add(pending_rank_, pending_time_);
    pending_rank_ = next_rank;
    pending_time_ = 0;
  }

  SuffixSums<std::int64_t> sums_;
  std::int64_t all_ = 0, pending_time_ = 0;
  std::uint32_t pending_rank_ = 0;
};

/// A stage submitted at s is passed over while s < M(t), M being the latest submission among what runs, or anything at
/// all while a slot is free. Every length of time is added to the sum of a submission time once; a stage reads
/// the sums above its own when it begins and when it ceases to wait.
class SlotsPassedOver : public LogReader {
 public:
  SlotsPassedOver(const Work& work, const SubmissionRanks& ranks)
      : running_(ranks.count),
        times_(ranks.count),
        waiting_(work.stages(), 0),
        passed_over_(work.stages(), 0),
        slots_(ClusterTotals(work.cluster).cores) {
    if (each_row_is_a_workflow(work)) {
      rank_ = ranks.rank;
      return;
    }
    ranks_.resize(work.stages());
    for (StageRow row = 0; row < ranks_.size(); ++row) ranks_[row] = ranks.rank[work.workflow_of[row]];
    rank_ = ranks_;
  }

  /// After the log has been read.
  std::vector<std::int64_t> take() {
    for (StageRow row = 0; row < waiting_.size(); ++row)
      if (waiting_[row]) gated(row);
    return std::move(passed_over_);
  }

  void prefetch(StageRow row) const {
    __builtin_prefetch(&rank_[row]);
    __builtin_prefetch(&passed_over_[row]);
  }
  [[gnu::always_inline]] void prefetch_from(StageRow row) const {
    times_.prefetch(rank_[row]);
    running_.prefetch(rank_[row]);
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
    waiting_[row] = 1;
    ++waiters_;
    passed_over_[row] -= times_.above(rank_[row]);
  }
  void gated(StageRow row) {
    waiting_[row] = 0;
    --waiters_;
    passed_over_[row] += times_.above(rank_[row]);
  }
  void canceled(StageRow row) {
    if (waiting_[row]) gated(row);
  }
  void started(StageRow row) {
    gated(row);
    running_.insert(rank_[row]);
    ++busy_;
  }
  void ended(StageRow row, StageState) {
    running_.erase(rank_[row]);
    --busy_;
  }

 private:
  std::span<const std::uint32_t> rank_;  // by stage
  std::vector<std::uint32_t> ranks_;     // where they are not the workflows'
  RankSet running_;
  TimeAbove times_;
  std::vector<std::uint8_t> waiting_;
  std::vector<std::int64_t> passed_over_;
  Int128 slots_;
  std::int64_t busy_ = 0, waiters_ = 0;
  TimePoint now_;
};

}  // namespace headroom
