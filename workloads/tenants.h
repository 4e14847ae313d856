// How people stand to accounts and organizations, looked up in the lists of `tenants:`. It must know no workflow.
#pragma once

#include <cstdint>

#include "policies/permissions.h"
#include "workloads/workload.h"

namespace headroom {

/// Cost  O(length of the lists).
[[nodiscard]] Standing standing_of(const Tenants& tenants, std::uint32_t user, std::uint32_t account);
[[nodiscard]] bool is_administrator(const Tenants& tenants, std::uint32_t user);
/// The plain relation.
[[nodiscard]] bool owns_organization(const Tenants& tenants, std::uint32_t user, std::uint32_t organization);
/// Does the actor own an organization in one of whose accounts the user is?
[[nodiscard]] bool owns_organization_of(const Tenants& tenants, std::uint32_t actor, std::uint32_t user);

}  // namespace headroom
