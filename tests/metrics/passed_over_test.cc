#include "sim/metrics/passed_over.h"

#include <gtest/gtest.h>

#include <random>

#include "random_run.h"
#include "sim/metrics/passed_over_wide.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

std::vector<std::int64_t> times_of(const LogBuilder& run) {
  return passed_over_times_ns(run.work, run.log, submission_ranks(run.work.submitted_at), {}).value();
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
  EXPECT_EQ(passed_over_times_ns(run.work, run.log, submission_ranks(submitted_at), {}).value(),
            (std::vector<std::int64_t>{0, 4 * kSecond}));
}

TEST(PassedOver, OfManyWideStagesIsWorkedOutOnRequestOnly) {
  LogBuilder run(4);
  run.work.demands[0].cores = 2;
  const std::vector<std::int64_t> run_times(kStagesPassedOverUnasked + 1, 1);
  run.workflow("a", 0, run_times);
  run.event(0, EventKind::kSubmitted, 0).end(1);
  const SubmissionRanks ranks = submission_ranks(run.work.submitted_at);
  Measure measure;
  EXPECT_FALSE(passed_over_times_ns(run.work, run.log, ranks, measure).has_value());
  measure.passed_over = true;
  EXPECT_TRUE(passed_over_times_ns(run.work, run.log, ranks, measure).has_value());
  run.work.demands[0].cores = 1;
  measure.passed_over.reset();
  EXPECT_TRUE(passed_over_times_ns(run.work, run.log, ranks, measure).has_value());
  measure.passed_over = false;
  EXPECT_FALSE(passed_over_times_ns(run.work, run.log, ranks, measure).has_value());
}

// On two nodes of two cores: an old stage of two cores sits on node 0, a later one of one core on each node.
TEST(PassedOver, LooksAtEachNodeApart) {
  LogBuilder run(2);
  run.work.cluster.classes[0].count = 2;
  run.work.demands = {Demand{}, {.cores = 2, .pools = {}}};
  run.job("old", 0, 9);
  run.job("wide", 1, 9);
  run.job("late", 2, 9);
  run.job("later", 2, 9);
  run.work.demand = {0, 1, 0, 0};
  run.submit(0, 0).start(0, 0).submit(1, 1).submit(2, 2).submit(2, 3).start(3, 2).start(5, 3).finish(7, 3).end(8);
  run.log.starts[0].node = NodeId{0};
  run.log.starts[1].node = NodeId{0};
  run.log.starts[2].node = NodeId{1};
  // Node 1 is free, or held by a newcomer, all the time from 1 to 8.
  EXPECT_EQ(times_of(run)[1], 7 * kSecond);
  run.log.starts[0].node = NodeId{1};  // then node 0 is
  EXPECT_EQ(times_of(run)[1], 7 * kSecond);
  run.work.demands[1].nodes = 2;  // both nodes whole: never beside the old one
  EXPECT_EQ(times_of(run)[1], 0);
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

/// Gives every stage a random demand and place. What the log says need not have been possible: it is only read.
LogBuilder with_demands(std::uint32_t seed, bool one_node) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  LogBuilder run = random_run(seed);
  NodeClass& nodes = run.work.cluster.classes[0];
  nodes.count = one_node ? 1 : 1 + below(3);
  nodes.capacity = {1 + below(6), one_node ? 0 : below(3), one_node ? 0 : below(2)};
  if (!one_node && below(2) == 0) run.work.cluster.pools = {{"license", 1 + below(2)}};
  const bool spread = below(3) == 0;
  run.work.demands.clear();
  for (StageRow row = 0; row < run.work.stages(); ++row) {
    Demand demand;
    demand.cores = 1 + below(4);
    demand.spread = spread && below(2) == 0;
    if (!one_node && !demand.spread) {
      demand.memory = below(2);
      demand.gpus = below(4) == 0 ? 1 : 0;
      demand.nodes = static_cast<std::int32_t>(1 + below(static_cast<int>(nodes.count)));
    }
    if (!run.work.cluster.pools.empty() && below(2) == 0) demand.pools = {{PoolId{0}, 1}};
    run.work.demands.push_back(demand);
    run.work.demand[row] = row;
  }
  std::uint32_t start = 0;
  for (const Event& event : run.log.events) {
    if (event.kind != EventKind::kStarted) continue;
    const Demand& demand = run.work.demands[event.subject];
    const auto first = static_cast<std::uint32_t>(below(static_cast<int>(nodes.count - demand.nodes + 1)));
    run.log.starts[start].node = {first};
    for (std::int32_t k = 1; k < demand.nodes; ++k)
      run.log.further_nodes.push_back({start, {first + static_cast<std::uint32_t>(k)}, demand.cores});
    if (demand.spread && demand.cores > 1 && nodes.count > 1)
      run.log.further_nodes.push_back({start, {(first + 1) % static_cast<std::uint32_t>(nodes.count)}, 1});
    ++start;
  }
  return run;
}

/// Second by second, every node counted afresh.
std::vector<std::int64_t> brute_force_of_nodes(const LogBuilder& run) {
  const Work& work = run.work;
  const ClusterCapacity capacity = work.cluster.capacity();
  std::vector<std::int64_t> times(work.stages(), 0);
  std::vector<std::uint32_t> start_of(work.stages(), 0);
  std::int64_t at = 0;
  const auto submitted_at = [&](StageRow row) { return work.submitted_at[work.workflow_of[row]]; };
  for (const Second& second : seconds_of(run)) {
    std::uint32_t start = 0;
    for (const Event& event : run.log.events) {
      if (event.kind != EventKind::kStarted) continue;
      if (event.at <= at_s(at)) start_of[event.subject] = start;
      ++start;
    }
    ++at;
    for (StageRow row = 0; row < times.size(); ++row) {
      if (!second.waits[row]) continue;
      ClusterCapacity free = capacity;
      for (StageRow other = 0; other < times.size(); ++other) {
        if (!second.runs[other] || submitted_at(other) > submitted_at(row)) continue;
        const Demand& demand = work.demands[work.demand[other]];
        std::int64_t further = 0;
        const auto take = [&](NodeId node, std::int64_t cores) {
          free.nodes[node.value].cores -= cores;
          free.nodes[node.value].memory -= demand.memory;
          free.nodes[node.value].gpus -= demand.gpus;
        };
        for (const NodePart& part : run.log.further_nodes) {
          if (part.start != start_of[other]) continue;
          take(part.node, part.cores);
          further += part.cores;
        }
        take(run.log.starts[start_of[other]].node, demand.spread ? demand.cores - further : demand.cores);
        for (const auto& [pool, units] : demand.pools) free.pools[pool.value] -= units;
      }
      const Demand& wanted = work.demands[work.demand[row]];
      std::int64_t fitting = 0, cores = 0;
      for (const NodeCapacity& node : free.nodes) {
        cores += node.cores;
        fitting += node.cores >= wanted.cores && node.memory >= wanted.memory && node.gpus >= wanted.gpus ? 1 : 0;
      }
      bool fits = wanted.spread ? cores >= wanted.cores : fitting >= wanted.nodes;
      for (const auto& [pool, units] : wanted.pools) fits = fits && free.pools[pool.value] >= units;
      if (fits) times[row] += kSecond;
    }
  }
  return times;
}

TEST(PassedOver, OfAnyWidthAgreesWithBruteForce) {
  std::size_t some = 0, none = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const LogBuilder run = with_demands(seed, seed % 2 == 0);
    const std::vector<std::int64_t> expected = brute_force_of_nodes(run);
    ASSERT_EQ(times_of(run), expected) << "seed " << seed;
    for (const std::int64_t time : expected) ++(time > 0 ? some : none);
  }
  EXPECT_GT(some, 4000U);
  EXPECT_GT(none, 4000U);
}

// More than one block of those who wait: a queue that grows and is served from the back.
TEST(PassedOver, OfADeepQueueOfOneBinIsThatOfTheGeneralCase) {
  std::mt19937 random(7);
  LogBuilder run(8);
  std::vector<StageRow> waits, runs;
  constexpr std::uint32_t kJobs = 600;
  for (std::uint32_t j = 0; j < kJobs; ++j) run.job("j", j / 2, 1);
  run.work.demands.clear();
  for (std::uint32_t j = 0; j < kJobs; ++j) {
    Demand demand;
    demand.cores = 1 + static_cast<std::int64_t>(random() % 8);
    run.work.demands.push_back(demand);
    run.work.demand[j] = j;
  }
  std::int64_t now = 0;
  for (std::uint32_t j = 0; j < kJobs || !runs.empty(); ++now) {
    for (std::size_t i = runs.size(); i-- > 0;) {
      if (random() % 4 != 0) continue;
      run.finish(now, runs[i]);
      runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (; j < kJobs && run.work.submitted_at[j] == at_s(now); ++j) {
      run.submit(now, j);
      waits.push_back(j);
    }
    if (!waits.empty() && runs.size() < 3) {
      const std::size_t at = random() % waits.size();
      run.start(now, waits[at]);
      runs.push_back(waits[at]);
      waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  run.end(now);
  const SubmissionRanks ranks = submission_ranks(run.work.submitted_at);
  EXPECT_EQ(passed_over_of_cores_ns(run.work, run.log, ranks, 8), passed_over_of_nodes_ns(run.work, run.log, ranks));
}

}  // namespace
}  // namespace headroom
