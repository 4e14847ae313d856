// The runs of a study as they lie in part files, seen as the tables of the results file: all runs below each other in
// the order of their numbers, with the column `run` and the offsets of /runs added, and one set of codes for names. A
// plain run, a resumed one and a reader of an unfinished study all look through this, so they cannot differ.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/part_file.h"

namespace headroom {

struct MergedColumn {
  Column column;  ///< everything but the data; `meanings` of a string table's column are its words, sorted
  ColumnType type = ColumnType::kDouble;
  std::size_t width = 8;
};

struct MergedTable {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<MergedColumn> columns;                                  ///< `run` first
  [[nodiscard]] std::size_t index_of(std::string_view column) const;  ///< columns.size(): there is none
};

class StoredRuns {
 public:
  /// Reads every directory once; keeps the index, not the directories. Of a run that is there twice, the first counts.
  /// Fails  BytesDamaged.
  explicit StoredRuns(const std::vector<std::string>& part_paths);

  /// Rising.
  [[nodiscard]] const std::vector<std::uint64_t>& runs() const { return run_numbers_; }
  /// In a fixed order, whatever parts there are.
  [[nodiscard]] const std::vector<MergedTable>& tables() const { return tables_; }
  [[nodiscard]] const MergedTable* find(const std::string& table) const;
  /// The words of every string table, sorted.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& names() const { return names_; }

  /// By index into runs().
  [[nodiscard]] std::string summary(std::size_t index);
  [[nodiscard]] std::string extra(std::size_t index);

  /// Calls `take` with (index of the column, bytes of whole values of its width) for rows [first, last): of each column
  /// in order of the rows; the columns take turns, a stretch of runs at a time.
  /// `only`  one column, or columns.size() for all.
  void read(const MergedTable& table, std::uint64_t first, std::uint64_t last, std::size_t only,
            const std::function<void(std::size_t column, std::string_view bytes)>& take);

 private:
  struct Place {
    std::uint32_t part = 0, position = 0;
  };
  struct Offsets {  ///< of a table: where the rows of each run begin, by index into runs(); one more for the end
    std::vector<std::uint64_t> first_row;
  };

  void index_part(std::uint32_t part, const PartReader& reader);
  void add_schema(const PartReader& reader);
  void finish_schema();
  PartReader& part(std::uint32_t index);
  using Take = std::function<void(std::size_t, std::string_view)>;
  struct Stretch {  ///< rows [first_row, last_row) of a table, of runs [begin, end), which follow each other in one
                    ///< part
    std::size_t begin = 0, end = 0;
    std::uint64_t first_row = 0, last_row = 0;
  };
  void read_stretch(const MergedTable& table, const Stretch& stretch, std::size_t only, const Take& take);
  void read_stored(PartReader& reader, const MergedColumn& to, const StoredColumn& from, std::uint64_t first,
                   std::uint64_t last, std::size_t column, const Take& take);
  void make_offsets(const std::string& column_name, const Stretch& stretch, std::size_t column, const Take& take) const;
  void make_run_numbers(const MergedTable& table, const Stretch& stretch, const Take& take) const;

  std::vector<std::string> paths_;
  std::vector<std::uint64_t> run_numbers_;
  std::vector<Place> places_;
  std::vector<MergedTable> tables_;
  std::map<std::string, Offsets> offsets_;
  std::map<std::string, std::vector<std::string>> names_;

  /// The parts used last, the latest first: threads finish runs in about their order, so few are needed at a time.
  std::list<std::pair<std::uint32_t, std::unique_ptr<PartReader>>> open_;
};

}  // namespace headroom
