#include "sim/results/part_batch.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "policies/check.h"

namespace headroom {

std::vector<std::int32_t> NameTables::codes(const std::string& table, const std::vector<std::string>& words) {
  Names& names = tables_[table];
  std::vector<std::int32_t> codes;
  codes.reserve(words.size());
  for (const std::string& word : words) {
    const auto [at, is_new] = names.codes.try_emplace(word, static_cast<std::int32_t>(names.words.size()));
    if (is_new) names.words.push_back(word);
    codes.push_back(at->second);
  }
  return codes;
}

std::vector<std::pair<std::string, std::vector<std::string>>> NameTables::all() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const auto& [name, names] : tables_) all.emplace_back(name, names.words);
  return all;
}

std::size_t bytes_of(const RunRecord& record) {
  std::size_t bytes = record.summary.size() + record.extra.size();
  for (const TableSource& table : record.tables) bytes += table.rows * table.columns.size() * 8;
  return bytes;
}

MadeColumns make_columns(const RunRecord& record) {
  MadeColumns made(record.tables.size());
  for (std::size_t t = 0; t < made.size(); ++t) {
    made[t].reserve(record.tables[t].columns.size());
    for (const ColumnSource& column : record.tables[t].columns) made[t].push_back(column.make());
  }
  return made;
}

PartBatch::BatchTable& PartBatch::table(const std::string& name) {
  for (BatchTable& table : tables_) {
    if (table.name == name) return table;
  }
  tables_.push_back({name, {0}, {}});
  return tables_.back();
}

void PartBatch::add(const RunRecord& record, MadeColumns made) {
  bytes_ += bytes_of(record);
  for (std::size_t t = 0; t < made.size(); ++t) {
    BatchTable& to = table(record.tables[t].name);
    to.first_row.resize(runs_.size() + 1, to.first_row.back());  // Runs before that had no such table.
    append(to, record.tables[t], made[t]);
  }
  runs_.push_back({record.run, record.summary, record.extra});
}

void PartBatch::append(BatchTable& to, const TableSource& from, std::vector<Column::Data>& made) {
  if (to.columns.empty()) {
    for (const ColumnSource& source : from.columns) to.columns.push_back(source.column);
  }
  HEADROOM_CHECK(to.columns.size() == made.size(), to.name);
  for (std::size_t c = 0; c < made.size(); ++c) {
    const Column& column = from.columns[c].column;
    HEADROOM_CHECK(rows_of(made[c]) == from.rows && made[c].index() == to.columns[c].data.index(),
                   to.name + "/" + column.name + ": " + std::to_string(rows_of(made[c])) + " of " +
                       std::to_string(from.rows) + " rows");
    if (!column.names.empty()) {
      const std::vector<std::int32_t> codes = names_.codes(column.names, column.meanings);
      for (std::int32_t& value : std::get<std::vector<std::int32_t>>(made[c])) {
        if (value >= 0) value = codes.at(static_cast<std::size_t>(value));
      }
    }
    std::visit(
        [&](auto& values) {
          auto& more = std::get<std::decay_t<decltype(values)>>(made[c]);
          values.insert(values.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        },
        to.columns[c].data);
  }
  to.first_row.push_back(to.first_row.back() + from.rows);
}

PartContent PartBatch::content() {
  std::vector<std::size_t> order(runs_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [this](std::size_t i) { return runs_[i].run; });
  PartContent content;
  for (const std::size_t i : order) content.runs.push_back(std::move(runs_[i]));
  for (BatchTable& from : tables_) {
    from.first_row.resize(order.size() + 1, from.first_row.back());
    PartTable table{from.name, {0}, {}};
    for (const std::size_t i : order) {
      table.first_row.push_back(table.first_row.back() + from.first_row[i + 1] - from.first_row[i]);
    }
    for (Column& column : from.columns) {
      Column empty{column.name,     column.units, column.long_name,           {},
                   column.meanings, column.names, column.minus_one_is_missing};
      if (!column.names.empty()) empty.meanings = names_.words(column.names);
      std::visit([&](const auto& values) { empty.data = std::decay_t<decltype(values)>{}; }, column.data);
      // In the order of the runs; each column is asked for once.
      auto make = [&from, &column, order]() -> Column::Data {
        return std::visit(
            [&](auto& values) -> Column::Data {
              std::decay_t<decltype(values)> sorted;
              sorted.reserve(values.size());
              for (const std::size_t i : order) {
                const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from.first_row[i]);
                const auto end = values.begin() + static_cast<std::ptrdiff_t>(from.first_row[i + 1]);
                sorted.insert(sorted.end(), std::make_move_iterator(begin), std::make_move_iterator(end));
              }
              return sorted;
            },
            column.data);
      };
      table.columns.push_back({std::move(empty), std::move(make)});
    }
    content.tables.push_back(std::move(table));
  }
  return content;
}

}  // namespace headroom
