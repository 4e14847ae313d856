#include "sim/metrics/warnings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/metrics/catalog.h"

namespace headroom {
namespace {

std::string stage_text(const Work& work, StageRow row) {
  std::string text = "'";  // g++ 12 warns of "'" + a temporary
  text += work.stage_name(row) + "' of '" + work.workflow_name(work.workflow_of[row]) + "'";
  return text;
}

std::string stalled_text(const Work& work, const RunLog& log) {
  const std::uint64_t waiting = std::max<std::uint64_t>(log.stalled_stages, log.stalls.size());
  std::string text =
      waiting == 1 ? "1 stage waits and can never start" : std::to_string(waiting) + " stages wait and can never start";
  const char* separator = ": ";
  for (const Stall& stall : log.stalls) {
    text += separator + stall_text(work, stall);
    separator = "; ";
  }
  if (waiting > log.stalls.size()) text += "; and " + std::to_string(waiting - log.stalls.size()) + " more";
  return text;
}

std::string cut_off_text(const RunReport& report, std::int64_t running) {
  std::string text = "of " + std::to_string(report.workflows) + " workflows measured ";
  if (report.waiting > 0) text += std::to_string(report.waiting) + " had not started";
  if (report.waiting > 0 && running > 0) text += " and ";
  if (running > 0) text += std::to_string(running) + " had not finished";
  return text +
         " at the end of the run: quantiles are Kaplan-Meier estimates, means are restricted to the longest time "
         "seen, makespan is undefined";
}

constexpr double kHeavyLoad = 0.95;

std::string load_text(double load) {
  char number[32];
  const auto end = std::to_chars(std::begin(number), std::end(number), load, std::chars_format::general, 3).ptr;
  return "the offered load is " + std::string(number, end) + ": the queue grows with the run, so waits tell its length";
}

/// As short as says it exactly.
std::string shortest(double number) {
  char text[32];
  return {std::begin(text), std::to_chars(std::begin(text), std::end(text), number).ptr};
}

std::string unranked_text(const Work& work, const UnrankedStages& unranked) {
  std::string text = std::to_string(unranked.stages) + (unranked.stages == 1 ? " stage" : " stages");
  text += " had no priority for a while and stood behind all that had one, by the ties alone; the first is stage " +
          stage_text(work, unranked.first) + " at " + shortest(unranked.at.in_seconds()) + " s: " + unranked.why;
  return text;
}

/// What people would have done, had the run not been over.
std::string too_late_text(const Work& work, const RunLog& log) {
  constexpr std::size_t kNamed = 5;
  const std::size_t left = std::min<std::size_t>(log.control.actions_left, work.actions.size());
  std::string text = std::to_string(left) + (left == 1 ? " action was" : " actions were") +
                     " never done: the run was over at " + shortest(log.end.in_seconds()) + " s";
  for (std::size_t i = 0; i < std::min(left, kNamed); ++i) {
    const Action& action = work.actions[work.actions.size() - left + i];
    text += i == 0 ? "; " : ", ";
    if (action.line > 0) text += "line " + std::to_string(action.line) + ":" + std::to_string(action.column) + " ";
    text += "at " + shortest(action.at.in_seconds()) + " s";
  }
  if (left > kNamed) text += " and " + std::to_string(left - kNamed) + " more";
  return text;
}

/// The first quantile that has too few observations beyond it, and how many it takes.
std::string few_text(const RunReport& report, bool p90) {
  return std::to_string(report.workflows) + (report.workflows == 1 ? " workflow is" : " workflows are") +
         " too few for the 99th percentile" + (p90 ? " (1000) and the 90th (100)" : " (1000)");
}

}  // namespace

std::string stall_text(const Work& work, const Stall& stall) {
  const std::string stage = "stage " + stage_text(work, stall.stage);
  switch (stall.cause) {
    case Stall::Cause::kMissing:
      return stage + " waits for '" + (stall.other < work.missing.size() ? work.missing[stall.other] : "?") +
             "', which nobody provides";
    case Stall::Cause::kTooLarge:
      return stage + " asks for more than the cluster has";
    case Stall::Cause::kWaitsFor:
      return stage + " waits for " + stage_text(work, stall.other);
    case Stall::Cause::kUndeclared:
      return stage + " waits for " + stage_text(work, stall.other) + ", which was never declared";
    case Stall::Cause::kHeld:
      return stage + " is held by " + stage_text(work, stall.other);
  }
  return stage + " waits";
}

std::vector<Warning> warnings_of(const Work& work, const RunLog& log, const RunReport& report) {
  std::vector<Warning> warnings;
  if (log.status == RunStatus::kStalled) warnings.push_back({"stalled", stalled_text(work, log)});
  if (log.control.actions_left > 0) warnings.push_back({"actions", too_late_text(work, log)});
  if (log.unranked.stages > 0) warnings.push_back({"unranked", unranked_text(work, log.unranked)});
  std::int64_t running = 0;
  for (const WorkflowState state : report.workflow_table.state) running += state == WorkflowState::kRunning;
  if (report.metrics.empty()) return warnings;  // nothing was measured
  const double load = report.metrics[kOfferedLoad];
  if (load >= kHeavyLoad) warnings.push_back({"W02", load_text(load)});
  if (report.waiting > 0 || running > 0) warnings.push_back({"W03", cut_off_text(report, running)});
  const bool no_p90 = std::isnan(report.metrics[metric_of(Quantity::kWaitTime, Statistic::kP90)]);
  const bool no_p99 = std::isnan(report.metrics[metric_of(Quantity::kWaitTime, Statistic::kP99)]);
  if (report.workflows > 0 && no_p99) warnings.push_back({"W09", few_text(report, no_p90)});
  return warnings;
}

namespace {

bool has_modelled_estimates(const Workload& workload) {
  return std::ranges::any_of(workload.items, [](const WorkItem& item) {
    const auto* generated = std::get_if<GenerateItem>(&item);
    if (generated == nullptr || !generated->enabled) return false;
    const auto is_multiple = [](const GeneratedStage& stage) { return stage.estimate_factor.has_value(); };
    return generated->mix.empty() ? is_multiple(*generated) : std::ranges::any_of(generated->mix, is_multiple);
  });
}

/// "62 %"
std::string per_cent(double fraction) { return std::to_string(static_cast<int>(std::lround(fraction * 100))) + " %"; }

/// Nothing where nobody has more than half of anything.
std::string majority_text(const Work& work) {
  struct Share {
    double jobs = 0, core_s = 0;
  };
  std::vector<Share> shares(work.tenants.users.size());
  Share all;
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    double core_s = 0;
    for (StageRow row = work.first_stage[w]; row < work.first_stage[w + 1]; ++row) {
      const Demand& demand = work.demands[work.demand[row]];
      core_s += work.run_time[row].in_seconds() * static_cast<double>(demand.cores) *
                (demand.spread ? 1 : static_cast<double>(demand.nodes));
    }
    for (Share* share : {&all, &shares[work.user[w]]}) {
      share->jobs += 1;
      share->core_s += core_s;
    }
  }
  const auto active = std::ranges::count_if(shares, [](const Share& share) { return share.jobs > 0; });
  if (active < 2) return "";
  for (std::size_t u = 0; u < shares.size(); ++u) {
    const double jobs = shares[u].jobs / all.jobs, core_s = all.core_s > 0 ? shares[u].core_s / all.core_s : 0;
    if (jobs <= 0.5 && core_s <= 0.5) continue;
    return "user '" + work.tenants.users[u].name + "' has " + per_cent(jobs) + " of the jobs and " + per_cent(core_s) +
           " of the work: what is found is mostly about that user";
  }
  return "";
}

}  // namespace

std::vector<Warning> modelling_warnings(const Workload& workload, const Work& work, bool uses_estimates) {
  std::vector<Warning> warnings;
  if (std::ranges::any_of(workload.items, [](const WorkItem& item) { return std::holds_alternative<TraceItem>(item); }))
    warnings.push_back({"W05",
                        "a trace is replayed open: its jobs come when they came, though users who wait longer or "
                        "shorter would have submitted at other times"});
  if (uses_estimates && has_modelled_estimates(workload))
    warnings.push_back({"W06",
                        "estimates are modelled as multiples of the run time: people's are round numbers that tell "
                        "less, so what orders by them looks better here"});
  if (std::string text = majority_text(work); !text.empty()) warnings.push_back({"W07", std::move(text)});
  return warnings;
}

Warning no_inference(bool random) {
  if (!random) return {"W01", "nothing is random: one run says what happened, not what would; there is no inference"};
  return {"W01", "one replication: what another one would give is not known; there is no inference"};
}

}  // namespace headroom
