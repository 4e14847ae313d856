// Samples of the queue and trajectories of priorities, on the worked example of catch_up.
#include "sim/metrics/samples.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/metrics/log_builder.h"

namespace headroom {
namespace {

TEST(QueueSamples, CountWhatIsEligibleAfterEachInstant) {
  LogBuilder b(1);
  for (int i = 0; i < 3; ++i) b.job("j", 0, 10);
  b.submit(0, 0).submit(0, 1).submit(0, 2).start(0, 0).finish(10, 0).start(10, 1).finish(20, 1).start(20, 2);
  b.finish(30, 2).end();
  const QueueSamples samples = sample_queue(b.work, b.log, Duration::seconds(5));
  EXPECT_EQ(samples.length, (std::vector<std::int64_t>{2, 2, 1, 1, 0, 0, 0}));
  EXPECT_EQ(samples.at.back(), at_s(30));
}

TEST(QueueSamples, AreRefusedByTheTenMillion) {
  LogBuilder b(1);
  b.job("j", 0, 10);
  b.submit(0, 0).start(0, 0).finish(10, 0).end();
  EXPECT_THROW((void)sample_queue(b.work, b.log, Duration::nanoseconds(1)), std::runtime_error);
}

// Bulk is submitted at 0 with -10, starts at 15 h and ends at 16.5 h: the default's value is hours - 10.
TEST(PriorityTrajectory, GoesFromSubmissionToStartAndEnd) {
  const LogBuilder b = catch_up_run(true);
  const PriorityTrajectory trace = trace_priorities(b.work, b.log, *find_preset("default"), {"bulk"});
  EXPECT_EQ(trace.workflow, (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(trace.at, (std::vector<TimePoint>{at_s(0), at_s(15 * 3600), at_s(16 * 3600 + 1800)}));
  EXPECT_EQ(trace.effective_priority, (std::vector<double>{-10, 5, 6.5}));
}

TEST(PriorityTrajectory, TakesSingleWorkflowsByName) {
  const LogBuilder b = catch_up_run(true);
  const PriorityTrajectory trace = trace_priorities(b.work, b.log, *find_preset("no_aging"), {"stream[1]"});
  ASSERT_EQ(trace.at.size(), 3u);
  EXPECT_EQ(trace.at.front(), at_s(3600));
  EXPECT_EQ(trace.effective_priority, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace headroom
