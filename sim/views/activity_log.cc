#include "sim/views/activity_log.h"

#include <algorithm>
#include <utility>

namespace headroom::views {
namespace {

enum Rank : int { kEnd, kWorkflowEnd, kSubmission, kReady, kAction, kWorkflowStart, kStart, kEndOfNoTime };

class LogWriter {
 public:
  LogWriter(const History& history, std::uint32_t workflow) : h_(history), w_(workflow) {}

  std::vector<LogLine> write() {
    const WorkflowFacts& of = h_.workflows[w_];
    if (of.state == "refused") return {};  // there is no such workflow: the audit has it
    add(kSubmission, of.submitted_at, "workflow_submitted", -1).actor = of.user;
    add(kWorkflowStart, of.started_at, "workflow_started", -1);
    add(kWorkflowEnd, of.finished_at, "workflow_" + of.state, -1);
    for (const std::uint32_t stage : of.stages) add_stage(stage);
    for (const ActivityEvent& event : h_.activity) {
      if (event.workflow != static_cast<std::int64_t>(w_)) continue;
      LogLine& line = add(kAction, event.at, event.kind, event.stage);
      line.actor = event.actor;
      line.detail = event.subject;
      line.old_value = event.old_value;
      line.new_value = event.new_value;
      if (event.factor != "none") line.factor = event.factor;
    }
    std::ranges::stable_sort(lines_, [](const auto& a, const auto& b) {
      return a.second.at != b.second.at ? a.second.at < b.second.at : a.first < b.first;
    });
    std::vector<LogLine> out;
    for (auto& [rank, line] : lines_)
      if (!line.at.is_never()) out.push_back(std::move(line));
    return out;
  }

 private:
  LogLine& add(Rank rank, TimePoint at, std::string kind, std::int64_t stage) {
    LogLine line;
    line.at = at;
    line.kind = std::move(kind);
    line.stage = stage;
    return lines_.emplace_back(rank, std::move(line)).second;
  }
  void add_stage(std::uint32_t stage) {
    const StageFacts& of = h_.stages[stage];
    for (const AttemptFacts& attempt : of.attempts) {
      add(kReady, attempt.eligible_at, "stage_ready", stage);
      add(kStart, attempt.started_at, "stage_started", stage).detail = attempt.reason;
      const bool ran_to_its_end = attempt.state != "canceled" && attempt.state != "running";
      const Rank rank = attempt.finished_at == attempt.started_at ? kEndOfNoTime : kEnd;
      if (!ran_to_its_end) continue;
      LogLine& line = add(rank, attempt.finished_at, "stage_" + attempt.state, stage);
      if (attempt.preemptor >= 0) line.detail = displaced_for(static_cast<std::uint32_t>(attempt.preemptor));
    }
    add(kEnd, of.canceled_at, "stage_canceled", stage);
  }

  /// By rule R32: preemption is on, the stage was submitted preemptible, and the other was of higher priority.
  [[nodiscard]] std::string displaced_for(std::uint32_t preemptor) const {
    const StageFacts& other = h_.stages[preemptor];
    std::string text = "for stage '";
    return text + other.name + "' of workflow '" + h_.workflows[other.workflow].name +
           "', of higher priority, by rule R32";
  }

  const History& h_;
  std::uint32_t w_;
  std::vector<std::pair<int, LogLine>> lines_;
};

}  // namespace

std::vector<LogLine> activity_log(const History& history, std::uint32_t workflow) {
  return LogWriter(history, workflow).write();
}

}  // namespace headroom::views
