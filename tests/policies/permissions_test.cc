// The truth table of who may do what, written down by hand from the rules R8–R11, R18–R20, R23, R25 and Q5, cell by
// cell: the code is not asked what it thinks.
#include "policies/permissions.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace headroom {
namespace {

enum Command { kStart, kScore, kUpdate, kStop };
constexpr std::array<const char*, 4> kCommands{"start", "score", "update", "stop"};
constexpr std::array<std::int64_t, 3> kPriorities{-1, 0, 1};

struct Person {
  const char* name;
  Standing standing;
  bool listed;         // in the workflow's set of owners
  bool administrator;  // never looked at for workflows
};

Standing standing(bool member, bool account = false, bool organization = false, bool federate = false,
                  bool elsewhere = false) {
  return {member, account, organization, federate, elsewhere};
}

// Nobody here is more than the row says: an account owner is no member, say.
const std::array<Person, 7> kPeople{{
    {"member", standing(true), false, false},
    {"workflow owner", standing(true), true, false},
    {"account owner", standing(false, true), false, false},
    {"organization owner", standing(false, false, true), false, false},
    {"federate owner", standing(false, false, false, true), false, false},
    {"owner of another organization", standing(false, false, false, false, true), false, false},
    {"administrator", standing(false), false, true},
}};

// '+' allowed, '-' refused, for priorities -1, 0, 1. A stop has no priority: its three are one answer.
struct Row {
  const char* person;
  const char *start, *score, *update, *stop;
};
constexpr std::array<Row, 7> kTable{{
    {"member", "++-", "++-", "---", "---"},              // R8; R23: the workflow is not his
    {"workflow owner", "++-", "++-", "++-", "+++"},      // R8, R18, R23
    {"account owner", "++-", "++-", "---", "---"},       // R11; owning the account is no ownership of the workflow
    {"organization owner", "+++", "+++", "+++", "+++"},  // R9, Q5
    {"federate owner", "++-", "++-", "---", "---"},      // R20; Q5 leaves federate owners out
    {"owner of another organization", "---", "---", "---", "---"},  // in neither the account nor its organization
    {"administrator", "---", "---", "---", "---"},                  // owns no workflow by that
}};

Decision decide(Command command, const Person& person, std::int64_t priority) {
  const bool owns = owns_workflow(person.standing, person.listed);
  if (command == kUpdate) return may_update(person.standing, owns, priority);
  if (command == kStop) return may_stop(owns);
  return may_submit(person.standing, priority);
}

TEST(Permissions, HoldTheWholeTruthTable) {
  int cells = 0;
  for (std::size_t p = 0; p < kPeople.size(); ++p) {
    const Row& row = kTable[p];
    ASSERT_STREQ(kPeople[p].name, row.person);
    const std::array<const char*, 4> expected{row.start, row.score, row.update, row.stop};
    for (int c = kStart; c <= kStop; ++c)
      for (std::size_t k = 0; k < kPriorities.size(); ++k, ++cells)
        EXPECT_EQ(decide(static_cast<Command>(c), kPeople[p], kPriorities[k]).allowed, expected[c][k] == '+')
            << row.person << " " << kCommands[c] << " " << kPriorities[k];
  }
  EXPECT_EQ(cells, 7 * 4 * 3);
}

// Each of them submits to the account and owns the workflow that comes of it, as R10 has it.
const std::array<Person, 5> kSubmitters{{
    {"member", standing(true), true, false},
    {"account owner", standing(true, true), true, false},
    {"organization owner", standing(true, false, true), true, false},
    {"federate owner", standing(true, false, false, true), true, false},
    {"owner of another organization", standing(true, false, false, false, true), true, false},
}};

TEST(Fuzzball, R8_AnOrdinarySubmitterGivesAtMostZero) {
  EXPECT_EQ(may_submit(standing(true), -10), (Decision{true, Rule::kSubmission}));
  EXPECT_EQ(may_submit(standing(true), 0), (Decision{true, Rule::kSubmission}));
  EXPECT_EQ(may_submit(standing(true), 1), (Decision{false, Rule::kSubmission}));
}

TEST(Fuzzball, R9_AnOwnerOfTheAccountsOrganizationMayGoAboveZero) {
  EXPECT_EQ(may_submit(standing(true, false, true), 5), (Decision{true, Rule::kOwner}));
  EXPECT_EQ(may_submit(standing(false, false, true), 5), (Decision{true, Rule::kOwner}));
}

TEST(Fuzzball, R10_StartScoreAndUpdateHaveIdenticalColumns) {
  constexpr std::array<const char*, 5> kExpected{"++-", "++-", "+++", "++-", "++-"};
  for (std::size_t p = 0; p < kSubmitters.size(); ++p)
    for (std::size_t k = 0; k < kPriorities.size(); ++k)
      for (const Command command : {kStart, kScore, kUpdate})
        EXPECT_EQ(decide(command, kSubmitters[p], kPriorities[k]).allowed, kExpected[p][k] == '+')
            << kSubmitters[p].name << " " << kCommands[command] << " " << kPriorities[k];
}

TEST(Fuzzball, R11_AnAccountOwnerIsNoOrganizationOwner) {
  EXPECT_EQ(may_submit(standing(true, true), 1), (Decision{false, Rule::kAccountOwner}));
  EXPECT_EQ(may_submit(standing(true, true), 0), (Decision{true, Rule::kSubmission}));
}

TEST(Fuzzball, R18_RaisingToAtMostZeroIsAnOrdinaryOwners) {
  EXPECT_EQ(may_update(standing(true), true, -1), (Decision{true, Rule::kUpdate}));
  EXPECT_EQ(may_update(standing(true), true, 0), (Decision{true, Rule::kUpdate}));
  EXPECT_EQ(may_update(standing(true), true, 1), (Decision{false, Rule::kUpdate}));
}

TEST(Fuzzball, R19_OwningAnotherOrganizationDoesNotCount) {
  EXPECT_EQ(may_update(standing(true, false, false, false, true), true, 3), (Decision{false, Rule::kOwnOrganization}));
  EXPECT_EQ(may_update(standing(true, false, true, false, true), true, 3), (Decision{true, Rule::kOwner}));
}

TEST(Fuzzball, R20_AFederateOwnerStaysAtOrBelowZero) {
  const Standing federate = standing(true, false, false, true);
  EXPECT_EQ(may_update(federate, true, 1), (Decision{false, Rule::kFederate}));
  EXPECT_EQ(may_submit(federate, 1), (Decision{false, Rule::kFederate}));
  EXPECT_EQ(may_update(federate, true, -1), (Decision{true, Rule::kUpdate}));
  EXPECT_EQ(may_update(federate, false, -1), (Decision{false, Rule::kOwnership}));
  EXPECT_EQ(may_update(standing(true, false, true, true), true, 1), (Decision{true, Rule::kOwner}))
      << "who is both has the plain relation";
}

TEST(Fuzzball, R23_WhoeverMayStopMaySetMinusOne) {
  for (const bool member : {false, true})
    for (const bool account : {false, true})
      for (const bool organization : {false, true})
        for (const bool federate : {false, true})
          for (const bool listed : {false, true}) {
            const Standing actor = standing(member, account, organization, federate);
            const bool owns = owns_workflow(actor, listed);
            EXPECT_EQ(owns, listed || organization);
            EXPECT_EQ(may_stop(owns).allowed, may_update(actor, owns, -1).allowed);
          }
}

TEST(Fuzzball, R25_AdministratorsSetOrganizationsAndOwnersSetTheirMembers) {
  EXPECT_TRUE(may_set_organization_priority(true).allowed);
  EXPECT_FALSE(may_set_organization_priority(false).allowed);
  EXPECT_TRUE(may_set_member_priority(true).allowed);
  EXPECT_FALSE(may_set_member_priority(false).allowed);
}

TEST(Fuzzball, Q5_AnOwnerOfTheOrganizationOwnsItsWorkflowsUnlessTurnedOff) {
  const Standing owner = standing(false, false, true);
  EXPECT_TRUE(owns_workflow(owner, false));
  EXPECT_FALSE(owns_workflow(owner, false, false));
  EXPECT_TRUE(owns_workflow(owner, true, false));
  EXPECT_FALSE(owns_workflow(standing(true, true, false, true), false));
}

TEST(Fuzzball, Q9_LoweringAPositiveValueToASmallerPositiveStillTakesAnOwner) {
  EXPECT_FALSE(may_update(standing(true), true, 3).allowed) << "whatever it was before";
  EXPECT_TRUE(may_update(standing(true), true, 0).allowed);
}

TEST(Permissions, NameEveryRule) {
  ASSERT_EQ(rule_words().size(), static_cast<std::size_t>(Rule::kEntity) + 1);
  EXPECT_EQ(rule_words()[static_cast<std::size_t>(Rule::kEntity)], "R25");
  EXPECT_EQ(rule_words()[static_cast<std::size_t>(Rule::kUpdate)], "R18");
}

}  // namespace
}  // namespace headroom
