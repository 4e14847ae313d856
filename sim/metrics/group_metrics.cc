#include "sim/metrics/group_metrics.h"

#include <algorithm>
#include <limits>

#include "sim/metrics/catch_up.h"
#include "sim/metrics/critical_path.h"

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The larger one; NaN counts as nothing.
void raise(double& largest, double value) {
  if (!(value <= largest) && value == value) largest = value;
}

double ratio(Duration a, Duration b) { return static_cast<double>(a.ns) / static_cast<double>(b.ns); }

}  // namespace

GroupMetrics::GroupMetrics(const RunFacts& facts) : facts_(facts), mirrored_(stages_mirror_workflows()) {}

bool GroupMetrics::stages_mirror_workflows() const {
  const Work& work = facts_.work;
  if (work.stages() != work.workflows()) return false;
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    const StageTimes& stage = facts_.tables.stages[work.first_stage[w]];
    if (work.first_stage[w] + 1 != work.first_stage[w + 1]) return false;
    if (!facts_.tables.is_submitted[w]) continue;
    const TimePoint left = stage.has_started() ? stage.first_started : facts_.end;
    if (stage.first_eligible != facts_.tables.submitted_at[w] || stage.waited != left - stage.first_eligible)
      return false;
    if (stage.state == StageState::kCanceled) return false;
    // A second try that waits or runs, or has finished, started its run later than the first.
    if (stage.has_started() && stage.since != stage.first_started) return false;
  }
  return true;
}

void GroupMetrics::evaluate(std::span<const std::uint32_t> members, Group& group) {
  for (auto* times : {&wait_, &turnaround_, &stage_wait_, &first_wait_, &passed_over_}) times->clear();
  for (auto* ratios : {&slowdown_, &bounded_, &stage_slowdown_}) ratios->clear();
  late_ = starved_ = starving_ = queued_stages_ = left_out_ = 0;
  for (auto* seen : {&wait_.seen, &turnaround_.seen, &passed_over_.seen}) seen->reserve(members.size());
  for (auto* seen : {&slowdown_.seen, &bounded_.seen}) seen->reserve(members.size());
  group.workflows = static_cast<std::int64_t>(members.size());
  group.started = group.finished = group.waiting = 0;

  for (const std::uint32_t workflow : members) {
    observe_workflow(workflow, group);
    observe_stages(workflow);
  }

  MetricValues& values = group.metrics;
  values.assign(kMetricCount, kNaN);
  const Summary wait = summarize(wait_.seen, wait_.cut_off);
  const Summary slowdown = summarize(slowdown_.seen, slowdown_.cut_off);
  store(values, Quantity::kWaitTime, wait);
  store(values, Quantity::kTurnaroundTime, summarize(turnaround_.seen, turnaround_.cut_off));
  store(values, Quantity::kSlowdown, slowdown);
  store(values, Quantity::kBoundedSlowdown, summarize(bounded_.seen, bounded_.cut_off));
  store(values, Quantity::kStageWaitTime, mirrored_ ? wait : summarize(stage_wait_.seen, stage_wait_.cut_off));
  store(values, Quantity::kStageFirstWait, mirrored_ ? wait : summarize(first_wait_.seen, first_wait_.cut_off));
  store(values, Quantity::kStageSlowdown,
        mirrored_ ? slowdown : summarize(stage_slowdown_.seen, stage_slowdown_.cut_off));
  store_counts(group, values);
  if (facts_.passed_over_ns) store_passed_over(values);
  for (const std::uint32_t workflow : members) raise_overtaking(workflow, values);
}

void GroupMetrics::raise_overtaking(std::uint32_t w, MetricValues& values) const {
  const Tabulated& tables = facts_.tables;
  const double age_s = facts_.catch_up_ages_s[w];
  raise(values[kCatchUpAge], age_s);
  if (tables.overtaken_until[w] > Duration{}) raise(values[kOvertakenUntil], tables.overtaken_until[w].in_seconds());
  raise(values[kDrainTime], drain_time_s(tables.submitted_at[w], age_s, tables.started_at[w]));
}

void GroupMetrics::observe_workflow(std::uint32_t w, Group& group) {
  const Tabulated& tables = facts_.tables;
  const WorkflowState state = tables.state[w];
  const TimePoint submitted_at = tables.submitted_at[w];
  const Duration age_at_end = facts_.end - submitted_at;
  const bool started = !tables.started_at[w].is_never();

  group.started += started;
  group.finished += state == WorkflowState::kFinished;
  group.waiting += state == WorkflowState::kWaiting;
  if (started || state == WorkflowState::kWaiting) {
    const Duration wait = started ? tables.started_at[w] - submitted_at : age_at_end;
    (started ? wait_.seen : wait_.cut_off).push_back(wait.ns);
    late_ += facts_.measure.late && wait > *facts_.measure.late;
  }

  const bool finished = state == WorkflowState::kFinished;
  if (!finished && state != WorkflowState::kWaiting && state != WorkflowState::kRunning) return;
  const Duration turnaround = finished ? tables.finished_at[w] - submitted_at : age_at_end;
  const Duration path = facts_.critical_paths[w];
  (finished ? turnaround_.seen : turnaround_.cut_off).push_back(turnaround.ns);
  if (path > Duration{})
    (finished ? slowdown_.seen : slowdown_.cut_off).push_back(ratio(turnaround, path));
  else
    left_out_ += finished;
  const Duration bound = std::max(path, facts_.measure.tau);
  if (bound > Duration{})
    (finished ? bounded_.seen : bounded_.cut_off).push_back(std::max(1.0, ratio(turnaround, bound)));
}

void GroupMetrics::observe_stages(std::uint32_t workflow) {
  const Work& work = facts_.work;
  if (mirrored_) {
    // What the workflow says is what its stage would say, and nearer at hand.
    const bool still_waits = facts_.tables.state[workflow] == WorkflowState::kWaiting;
    if (facts_.passed_over_ns) observe_starvation(workflow, work.first_stage[workflow], still_waits);
    return;
  }
  for (StageRow row = work.first_stage[workflow]; row < work.first_stage[workflow + 1]; ++row) {
    const StageTimes& stage = facts_.tables.stages[row];
    if (!stage.was_eligible()) continue;
    observe_stage_times(row);
    if (facts_.passed_over_ns) observe_starvation(workflow, row, stage.state == StageState::kEligible);
  }
}

void GroupMetrics::observe_stage_times(StageRow row) {
  const StageTimes& stage = facts_.tables.stages[row];
  const bool queued = stage.state == StageState::kEligible || stage.state == StageState::kBlocked;
  if (queued || stage.has_started()) (queued ? stage_wait_.cut_off : stage_wait_.seen).push_back(stage.waited.ns);
  if (stage.has_started())
    first_wait_.seen.push_back((stage.first_started - stage.first_eligible).ns);
  else if (queued)
    first_wait_.cut_off.push_back((facts_.end - stage.first_eligible).ns);

  if (stage.state == StageState::kFinished) {
    const Duration run = stage.ended - stage.since;
    if (run > Duration{}) stage_slowdown_.seen.push_back(ratio(stage.ended - stage.first_eligible, run));
  } else if (!stage.has_ended()) {
    const Duration run = true_run_time(facts_.work, row);
    if (run > Duration{}) stage_slowdown_.cut_off.push_back(ratio(facts_.end - stage.first_eligible, run));
  }
}

void GroupMetrics::observe_starvation(std::uint32_t workflow, StageRow row, bool still_waits) {
  const std::int64_t passed_over = (*facts_.passed_over_ns)[row];
  passed_over_.seen.push_back(passed_over);
  ++queued_stages_;
  if (!facts_.measure.starved || passed_over <= facts_.measure.starved->ns) return;
  ++starved_;
  const double age_s = (facts_.end - facts_.tables.submitted_at[workflow]).in_seconds();
  starving_ += still_waits && facts_.catch_up_ages_s[workflow] > age_s;
}

void GroupMetrics::store(MetricValues& values, Quantity quantity, const Summary& summary) const {
  values[metric_of(quantity, Statistic::kMean)] = summary.mean;
  values[metric_of(quantity, Statistic::kMedian)] = summary.median;
  values[metric_of(quantity, Statistic::kP90)] = summary.p90;
  values[metric_of(quantity, Statistic::kP99)] = summary.p99;
  values[metric_of(quantity, Statistic::kMax)] = summary.max;
  values[metric_of(quantity, Statistic::kRms)] = summary.rms;
}

void GroupMetrics::store_counts(const Group& group, MetricValues& values) const {
  values[kN] = static_cast<double>(group.workflows);
  values[kNStarted] = static_cast<double>(group.started);
  values[kNFinished] = static_cast<double>(group.finished);
  values[kNWaiting] = static_cast<double>(group.waiting);
  values[kSlowdownLeftOut] = static_cast<double>(left_out_);
  if (!facts_.measure.late) return;
  values[kLateCount] = static_cast<double>(late_);
  if (group.workflows > 0) values[kLateFraction] = values[kLateCount] / values[kN];
}

void GroupMetrics::store_passed_over(MetricValues& values) {
  const Summary summary = summarize(passed_over_.seen, passed_over_.cut_off);
  values[kPassedOverTimeP99] = summary.p99;
  values[kPassedOverTimeMax] = summary.max;
  if (!facts_.measure.starved) return;
  values[kStarvedCount] = static_cast<double>(starved_);
  values[kStarvingAtEnd] = static_cast<double>(starving_);
  if (queued_stages_ > 0) values[kStarvedFraction] = values[kStarvedCount] / static_cast<double>(queued_stages_);
}

}  // namespace headroom
