// Priority expressions in policy files, workload files and on the command line: what is read, and where an error
// points.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "workloads/diagnostics.h"
#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

/// All that is shown of what is wrong with a policy; "" if nothing is.
std::string complaint(const std::string& policy) {
  try {
    static_cast<void>(read_policies(policy));
  } catch (const InputError& error) {
    std::string all;
    for (const Diagnostic& diagnostic : error.diagnostics()) all += to_string(diagnostic);
    return all;
  }
  return "";
}

TEST(PriorityPolicy, IsReadWithItsParameters) {
  const Policy policy = read_policy(
      "{policy: gentle, params: {cap: 84, rate: 0.5}, priority: \"min((now() - workflow.create_time).Hours() * rate, "
      "cap) + "
      "workflow.priority\", ties: [declaration]}");
  EXPECT_EQ(policy.priority, Priority::kExpression);
  EXPECT_EQ(policy.expression, "min((now() - workflow.create_time).Hours() * rate, cap) + workflow.priority");
  EXPECT_EQ(policy.params, (std::vector<expr::Param>{{"cap", "84"}, {"rate", "0.5"}}));
}

TEST(PriorityPolicy, TheDefaultsExpressionIsTheDefaultsPriority) {
  const Policy policy = read_policy(
      "{policy: w2, priority: \"(now() - workflow.create_time).Hours() + organization.priority + account.priority + "
      "user.priority + workflow.priority\"}");
  EXPECT_EQ(policy.priority, Priority::kFuzzball);
  EXPECT_EQ(policy.expression, "");
}

TEST(PriorityPolicy, OnTheCommandLineIsDefaultWithAnotherExpression) {
  const Policy policy = read_policy("expr:workflow.priority * 2");
  EXPECT_EQ(policy.name, "expr:workflow.priority * 2");
  EXPECT_EQ(policy.expression, "workflow.priority * 2");
  EXPECT_EQ(policy.ties, find_preset("default")->ties);
}

TEST(PriorityPolicy, AnErrorPointsIntoTheFile) {
  EXPECT_EQ(complaint("{policy: p, priority: \"1 + workflw.priority\"}"),
            "policy:1:28: the priority: unknown name 'workflw'; did you mean 'workflow'?\n"
            "    1 | {policy: p, priority: \"1 + workflw.priority\"}\n"
            "      |                            ^^^^^^^^^^^^^^^^^\n");
  EXPECT_EQ(complaint("{policy: p, priority: workflow.prioritty}"),
            "policy:1:32: the priority: 'workflow' has no field 'prioritty'; did you mean 'priority'?\n"
            "    1 | {policy: p, priority: workflow.prioritty}\n"
            "      |                                ^^^^^^^^^\n");
}

TEST(PriorityPolicy, RefusesWhatIsNoNumber) {
  EXPECT_NE(complaint("{policy: p, priority: \"now() - workflow.create_time\"}")
                .find("a priority is a number, and this is duration"),
            std::string::npos);
  EXPECT_NE(complaint("expr:1 +").find("the expression ends too early"), std::string::npos);
}

TEST(PriorityPolicy, RefusesParametersThatMeanNothing) {
  EXPECT_NE(complaint("{policy: p, params: {cap: 3}}").find("params without a priority expression"), std::string::npos);
  EXPECT_NE(complaint("{policy: p, params: {now: 3}, priority: '1'}")
                .find("'now' is no name that an expression can give a meaning to"),
            std::string::npos);
  EXPECT_NE(complaint("{policy: p, params: {cap: abc}, priority: cap}").find("params.cap: expected a number"),
            std::string::npos);
}

// ---- a policy for each value of its params

std::vector<std::string> names_of(const std::vector<Policy>& policies) {
  std::vector<std::string> names;
  for (const Policy& policy : policies) names.push_back(policy.name);
  return names;
}

std::vector<Policy> listed(const std::string& policies) {
  const std::string text = "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\npolicies: " + policies + "\n";
  return WorkloadDocument::parse(text, "w.yaml").read().policies;
}

std::string listed_complaint(const std::string& policies) {
  try {
    static_cast<void>(listed(policies));
  } catch (const InputError& error) {
    std::string all;
    for (const Diagnostic& diagnostic : error.diagnostics()) all += to_string(diagnostic);
    return all;
  }
  return "";
}

const std::string kGentle = "{policy: gentle, params: {cap: 84, rate: 2}, ties: [longest], priority: 'min(rate, cap)'}";

TEST(PolicyParams, OfAPresetAreChosenAnew) {
  const std::vector<Policy> policies = read_policies("{policy: capped_aging, cap: [24, 84.5]}");
  EXPECT_EQ(names_of(policies), (std::vector<std::string>{"capped_aging:cap=24", "capped_aging:cap=84.5"}));
  Policy expected = *find_preset("capped_aging");
  expected.name = "capped_aging:cap=84.5";
  expected.params = {{"cap", "84.5"}};
  EXPECT_EQ(policies.at(1), expected);
  EXPECT_EQ(read_policy("{policy: capped_aging, cap: 48}").name, "capped_aging:cap=48");
}

TEST(PolicyParams, OfAPolicyBesideItAreChosenAnew) {
  const std::vector<Policy> policies = listed("[{policy: gentle, cap: [24, 48]}, default, " + kGentle + "]");
  EXPECT_EQ(names_of(policies), (std::vector<std::string>{"gentle:cap=24", "gentle:cap=48", "default", "gentle"}));
  EXPECT_EQ(policies.at(1).params, (std::vector<expr::Param>{{"cap", "48"}, {"rate", "2"}}));
  EXPECT_EQ(policies.at(1).ties, std::vector<Tie>{Tie::kLongest});
}

TEST(PolicyParams, OfAFileAreChosenAnew) {
  const std::string path = testing::TempDir() + "/gentle_params.yaml";
  std::ofstream(path) << "policy: gentle\nparams: {cap: 84}\npriority: min(1, cap)\n";
  EXPECT_EQ(names_of(listed("[{policy: " + path + ", cap: [1, 2]}]")),
            (std::vector<std::string>{"gentle:cap=1", "gentle:cap=2"}));
}

TEST(PolicyParams, WithSeveralValuesMakeEveryCombinationTheLastFastest) {
  const std::vector<Policy> policies =
      listed("[{policy: g, params: {cap: [1, 2], x: 5, rate: [3, 4]}, priority: cap + x + rate}]");
  EXPECT_EQ(names_of(policies),
            (std::vector<std::string>{"g:cap=1:rate=3", "g:cap=1:rate=4", "g:cap=2:rate=3", "g:cap=2:rate=4"}));
  EXPECT_EQ(policies.at(2).params, (std::vector<expr::Param>{{"cap", "2"}, {"x", "5"}, {"rate", "3"}}));
}

TEST(PolicyParams, WithSeveralValuesAreSeveralPolicies) {
  EXPECT_NE(complaint("{policy: capped_aging, cap: [24, 24]}").find("the value '24' is there twice"),
            std::string::npos);
  EXPECT_NE(complaint("{policy: capped_aging, cap: []}").find("a number or a list of numbers"), std::string::npos);
  EXPECT_NE(listed_complaint("[{policy: capped_aging, cap: 24}, {policy: capped_aging, cap: [24, 48]}]")
                .find("the policy 'capped_aging:cap=24' is there twice"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(read_policy("{policy: capped_aging, cap: [24, 84]}")), InputError);
  std::string many;
  for (int i = 0; i < 32; ++i) many += (i == 0 ? "" : ", ") + std::to_string(i);
  EXPECT_NE(complaint("{policy: g, params: {a: [" + many + "], b: [" + many + "]}, priority: a + b}")
                .find("make more than 1000 policies"),
            std::string::npos);
}

TEST(PolicyParams, ThatThereAreNotAreReportedWithTheNearest) {
  EXPECT_EQ(listed_complaint("[{policy: capped_aging, capp: [24, 84]}]"),
            "w.yaml:2:35: the policy 'capped_aging' has no param 'capp'; did you mean 'cap'?\n"
            "    2 | policies: [{policy: capped_aging, capp: [24, 84]}]\n"
            "      |                                   ^^^^\n");
  EXPECT_NE(complaint("{policy: capped_aging, colour: 3}").find("has no param 'colour'; it has cap"),
            std::string::npos);
  EXPECT_NE(complaint("{policy: default, cap: 3}").find("has no param 'cap'; it has none at all"), std::string::npos);
  EXPECT_NE(complaint("{policy: capped_agin, cap: 3}").find("unknown policy 'capped_agin'; did you mean"),
            std::string::npos);
  EXPECT_NE(complaint("{policy: capped_aging, cap: x}").find("params.cap: expected a number"), std::string::npos);
}

}  // namespace
}  // namespace headroom
