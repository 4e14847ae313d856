#include "sim/cli/open_workload.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/cli/usage_error.h"
#include "workloads/diagnostics.h"

namespace headroom::cli {
namespace {

TEST(KindOfContent, ATraceBeginsWithASemicolonOrAJob) {
  EXPECT_EQ(kind_of_content("; Version: 2.2\n"), FileKind::kSwf);
  EXPECT_EQ(kind_of_content("\n\n  ;Computer\n"), FileKind::kSwf);
  EXPECT_EQ(kind_of_content(" 1 0 3 60 4 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1\n"), FileKind::kSwf);
  EXPECT_EQ(kind_of_content("\x1f\x8b\x08"), FileKind::kSwf);
}

TEST(KindOfContent, AJsonObjectWithAVersionIsARecordedWorkflow) {
  EXPECT_EQ(kind_of_content("{\"name\": \"w\", \"schemaVersion\": \"1.5\", \"workflow\": {"), FileKind::kWfFormat);
  EXPECT_EQ(kind_of_content("{\"work\": [{\"workflow\": \"a\"}]}"), FileKind::kWorkload);
}

TEST(KindOfContent, APolicyHasThatKeyAndNoWork) {
  EXPECT_EQ(kind_of_content("# mine\npolicy: gentle\nties: [tail_time]\n"), FileKind::kPolicy);
  EXPECT_EQ(kind_of_content("policy: gentle\nwork: []\n"), FileKind::kWorkload);
  EXPECT_EQ(kind_of_content("work:\n  - workflow: a\n"), FileKind::kWorkload);
  EXPECT_EQ(kind_of_content("policies: [default]\n"), FileKind::kWorkload);
}

TEST(KindOfContent, WhatIsNeitherIsForTheReaderToRefuse) {
  EXPECT_EQ(kind_of_content(""), FileKind::kWorkload);
  EXPECT_EQ(kind_of_content("1 2 3\n"), FileKind::kWorkload);
  EXPECT_EQ(kind_of_content(std::string(100, '\0')), FileKind::kWorkload);
}

TEST(OpenWorkload, AMissingFileIsNoInput) {
  std::istringstream in;
  try {
    static_cast<void>(open_workload("nowhere/at/all.yaml", in));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), InputError::Kind::kNoInput);
    EXPECT_NE(std::string(error.what()).find("nowhere/at/all.yaml"), std::string::npos) << error.what();
  }
}

TEST(OpenWorkload, ATraceOnStdinIsRefused) {
  std::istringstream in("; Version: 2.2\n");
  EXPECT_THROW(static_cast<void>(open_workload("-", in)), UsageError);
}

TEST(FindPolicies, LooksAmongTheWorkloadsPoliciesBeforeThePresets) {
  Workload workload;
  workload.policies = {Policy{}, Policy{}};
  workload.policies[0].name = "mine";
  workload.policies[1].name = "default";
  workload.policies[1].about = "another";
  EXPECT_EQ(find_policies("mine", &workload).at(0).name, "mine");
  EXPECT_EQ(find_policies("default", &workload).at(0).about, "another");
  EXPECT_EQ(find_policies("default", nullptr).at(0), *find_preset("default"));
}

TEST(FindPolicies, AnExpressionIsDefaultWithAnotherOneAndAWrongNameIsAMatterOfUsage) {
  EXPECT_EQ(find_policies("expr:workflow.priority", nullptr).at(0).expression, "workflow.priority");
  EXPECT_THROW(static_cast<void>(find_policies("expr:workflow.priorit", nullptr)), InputError);
  try {
    static_cast<void>(find_policies("defualt", nullptr));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'default'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace headroom::cli
