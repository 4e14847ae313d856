// The rules of workflow priority, one test each, named after its rule; what the permissions alone decide is in
// tests/policies/permissions_test.cc, preemption and expressions have tests of their own. Expected values are worked
// out by hand from the rule.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/fuzzball/run.h"

namespace headroom::testing {
namespace {

using Names = std::vector<std::string>;

std::string job(const std::string& name, const std::string& keys, const std::string& run_time = "10min") {
  return "  - {workflow: " + name + ", account: research, " + keys + ", stages: [{name: s, runtime: " + run_time +
         "}]}\n";
}

/// One slot, which `first` holds for an hour; the tests' own work waits behind it.
std::string one_slot(const std::string& work, const std::string& actions, const std::string& scheduler = "") {
  return scheduler + kTenants + "work:\n" + job("first", "user: ada", "1h") + work +
         (actions.empty() ? "" : "actions:\n" + actions);
}

TEST(Fuzzball, R1_QueuedWorkIsOrderedByEffectivePriorityHigherFirst) {
  const RuleRun r = run(one_slot(
      job("low", "user: ada, priority: -2") + job("high", "user: ada") + job("middle", "user: ada, priority: -1"), ""));
  EXPECT_EQ(r.order(), (Names{"first", "high", "middle", "low"}));
}

TEST(Fuzzball, R2_TheDefaultIsHoursSinceCreationPlusFourPriorities) {
  // 5, 10, 2, -10 at an age of 12.5 h give 19.5.
  const RuleRun r = run(R"(
tenants:
  users: {ada: {priority: 2}}
  organizations: [{organization: acme, priority: 5, accounts: [{account: research, priority: 10, users: [ada]}]}]
work:
  - {workflow: first, stages: [{name: s, runtime: 20h}]}
  - {workflow: w, priority: -10, stages: [{name: s, runtime: 1h}]}
actions:
  - {at: 12.5h, by: ada, describe: {workflow: w}}
)");
  ASSERT_EQ(r.log.control.describes.size(), 1u);
  const DescribeView& view = r.log.control.describes[0];
  EXPECT_EQ(view.inputs.organization, 5);
  EXPECT_EQ(view.inputs.account, 10);
  EXPECT_EQ(view.inputs.user, 2);
  EXPECT_EQ(view.inputs.workflow, -10);
  EXPECT_EQ(view.effective_priority, 19.5);
}

TEST(Fuzzball, R3_AgingIsOneUnitAnHourFractionalAndWithoutACap) {
  const RuleRun r = run(one_slot(job("w", "user: ada"), "  - {at: 30min, by: ada, describe: {workflow: w}}\n"));
  EXPECT_EQ(r.log.control.describes.at(0).effective_priority, 0.5);
  const RuleRun late = run(kTenants + "work:\n" + job("first", "user: ada", "2000h") + job("w", "user: ada") +
                           "actions:\n  - {at: 1000h, by: ada, describe: {workflow: w}}\n");
  EXPECT_EQ(late.log.control.describes.at(0).effective_priority, 1000);
}

TEST(Fuzzball, R4_OneClockReadingServesAWholePass) {
  // Equal bases, one create time: exactly equal at an instant whose age is no double, so declaration decides.
  const RuleRun r = run(one_slot(job("a", "user: ada, at: 1ms") + job("b", "user: ben, at: 1ms"),
                                 "  - {at: 1.234567s, by: ada, queue: {}}\n", "scheduler: {tick: 1s}\n"));
  const QueueView& view = r.log.control.queues.at(0);
  ASSERT_EQ(view.rows.size(), 2u);
  EXPECT_EQ(view.rows[0].effective_priority, view.rows[1].effective_priority);
  EXPECT_EQ(r.order(), (Names{"first", "a", "b"}));
}

TEST(Fuzzball, R5_WithoutAgingNothingOfItIsGuaranteed) {
  const std::string work =
      "  - {generate: {name: stream, count: 20, user: ben, account: research, arrivals: {periodic: "
      "{every: 1h}}, runtime: 1h}}\n" +
      job("bulk", "user: ada, priority: -10");
  const std::string text = "measure: {starved: 12h}\n" + kTenants + "work:\n" + work;
  const RuleRun starved = run(text, "no_aging"), aged = run(text, "default");
  EXPECT_EQ(starved.order().back(), "bulk");
  EXPECT_NE(aged.order().back(), "bulk");
  // It starts at 20 h, behind all of the stream; with aging at 11 h, behind the one of 10 h, whose tail is longer.
  EXPECT_EQ(starved.start("bulk"), 20 * 3600);
  EXPECT_EQ(starved.metric("starved_count"), 1) << "the metrics say so";
  EXPECT_EQ(aged.start("bulk"), 11 * 3600);
  EXPECT_EQ(aged.metric("starved_count"), 0);
}

TEST(Fuzzball, R6_ASubmitterDoesNotSetTheEntitiesPriorities) {
  const RuleRun r = run(one_slot(job("w", "user: ada"),
                                 "  - {at: 1min, by: ada, update: {account: research, priority: 3}}\n"
                                 "  - {at: 1min, by: ada, update: {user: ada, priority: 3}}\n"
                                 "  - {at: 1min, by: ada, update: {organization: acme, priority: 3}}\n"));
  ASSERT_EQ(r.refusals().size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(r.rule(i), "R6");
  EXPECT_TRUE(r.log.control.changes.empty());
}

TEST(Fuzzball, R7_EverythingIsZeroByDefault) {
  const RuleRun r =
      run("work: [{workflow: w, stages: [{name: s, runtime: 1h}]}]\nactions: [{at: 0s, describe: {workflow: w}}]");
  EXPECT_EQ(r.log.control.describes.at(0).effective_priority, 0);
}

TEST(Fuzzball, R8_NothingIsCreatedOnRefusal) {
  const RuleRun r = run(one_slot(job("fine", "user: ada, priority: -10") + job("zero", "user: ada, priority: 0") +
                                     job("above", "user: ada, priority: 1"),
                                 ""));
  EXPECT_EQ(r.start("above"), -1);
  EXPECT_EQ(r.rule(0), "R8");
  EXPECT_EQ(r.metric("refusals"), 1);
  EXPECT_EQ(r.metric("n"), 3) << "the refused one is no workflow";
  EXPECT_EQ(r.report.workflow_table.state[r.workflow("above")], WorkflowState::kRefused);
  for (const Event& event : r.log.events)
    if (event.kind == EventKind::kJob || event.kind == EventKind::kSubmitted) {
      EXPECT_NE(event.subject, r.workflow("above"));
    }
}

TEST(Fuzzball, R9_AnOwnerOfTheOrganizationSubmitsAboveZero) {
  const RuleRun r = run(one_slot(job("w", "user: ada") + job("urgent", "user: olivia, priority: 5, at: 1s"), ""));
  EXPECT_EQ(r.order(), (Names{"first", "urgent", "w"}));
  ASSERT_EQ(r.log.control.audit.size(), 1u);
  EXPECT_TRUE(r.log.control.audit[0].applied);
  EXPECT_EQ(r.log.control.audit[0].new_value, 5);
}

TEST(Fuzzball, R10_ScoreAndStartAndUpdateAnswerAlike) {
  for (const char* user : {"ada", "gil", "olivia", "fred", "otto"}) {
    for (const int priority : {-1, 0, 1}) {
      const std::string p = std::to_string(priority);
      const std::string who(user);
      const RuleRun r =
          run(one_slot(job("own", "user: " + who + ", priority: -3"),
                       "  - {at: 1min, by: " + who + ", update: {workflow: own, priority: " + p + "}}\n" +
                           "  - {at: 2min, by: " + who + ", score: {account: research, priority: " + p + "}}\n" +
                           "  - {at: 3min, by: " + who + ", start: {workflow: more, account: research, priority: " + p +
                           ", stages: [{name: s, runtime: 1s}]}}\n"));
      const bool allowed = priority <= 0 || who == "olivia";
      EXPECT_EQ(r.refusals().size(), allowed ? 0u : 3u) << user << " " << priority;
      EXPECT_EQ(r.start("more") >= 0, allowed) << user << " " << priority;
    }
  }
}

TEST(Fuzzball, R12_LaterDefaultWorkOfTheSamePersonGoesBeforeBulkBelowZero) {
  // One unit is worth one hour: the third comes two hours after bulk.
  const RuleRun r =
      run(one_slot(job("bulk", "user: ada, priority: -1, at: 1min") + job("soon", "user: ada, at: 59min"), ""));
  EXPECT_EQ(r.order(), (Names{"first", "soon", "bulk"}));
  const RuleRun aged = run(kTenants + "work:\n" + job("first", "user: ada", "3h") +
                           job("bulk", "user: ada, priority: -1, at: 1min") + job("late", "user: ada, at: 62min"));
  EXPECT_EQ(aged.order(), (Names{"first", "bulk", "late"}));
}

TEST(Fuzzball, R13_AnUpdateKeepsTheCreateTime) {
  const RuleRun r = run(kTenants + "work:\n" + job("first", "user: ada", "30h") + job("w", "user: ada") +
                        "actions:\n  - {at: 20h, by: ada, update: {workflow: w, priority: -5}}\n"
                        "  - {at: 20h, by: ada, describe: {workflow: w}}\n");
  EXPECT_EQ(r.log.control.describes.at(0).effective_priority, 15);
}

TEST(Fuzzball, R14_EveryStageThatHasNotFinishedIsStamped) {
  const RuleRun r = run("cluster: {slots: 1}\n" + kTenants + R"(work:
  - workflow: w
    user: ada
    account: research
    stages:
      - {name: done, runtime: 1min}
      - {name: running, runtime: 1h, needs: [done]}
      - {name: queued, runtime: 1s, needs: [done]}
      - {name: blocked, runtime: 1s, needs: [running]}
actions:
  - {at: 5min, by: ada, update: {workflow: w, priority: -7}}
)");
  Names stamped;
  for (const Stamp& stamp : r.log.control.stamps) stamped.push_back(r.work.stage_name(stamp.stage));
  EXPECT_EQ(stamped, (Names{"running", "queued", "blocked"}));
}

TEST(Fuzzball, R15_AnUpdateTakesEffectAtTheNextPass) {
  // Passes come at 0 s and 10 s; both are queued at 0 s, and the slot is free at 9 s.
  const std::string work =
      "  - {workflow: a, user: ada, account: research, stages: [{name: s, runtime: 1min}]}\n"
      "  - {workflow: b, user: ada, account: research, stages: [{name: s, runtime: 1min}]}\n";
  const std::string head = "scheduler: {tick: 10s}\n" + kTenants + "work:\n" + job("first", "user: ada", "9s") + work;
  EXPECT_EQ(run(head).order(), (Names{"first", "a", "b"}));
  const RuleRun r = run(head + "actions:\n  - {at: 9.5s, by: ada, update: {workflow: a, priority: -1}}\n");
  EXPECT_EQ(r.order(), (Names{"first", "b", "a"}));
  EXPECT_EQ(r.start("b"), 10) << "not at 9.5 s";
  EXPECT_EQ(r.log.control.replies.at(0).outcome, Reply::Outcome::kDone) << "told before it takes effect";
  const RuleRun late = run(head + "actions:\n  - {at: 10s, by: ada, update: {workflow: a, priority: -1}}\n");
  EXPECT_EQ(late.order(), (Names{"first", "b", "a"})) << "of one instant: actions, then the pass";
  const RuleRun too_late = run(head + "actions:\n  - {at: 10.001s, by: ada, update: {workflow: a, priority: -1}}\n");
  EXPECT_EQ(too_late.order(), (Names{"first", "a", "b"}));
}

TEST(Fuzzball, R16_TheReplyNamesTheWorkflowTheValueAndTheNextPass) {
  const RuleRun r =
      run(one_slot(job("w", "user: ada"), "  - {at: 1min, by: ada, update: {workflow: w, priority: -4}}\n"));
  EXPECT_EQ(r.reply(0), "priority of workflow 'w' set to -4, which the scheduler's next pass will see");
}

TEST(Fuzzball, R17_WhatChangesNothingReordersNothing) {
  const std::string work = job("a", "user: ada, priority: -1") + job("b", "user: ben");
  const RuleRun without = run(one_slot(work, ""));
  const RuleRun unchanged = run(one_slot(work, "  - {at: 1min, by: ada, update: {workflow: a, priority: -1}}\n"));
  const RuleRun running = run(one_slot(work, "  - {at: 1min, by: ada, update: {workflow: first, priority: -9}}\n"));
  EXPECT_EQ(without.log.decision_hash, unchanged.log.decision_hash);
  EXPECT_EQ(without.log.decision_hash, running.log.decision_hash);
  EXPECT_EQ(running.log.control.stamps.size(), 1u);
}

TEST(Fuzzball, R18_AnOwnerRaisesUpToZero) {
  const RuleRun r = run(one_slot(job("w", "user: ada, priority: -20"),
                                 "  - {at: 1min, by: ada, update: {workflow: w, priority: -1}}\n"
                                 "  - {at: 2min, by: ada, update: {workflow: w, priority: 1}}\n"));
  ASSERT_EQ(r.log.control.changes.size(), 1u);
  EXPECT_EQ(r.log.control.changes[0].new_value, -1);
  EXPECT_EQ(r.rule(0), "R18");
}

TEST(Fuzzball, R19_TheWorkflowsOwnOrganizationCountsNotTheContext) {
  const RuleRun r = run(one_slot(job("w", "user: ada") + job("his", "user: otto"),
                                 "  - {at: 1min, by: olivia, context: globex, update: {workflow: w, priority: 3}}\n"
                                 "  - {at: 2min, by: otto, context: acme, update: {workflow: his, priority: 3}}\n"));
  ASSERT_EQ(r.log.control.changes.size(), 1u);
  EXPECT_EQ(r.log.control.changes[0].target, r.workflow("w"));
  EXPECT_EQ(r.rule(0), "R19");
  EXPECT_EQ(r.refusals()[0]->context, 0u) << "the context is recorded";
}

TEST(Fuzzball, R20_AFederateOwnerIsRefusedByTheClusterThatOrchestrates) {
  const RuleRun r =
      run(one_slot(job("his", "user: fred, priority: -2"),
                   "  - {at: 1min, by: fred, update: {workflow: his, priority: 1}}\n"
                   "  - {at: 2min, by: fred, update: {workflow: his, priority: -1}}\n"
                   "  - {at: 3min, by: olivia, update: {workflow: his, priority: 1}}\n"
                   "  - {at: 4min, by: fred, start: {workflow: more, account: research, priority: 1, stages: "
                   "[{name: s, runtime: 1s}]}}\n"));
  ASSERT_EQ(r.refusals().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(r.rule(i), "R20");
    EXPECT_FALSE(r.refusals()[i]->decided_on_federate);
  }
  EXPECT_EQ(r.log.control.changes.size(), 2u);
  std::string text = one_slot(job("w", "user: ada"), "  - {at: 1min, by: ada, update: {workflow: w, priority: 1}}\n");
  text.replace(text.find("      owners: [olivia]"), 0, "      cluster: federate\n");
  const RuleRun forwarded = run(text);
  EXPECT_NE(why_text(forwarded.work, *forwarded.refusals().at(0)).find("forwarded by the organization's federate"),
            std::string::npos);
}

TEST(Fuzzball, R21_APositiveSettingIsAudited) {
  const RuleRun r =
      run(one_slot(job("w", "user: ada"), "  - {at: 1min, by: olivia, update: {workflow: w, priority: 8}}\n"));
  ASSERT_EQ(r.log.control.audit.size(), 1u);
  const AuditEntry& entry = r.log.control.audit[0];
  EXPECT_EQ(r.work.tenants.users[entry.actor].name, "olivia");
  EXPECT_EQ(target_text(r.work, entry), "workflow w");
  EXPECT_EQ(entry.old_value, 0);
  EXPECT_EQ(entry.new_value, 8);
  EXPECT_EQ(entry.at, TimePoint::zero() + Duration::seconds(60));
  EXPECT_TRUE(entry.applied);
}

TEST(Fuzzball, R22_WhatHasEndedIsReportedAndNothingIsRecorded) {
  const RuleRun r = run("cluster: {slots: 4}\n" + kTenants + "work:\n" + job("first", "user: ada", "1h") +
                        job("finished", "user: ada", "1min") +
                        "  - {workflow: failed, user: ada, account: research, stages: [{name: s, runtime: 1min, fails: "
                        "true}]}\n" +
                        job("stopped", "user: ada", "1h") +
                        "actions:\n  - {at: 1min, by: ada, stop: {workflow: stopped}}\n"
                        "  - {at: 2min, by: ada, update: {workflow: finished, priority: -1}}\n"
                        "  - {at: 2min, by: ada, update: {workflow: failed, priority: -1}}\n"
                        "  - {at: 2min, by: ada, update: {workflow: stopped, priority: -1}}\n"
                        "  - {at: 2min, by: ben, update: {workflow: stopped, priority: 7}}\n");
  EXPECT_TRUE(r.log.control.changes.empty());
  EXPECT_TRUE(r.log.control.stamps.empty());
  EXPECT_TRUE(r.log.control.audit.empty());
  EXPECT_EQ(r.metric("refusals"), 0) << "that it has ended is no refusal";
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(r.log.control.replies.at(i).outcome, Reply::Outcome::kEnded);
  EXPECT_EQ(r.report.workflow_table.state[r.workflow("stopped")], WorkflowState::kCanceled);
}

TEST(Fuzzball, R23_OnlyWhoMayStopMayUpdate) {
  for (const char* user : {"ada", "ben", "gil", "olivia", "fred", "otto", "root"}) {
    const std::string by = std::string("  - {at: 1min, by: ") + user;
    const bool owns = std::string(user) == "ada" || std::string(user) == "olivia";
    const RuleRun stop = run(one_slot(job("w", "user: ada"), by + ", stop: {workflow: w}}\n"));
    const RuleRun update = run(one_slot(job("w", "user: ada"), by + ", update: {workflow: w, priority: -1}}\n"));
    EXPECT_EQ(stop.log.control.stops.size(), owns ? 1u : 0u) << user;
    EXPECT_EQ(update.log.control.changes.size(), owns ? 1u : 0u) << user;
    if (!owns) {
      EXPECT_EQ(update.rule(0), "R23") << user;
    }
  }
}

TEST(Fuzzball, R24_PriorityReservesNothingAndEvictsNothing) {
  const RuleRun r =
      run("cluster: {slots: 8}\n" + kTenants + "work:\n" +
          "  - {workflow: half, user: ada, account: research, stages: [{name: s, runtime: 1h, cores: 4}]}\n"
          "  - {workflow: wide, user: olivia, account: research, priority: 100, at: 1min, stages: [{name: s, "
          "runtime: 1h, cores: 8}]}\n" +
          job("small", "user: ada, at: 2min"));
  EXPECT_EQ(r.start("half"), 0);
  EXPECT_EQ(r.start("small"), 120) << "what fits starts, whatever waits above it";
  EXPECT_EQ(r.start("wide"), 3600);
}

TEST(Fuzzball, R25_WhoSetsWhichEntitysPriority) {
  struct Case {
    const char *user, *target;
    bool allowed;
  };
  // root administers; olivia owns acme, which has ada; otto owns globex, which has sam.
  const Case kCases[] = {{"root", "organization: acme", true},  {"olivia", "organization: acme", false},
                         {"olivia", "account: research", true}, {"root", "account: research", false},
                         {"gil", "account: research", false},   {"otto", "account: research", false},
                         {"fred", "account: research", false},  {"olivia", "user: ada", true},
                         {"otto", "user: ada", false},          {"otto", "user: sam", true},
                         {"root", "user: ada", false}};
  for (const Case& c : kCases) {
    const RuleRun r = run(
        one_slot("", std::string("  - {at: 1min, by: ") + c.user + ", update: {" + c.target + ", priority: 50}}\n"));
    EXPECT_EQ(r.log.control.changes.size(), c.allowed ? 1u : 0u) << c.user << " " << c.target;
    EXPECT_EQ(r.refusals().size(), c.allowed ? 0u : 1u) << c.user << " " << c.target;
  }
}

std::string fifty_each() {
  return "  - {generate: {name: mine, count: 50, user: ada, account: research, arrivals: {burst: {at: 2s}}, runtime: "
         "1min}}\n  - {generate: {name: theirs, count: 50, user: sam, account: sales, arrivals: {burst: {at: 1s}}, "
         "runtime: 1min}}\n";
}

TEST(Fuzzball, R26_AnEntitysChangeReachesWhatIsQueuedAlready) {
  const RuleRun r = run(kTenants + "work:\n" + job("first", "user: ben", "1h") + fifty_each() +
                        "actions:\n  - {at: 30min, by: olivia, update: {account: research, priority: 10}}\n");
  const Names order = r.order();
  for (std::size_t i = 1; i <= 50; ++i) EXPECT_TRUE(order.at(i).starts_with("mine")) << order[i];
  EXPECT_EQ(r.metric("priority_changes"), 51) << "fifty and the one that runs";
}

TEST(Fuzzball, R27_TheOrderWithinTheEntityIsKept) {
  const std::string work = kTenants + "work:\n" + job("first", "user: ben", "1h") + fifty_each();
  const auto of_mine = [](const RuleRun& r) {
    Names names;
    for (const std::string& name : r.order())
      if (name.starts_with("mine")) names.push_back(name);
    return names;
  };
  EXPECT_EQ(of_mine(run(work)),
            of_mine(run(work + "actions:\n  - {at: 30min, by: olivia, update: {account: research, priority: 10}}\n"
                               "  - {at: 70min, by: root, update: {organization: acme, priority: -30}}\n"
                               "  - {at: 80min, by: olivia, update: {user: ada, priority: 4}}\n")));
}

TEST(Fuzzball, R28_NoEntityChangeSwapsTwoWorkflowsOfOneUserAndAccount) {
  const std::string work = job("a", "user: ada, at: 2s") + job("b", "user: ada, at: 1s");
  for (const char* entity : {"organization: acme", "account: research", "user: ada"})
    for (const int priority : {-100, 100}) {
      const std::string by = std::string(entity).starts_with("org") ? "root" : "olivia";
      const RuleRun r = run(one_slot(work, "  - {at: 1min, by: " + by + ", update: {" + entity +
                                               ", priority: " + std::to_string(priority) + "}}\n"));
      EXPECT_EQ(r.log.control.changes.size(), 1u);
      EXPECT_EQ(r.order(), (Names{"first", "b", "a"}));
    }
}

TEST(Fuzzball, R29_EachStampedStageGetsOneEventWithFactorOldAndNew) {
  const RuleRun r =
      run(one_slot("  - {workflow: w, user: ada, account: research, stages: [{name: x, runtime: 1s, count: 3}]}\n",
                   "  - {at: 1min, by: ada, update: {workflow: w, priority: -5}}\n"));
  const std::vector<ActivityRow> rows = activity(r.work, r.log.control);
  ASSERT_EQ(rows.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i].kind, ActivityRow::Kind::kPriorityUpdated);
    EXPECT_EQ(rows[i].at, TimePoint::zero() + Duration::seconds(60));
    EXPECT_EQ(rows[i].workflow, static_cast<std::int64_t>(r.workflow("w")));
    EXPECT_EQ(r.work.stage_name(static_cast<StageRow>(rows[i].stage)), "x[" + std::to_string(i) + "]");
    EXPECT_EQ(factor_words()[static_cast<std::size_t>(rows[i].factor)], "workflow");
    EXPECT_EQ(rows[i].old_value, 0);
    EXPECT_EQ(rows[i].new_value, -5);
  }
}

TEST(Fuzzball, R30_DescribeShowsInputsThatGiveTheShownValue) {
  const RuleRun r = run(one_slot(job("w", "user: ada, at: 17s") + job("quick", "user: ada", "1s"),
                                 "  - {at: 1h, by: ada, update: {workflow: w, priority: -3}}\n"
                                 "  - {at: 3601s, by: ada, describe: {workflow: w}}\n"
                                 "  - {at: 3602s, by: ada, describe: {workflow: first, stage: s}}\n"));
  const DescribeView& view = r.log.control.describes.at(0);
  const auto rule = make_priority_rule(Priority::kFuzzball);
  EXPECT_EQ(view.effective_priority, rule->value(view.inputs, view.at));
  EXPECT_EQ(view.inputs.workflow, -3);
  EXPECT_TRUE(std::isnan(r.log.control.describes.at(1).effective_priority)) << "it has ended: the stamp alone";
}

TEST(Fuzzball, R31_OnesOwnRowsHaveTheirPlaceAmongAll) {
  const RuleRun r = run(one_slot(job("b1", "user: ben") + job("a1", "user: ada, priority: -1") +
                                     job("b2", "user: ben") + job("a2", "user: ada, priority: -2"),
                                 "  - {at: 1min, by: ada, queue: {}}\n  - {at: 1min, by: ada, queue: {mine: true}}\n"));
  const QueueView &all = r.log.control.queues.at(0), &mine = r.log.control.queues.at(1);
  EXPECT_EQ(all.total, 4u);
  EXPECT_EQ(mine.total, 4u);
  ASSERT_EQ(mine.rows.size(), 2u);
  EXPECT_EQ(mine.rows[0].position, 3u);
  EXPECT_EQ(mine.rows[1].position, 4u);
  for (const auto& row : mine.rows) {
    EXPECT_EQ(all.rows.at(row.position - 1).stage, row.stage);
    EXPECT_EQ(r.work.user[r.work.workflow_of[row.stage]], r.work.user[r.workflow("a1")]) << "nobody else's";
  }
}

TEST(Fuzzball, R34_APriorityChangeAloneEvictsNobody) {
  Policy policy = *find_preset("default");
  policy.preemption = Preemption::kRequeue;
  const std::string low =
      "  - {workflow: low, user: ada, account: research, priority: -1, preemptible: true, stages: [{name: s, runtime: "
      "1h}]}\n";
  const std::string lowered = "  - {at: 1min, by: ada, update: {workflow: low, priority: -50}}\n";
  const RuleRun alone = run(kTenants + "work:\n" + low + "actions:\n" + lowered, policy);
  EXPECT_EQ(alone.metric("preemptions"), 0) << "nobody waits";
  // The other waits, an equal but for the seconds that it came later, until a change puts it above.
  const std::string both = kTenants + "work:\n" + low + job("other", "user: ben, at: 10s, priority: -1");
  const RuleRun waiting = run(both, policy);
  EXPECT_EQ(waiting.metric("preemptions"), 0);
  EXPECT_EQ(waiting.start("other"), 3600);
  const RuleRun changed = run(both + "actions:\n" + lowered, policy);
  EXPECT_EQ(changed.metric("preemptions"), 1) << "it is the one that waits which displaces";
  EXPECT_EQ(changed.start("other"), 60);
}

// ---- choices

TEST(Fuzzball, Q1_ALateStageInheritsTheWholeAgeOfItsWorkflow) {
  const RuleRun r = run("cluster: {slots: 1}\n" + kTenants + R"(work:
  - {workflow: w, user: ada, account: research, stages: [{name: x, runtime: 2h}, {name: y, runtime: 1s, needs: [x]}]}
  - {workflow: newer, user: ben, account: research, at: 1h, stages: [{name: s, runtime: 1s}]}
actions:
  - {at: 90min, by: ada, describe: {workflow: w, stage: y}}
)");
  EXPECT_EQ(r.log.control.describes.at(0).effective_priority, 1.5) << "blocked time counts";
  const AttemptTable& a = r.report.attempt_table;
  EXPECT_EQ(a.started_at.at(1), TimePoint::zero() + Duration::hours(2)) << "before what was eligible an hour longer";
}

TEST(Fuzzball, Q1_AnExpressionMayCountFromReadinessInstead) {
  const RuleRun r = run("cluster: {slots: 1}\n" + kTenants + R"(work:
  - {workflow: w, user: ada, account: research, stages: [{name: x, runtime: 2h}, {name: y, runtime: 1s, needs: [x]}]}
  - {workflow: newer, user: ben, account: research, at: 1h, stages: [{name: s, runtime: 1s}]}
)",
                        by_expression("(now() - stage.ready_time).Hours()"));
  EXPECT_EQ(r.start("newer"), 2 * 3600) << "it is ready an hour longer than y";
}

TEST(Fuzzball, Q2_TiesFallToTheOlderDeclaration) {
  const RuleRun r = run(one_slot(job("b", "user: ben") + job("a", "user: ada"), ""));
  EXPECT_EQ(r.order(), (Names{"first", "b", "a"}));
}

TEST(Fuzzball, Q3_WhatHasNoPriorityIsRankedLastCountedAndReported) {
  struct Case {
    const char* expression;
    OrderKind kind;
    const char* why;
  };
  // Of priority -1 they are 0/0, or a remainder of 0.
  const std::string quotient = "workflow.priority + (workflow.priority + 1) / (workflow.priority + 1)";
  const std::string age = "(now() - workflow.create_time).Hours()";
  const std::string capped = "min(" + age + ", 24) + " + quotient, power = age + " ** 1.1 + " + quotient;
  const std::string failing = "min(" + age + ", 24) + workflow.priority + 0 % (workflow.priority + 1)";
  const Case cases[] = {
      {quotient.c_str(), OrderKind::kStatic, "it is NaN"},
      {"workflow.priority + 0 % (workflow.priority + 1)", OrderKind::kStatic, "(1:23)"},
      {capped.c_str(), OrderKind::kPiecewise, "it is NaN"},
      {failing.c_str(), OrderKind::kPiecewise, "(1:73)"},
      {power.c_str(), OrderKind::kRecomputed, "it is NaN"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.expression);
    EXPECT_EQ(analyse(c.expression, {}).kind, c.kind);
    const RuleRun r =
        run(one_slot(job("bad", "user: ada, at: 1s, priority: -1") + job("worse", "user: ada, at: 2s, priority: -1") +
                         job("minus", "user: ada, at: 3s, priority: -3") + job("zero", "user: ada"),
                     ""),
            by_expression(c.expression));
    EXPECT_EQ(r.order(), (Names{"first", "zero", "minus", "bad", "worse"})) << "those without one by the ties";
    EXPECT_EQ(r.log.unranked.stages, 2u);
    EXPECT_EQ(r.log.unranked.first, r.row("bad", "s"));
    EXPECT_NE(r.log.unranked.why.find(c.why), std::string::npos) << r.log.unranked.why;
    EXPECT_EQ(r.metric("unranked_stages"), 2);
    const auto warning = std::ranges::find(r.report.warnings, "unranked", &Warning::code);
    ASSERT_NE(warning, r.report.warnings.end());
    EXPECT_NE(warning->text.find("2 stages"), std::string::npos) << warning->text;
    EXPECT_NE(warning->text.find("stage 's' of 'bad'"), std::string::npos) << warning->text;
  }
  const RuleRun sound = run(one_slot(job("w", "user: ada"), ""), by_expression(quotient));
  EXPECT_EQ(sound.metric("unranked_stages"), 0);
  EXPECT_EQ(std::ranges::find(sound.report.warnings, "unranked", &Warning::code), sound.report.warnings.end());
}

TEST(Fuzzball, Q3_ItMayHaveOneAgainLater) {
  // Between 1 h and 2 h the remainder is one of 0.
  const std::string expression = "workflow.priority + 0 % (1 - int((now() - workflow.create_time).Hours()))";
  EXPECT_EQ(analyse(expression, {}).kind, OrderKind::kRecomputed);
  const RuleRun r = run(one_slot(job("old", "user: ada, at: 1s", "70min") + job("older", "user: ada, priority: -1") +
                                     job("lower", "user: ben, at: 50min, priority: -9", "20min"),
                                 ""),
                        by_expression(expression));
  // At 1 h the older of the two has none; the other, a second younger, still has.
  EXPECT_EQ(r.order(), (Names{"first", "old", "older", "lower"}));
  EXPECT_EQ(r.log.unranked.stages, 2u) << "older at 1 h, lower at 2 h 10 min, where older has one again";
  EXPECT_EQ(r.log.unranked.first, r.row("older", "s"));
  EXPECT_EQ(r.log.unranked.at, TimePoint::zero() + Duration::hours(1));
}

TEST(Fuzzball, Q4_APriorityIsAWholeNumberOf32Bits) {
  const auto error = [](const std::string& priority) -> std::string {
    try {
      run(one_slot(job("w", "user: ada"),
                   "  - {at: 1s, by: ada, update: {workflow: w, priority: " + priority + "}}\n"));
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error("1.5"), "");
  EXPECT_NE(error("2147483648"), "");
  EXPECT_NE(error("high"), "");
  EXPECT_EQ(error("-2147483648"), "");
}

TEST(Fuzzball, Q5_TheSwitchTakesTheOwnershipOfWorkflowsAway) {
  std::string text =
      one_slot(job("w", "user: ada"), "  - {at: 1min, by: olivia, update: {workflow: w, priority: 3}}\n");
  EXPECT_EQ(run(text).log.control.changes.size(), 1u);
  text.replace(text.find("  administrators:"), 0, "  org_owner_implies_workflow_owner: false\n");
  const RuleRun r = run(text);
  EXPECT_TRUE(r.log.control.changes.empty());
  EXPECT_EQ(r.rule(0), "R23");
}

TEST(Fuzzball, Q6_AnUnchangedValueIsASuccessAndLeavesNoTrace) {
  const RuleRun r = run(one_slot(job("w", "user: ada, priority: -3"),
                                 "  - {at: 1min, by: ada, update: {workflow: w, priority: -3}}\n"
                                 "  - {at: 1min, by: olivia, update: {account: research, priority: 0}}\n"));
  EXPECT_TRUE(r.log.control.audit.empty());
  EXPECT_TRUE(r.log.control.stamps.empty());
  for (const Reply& reply : r.log.control.replies) EXPECT_EQ(reply.outcome, Reply::Outcome::kUnchanged);
}

TEST(Fuzzball, Q7_WhatDoesNotFitIsPassedOverUpToTheDepth) {
  const std::string work =
      kTenants + "work:\n" +
      "  - {workflow: half, user: ada, account: research, stages: [{name: s, runtime: 1h, cores: 2}]}\n"
      "  - {generate: {name: wide, count: 3, user: ada, account: research, arrivals: {burst: {at: "
      "1s}}, runtime: 1h, cores: 4}}\n" +
      job("small", "user: ben, at: 2s", "1min");
  EXPECT_EQ(run("cluster: {slots: 4}\n" + work).start("small"), 2);
  EXPECT_GT(run("cluster: {slots: 4}\nscheduler: {queue_depth: 3}\n" + work).start("small"), 3600)
      << "three that do not fit hide it";
  EXPECT_EQ(run("cluster: {slots: 4}\nscheduler: {queue_depth: 4}\n" + work).start("small"), 2);
}

TEST(Fuzzball, Q8_PassesComeAtTheTickAndChangesBetweenAreTakenTogether) {
  const RuleRun r = run("cluster: {slots: 4}\nscheduler: {tick: 1s}\n" + kTenants + "work:\n" +
                        job("a", "user: ada, at: 100ms", "1h") + job("b", "user: ada, at: 900ms", "1h"));
  EXPECT_EQ(r.start("a"), 1);
  EXPECT_EQ(r.start("b"), 1);
  EXPECT_EQ(r.log.passes, 2u) << "one for both submissions, one for both ends";
}

TEST(Fuzzball, Q9_LoweringToASmallerPositiveIsRefusedToAnOrdinaryOwner) {
  const RuleRun r = run(one_slot(job("w", "user: ada"),
                                 "  - {at: 1min, by: olivia, update: {workflow: w, priority: 9}}\n"
                                 "  - {at: 2min, by: ada, update: {workflow: w, priority: 4}}\n"
                                 "  - {at: 3min, by: ada, update: {workflow: w, priority: 0}}\n"));
  ASSERT_EQ(r.refusals().size(), 1u);
  EXPECT_EQ(r.refusals()[0]->old_value, 9);
  ASSERT_EQ(r.log.control.changes.size(), 2u);
  EXPECT_EQ(r.log.control.changes[1].new_value, 0);
}

TEST(Fuzzball, Q13_AnEntitysChangeStampsWithItsFactor) {
  const RuleRun r = run(one_slot(job("w", "user: ada"),
                                 "  - {at: 1min, by: root, update: {organization: acme, priority: 1}}\n"
                                 "  - {at: 2min, by: olivia, update: {account: research, priority: 2}}\n"
                                 "  - {at: 3min, by: olivia, update: {user: ada, priority: 3}}\n"));
  Names factors;
  for (const ActivityRow& row : activity(r.work, r.log.control))
    factors.emplace_back(factor_words()[static_cast<std::size_t>(row.factor)]);
  EXPECT_EQ(factors, (Names{"organization", "organization", "account", "account", "user", "user"}))
      << "two stages are unfinished";
}

TEST(Fuzzball, Q14_WhatIsSubmittedLaterHasTheInputsOfThatTime) {
  const RuleRun r = run(one_slot(job("w", "user: ada, at: 30min"),
                                 "  - {at: 10min, by: olivia, update: {account: research, priority: 4}}\n"
                                 "  - {at: 40min, by: ada, describe: {workflow: w}}\n"));
  EXPECT_EQ(r.log.control.describes.at(0).inputs.account, 4);
  EXPECT_EQ(r.log.control.stamps.size(), 1u) << "it was not there to be stamped";
  EXPECT_EQ(r.report.workflow_table.inputs.at(r.workflow("w")).account, 4);
  EXPECT_EQ(r.report.workflow_table.inputs.at(r.workflow("first")).account, 0);
}

TEST(Fuzzball, Q16_OfOneInstantTheEndComesBeforeTheUpdate) {
  const RuleRun r = run(one_slot("", "  - {at: 1h, by: ada, update: {workflow: first, priority: -1}}\n"));
  EXPECT_TRUE(r.log.control.changes.empty());
  ASSERT_EQ(r.log.control.replies.size(), 1u);
  EXPECT_EQ(r.log.control.replies[0].outcome, Reply::Outcome::kEnded);
}

}  // namespace
}  // namespace headroom::testing
