#include "sim/views/views.h"

#include <algorithm>

#include "workloads/diagnostics.h"

namespace headroom::views {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
  throw InputError({Diagnostic{path, 0, 0, message, ""}});
}

std::string seconds_text(TimePoint t) {
  std::string text = std::to_string(t.ns / 1'000'000'000);
  std::int64_t rest = t.ns % 1'000'000'000;
  if (rest == 0) return text + " s";
  std::string digits = std::to_string(rest);
  digits.insert(0, 9 - digits.size(), '0');
  digits.erase(digits.find_last_not_of('0') + 1);
  return text + "." + digits + " s";
}

std::string state_at(const StageFacts& stage, TimePoint t) {
  if (const TimePoint end = stage.ended_at(); end <= t) return stage.attempts.back().state;
  for (const AttemptFacts& attempt : stage.attempts)
    if (attempt.started_at < t && (attempt.finished_at > t)) return "running";
  return waits_at(stage, t) ? "eligible" : "blocked";
}

}  // namespace

std::uint32_t find_workflow(const History& h, const std::string& path, const std::string& name) {
  const auto found = std::ranges::find(h.workflows, name, &WorkflowFacts::name);
  if (found != h.workflows.end()) return static_cast<std::uint32_t>(found - h.workflows.begin());
  std::vector<std::string> names;
  for (const WorkflowFacts& workflow : h.workflows)
    if (names.size() < 10'000) names.push_back(workflow.name);
  refuse(path, "run " + std::to_string(h.run) + " has no workflow '" + name + "'" + did_you_mean(name, names));
}

std::uint32_t find_stage(const History& h, const std::string& path, std::uint32_t w, const std::string& name) {
  const WorkflowFacts& workflow = h.workflows[w];
  if (workflow.state == "refused") refuse(path, "workflow '" + workflow.name + "' was refused: it has no stages");
  std::vector<std::string> names;
  for (const std::uint32_t stage : workflow.stages) {
    if (h.stages[stage].name == name || (name.empty() && workflow.stages.size() == 1)) return stage;
    if (names.size() < 10'000) names.push_back(h.stages[stage].name);
  }
  if (name.empty())
    refuse(path, "workflow '" + workflow.name + "' has " + std::to_string(names.size()) +
                     " stages: say which, such as '" + (names.empty() ? "" : names.front()) + "'");
  refuse(path, "workflow '" + workflow.name + "' has declared no stage '" + name + "'" + did_you_mean(name, names));
}

Description describe(const History& h, const std::string& path, const std::string& workflow, const std::string& name,
                     TimePoint at) {
  Description d;
  d.at = h.grid(at);
  const std::uint32_t w = find_workflow(h, path, workflow);
  const std::uint32_t stage = find_stage(h, path, w, name);
  const StageFacts& of = h.stages[stage];
  if (of.declared_at > d.at)
    refuse(path, "stage '" + of.name + "' of '" + workflow + "' is there from " + seconds_text(of.declared_at) +
                     " on, not yet at " + seconds_text(d.at));
  const Order order(h);
  d.workflow = workflow;
  d.stage = of.name;
  d.state = state_at(of, d.at);
  d.inputs = order.inputs(stage, d.at);
  d.age = d.at - h.workflows[w].submitted_at;
  if (of.ended_at() <= d.at) return d;
  if (h.rule == nullptr) refuse(path, order.why_not());
  d.effective_priority = order.value(stage, d.at);
  return d;
}

QueueAt queue_at(const History& h, const std::string& path, TimePoint at, const std::optional<std::string>& mine) {
  const Order order(h);
  if (const std::string why = order.why_not(); !why.empty()) refuse(path, "the queue's order cannot be told: " + why);
  QueueAt view;
  view.at = h.grid(at);
  for (const std::uint32_t stage : order.queue(view.at)) {
    ++view.total;
    const StageFacts& of = h.stages[stage];
    const WorkflowFacts& workflow = h.workflows[of.workflow];
    if (mine && workflow.user != *mine) continue;
    view.rows.push_back({view.total, workflow.name, of.name, workflow.user, order.value(stage, view.at)});
  }
  return view;
}

}  // namespace headroom::views
