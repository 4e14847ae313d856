#include "sim/results/stored_runs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "policies/check.h"
#include "sim/results/bytes.h"

namespace headroom {
namespace {

constexpr std::size_t kOpenParts = 8;

// The order of the groups in a results file; what is not listed comes after, by name.
constexpr std::array<std::string_view, 18> kTableOrder{
    "runs",      "classes",     "tenants",      "workflows",  "stages",   "dependencies",
    "holds",     "capacity",    "node_classes", "events",     "audit",    "replies",
    "describes", "queue_views", "queue",        "priorities", "warnings", "repairs"};

std::size_t rank_of(const std::string& table) {
  return static_cast<std::size_t>(std::ranges::find(kTableOrder, table) - kTableOrder.begin());
}

// Tables whose first row of each run /runs tells.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOffsets{
    {{"workflows", "workflow_offset"}, {"stages", "stage_offset"}, {"events", "event_offset"}}};

MergedColumn run_column() {
  MergedColumn run;
  run.column.name = "run";
  run.column.units = "1";
  run.column.long_name = "number of the run";
  run.column.data = std::vector<std::int32_t>{};
  run.type = ColumnType::kInt32;
  run.width = sizeof(std::int32_t);
  return run;
}

MergedColumn offset_column(std::string_view table, std::string_view name) {
  MergedColumn offset;
  offset.column.name = std::string(name);
  offset.column.units = "1";
  offset.column.long_name = "first row of the run in /" + std::string(table);
  offset.column.data = std::vector<std::int64_t>{};
  offset.type = ColumnType::kInt64;
  offset.width = sizeof(std::int64_t);
  return offset;
}

}  // namespace

std::size_t MergedTable::index_of(std::string_view column) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].column.name == column) return i;
  }
  return columns.size();
}

StoredRuns::StoredRuns(const std::vector<std::string>& part_paths) : paths_(part_paths) {
  std::map<std::uint64_t, Place> found;
  for (std::uint32_t p = 0; p < paths_.size(); ++p) {
    const PartReader reader(paths_[p], false);
    for (std::uint32_t i = 0; i < reader.runs().size(); ++i) found.try_emplace(reader.runs()[i], Place{p, i});
    add_schema(reader);
  }
  for (const auto& [run, place] : found) {
    run_numbers_.push_back(run);
    places_.push_back(place);
  }
  for (const MergedTable& table : tables_) offsets_[table.name].first_row.assign(run_numbers_.size() + 1, 0);
  for (std::uint32_t p = 0; p < paths_.size(); ++p) index_part(p, PartReader(paths_[p], false));
  finish_schema();
}

void StoredRuns::add_schema(const PartReader& reader) {
  for (const auto& [name, words] : reader.names()) {
    std::vector<std::string>& all = names_[name];
    all.insert(all.end(), words.begin(), words.end());
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
  }
  for (const StoredTable& stored : reader.tables()) {
    auto table = std::ranges::find(tables_, stored.name, &MergedTable::name);
    if (table == tables_.end()) {
      MergedTable fresh;
      fresh.name = stored.name;
      fresh.columns.push_back(run_column());
      for (const StoredColumn& c : stored.columns) fresh.columns.push_back({c.column, c.type, c.width});
      tables_.push_back(std::move(fresh));
      continue;
    }
    if (table->columns.size() != stored.columns.size() + 1) throw BytesDamaged();
    for (std::size_t c = 0; c < stored.columns.size(); ++c) {
      MergedColumn& merged = table->columns[c + 1];
      if (merged.column.name != stored.columns[c].column.name || merged.type != stored.columns[c].type) {
        throw BytesDamaged();
      }
      merged.width = std::max(merged.width, stored.columns[c].width);
    }
  }
}

// Row counts of this part's runs, each at the index after its own, to be summed up.
void StoredRuns::index_part(std::uint32_t part, const PartReader& reader) {
  for (std::uint32_t i = 0; i < reader.runs().size(); ++i) {
    const auto at = std::ranges::lower_bound(run_numbers_, reader.runs()[i]);
    const auto index = static_cast<std::size_t>(at - run_numbers_.begin());
    if (places_[index].part != part || places_[index].position != i) continue;
    for (const StoredTable& table : reader.tables()) {
      offsets_[table.name].first_row[index + 1] = table.first_row[i + 1] - table.first_row[i];
    }
  }
}

void StoredRuns::finish_schema() {
  for (MergedTable& table : tables_) {
    std::vector<std::uint64_t>& first = offsets_[table.name].first_row;
    std::partial_sum(first.begin(), first.end(), first.begin());
    table.rows = first.back();
    for (MergedColumn& column : table.columns) {
      if (!column.column.names.empty()) column.column.meanings = names_[column.column.names];
    }
  }
  std::ranges::sort(tables_, {}, [](const MergedTable& t) { return std::pair(rank_of(t.name), t.name); });
  const auto runs = std::ranges::find(tables_, "runs", &MergedTable::name);
  if (runs == tables_.end()) return;
  for (const auto& [table, column] : kOffsets) {
    if (find(std::string(table)) != nullptr) runs->columns.push_back(offset_column(table, column));
  }
}

const MergedTable* StoredRuns::find(const std::string& table) const {
  const auto found = std::ranges::find(tables_, table, &MergedTable::name);
  return found == tables_.end() ? nullptr : &*found;
}

PartReader& StoredRuns::part(std::uint32_t index) {
  const auto found = std::ranges::find(open_, index, [](const auto& entry) { return entry.first; });
  if (found != open_.begin() && !open_.empty()) open_.front().second->let_go();
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
  } else {
    open_.emplace_front(index, std::make_unique<PartReader>(paths_[index], false));
    if (open_.size() > kOpenParts) open_.pop_back();
  }
  return *open_.front().second;
}

std::string StoredRuns::summary(std::size_t index) {
  return part(places_[index].part).summary(places_[index].position);
}
std::string StoredRuns::extra(std::size_t index) { return part(places_[index].part).extra(places_[index].position); }

void StoredRuns::read(const MergedTable& table, std::uint64_t first, std::uint64_t last, std::size_t only,
                      const Take& take) {
  const std::vector<std::uint64_t>& rows = offsets_.at(table.name).first_row;
  // The run that holds the first row: the last one that begins at or before it.
  auto begin = static_cast<std::size_t>(std::ranges::upper_bound(rows, first) - rows.begin()) - 1;
  for (; begin < places_.size() && rows[begin] < last;) {
    std::size_t end = begin + 1;
    while (end < places_.size() && rows[end] < last && places_[end].part == places_[begin].part &&
           places_[end].position == places_[end - 1].position + 1) {
      ++end;
    }
    const Stretch stretch{begin, end, std::max(first, rows[begin]), std::min(last, rows[end])};
    if (stretch.first_row < stretch.last_row) read_stretch(table, stretch, only, take);
    begin = end;
  }
}

void StoredRuns::read_stretch(const MergedTable& table, const Stretch& stretch, std::size_t only, const Take& take) {
  const Place place = places_[stretch.begin];
  PartReader& reader = part(place.part);
  const StoredTable* stored = reader.find(table.name);
  HEADROOM_CHECK(stored != nullptr, table.name);
  const std::uint64_t skipped = stretch.first_row - offsets_.at(table.name).first_row[stretch.begin];
  const std::uint64_t first = stored->first_row[place.position] + skipped;
  const std::uint64_t last = first + (stretch.last_row - stretch.first_row);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (only != table.columns.size() && only != c) continue;
    if (c == 0) {
      make_run_numbers(table, stretch, take);
    } else if (c > stored->columns.size()) {
      make_offsets(table.columns[c].column.name, stretch, c, take);
    } else {
      read_stored(reader, table.columns[c], stored->columns[c - 1], first, last, c, take);
    }
  }
}

// In /runs, where each run has a row.
void StoredRuns::make_offsets(const std::string& column_name, const Stretch& stretch, std::size_t column,
                              const Take& take) const {
  const auto kind = std::ranges::find(kOffsets, column_name, [](const auto& o) { return o.second; });
  const std::vector<std::uint64_t>& offsets = offsets_.at(std::string(kind->first)).first_row;
  for (std::uint64_t row = stretch.first_row; row < stretch.last_row; ++row) {
    const auto value = static_cast<std::int64_t>(offsets[row]);
    take(column, {reinterpret_cast<const char*>(&value), sizeof value});
  }
}

void StoredRuns::make_run_numbers(const MergedTable& table, const Stretch& stretch, const Take& take) const {
  const std::vector<std::uint64_t>& rows = offsets_.at(table.name).first_row;
  std::vector<std::int32_t> numbers;
  numbers.reserve(stretch.last_row - stretch.first_row);
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    const std::uint64_t low = std::max(rows[i], stretch.first_row), high = std::min(rows[i + 1], stretch.last_row);
    if (low < high) numbers.insert(numbers.end(), high - low, static_cast<std::int32_t>(run_numbers_[i]));
  }
  take(0, {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t)});
}

void StoredRuns::read_stored(PartReader& reader, const MergedColumn& to, const StoredColumn& from, std::uint64_t first,
                             std::uint64_t last, std::size_t column, const Take& take) {
  if (!to.column.names.empty()) {
    const std::vector<std::string>& local = reader.names().at(to.column.names);
    const std::vector<std::string>& all = names_.at(to.column.names);
    std::vector<std::int32_t> code(local.size());
    for (std::size_t i = 0; i < local.size(); ++i) {
      code[i] = static_cast<std::int32_t>(std::ranges::lower_bound(all, local[i]) - all.begin());
    }
    std::vector<std::int32_t> values;
    reader.read(from, first, last, [&](std::string_view bytes) {
      values.resize(bytes.size() / sizeof(std::int32_t));
      std::memcpy(values.data(), bytes.data(), bytes.size());
      for (std::int32_t& value : values) {
        if (value >= 0) value = code.at(static_cast<std::size_t>(value));
      }
      take(column, {reinterpret_cast<const char*>(values.data()), bytes.size()});
    });
    return;
  }
  if (from.width == to.width) {
    reader.read(from, first, last, [&](std::string_view bytes) { take(column, bytes); });
    return;
  }
  std::string padded;  // A string column whose longest value is in another part.
  reader.read(from, first, last, [&](std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(from.width)) {
      padded += bytes.substr(0, from.width);
      padded.append(to.width - from.width, '\0');
      if (padded.size() >= (std::size_t{1} << 17)) {
        take(column, padded);
        padded.clear();
      }
    }
  });
  if (!padded.empty()) take(column, padded);
}

}  // namespace headroom
