// FILE.part/ as results.
#include <cstdlib>
#include <cstring>

#include "sim/results/part_store.h"
#include "sim/results/reader_source.h"
#include "sim/results/results_file.h"
#include "sim/results/stored_runs.h"

namespace headroom {
namespace {

/// Appends values of `width` bytes to the data.
void append(Column::Data& data, std::string_view bytes, std::size_t width) {
  std::visit(
      [&](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::string>) {
          for (; !bytes.empty(); bytes.remove_prefix(width)) {
            const std::string_view value = bytes.substr(0, width);
            values.emplace_back(value.substr(0, value.find('\0')));
          }
        } else {
          const std::size_t before = values.size();
          values.resize(before + bytes.size() / sizeof(Value));
          std::memcpy(values.data() + before, bytes.data(), bytes.size());
        }
      },
      data);
}

class PartFolder final : public ResultsReader::Source {
 public:
  explicit PartFolder(const std::string& path)
      : schema_version_(read_identity(path + "/study")["schema version"]), runs_(part_paths(path)) {}

  bool complete() override { return false; }
  /// A folder that is no study's is found out by the tables that it lacks.
  int schema_version() override {
    return schema_version_.empty() ? kSchemaVersion : std::atoi(schema_version_.c_str());
  }
  std::string title() override { return ""; }
  std::vector<std::string> tables() override {
    std::vector<std::string> names;
    for (const MergedTable& table : runs_.tables()) names.push_back(table.name);
    return names;
  }
  std::uint64_t rows(const std::string& table) override { return runs_.find(table)->rows; }
  std::vector<std::string> columns(const std::string& table) override {
    std::vector<std::string> names;
    for (const MergedColumn& column : runs_.find(table)->columns) names.push_back(column.column.name);
    return names;
  }
  Column column(const std::string& table, const std::string& name, std::uint64_t first, std::uint64_t last) override {
    const MergedTable& from = *runs_.find(table);
    const std::size_t index = from.index_of(name);
    Column column = from.columns[index].column;
    const std::size_t width = from.columns[index].width;
    runs_.read(from, first, last, index,
               [&](std::size_t, std::string_view bytes) { append(column.data, bytes, width); });
    return column;
  }

 private:
  std::string schema_version_;
  StoredRuns runs_;
};

}  // namespace

std::unique_ptr<ResultsReader::Source> open_part_folder(const std::string& path) {
  return std::make_unique<PartFolder>(path);
}

}  // namespace headroom
