// Building blocks of table definitions: one line a column.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/time.h"
#include "sim/results/table.h"

namespace headroom {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

[[nodiscard]] inline double seconds_or_nan(TimePoint t) { return t.is_never() ? kUndefined : t.in_seconds(); }
[[nodiscard]] inline double seconds_or_inf(Duration d) {
  return d.is_infinite() ? std::numeric_limits<double>::infinity() : d.in_seconds();
}

/// Collects the columns of a table of `rows` rows; each is a function of the row.
class TableMaker {
 public:
  TableMaker(std::string name, std::size_t rows) : table_{std::move(name), rows, {}} {}

  template <class Value, class Of>
  void add(std::string name, std::string units, std::string long_name, Of of) {
    Column column{std::move(name), std::move(units), std::move(long_name), std::vector<Value>{}, {}, {}, false};
    table_.columns.push_back({std::move(column), [rows = table_.rows, of = std::move(of)]() -> Column::Data {
                                std::vector<Value> values;
                                values.reserve(rows);
                                for (std::size_t row = 0; row < rows; ++row) values.push_back(of(row));
                                return values;
                              }});
  }
  /// Seconds.
  template <class Of>
  void time(std::string name, std::string long_name, Of of) {
    add<double>(std::move(name), "s", std::move(long_name), std::move(of));
  }
  template <class Of>
  void text(std::string name, std::string long_name, Of of) {
    add<std::string>(std::move(name), "1", std::move(long_name), std::move(of));
  }
  template <class Of>
  void number(std::string name, std::string units, std::string long_name, Of of) {
    add<std::int64_t>(std::move(name), std::move(units), std::move(long_name), std::move(of));
  }
  /// A code with its words.
  template <class Of>
  void code(std::string name, std::string long_name, std::vector<std::string> words, Of of) {
    add<std::uint8_t>(std::move(name), "1", std::move(long_name),
                      [of = std::move(of)](std::size_t row) { return static_cast<std::uint8_t>(of(row)); });
    table_.columns.back().column.meanings = std::move(words);
  }
  /// A code in the string table /names/`name`; -1 is none.
  template <class Of>
  void name_of(std::string name, std::string long_name, std::vector<std::string> words, Of of) {
    const std::string table = name;
    index(std::move(name), std::move(long_name), std::move(of));
    table_.columns.back().column.names = table;
    table_.columns.back().column.meanings = std::move(words);
  }
  /// A number of something, -1 where there is none.
  template <class Of>
  void index(std::string name, std::string long_name, Of of) {
    add<std::int32_t>(std::move(name), "1", std::move(long_name),
                      [of = std::move(of)](std::size_t row) { return static_cast<std::int32_t>(of(row)); });
    table_.columns.back().column.minus_one_is_missing = true;
  }
  /// A number of something that is always there.
  template <class Of>
  void ordinal(std::string name, std::string long_name, Of of) {
    add<std::int32_t>(std::move(name), "1", std::move(long_name),
                      [of = std::move(of)](std::size_t row) { return static_cast<std::int32_t>(of(row)); });
  }

  void add(ColumnSource column) { table_.columns.push_back(std::move(column)); }
  [[nodiscard]] const TableSource& table() const { return table_; }
  [[nodiscard]] TableSource take() { return std::move(table_); }

 private:
  TableSource table_;
};

template <class Words>
[[nodiscard]] std::vector<std::string> as_strings(const Words& words) {
  return {words.begin(), words.end()};
}

}  // namespace headroom
