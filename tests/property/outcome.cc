// From an event log to the common form, and what differs between two of them.
#include "tests/property/outcome.h"

#include <algorithm>
#include <sstream>

#include "tests/property/print.h"

namespace headroom::oracle {
namespace {

void open_interval(StageOutcome& stage, TimePoint at) {
  if (!stage.eligible.empty() && stage.eligible.back().second.is_never()) return;
  if (!stage.eligible.empty() && stage.eligible.back().second == at)
    stage.eligible.back().second = TimePoint::never();
  else
    stage.eligible.emplace_back(at, TimePoint::never());
}

/// An interval of length 0 vanishes, and where it began with a merge the earlier one ends here all the same.
void close_interval(StageOutcome& stage, TimePoint at) {
  if (stage.eligible.empty() || !stage.eligible.back().second.is_never()) return;
  if (stage.eligible.back().first == at)
    stage.eligible.pop_back();
  else
    stage.eligible.back().second = at;
}

std::vector<NodeId> nodes_of(const RunLog& log, std::uint32_t start) {
  std::vector<NodeId> nodes{log.starts[start].node};
  for (const auto& [of, node, cores] : log.further_nodes)
    if (of == start) nodes.push_back(node);
  return nodes;
}

void end_attempt(StageOutcome& stage, TimePoint at, Phase how) {
  stage.phase = how;
  if (stage.attempts.empty()) return;  // differs from any model's answer by itself
  stage.attempts.back().end = at;
  stage.attempts.back().how = how;
}

/// What had happened before `end`, that instant left out.
StageOutcome before(StageOutcome stage, TimePoint end) {
  stage.phase = Phase::kUndeclared;  // not compared
  if (stage.declared_at >= end) stage.declared_at = TimePoint::never();
  std::erase_if(stage.attempts, [&](const Attempt& a) { return a.start >= end; });
  for (Attempt& a : stage.attempts) {
    if (a.end < end) continue;
    a.end = TimePoint::never();
    a.how = Phase::kRunning;
  }
  std::erase_if(stage.eligible, [&](const auto& i) { return i.first >= end; });
  for (auto& interval : stage.eligible)
    if (interval.second >= end) interval.second = TimePoint::never();
  return stage;
}

std::vector<StageRow> starts_before(const Outcome& outcome, TimePoint end) {
  std::vector<StageRow> order;
  std::vector<std::size_t> seen(outcome.stages.size());
  for (StageRow s : outcome.start_order)
    if (outcome.stages[s].attempts[seen[s]++].start < end) order.push_back(s);
  return order;
}

}  // namespace

Outcome outcome_of(const Work& work, const RunLog& log) {
  Outcome out;
  out.stages.resize(work.stages());
  out.submitted_at.resize(work.workflows(), TimePoint::never());
  out.status = log.status;
  out.end = log.end;
  out.waiting = log.stalled_stages;
  std::uint32_t starts = 0;
  for (const Event& event : log.events) {
    if (event.kind == EventKind::kSubmitted || event.kind == EventKind::kJob) {
      out.submitted_at[event.subject] = event.at;
      if (event.kind == EventKind::kSubmitted) continue;
      StageOutcome& job = out.stages[work.first_stage[event.subject]];
      job.declared_at = event.at;
      job.phase = Phase::kWaiting;
      open_interval(job, event.at);
      continue;
    }
    StageOutcome& stage = out.stages[event.subject];
    switch (event.kind) {
      case EventKind::kSubmitted:
      case EventKind::kJob:
      case EventKind::kHoldOpened:
      case EventKind::kHoldReleased:
        break;
      case EventKind::kDeclared:
        stage.declared_at = event.at;
        stage.phase = Phase::kWaiting;
        if (event.at_once) open_interval(stage, event.at);
        break;
      case EventKind::kEligible:
        stage.phase = Phase::kWaiting;
        open_interval(stage, event.at);
        break;
      case EventKind::kGated:
        close_interval(stage, event.at);
        break;
      case EventKind::kStarted:
        close_interval(stage, event.at);
        stage.phase = Phase::kRunning;
        stage.attempts.push_back(
            {event.at, TimePoint::never(), Phase::kRunning, nodes_of(log, starts), log.starts[starts].tail_time});
        out.start_order.push_back(event.subject);
        ++starts;
        break;
      case EventKind::kFinished:
        end_attempt(stage, event.at, Phase::kFinished);
        break;
      case EventKind::kFailed:
        end_attempt(stage, event.at, Phase::kFailed);
        break;
      case EventKind::kTimedOut:
        end_attempt(stage, event.at, Phase::kTimedOut);
        break;
      case EventKind::kPreempted:
        end_attempt(stage, event.at, Phase::kPreempted);
        break;
      case EventKind::kCanceled:
        close_interval(stage, event.at);
        stage.phase = Phase::kCanceled;
        break;
    }
  }
  return out;
}

std::string differences(const Outcome& got, const Outcome& expected, bool prefix) {
  std::ostringstream text;
  if (got.status != expected.status)
    text << "status " << word(got.status) << ", expected " << word(expected.status) << '\n';
  const bool end_counts = expected.status == RunStatus::kFinished || expected.status == RunStatus::kGaveUp;
  if (end_counts && got.end != expected.end)
    text << "end " << show(got.end) << ", expected " << show(expected.end) << '\n';
  if (expected.status == RunStatus::kStalled && got.waiting != expected.waiting)
    text << got.waiting << " stages wait, expected " << expected.waiting << '\n';
  const TimePoint end = prefix ? expected.end : TimePoint::never();
  for (std::size_t w = 0; w < expected.submitted_at.size(); ++w) {
    const TimePoint want = expected.submitted_at[w];
    if (got.submitted_at[w] == want || (prefix && std::min(got.submitted_at[w], want) >= end)) continue;
    text << 'w' << w << " submitted at " << show(got.submitted_at[w]) << ", expected " << show(want) << '\n';
  }
  for (StageRow s = 0; s < expected.stages.size(); ++s) {
    const StageOutcome a = prefix ? before(got.stages[s], end) : got.stages[s];
    const StageOutcome b = prefix ? before(expected.stages[s], end) : expected.stages[s];
    if (a != b) text << 's' << s << "  got " << show(a) << "\n    want " << show(b) << '\n';
  }
  const std::vector<StageRow> got_order = prefix ? starts_before(got, end) : got.start_order;
  const std::vector<StageRow> order = prefix ? starts_before(expected, end) : expected.start_order;
  if (got_order != order)
    text << "starts in order  got " << show(got_order) << "\n                want " << show(order) << '\n';
  return text.str();
}

}  // namespace headroom::oracle
