// The catalogue of metrics and the words of the states: the only place where either is spelled.
#include "sim/metrics/catalog.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "policies/check.h"
#include "sim/metrics/report.h"
#include "workloads/diagnostics.h"

namespace headroom {
namespace {

struct Described {
  std::string_view name, unit, long_name;
};

// By Quantity.
constexpr std::array<Described, kQuantities> kDistributed = {{
    {"wait_time", "s", "first start of any stage of a workflow - its submission"},
    {"turnaround_time", "s", "finish of a workflow - its submission"},
    {"slowdown", "1", "turnaround time / critical path of true run times"},
    {"bounded_slowdown", "1", "max(1, turnaround time / max(critical path, tau))"},
    {"stage_wait_time", "s", "time a stage spent eligible, over all its attempts"},
    {"stage_first_wait", "s", "first start of a stage - when it was first eligible"},
    {"stage_slowdown", "1", "(finish of a stage - when it was first eligible) / run time"},
}};

// By Statistic.
constexpr std::array<Described, kStatistics> kStatistic = {{
    {"mean", "", "mean"},
    {"median", "", "median"},
    {"p90", "", "90th percentile"},
    {"p99", "", "99th percentile"},
    {"max", "", "maximum"},
    {"rms", "", "root mean square"},
}};

struct Catalog {
  std::vector<MetricInfo> infos;
  std::vector<std::string> texts;  // what the composed names and long names of `infos` point into
  std::unordered_map<std::string_view, std::size_t> index;

  Catalog() {
    texts.reserve(2 * kQuantities * kStatistics);
    add("n", "1", "workflows of the cohort");
    add("n_started", "1", "workflows of the cohort of which a stage started");
    add("n_finished", "1", "workflows of the cohort that finished");
    add("n_waiting", "1", "workflows of the cohort of which nothing had started at the end");
    add("makespan", "s", "last finish - first submission", false);
    add("lower_bound", "s", "least makespan that any schedule could have", false);
    add("makespan_ratio", "1", "makespan / lower_bound", false);
    for (const Described& quantity : kDistributed) {
      for (const Described& statistic : kStatistic) {
        texts.push_back(std::string(quantity.name) + "_" + std::string(statistic.name));
        const std::string_view name = texts.back();
        texts.push_back(std::string(statistic.long_name) + ": " + std::string(quantity.long_name));
        add(name, quantity.unit, texts.back());
      }
    }
    add("slowdown_left_out", "1", "finished workflows of critical path 0, which have no slowdown");
    add("utilization", "1", "busy core time / (cores x window)", false);
    add("utilization_memory", "1", "busy memory time / (memory x window)", false);
    add("utilization_gpus", "1", "busy GPU time / (GPUs x window)", false);
    add("offered_load", "1", "core time asked for / (cores x window of submissions)", false);
    add("hold_idle", "s", "core time idle while a stage could have run but for a hold", false);
    add("queue_length_mean", "1", "eligible stages, averaged over the window", false);
    add("queue_length_max", "1", "largest number of eligible stages that lasted", false);
    add("late_count", "1", "workflows whose wait, or age at the end, is above `late`");
    add("late_fraction", "1", "late_count / n");
    add("passed_over_time_p99", "s",
        "99th percentile: time a stage waited where it fitted beside older workflows alone");
    add("passed_over_time_max", "s", "maximum: time a stage waited where it fitted beside older workflows alone");
    add("starved_count", "1", "stages passed over for longer than `starved`");
    add("starved_fraction", "1", "starved_count / stages that were ever eligible");
    add("starving_at_end", "1", "starved stages that still wait and that a newcomer would still precede");
    add("catch_up_age", "s", "largest of a workflow: age after which nobody new can rank before it; infinite: never");
    add("overtaken_until", "s", "largest of a workflow: how much later one was submitted that started earlier");
    add("drain_time", "s", "largest of a workflow: wait - catch_up_age of what had caught up when it started");
    add("overtakes_mean", "1", "mean over workflows: first starts, during its wait, of stages submitted later");
    add("overtakes_max", "1", "maximum of a workflow: first starts, during its wait, of stages submitted later");
    add("overtaking_work_mean", "s", "mean over workflows: core time of what overtook it, inside its wait");
    add("overtaking_work_max", "s", "maximum of a workflow: core time of what overtook it, inside its wait");
    add("capacity_busy", "s", "core time held by stages, of plans while they compute", false);
    add("capacity_overhead", "s", "core time held by plans that start up, declare, hold, release or end", false);
    add("capacity_waiting_for_pass", "s", "core time idle though something fitted, until the next pass", false);
    add("capacity_depth", "s", "core time idle though something fitted that the last pass did not look at", false);
    add("capacity_reserved", "s", "core time idle though something fitted, because of a reservation", false);
    add("capacity_does_not_fit", "s", "core time idle that was asked for, but not in one place", false);
    add("capacity_too_wide", "s", "core time idle while what waited needed more cores than were", false);
    add("capacity_held", "s", "core time idle that stages would have taken but for a hold", false);
    add("capacity_no_work", "s", "core time idle that nobody asked for", false);
    add("capacity_down", "s", "core time of nodes that took no work", false);
    add("base_inversions", "1", "fraction of starts while a stage of higher base was eligible and fitted", false);
    add("base_inversions_age", "1", "those of them where the other was younger", false);
    add("base_inversions_tail_time", "1", "those of them where the priorities were equal and a tie decided", false);
    add("base_inversions_reservation", "1", "those of them where the other would have delayed a reservation", false);
    add("preemptions", "1", "tries of stages that were displaced", false);
    add("lost_work_time", "s", "core time of displaced tries that has to be run again", false);
    add("priority_changes", "1", "workflows whose priority, or that of whom they belong to, was changed", false);
    add("refusals", "1", "actions and submissions that were refused, wholly or in part", false);
    add("unranked_stages", "1", "stages whose priority was NaN, or failed, for a while: they were queued last", false);
    HEADROOM_CHECK(infos.size() == kMetricCount, "metrics = " + std::to_string(infos.size()));
  }

  void add(std::string_view name, std::string_view unit, std::string_view long_name, bool in_groups = true) {
    index.emplace(name, infos.size());
    infos.push_back({name, unit, long_name, in_groups});
  }
};

const Catalog& catalog() {
  static const Catalog instance;
  return instance;
}

constexpr std::array<std::string_view, 6> kWorkflowStates = {"waiting", "running",  "finished",
                                                             "failed",  "canceled", "refused"};
constexpr std::array<std::string_view, 8> kStageStates = {"blocked", "eligible",  "running",  "finished",
                                                          "failed",  "timed_out", "canceled", "preempted"};
constexpr std::array<std::string_view, 4> kRunKinds = {"run", "skip", "hash", "plan"};

}  // namespace

std::span<const MetricInfo> metric_catalog() { return catalog().infos; }

std::size_t metric_index(std::string_view name) {
  const auto found = catalog().index.find(name);
  HEADROOM_CHECK(found != catalog().index.end(), "no metric is called '" + std::string(name) + "'");
  return found->second;
}

std::string metric_hint(std::string_view name) {
  std::vector<std::string> names;
  for (const MetricInfo& info : metric_catalog()) {
    if (info.name.starts_with(std::string(name) + "_")) return "; did you mean '" + std::string(info.name) + "'?";
    names.emplace_back(info.name);
  }
  return did_you_mean(name, names);
}

std::span<const std::string_view> workflow_state_words() { return kWorkflowStates; }
std::span<const std::string_view> stage_state_words() { return kStageStates; }
std::span<const std::string_view> stage_run_kind_words() { return kRunKinds; }

}  // namespace headroom
