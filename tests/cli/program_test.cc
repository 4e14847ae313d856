// The program in this process, on files in a folder of its own: what it prints where, and with which status it ends.
#include "sim/cli/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "policies/policy.h"

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;

struct Ended {
  ExitStatus status;
  std::string out, err;
};

class Program : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("headroom_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  static Ended sim(const std::vector<std::string>& arguments, const std::string& in_text = "") {
    std::istringstream in(in_text);
    std::ostringstream out, err;
    const ExitStatus status = run_program(arguments, {in, out, err, false});
    return {status, out.str(), err.str()};
  }

 private:
  fs::path folder_;
};

// Three jobs of 1, 2 and 3 s in a row on one slot.
constexpr const char* kThree = R"(name: three
work:
  - workflow: build
    stages:
      - {name: a, runtime: 1s}
      - {name: b, runtime: 2s, needs: [a]}
      - {name: c, runtime: 3s, needs: [b]}
)";
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Program, RunsAndWritesResultsAndCosts) {
  const Ended ended = sim({"-w", write("w.yaml", kThree), "-o", path("r.h5"), "--format", "json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["workload"], "three");
  EXPECT_EQ(json["runs"][0]["metrics"]["makespan"], 6.0);
  EXPECT_TRUE(fs::exists(path("r.h5")));
  EXPECT_EQ(nlohmann::json::parse(read("r.h5.perf.json"))["runs"].size(), 1U);
  EXPECT_EQ(ended.err, "");
}

TEST_F(Program, QuietPrintsNothing) {
  const Ended ended = sim({"-w", write("w.yaml", kThree), "-o", path("r.h5"), "--format", "quiet"});
  EXPECT_EQ(ended.status, kDone);
  EXPECT_EQ(ended.out + ended.err, "");
}

TEST_F(Program, ReadsAWorkloadFromStdin) {
  const Ended ended = sim({"-w", "-", "-o", path("r.h5")}, kThree);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_TRUE(has(ended.out, "three: 1 run")) << ended.out;
}

TEST_F(Program, NeverOverwritesUnlessAsked) {
  const std::string workload = write("w.yaml", kThree);
  write("r.h5", "precious");
  const Ended refused = sim({"-w", workload, "-o", path("r.h5")});
  EXPECT_EQ(refused.status, kCannotCreate);
  EXPECT_TRUE(has(refused.err, "--force")) << refused.err;
  EXPECT_EQ(read("r.h5"), "precious");
  EXPECT_EQ(sim({"-w", workload, "-o", path("r.h5"), "--force"}).status, kDone);
  EXPECT_NE(read("r.h5"), "precious");
}

TEST_F(Program, DryRunWritesNothing) {
  const Ended ended = sim({"-w", write("w.yaml", kThree), "-p", "default,race", "-o", path("r.h5"), "--dry-run"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_TRUE(has(ended.out, "runs          2\n")) << ended.out;
  EXPECT_TRUE(has(ended.out, "nothing was written")) << ended.out;
  EXPECT_EQ(files(), 1U);
  const auto json =
      nlohmann::json::parse(sim({"-w", path("w.yaml"), "-o", path("r.h5"), "--dry-run", "--format", "json"}).out);
  EXPECT_EQ(json["runs"], 1);
}

TEST_F(Program, EachKindOfWrongHasItsStatus) {
  const std::string good = write("w.yaml", kThree), bad = write("bad.yaml", "work: 3\n"), out = path("r.h5");
  EXPECT_EQ(sim({"--nonsense"}).status, kUsage);
  EXPECT_EQ(sim({"-w", good, "-p", "defualt", "-o", out}).status, kUsage);
  EXPECT_EQ(sim({"-w", good, "-p", "expr:workflow.priorit", "-o", out}).status, kBadInput);
  EXPECT_EQ(sim({"-w", good, "-p", "default,default", "-o", out}).status, kUsage);
  EXPECT_EQ(sim({"-w", bad, "-o", out}).status, kBadInput);
  EXPECT_EQ(sim({"-w", path("nowhere.yaml"), "-o", out}).status, kNoInput);
  EXPECT_EQ(sim({"-w", good, "-p", path("nowhere.yaml"), "-o", out}).status, kNoInput);
  EXPECT_EQ(sim({"-w", good, "-p", bad, "-o", out}).status, kBadInput);
  EXPECT_EQ(sim({"-w", good, "-o", "/dev/full", "--force"}).status, kCannotCreate);
  EXPECT_EQ(sim({"-w", good, "-o", path("no/such/folder/r.h5")}).status, kCannotCreate);
  EXPECT_EQ(sim({"-w", good, "--set", "cluster.slotz=2", "-o", out}).status, kBadInput);
  EXPECT_EQ(files(), 2U);  // nothing was written by any of them
}

TEST_F(Program, AWrongPolicyNamesTheNearestOne) {
  const Ended ended = sim({"-w", write("w.yaml", kThree), "-p", "defualt"});
  EXPECT_TRUE(has(ended.err, "did you mean 'default'")) << ended.err;
}

TEST_F(Program, CheckGoesThroughAllFiles) {
  const std::string good = write("w.yaml", kThree), bad = write("bad.yaml", "work: 3\n");
  const Ended ended = sim({"check", bad, path("nowhere.yaml"), good});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_TRUE(has(ended.err, "bad.yaml:1")) << ended.err;
  EXPECT_TRUE(has(ended.err, "nowhere.yaml")) << ended.err;
  EXPECT_TRUE(has(ended.out, "w.yaml: ok: 1 workflow, 3 stages")) << ended.out;
  EXPECT_EQ(sim({"check", path("nowhere.yaml")}).status, kNoInput);
}

TEST_F(Program, ListsEveryPresetAndDescribesOne) {
  const Ended list = sim({"policies"});
  EXPECT_EQ(list.status, kDone);
  for (const Policy& policy : preset_policies()) EXPECT_TRUE(has(list.out, policy.name + " ")) << policy.name;
  EXPECT_TRUE(has(sim({"policies", "default"}).out, "static: every stage ages at 1/h"));
  EXPECT_EQ(sim({"policies", "nonsense"}).status, kUsage);
}

TEST_F(Program, ExportsTheStagesOfARun) {
  ASSERT_EQ(sim({"-w", write("w.yaml", kThree), "-o", path("r.h5"), "-p", "default,race"}).status, kDone);
  EXPECT_EQ(sim({"export", path("r.h5"), "--to", path("x.csv")}).status, kUsage);  // two runs: which?
  EXPECT_EQ(sim({"export", path("r.h5"), "--to", path("x.csv"), "--run", "7"}).status, kUsage);
  EXPECT_EQ(sim({"export", path("r.h5"), "--to", path("x.swf"), "--run", "1"}).status, kUsage);
  ASSERT_EQ(sim({"export", path("r.h5"), "--to", path("x.csv"), "--run", "1"}).status, kDone);
  // c is eligible and starts at 3 s and ends at 6 s, on the only core.
  EXPECT_TRUE(has(read("x.csv"), "\nbuild/c,three,c,3,1,")) << read("x.csv");
  EXPECT_TRUE(has(read("x.csv"), ",COMPLETED_SUCCESSFULLY,3,3,6,0,3,1,0,-1,,build,c,0,run,")) << read("x.csv");
  EXPECT_EQ(sim({"export", path("r.h5"), "--to", path("x.csv"), "--run", "1"}).status, kCannotCreate);
  EXPECT_EQ(sim({"export", path("nowhere.h5"), "--to", path("y.csv")}).status, kNoInput);
}

}  // namespace
}  // namespace headroom::cli
