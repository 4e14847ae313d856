#include "sim/metrics/group_metrics.h"

#include <algorithm>
#include <limits>
#include <optional>

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

void GroupMetrics::evaluate(std::span<const Wanted> wanted) {
  if (mirrored_ && !facts_.values.any_cut_off) return evaluate_jobs(wanted);
  for (const Wanted& one : wanted) evaluate_alone(one);
}

// ---- jobs, all of which have ended

namespace {

constexpr std::size_t kBlock = ObservedValues<double>::kMostAtOnce;

/// Calls f with the members' values in a column, as many at a time as an ObservedValues takes.
template <class T, class F>
void walk_values(std::span<const std::uint32_t> members, const std::vector<T>& column, const F& f) {
  std::array<T, kBlock> values;
  while (!members.empty()) {
    const std::span<const std::uint32_t> some = members.first(std::min(members.size(), kBlock));
    members = members.subspan(some.size());
    std::size_t n = 0;
    for (const std::uint32_t w : some) {
      values[n] = column[w];
      n += is_value(values[n]) ? 1 : 0;
    }
    f(std::span<const T>(values).first(n));
  }
}

/// One quantity of a set of jobs.
template <class T>
class JobQuantity {
 public:
  JobQuantity(std::span<const std::uint32_t> members, const std::vector<T>& column)
      : members_(members),
        column_(column),
        values_(members.size(), [&](std::size_t i) { return column[members[i]]; }) {}

  void add(std::span<const std::uint32_t> members) {
    walk_values(members, column_, [&](std::span<const T> values) { values_.add(values); });
  }
  [[nodiscard]] Summary summary() {
    return values_.summary([&](const auto& f) { walk_values(members_, column_, f); });
  }

 private:
  std::span<const std::uint32_t> members_;
  const std::vector<T>& column_;
  ObservedValues<T> values_;
};

}  // namespace

struct GroupMetrics::Jobs {
  Jobs(const RunFacts& facts, std::span<const std::uint32_t> all)
      : rest(all),
        wait(all, facts.values.wait),
        turnaround(all, facts.values.turnaround),
        slowdown(all, facts.values.slowdown),
        bounded_slowdown(all, facts.values.bounded_slowdown) {
    if (facts.passed_over_ns) passed_over.emplace(all, *facts.passed_over_ns);
  }
  void add(std::span<const std::uint32_t> members) {
    wait.add(members);
    turnaround.add(members);
    slowdown.add(members);
    bounded_slowdown.add(members);
    if (passed_over) passed_over->add(members);
  }

  std::span<const std::uint32_t> rest;  ///< not seen yet
  JobQuantity<std::int64_t> wait, turnaround;
  JobQuantity<double> slowdown, bounded_slowdown;
  std::optional<JobQuantity<std::int64_t>> passed_over;
  Tallies tallies;
};

/// Block by block of workflows, so that each is read from a near cache by all sets but the first.
void GroupMetrics::evaluate_jobs(std::span<const Wanted> wanted) {
  std::vector<Jobs> sets;
  sets.reserve(wanted.size());
  for (const Wanted& one : wanted) sets.emplace_back(facts_, one.members);
  for (std::size_t end = kBlock;; end += kBlock) {
    bool any_left = false;
    for (Jobs& set : sets) {
      std::size_t n = std::min(set.rest.size(), kBlock);
      if (n > 0 && set.rest[n - 1] >= end)
        n = static_cast<std::size_t>(std::ranges::lower_bound(set.rest.first(n), end) - set.rest.begin());
      any_left = any_left || n < set.rest.size();
      if (n == 0) continue;
      const std::span<const std::uint32_t> members = set.rest.first(n);
      set.rest = set.rest.subspan(n);
      set.add(members);
      tally(members, set.tallies);
      tally_jobs(members, set.tallies);
    }
    if (!any_left) break;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Jobs& set = sets[i];
    Group& group = *wanted[i].group;
    MetricValues& values = group.metrics;
    values.assign(kMetricCount, kNaN);
    const Summary wait = set.wait.summary(), slowdown = set.slowdown.summary();
    for (const Quantity quantity : {Quantity::kWaitTime, Quantity::kStageWaitTime, Quantity::kStageFirstWait})
      store(values, quantity, wait);
    for (const Quantity quantity : {Quantity::kSlowdown, Quantity::kStageSlowdown}) store(values, quantity, slowdown);
    store(values, Quantity::kTurnaroundTime, set.turnaround.summary());
    store(values, Quantity::kBoundedSlowdown, set.bounded_slowdown.summary());
    store_tallies(set.tallies, wanted[i].members.size(), group);
    if (set.passed_over) store_passed_over(set.passed_over->summary(), set.tallies, values);
  }
}

// ---- any work

template <class T>
Summary GroupMetrics::summary_of(std::span<const std::uint32_t> members, const std::vector<T>& column,
                                 std::uint8_t cut_off, Observations<T>& buffer) {
  buffer.clear();
  for (const std::uint32_t w : members) {
    if (!is_value(column[w])) continue;
    const bool is_cut = (facts_.values.flags[w] & cut_off) != 0;
    (is_cut ? buffer.cut_off : buffer.seen).push_back(column[w]);
  }
  return summarize(buffer.seen, buffer.cut_off);
}

void GroupMetrics::evaluate_alone(const Wanted& wanted) {
  const std::span<const std::uint32_t> members = wanted.members;
  MetricValues& values = wanted.group->metrics;
  values.assign(kMetricCount, kNaN);
  const WorkflowValues& of = facts_.values;
  const Summary wait = summary_of(members, of.wait, WorkflowValues::kWaitCutOff, times_);
  store(values, Quantity::kWaitTime, wait);
  store(values, Quantity::kTurnaroundTime, summary_of(members, of.turnaround, WorkflowValues::kEndCutOff, times_));
  const Summary slowdown = summary_of(members, of.slowdown, WorkflowValues::kEndCutOff, ratios_);
  store(values, Quantity::kSlowdown, slowdown);
  store(values, Quantity::kBoundedSlowdown,
        summary_of(members, of.bounded_slowdown, WorkflowValues::kEndCutOff, ratios_));

  Tallies tallies;
  tally(members, tallies);
  for (auto* times : {&stage_wait_, &first_wait_, &passed_over_}) times->clear();
  stage_slowdown_.clear();
  if (mirrored_) {
    tally_jobs(members, tallies);
    if (facts_.passed_over_ns)
      for (const std::uint32_t w : members) passed_over_.seen.push_back((*facts_.passed_over_ns)[w]);
  } else {
    for (const std::uint32_t workflow : members) observe_stages(workflow, tallies);
  }
  const auto of_stages = [&](auto& observed) { return summarize(observed.seen, observed.cut_off); };
  store(values, Quantity::kStageWaitTime, mirrored_ ? wait : of_stages(stage_wait_));
  store(values, Quantity::kStageFirstWait, mirrored_ ? wait : of_stages(first_wait_));
  store(values, Quantity::kStageSlowdown, mirrored_ ? slowdown : of_stages(stage_slowdown_));
  store_tallies(tallies, members.size(), *wanted.group);
  if (facts_.passed_over_ns) store_passed_over(of_stages(passed_over_), tallies, values);
}

void GroupMetrics::tally(std::span<const std::uint32_t> members, Tallies& tallies) const {
  const Tabulated& tables = facts_.tables;
  for (const std::uint32_t w : members) {
    ++tallies.by_flags[facts_.values.flags[w]];
    raise(tallies.latest_age, facts_.catch_up_ages_s[w]);
    tallies.drain =
        std::max(tallies.drain, drain_time_ns(tables.submitted_at[w], tables.started_at[w], facts_.catch_up_ages_s[w]));
  }
  if (tables.any_overtaken)
    for (const std::uint32_t w : members) tallies.until = std::max(tallies.until, tables.overtaken_until[w].ns);
  if (!facts_.overtakes.any) return;
  for (const std::uint32_t w : members) {
    const std::uint32_t count = facts_.overtakes.count[w];
    if (count == 0) continue;
    tallies.overtakes += count;
    tallies.most_overtakes = std::max(tallies.most_overtakes, count);
    tallies.work.add(facts_.overtakes.work_core_s[w]);
    tallies.most_work = std::max(tallies.most_work, facts_.overtakes.work_core_s[w]);
  }
}

/// What the workflow says is what its stage would say, and nearer at hand; its row is its own index.
void GroupMetrics::tally_jobs(std::span<const std::uint32_t> members, Tallies& tallies) const {
  if (!facts_.passed_over_ns) return;
  tallies.queued_stages += static_cast<std::int64_t>(members.size());
  if (!facts_.measure.starved) return;
  for (const std::uint32_t w : members)
    observe_starvation(w, w, facts_.tables.state[w] == WorkflowState::kWaiting, tallies);
}

void GroupMetrics::observe_stages(std::uint32_t workflow, Tallies& tallies) {
  const Work& work = facts_.work;
  for (StageRow row = work.first_stage[workflow]; row < work.first_stage[workflow + 1]; ++row) {
    const StageTimes& stage = facts_.tables.stages[row];
    if (!stage.was_eligible()) continue;
    observe_stage_times(row);
    if (!facts_.passed_over_ns) continue;
    passed_over_.seen.push_back((*facts_.passed_over_ns)[row]);
    ++tallies.queued_stages;
    observe_starvation(workflow, row, stage.state == StageState::kEligible, tallies);
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

void GroupMetrics::observe_starvation(std::uint32_t workflow, StageRow row, bool still_waits, Tallies& tallies) const {
  const std::int64_t passed_over = (*facts_.passed_over_ns)[row];
  if (!facts_.measure.starved || passed_over <= facts_.measure.starved->ns) return;
  ++tallies.starved;
  const double age_s = (facts_.end - facts_.tables.submitted_at[workflow]).in_seconds();
  tallies.starving += still_waits && facts_.catch_up_ages_s[workflow] > age_s;
}

void GroupMetrics::store(MetricValues& values, Quantity quantity, const Summary& summary) const {
  values[metric_of(quantity, Statistic::kMean)] = summary.mean;
  values[metric_of(quantity, Statistic::kMedian)] = summary.median;
  values[metric_of(quantity, Statistic::kP90)] = summary.p90;
  values[metric_of(quantity, Statistic::kP99)] = summary.p99;
  values[metric_of(quantity, Statistic::kMax)] = summary.max;
  values[metric_of(quantity, Statistic::kRms)] = summary.rms;
}

std::size_t GroupMetrics::Tallies::count(int flag) const {
  std::size_t sum = 0;
  for (std::size_t flags = 0; flags < by_flags.size(); ++flags)
    if ((flags & static_cast<std::size_t>(flag)) != 0) sum += by_flags[flags];
  return sum;
}

void GroupMetrics::store_tallies(const Tallies& tallies, std::size_t members, Group& group) const {
  std::size_t left_out = 0;
  for (std::size_t flags = 0; flags < tallies.by_flags.size(); ++flags)
    if ((flags & WorkflowValues::kFinished) != 0 && (flags & WorkflowValues::kNoPath) != 0)
      left_out += tallies.by_flags[flags];
  group.workflows = static_cast<std::int64_t>(members);
  group.started = static_cast<std::int64_t>(tallies.count(WorkflowValues::kStarted));
  group.finished = static_cast<std::int64_t>(tallies.count(WorkflowValues::kFinished));
  group.waiting = static_cast<std::int64_t>(tallies.count(WorkflowValues::kWaits));
  MetricValues& values = group.metrics;
  values[kN] = static_cast<double>(group.workflows);
  values[kNStarted] = static_cast<double>(group.started);
  values[kNFinished] = static_cast<double>(group.finished);
  values[kNWaiting] = static_cast<double>(group.waiting);
  values[kSlowdownLeftOut] = static_cast<double>(left_out);
  if (facts_.measure.late) {
    values[kLateCount] = static_cast<double>(tallies.count(WorkflowValues::kLate));
    if (group.workflows > 0) values[kLateFraction] = values[kLateCount] / values[kN];
  }
  values[kCatchUpAge] = tallies.latest_age;
  if (tallies.drain >= 0) values[kDrainTime] = Duration{tallies.drain}.in_seconds();
  if (tallies.until > 0) values[kOvertakenUntil] = Duration{tallies.until}.in_seconds();
  const std::size_t waits = tallies.count(WorkflowValues::kStarted | WorkflowValues::kWaits);
  if (waits == 0) return;
  values[kOvertakesMean] = static_cast<double>(tallies.overtakes) / static_cast<double>(waits);
  values[kOvertakesMax] = static_cast<double>(tallies.most_overtakes);
  values[kOvertakingWorkMean] = tallies.work.value() / static_cast<double>(waits);
  values[kOvertakingWorkMax] = tallies.most_work;
}

void GroupMetrics::store_passed_over(const Summary& summary, const Tallies& tallies, MetricValues& values) const {
  values[kPassedOverTimeP99] = summary.p99;
  values[kPassedOverTimeMax] = summary.max;
  if (!facts_.measure.starved) return;
  values[kStarvedCount] = static_cast<double>(tallies.starved);
  values[kStarvingAtEnd] = static_cast<double>(tallies.starving);
  if (tallies.queued_stages > 0)
    values[kStarvedFraction] = values[kStarvedCount] / static_cast<double>(tallies.queued_stages);
}

}  // namespace headroom
