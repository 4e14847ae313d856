// The reader of the event log of jobs: each workflow one stage that is tried once. What general work needs three
// readers for is one line of memory a job here. It must know neither cohorts nor statistics.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/metrics/overtakes_reader.h"
#include "sim/metrics/passed_over_slots.h"
#include "sim/metrics/read_log.h"
#include "sim/metrics/tabulator.h"

namespace headroom {

/// For work of which each_row_is_a_workflow() holds. Whatever such a stage does beyond being submitted, starting once
/// and ending is left to the general readers.
/// `kSlots`   every stage takes one slot, and the time that it is passed over is asked for.
template <bool kSlots>
class JobReader : public TabulatorBase {
 public:
  JobReader(const Work& work, const RunLog& log, const SubmissionRanks& ranks, const Measure& measure)
      : TabulatorBase(work, log, measure),
        starts_(ranks.count),
        running_(kSlots ? ranks.count : 0),
        times_(kSlots ? ranks.count : 0),
        slots_(ClusterTotals(work.cluster).cores),
        rank_(ranks.rank),
        memory_(std::allocator<Job>().allocate(ranks.rank.size()), Release{ranks.rank.size()}),
        jobs_(memory_.get()) {
    out_.is_submitted.resize(rank_.size(), 0);
    if (!std::is_sorted(ranks.rank.begin(), ranks.rank.end())) order_ = workflows_by_rank(ranks);
    for (const Demand& demand : work.demands) cores_.push_back(cores_of<std::uint64_t>(demand));
    longest_ = longest_in_64_bits(work.cluster);
  }

  /// After the log has been read: was there something that it does not know? Then take() is of no use.
  [[nodiscard]] bool met_more() const { return met_more_; }
  /// Are sums of overtaking work too large for it?
  [[nodiscard]] bool left_64_bits() const { return left_64_bits_; }

  void take(bool with_stages, LogFacts& facts) {
    close();
    store(facts);
    set_window();
    facts.tables = std::move(out_);
    if (with_stages) facts.overtaking.stage_count = facts.overtaking.count;
  }

  static constexpr bool kReadsJobs = true;
  void prefetch(StageRow row) const {
    __builtin_prefetch(&jobs_[row]);
    if (!one_core_each_) __builtin_prefetch(&work_.demand[row]);
  }
  [[gnu::always_inline]] void prefetch_from(StageRow row) const {
    if (starts_.is_zero() && (!kSlots || times_.is_zero())) return;
    if (!out_.is_submitted[row]) return;  // at once, that is: what it finds is at hand
    const std::uint32_t rank = jobs_[row].rank;
    starts_.prefetch(rank);
    if (!kSlots) return;
    times_.prefetch(rank);
    running_.prefetch(rank);
  }

  void advance(TimePoint to) {
    const std::int64_t time = (to - now_).ns;
    TabulatorBase::advance(to);
    if (!kSlots || queue_ == 0 || time <= 0) return;  // time during which nobody waits is read by nobody
    if (busy_ < slots_)
      times_.add_to_all(time);
    else if (busy_ > 0)
      times_.add(running_.largest(), time);
  }
  void submitted(std::uint32_t workflow) {
    met_more_ = met_more_ || out_.is_submitted[workflow];
    out_.is_submitted[workflow] = 1;
    Job& job = *std::construct_at(&jobs_[workflow]);
    job.submitted_at = now_;
    job.rank = rank_[workflow];
    if (kSlots) job.passed_over = -times_.above(job.rank);
    newcomer_ = workflow;
    ++unfinished_;
  }
  void enter(StageRow row) {
    met_more_ = met_more_ || row != newcomer_;
    newcomer_ = kNoRow;
    ++queue_;
  }
  void started(StageRow row) {
    if (!is_known(row)) return;
    Job& job = jobs_[row];
    met_more_ = met_more_ || job.has_started();
    --queue_;
    waits_ += (now_ - job.submitted_at).ns;
    end_wait(job);
    job.started_at = now_;
    latest_started_ = std::max(latest_started_, job.submitted_at);
    if (somebody_waits_below(job.rank)) {
      const std::uint64_t cores = cores_at(row);
      starts_.add(job.rank, {0 - cores * static_cast<std::uint64_t>(now_.ns), cores, 1});
      job.is_counted = true;
    }
    if (!kSlots) return;
    running_.insert(job.rank);
    ++busy_;
  }
  void ended(StageRow row, StageState state) {
    if (!is_known(row)) return;
    Job& job = jobs_[row];
    met_more_ =
        met_more_ || job.state != WorkflowState::kWaiting || !job.has_started() || state == StageState::kCanceled;
    add_busy(row, job.started_at, now_);
    job.state = state == StageState::kFinished ? WorkflowState::kFinished : WorkflowState::kFailed;
    job.finished_at = now_;
    last_end_ = now_;
    --unfinished_;
    if (job.is_counted) {
      const std::uint64_t cores = cores_at(row);
      starts_.add(job.rank, {cores * static_cast<std::uint64_t>(now_.ns), 0 - cores, 0});
    }
    if (!kSlots) return;
    running_.erase(job.rank);
    --busy_;
  }
  void gated(StageRow) { met_more_ = true; }
  void canceled(StageRow) { met_more_ = true; }
  void hold_opened(StageRow) { met_more_ = true; }

 private:
  struct alignas(64) Job {
    TimePoint submitted_at;
    TimePoint started_at = TimePoint::never(), finished_at = TimePoint::never();
    std::int64_t passed_over = 0;  ///< ns; while it waits, less the sum at its beginning
    Duration overtaken_until;
    double overtaking_work_core_s = 0;
    std::uint32_t rank = 0, overtakes = 0;
    WorkflowState state = WorkflowState::kWaiting;
    bool is_counted = false;  ///< its start is in the sums, its end may be too

    [[nodiscard]] bool has_started() const { return !started_at.is_never(); }
  };

  [[nodiscard]] bool is_known(StageRow row) {
    met_more_ = met_more_ || !out_.is_submitted[row];
    return out_.is_submitted[row] != 0;
  }
  [[nodiscard]] std::uint64_t cores_at(StageRow row) const { return one_core_each_ ? 1 : cores_[work_.demand[row]]; }
  /// At its start or at the end of the run.
  void end_wait(Job& job) {
    if (kSlots) job.passed_over += times_.above(job.rank);
    if (latest_started_ > job.submitted_at) {
      job.overtaken_until = latest_started_ - job.submitted_at;
      out_.any_overtaken = true;
    }
    if (starts_.nothing_above(job.rank)) return;
    const auto sum = starts_.above(job.rank);
    job.overtakes = sum.count;
    any_overtakes_ = any_overtakes_ || sum.count > 0;
    job.overtaking_work_core_s = sum.work_core_s(now_);
    left_64_bits_ = left_64_bits_ || (now_ - job.submitted_at).ns > longest_;
  }
  /// Can anybody that waits, now or later, have been submitted before that rank?
  bool somebody_waits_below(std::uint32_t rank) {
    while (oldest_ < rank_.size() && has_started(by_submission(oldest_))) ++oldest_;
    return oldest_ < rank_.size() && rank_[by_submission(oldest_)] < rank;
  }
  [[nodiscard]] bool has_started(std::size_t w) const { return out_.is_submitted[w] && jobs_[w].has_started(); }
  [[nodiscard]] std::size_t by_submission(std::size_t k) const { return order_.empty() ? k : order_[k]; }

  void close() {
    all_ended_ = unfinished_ == 0;
    for (std::uint32_t w = 0; !all_ended_ && w < rank_.size(); ++w) {
      if (!out_.is_submitted[w]) continue;
      Job& job = jobs_[w];
      if (job.state != WorkflowState::kWaiting) continue;
      if (!job.has_started()) {
        waits_ += (now_ - job.submitted_at).ns;
        end_wait(job);
      } else {
        job.state = WorkflowState::kRunning;
        add_busy(w, job.started_at, now_);
      }
    }
    check_littles_law();
  }
  /// In one walk, since there are 64 bytes a job to be read.
  void store(LogFacts& facts) {
    const std::size_t n = rank_.size();
    out_.submitted_at = work_.submitted_at;
    out_.started_at.resize(n, TimePoint::never());
    out_.finished_at.resize(n, TimePoint::never());
    out_.state.resize(n, WorkflowState::kWaiting);
    out_.overtaken_until.resize(n);
    Overtakes& overtaking = facts.overtaking;
    overtaking.any = any_overtakes_;
    overtaking.count.resize(n);
    overtaking.work_core_s.resize(n);
    if (kSlots) facts.passed_over_ns.emplace(n);
    for (std::size_t w = 0; w < n; ++w) {
      if (!out_.is_submitted[w]) continue;
      const Job& job = jobs_[w];
      out_.submitted_at[w] = job.submitted_at;
      out_.started_at[w] = job.started_at;
      out_.finished_at[w] = job.finished_at;
      out_.state[w] = job.state;
      if (kSlots) (*facts.passed_over_ns)[w] = job.passed_over;
      if (out_.any_overtaken) out_.overtaken_until[w] = job.overtaken_until;
      if (!any_overtakes_) continue;
      overtaking.count[w] = job.overtakes;
      overtaking.work_core_s[w] = job.overtaking_work_core_s;
    }
  }

  StartsAbove<std::uint64_t> starts_;
  RankSet running_;
  TimeAbove times_;
  Int128 slots_;
  std::int64_t busy_ = 0;
  const std::vector<std::uint32_t>& rank_;  // by workflow
  struct Release {
    std::size_t size = 0;
    void operator()(Job* jobs) const { std::allocator<Job>().deallocate(jobs, size); }
  };
  std::unique_ptr<Job, Release> memory_;  // of jobs_: written when they are submitted
  Job* jobs_;                             // by workflow
  std::vector<std::uint32_t> order_;      // workflows by submission; empty: by index
  std::size_t oldest_ = 0;                // in order_: nobody before it waits any more
  std::vector<std::uint64_t> cores_;      // by demand
  std::int64_t longest_ = 0;
  std::uint32_t newcomer_ = kNoRow;
  std::size_t unfinished_ = 0;
  bool met_more_ = false, any_overtakes_ = false, left_64_bits_ = false;
};

}  // namespace headroom
