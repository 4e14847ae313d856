#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

#include "sim/results/reader.h"
#include "sim/sweep/study.h"
#include "sim/sweep/summary_bytes.h"
#include "tests/results/samples.h"
#include "tests/sweep/studies.h"

namespace headroom {
namespace {

using testing::kHoldVsRace;
using testing::kRandom;
using testing::read_bytes;
using testing::request_of;
using testing::TemporaryFolder;

RunOptions to(const std::string& out, unsigned jobs = 1) {
  RunOptions options;
  options.out = out;
  options.jobs = jobs;
  return options;
}

Study random_study(std::int64_t replications) {
  StudyRequest request = request_of(kRandom);
  request.replications = replications;
  return plan_study(std::move(request));
}

TEST(RunStudy, GivesThePublishedMakespansAndHoldGains) {
  // workloads/examples/hold_vs_race: measured on the real program, see the file's own account.
  const TemporaryFolder folder;
  const Study study = plan_study(request_of(kHoldVsRace));
  const StudyResult result = run_study(study, to(folder / "r.h5"));
  ASSERT_TRUE(result.complete);
  const std::size_t makespan = metric_index("makespan");
  const std::vector<double> expected{6.204, 6.304, 4.204, 6.001, 4.104, 4.204, 4.104, 4.104};
  ASSERT_EQ(result.runs.size(), expected.size());
  for (std::size_t run = 0; run < expected.size(); ++run) {
    EXPECT_DOUBLE_EQ(result.runs[run].report.metrics[makespan], expected[run]) << "run " << run;
  }
  const std::vector<double> gains{1.016119, 1.427450, 1.024366, 1};
  ASSERT_EQ(result.hold_gains.size(), gains.size());
  for (std::size_t point = 0; point < gains.size(); ++point) {
    EXPECT_EQ(result.hold_gains[point].point, point);
    EXPECT_NEAR(result.hold_gains[point].gain, gains[point], 5e-7);
  }
  const ResultsReader reader(folder / "r.h5");
  EXPECT_EQ(std::get<std::vector<double>>(reader.column("runs", "makespan").data), expected);
  EXPECT_EQ(reader.rows("stages"), 8U * 5);
  EXPECT_EQ(reader.rows("holds"), 4U) << "a policy that ignores holds opens none";
}

TEST(RunStudy, GivesTheSameWithoutAFile) {
  const TemporaryFolder folder;
  const Study study = plan_study(request_of(kHoldVsRace));
  const StudyResult with = run_study(study, to(folder / "r.h5")), without = run_study(study, to(""));
  ASSERT_EQ(with.hold_gains.size(), without.hold_gains.size());
  for (std::size_t i = 0; i < with.hold_gains.size(); ++i)
    EXPECT_EQ(with.hold_gains[i].gain, without.hold_gains[i].gain);
  for (std::size_t i = 0; i < with.runs.size(); ++i) {
    EXPECT_EQ(with.runs[i].report.decision_hash, without.runs[i].report.decision_hash);
  }
}

TEST(RunStudy, HasTheSameBytesOnOneThreadAndOnSeveral) {
  const TemporaryFolder folder;
  const Study study = random_study(5);
  (void)run_study(study, to(folder / "one.h5", 1));
  for (const unsigned jobs : {2U, 5U}) {
    (void)run_study(study, to(folder / "more.h5", jobs));
    EXPECT_TRUE(read_bytes(folder / "more.h5") == read_bytes(folder / "one.h5")) << jobs;
    std::filesystem::remove(folder / "more.h5");
  }
}

TEST(RunStudy, TellsOfProgressUpToTheEnd) {
  const Study study = random_study(2);
  std::vector<std::uint64_t> done;
  std::uint64_t last_events = 0;
  RunOptions options = to("", 3);
  options.progress = [&](std::uint64_t finished, std::uint64_t all, std::uint64_t events) {
    EXPECT_EQ(all, 16U);
    EXPECT_GE(events, last_events);
    last_events = events;
    done.push_back(finished);
  };
  (void)run_study(study, options);
  EXPECT_EQ(done.front(), 0U);
  EXPECT_EQ(done.back(), 16U);
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_GT(last_events, 0U);
}

TEST(RunStudy, StopsAndGoesOnToTheSameBytesAndSummary) {
  const TemporaryFolder folder;
  const Study study = random_study(3);
  const StudyResult whole = run_study(study, to(folder / "whole.h5"));
  std::atomic<bool> stop{false};
  RunOptions options = to(folder / "cut.h5");
  options.stop = &stop;
  options.progress = [&](std::uint64_t done, std::uint64_t, std::uint64_t) { stop = done >= 7; };
  const StudyResult first = run_study(study, options);
  EXPECT_FALSE(first.complete);
  EXPECT_FALSE(std::filesystem::exists(folder / "cut.h5"));
  EXPECT_EQ(std::ranges::count(first.runs, RunStatus::kFinished, [](const RunSummary& r) { return r.report.status; }),
            7);

  std::uint64_t begun_at = 0;
  bool is_first = true;
  RunOptions rest = to(folder / "cut.h5", 2);
  rest.resume = true;
  rest.progress = [&](std::uint64_t done, std::uint64_t, std::uint64_t) {
    if (is_first) begun_at = done;
    is_first = false;
  };
  const StudyResult second = run_study(study, rest);
  EXPECT_EQ(begun_at, 7U) << "finished runs are kept";
  EXPECT_TRUE(second.complete);
  EXPECT_TRUE(read_bytes(folder / "cut.h5") == read_bytes(folder / "whole.h5"));
  for (std::size_t run = 0; run < whole.runs.size(); ++run) {
    EXPECT_EQ(summary_bytes(second.runs[run]), summary_bytes(whole.runs[run])) << run;
  }
}

TEST(RunStudy, RefusesToResumeAnotherStudy) {
  const TemporaryFolder folder;
  std::atomic<bool> stop{false};
  RunOptions options = to(folder / "r.h5");
  options.stop = &stop;
  options.progress = [&](std::uint64_t done, std::uint64_t, std::uint64_t) { stop = done >= 2; };
  (void)run_study(random_study(3), options);
  StudyRequest request = request_of(kRandom);
  request.replications = 3;
  request.seed = 99;
  RunOptions rest = to(folder / "r.h5");
  rest.resume = true;
  try {
    (void)run_study(plan_study(std::move(request)), rest);
    FAIL() << "the seed is another";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("seed is 99, and was 1"), std::string::npos) << error.what();
  }
}

TEST(RunStudy, RecordsARunThatFailsAndGoesOn) {
  // Three times a hundred years is more than the clock's 292.
  const TemporaryFolder folder;
  const Study study =
      plan_study(request_of("params: {long: 1s}\n"
                            "work:\n"
                            "  - workflow: a\n"
                            "    stages:\n"
                            "      - {name: r, runtime: $long, estimate: 1s}\n"
                            "      - {name: s, runtime: $long, estimate: 1s, needs: [r]}\n"
                            "      - {name: t, runtime: $long, estimate: 1s, needs: [s]}\n"
                            "sweep: {vary: {params.long: [1s, 36500d]}}\n"));
  const StudyResult result = run_study(study, to(folder / "r.h5"));
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.runs.size(), 2U);
  EXPECT_EQ(result.runs[0].failure, "");
  EXPECT_NE(result.runs[1].failure, "");
  const ResultsReader reader(folder / "r.h5");
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(reader.column("runs", "status").data),
            (std::vector<std::uint8_t>{0, 4}));
  EXPECT_EQ(reader.column("runs", "status").meanings.at(4), "failed");
}

TEST(RunStudy, SaysNothingOfWhereATraceLies) {
  const TemporaryFolder folder;
  for (const std::string where : {"a", "b"}) {
    std::filesystem::create_directory(folder / where);
    testing::write_bytes(folder / (where + "/t.swf"),
                         "; MaxProcs: 2\n"
                         "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
                         "2 5 0 10 2 -1 -1 2 20 -1 1 2 1 1 1 1 -1 -1\n");
    StudyRequest request;
    request.document =
        std::make_shared<const WorkloadDocument>(WorkloadDocument::from_trace(folder / (where + "/t.swf")));
    (void)run_study(plan_study(std::move(request)), to(folder / (where + ".h5")));
  }
  const std::string bytes = read_bytes(folder / "a.h5");
  EXPECT_TRUE(read_bytes(folder / "b.h5") == bytes);
  EXPECT_EQ(bytes.find(folder.path()), std::string::npos);
}

TEST(RunStudy, RecordsStagesAsTheFileSays) {
  const TemporaryFolder folder;
  const std::string work = "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n";
  (void)run_study(plan_study(request_of(work + "record: {stages: false}\n")), to(folder / "no.h5"));
  EXPECT_FALSE(ResultsReader(folder / "no.h5").has("stages"));
  (void)run_study(plan_study(request_of(work)), to(folder / "auto.h5"));
  EXPECT_TRUE(ResultsReader(folder / "auto.h5").has("stages"));
}

/// One run of the study in a child that is killed after `milliseconds`, or ends by itself.
void run_and_kill(const Study& study, const RunOptions& options, int milliseconds) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      (void)run_study(study, options);
    } catch (const std::exception&) {
      ::_exit(3);
    }
    ::_exit(0);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
}

TEST(RunStudy, SurvivesBeingKilledAtAnyMoment) {
  const TemporaryFolder folder;
  const Study study = random_study(8);
  (void)run_study(study, to(folder / "whole.h5"));
  const std::string whole = read_bytes(folder / "whole.h5");
  int finished_by_itself = 0;
  for (int wait = 1; wait <= 256 && finished_by_itself < 3; wait *= 2) {
    RunOptions options = to(folder / "r.h5", 2);
    options.resume = true;
    for (int kill = 0; kill < 3 && !std::filesystem::exists(folder / "r.h5"); ++kill)
      run_and_kill(study, options, wait);
    if (std::filesystem::exists(folder / "r.h5")) {
      ++finished_by_itself;
      EXPECT_TRUE(read_bytes(folder / "r.h5") == whole) << "the final name was half-written";
      // Killed while it tidied up: the folder is this study's, or gone.
      if (std::filesystem::exists(folder / "r.h5.part")) (void)run_study(study, options);
    } else {
      (void)run_study(study, options);
    }
    EXPECT_TRUE(read_bytes(folder / "r.h5") == whole) << "after kills at " << wait << " ms";
    EXPECT_FALSE(std::filesystem::exists(folder / "r.h5.part"));
    std::filesystem::remove(folder / "r.h5");
  }
}

// `a` (3 of them) and the plan have no estimate; `b` has one, `c` a walltime. A plan's does not decide anything.
TEST(RunStudy, SaysHowManyStagesHaveNoEstimateWhereAPolicyAsksForThem) {
  const Study study = plan_study(request_of(R"(name: guessed
work:
  - workflow: w
    plan:
      steps:
        - {name: a, runtime: 1s, count: 3}
        - {name: b, runtime: 1s, estimate: 2s}
        - {name: c, runtime: 1s, walltime: 5s}
policies: [default, declaration]
)"));
  const StudyResult result = run_study(study, {});
  ASSERT_EQ(result.runs.size(), 2U);
  ASSERT_EQ(result.runs[0].repairs.size(), 1U);
  EXPECT_EQ(result.runs[0].repairs[0].what,
            "stages without an estimate, taken to last 1s (scheduler.default_estimate)");
  EXPECT_EQ(result.runs[0].repairs[0].count, 3);
  EXPECT_EQ(result.runs[0].repairs[0].example, "'a' of workflow 'w'");
  EXPECT_TRUE(result.runs[1].repairs.empty());
}

}  // namespace
}  // namespace headroom
