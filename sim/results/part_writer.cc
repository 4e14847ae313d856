// Writing a part file.
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "policies/check.h"
#include "sim/results/byte_planes.h"
#include "sim/results/bytes.h"
#include "sim/results/part_batch.h"
#include "sim/results/part_file.h"
#include "sim/results/part_format.h"

namespace headroom {
namespace {

std::size_t width_of(const Column::Data& data) {
  return std::visit(
      [](const auto& values) -> std::size_t {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::string>) {
          std::size_t longest = 1;
          for (const std::string& value : values) longest = std::max(longest, value.size());
          return longest;
        } else {
          return sizeof(Value);
        }
      },
      data);
}

class PartWriter {
 public:
  PartWriter(const std::string& path, const PartContent& content) : file_(path), content_(content) {
    file_.write(kPartMagic);
  }

  void write(const std::string& identity) {
    ByteWriter out;
    out.put(identity);
    out.put(std::uint64_t{content_.runs.size()});
    for (const PartRun& run : content_.runs) {
      out.put(run.run);
      put_blob(run.summary, out);
      put_blob(run.extra, out);
    }
    out.put(std::uint64_t{content_.tables.size()});
    for (const PartTable& table : content_.tables) put_table(table, out);
    const auto names = names_.all();
    out.put(std::uint64_t{names.size()});
    for (const auto& [name, words] : names) {
      out.put(name);
      out.put_all(words);
    }
    finish(out.bytes());
  }

 private:
  void finish(const std::string& directory) {
    ByteWriter trailer;
    trailer.put(file_.size());
    trailer.put(std::uint64_t{directory.size()});
    trailer.put(crc_of(directory));
    file_.write(directory);
    file_.write(trailer.bytes());
    file_.write(kPartMagic);
    file_.commit();
  }

  void put_blob(const std::string& blob, ByteWriter& out) {
    out.put(file_.size());
    out.put(std::uint64_t{blob.size()});
    out.put(crc_of(blob));
    file_.write(blob);
  }

  void put_table(const PartTable& table, ByteWriter& out) {
    out.put(table.name);
    out.put_all(table.first_row);
    out.put(std::uint64_t{table.columns.size()});
    for (const ColumnSource& source : table.columns) put_column(source, table, out);
  }

  void put_column(const ColumnSource& source, const PartTable& table, ByteWriter& out) {
    const Column& column = source.column;
    Column::Data data = source.make();
    HEADROOM_CHECK(rows_of(data) == table.first_row.back() && data.index() == column.data.index(),
                   table.name + "/" + column.name + ": " + std::to_string(rows_of(data)) + " of " +
                       std::to_string(table.first_row.back()) + " rows");
    if (!column.names.empty()) recode(std::get<std::vector<std::int32_t>>(data), column.names, column.meanings);
    const std::size_t width = width_of(data);
    out.put(column.name);
    out.put(column.units);
    out.put(column.long_name);
    out.put_all(column.names.empty() ? column.meanings : std::vector<std::string>{});
    out.put(column.names);
    out.put(std::uint8_t{column.minus_one_is_missing});
    out.put(static_cast<std::uint8_t>(column.data.index()));
    out.put(std::uint64_t{width});
    frames_.assign(1, file_.size());
    pending_.clear();
    std::visit([&](const auto& values) { put_values(values, width); }, data);
    if (!pending_.empty()) put_frame(width);
    out.put_all(frames_);
  }

  void recode(std::vector<std::int32_t>& values, const std::string& table, const std::vector<std::string>& words) {
    const std::vector<std::int32_t> codes = names_.codes(table, words);
    for (std::int32_t& value : values) {
      if (value >= 0) value = codes.at(static_cast<std::size_t>(value));
    }
  }

  template <class Value>
  void put_values(const std::vector<Value>& values, std::size_t width) {
    const std::size_t full = frame_rows_of(width) * width;
    if constexpr (std::is_same_v<Value, std::string>) {
      for (const std::string& value : values) {
        pending_ += value;
        pending_.append(width - value.size(), '\0');
        if (pending_.size() == full) put_frame(width);
      }
    } else {
      std::string_view left(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
      while (!left.empty()) {
        const std::string_view taken = left.substr(0, full - pending_.size());
        pending_ += taken;
        left.remove_prefix(taken.size());
        if (pending_.size() == full) put_frame(width);
      }
    }
  }

  void put_frame(std::size_t width) {
    encoded_.clear();
    encode_planes(pending_, width, encoded_);
    ByteWriter crc;
    crc.put(crc_of(encoded_));
    file_.write(crc.bytes());
    file_.write(encoded_);
    frames_.push_back(file_.size());
    pending_.clear();
  }

  DurableFile file_;
  const PartContent& content_;
  NameTables names_;
  std::vector<std::uint64_t> frames_;
  std::string pending_, encoded_;
};

}  // namespace

void write_part(const std::string& path, const std::string& identity, const PartContent& content) {
  PartWriter(path, content).write(identity);
}

void write_part(const std::string& path, const std::string& identity, std::span<const RunRecord> records) {
  if (records.size() != 1) {
    PartBatch batch;
    for (const RunRecord& record : records) batch.add(record, make_columns(record));
    write_part(path, identity, batch.content());
    return;
  }
  const RunRecord& record = records.front();
  PartContent content;
  content.runs.push_back({record.run, record.summary, record.extra});
  for (const TableSource& table : record.tables) content.tables.push_back({table.name, {0, table.rows}, table.columns});
  write_part(path, identity, content);
}

}  // namespace headroom
