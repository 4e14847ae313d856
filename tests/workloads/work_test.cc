#include "workloads/work.h"

#include <gtest/gtest.h>

#include <set>

#include "workloads/draw.h"

namespace headroom {
namespace {

/// Two items of one workflow with two stages each; all stages fail as `failing` says.
Work two_items(const Failing& failing) {
  Work work;
  for (const char* name : {"a", "b"}) {
    Work::Item item;
    item.name = name;
    item.first_workflow = static_cast<std::uint32_t>(work.workflows());
    item.workflows = 1;
    item.stage_names = {"one", "two[0]"};
    work.items.push_back(item);
    work.item.push_back(static_cast<std::uint32_t>(work.items.size() - 1));
    work.submitted_at.emplace_back();
    work.first_stage.push_back(static_cast<StageRow>(work.stages()));
    for (int i = 0; i < 2; ++i) {
      work.workflow_of.push_back(item.first_workflow);
      work.run_time.emplace_back();
      work.failing.push_back(0);
    }
  }
  work.first_stage.push_back(4);
  work.failings = {failing};
  return work;
}

TEST(Work, NamesStagesOfTheirOwnWorkflow) {
  const Work work = two_items({});
  EXPECT_EQ(work.workflow_name(1), "b");
  EXPECT_EQ(work.stage_name(0), "one");
  EXPECT_EQ(work.stage_name(3), "two[0]");
}

TEST(Work, FailsNeverAlwaysOrTheFirstTries) {
  EXPECT_FALSE(two_items({}).fails(0, 0));
  EXPECT_TRUE(two_items({Failing::Kind::kAlways, 0, 0}).fails(0, 7));
  const Work twice = two_items({Failing::Kind::kFirst, 2, 0});
  EXPECT_TRUE(twice.fails(1, 0));
  EXPECT_TRUE(twice.fails(1, 1));
  EXPECT_FALSE(twice.fails(1, 2));
  Work none = two_items({Failing::Kind::kAlways, 0, 0});
  none.failing.clear();
  EXPECT_FALSE(none.fails(0, 0));
}

// 4 x 10 000 tries of probability 0.3: 12 000 fail, with a standard deviation of 91.7.
TEST(Work, FailsWithTheGivenProbabilityOnEachTry) {
  const Work work = two_items({Failing::Kind::kProbability, 0, 0.3L});
  int failed = 0;
  for (StageRow row = 0; row < 4; ++row) {
    for (std::uint32_t attempt = 0; attempt < 10'000; ++attempt) failed += work.fails(row, attempt) ? 1 : 0;
  }
  EXPECT_NEAR(failed, 12'000, 4 * 92);
  EXPECT_TRUE(two_items({Failing::Kind::kProbability, 0, 1}).fails(0, 0));
  EXPECT_FALSE(two_items({Failing::Kind::kProbability, 0, 0}).fails(0, 0));
}

TEST(Work, DrawsTiesAndFailuresByPlaceInTheItem) {
  const Work work = two_items({Failing::Kind::kProbability, 0, 0.5L});
  EXPECT_EQ(work.tie_draw(3), Draws(1, 0, "b").bits(0, 1, 0, Attribute::kTie));
  EXPECT_EQ(work.fails(3, 5), Draws(1, 0, "b").uniform(0, 1, 5, Attribute::kFailure) < 0.5L);
  std::set<std::uint64_t> ties;
  for (StageRow row = 0; row < 4; ++row) ties.insert(work.tie_draw(row));
  EXPECT_EQ(ties.size(), 4U);
}

}  // namespace
}  // namespace headroom
