// What people do while work runs: each action is judged by the rules of policies/permissions.h and handed to the
// scheduler as facts, which its next pass sees. It keeps who owns which workflow and what entities' priorities are now.
// It must know no file and no text.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "policies/scheduler.h"
#include "sim/engine/control_log.h"
#include "workloads/work.h"

namespace headroom {

/// What only the engine can do, or knows.
class ControlHost {
 public:
  virtual ~ControlHost() = default;
  /// none(): it has not been submitted.
  [[nodiscard]] virtual WorkflowId id_of(std::uint32_t workflow) const = 0;
  [[nodiscard]] virtual StageRow row_of(StageId stage) const = 0;
  [[nodiscard]] virtual std::uint32_t index_of(WorkflowId workflow) const = 0;
  [[nodiscard]] virtual std::size_t submitted() const = 0;  ///< workflows
  [[nodiscard]] virtual std::size_t position() const = 0;   ///< events logged
  virtual void stop(std::uint32_t workflow) = 0;
  /// What runs on the node fails.
  virtual void lose(NodeId node) = 0;
};

class ControlPlane {
 public:
  ControlPlane(const Work& work, Scheduler& scheduler, ControlHost& host, ControlLog& log);

  /// May it be submitted with its priority? Logs a refusal, and what is above 0.
  bool admits(std::uint32_t workflow, TimePoint now);

  /// never(): nothing more will be done.
  [[nodiscard]] TimePoint next_at() const;
  /// Everything due at `now`, in order.
  void act(TimePoint now);
  /// Nothing more will be done: the run is over.
  void close();

 private:
  struct Ending {  ///< of a failure or a cordon that ends by itself
    TimePoint at;
    std::uint32_t action = 0;
  };
  struct NodeState {
    std::uint32_t failures = 0, cordons = 0;  ///< that have not ended
  };

  void perform(const Action& action, std::uint32_t number);
  void update_workflows(const Action& action, Reply& reply);
  void update_entity(const Action& action, Reply& reply);
  void stop(const Action& action, Reply& reply);
  void change_owner(const Action& action, Reply& reply);
  void score(const Action& action, Reply& reply);
  void describe(const Action& action, Reply& reply);
  void view_queue(const Action& action, Reply& reply);
  void change_node(const Action& action, Reply& reply);
  void end_by_itself(const Ending& ending);
  void set_node(std::uint32_t node, NodeChange::Kind kind, std::optional<std::uint32_t> actor);

  /// Sorts the action's workflows into those that live and the others, which the reply counts.
  [[nodiscard]] std::vector<std::uint32_t> living(const Action& action, Reply& reply) const;
  [[nodiscard]] bool owns(std::uint32_t user, std::uint32_t workflow) const;
  [[nodiscard]] std::vector<std::uint32_t>& owners_of(std::uint32_t workflow);
  [[nodiscard]] std::int64_t& entity_priority(Action::Target target, std::uint32_t index);
  [[nodiscard]] bool concerns(Action::Target target, std::uint32_t index, std::uint32_t workflow) const;
  AuditEntry& audit(const Action& action, std::uint32_t index, Decision decision);
  void stamp(const PriorityChange& change, const std::vector<WorkflowId>& workflows);

  const Work& work_;
  Scheduler& scheduler_;
  ControlHost& host_;
  ControlLog& log_;
  TimePoint now_;
  std::uint32_t number_ = 0;                                    ///< of the action that is performed
  std::size_t next_ = 0;                                        ///< into Work::actions
  std::vector<Ending> endings_;                                 ///< by time, earliest first
  std::vector<std::int64_t> organizations_, accounts_, users_;  ///< priorities now
  std::map<std::uint32_t, std::int64_t> priorities_;            ///< of workflows that were updated
  std::map<std::uint32_t, std::vector<std::uint32_t>> owners_;  ///< of workflows whose owners were changed
  std::map<std::uint32_t, NodeState> nodes_;
};

}  // namespace headroom
