// One file of FILE.part/: a finished run, or a batch of small ones, in our own columnar format. Every piece carries a
// checksum, so that a file cut short or damaged is noticed and its runs are simply done again. Not for exchange: it is
// read back by the same build, into the results file.
//
//   magic | frames and blobs, in any order | directory | offset, size and CRC of the directory | magic
//
// A column is a sequence of frames of at most half a MiB; each can be read alone. The rows of the runs follow each
// other in the order in which the runs were given.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/results/posix_file.h"
#include "sim/results/table.h"

namespace headroom {

/// A finished run on its way to the disk. The tables lack the column `run`, which is added on the way out.
struct RunRecord {
  std::uint64_t run = 0;
  std::string summary;  ///< opaque here: what the summary of a study needs of a run that was done earlier
  std::string extra;    ///< opaque here: larger, read back on request only
  std::vector<TableSource> tables;
};

enum class ColumnType : std::uint8_t { kDouble, kInt64, kInt32, kUint8, kString, kUint64 };  ///< as in Column::Data

struct StoredColumn {
  Column column;  ///< everything but the data
  ColumnType type = ColumnType::kDouble;
  std::size_t width = 8;  ///< bytes a value; of strings the longest, at least 1
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> frames;  ///< offsets in the file, and the end of the last
  [[nodiscard]] std::size_t frame_rows() const;
};

struct StoredTable {
  std::string name;
  std::vector<std::uint64_t> first_row;  ///< by position of the run in the file; one more for the end
  std::vector<StoredColumn> columns;
};

/// What a part file is made of.
struct PartRun {
  std::uint64_t run = 0;
  std::string summary, extra;
};
struct PartTable {
  std::string name;
  std::vector<std::uint64_t> first_row;  ///< by position of the run; one more for the end
  std::vector<ColumnSource> columns;     ///< of all rows; each is made once
};
struct PartContent {
  std::vector<PartRun> runs;
  std::vector<PartTable> tables;
};

/// Writes the file under a temporary name, then fsync, rename. Makes one column at a time.
/// `identity`  of the study; a reader compares it.
/// Fails       OutputError.
void write_part(const std::string& path, const std::string& identity, const PartContent& content);
/// One run, a column at a time; several, all made first.
void write_part(const std::string& path, const std::string& identity, std::span<const RunRecord> records);

class PartReader {
 public:
  /// Reads the directory, and every byte where `verify` is set.
  /// Fails  BytesDamaged (sim/results/bytes.h) if the file is not whole or cannot be read.
  PartReader(std::string path, bool verify);

  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] const std::vector<std::uint64_t>& runs() const { return runs_; }
  [[nodiscard]] const std::vector<StoredTable>& tables() const { return tables_; }
  [[nodiscard]] const StoredTable* find(const std::string& table) const;
  /// The words of a string table, by this file's codes.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& names() const { return names_; }

  [[nodiscard]] std::string summary(std::size_t position) const { return blob(summaries_[position]); }
  [[nodiscard]] std::string extra(std::size_t position) const { return blob(extras_[position]); }

  /// Calls `take` with the bytes of rows [first, last) of a column of `table`, in pieces and in order.
  /// Fails  BytesDamaged.
  void read(const StoredColumn& column, std::uint64_t first, std::uint64_t last,
            const std::function<void(std::string_view)>& take);
  /// Forgets what it keeps to be faster: at most half a MiB a column.
  void let_go() { held_.clear(); }

 private:
  struct Blob {
    std::uint64_t offset = 0, size = 0;
    std::uint32_t crc = 0;
  };
  [[nodiscard]] std::string bytes(std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] std::string blob(const Blob& blob) const;
  [[nodiscard]] std::string frame(const StoredColumn& column, std::size_t index) const;
  [[nodiscard]] std::string directory() const;
  void read_directory();
  void read_table(class ByteReader& in);
  void verify_all() const;

  std::string path_;
  std::uint64_t file_size_ = 0;
  std::string identity_;
  std::vector<std::uint64_t> runs_;
  std::vector<Blob> summaries_, extras_;
  std::map<std::string, std::vector<std::string>> names_;
  std::vector<StoredTable> tables_;

  /// The frame of each column that was decoded last: neighbouring runs of a batch share one.
  struct Held {
    std::size_t frame = 0;
    std::string values;
  };
  std::unordered_map<const StoredColumn*, Held> held_;
};

}  // namespace headroom
