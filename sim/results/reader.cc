#include "sim/results/reader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "policies/check.h"
#include "sim/results/bytes.h"
#include "sim/results/hdf5.h"
#include "sim/results/reader_source.h"
#include "sim/results/results_file.h"
#include "workloads/diagnostics.h"

namespace headroom {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& message,
                         InputError::Kind kind = InputError::Kind::kBadInput) {
  throw InputError({Diagnostic{path, 0, 0, message, ""}}, kind);
}

/// Calls `get`, with what can be wrong with a file said as the input's fault.
template <class Get>
auto reading(const std::string& path, Get get) {
  try {
    return get();
  } catch (const h5::Error& error) {
    refuse(path, std::string("cannot be read as results: ") + error.what());
  } catch (const BytesDamaged&) {
    refuse(path, "a part file is damaged; --resume does its runs again");
  }
}

}  // namespace

ResultsReader::ResultsReader(const std::string& path) : path_(path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse(path, "no such file", InputError::Kind::kNoInput);
  source_ = reading(
      path, [&] { return std::filesystem::is_directory(status) ? open_part_folder(path) : open_hdf5_results(path); });
  const int version = reading(path, [&] { return source_->schema_version(); });
  if (version == kSchemaVersion) return;
  refuse(path, "holds results of schema version " + std::to_string(version) + ", and this program reads version " +
                   std::to_string(kSchemaVersion) +
                   (version < kSchemaVersion ? "; run its workload again" : "; read it with a newer one"));
}

ResultsReader::~ResultsReader() = default;
ResultsReader::ResultsReader(ResultsReader&&) noexcept = default;
ResultsReader& ResultsReader::operator=(ResultsReader&&) noexcept = default;

bool ResultsReader::complete() const {
  return reading(path_, [&] { return source_->complete(); });
}

std::string ResultsReader::title() const {
  return reading(path_, [&] { return source_->title(); });
}

std::vector<std::string> ResultsReader::tables() const {
  return reading(path_, [&] { return source_->tables(); });
}

bool ResultsReader::has(const std::string& table) const { return std::ranges::count(tables(), table) > 0; }

std::uint64_t ResultsReader::rows(const std::string& table) const {
  if (!has(table)) refuse(path_, "has no table '" + table + "'" + did_you_mean(table, tables()));
  return reading(path_, [&] { return source_->rows(table); });
}

std::vector<std::string> ResultsReader::columns(const std::string& table) const {
  if (!has(table)) refuse(path_, "has no table '" + table + "'" + did_you_mean(table, tables()));
  return reading(path_, [&] { return source_->columns(table); });
}

Column ResultsReader::column(const std::string& table, const std::string& name) const {
  return column(table, name, 0, rows(table));
}

Column ResultsReader::column(const std::string& table, const std::string& name, std::uint64_t first,
                             std::uint64_t last) const {
  const std::vector<std::string> known = columns(table);
  if (std::ranges::count(known, name) == 0) {
    refuse(path_, "table '" + table + "' has no column '" + name + "'" + did_you_mean(name, known));
  }
  HEADROOM_CHECK(first <= last && last <= rows(table), std::to_string(first) + " to " + std::to_string(last));
  return reading(path_, [&] { return source_->column(table, name, first, last); });
}

Table ResultsReader::table(const std::string& name) const {
  Table table{name, {}};
  for (const std::string& c : columns(name)) table.columns.push_back(column(name, c));
  return table;
}

std::vector<std::uint64_t> ResultsReader::runs() const {
  const Column run = column("runs", "run");
  const auto* numbers = std::get_if<std::vector<std::int32_t>>(&run.data);
  if (numbers == nullptr) refuse(path_, "column 'run' of /runs is not of whole numbers");
  return {numbers->begin(), numbers->end()};
}

std::pair<std::uint64_t, std::uint64_t> ResultsReader::rows_of_run(const std::string& table, std::uint64_t run) const {
  const Column column_run = column(table, "run");
  const auto* numbers = std::get_if<std::vector<std::int32_t>>(&column_run.data);
  if (numbers == nullptr) refuse(path_, "column 'run' of /" + table + " is not of whole numbers");
  const auto [begin, end] = std::ranges::equal_range(*numbers, static_cast<std::int32_t>(run));
  return {static_cast<std::uint64_t>(begin - numbers->begin()), static_cast<std::uint64_t>(end - numbers->begin())};
}

}  // namespace headroom
