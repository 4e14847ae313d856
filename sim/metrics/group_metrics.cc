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

GroupMetrics::GroupMetrics(const RunFacts& facts) : facts_(facts), mirrored_(facts.tables.stages.empty()) {}

template <class T>
Summary GroupMetrics::summary_of(std::span<const std::uint32_t> members, const std::vector<T>& column,
                                 std::uint8_t cut_off, Observations<T>& buffer) {
  if (!facts_.values.any_cut_off) return summarizer_.summarize(std::span<const T>(column), members);
  const auto is_value = [](T value) {
    if constexpr (std::is_same_v<T, double>) return value == value;
    return value >= 0;
  };
  buffer.clear();
  for (const std::uint32_t w : members) {
    if (!is_value(column[w])) continue;
    const bool is_cut = (facts_.values.flags[w] & cut_off) != 0;
    (is_cut ? buffer.cut_off : buffer.seen).push_back(column[w]);
  }
  return summarizer_.summarize(buffer.seen, buffer.cut_off);
}

void GroupMetrics::evaluate(std::span<const std::uint32_t> members, Group& group) {
  MetricValues& values = group.metrics;
  values.assign(kMetricCount, kNaN);
  const WorkflowValues& of = facts_.values;
  const Summary wait = summary_of(members, of.wait, WorkflowValues::kWaitCutOff, times_);
  store(values, Quantity::kWaitTime, wait);
  store(values, Quantity::kTurnaroundTime, summary_of(members, of.turnaround, WorkflowValues::kEndCutOff, times_));
  const Summary slowdown = summary_of(members, of.slowdown, WorkflowValues::kEndCutOff, ratios_);
  store(values, Quantity::kSlowdown, slowdown);
  store(values, Quantity::kBoundedSlowdown,
        summary_of(members, of.bounded_slowdown, WorkflowValues::kEndCutOff, ratios_));

  for (auto* times : {&stage_wait_, &first_wait_, &passed_over_}) times->clear();
  stage_slowdown_.clear();
  starved_ = starving_ = queued_stages_ = 0;
  if (mirrored_)
    observe_mirrored_stages(members);
  else
    for (const std::uint32_t workflow : members) observe_stages(workflow);
  const auto of_stages = [&](auto& observed) { return summarizer_.summarize(observed.seen, observed.cut_off); };
  store(values, Quantity::kStageWaitTime, mirrored_ ? wait : of_stages(stage_wait_));
  store(values, Quantity::kStageFirstWait, mirrored_ ? wait : of_stages(first_wait_));
  store(values, Quantity::kStageSlowdown, mirrored_ ? slowdown : of_stages(stage_slowdown_));
  store_counts(members, group);
  if (facts_.passed_over_ns) store_passed_over(members, values);
  store_overtaking(members, values);
}

void GroupMetrics::store_overtaking(std::span<const std::uint32_t> members, MetricValues& values) const {
  const Tabulated& tables = facts_.tables;
  double latest_age = kNaN;
  for (const std::uint32_t w : members) raise(latest_age, facts_.catch_up_ages_s[w]);
  values[kCatchUpAge] = latest_age;
  std::int64_t until = 0, drain = -1;
  for (const std::uint32_t w : members)
    drain = std::max(drain, drain_time_ns(tables.submitted_at[w], tables.started_at[w], facts_.catch_up_ages_s[w]));
  if (drain >= 0) values[kDrainTime] = Duration{drain}.in_seconds();
  if (tables.any_overtaken)
    for (const std::uint32_t w : members) until = std::max(until, tables.overtaken_until[w].ns);
  if (until > 0) values[kOvertakenUntil] = Duration{until}.in_seconds();

  const std::size_t waits = count(WorkflowValues::kStarted | WorkflowValues::kWaits);
  if (waits == 0) return;
  std::uint64_t overtakes = 0;
  std::uint32_t most_overtakes = 0;
  double most_work = 0;
  CompensatedSum work;
  if (facts_.overtakes.any) {
    for (const std::uint32_t w : members) {
      const std::uint32_t count = facts_.overtakes.count[w];
      if (count == 0) continue;
      overtakes += count;
      most_overtakes = std::max(most_overtakes, count);
      work.add(facts_.overtakes.work_core_s[w]);
      most_work = std::max(most_work, facts_.overtakes.work_core_s[w]);
    }
  }
  values[kOvertakesMean] = static_cast<double>(overtakes) / static_cast<double>(waits);
  values[kOvertakesMax] = static_cast<double>(most_overtakes);
  values[kOvertakingWorkMean] = work.value() / static_cast<double>(waits);
  values[kOvertakingWorkMax] = most_work;
}

/// What the workflow says is what its stage would say, and nearer at hand; its row is its own index.
void GroupMetrics::observe_mirrored_stages(std::span<const std::uint32_t> members) {
  if (!facts_.passed_over_ns) return;
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

/// Members with any of the flags.
std::size_t GroupMetrics::count(int flag) const {
  std::size_t sum = 0;
  for (std::size_t flags = 0; flags < tally_.size(); ++flags)
    if ((flags & static_cast<std::size_t>(flag)) != 0) sum += tally_[flags];
  return sum;
}

void GroupMetrics::store_counts(std::span<const std::uint32_t> members, Group& group) {
  tally_ = {};
  for (const std::uint32_t w : members) ++tally_[facts_.values.flags[w]];
  std::size_t left_out = 0;
  for (std::size_t flags = 0; flags < tally_.size(); ++flags)
    if ((flags & WorkflowValues::kFinished) != 0 && (flags & WorkflowValues::kNoPath) != 0) left_out += tally_[flags];
  group.workflows = static_cast<std::int64_t>(members.size());
  group.started = static_cast<std::int64_t>(count(WorkflowValues::kStarted));
  group.finished = static_cast<std::int64_t>(count(WorkflowValues::kFinished));
  group.waiting = static_cast<std::int64_t>(count(WorkflowValues::kWaits));
  MetricValues& values = group.metrics;
  values[kN] = static_cast<double>(group.workflows);
  values[kNStarted] = static_cast<double>(group.started);
  values[kNFinished] = static_cast<double>(group.finished);
  values[kNWaiting] = static_cast<double>(group.waiting);
  values[kSlowdownLeftOut] = static_cast<double>(left_out);
  if (!facts_.measure.late) return;
  values[kLateCount] = static_cast<double>(count(WorkflowValues::kLate));
  if (group.workflows > 0) values[kLateFraction] = values[kLateCount] / values[kN];
}

void GroupMetrics::store_passed_over(std::span<const std::uint32_t> members, MetricValues& values) {
  const Summary summary = mirrored_ ? summarizer_.summarize(std::span(*facts_.passed_over_ns), members)
                                    : summarizer_.summarize(passed_over_.seen, passed_over_.cut_off);
  values[kPassedOverTimeP99] = summary.p99;
  values[kPassedOverTimeMax] = summary.max;
  if (!facts_.measure.starved) return;
  values[kStarvedCount] = static_cast<double>(starved_);
  values[kStarvingAtEnd] = static_cast<double>(starving_);
  if (queued_stages_ > 0) values[kStarvedFraction] = values[kStarvedCount] / static_cast<double>(queued_stages_);
}

}  // namespace headroom
