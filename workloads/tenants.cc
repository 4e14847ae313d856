#include "workloads/tenants.h"

#include <algorithm>

namespace headroom {
namespace {

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t user) {
  return std::ranges::find(list, user) != list.end();
}

}  // namespace

bool owns_organization(const Tenants& tenants, std::uint32_t user, std::uint32_t organization) {
  return tenants.everybody_owns || contains(tenants.organizations[organization].owners, user);
}

Standing standing_of(const Tenants& tenants, std::uint32_t user, std::uint32_t account) {
  const AccountSpec& of = tenants.accounts[account];
  Standing standing;
  standing.member = contains(of.users, user);
  standing.account_owner = contains(of.owners, user);
  standing.organization_owner = owns_organization(tenants, user, of.organization);
  standing.federate_owner = contains(tenants.organizations[of.organization].federate_owners, user);
  for (std::uint32_t o = 0; o < tenants.organizations.size(); ++o)
    standing.owner_elsewhere |= o != of.organization && owns_organization(tenants, user, o);
  return standing;
}

bool is_administrator(const Tenants& tenants, std::uint32_t user) {
  return tenants.everybody_owns || contains(tenants.administrators, user);
}

bool owns_organization_of(const Tenants& tenants, std::uint32_t actor, std::uint32_t user) {
  return std::ranges::any_of(tenants.accounts, [&](const AccountSpec& account) {
    return contains(account.users, user) && owns_organization(tenants, actor, account.organization);
  });
}

}  // namespace headroom
