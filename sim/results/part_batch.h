// Finished runs, many of them small, gathered until they are worth a file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/results/part_file.h"

namespace headroom {

/// Words of string tables, each with the code it got when it first came.
class NameTables {
 public:
  /// Codes of `words` in string table `table`.
  [[nodiscard]] std::vector<std::int32_t> codes(const std::string& table, const std::vector<std::string>& words);
  [[nodiscard]] const std::vector<std::string>& words(const std::string& table) { return tables_[table].words; }
  [[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> all() const;

 private:
  struct Names {
    std::vector<std::string> words;
    std::unordered_map<std::string, std::int32_t> codes;
  };
  std::map<std::string, Names> tables_;
};

/// The values of a run's columns, by table and column.
using MadeColumns = std::vector<std::vector<Column::Data>>;
[[nodiscard]] MadeColumns make_columns(const RunRecord& record);

class PartBatch {
 public:
  /// `made`: the columns of `record`. Nothing is referred to afterwards.
  void add(const RunRecord& record, MadeColumns made);
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The runs in the order of their numbers. The batch must outlive it, and is not to be added to after.
  [[nodiscard]] PartContent content();

 private:
  struct BatchTable {
    std::string name;
    std::vector<std::uint64_t> first_row{0};  ///< by run in order of arrival, as far as the table has come
    std::vector<Column> columns;
  };
  BatchTable& table(const std::string& name);
  void append(BatchTable& to, const TableSource& from, std::vector<Column::Data>& made);

  std::vector<PartRun> runs_;
  std::vector<BatchTable> tables_;
  NameTables names_;
  std::size_t bytes_ = 0;
};

/// About how many bytes its columns take.
[[nodiscard]] std::size_t bytes_of(const RunRecord& record);

}  // namespace headroom
