#include "sim/metrics/groups.h"

#include <gtest/gtest.h>

#include "log_builder.h"

namespace headroom {
namespace {

// Workflows 0 … 4: a of ada in lab, b[0] and b[1] of ben in lab, c[0] of ada in shop, d of ben in shop.
LogBuilder five() {
  LogBuilder run(1);
  run.workflow("a", 0, {1}, -10, 0, 0);
  run.workflow("b", 1, {1}, 0, 1, 0);
  run.workflow("b", 2, {1}, 0, 1, 0);
  run.workflow("c", 3, {1}, -10, 0, 1);
  run.workflow("d", 4, {1}, 5, 1, 1);
  return run;
}

std::vector<std::vector<std::uint32_t>> parts(const Grouping& grouping) {
  std::vector<std::vector<std::uint32_t>> lists;
  for (std::size_t g = 0; g < grouping.groups.size(); ++g)
    lists.emplace_back(grouping.of(g).begin(), grouping.of(g).end());
  return lists;
}
std::vector<std::string> names(const Grouping& grouping) {
  std::vector<std::string> found;
  for (const Group& group : grouping.groups) found.push_back(group.name);
  return found;
}
using Lists = std::vector<std::vector<std::uint32_t>>;
using Names = std::vector<std::string>;
const std::vector<std::uint32_t> kAll = {0, 1, 2, 3, 4};

TEST(Cohort, IsWhatWasSubmittedInTheHalfOpenInterval) {
  const LogBuilder run = five();
  const std::vector<std::uint8_t> submitted = {1, 1, 1, 1, 0};
  Measure measure;
  EXPECT_EQ(cohort_of(run.work.submitted_at, submitted, measure), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  measure.from = Duration::seconds(1);
  measure.to = Duration::seconds(3);
  EXPECT_EQ(cohort_of(run.work.submitted_at, submitted, measure), (std::vector<std::uint32_t>{1, 2}));
}

TEST(Classes, AreTheItemsIfNoneIsGiven) {
  const LogBuilder run = five();
  const Grouping grouping = classes_of(run.work, {}, kAll);
  EXPECT_EQ(names(grouping), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(parts(grouping), (Lists{{0}, {1, 2}, {3}, {4}}));
  EXPECT_EQ(first_classes(run.work, {}), (std::vector<std::uint32_t>{0, 1, 1, 2, 3}));
}

TEST(Classes, OfItemsOutsideTheCohortAreEmpty) {
  const LogBuilder run = five();
  EXPECT_EQ(parts(classes_of(run.work, {}, std::vector<std::uint32_t>{2, 4})), (Lists{{}, {2}, {}, {4}}));
}

TEST(Classes, HoldWhoSatisfiesEveryCondition) {
  const LogBuilder run = five();
  Measure measure;
  measure.classes = {{.name = "bulk", .priority = -10, .users = {}, .accounts = {}, .items = {}},
                     {.name = "bulk of lab", .priority = -10, .users = {}, .accounts = {0}, .items = {}},
                     {.name = "ben", .priority = {}, .users = {1}, .accounts = {}, .items = {}},
                     {.name = "b or c", .priority = {}, .users = {}, .accounts = {}, .items = {"b", "c"}},
                     {.name = "nobody", .priority = 77, .users = {}, .accounts = {}, .items = {}}};
  EXPECT_EQ(parts(classes_of(run.work, measure, kAll)), (Lists{{0, 3}, {0}, {1, 2, 4}, {1, 2, 3}, {}}));
  EXPECT_EQ(first_classes(run.work, measure), (std::vector<std::uint32_t>{0, 2, 2, 0, 2}));
}

TEST(Classes, OfWhoBelongsToNoneIsNone) {
  const LogBuilder run = five();
  Measure measure;
  measure.classes = {{.name = "d", .priority = 5, .users = {}, .accounts = {}, .items = {}}};
  EXPECT_EQ(first_classes(run.work, measure).front(), 0xffffffffU);
}

TEST(Tenants, AreThoseWithWorkInTheCohort) {
  LogBuilder run = five();
  run.work.tenants.organizations.push_back({"idle", 0});
  const std::vector<std::uint32_t> cohort = {0, 1, 2};
  EXPECT_EQ(names(tenants_of(run.work, Group::Kind::kOrganization, cohort)), Names{"acme"});
  EXPECT_EQ(names(tenants_of(run.work, Group::Kind::kAccount, cohort)), Names{"lab"});
  EXPECT_EQ(names(tenants_of(run.work, Group::Kind::kUser, cohort)), (Names{"ada", "ben"}));
  EXPECT_EQ(parts(tenants_of(run.work, Group::Kind::kUser, kAll)), (Lists{{0, 3}, {1, 2, 4}}));
  EXPECT_EQ(parts(tenants_of(run.work, Group::Kind::kAccount, kAll)), (Lists{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(tenants_of(run.work, Group::Kind::kAccount, kAll).groups[1].kind, Group::Kind::kAccount);
}

}  // namespace
}  // namespace headroom
