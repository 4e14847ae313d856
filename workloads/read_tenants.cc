// `tenants:` and whose work an item is.
#include <algorithm>
#include <array>

#include "workloads/read_sections.h"
#include "workloads/tenants.h"

namespace headroom::yaml {

std::vector<std::string> names_in(const std::unordered_map<std::string, std::uint32_t>& map) {
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, index] : map) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

std::vector<const Node*> one_or_more(Context& context, const Node& node, std::string_view what) {
  std::vector<const Node*> nodes;
  if (node.is_scalar()) return {&node};
  for (const NodeId item : items_of(context, node, what)) nodes.push_back(&context.at(item));
  return nodes;
}

namespace {

std::optional<std::uint32_t> known_name(Reading& reading, const Node& node, std::string_view what,
                                        std::string_view kind,
                                        const std::unordered_map<std::string, std::uint32_t>& known) {
  Context& c = reading.context;
  const auto name = name_of(c, node, what);
  if (!name) return std::nullopt;
  const auto found = known.find(*name);
  if (found != known.end()) return found->second;
  std::string message = "unknown " + std::string(kind) + " '" + *name + "'";
  if (!reading.has_tenants) {
    message += ": " + std::string(kind) + "s are listed in 'tenants:', which this file does not have";
  } else {
    message += c.hint(*name, names_in(known));
  }
  c.error(node, std::move(message));
  return std::nullopt;
}

void read_users(Reading& reading, const Node& node) {
  Context& c = reading.context;
  if (!node.is_map()) return c.expected(node, "users", "a map like {ada: {priority: 2}, ben: {}}");
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const Node& value = c.at(node.children[i + 1]);
    UserSpec user;
    user.name = name_of(c, c.at(node.children[i]), "users").value_or("");
    if (!value.is_null()) {
      MapReader map(c, value, "user", "user '" + user.name + "'");
      if (const Node* priority = map.get("priority")) user.priority = priority_of(c, *priority, "priority").value_or(0);
      map.finish();
    }
    auto& users = reading.workload.tenants.users;
    reading.users.emplace(user.name, static_cast<std::uint32_t>(users.size()));
    users.push_back(std::move(user));
  }
}

/// Owners and administrators need not be listed as users, so they are made users here. Nobody is in a list twice.
std::vector<std::uint32_t> read_people(Reading& reading, const Node& node, std::string_view what) {
  Context& c = reading.context;
  auto& users = reading.workload.tenants.users;
  std::vector<std::uint32_t> people;
  for (const NodeId item : items_of(c, node, what)) {
    const auto name = name_of(c, c.at(item), what);
    if (!name) continue;
    const auto [at, is_new] = reading.users.emplace(*name, static_cast<std::uint32_t>(users.size()));
    if (is_new) users.push_back({*name, 0});
    if (std::ranges::find(people, at->second) != people.end()) {
      c.error(c.at(item), std::string(what) + ": '" + *name + "' is there twice");
      continue;
    }
    people.push_back(at->second);
  }
  return people;
}

std::optional<std::uint32_t> listed_user(Reading& reading, const Node& node) {
  const auto user = known_name(reading, node, "users", "user", reading.users);
  if (!user || *user < reading.listed_users) return user;
  reading.context.error(node, "user '" + node.text + "' of an account has to be listed in 'users:'");
  return std::nullopt;
}

void read_account(Reading& reading, const Node& node, std::uint32_t organization) {
  Context& c = reading.context;
  MapReader map(c, node, "account", "an account");
  AccountSpec account;
  account.organization = organization;
  const Node* name = map.require("account", "its name");
  if (name != nullptr) account.name = name_of(c, *name, "account").value_or("");
  if (const Node* priority = map.get("priority")) account.priority = priority_of(c, *priority, "priority").value_or(0);
  if (const Node* users = map.get("users")) {
    for (const NodeId item : items_of(c, *users, "users")) {
      const auto user = listed_user(reading, c.at(item));
      if (!user) continue;
      if (std::ranges::find(account.users, *user) != account.users.end()) {
        c.error(c.at(item), "user '" + c.at(item).text + "' is in the account twice");
        continue;
      }
      account.users.push_back(*user);
    }
  }
  if (const Node* owners = map.get("owners")) account.owners = read_people(reading, *owners, "owners");
  map.finish();
  auto& accounts = reading.workload.tenants.accounts;
  const bool is_new = reading.accounts.emplace(account.name, static_cast<std::uint32_t>(accounts.size())).second;
  if (!is_new && name != nullptr) c.error(*name, "the account '" + account.name + "' is there twice");
  accounts.push_back(std::move(account));
}

void read_organization(Reading& reading, const Node& node) {
  Context& c = reading.context;
  MapReader map(c, node, "organization", "an organization");
  auto& organizations = reading.workload.tenants.organizations;
  OrganizationSpec organization;
  if (const Node* name = map.require("organization", "its name")) {
    organization.name = name_of(c, *name, "organization").value_or("");
    if (std::ranges::find(organizations, organization.name, &OrganizationSpec::name) != organizations.end()) {
      c.error(*name, "the organization '" + organization.name + "' is there twice");
    }
  }
  if (const Node* priority = map.get("priority")) {
    organization.priority = priority_of(c, *priority, "priority").value_or(0);
  }
  if (const Node* owners = map.get("owners")) organization.owners = read_people(reading, *owners, "owners");
  if (const Node* owners = map.get("federate_owners"))
    organization.federate_owners = read_people(reading, *owners, "federate_owners");
  if (const Node* cluster = map.get("cluster")) {
    constexpr std::array<std::string_view, 2> kWords{"orchestrate", "federate"};
    organization.on_federate = word_of(c, *cluster, "cluster", "organization.cluster", kWords).value_or(0) == 1;
  }
  const auto index = static_cast<std::uint32_t>(organizations.size());
  organizations.push_back(std::move(organization));
  if (const Node* accounts = map.get("accounts")) {
    for (const NodeId item : items_of(c, *accounts, "accounts")) read_account(reading, c.at(item), index);
  }
  map.finish();
}

/// One of each, called "default"; the account has every user.
void fill_tenants(Reading& reading) {
  Tenants& tenants = reading.workload.tenants;
  if (!tenants.organizations.empty()) return;
  if (tenants.users.empty()) tenants.users.push_back({"default", 0});
  if (!reading.has_tenants) tenants.everybody_owns = true;
  reading.listed_users = std::max<std::uint32_t>(reading.listed_users, 1);
  tenants.organizations.push_back({"default", 0});
  AccountSpec account;
  account.name = "default";
  for (std::uint32_t user = 0; user < reading.listed_users; ++user) account.users.push_back(user);
  tenants.accounts.push_back(std::move(account));
  for (std::uint32_t user = 0; user < tenants.users.size(); ++user)
    reading.users.emplace(tenants.users[user].name, user);
  reading.accounts.emplace("default", 0);
}

/// The account's user or the user's account, if there is exactly one.
std::vector<std::uint32_t> accounts_with(const Tenants& tenants, std::uint32_t user) {
  std::vector<std::uint32_t> accounts;
  for (std::uint32_t a = 0; a < tenants.accounts.size(); ++a) {
    if (std::ranges::find(tenants.accounts[a].users, user) != tenants.accounts[a].users.end()) accounts.push_back(a);
  }
  return accounts;
}

template <class Named>
std::string listed(const std::vector<Named>& all, const std::vector<std::uint32_t>& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size() && i < 10; ++i) text += (i == 0 ? "" : ", ") + all[indices[i]].name;
  return indices.size() > 10 ? text + ", …" : text;
}

std::optional<std::uint32_t> default_user(Reading& reading, std::optional<std::uint32_t> account, const Node& node,
                                          const std::string& where) {
  const Tenants& tenants = reading.workload.tenants;
  std::vector<std::uint32_t> users;
  if (account) {
    users = tenants.accounts[*account].users;
  } else {
    for (std::uint32_t user = 0; user < reading.listed_users; ++user) users.push_back(user);
  }
  if (users.size() == 1) return users[0];
  const std::string choice = users.empty() ? "there is no user" : "one of " + listed(tenants.users, users);
  reading.context.error(node, where + ": 'user' is missing: " + choice);
  return std::nullopt;
}

}  // namespace

void read_tenants(Reading& reading, const Node* node) {
  Context& c = reading.context;
  const std::size_t errors = c.errors().size();
  if (node != nullptr) {
    reading.has_tenants = true;
    MapReader map(c, *node, "tenants", "tenants");
    if (const Node* users = map.get("users")) read_users(reading, *users);
    Tenants& tenants = reading.workload.tenants;
    reading.listed_users = static_cast<std::uint32_t>(tenants.users.size());
    if (const Node* people = map.get("administrators"))
      tenants.administrators = read_people(reading, *people, "administrators");
    if (const Node* implies = map.get("org_owner_implies_workflow_owner"))
      tenants.org_owner_implies_workflow_owner =
          boolean_of(c, *implies, "org_owner_implies_workflow_owner").value_or(true);
    if (const Node* organizations = map.get("organizations")) {
      for (const NodeId item : items_of(c, *organizations, "organizations")) read_organization(reading, c.at(item));
    }
    map.finish();
  }
  reading.tenants_sound = c.errors().size() == errors;
  fill_tenants(reading);
}

std::optional<std::uint32_t> user_of(Reading& reading, const Node& node, std::string_view what) {
  return known_name(reading, node, what, "user", reading.users);
}

std::optional<std::uint32_t> account_of(Reading& reading, const Node& node, std::string_view what) {
  return known_name(reading, node, what, "account", reading.accounts);
}

std::optional<std::uint32_t> organization_of(Reading& reading, const Node& node, std::string_view what) {
  std::unordered_map<std::string, std::uint32_t> names;
  for (const OrganizationSpec& organization : reading.workload.tenants.organizations)
    names.emplace(organization.name, static_cast<std::uint32_t>(names.size()));
  return known_name(reading, node, what, "organization", names);
}

std::optional<TenantChoice> tenant_of(Reading& reading, const Node* user_node, const Node* account_node,
                                      const Node& node, const std::string& where) {
  Context& c = reading.context;
  const Tenants& tenants = reading.workload.tenants;
  std::optional<std::uint32_t> user, account;
  if (user_node != nullptr) user = user_of(reading, *user_node, "user");
  if (account_node != nullptr) account = account_of(reading, *account_node, "account");
  if ((user_node != nullptr && !user) || (account_node != nullptr && !account)) return std::nullopt;
  if (!reading.tenants_sound) return std::nullopt;
  if (!user) user = default_user(reading, account, node, where);
  if (!user) return std::nullopt;
  const std::vector<std::uint32_t> possible = accounts_with(tenants, *user);
  const std::string& name = tenants.users[*user].name;
  if (account) {
    const Standing standing = standing_of(tenants, *user, *account);
    if (may_submit(standing, 0).allowed) return TenantChoice{*account, *user, 1};
    c.error(account_node != nullptr ? *account_node : node,
            "user '" + name + "' is not in account '" + tenants.accounts[*account].name + "'");
    return std::nullopt;
  }
  if (possible.size() == 1) return TenantChoice{possible[0], *user, 1};
  const Node& place = user_node != nullptr ? *user_node : node;
  if (possible.empty()) {
    c.error(place, where + ": user '" + name + "' is in no account");
  } else {
    c.error(place, where + ": 'account' is missing: user '" + name + "' is in " + listed(tenants.accounts, possible));
  }
  return std::nullopt;
}

}  // namespace headroom::yaml
