#include "sim/metrics/passed_over.h"

#include <gtest/gtest.h>

#include "random_run.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

std::vector<std::int64_t> times_of(const LogBuilder& run) {
  return passed_over_times_ns(run.work, run.log, run.work.submitted_at).value();
}

// shared/workloads/expected.md, catch_up.yaml: 13.5 h for bulk, nothing for any stream job.
TEST(PassedOver, OfBulkWithAgingIsThirteenAndAHalfHours) {
  const std::vector<std::int64_t> times = times_of(catch_up_run(true));
  EXPECT_EQ(times.front(), 27 * kHour / 2);
  for (std::size_t w = 1; w < times.size(); ++w) EXPECT_EQ(times[w], 0) << w;
}

// The same page: 58.5 h without aging.
TEST(PassedOver, OfBulkWithoutAgingIsAllButTheFirstJob) {
  const std::vector<std::int64_t> times = times_of(catch_up_run(false));
  EXPECT_EQ(times.front(), 117 * kHour / 2);
  for (std::size_t w = 1; w < times.size(); ++w) EXPECT_EQ(times[w], 0) << w;
}

TEST(PassedOver, AFreeSlotPassesOverEverybodyWhoWaits) {
  LogBuilder run(2);
  run.job("a", 0, 5);
  run.job("b", 0, 1);
  run.submit(0, 0).submit(0, 1).start(0, 0).start(3, 1).finish(4, 1).finish(5, 0).end();
  EXPECT_EQ(times_of(run), (std::vector<std::int64_t>{0, 3 * kSecond}));
}

TEST(PassedOver, EqualSubmissionTimesAreNotLater) {
  LogBuilder run(1);
  run.job("a", 0, 5);
  run.job("b", 0, 1);
  run.submit(0, 0).submit(0, 1).start(0, 0).finish(5, 0).start(5, 1).finish(6, 1).end();
  EXPECT_EQ(times_of(run), (std::vector<std::int64_t>{0, 0}));
}

TEST(PassedOver, WhatStillWaitsCountsUpToTheEnd) {
  LogBuilder run(1);
  run.job("a", 0, 1);
  run.job("b", 2, 50);
  run.submit(0, 0).submit(2, 1).start(2, 1).end(9);
  EXPECT_EQ(times_of(run), (std::vector<std::int64_t>{9 * kSecond, 0}));
}

// A slot that changes hands within an instant was never free.
TEST(PassedOver, TakesAllEventsOfAnInstantTogether) {
  LogBuilder run(1);
  run.job("a", 0, 4);
  run.job("b", 1, 4);
  run.job("c", 2, 4);
  run.submit(0, 0).start(0, 0).submit(1, 1).submit(2, 2);
  run.finish(4, 0).start(4, 2).finish(8, 2).start(8, 1).finish(12, 1).end();
  EXPECT_EQ(times_of(run), (std::vector<std::int64_t>{0, 4 * kSecond, 0}));
}

TEST(PassedOver, UsesTheSubmissionsOfTheRun) {
  LogBuilder run(1);
  run.job("a", 0, 4);  // submitted at 0 by the work, at 5 by the run: later than b
  run.job("b", 1, 4);
  run.submit(5, 0).submit(5, 1).start(5, 0).finish(9, 0).start(9, 1).finish(13, 1).end();
  const std::vector<TimePoint> submitted_at = {at_s(5), at_s(1)};
  EXPECT_EQ(passed_over_times_ns(run.work, run.log, submitted_at).value(), (std::vector<std::int64_t>{0, 4 * kSecond}));
}

TEST(PassedOver, IsForOneSlotStagesOnly) {
  const auto with = [](const Demand& demand) {
    LogBuilder run(4);
    run.job("a", 0, 1);
    run.work.demands.push_back(demand);
    run.submit(0, 0).end(1);
    return passed_over_times_ns(run.work, run.log, run.work.submitted_at).has_value();
  };
  EXPECT_TRUE(with({}));
  EXPECT_FALSE(with({.cores = 2, .pools = {}}));
  EXPECT_FALSE(with({.memory = 1, .pools = {}}));
  EXPECT_FALSE(with({.gpus = 1, .pools = {}}));
  EXPECT_FALSE(with({.nodes = 2, .pools = {}}));
  EXPECT_FALSE(with({.pools = {{PoolId{0}, 1}}}));
}

std::vector<std::int64_t> brute_force(const LogBuilder& run, std::int64_t slots) {
  std::vector<std::int64_t> times(run.work.stages(), 0);
  const auto submitted_at = [&](StageRow row) { return run.work.submitted_at[run.work.workflow_of[row]]; };
  for (const Second& second : seconds_of(run)) {
    for (StageRow row = 0; row < times.size(); ++row) {
      if (!second.waits[row]) continue;
      std::int64_t free_of_later = slots;
      for (StageRow other = 0; other < times.size(); ++other)
        if (second.runs[other] && submitted_at(other) <= submitted_at(row)) --free_of_later;
      if (free_of_later >= 1) times[row] += kSecond;
    }
  }
  return times;
}

TEST(PassedOver, AgreesWithBruteForce) {
  std::size_t some = 0, none = 0;
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    const LogBuilder run = random_run(seed);
    const std::vector<std::int64_t> expected = brute_force(run, run.work.cluster.classes[0].capacity.cores);
    ASSERT_EQ(times_of(run), expected) << "seed " << seed;
    for (const std::int64_t time : expected) ++(time > 0 ? some : none);
  }
  EXPECT_GT(some, 5000U);
  EXPECT_GT(none, 5000U);
}

}  // namespace
}  // namespace headroom
