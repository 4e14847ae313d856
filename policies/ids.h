// Ids are dense indices, each of its own type. A StageId is also the stage's declaration number.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace headroom {

template <class Tag>
struct Id {
  std::uint32_t value = std::numeric_limits<std::uint32_t>::max();

  static constexpr Id none() { return {}; }
  [[nodiscard]] constexpr bool is_none() const { return *this == none(); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using WorkflowId = Id<struct WorkflowTag>;  ///< in order of submission
using StageId = Id<struct StageTag>;        ///< in order of declaration: the last tie of all
using OrganizationId = Id<struct OrganizationTag>;
using AccountId = Id<struct AccountTag>;  ///< an account is also called a group
using UserId = Id<struct UserTag>;
using NodeId = Id<struct NodeTag>;          ///< in file order
using PoolId = Id<struct PoolTag>;          ///< a named counted resource
using DemandId = Id<struct DemandTag>;      ///< an interned Demand
using ArtifactId = Id<struct ArtifactTag>;  ///< what one stage makes and others wait for; numbered by the caller

}  // namespace headroom
