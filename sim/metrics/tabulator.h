// The reader of the event log that tabulate() is made of, and what it shares with the reader of jobs.
// It must know neither cohorts nor statistics.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "policies/check.h"
#include "sim/metrics/log_replay.h"
#include "sim/metrics/tabulate.h"

namespace headroom {

/// What a stage occupies in all.
struct Amounts {
  Int128 cores = 0, memory = 0, gpus = 0;

  explicit Amounts(const Demand& demand) {
    const std::int64_t nodes = demand.spread ? 1 : demand.nodes;
    cores = Int128{demand.cores} * nodes;
    memory = Int128{demand.memory} * nodes;
    gpus = Int128{demand.gpus} * nodes;
  }
};

/// What both readers share: integrals over time and the window.
class TabulatorBase : public LogReader {
 public:
  void advance(TimePoint to) {
    HEADROOM_CHECK(to >= now_, "an event at " + std::to_string(to.ns) + " ns after one at " + std::to_string(now_.ns));
    if (queue_ > 0) {
      whole_area_ += Int128{queue_} * (to - now_).ns;
      const std::int64_t inside = clipped(now_, to);
      out_.queue_area += Int128{queue_} * inside;
      if (inside > 0) out_.queue_max = std::max(out_.queue_max, queue_);
    }
    now_ = to;
  }

 protected:
  TabulatorBase(const Work& work, const RunLog& log, const Measure& measure) : work_(work), log_(log) {
    for (const Demand& demand : work.demands) {
      amounts_.emplace_back(demand);
      one_core_each_ = one_core_each_ && demand == Demand{};
    }
    // Unknown until the log has been read: nothing comes before the first submission or after the last finish.
    out_.window.from = measure.from ? TimePoint::zero() + *measure.from : TimePoint::zero();
    out_.window.to = std::min(measure.to ? TimePoint::zero() + *measure.to : log.end, log.end);
    has_from_ = measure.from.has_value();
    has_to_ = measure.to.has_value();
  }

  [[nodiscard]] std::int64_t clipped(TimePoint from, TimePoint to) const {
    const Duration inside = std::min(to, out_.window.to) - std::max(from, out_.window.from);
    return std::max<std::int64_t>(inside.ns, 0);
  }
  void add_busy(StageRow row, TimePoint from, TimePoint to) {
    const std::int64_t time = clipped(from, to);
    if (one_core_each_) {
      out_.busy_cores += time;
      return;
    }
    const Amounts& amounts = amounts_[work_.demand[row]];
    out_.busy_cores += amounts.cores * time;
    out_.busy_memory += amounts.memory * time;
    out_.busy_gpus += amounts.gpus * time;
  }
  void check_littles_law() const {
    HEADROOM_CHECK(waits_ == whole_area_, "queue length and waits differ by " +
                                              std::to_string(static_cast<long double>(waits_ - whole_area_)) + " ns");
  }
  void set_window() {
    if (!has_from_) {
      TimePoint first = TimePoint::never();
      for (std::uint32_t w = 0; w < work_.workflows(); ++w)
        if (out_.is_submitted[w]) first = std::min(first, out_.submitted_at[w]);
      out_.window.from = first.is_never() ? TimePoint::zero() : first;
    }
    if (!has_to_ && all_ended_ && log_.status == RunStatus::kFinished)
      out_.window.to = std::max(last_end_, out_.window.from);
  }

  const Work& work_;
  const RunLog& log_;
  Tabulated out_;
  std::vector<Amounts> amounts_;
  bool one_core_each_ = true, has_from_ = false, has_to_ = false, all_ended_ = true;
  TimePoint now_, last_end_;
  TimePoint latest_started_;  ///< the latest submission among the workflows that have started
  std::int64_t queue_ = 0;
  Int128 whole_area_ = 0, waits_ = 0;
};

class Tabulator : public TabulatorBase {
 public:
  Tabulator(const Work& work, const RunLog& log, const Measure& measure) : TabulatorBase(work, log, measure) {
    out_.is_submitted.resize(work.workflows(), 0);
    out_.submitted_at = work.submitted_at;
    out_.started_at.resize(work.workflows(), TimePoint::never());
    out_.finished_at.resize(work.workflows(), TimePoint::never());
    out_.state.resize(work.workflows(), WorkflowState::kWaiting);
    out_.overtaken_until.resize(work.workflows());
    out_.stages.resize(work.stages());
  }

  /// After the log has been read.
  Tabulated take() {
    close();
    set_window();
    return std::move(out_);
  }

  void prefetch(StageRow row) const {
    __builtin_prefetch(&out_.stages[row]);
    const std::uint32_t workflow = work_.workflow_of[row];
    __builtin_prefetch(&out_.started_at[workflow]);
    __builtin_prefetch(&out_.submitted_at[workflow]);
  }

  void submitted(std::uint32_t workflow) {
    out_.is_submitted[workflow] = 1;
    out_.submitted_at[workflow] = now_;
  }
  void gated(StageRow row) {
    leave_queue(out_.stages[row], row);
    out_.stages[row].state = StageState::kBlocked;
  }
  void hold_opened(StageRow plan) { out_.holds.push_back({plan, now_, TimePoint::never()}); }
  void declared(StageRow row) {
    StageTimes& stage = out_.stages[row];
    HEADROOM_CHECK(!stage.is_declared, "row " + std::to_string(row) + " is declared again");
    stage.is_declared = true;
  }
  void enter(StageRow row) {
    StageTimes& stage = out_.stages[row];
    HEADROOM_CHECK(stage.is_declared && stage.state != StageState::kEligible && stage.state != StageState::kRunning,
                   state_text(stage, row));
    stage.state = StageState::kEligible;
    stage.since = now_;
    stage.ended = TimePoint::never();
    if (stage.first_eligible.is_never()) stage.first_eligible = now_;
    ++queue_;
  }
  void started(StageRow row) {
    StageTimes& stage = out_.stages[row];
    leave_queue(stage, row);
    stage.state = StageState::kRunning;
    stage.since = now_;
    if (stage.has_started()) return;
    stage.first_started = now_;
    const std::uint32_t workflow = work_.workflow_of[row];
    if (out_.started_at[workflow].is_never()) start_workflow(workflow);
  }
  void ended(StageRow row, StageState state) {
    StageTimes& stage = out_.stages[row];
    HEADROOM_CHECK(stage.state == StageState::kRunning, state_text(stage, row));
    add_busy(row, stage.since, now_);
    stage.state = state;
    stage.ended = now_;
    last_end_ = now_;
  }
  void canceled(StageRow row) {
    StageTimes& stage = out_.stages[row];
    // A try that failed would be followed by another, had its workflow not been drained.
    const bool gave_up = stage.state == StageState::kFailed || stage.state == StageState::kTimedOut ||
                         stage.state == StageState::kPreempted;
    HEADROOM_CHECK(stage.is_declared && (!stage.has_ended() || gave_up), state_text(stage, row));
    if (stage.state == StageState::kEligible) leave_queue(stage, row);
    if (stage.state == StageState::kRunning) add_busy(row, stage.since, now_);
    stage.state = StageState::kCanceled;
    stage.ended = now_;
  }
  void hold_released(StageRow plan) {
    const auto open = std::find_if(out_.holds.rbegin(), out_.holds.rend(),
                                   [&](const HoldInterval& hold) { return hold.plan == plan && hold.to.is_never(); });
    HEADROOM_CHECK(open != out_.holds.rend(), "row " + std::to_string(plan) + " releases no hold");
    open->to = now_;
  }

 private:
  void start_workflow(std::uint32_t workflow) {
    out_.started_at[workflow] = now_;
    const TimePoint submitted_at = out_.submitted_at[workflow];
    overtaken(workflow);
    latest_started_ = std::max(latest_started_, submitted_at);
  }
  /// Everybody who started did so before a workflow that never does.
  void never_started(std::uint32_t workflow) { overtaken(workflow); }
  /// By whoever has started so far.
  void overtaken(std::uint32_t workflow) {
    if (latest_started_ <= out_.submitted_at[workflow]) return;
    out_.overtaken_until[workflow] = latest_started_ - out_.submitted_at[workflow];
    out_.any_overtaken = true;
  }
  void leave_queue(StageTimes& stage, StageRow row) {
    HEADROOM_CHECK(stage.state == StageState::kEligible, state_text(stage, row));
    stage.waited += now_ - stage.since;
    --queue_;
  }

  /// What still waits has waited until now, what still runs is busy until now; how each workflow stands.
  void close() {
    for (std::uint32_t w = 0; w < work_.workflows(); ++w) {
      set_state(w);
      if (out_.is_submitted[w] && out_.started_at[w].is_never()) never_started(w);
    }
    check_littles_law();
  }
  void close(StageRow row) {
    StageTimes& stage = out_.stages[row];
    if (stage.state == StageState::kEligible) stage.waited += now_ - stage.since;
    if (stage.state == StageState::kRunning) add_busy(row, stage.since, now_);
    waits_ += stage.waited.ns;
  }
  void set_state(std::uint32_t w) {
    TimePoint last = TimePoint::zero();
    bool any = false, goes_on = false, failed = false, canceled = false;
    for (StageRow row = work_.first_stage[w]; row < work_.first_stage[w + 1]; ++row) {
      close(row);
      const StageTimes& stage = out_.stages[row];
      if (!stage.is_declared) continue;  // its plan never came to it; while the plan may, the plan itself goes on
      any = true;
      goes_on = goes_on || !stage.has_ended();
      failed = failed || stage.state == StageState::kFailed || stage.state == StageState::kTimedOut;
      canceled = canceled || stage.state == StageState::kCanceled;
      if (stage.has_ended()) last = std::max(last, stage.ended);
    }
    const bool started = !out_.started_at[w].is_never();
    if (!any || goes_on) {
      out_.state[w] = started ? WorkflowState::kRunning : WorkflowState::kWaiting;
      if (out_.is_submitted[w]) all_ended_ = false;
      return;
    }
    out_.finished_at[w] = last;
    out_.state[w] = failed ? WorkflowState::kFailed : canceled ? WorkflowState::kCanceled : WorkflowState::kFinished;
  }

  static std::string state_text(const StageTimes& stage, StageRow row) {
    return "row " + std::to_string(row) + " is " +
           (stage.is_declared ? std::string(stage_state_words()[static_cast<std::size_t>(stage.state)])
                              : std::string("not declared"));
  }
};

}  // namespace headroom
