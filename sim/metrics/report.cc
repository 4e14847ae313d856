// Puts a run's report together from the parts.
#include "sim/metrics/report.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sim/metrics/attempts.h"
#include "sim/metrics/bounds.h"
#include "sim/metrics/capacity_account.h"
#include "sim/metrics/catalog.h"
#include "sim/metrics/catch_up.h"
#include "sim/metrics/control_report.h"
#include "sim/metrics/critical_path.h"
#include "sim/metrics/group_metrics.h"
#include "sim/metrics/groups.h"
#include "sim/metrics/hold_idle.h"
#include "sim/metrics/overtakes.h"
#include "sim/metrics/priority_state.h"
#include "sim/metrics/read_log.h"
#include "sim/metrics/tabulate.h"
#include "sim/metrics/warnings.h"
#include "sim/metrics/workflow_values.h"

namespace headroom {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double quotient(Int128 a, Int128 b) {
  return b > 0 ? static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b)) : kNaN;
}

/// Last end - first submission of the cohort, once everything of it has ended.
std::optional<Duration> makespan_of(const RunFacts& facts, std::span<const std::uint32_t> cohort) {
  TimePoint first = TimePoint::never(), last = TimePoint::zero();
  for (const std::uint32_t w : cohort) {
    first = std::min(first, facts.tables.submitted_at[w]);
    last = std::max(last, facts.tables.finished_at[w]);  // never() is larger than all
  }
  if (cohort.empty() || last.is_never()) return std::nullopt;
  return last - first;
}

void store_run_metrics(const RunFacts& facts, const RunLog& log, const Policy& policy,
                       std::span<const std::uint32_t> cohort, RunReport& report) {
  const Tabulated& tables = facts.tables;
  const ClusterTotals totals(facts.work.cluster);
  const std::int64_t window = tables.window.length().ns;
  MetricValues& values = report.metrics;
  if (report.makespan) values[kMakespan] = report.makespan->in_seconds();
  if (report.lower_bound) values[kLowerBound] = report.lower_bound->in_seconds();
  if (report.makespan && report.lower_bound)
    values[kMakespanRatio] = quotient(report.makespan->ns, report.lower_bound->ns);
  const CapacityAccount account = capacity_account(facts.work, log, policy, tables);
  const auto in_core_s = [](Int128 core_ns) { return quotient(core_ns, kNanosecondsPerSecond); };
  values[kCapacityBusy] = in_core_s(account.busy);
  values[kCapacityOverhead] = in_core_s(account.overhead);
  values[kCapacityWaitingForPass] = in_core_s(account.waiting_for_pass);
  values[kCapacityDepth] = in_core_s(account.depth);
  values[kCapacityReserved] = in_core_s(account.reserved);
  values[kCapacityDoesNotFit] = in_core_s(account.does_not_fit);
  values[kCapacityTooWide] = in_core_s(account.too_wide);
  values[kCapacityHeld] = in_core_s(account.held);
  values[kCapacityNoWork] = in_core_s(account.no_work);
  values[kCapacityDown] = in_core_s(account.down);
  values[kUtilization] = quotient(tables.busy_cores, totals.cores * window - account.down);
  values[kUtilizationMemory] = quotient(tables.busy_memory, totals.memory * window - account.down_memory);
  values[kUtilizationGpus] = quotient(tables.busy_gpus, totals.gpus * window - account.down_gpus);
  const auto inversions = facts.inversions ? facts.inversions : base_inversions(facts.work, log, policy, tables);
  if (inversions) {
    const auto of_starts = [&](std::uint64_t count) {
      return quotient(static_cast<std::int64_t>(count), static_cast<std::int64_t>(inversions->starts));
    };
    values[kBaseInversions] = of_starts(inversions->all());
    values[kBaseInversionsAge] = of_starts(inversions->age);
    values[kBaseInversionsTie] = of_starts(inversions->tie);
    values[kBaseInversionsReservation] = of_starts(inversions->reservation);
  }
  values[kPreemptions] = static_cast<double>(log.preemptions.size());
  Int128 lost = 0;
  for (const PreemptionRecord& preemption : log.preemptions) {
    const Demand& demand = facts.work.demands[facts.work.demand[preemption.stage]];
    lost += Int128{demand.cores} * (demand.spread ? 1 : demand.nodes) * preemption.lost.ns;
  }
  values[kLostWorkTime] = static_cast<double>(static_cast<long double>(lost) / kNanosecondsPerSecond);
  values[kPriorityChanges] = static_cast<double>(priority_changes(log.control));
  values[kRefusals] = static_cast<double>(refusals(log.control));
  values[kUnranked] = static_cast<double>(log.unranked.stages);
  values[kOfferedLoad] = offered_load(facts.work, facts.measure, tables.submitted_at, cohort);
  if (!facts.work.plans.empty())  // else there is nobody who could hold
    values[kHoldIdle] = quotient(hold_idle_core_ns(facts.work, log, tables), kNanosecondsPerSecond);
  values[kQueueLengthMean] = quotient(tables.queue_area, window);
  values[kQueueLengthMax] = static_cast<double>(tables.queue_max);
}

std::vector<double> drain_times_s(const Tabulated& tables, std::span<const double> catch_up_ages_s) {
  std::vector<double> seconds(catch_up_ages_s.size(), kNaN);
  for (std::uint32_t w = 0; w < seconds.size(); ++w) {
    const std::int64_t drain = drain_time_ns(tables.submitted_at[w], tables.started_at[w], catch_up_ages_s[w]);
    if (drain >= 0) seconds[w] = Duration{drain}.in_seconds();
  }
  return seconds;
}

std::vector<double> overtaken_until_s(const Tabulated& tables) {
  std::vector<double> seconds(tables.overtaken_until.size(), kNaN);
  for (std::size_t w = 0; w < seconds.size(); ++w)
    if (tables.overtaken_until[w] > Duration{}) seconds[w] = tables.overtaken_until[w].in_seconds();
  return seconds;
}

/// The cohort and its parts, and what only a whole run has.
void measure_groups(const RunFacts& facts, const RunLog& log, const Policy& policy, RunReport& out) {
  const Work& work = facts.work;
  const std::vector<std::uint32_t> cohort =
      cohort_of(facts.tables.submitted_at, facts.tables.is_submitted, facts.measure);
  Group whole;
  std::vector<GroupMetrics::Wanted> wanted{{cohort, &whole}};
  std::array<Grouping, 4> groupings{
      classes_of(work, facts.measure, cohort), tenants_of(work, Group::Kind::kOrganization, cohort),
      tenants_of(work, Group::Kind::kAccount, cohort), tenants_of(work, Group::Kind::kUser, cohort)};
  // A part that is the whole cohort has its numbers: one class, one account are the usual case.
  const auto is_whole = [&](const Grouping& grouping, std::size_t g) { return grouping.of(g).size() == cohort.size(); };
  for (Grouping& grouping : groupings)
    for (std::size_t g = 0; g < grouping.groups.size(); ++g)
      if (!is_whole(grouping, g)) wanted.push_back({grouping.of(g), &grouping.groups[g]});
  GroupMetrics(facts).evaluate(wanted);
  for (std::size_t k = 0; k < groupings.size(); ++k) {
    for (std::size_t g = 0; g < groupings[k].groups.size(); ++g) {
      Group& group = groupings[k].groups[g];
      if (is_whole(groupings[k], g)) {
        Group copy = whole;
        copy.kind = group.kind;
        copy.name = std::move(group.name);
        group = std::move(copy);
      }
      (k == 0 ? out.classes : out.tenants).push_back(std::move(group));
    }
  }
  out.workflows = whole.workflows;
  out.started = whole.started;
  out.finished = whole.finished;
  out.waiting = whole.waiting;
  out.metrics = std::move(whole.metrics);
  out.makespan = makespan_of(facts, cohort);
  out.lower_bound = lower_bound(work, facts.tables, facts.critical_paths, cohort);
  store_run_metrics(facts, log, policy, cohort, out);
}

}  // namespace

RunReport report(const Work& work, const RunLog& log, const Policy& policy, const Measure& measure,
                 bool with_attempts) {
  RunReport out;
  LogFacts read = read_log(work, log, policy, measure, with_attempts);
  Tabulated& tables = read.tables;
  if (!log.control.nodes.empty()) read.passed_over_ns.reset();  // would it have fitted? The readers know all nodes only
  const auto& passed_over_ns = read.passed_over_ns;
  Overtakes& overtaking = read.overtaking;
  std::vector<Duration> paths = critical_paths(work);
  std::vector<double> ages = catch_up_ages_s(work, policy, tables.submitted_at);
  WorkflowValues values = workflow_values(tables, paths, measure, log.end);
  measure_groups({work, measure, tables, paths, ages, values, overtaking, passed_over_ns, read.inversions, log.end},
                 log, policy, out);

  out.status = log.status;
  out.decision_hash = log.decision_hash;
  out.passes = log.passes;
  out.events = log.handled;
  out.starts = log.starts.size();
  WorkflowTable& table = out.workflow_table;
  if (with_attempts) {
    table.inputs = inputs_at_submission(work, log.control, tables.submitted_at);
    table.drain_time_s = drain_times_s(tables, ages);
    table.overtaken_until_s = overtaken_until_s(tables);
    table.klass = first_classes(work, measure);
    table.catch_up_age_s = std::move(ages);
    table.overtakes = std::move(overtaking.count);
    table.overtaking_work_s = std::move(overtaking.work_core_s);
    // The largest table of all comes when what is no longer needed has gone.
    values = {};
    tables.stages = {};
    tables.overtaken_until = {};
    out.attempt_table = attempt_table(work, log, policy, tables.submitted_at, passed_over_ns, overtaking.stage_count);
  }
  table.submitted_at = std::move(tables.submitted_at);
  table.started_at = std::move(tables.started_at);
  table.finished_at = std::move(tables.finished_at);
  table.state = std::move(tables.state);
  table.critical_path = std::move(paths);
  for (const std::uint32_t w : log.control.refused_workflows) table.state[w] = WorkflowState::kRefused;
  if (with_attempts) out.control = log.control;
  out.holds = std::move(tables.holds);
  out.warnings = warnings_of(work, log, out);
  return out;
}

}  // namespace headroom
