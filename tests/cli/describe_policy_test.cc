#include "sim/cli/describe_policy.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/cli/text_table.h"

namespace headroom::cli {
namespace {

TEST(DescribePolicy, EveryPresetSaysHowItsOrderIsKeptAndWhy) {
  for (const Policy& policy : preset_policies()) {
    const bool caps =
        policy.name == "capped_aging" || policy.name == "slurm_multifactor" || policy.name == "pbs_formula";
    EXPECT_TRUE(order_text(policy).starts_with(caps ? "piecewise: " : "static: ")) << policy.name;
    const std::string page = describe_policy(policy);
    for (const char* part : {"priority", "ties", "placement", "preemption", "hold", "order", "guarantee"})
      EXPECT_NE(page.find(std::string("\n") + part), std::string::npos) << policy.name << ": " << part;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), kTerminalWidth) << line;
  }
  EXPECT_NE(order_text(*find_preset("default")).find("every stage ages at 1/h"), std::string::npos);
}

TEST(DescribePolicy, TheGuaranteeHoldsWithAgingOrWhereTheOldGoFirst) {
  for (const char* name : {"default", "race", "priority", "declaration", "fcfs", "easy", "easy_sjbf"})
    EXPECT_TRUE(guarantee_text(*find_preset(name)).starts_with("kept: ")) << name;
  for (const char* name : {"no_aging", "tail_time", "sjf", "ljf", "random"})
    EXPECT_TRUE(guarantee_text(*find_preset(name)).starts_with("NOT kept: no aging")) << name;
}

TEST(DescribePolicy, GreedyPlacementIsSaidToReserveNothing) {
  EXPECT_NE(guarantee_text(*find_preset("default")).find("reserves nothing"), std::string::npos);
  EXPECT_EQ(guarantee_text(*find_preset("easy")).find("reserves nothing"), std::string::npos);
}

}  // namespace
}  // namespace headroom::cli
