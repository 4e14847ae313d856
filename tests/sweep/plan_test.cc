#include <gtest/gtest.h>

#include "sim/sweep/facts.h"
#include "sim/sweep/study.h"
#include "tests/sweep/studies.h"

namespace headroom {
namespace {

using testing::kHoldVsRace;
using testing::kRandom;
using testing::request_of;

std::string message_of(StudyRequest request) {
  try {
    (void)plan_study(std::move(request));
  } catch (const InputError& error) {
    std::string text;
    for (const Diagnostic& diagnostic : error.diagnostics()) text += to_string(diagnostic);
    return text;
  }
  return "no error";
}

TEST(PlanStudy, NumbersPointsThenPoliciesThenReplications) {
  StudyRequest request = request_of(kRandom);
  request.replications = 3;
  const Study study = plan_study(std::move(request));
  ASSERT_EQ(study.axes.size(), 2U);
  ASSERT_EQ(study.points.size(), 4U);
  ASSERT_EQ(study.policies.size(), 2U);
  ASSERT_EQ(study.runs.size(), 24U);
  for (std::uint64_t run = 0; run < 24; ++run) {
    const RunSpec& spec = study.runs[run];
    EXPECT_EQ(spec.run, run);
    EXPECT_EQ(run, (spec.point * 2 + spec.policy) * 3 + spec.replication);
  }
  // The last axis is the fastest.
  using Point = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(study.point(study.runs[6]), (Point{{"params.slots", "1"}, {"params.mean", "90s"}}));
  EXPECT_EQ(study.point(study.runs[12]), (Point{{"params.slots", "2"}, {"params.mean", "60s"}}));
  EXPECT_TRUE(study.random);
}

TEST(PlanStudy, ReadsEachPointWithItsValues) {
  const Study study = plan_study(request_of(kHoldVsRace));
  ASSERT_EQ(study.points.size(), 4U);
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(study.points[p].cluster.capacity().nodes.at(0).cores, static_cast<std::int64_t>(p) + 2);
  }
  EXPECT_FALSE(study.random);
}

TEST(PlanStudy, RefusesReplicationsOfWhatIsNotRandom) {
  StudyRequest request = request_of(kHoldVsRace);
  request.replications = 2;
  EXPECT_NE(message_of(std::move(request)).find("nothing in this workload is random"), std::string::npos);
}

TEST(PlanStudy, TakesAPolicyForEachValueOfItsParams) {
  StudyRequest request = request_of(kHoldVsRace);
  request.policies = {"{policy: capped_aging, cap: [24, 84]}", "race"};
  const Study study = plan_study(std::move(request));
  ASSERT_EQ(study.policies.size(), 3U);
  EXPECT_EQ(study.policies[1].name, "capped_aging:cap=84");
  EXPECT_EQ(study.runs.size(), 12U);
}

TEST(PlanStudy, RefusesAPrimaryMetricThatThereIsNot) {
  const std::string text = "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n";
  EXPECT_EQ(message_of(request_of(text + "compare: {primary: wait_tim_mean}\n")),
            "somewhere/sample.yaml: compare.primary: there is no metric called 'wait_tim_mean'; did you mean "
            "'wait_time_mean'?\n");
  EXPECT_EQ(
      message_of(request_of(text + "compare: {primary: makespan(a)}\n")),
      "somewhere/sample.yaml: compare.primary: 'makespan' is a metric of a whole run, not of a class or tenant\n");
}

TEST(PlanStudy, RefusesASweepThatWouldReachIntoAPolicy) {
  const std::string text =
      "params: {cap: 24}\nwork: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n"
      "policies: [{policy: gentle, params: {cap: $cap}, priority: 'min(1, cap)'}, fcfs]\n"
      "sweep: {vary: {params.cap: [24, 30]}}\n";
  EXPECT_EQ(message_of(request_of(text)),
            "somewhere/sample.yaml: the sweep changes the policy 'gentle'; sweep its param there instead: {policy: "
            "gentle, PARAM: "
            "[VALUE, VALUE]}\n");
  StudyRequest others = request_of(text);
  others.policies = {"fcfs"};
  EXPECT_EQ(message_of(std::move(others)), "no error");
}

TEST(PlanStudy, TakesARandomTieForRandom) {
  StudyRequest request = request_of(kHoldVsRace);
  request.policies = {"random"};
  request.replications = 2;
  EXPECT_TRUE(plan_study(std::move(request)).random);
}

TEST(PlanStudy, RefusesReplicationsBelowOne) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-3}}) {
    StudyRequest request = request_of(kRandom);
    request.replications = n;
    EXPECT_NE(message_of(std::move(request)).find("at least 1"), std::string::npos) << n;
  }
}

TEST(PlanStudy, RefusesToSetWhatIsSwept) {
  StudyRequest request = request_of(kHoldVsRace);
  request.sets = {{"params.slots", "4", "--set"}};
  EXPECT_NE(message_of(std::move(request)).find("--set params.slots=4: the file's sweep varies 'params.slots'"),
            std::string::npos);
}

TEST(PlanStudy, RefusesTheSamePolicyTwice) {
  StudyRequest request = request_of(kHoldVsRace);
  request.policies = {"default", "race", "default"};
  EXPECT_NE(message_of(std::move(request)).find("policy 'default' is named twice"), std::string::npos);
}

TEST(PlanStudy, NamesTheNearestPolicy) {
  StudyRequest request = request_of(kHoldVsRace);
  request.policies = {"defualt"};
  EXPECT_NE(message_of(std::move(request)).find("did you mean 'default'"), std::string::npos);
}

TEST(PlanStudy, RefusesMoreRunsThanAnyoneCanWant) {
  StudyRequest request = request_of(kRandom);
  request.replications = std::int64_t{1} << 62;
  EXPECT_NE(message_of(std::move(request)).find("more than 1000000 runs"), std::string::npos);
}

TEST(PlanStudy, ReportsAnErrorOfSeveralPointsOnce) {
  const std::string text =
      message_of(request_of("params: {slots: 3, late: 0s}\n"
                            "cluster: {slots: $slots}\n"
                            "work: [{workflow: a, at: $late, stages: [{name: s, runtime: 1s, slots: 3}]}]\n"
                            "sweep: {vary: {params.slots: [2], params.late: [1s, 2s, 3s]}}\n"));
  const std::string error = "stage 's' needs 3 slots but no node has more than 2";
  const std::size_t first = text.find(error);
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find(error, first + 1), std::string::npos) << text;
}

TEST(ConfigHash, ChangesWithAllThatDecidesTheResults) {
  const auto hash = [](auto change) {
    StudyRequest request = request_of(kRandom);
    change(request);
    return plan_study(std::move(request)).config_hash;
  };
  const std::string plain = hash([](StudyRequest&) {});
  EXPECT_EQ(plain, hash([](StudyRequest&) {}));
  EXPECT_NE(plain, hash([](StudyRequest& r) { r.seed = 2; }));
  EXPECT_NE(plain, hash([](StudyRequest& r) { r.replications = 2; }));
  EXPECT_NE(plain, hash([](StudyRequest& r) { r.policies = {"default"}; }));
  EXPECT_NE(plain, hash([](StudyRequest& r) { r.sets = {{"scheduler.tick", "1s", "--set"}}; }));
}

TEST(Inputs, AreSeenFromTheWorkloadsFolder) {
  const Study study = plan_study(request_of(kHoldVsRace));
  const std::vector<InputFile> inputs = hash_inputs(study);
  ASSERT_EQ(inputs.size(), 1U);
  EXPECT_EQ(inputs[0].path, "sample.yaml");
  EXPECT_EQ(inputs[0].bytes, std::string(kHoldVsRace).size());
}

}  // namespace
}  // namespace headroom
