#include "sim/cli/batsim_csv.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace headroom::cli {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Texts = std::vector<std::string>;

ExportedAttempt attempt(const char* workflow, double eligible, double start, double end, std::int64_t cores,
                        const char* state = "finished") {
  ExportedAttempt a;
  a.workflow = workflow;
  a.stage = "main";
  a.eligible_at = eligible;
  a.started_at = start;
  a.finished_at = end;
  a.requested_time = 100;
  a.cores = cores;
  a.state = state;
  a.kind = "run";
  a.reason = "alone";
  a.node = "slots[0]";
  a.user = "ada";
  a.account = "research";
  return a;
}

TEST(BatsimCsv, HasBatsimsColumnsInTheirOrderThenOurs) {
  std::uint64_t left_out = 0;
  const std::string csv = batsim_csv({}, "w", left_out);
  // Header of Batsim's jobs.csv.
  EXPECT_TRUE(csv.starts_with(
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
      "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
      "consumed_energy,metadata,"))
      << csv;
}

TEST(BatsimCsv, WritesALineAnAttempt) {
  // Eligible at 1, waits 1, runs 4: turnaround 5, stretch 5 / 4.
  std::vector<ExportedAttempt> attempts = {attempt("job7", 1, 2, 6, 2)};
  attempts.push_back(attempt("build", 0, 0.5, 1, 1, "timed_out"));
  attempts.back().stage = "sleep 2.0";
  attempts.back().attempt = 1;
  std::uint64_t left_out = 0;
  std::istringstream csv(batsim_csv(attempts, "a,b", left_out));
  Texts lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1],
            "job7,\"a,b\",main,1,2,100,1,COMPLETED_SUCCESSFULLY,2,4,6,1,5,1.25,0-1,-1,,job7,main,0,run,alone,slots[0],"
            "ada,research,0");
  EXPECT_EQ(lines[2].substr(0, lines[2].find(",0.5,0.5")),
            "build/sleep 2.0#1,\"a,b\",sleep 2.0,0,1,100,0,COMPLETED_WALLTIME_REACHED");
  EXPECT_EQ(left_out, 0U);
}

TEST(BatsimCsv, CountsWhatIsNotOver) {
  std::uint64_t left_out = 0;
  const std::string csv =
      batsim_csv({attempt("a", 0, kNaN, kNaN, 1, "eligible"), attempt("b", 0, 1, kNaN, 1, "running")}, "w", left_out);
  EXPECT_EQ(left_out, 2U);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1);
}

TEST(BatsimCsv, NoCoreIsGivenTwiceAtOneInstant) {
  //  0    1    2
  //  a a a|c c      a: cores 0-2 in [0, 1);  b: core 3 in [0, 2)
  //  b b b b b b    c: 4 cores from 1 on: 0-2 and 4, since b still has 3
  EXPECT_EQ(allocate_cores({attempt("a", 0, 0, 1, 3), attempt("b", 0, 0, 2, 1), attempt("c", 0, 1, 2, 4)}),
            (Texts{"0-2", "3", "0-2 4"}));
}

TEST(BatsimCsv, ANodesCoresBeginWhereItStands) {
  ExportedAttempt second = attempt("a", 0, 0, 1, 1);
  second.first_core = 64;
  EXPECT_EQ(allocate_cores({second, attempt("b", 0, 0, 1, 1)}), (Texts{"64", "0"}));
}

TEST(BatsimCsv, WhatNeverStartedHasNoCores) {
  EXPECT_EQ(allocate_cores({attempt("a", 0, kNaN, kNaN, 1)}), (Texts{""}));
}

}  // namespace
}  // namespace headroom::cli
