// What people do while work runs, as `actions:` says it: plain values. Names of workflows and nodes are resolved by
// realise(), since how many there are may be drawn, or be in a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policies/time.h"

namespace headroom {

/// `start` is no kind of its own: it is a workflow item that its actor submits.
struct Action {
  enum class Kind : std::uint8_t {
    kUpdate,
    kStop,
    kScore,
    kAddOwner,
    kRemoveOwner,
    kDescribe,
    kQueue,
    kFail,
    kCordon,
    kUncordon,
  };
  enum class Target : std::uint8_t { kWorkflow, kOrganization, kAccount, kUser, kNode, kQueue };
  static constexpr std::uint32_t kUnknown = 0xffffffff;

  TimePoint at;
  Kind kind = Kind::kUpdate;
  Target target = Target::kWorkflow;
  std::uint32_t by = 0;                  ///< index into Tenants::users
  std::optional<std::uint32_t> context;  ///< organization that the actor has selected; recorded, and of no effect
  std::string name;                      ///< of the target, as the file has it
  std::uint32_t index = kUnknown;        ///< of the organization, account, user or node; kUnknown: there is none
  /// kWorkflow, filled in by realise(): those that `name` stands for, [first_workflow, first_workflow + workflows).
  std::uint32_t first_workflow = 0, workflows = 0;
  std::int64_t priority = 0;      ///< kUpdate, kScore
  std::uint32_t account = 0;      ///< kScore
  std::uint32_t user = 0;         ///< kAddOwner, kRemoveOwner
  std::string stage;              ///< kDescribe; empty: the only one
  bool mine = false;              ///< kQueue: the actor's own rows only
  std::optional<Duration> lasts;  ///< kFail, kCordon: ends by itself after so long
  int line = 0, column = 0;       ///< where the file has it; 0: nowhere

  /// "base[*]": every workflow of the item.
  [[nodiscard]] bool is_pattern() const { return target == Target::kWorkflow && name.ends_with("[*]"); }
};

}  // namespace headroom
