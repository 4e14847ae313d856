#include "sim/metrics/warnings.h"

#include <gtest/gtest.h>

#include "log_builder.h"
#include "workloads/realise.h"
#include "workloads/yaml_reader.h"

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

/// Codes of the warnings of how its work was made.
std::string modelling(const std::string& text, bool uses_estimates = true) {
  const Workload workload = WorkloadDocument::parse(text, "w.yaml").read();
  TraceCache traces;
  std::string codes;
  for (const Warning& warning : modelling_warnings(workload, realise(workload, 1, 0, traces), uses_estimates))
    codes += (codes.empty() ? "" : "; ") + warning.code + " " + warning.text.substr(0, warning.text.find(':'));
  return codes;
}

TEST(Warnings, OfEstimatesThatAreMultiplesOfRunTimesComeWhereTheyMatter) {
  const std::string head = "work: [{generate: {name: g, count: 5, arrivals: {burst: {at: 0s}}, runtime: 1h, estimate: ";
  EXPECT_EQ(modelling(head + "{factor: 2}}}]\n"), "W06 estimates are modelled as multiples of the run time");
  EXPECT_EQ(modelling(head + "{factor: 2}}}]\n", false), "");
  EXPECT_EQ(modelling(head + "exact}}]\n"), "");
  EXPECT_EQ(modelling(head + "{factor: 2}, enabled: false}}]\n"), "");
}

TEST(Warnings, OfAUserWithMoreThanHalfNameTheUser) {
  const auto of = [](int ada, int ben, const std::string& runtime) {
    return modelling(
        "cluster: {slots: 8}\ntenants:\n  users: {ada: {}, ben: {}}\n"
        "  organizations: [{organization: o, accounts: [{account: a, users: [ada, ben]}]}]\nwork:\n"
        "  - generate: {name: g, user: ada, count: " +
        std::to_string(ada) +
        ", arrivals: {burst: {at: 0s}}, runtime: 1h}\n  - generate: {name: h, user: ben, count: " +
        std::to_string(ben) + ", arrivals: {burst: {at: 0s}}, runtime: " + runtime + "}\n");
  };
  EXPECT_EQ(of(3, 3, "1h"), "");
  EXPECT_EQ(of(3, 1, "3h"), "W07 user 'ada' has 75 % of the jobs and 50 % of the work");
  EXPECT_EQ(of(3, 3, "3h"), "W07 user 'ben' has 50 % of the jobs and 75 % of the work");
  EXPECT_EQ(modelling("work: [{generate: {name: g, count: 3, arrivals: {burst: {at: 0s}}, runtime: 1h}}]\n"), "")
      << "there is one user: whom else should it be about?";
}

}  // namespace
}  // namespace headroom
