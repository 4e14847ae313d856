// Tables of columns of one length: what the results file is made of. Plain values; no HDF5 here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace headroom {

struct Column {
  /// Doubles: NaN is undefined. Codes: uint8 or int32 with `meanings`.
  using Data = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::int32_t>,
                            std::vector<std::uint8_t>, std::vector<std::string>, std::vector<std::uint64_t>>;
  std::string name, units, long_name;
  Data data;
  std::vector<std::string> meanings;  ///< of codes 0, 1, …; empty: not a code
  /// The string table that int32 codes refer to ("user": /names/user); `meanings` are then its words, and -1 is none.
  std::string names;
  bool minus_one_is_missing = false;  ///< int32: -1 is "there is none", told to readers as the fill value
};

struct Table {
  std::string name;  ///< "stages"
  std::vector<Column> columns;
  [[nodiscard]] std::size_t rows() const;
  /// Nullptr if there is none of that name.
  [[nodiscard]] const Column* find(const std::string& column) const;
};

[[nodiscard]] std::size_t rows_of(const Column::Data& data);

/// A column that is made when it is asked for, so that a large table is never in memory as a whole.
struct ColumnSource {
  Column column;  ///< everything but the data; `data` is empty but of the right type
  std::function<Column::Data()> make;
};

/// What a run gives to be stored. It may refer to the run's Work and RunReport, which must outlive it.
struct TableSource {
  std::string name;
  std::size_t rows = 0;
  std::vector<ColumnSource> columns;
};

/// Every column made.
[[nodiscard]] Table make_table(const TableSource& source);

}  // namespace headroom
