// One stored run as plain values: what happened to each stage, what its priority was made of at every instant, and
// under which rules it was decided. Everything that `sim describe`, `queue`, `events`, `audit` and `explain` say is a
// function of it. It must know neither the scheduler nor how answers are shown.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policies/policy.h"
#include "policies/priority_rule.h"
#include "policies/resources.h"
#include "policies/time.h"
#include "sim/results/reader.h"

namespace headroom::views {

struct WorkflowFacts {
  std::string name, user, account, organization, state;
  TimePoint submitted_at = TimePoint::never();
  TimePoint started_at = TimePoint::never(), finished_at = TimePoint::never();
  PriorityInputs inputs;              ///< at submission, without what belongs to a stage
  std::vector<std::uint32_t> stages;  ///< indices into History::stages, in order of declaration
  bool has_plan = false;
};

/// One try. never(): it did not happen.
struct AttemptFacts {
  TimePoint eligible_at = TimePoint::never(), started_at = TimePoint::never(), finished_at = TimePoint::never();
  std::int64_t decision = -1;  ///< it was the k-th start of the run
  std::string state, reason;
  std::int64_t preemptor = -1;  ///< index of the stage for which it was displaced
  std::int64_t node = -1;
  std::vector<std::int64_t> nodes;  ///< of a start on several: all of them
};

/// In the order of declaration.
struct StageFacts {
  std::string name;
  std::uint32_t workflow = 0;
  std::int64_t number = 0;  ///< as the file numbers it
  bool is_plan = false;
  TimePoint declared_at = TimePoint::never();
  TimePoint canceled_at = TimePoint::never();
  Duration estimate;
  Demand demand;
  std::vector<AttemptFacts> attempts;                  ///< at least one
  std::vector<std::uint32_t> consumers, producers;     ///< indices into History::stages
  std::int64_t declarer = -1;                          ///< index of the plan that declared it
  std::vector<std::pair<TimePoint, TimePoint>> holds;  ///< of a plan: from when to when
  /// When it could have started but for a hold that was opened above it. By time.
  std::vector<std::pair<TimePoint, TimePoint>> gates;
  std::int64_t tie_draw = 0;  ///< only where a tie is `random`

  /// never(): it had not ended when the run did.
  [[nodiscard]] TimePoint ended_at() const;
};

struct PriorityEvent {
  TimePoint at;
  std::uint32_t workflow = 0;
  std::int64_t stage = -1;  ///< index into History::stages
  int factor = 0;           ///< 0 workflow, 1 organization, 2 account, 3 user
  std::int64_t new_value = 0;
};

/// A row of /events as it stands, for the activity log.
struct ActivityEvent {
  TimePoint at;
  std::string kind, factor, actor, subject;
  std::int64_t workflow = -1, stage = -1;  ///< indices; -1: none
  std::optional<double> old_value, new_value;
};

struct NodeEvent {
  TimePoint at;
  std::uint32_t node = 0;
  std::string kind;  ///< node_failed, node_repaired, node_cordoned, node_uncordoned
  bool by_itself = false;
};

struct Rules {
  Duration tick;
  std::int64_t queue_depth = 0;
  std::string expression;
  std::vector<expr::Param> params;
  std::vector<Tie> ties;
  Placement placement = Placement::kGreedy;
  bool pyss = false;
};

struct History {
  std::uint64_t run = 0;
  std::string policy;
  Rules rules;
  std::shared_ptr<const PriorityRule> rule;  ///< null: the expression is none
  TimePoint end;                             ///< of the last thing that the file tells
  std::vector<WorkflowFacts> workflows;
  std::vector<StageFacts> stages;
  std::vector<PriorityEvent> priority_events;  ///< by time
  std::vector<NodeEvent> node_events;          ///< by time
  std::vector<ActivityEvent> activity;         ///< by time
  ClusterCapacity cluster;
  std::vector<std::string> pools;

  /// The last instant at or before `t` at which a pass could have been: with a tick, a multiple of it.
  [[nodiscard]] TimePoint grid(TimePoint t) const;
  /// When a plan that declared the stage, directly or through others, was holding. By time.
  [[nodiscard]] std::vector<std::pair<TimePoint, TimePoint>> holds_above(std::uint32_t stage) const;
};

/// Fails  InputError: no such run, nothing recorded of its stages, tables that contradict each other.
[[nodiscard]] History read_history(const ResultsReader& reader, const std::string& path, std::uint64_t run);

}  // namespace headroom::views
