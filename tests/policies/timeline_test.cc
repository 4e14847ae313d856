// The step function of free capacity against an array with one entry per instant.
#include "policies/timeline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace headroom {
namespace {

constexpr std::int64_t kHorizon = 40;  // from here on nothing changes

/// Free cores at each instant; the last one lasts for ever.
using ByInstant = std::array<std::int64_t, kHorizon + 1>;

TimePoint slow_earliest(const ByInstant& free, std::int64_t from, std::int64_t length, std::int64_t cores) {
  for (std::int64_t start = from; start <= kHorizon; ++start) {
    bool fits = true;
    for (std::int64_t t = start; t < start + length; ++t)
      fits = fits && free[static_cast<std::size_t>(std::min(t, kHorizon))] >= cores;
    if (fits) return {start};
  }
  return TimePoint::never();
}

RC_GTEST_PROP(Outlook, ATimelineIsAnArrayOfInstants, ()) {
  const auto draw = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange<std::int64_t>(low, high + 1); };
  Timeline timeline;
  ByInstant free{};
  const std::int64_t at_first = draw(0, 6);
  timeline.reset({0}, {at_first, 0, 0});
  free.fill(at_first);
  for (std::int64_t i = draw(0, 8); i > 0; --i) {
    const std::int64_t from = draw(0, kHorizon), cores = draw(1, 4);
    if (draw(0, 1) == 0) {
      timeline.give_back({from}, {cores, 0, 0});
      for (std::int64_t t = from; t <= kHorizon; ++t) free[static_cast<std::size_t>(t)] += cores;
      continue;
    }
    const std::int64_t length = draw(1, 12);
    const TimePoint start = slow_earliest(free, from, length, cores);
    RC_ASSERT(timeline.earliest({from}, {length}, {cores, 0, 0}) == start);
    if (start.is_never() || start.ns + length > kHorizon) continue;
    timeline.take(start, start + Duration{length}, {cores, 0, 0});
    for (std::int64_t t = start.ns; t < start.ns + length; ++t) free[static_cast<std::size_t>(t)] -= cores;
  }
  const std::int64_t from = draw(0, kHorizon), length = draw(1, 12), cores = draw(0, 9);
  RC_ASSERT(timeline.covers_during({from}, {length}, {cores, 0, 0}) ==
            (slow_earliest(free, from, length, cores) == TimePoint{from}));
  std::int64_t least = INT64_MAX;
  for (std::int64_t t = from; t < from + length; ++t)
    least = std::min(least, free[static_cast<std::size_t>(std::min(t, kHorizon))]);
  RC_ASSERT(timeline.least({from}, {length}).cores == least);
  RC_ASSERT(timeline.at({from}).cores == free[static_cast<std::size_t>(from)]);
}

TEST(Timeline, WhatNeverEndsNeedsRoomForEver) {
  Timeline timeline;
  timeline.reset({0}, {4, 0, 0});
  timeline.take({5}, {7}, {3, 0, 0});
  EXPECT_EQ(timeline.earliest({0}, Duration::infinite(), {2, 0, 0}), TimePoint{7});
  timeline.take({7}, TimePoint::never(), {2, 0, 0});
  EXPECT_EQ(timeline.earliest({0}, Duration::infinite(), {3, 0, 0}), TimePoint::never());
  EXPECT_EQ(timeline.next_change({7}), TimePoint::never());
}

}  // namespace
}  // namespace headroom
