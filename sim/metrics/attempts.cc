#include "sim/metrics/attempts.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "policies/check.h"
#include "policies/expression_rule.h"
#include "sim/metrics/catch_up.h"
#include "sim/metrics/priority_state.h"
#include "workloads/rule_context.h"

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Where each stage's rows lie: declared stages in order, each with as many rows as it needs.
struct Layout {
  std::vector<StageRow> declared;
  std::vector<std::uint32_t> rows;  // by stage: rows it needs
  std::vector<std::size_t> first;   // by stage: its first row in the table
  std::size_t size = 0;

  Layout(const Work& work, const RunLog& log) : rows(work.stages(), 0), first(work.stages(), 0) {
    std::vector<bool> ran(work.stages(), false);  // the last row of the stage has been started
    declared.reserve(work.stages());
    for (const Event& event : log.events) {
      const bool is_job = event.kind == EventKind::kJob;
      const StageRow stage = is_job ? work.first_stage[event.subject] : event.subject;
      if (event.kind == EventKind::kDeclared || is_job) {
        declared.push_back(stage);
        rows[stage] = 1;
      } else if (event.kind == EventKind::kEligible && ran[stage]) {
        ++rows[stage];
        ran[stage] = false;
      } else if (event.kind == EventKind::kStarted) {
        ran[stage] = true;
      }
    }
    for (const StageRow stage : declared) {
      first[stage] = size;
      size += rows[stage];
    }
  }
};

class TableWriter {
 public:
  TableWriter(const Work& work, const RunLog& log, const Policy& policy, std::span<const TimePoint> submitted_at)
      : work_(work),
        log_(log),
        policy_(policy),
        submitted_at_(submitted_at),
        layout_(work, log),
        priorities_(work, log.control) {
    if (policy.priority == Priority::kExpression || !log.control.changes.empty()) {
      rule_ = make_priority_rule(policy, rule_context(work));
      starts_.resize(work.stages(), 0);
      ready_at_.resize(work.stages());
    }
  }

  AttemptTable write(const std::optional<std::vector<std::int64_t>>& passed_over_ns,
                     std::span<const std::uint32_t> overtakes) {
    resize();
    for (const StageRow stage : layout_.declared) {
      for (std::uint32_t attempt = 0; attempt < layout_.rows[stage]; ++attempt) {
        const std::size_t row = layout_.first[stage] + attempt;
        table_.stage[row] = stage;
        table_.attempt[row] = attempt;
        if (!work_.program.empty() && work_.program[stage] >= 0) table_.kind[row] = StageRunKind::kPlan;
      }
      if (!overtakes.empty()) table_.overtakes[layout_.first[stage]] = overtakes[stage];
      if (passed_over_ns)
        table_.passed_over_time_s[layout_.first[stage]] = Duration{(*passed_over_ns)[stage]}.in_seconds();
    }
    current_ = std::move(layout_.first);
    layout_.declared = {};
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
      if (i >= priorities_.next_position()) priorities_.advance(i);
      apply(log_.events[i]);
    }
    return std::move(table_);
  }

 private:
  void resize() {
    const std::size_t n = layout_.size;
    table_.stage.resize(n);
    table_.attempt.resize(n);
    table_.kind.resize(n, StageRunKind::kRun);
    for (auto* times : {&table_.declared_at, &table_.eligible_at, &table_.started_at, &table_.finished_at})
      times->resize(n, TimePoint::never());
    table_.tail_time.resize(n, Duration{-1});
    table_.effective_priority.resize(n, kNaN);
    table_.reason.resize(n, Reason::kAlone);
    table_.node.resize(n, NodeId::none());
    table_.decision.resize(n, -1);
    table_.state.resize(n, StageState::kBlocked);
    table_.passed_over_time_s.resize(n, kNaN);
    table_.overtakes.resize(n, 0);
  }

  void apply(const Event& event) {
    switch (event.kind) {
      case EventKind::kJob:
        apply({event.at, work_.first_stage[event.subject], EventKind::kDeclared, true});
        break;
      case EventKind::kDeclared:
        for (std::size_t i = 0; i < layout_.rows[event.subject]; ++i) table_.declared_at[row(event) + i] = event.at;
        if (event.at_once) enter(event);
        break;
      case EventKind::kEligible:
        if (!table_.started_at[row(event)].is_never()) ++current_[event.subject];
        enter(event);
        break;
      case EventKind::kGated:
        table_.state[row(event)] = StageState::kBlocked;
        table_.gates.push_back({event.subject, event.at, TimePoint::never()});
        break;
      case EventKind::kStarted:
        start(event);
        break;
      case EventKind::kFinished:
        end(event, StageState::kFinished);
        break;
      case EventKind::kFailed:
        end(event, StageState::kFailed);
        break;
      case EventKind::kTimedOut:
        end(event, StageState::kTimedOut);
        break;
      case EventKind::kPreempted:
        displace(event);
        end(event, StageState::kPreempted);
        break;
      case EventKind::kCanceled:
        end(event, StageState::kCanceled);
        break;
      case EventKind::kSubmitted:
      case EventKind::kHoldOpened:
      case EventKind::kHoldReleased:
        break;
    }
  }
  void enter(const Event& event) {
    const std::size_t at = row(event);
    table_.state[at] = StageState::kEligible;
    if (!ready_at_.empty()) ready_at_[event.subject] = event.at;
    end_gate(event);
    if (table_.eligible_at[at].is_never()) table_.eligible_at[at] = event.at;
  }
  /// The last one of the stage, if it is gated. Gates are few.
  void end_gate(const Event& event) {
    for (auto gate = table_.gates.rbegin(); gate != table_.gates.rend(); ++gate) {
      if (gate->stage != event.subject) continue;
      gate->to = std::min(gate->to, event.at);
      return;
    }
  }
  void start(const Event& event) {
    HEADROOM_CHECK(next_start_ < log_.starts.size(), std::to_string(log_.starts.size()) + " start records");
    const std::size_t at = row(event);
    table_.decision[at] = static_cast<std::int64_t>(next_start_);
    const auto& further = log_.further_nodes;
    const auto add_node = [&](NodeId node) { table_.nodes.emplace_back(static_cast<std::uint32_t>(at), node); };
    if (next_node_ < further.size() && further[next_node_].start == next_start_)
      add_node(log_.starts[next_start_].node);
    for (; next_node_ < further.size() && further[next_node_].start == next_start_; ++next_node_)
      add_node(further[next_node_].node);
    const StartRecord& record = log_.starts[next_start_++];
    table_.state[at] = StageState::kRunning;
    table_.started_at[at] = event.at;
    table_.tail_time[at] = record.tail_time;
    table_.node[at] = record.node;
    table_.reason[at] = event.reason;
    const std::uint32_t workflow = work_.workflow_of[event.subject];
    table_.effective_priority[at] =
        !log_.start_priorities.empty() ? log_.start_priorities[next_start_ - 1]
        : rule_ != nullptr             ? value_of(event, record.tail_time)
                           : effective_priority(work_, policy_.priority, workflow, event.at - submitted_at_[workflow]);
  }
  /// What an expression gives for a stage that starts.
  double value_of(const Event& event, Duration tail_time) {
    const std::uint32_t w = work_.workflow_of[event.subject];
    const Demand& demand = work_.demands[work_.demand[event.subject]];
    StageInputs stage;
    stage.estimate = work_.estimate[event.subject];
    stage.tail_time = tail_time;
    stage.cores = demand.cores;
    stage.memory = demand.memory;
    stage.gpus = demand.gpus;
    stage.ready_at = ready_at_[event.subject];
    stage.attempt = starts_[event.subject]++;
    PriorityInputs in = priorities_.inputs(w, submitted_at_[w]);
    in.stage = &stage;
    return rule_->value(in, event.at);
  }
  void displace(const Event& event) {
    HEADROOM_CHECK(table_.displaced.size() < log_.preemptions.size(), std::to_string(log_.preemptions.size()));
    const PreemptionRecord& record = log_.preemptions[table_.displaced.size()];
    table_.displaced.push_back({static_cast<std::uint32_t>(row(event)), record.preemptor, record.lost});
  }
  void end(const Event& event, StageState state) {
    const std::size_t at = row(event);
    table_.state[at] = state;
    if (state == StageState::kCanceled) {
      end_gate(event);
      if (table_.canceled_at.empty()) table_.canceled_at.resize(table_.state.size(), TimePoint::never());
      table_.canceled_at[at] = event.at;
    }
    if (!table_.started_at[at].is_never()) table_.finished_at[at] = event.at;
  }
  [[nodiscard]] std::size_t row(const Event& event) const { return current_[event.subject]; }

  const Work& work_;
  const RunLog& log_;
  const Policy& policy_;
  std::unique_ptr<PriorityRule> rule_;  ///< of an expression, or where priorities changed
  std::vector<std::int64_t> starts_;    ///< by stage; only with rule_
  std::vector<TimePoint> ready_at_;     ///< likewise: eligible for the last time
  std::span<const TimePoint> submitted_at_;
  Layout layout_;
  PriorityState priorities_;
  std::vector<std::size_t> current_;  // by stage: the row of its present attempt
  AttemptTable table_;
  std::size_t next_start_ = 0, next_node_ = 0;
};

}  // namespace

AttemptTable attempt_table(const Work& work, const RunLog& log, const Policy& policy,
                           std::span<const TimePoint> submitted_at,
                           const std::optional<std::vector<std::int64_t>>& passed_over_ns,
                           std::span<const std::uint32_t> overtakes) {
  return TableWriter(work, log, policy, submitted_at).write(passed_over_ns, overtakes);
}

}  // namespace headroom
