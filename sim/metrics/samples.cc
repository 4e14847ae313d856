#include "sim/metrics/samples.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "policies/expression_rule.h"
#include "sim/metrics/priority_state.h"
#include "workloads/rule_context.h"

namespace headroom {
namespace {

constexpr std::int64_t kMostSamples = 10'000'000;

/// By workflow: is it asked for?
std::vector<std::uint8_t> named(const Work& work, const std::vector<std::string>& names) {
  std::vector<std::uint8_t> is_named(work.workflows(), 0);
  for (const Work::Item& item : work.items) {
    const bool whole = std::ranges::find(names, item.name) != names.end();
    const bool some = std::ranges::any_of(
        names, [&](const std::string& name) { return name.size() > item.name.size() && name.starts_with(item.name); });
    for (std::uint32_t w = item.first_workflow; w < item.first_workflow + item.workflows; ++w)
      is_named[w] = whole || (some && std::ranges::find(names, work.workflow_name(w)) != names.end());
  }
  return is_named;
}

}  // namespace

QueueSamples sample_queue(const Work& work, const RunLog& log, Duration every) {
  if (log.end.ns / every.ns >= kMostSamples)
    throw std::runtime_error("record.queue would take " + std::to_string(log.end.ns / every.ns + 1) +
                             " samples; the most are " + std::to_string(kMostSamples));
  QueueSamples samples;
  std::vector<std::uint8_t> is_eligible(work.stages(), 0);
  std::int64_t length = 0;
  TimePoint next = TimePoint::zero();
  const auto sample_before = [&](TimePoint at) {
    for (; next < at && next <= log.end; next = next + every) {
      samples.at.push_back(next);
      samples.length.push_back(length);
    }
  };
  for (const Event& event : log.events) {
    sample_before(event.at);
    if (event.kind == EventKind::kSubmitted || event.kind == EventKind::kHoldOpened ||
        event.kind == EventKind::kHoldReleased)
      continue;
    const bool is_job = event.kind == EventKind::kJob;
    const bool now =
        is_job || event.kind == EventKind::kEligible || (event.kind == EventKind::kDeclared && event.at_once);
    std::uint8_t& before = is_eligible[is_job ? work.first_stage[event.subject] : event.subject];
    length += static_cast<std::int64_t>(now) - before;
    before = now ? 1 : 0;
  }
  sample_before(saturating_add(log.end, Duration::nanoseconds(1)));
  return samples;
}

PriorityTrajectory trace_priorities(const Work& work, const RunLog& log, const Policy& policy,
                                    const std::vector<std::string>& names) {
  PriorityTrajectory trace;
  const std::vector<std::uint8_t> is_named = named(work, names);
  std::vector<TimePoint> created_at(work.workflows(), TimePoint::never());
  const auto rule = make_priority_rule(policy, rule_context(work));
  PriorityState priorities(work, log.control);
  std::size_t next_change = 0;
  const auto add = [&](TimePoint at, std::uint32_t w) {
    trace.at.push_back(at);
    trace.workflow.push_back(w);
    trace.effective_priority.push_back(rule->value(priorities.inputs(w, created_at[w]), at));
  };
  // A workflow's end is the last end of its stages. A failed try that is made again reopens its stage.
  std::vector<std::uint32_t> open(work.workflows(), 0);
  std::vector<std::uint8_t> has_ended(work.stages(), 0);
  std::vector<TimePoint> ended_at(work.workflows(), TimePoint::never());
  // A jump is two points at one instant, so that lines between points are what it was. An entity's change is one of
  // each workflow of it, which the stamps name.
  const auto apply_changes = [&](std::size_t position) {
    const auto& control = log.control;
    for (; next_change < control.changes.size() && control.changes[next_change].position <= position; ++next_change) {
      std::vector<std::uint32_t> stamped;
      const auto first = std::ranges::lower_bound(control.stamps, next_change, {}, &Stamp::change);
      for (auto stamp = first; stamp != control.stamps.end() && stamp->change == next_change; ++stamp) {
        const std::uint32_t w = work.workflow_of[stamp->stage];
        if (is_named[w] != 0 && (stamped.empty() || stamped.back() != w)) stamped.push_back(w);
      }
      for (const std::uint32_t w : stamped) add(control.changes[next_change].at, w);
      priorities.apply_next();
      for (const std::uint32_t w : stamped) add(control.changes[next_change].at, w);
    }
  };
  for (std::size_t i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    if (i >= priorities.next_position()) apply_changes(i);
    if (event.kind == EventKind::kSubmitted || event.kind == EventKind::kJob) {
      created_at[event.subject] = event.at;
      if (is_named[event.subject] != 0) add(event.at, event.subject);
      if (event.kind == EventKind::kJob) ++open[event.subject];
      continue;
    }
    const std::uint32_t w = work.workflow_of[event.subject];
    if (is_named[w] == 0) continue;
    if (event.kind == EventKind::kStarted) add(event.at, w);
    const bool ends = event.kind == EventKind::kFinished || event.kind == EventKind::kFailed ||
                      event.kind == EventKind::kTimedOut || event.kind == EventKind::kCanceled;
    const bool reopens = event.kind == EventKind::kEligible && has_ended[event.subject] != 0;
    if (event.kind == EventKind::kDeclared || reopens) ++open[w];
    if (ends) --open[w];
    if (ends || reopens) has_ended[event.subject] = ends ? 1 : 0;
    if (ends) ended_at[w] = event.at;
  }
  apply_changes(log.events.size());
  for (std::uint32_t w = 0; w < work.workflows(); ++w)
    if (is_named[w] != 0 && !created_at[w].is_never()) add(open[w] > 0 ? log.end : ended_at[w], w);
  return trace;
}

}  // namespace headroom
