#include "sim/results/results_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/results/output_error.h"
#include "sim/results/part_store.h"
#include "sim/results/reader.h"
#include "tests/results/samples.h"
#include "workloads/diagnostics.h"

namespace headroom {
namespace {

using testing::read_bytes;
using testing::sample_facts;
using testing::sample_run;
using testing::TemporaryFolder;

constexpr std::uint64_t kRuns = 12;

/// So many stages that some tables have several chunks, and some runs none.
std::size_t stages_of(std::uint64_t run) { return run == 4 ? 0 : run == 7 ? 70'000 : 10 + run; }

/// The results of the sample study, its runs grouped into parts as given.
std::string assemble(const TemporaryFolder& folder, const std::vector<std::vector<std::uint64_t>>& parts,
                     unsigned threads) {
  std::vector<std::string> paths;
  for (const auto& runs : parts) {
    std::vector<RunRecord> records;
    for (const std::uint64_t run : runs) records.push_back(sample_run(run, stages_of(run)));
    paths.push_back(folder / ("p" + std::to_string(paths.size()) + ".part"));
    write_part(paths.back(), "id", records);
  }
  StoredRuns stored(paths);
  write_results_file(folder / "out.h5", sample_facts(), stored, threads);
  return read_bytes(folder / "out.h5");
}

std::vector<std::vector<std::uint64_t>> one_part() { return {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}; }

TEST(ResultsFile, HasTheSameBytesHoweverTheRunsWereGrouped) {
  const TemporaryFolder folder;
  const std::string bytes = assemble(folder, one_part(), 0);
  ASSERT_GT(bytes.size(), 1000U);
  EXPECT_TRUE(assemble(folder, {{11}, {10}, {9}, {8}, {7}, {6}, {5}, {4}, {3}, {2}, {1}, {0}}, 0) == bytes);
  EXPECT_TRUE(assemble(folder, {{1, 4, 7}, {0, 2, 3}, {5, 6, 11}, {8, 9, 10}}, 0) == bytes);
}

TEST(ResultsFile, HasTheSameBytesWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::string bytes = assemble(folder, one_part(), 0);
  for (const unsigned threads : {1U, 2U, 5U}) EXPECT_TRUE(assemble(folder, one_part(), threads) == bytes) << threads;
}

template <class Value>
std::vector<Value> values_of(const ResultsReader& reader, const std::string& table, const std::string& column) {
  return std::get<std::vector<Value>>(reader.column(table, column).data);
}

/// What both kinds of results must give back of the sample study.
void expect_sample(const ResultsReader& reader) {
  EXPECT_EQ(reader.tables(), (std::vector<std::string>{"runs", "stages", "warnings"}));
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets;
  std::int64_t offset = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    numbers.push_back(static_cast<std::int32_t>(run));
    offsets.push_back(offset);
    offset += static_cast<std::int64_t>(stages_of(run));
  }
  EXPECT_EQ(values_of<std::int32_t>(reader, "runs", "run"), numbers);
  EXPECT_EQ(values_of<std::int64_t>(reader, "runs", "stage_offset"), offsets);
  EXPECT_EQ(values_of<std::string>(reader, "runs", "policy")[3], "race");
  EXPECT_EQ(values_of<std::uint64_t>(reader, "runs", "seed")[3], ~std::uint64_t{0});
  EXPECT_TRUE(std::isnan(values_of<double>(reader, "runs", "makespan")[6]));
  EXPECT_EQ(values_of<double>(reader, "runs", "makespan")[7], 7.0 / 8);
  EXPECT_EQ(reader.rows("stages"), static_cast<std::uint64_t>(offset));

  const Column user = reader.column("stages", "user");
  EXPECT_EQ(user.meanings, (std::vector<std::string>{"ada", "ben", "olivia"}));
  const auto& users = std::get<std::vector<std::int32_t>>(user.data);
  const auto names = values_of<std::string>(reader, "stages", "name");
  const auto run = values_of<std::int32_t>(reader, "stages", "run");
  const auto memory = values_of<std::int64_t>(reader, "stages", "memory");
  std::size_t row = 0;
  const std::vector<std::vector<std::string>> known{{"ben", "ada"}, {"olivia", "ben"}, {"ada", "olivia"}};
  for (std::uint64_t r = 0; r < kRuns; ++r) {
    for (std::size_t i = 0; i < stages_of(r); ++i, ++row) {
      ASSERT_EQ(run[row], static_cast<std::int32_t>(r));
      ASSERT_EQ(names[row], i % 7 == 0 ? "ä" : "cc[" + std::to_string(i) + "]");
      ASSERT_EQ(memory[row], static_cast<std::int64_t>(i) << 33);
      const std::int32_t code = static_cast<std::int32_t>(i % 2) - (i % 5 == 4 ? 1 : 0);
      if (code < 0) {
        ASSERT_EQ(users[row], -1);
      } else {
        ASSERT_EQ(user.meanings.at(static_cast<std::size_t>(users[row])), known[r % 3][static_cast<std::size_t>(code)]);
      }
    }
  }
  EXPECT_EQ(reader.column("stages", "kind").meanings, (std::vector<std::string>{"run", "skip", "plan"}));
  EXPECT_EQ(reader.column("stages", "started_at").units, "s");
  EXPECT_EQ(reader.rows_of_run("stages", 1), (std::pair<std::uint64_t, std::uint64_t>{10, 21}));
  const auto [begin, end] = reader.rows_of_run("stages", 4);
  EXPECT_EQ(begin, end);
  const Column part = reader.column("stages", "started_at", 10, 12);
  EXPECT_EQ(std::get<std::vector<double>>(part.data), (std::vector<double>{1000.25, 1001.25}));
}

TEST(ResultsReader, GivesBackAResultsFile) {
  const TemporaryFolder folder;
  assemble(folder, one_part(), 0);
  const ResultsReader reader(folder / "out.h5");
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(reader.title(), "sample");
  expect_sample(reader);
}

TEST(ResultsReader, GivesBackAFolderOfParts) {
  const TemporaryFolder folder;
  assemble(folder, {{1, 4, 7}, {0, 2, 3}, {5, 6, 11}, {8, 9, 10}}, 0);
  std::filesystem::create_directory(folder / "x.part");
  for (int p = 0; p < 4; ++p) {
    const std::string name = "p" + std::to_string(p) + ".part";
    std::filesystem::rename(folder / name, folder / ("x.part/" + name));
  }
  const ResultsReader reader(folder / "x.part");
  EXPECT_FALSE(reader.complete());
  expect_sample(reader);
}

TEST(ResultsReader, SaysWhatItDoesNotHave) {
  const TemporaryFolder folder;
  assemble(folder, one_part(), 0);
  const ResultsReader reader(folder / "out.h5");
  try {
    static_cast<void>(reader.column("stages", "started"));
    FAIL() << "there is no such column";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'started_at'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(static_cast<void>(reader.rows("stage")), InputError);
}

TEST(ResultsReader, TellsAMissingFileFromOneThatIsNoResults) {
  const TemporaryFolder folder;
  try {
    ResultsReader(folder / "none.h5");
    FAIL() << "there is no such file";
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), InputError::Kind::kNoInput);
  }
  for (const std::string text : {"", "hello", "\x89HDF\r\n\x1a\nand then nothing"}) {
    testing::write_bytes(folder / "bad.h5", text);
    try {
      ResultsReader(folder / "bad.h5");
      FAIL() << "it is no results file";
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), InputError::Kind::kBadInput);
    }
  }
}

TEST(ResultsReader, SurvivesEveryTruncationOfAFile) {
  const TemporaryFolder folder;
  std::vector<RunRecord> records;
  for (std::uint64_t run = 0; run < kRuns; ++run) records.push_back(sample_run(run, 3));
  write_part(folder / "a.part", "id", records);
  StoredRuns stored({folder / "a.part"});
  write_results_file(folder / "out.h5", sample_facts(), stored, 0);
  const std::string whole = read_bytes(folder / "out.h5");
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    testing::write_bytes(folder / "cut.h5", whole.substr(0, size));
    EXPECT_THROW(ResultsReader(folder / "cut.h5").table("stages"), InputError) << size;
  }
}

}  // namespace
}  // namespace headroom
