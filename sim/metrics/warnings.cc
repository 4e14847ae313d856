#include "sim/metrics/warnings.h"

#include <algorithm>

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
  std::int64_t running = 0;
  for (const WorkflowState state : report.workflow_table.state) running += state == WorkflowState::kRunning;
  if (report.waiting > 0 || running > 0) warnings.push_back({"W03", cut_off_text(report, running)});
  return warnings;
}

}  // namespace headroom
