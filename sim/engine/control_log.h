// What the control plane did in one run: every change of a priority and what it stamped, every entry of the audit log,
// every reply, what was looked at, and nodes that came and went. Rows and indices of Work; no text.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/ids.h"
#include "policies/permissions.h"
#include "policies/priority_rule.h"
#include "policies/time.h"
#include "workloads/work.h"

namespace headroom {

/// The four inputs of a priority, in the order of Action::Target's first four and of the expression.
enum class Factor : std::uint8_t { kWorkflow, kOrganization, kAccount, kUser };

/// One priority that was set to another value. `position` events of RunLog::events came before it.
struct PriorityChange {
  TimePoint at;
  std::size_t position = 0;
  Factor factor = Factor::kWorkflow;
  std::uint32_t target = 0;  ///< index of the workflow, organization, account or user
  std::int64_t old_value = 0, new_value = 0;
  std::uint32_t actor = 0;
  std::uint32_t workflows = 0;  ///< unfinished ones that it stamped
};

/// A stage that had not ended when a priority of its workflow changed: a `priority_updated` of the activity log.
struct Stamp {
  std::uint32_t change = 0;  ///< index into ControlLog::changes
  StageRow stage = kNoRow;
};

struct AuditEntry {
  enum class Verb : std::uint8_t { kStart, kScore, kUpdate, kStop, kAddOwner, kRemoveOwner, kFail, kCordon, kUncordon };
  TimePoint at;
  std::uint32_t actor = 0;
  std::optional<std::uint32_t> context;
  Verb verb = Verb::kUpdate;
  Action::Target target = Action::Target::kWorkflow;
  std::uint32_t index = 0;              ///< of the target; of several workflows the first that was refused
  std::optional<std::uint32_t> action;  ///< index into Work::actions; none: a submission
  std::optional<std::int64_t> old_value, new_value;
  bool applied = false;
  Rule rule = Rule::kRoles;
  bool decided_on_federate = false;   ///< else on the cluster that orchestrates
  std::uint32_t refused = 1, of = 1;  ///< of a pattern: so many workflows of so many
};

/// What the actor is told; one an action.
struct Reply {
  enum class Outcome : std::uint8_t {
    kDone,       ///< all that it concerned
    kUnchanged,  ///< it was so already
    kEnded,      ///< all that it concerned had ended before
    kRefused,    ///< some or all; what was not refused is done
    kNotThere,   ///< it does not exist, or has not been submitted
  };
  std::uint32_t action = 0;  ///< index into Work::actions
  Outcome outcome = Outcome::kDone;
  std::uint32_t done = 0, unchanged = 0, refused = 0, not_there = 0;  ///< workflows; of others 0 or 1
  std::vector<std::uint32_t> ended;                                   ///< workflows that had ended before
};

/// What a `describe` action saw. Of a stage that has ended the stamp alone.
struct DescribeView {
  TimePoint at;
  std::uint32_t actor = 0;
  StageRow stage = kNoRow;
  PriorityInputs inputs;
  Duration age;
  double effective_priority = 0;  ///< NaN: it has ended
};

/// What a `queue` action saw: positions from 1 over everything queued.
struct QueueView {
  TimePoint at;
  std::uint32_t actor = 0;
  bool mine = false;
  std::uint64_t total = 0;
  struct Row {
    std::uint64_t position = 0;
    StageRow stage = kNoRow;
    double effective_priority = 0;
  };
  std::vector<Row> rows;
};

struct NodeChange {
  enum class Kind : std::uint8_t { kFailed, kRepaired, kCordoned, kUncordoned };
  TimePoint at;
  std::size_t position = 0;  ///< as in PriorityChange
  Kind kind = Kind::kFailed;
  NodeId node;
  std::optional<std::uint32_t> actor;  ///< none: it came to its end by itself
  bool takes_work = true;              ///< from then on
};

struct OwnerChange {
  TimePoint at;
  std::uint32_t workflow = 0, user = 0, actor = 0;
  bool added = true;
};

struct StopRequest {
  TimePoint at;
  std::uint32_t workflow = 0, actor = 0;
};

struct ControlLog {
  std::vector<PriorityChange> changes;  ///< by position
  std::vector<Stamp> stamps;            ///< by change, then in order of declaration
  std::vector<AuditEntry> audit;
  std::vector<Reply> replies;
  std::vector<DescribeView> describes;
  std::vector<QueueView> queues;
  std::vector<NodeChange> nodes;
  std::vector<OwnerChange> owners;
  std::vector<StopRequest> stops;
  std::vector<std::uint32_t> refused_workflows;  ///< never submitted
  std::uint32_t actions_left = 0;                ///< came after the run's end: not done
};

}  // namespace headroom
