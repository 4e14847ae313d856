#include "sim/results/table.h"

#include <utility>

#include "policies/check.h"

namespace headroom {

std::size_t rows_of(const Column::Data& data) {
  return std::visit([](const auto& values) { return values.size(); }, data);
}

std::size_t Table::rows() const { return columns.empty() ? 0 : rows_of(columns.front().data); }

const Column* Table::find(const std::string& column) const {
  for (const Column& c : columns) {
    if (c.name == column) return &c;
  }
  return nullptr;
}

Table make_table(const TableSource& source) {
  Table table{source.name, {}};
  table.columns.reserve(source.columns.size());
  for (const ColumnSource& from : source.columns) {
    Column column = from.column;
    column.data = from.make();
    HEADROOM_CHECK(rows_of(column.data) == source.rows, source.name + "/" + column.name + " has " +
                                                            std::to_string(rows_of(column.data)) + " rows of " +
                                                            std::to_string(source.rows));
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace headroom
