// Priority expressions in policy files, workload files and on the command line: what is read, and where an error
// points.
#include <gtest/gtest.h>

#include "workloads/diagnostics.h"
#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

/// All that is shown of what is wrong with a policy; "" if nothing is.
std::string complaint(const std::string& policy) {
  try {
    static_cast<void>(read_policy(policy));
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

}  // namespace
}  // namespace headroom
