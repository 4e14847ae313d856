// What `tenants:` and `actions:` mean, and every complaint about them at once.
#include <gtest/gtest.h>

#include <string>

#include "workloads/realise.h"
#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

const std::string kWork = R"(work:
  - {workflow: build, user: ada, stages: [{name: solver, runtime: 1s}]}
  - {generate: {name: base, count: 5, user: ada, runtime: 1s, arrivals: {burst: {at: 0s}}}}
)";
const std::string kTenants = R"(tenants:
  administrators: [root]
  org_owner_implies_workflow_owner: false
  users: {ada: {priority: 2}, ben: {}}
  organizations:
    - organization: acme
      priority: 1
      owners: [olivia, ada]
      federate_owners: [fred]
      cluster: federate
      accounts: [{account: research, priority: 10, owners: [gil], users: [ada, ben]}]
    - organization: globex
)";

Workload read(const std::string& text) { return WorkloadDocument::parse(text, "w.yaml").read(); }

std::string errors_of(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const InputError& error) {
    std::string all;
    for (const Diagnostic& d : error.diagnostics())
      all += std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.message + "\n";
    return all;
  }
  return "no error";
}

TEST(TenantsSection, SaysWhoOwnsAndAdministersWhat) {
  const Tenants t = read(kTenants + kWork).tenants;
  std::vector<std::string> names;
  for (const UserSpec& user : t.users) names.push_back(user.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ada", "ben", "root", "olivia", "fred", "gil"}));
  EXPECT_EQ(t.administrators, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(t.organizations.at(0).owners, (std::vector<std::uint32_t>{3, 0}));
  EXPECT_EQ(t.organizations.at(0).federate_owners, (std::vector<std::uint32_t>{4}));
  EXPECT_TRUE(t.organizations.at(0).on_federate);
  EXPECT_FALSE(t.organizations.at(1).on_federate);
  EXPECT_EQ(t.accounts.at(0).owners, (std::vector<std::uint32_t>{5}));
  EXPECT_FALSE(t.org_owner_implies_workflow_owner);
  EXPECT_FALSE(t.everybody_owns);
}

TEST(TenantsSection, IsOneOrganizationThatTheSubmitterOwnsWhereThereIsNone) {
  const Tenants t = read("work: [{workflow: w, stages: [{name: s, runtime: 1s}]}]\n").tenants;
  EXPECT_TRUE(t.everybody_owns);
  EXPECT_TRUE(t.org_owner_implies_workflow_owner);
}

TEST(TenantsSection, LetsOwnersSubmitToTheirAccountsAndNobodyElse) {
  const auto submit = [](const std::string& user) {
    return kTenants + "work: [{workflow: w, account: research, user: " + user +
           ", stages: [{name: s, runtime: 1s}]}]\n";
  };
  for (const char* user : {"olivia", "gil", "fred", "ben"}) EXPECT_EQ(errors_of(submit(user)), "no error") << user;
  EXPECT_EQ(errors_of(submit("root")), "13:31: user 'root' is not in account 'research'\n");
}

TEST(ActionsSection, SaysWhoDoesWhatWhen) {
  const Workload w = read(kTenants + kWork + R"(actions:
  - {at: 2h, by: ben, update: {workflow: build, priority: -20}}
  - {at: 1h, by: olivia, context: globex, update: {account: research, priority: 5}}
  - {at: 4h, by: ben, stop: {workflow: "base[*]"}}
  - {at: 5h, by: ada, describe: {workflow: "base[3]", stage: main}}
  - {at: 5h, by: ada, queue: {mine: true}}
  - {at: 6h, by: root, fail: {node: "slots[0]"}, for: 30min}
  - {at: 7h, by: gil, start: {workflow: more, account: research, priority: -1, stages: [{name: s, runtime: 1s}]}}
  - {at: 8h, by: ada, add_owner: {workflow: build, user: ben}}
  - {at: 9h, by: ben, update: {workflow: more, priority: 0}}
  - {at: 9h, by: ben, score: {account: research, priority: 1}}
)");
  ASSERT_EQ(w.actions.size(), 9u) << "a start is a workflow";
  EXPECT_EQ(w.actions[0].kind, Action::Kind::kUpdate);
  EXPECT_EQ(w.actions[0].at, TimePoint::zero() + Duration::hours(2));
  EXPECT_EQ(w.actions[0].by, 1u);
  EXPECT_EQ(w.actions[0].priority, -20);
  EXPECT_EQ(w.actions[1].target, Action::Target::kAccount);
  EXPECT_EQ(w.actions[1].context, 1u);
  EXPECT_EQ(w.actions[5].lasts, Duration::seconds(1800));
  EXPECT_TRUE(w.actions[4].mine);
  EXPECT_EQ(w.actions[6].kind, Action::Kind::kAddOwner);
  EXPECT_EQ(w.actions[6].user, 1u);
  const auto& more = std::get<WorkflowItem>(w.items.at(2));
  EXPECT_EQ(more.at, TimePoint::zero() + Duration::hours(7));
  EXPECT_EQ(w.tenants.users.at(more.user).name, "gil");

  TraceCache traces;
  const Work work = realise(w, 1, 0, traces);
  ASSERT_EQ(work.actions.size(), 9u);
  EXPECT_EQ(work.actions[0].target, Action::Target::kAccount) << "by time";
  EXPECT_EQ(work.actions[2].first_workflow, 1u);
  EXPECT_EQ(work.actions[2].workflows, 5u);
  EXPECT_EQ(work.actions[3].first_workflow, 4u);
  EXPECT_EQ(work.actions[3].workflows, 1u);
  EXPECT_EQ(work.actions[5].index, 0u);
}

TEST(ActionsSection, ReportsEverythingThatIsWrongAtOnce) {
  EXPECT_EQ(errors_of(kTenants + kWork + R"(actions:
  - {at: 2h, by: bem, update: {workflow: build, priority: -20}}
  - {by: ben, stop: {workflow: build}}
  - {at: 1h, by: ben}
  - {at: 1h, by: ben, stop: {workflow: biuld}, queue: {}}
  - {at: 1h, by: ben, stop: {workflow: "base[5]"}}
  - {at: 1h, by: ben, stop: {workflow: base}}
  - {at: 1h, by: ben, stop: {workflow: "build[*]"}}
  - {at: 1h, by: ben, update: {account: reserch, priority: 1.5}}
  - {at: 1h, by: ben, update: {priority: 1}}
  - {at: 1h, by: root, cordon: {node: "cpu[0]"}}
  - {at: 1h, by: root, fail: {node: "slots[1]"}, for: 0s}
  - {at: 1h, by: ben, queue: {}, for: 1h, context: globes}
  - {at: 1h, queue: {}}
  - {at: 1h, by: ben, updat: {workflow: build}}
  - {at: 1h, by: ben, update: {workflow: build, priority: 3, force: true}}
  - {at: 1h, by: ben, add_owner: {workflow: build}}
  - {at: 1h, by: ben, update: {user: ada, workflow: build, priority: 1}}
)"),
            R"(17:18: unknown user 'bem'; did you mean 'ben'?
18:5: an action: 'at' is missing: when it is done, such as 2h
19:5: an action: what is done is missing: update, start, stop, score, add_owner, remove_owner, describe, queue, fail, cordon or uncordon
20:40: there is no workflow called 'biuld'; did you mean 'build'?
20:55: an action does one thing: either 'stop' or 'queue'
21:40: 'base[5]' is not there: the last is base[4]
22:40: 'base' are several workflows: say base[*], or one as base[17]
23:40: 'build' is one workflow; it has no [*]
24:41: unknown account 'reserch'; did you mean 'research'?
24:60: priority: expected a whole number from -2147483648 to 2147483647, found '1.5'
25:31: update: whose priority is missing: workflow, organization, account or user
26:39: there is no node 'cpu[0]'
27:37: there is no node 'slots[1]': the last of its class is slots[0]
27:55: for: expected a duration above 0, found '0s'
28:39: 'for' goes with 'fail' and 'cordon' alone
28:52: unknown organization 'globes'; did you mean 'globex'?
29:5: an action: 'by' is missing: who does it
30:23: unknown key 'updat' in an action; did you mean 'update'?
31:62: unknown key 'force' in update; it takes workflow, organization, account, user, priority
32:34: add_owner: 'user' is missing: whom
33:38: update: one of workflow, organization, account or user, not two
)");
}

}  // namespace
}  // namespace headroom
