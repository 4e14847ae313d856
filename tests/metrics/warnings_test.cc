#include "sim/metrics/warnings.h"

#include <gtest/gtest.h>

#include "log_builder.h"

namespace headroom {
namespace {

using Cause = Stall::Cause;

LogBuilder stalled() {
  LogBuilder run(1);
  run.workflow("build", 0, {1, 1, 1});
  run.work.items[0].stage_names = {"plan", "use", "cc[0]"};
  run.work.missing = {"a.json"};
  run.submit(0, 0).end(1);
  run.log.status = RunStatus::kStalled;
  return run;
}

TEST(Warnings, SayWhyAStageCanNeverStart) {
  const LogBuilder run = stalled();
  const auto text = [&](const Stall& stall) { return stall_text(run.work, stall); };
  EXPECT_EQ(text({1, Cause::kMissing, 0}), "stage 'use' of 'build' waits for 'a.json', which nobody provides");
  EXPECT_EQ(text({1, Cause::kTooLarge, 0}), "stage 'use' of 'build' asks for more than the cluster has");
  EXPECT_EQ(text({1, Cause::kWaitsFor, 2}), "stage 'use' of 'build' waits for 'cc[0]' of 'build'");
  EXPECT_EQ(text({1, Cause::kUndeclared, 2}),
            "stage 'use' of 'build' waits for 'cc[0]' of 'build', which was never declared");
  EXPECT_EQ(text({1, Cause::kHeld, 0}), "stage 'use' of 'build' is held by 'plan' of 'build'");
}

TEST(Warnings, AStalledRunHasOneThatCountsAllOfItsStages) {
  LogBuilder run = stalled();
  run.log.stalls = {{1, Cause::kMissing, 0}, {2, Cause::kWaitsFor, 1}};
  run.log.stalled_stages = 5;
  const std::vector<Warning> warnings = warnings_of(run.work, run.log, RunReport{});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "stalled");
  EXPECT_EQ(
      warnings[0].text,
      "5 stages wait and can never start: stage 'use' of 'build' waits for 'a.json', which nobody provides; stage "
      "'cc[0]' of 'build' waits for 'use' of 'build'; and 3 more");
}

TEST(Warnings, AFinishedRunHasNone) {
  LogBuilder run = stalled();
  run.log.status = RunStatus::kFinished;
  EXPECT_TRUE(warnings_of(run.work, run.log, RunReport{}).empty());
}

}  // namespace
}  // namespace headroom
