#include "sim/metrics/overtakes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_run.h"

namespace headroom {
namespace {

Overtakes of(const LogBuilder& run, bool with_stages = true) {
  return overtakes(run.work, run.log, submission_ranks(run.work.submitted_at), with_stages);
}

// shared/workloads/catch_up.yaml: stream[0] … stream[9] go before bulk; all but stream[0] are submitted after it, and
// each of those nine takes its slot for 90 minutes inside bulk's wait of 15 hours.
TEST(Overtakes, OfBulkAreTheNineStreamJobsSubmittedAfterIt) {
  const Overtakes found = of(catch_up_run(true));
  EXPECT_EQ(found.count[0], 9U);
  EXPECT_EQ(found.work_core_s[0], 9 * 5400);
  EXPECT_EQ(found.stage_count[0], 9U);
  EXPECT_TRUE(std::all_of(found.count.begin() + 1, found.count.end(), [](std::uint32_t n) { return n == 0; }));
}

TEST(Overtakes, WhatRunsOnAfterTheWaitCountsUpToItsEnd) {
  LogBuilder run(3);
  run.work.demands[0].cores = 2;
  run.job("a", 0, 5);
  run.job("b", 1, 9);
  run.submit(0, 0).submit(1, 1).start(2, 1).start(4, 0).finish(9, 0).finish(11, 1).end();
  const Overtakes found = of(run, false);
  EXPECT_EQ(found.count, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(found.work_core_s, (std::vector<double>{4, 0}));
  EXPECT_TRUE(found.stage_count.empty());
}

TEST(Overtakes, OfWhatNeverStartsGoOnToTheEnd) {
  LogBuilder run(1);
  run.job("a", 0, 5);
  run.job("b", 1, 2);
  run.submit(0, 0).submit(1, 1).start(1, 1).finish(3, 1).end(7);
  EXPECT_EQ(of(run).count[0], 1U);
  EXPECT_EQ(of(run).work_core_s[0], 2);
}

/// From the definition: every pair of a workflow and a first start.
Overtakes brute_force(const LogBuilder& run) {
  const Work& work = run.work;
  const auto& events = run.log.events;
  Overtakes out;
  out.count.resize(work.workflows());
  out.work_core_s.resize(work.workflows());
  out.stage_count.resize(work.stages());
  struct First {
    std::size_t at;
    StageRow row;
    TimePoint begin, end;
  };
  std::vector<First> firsts;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != EventKind::kStarted) continue;
    if (std::any_of(firsts.begin(), firsts.end(), [&](const First& f) { return f.row == events[i].subject; })) continue;
    First first{i, events[i].subject, events[i].at, run.log.end};
    for (std::size_t j = i + 1; j < events.size(); ++j) {
      const bool ends = events[j].kind == EventKind::kFinished || events[j].kind == EventKind::kFailed ||
                        events[j].kind == EventKind::kTimedOut;
      if (ends && events[j].subject == first.row) {
        first.end = events[j].at;
        break;
      }
    }
    firsts.push_back(first);
  }
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    std::size_t until = events.size();
    TimePoint end = run.log.end;
    bool submitted = false, over = true;
    for (const Event& event : events)
      submitted = submitted || (event.kind == EventKind::kSubmitted && event.subject == w);
    for (StageRow row = work.first_stage[w]; row < work.first_stage[w + 1]; ++row) {
      over = over && std::any_of(events.begin(), events.end(),
                                 [&](const Event& e) { return e.kind == EventKind::kCanceled && e.subject == row; });
      for (const First& first : firsts)
        if (first.row == row && first.at < until) {
          until = first.at;
          end = first.begin;
        }
    }
    if (!submitted || (over && until == events.size())) continue;
    for (const First& first : firsts) {
      if (first.at >= until || work.submitted_at[work.workflow_of[first.row]] <= work.submitted_at[w]) continue;
      ++out.count[w];
      out.work_core_s[w] += (std::min(first.end, end) - first.begin).in_seconds();
    }
  }
  for (StageRow row = 0; row < work.stages(); ++row) {
    bool waits = false;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      const bool of_stage = event.kind != EventKind::kSubmitted && event.subject == row;
      if (of_stage) waits = event.kind == EventKind::kEligible || (event.kind == EventKind::kDeclared && event.at_once);
      const bool first = std::any_of(firsts.begin(), firsts.end(), [&](const First& f) { return f.at == i; });
      if (waits && first &&
          work.submitted_at[work.workflow_of[event.subject]] > work.submitted_at[work.workflow_of[row]])
        ++out.stage_count[row];
    }
  }
  return out;
}

TEST(Overtakes, AgreeWithBruteForce) {
  std::size_t some = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const LogBuilder run = random_run(seed);
    const Overtakes expected = brute_force(run);
    const Overtakes found = of(run);
    ASSERT_EQ(found.count, expected.count) << "seed " << seed;
    ASSERT_EQ(found.work_core_s, expected.work_core_s) << "seed " << seed;
    ASSERT_EQ(found.stage_count, expected.stage_count) << "seed " << seed;
    const Overtakes of_workflows = of(run, false);
    ASSERT_EQ(of_workflows.count, expected.count) << "seed " << seed;
    ASSERT_EQ(of_workflows.work_core_s, expected.work_core_s) << "seed " << seed;
    some += std::any_of(expected.count.begin(), expected.count.end(), [](std::uint32_t n) { return n > 0; }) ? 1 : 0;
  }
  EXPECT_GT(some, 1000U);
}

}  // namespace
}  // namespace headroom
