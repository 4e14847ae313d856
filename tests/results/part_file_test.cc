#include "sim/results/part_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "sim/results/byte_planes.h"
#include "sim/results/bytes.h"
#include "tests/results/samples.h"

namespace headroom {
namespace {

using testing::read_bytes;
using testing::sample_run;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(BytePlanes, GiveBackWhatTheyTook) {
  for (const std::size_t width : {1U, 2U, 3U, 4U, 8U, 10U}) {
    for (const std::size_t count : {1U, 2U, 1000U}) {
      std::string values;
      for (std::size_t i = 0; i < width * count; ++i) values += static_cast<char>(i % width == 0 ? i * 31 : 7);
      std::string planes;
      encode_planes(values, width, planes);
      std::string back(values.size(), '\0');
      decode_planes(planes, width, back);
      EXPECT_EQ(back, values) << width << " x " << count;
    }
  }
}

TEST(BytePlanes, StoreAConstantByteOnce) {
  std::string planes;
  encode_planes(std::string(8 * 1000, '\5'), 8, planes);
  EXPECT_EQ(planes.size(), 8U * 2);
}

TEST(BytePlanes, RefuseAnyOtherLength) {
  std::string planes, back(30, '\0');
  encode_planes("abcdefghijabcdefghijABCDEFGHIJ", 10, planes);
  for (std::size_t size = 0; size < planes.size(); ++size) {
    EXPECT_THROW(decode_planes(planes.substr(0, size), 10, back), BytesDamaged) << size;
  }
  EXPECT_THROW(decode_planes(planes + "x", 10, back), BytesDamaged);
}

std::string all_bytes(PartReader& reader, const StoredColumn& column, std::uint64_t first, std::uint64_t last) {
  std::string bytes;
  reader.read(column, first, last, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

TEST(PartFile, GivesBackSummariesExtrasAndRows) {
  const TemporaryFolder folder;
  const std::string path = folder / "run-3.part";
  const std::vector<RunRecord> records{sample_run(3, 5), sample_run(8, 0), sample_run(9, 200'000)};
  write_part(path, "identity", records);
  PartReader reader(path, true);
  EXPECT_EQ(reader.identity(), "identity");
  EXPECT_EQ(reader.runs(), (std::vector<std::uint64_t>{3, 8, 9}));
  EXPECT_EQ(reader.summary(1), "summary of 8");
  EXPECT_EQ(reader.extra(2), "extra of 9");
  const StoredTable* stages = reader.find("stages");
  ASSERT_NE(stages, nullptr);
  EXPECT_EQ(stages->first_row, (std::vector<std::uint64_t>{0, 5, 5, 200'005}));
  const auto column =
      std::ranges::find(stages->columns, "started_at", [](const StoredColumn& c) { return c.column.name; });
  ASSERT_NE(column, stages->columns.end());
  EXPECT_GT(column->frames.size(), 3U) << "a long column has several frames";
  const std::string bytes = all_bytes(reader, *column, 4, 150'000);
  ASSERT_EQ(bytes.size(), (150'000U - 4) * sizeof(double));
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  EXPECT_EQ(values[0], 3004.25);
  for (std::size_t i = 1; i < values.size(); ++i) ASSERT_EQ(values[i], 9000.25 + static_cast<double>(i - 1));
}

TEST(PartFile, LeavesNoTemporaryFile) {
  const TemporaryFolder folder;
  write_part(folder / "a.part", "", std::vector{sample_run(0, 3)});
  EXPECT_FALSE(std::filesystem::exists(folder / "a.part.tmp"));
}

TEST(PartFile, NoticesAByteThatChanges) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.part";
  write_part(path, "id", std::vector{sample_run(5, 3)});
  const std::string whole = read_bytes(path);
  ASSERT_NO_THROW(PartReader(path, true));
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    write_bytes(path, damaged);
    EXPECT_THROW(PartReader(path, true), BytesDamaged) << "byte " << at << " of " << whole.size();
  }
}

TEST(PartFile, NoticesATruncation) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.part";
  write_part(path, "id", std::vector{sample_run(5, 3)});
  const std::string whole = read_bytes(path);
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    write_bytes(path, whole.substr(0, size));
    EXPECT_THROW(PartReader(path, true), BytesDamaged) << size;
  }
}

}  // namespace
}  // namespace headroom
