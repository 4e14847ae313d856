// The reader of the event log that overtakes() is made of.
// It must know nothing of why anybody went first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/metrics/log_replay.h"
#include "sim/metrics/overtakes.h"
#include "sim/metrics/suffix_sums.h"
#include "sim/metrics/wide.h"

namespace headroom {

/// First starts and the core time that they have taken so far, as a line in time.
/// `Area` is unsigned: differences wrap, and what is left at the end of a wait is right as long as it fits.
template <class Area>
struct StartSum {
  Area area = 0;   ///< core time at time 0 of the line: ends of those that ended - starts of all, in cores x ns
  Area cores = 0;  ///< its slope: cores of those that run
  std::uint32_t count = 0;

  StartSum& operator+=(const StartSum& other) {
    area += other.area;
    cores += other.cores;
    count += other.count;
    return *this;
  }
  [[nodiscard]] double work_core_s(TimePoint now) const {
    return static_cast<double>(static_cast<long double>(area + cores * static_cast<Area>(now.ns)) / 1e9L);
  }
};
/// By rank of submission.
template <class Area>
using StartsAbove = SuffixSums<StartSum<Area>>;

template <class Area>
Area cores_of(const Demand& demand) {
  return static_cast<Area>(demand.cores) * (demand.spread ? 1U : static_cast<Area>(demand.nodes));
}

/// How long the whole cluster can be busy, in ns, before 64 bits are full.
inline std::int64_t longest_in_64_bits(const ClusterSpec& cluster) {
  return std::numeric_limits<std::int64_t>::max() /
         std::max<std::int64_t>(1, static_cast<std::int64_t>(ClusterTotals(cluster).cores));
}

inline std::vector<std::uint32_t> workflows_by_rank(const SubmissionRanks& ranks) {
  std::vector<std::uint32_t> first(ranks.count + 1, 0), order(ranks.rank.size());
  for (const std::uint32_t rank : ranks.rank) ++first[rank + 1];
  for (std::uint32_t r = 0; r < ranks.count; ++r) first[r + 1] += first[r];
  for (std::uint32_t w = 0; w < order.size(); ++w) order[first[ranks.rank[w]]++] = w;
  return order;
}

template <class Area>
class OvertakesReader : public LogReader {
 public:
  OvertakesReader(const Work& work, const SubmissionRanks& ranks, bool with_stages)
      : work_(work),
        rank_(ranks.rank),
        with_stages_(with_stages),
        starts_(ranks.count),
        submitted_(work.workflows(), false),
        started_(work.workflows(), false),
        tried_(work.stages(), false),
        counted_(work.stages(), false) {
    if (!std::is_sorted(ranks.rank.begin(), ranks.rank.end())) order_ = workflows_by_rank(ranks);
    out_.count.resize(work.workflows());
    out_.work_core_s.resize(work.workflows());
    if (with_stages_) {
      out_.stage_count.resize(work.stages());
      waits_.resize(work.stages(), false);
    }
    for (const Demand& demand : work.demands) cores_.push_back(cores_of<Area>(demand));
    longest_ = longest_in_64_bits(work.cluster);
  }

  [[nodiscard]] bool left_64_bits() const { return left_64_bits_; }

  /// After the log has been read.
  Overtakes take() {
    for (std::uint32_t w = 0; w < work_.workflows(); ++w)
      if (submitted_[w] && !started_[w] && !is_over(w)) end_wait(w);
    for (StageRow row = 0; row < waits_.size(); ++row)
      if (waits_[row]) gated(row);
    return std::move(out_);
  }

  void prefetch(StageRow row) const {
    __builtin_prefetch(&rank_[work_.workflow_of[row]]);
    __builtin_prefetch(&tried_[row]);
    __builtin_prefetch(&counted_[row]);
  }
  [[gnu::always_inline]] void prefetch_from(StageRow row) const { starts_.prefetch(rank_[work_.workflow_of[row]]); }
  void advance(TimePoint to) { now_ = to; }
  void submitted(std::uint32_t workflow) { submitted_[workflow] = 1; }
  // Of a stage: the sum at the end of a wait minus that at its beginning.
  void enter(StageRow row) {
    if (!with_stages_) return;
    waits_[row] = 1;
    out_.stage_count[row] -= starts_.above(rank_[work_.workflow_of[row]]).count;
  }
  void gated(StageRow row) {
    if (!with_stages_ || !waits_[row]) return;
    waits_[row] = 0;
    out_.stage_count[row] += starts_.above(rank_[work_.workflow_of[row]]).count;
  }
  void started(StageRow row) {
    gated(row);
    if (tried_[row]) return;
    tried_[row] = 1;
    const std::uint32_t workflow = work_.workflow_of[row];
    if (!started_[workflow]) {
      started_[workflow] = 1;
      end_wait(workflow);
    }
    const std::uint32_t rank = rank_[workflow];
    if (!somebody_waits_below(rank)) return;
    const Area cores = cores_[work_.demand[row]];
    starts_.add(rank, {Area{0} - cores * ns(now_), cores, 1});
    counted_[row] = 1;
  }
  void ended(StageRow row, StageState) {
    if (!counted_[row]) return;
    counted_[row] = 0;  // a further try is no first start
    const Area cores = cores_[work_.demand[row]];
    starts_.add(rank_[work_.workflow_of[row]], {cores * ns(now_), Area{0} - cores, 0});
  }
  void canceled(StageRow row) {
    gated(row);
    ended(row, StageState::kCanceled);
    if (canceled_.empty()) canceled_.resize(work_.workflows(), 0);
    ++canceled_[work_.workflow_of[row]];
  }

 private:
  void end_wait(std::uint32_t workflow) {
    if (starts_.nothing_above(rank_[workflow])) return;
    const auto sum = starts_.above(rank_[workflow]);
    out_.count[workflow] = sum.count;
    out_.any = out_.any || sum.count > 0;
    out_.work_core_s[workflow] = sum.work_core_s(now_);
    left_64_bits_ = left_64_bits_ || (now_ - work_.submitted_at[workflow]).ns > longest_;
  }
  static Area ns(TimePoint at) { return static_cast<Area>(at.ns); }

  /// Can anybody that waits, now or later, have been submitted before that rank?
  bool somebody_waits_below(std::uint32_t rank) {
    if (with_stages_) return true;
    while (oldest_ < rank_.size() && (started_[by_submission(oldest_)] || is_over(by_submission(oldest_)))) ++oldest_;
    return oldest_ < rank_.size() && rank_[by_submission(oldest_)] < rank;
  }
  [[nodiscard]] std::uint32_t by_submission(std::size_t k) const {
    return order_.empty() ? static_cast<std::uint32_t>(k) : order_[k];
  }
  [[nodiscard]] bool is_over(std::uint32_t workflow) const {
    return !canceled_.empty() && canceled_[workflow] == work_.first_stage[workflow + 1] - work_.first_stage[workflow];
  }

  const Work& work_;
  TimePoint now_;
  const std::vector<std::uint32_t>& rank_;  // by workflow
  const bool with_stages_;
  StartsAbove<Area> starts_;
  std::vector<std::uint32_t> order_;  // workflows by submission; empty: by index
  std::size_t oldest_ = 0;            // in order_: nobody before it waits any more
  std::vector<std::uint8_t> submitted_, started_;
  std::vector<std::uint8_t> tried_, counted_, waits_;  // by stage; counted_: its first try runs and is in the tree
  std::vector<std::uint32_t> canceled_;                // by workflow; empty while nothing was
  std::vector<Area> cores_;                            // by demand
  std::int64_t longest_ = 0;
  bool left_64_bits_ = false;
  Overtakes out_;
};

}  // namespace headroom
