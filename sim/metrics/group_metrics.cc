#include "sim/metrics/group_metrics.h"

#include <algorithm>
#include <limits>
#include <type_traits>

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

template <class T>
void GroupMetrics::gather(std::span<const std::uint32_t> members, const std::vector<T>& values, std::uint8_t cut_off,
                          Observations<T>& out) const {
  const auto is_value = [](T value) {
    if constexpr (std::is_same_v<T, double>) return value == value;
    return value >= 0;
  };
  const std::vector<std::uint8_t>& flags = facts_.values.cut_off;
  const bool some_cut = facts_.values.any_cut_off;
  out.cut_off.clear();
  out.seen.resize(members.size());
  std::size_t seen = 0;
  for (const std::uint32_t w : members) {
    const T value = values[w];
    const bool is_cut = some_cut && (flags[w] & cut_off) != 0;
    out.seen[seen] = value;
    seen += is_value(value) && !is_cut ? 1 : 0;
    if (is_cut && is_value(value)) out.cut_off.push_back(value);
  }
  out.seen.resize(seen);
}

void GroupMetrics::evaluate(std::span<const std::uint32_t> members, Group& group) {
  MetricValues& values = group.metrics;
  values.assign(kMetricCount, kNaN);
  const WorkflowValues& of = facts_.values;
  gather(members, of.wait, WorkflowValues::kWaitCutOff, times_);
  const Summary wait = summarize(times_.seen, times_.cut_off);
  store(values, Quantity::kWaitTime, wait);
  gather(members, of.turnaround, WorkflowValues::kEndCutOff, times_);
  store(values, Quantity::kTurnaroundTime, summarize(times_.seen, times_.cut_off));
  gather(members, of.slowdown, WorkflowValues::kEndCutOff, ratios_);
  const Summary slowdown = summarize(ratios_.seen, ratios_.cut_off);
  store(values, Quantity::kSlowdown, slowdown);
  gather(members, of.bounded_slowdown, WorkflowValues::kEndCutOff, ratios_);
  store(values, Quantity::kBoundedSlowdown, summarize(ratios_.seen, ratios_.cut_off));

  for (auto* times : {&stage_wait_, &first_wait_, &passed_over_}) times->clear();
  stage_slowdown_.clear();
  starved_ = starving_ = queued_stages_ = 0;
  if (mirrored_)
    observe_mirrored_stages(members);
  else
    for (const std::uint32_t workflow : members) observe_stages(workflow);
  store(values, Quantity::kStageWaitTime, mirrored_ ? wait : summarize(stage_wait_.seen, stage_wait_.cut_off));
  store(values, Quantity::kStageFirstWait, mirrored_ ? wait : summarize(first_wait_.seen, first_wait_.cut_off));
  store(values, Quantity::kStageSlowdown,
        mirrored_ ? slowdown : summarize(stage_slowdown_.seen, stage_slowdown_.cut_off));
  store_counts(members, group);
  if (facts_.passed_over_ns) store_passed_over(values);
  store_overtaking(members, values);
}

void GroupMetrics::store_overtaking(std::span<const std::uint32_t> members, MetricValues& values) const {
  std::int64_t until = 0, drain = -1;
  std::uint64_t overtakes = 0;
  std::uint32_t most_overtakes = 0;
  double most_work = 0;
  std::size_t waits = 0;
  CompensatedSum work;
  for (const std::uint32_t w : members) {
    raise(values[kCatchUpAge], facts_.catch_up_ages_s[w]);
    until = std::max(until, facts_.tables.overtaken_until[w].ns);
    drain = std::max(drain, facts_.values.drain[w]);
    waits += facts_.values.wait[w] >= 0 ? 1 : 0;
    const std::uint32_t count = facts_.overtakes.count[w];
    if (count == 0) continue;
    overtakes += count;
    most_overtakes = std::max(most_overtakes, count);
    work.add(facts_.overtakes.work_core_s[w]);
    most_work = std::max(most_work, facts_.overtakes.work_core_s[w]);
  }
  if (until > 0) values[kOvertakenUntil] = Duration{until}.in_seconds();
  if (drain >= 0) values[kDrainTime] = Duration{drain}.in_seconds();
  if (waits == 0) return;
  values[kOvertakesMean] = static_cast<double>(overtakes) / static_cast<double>(waits);
  values[kOvertakesMax] = static_cast<double>(most_overtakes);
  values[kOvertakingWorkMean] = work.value() / static_cast<double>(waits);
  values[kOvertakingWorkMax] = most_work;
}

/// What the workflow says is what its stage would say, and nearer at hand; its row is its own index.
void GroupMetrics::observe_mirrored_stages(std::span<const std::uint32_t> members) {
  if (!facts_.passed_over_ns) return;
  const std::vector<std::int64_t>& times = *facts_.passed_over_ns;
  passed_over_.seen.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) passed_over_.seen[i] = times[members[i]];
  queued_stages_ = static_cast<std::int64_t>(members.size());
  if (!facts_.measure.starved) return;
  for (const std::uint32_t w : members) observe_starvation(w, w, facts_.tables.state[w] == WorkflowState::kWaiting);
}

void GroupMetrics::observe_stages(std::uint32_t workflow) {
  const Work& work = facts_.work;
  for (StageRow row = work.first_stage[workflow]; row < work.first_stage[workflow + 1]; ++row) {
    const StageTimes& stage = facts_.tables.stages[row];
    if (!stage.was_eligible()) continue;
    observe_stage_times(row);
    if (!facts_.passed_over_ns) continue;
    passed_over_.seen.push_back((*facts_.passed_over_ns)[row]);
    ++queued_stages_;
    observe_starvation(workflow, row, stage.state == StageState::kEligible);
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

void GroupMetrics::store_counts(std::span<const std::uint32_t> members, Group& group) const {
  const Tabulated& tables = facts_.tables;
  std::int64_t started = 0, finished = 0, waiting = 0, late = 0, left_out = 0;
  const std::int64_t limit = facts_.measure.late ? facts_.measure.late->ns : std::numeric_limits<std::int64_t>::max();
  for (const std::uint32_t w : members) {
    const bool is_finished = tables.state[w] == WorkflowState::kFinished;
    started += tables.started_at[w].is_never() ? 0 : 1;
    finished += is_finished ? 1 : 0;
    waiting += tables.state[w] == WorkflowState::kWaiting ? 1 : 0;
    late += facts_.values.wait[w] > limit ? 1 : 0;
    left_out += is_finished && facts_.critical_paths[w] == Duration{} ? 1 : 0;
  }
  group.workflows = static_cast<std::int64_t>(members.size());
  group.started = started;
  group.finished = finished;
  group.waiting = waiting;
  MetricValues& values = group.metrics;
  values[kN] = static_cast<double>(group.workflows);
  values[kNStarted] = static_cast<double>(started);
  values[kNFinished] = static_cast<double>(finished);
  values[kNWaiting] = static_cast<double>(waiting);
  values[kSlowdownLeftOut] = static_cast<double>(left_out);
  if (!facts_.measure.late) return;
  values[kLateCount] = static_cast<double>(late);
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
