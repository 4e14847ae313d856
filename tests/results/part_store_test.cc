#include "sim/results/part_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "sim/results/output_error.h"
#include "tests/results/samples.h"

namespace headroom {
namespace {

using testing::read_bytes;
using testing::sample_facts;
using testing::sample_run;
using testing::TemporaryFolder;
using testing::write_bytes;

const Identity kIdentity{{"seed", "1"}, {"policies", "default, race"}};
constexpr std::uint64_t kRuns = 12;

PartStore::Options options(const std::string& out, bool force = false, bool resume = false) {
  return {out, force, resume};
}

void add_runs(PartStore& store, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t run = first; run < last; ++run) store.add(sample_run(run, 10));
}

std::string whole_study(const TemporaryFolder& folder, const std::string& name) {
  PartStore store(options(folder / name), kIdentity);
  add_runs(store, 0, kRuns);
  store.flush();
  store.assemble(sample_facts(), 0);
  return read_bytes(folder / name);
}

void expect_error(OutputError::Kind kind, const std::string& words, const PartStore::Options& asked) {
  try {
    PartStore store(asked, kIdentity);
    ADD_FAILURE() << "expected: " << words;
  } catch (const OutputError& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(PartStore, LeavesOnlyTheResultsFile) {
  const TemporaryFolder folder;
  whole_study(folder, "r.h5");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_EQ(names, std::vector<std::string>{"r.h5"});
}

TEST(PartStore, ResumesToTheSameBytes) {
  const TemporaryFolder folder;
  const std::string whole = whole_study(folder, "r.h5");
  {
    PartStore store(options(folder / "s.h5"), kIdentity);
    add_runs(store, 3, 7);
    store.flush();
    add_runs(store, 9, 10);
    store.flush();
    add_runs(store, 0, 1);  // Not flushed: lost, as with a killed process.
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "s.h5"));
  PartStore store(options(folder / "s.h5", false, true), kIdentity);
  const auto done = store.take_done();
  ASSERT_EQ(done.size(), 5U);
  EXPECT_EQ(done.at(4), "summary of 4");
  EXPECT_TRUE(done.contains(9));
  add_runs(store, 7, 9);
  add_runs(store, 10, 12);
  add_runs(store, 0, 3);
  store.flush();
  EXPECT_EQ(store.extra(9), "extra of 9");
  EXPECT_EQ(store.extra(2), "extra of 2");
  store.assemble(sample_facts(), 0);
  EXPECT_TRUE(read_bytes(folder / "s.h5") == whole);
}

TEST(PartStore, ForgetsTheRunsOfADamagedPart) {
  const TemporaryFolder folder;
  {
    PartStore store(options(folder / "r.h5"), kIdentity);
    add_runs(store, 0, 2);
    store.flush();
    add_runs(store, 2, 4);
    store.flush();
  }
  const std::vector<std::string> parts = part_paths(folder / "r.h5.part");
  ASSERT_EQ(parts.size(), 2U);
  std::string bytes = read_bytes(parts[0]);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_bytes(parts[0], bytes);
  write_bytes(folder / "r.h5.part/run-00000009.part.tmp", "half");
  PartStore store(options(folder / "r.h5", false, true), kIdentity);
  const auto done = store.take_done();
  EXPECT_EQ(done.size(), 2U);
  EXPECT_TRUE(done.contains(2) && done.contains(3));
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5.part/run-00000009.part.tmp"));
}

TEST(PartStore, RefusesWhatItMustNotReplace) {
  const TemporaryFolder folder;
  write_bytes(folder / "r.h5", "precious");
  expect_error(OutputError::Kind::kCannotCreate, "--force replaces it", options(folder / "r.h5"));
  expect_error(OutputError::Kind::kCannotCreate, "nothing to resume", options(folder / "r.h5", false, true));
  EXPECT_FALSE(std::filesystem::exists(folder / "r.h5.part"));
  EXPECT_EQ(read_bytes(folder / "r.h5"), "precious");
  std::filesystem::create_directory(folder / "d.h5");
  expect_error(OutputError::Kind::kCannotCreate, "is a folder", options(folder / "d.h5", true));
  expect_error(OutputError::Kind::kCannotCreate, "not a file", options("/dev/null", true));
}

TEST(PartStore, ForceReplacesTheFileOnlyWhenTheNewOneIsThere) {
  const TemporaryFolder folder;
  write_bytes(folder / "r.h5", "precious");
  {
    PartStore store(options(folder / "r.h5", true), kIdentity);
    add_runs(store, 0, kRuns);
    store.flush();
    EXPECT_EQ(read_bytes(folder / "r.h5"), "precious");
    store.assemble(sample_facts(), 0);
  }
  EXPECT_TRUE(read_bytes(folder / "r.h5").starts_with("\x89HDF"));
}

TEST(PartStore, DoesNotThrowFinishedRunsAwayUnasked) {
  const TemporaryFolder folder;
  {
    PartStore store(options(folder / "r.h5"), kIdentity);
    add_runs(store, 0, 2);
    store.flush();
  }
  expect_error(OutputError::Kind::kCannotCreate, "--resume keeps them", options(folder / "r.h5"));
  EXPECT_EQ(part_paths(folder / "r.h5.part").size(), 1U);
  PartStore store(options(folder / "r.h5", true), kIdentity);
  EXPECT_TRUE(store.take_done().empty());
}

TEST(PartStore, SaysHowAnotherStudyDiffers) {
  const TemporaryFolder folder;
  {
    PartStore store(options(folder / "r.h5"), kIdentity);
    add_runs(store, 0, 1);
    store.flush();
  }
  try {
    PartStore store(options(folder / "r.h5", false, true), {{"seed", "2"}, {"policies", "default, race"}});
    FAIL() << "the seed is another";
  } catch (const OtherStudy& other) {
    EXPECT_EQ(other.differences(), std::vector<std::string>{"seed is 2, and was 1"});
  }
  EXPECT_EQ(part_paths(folder / "r.h5.part").size(), 1U) << "nothing may be lost";
}

TEST(PartStore, IsLockedWhileItIsUsed) {
  const TemporaryFolder folder;
  PartStore store(options(folder / "r.h5"), kIdentity);
  // flock is by open file, so that a second store in this very process meets it too.
  expect_error(OutputError::Kind::kCannotCreate, "another process", options(folder / "r.h5", true));
  expect_error(OutputError::Kind::kCannotCreate, "another process", options(folder / "r.h5", false, true));
}

TEST(PartStore, NamesAMissingFolder) {
  const TemporaryFolder folder;
  expect_error(OutputError::Kind::kCannotCreate, "there is no folder", options(folder / "none/r.h5"));
}

TEST(PartStore, LeavesNoTraceIfNothingWasFinished) {
  const TemporaryFolder folder;
  { PartStore store(options(folder / "r.h5"), kIdentity); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PartStore, FinishesWhatWasKilledBetweenRenamingAndTidyingUp) {
  const TemporaryFolder folder;
  const std::string whole = whole_study(folder, "r.h5");
  {
    PartStore store(options(folder / "s.h5"), kIdentity);
    add_runs(store, 0, kRuns);
    store.flush();
  }
  write_bytes(folder / "s.h5.part/assembled", "");
  write_bytes(folder / "s.h5", whole);
  PartStore store(options(folder / "s.h5", false, true), kIdentity);
  EXPECT_EQ(store.take_done().size(), kRuns);
  store.assemble(sample_facts(), 0);
  EXPECT_TRUE(read_bytes(folder / "s.h5") == whole);
  EXPECT_FALSE(std::filesystem::exists(folder / "s.h5.part"));
}

/// Runs `body` in a process that may not write files above `limit` bytes, which is how a full disk looks from here.
/// Returns its exit status; `body` returns it.
template <class Body>
int with_file_limit(rlim_t limit, Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit size{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &size);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(PartStore, AFullDiskIsACannotWriteAndKeepsWhatWasFinished) {
  const TemporaryFolder folder;
  const int status = with_file_limit(100'000, [&folder] {
    PartStore store(options(folder / "r.h5"), kIdentity);
    add_runs(store, 0, 2);
    store.flush();
    try {
      store.add(sample_run(2, 100'000));
    } catch (const OutputError& error) {
      return error.kind() == OutputError::Kind::kCannotWrite ? 7 : 8;
    }
    return 9;
  });
  EXPECT_EQ(status, 7);
  EXPECT_EQ(part_paths(folder / "r.h5.part").size(), 1U);
  PartStore store(options(folder / "r.h5", false, true), kIdentity);
  EXPECT_EQ(store.take_done().size(), 2U);
}

TEST(PartStore, AFullDiskDuringAssemblyLeavesNoFileAndCanBeResumed) {
  const TemporaryFolder folder;
  const std::string whole = whole_study(folder, "r.h5");
  // Whatever the file is cut at: in its first dataset, in the middle, at the last flush.
  for (const std::size_t limit : {std::size_t{100}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
    {
      PartStore store(options(folder / "s.h5", true), kIdentity);
      add_runs(store, 0, kRuns);
      store.flush();
    }
    const int status = with_file_limit(limit, [&folder] {
      try {
        PartStore store(options(folder / "s.h5", false, true), kIdentity);
        store.assemble(sample_facts(), 0);
      } catch (const OutputError& error) {
        const bool clear = std::string(error.what()).find("File too large") != std::string::npos;
        return error.kind() == OutputError::Kind::kCannotWrite && clear ? 7 : 8;
      }
      return 9;
    });
    EXPECT_EQ(status, 7) << "cut at " << limit << " of " << whole.size();
    EXPECT_FALSE(std::filesystem::exists(folder / "s.h5"));
    EXPECT_FALSE(std::filesystem::exists(folder / "s.h5.tmp"));
    PartStore store(options(folder / "s.h5", false, true), kIdentity);
    store.assemble(sample_facts(), 0);
    EXPECT_TRUE(read_bytes(folder / "s.h5") == whole);
    std::filesystem::remove(folder / "s.h5");
  }
}

}  // namespace
}  // namespace headroom
