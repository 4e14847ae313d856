// Writing a part file.
#include <zlib.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "policies/check.h"
#include "sim/results/byte_planes.h"
#include "sim/results/bytes.h"
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

/// Codes of one run's own words to the file's.
class NameTables {
 public:
  /// The file's code of each of `words`.
  std::vector<std::int32_t> codes(const std::string& table, const std::vector<std::string>& words) {
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
  void put(ByteWriter& out) const {
    out.put(std::uint64_t{tables_.size()});
    for (const auto& [name, names] : tables_) {
      out.put(name);
      out.put_all(names.words);
    }
  }

 private:
  struct Names {
    std::vector<std::string> words;
    std::unordered_map<std::string, std::int32_t> codes;
  };
  std::map<std::string, Names> tables_;
};

class PartWriter {
 public:
  PartWriter(const std::string& path, std::span<const RunRecord> records) : file_(path), records_(records) {
    file_.write(kPartMagic);
  }

  void write(const std::string& identity) {
    ByteWriter out;
    out.put(identity);
    out.put(std::uint64_t{records_.size()});
    for (const RunRecord& record : records_) {
      out.put(record.run);
      put_blob(record.summary, out);
      put_blob(record.extra, out);
    }
    const std::vector<std::string> tables = table_names();
    out.put(std::uint64_t{tables.size()});
    for (const std::string& table : tables) put_table(table, out);
    names_.put(out);
    const std::uint64_t offset = file_.size();
    const std::string& directory = out.bytes();
    file_.write(directory);
    ByteWriter trailer;
    trailer.put(offset);
    trailer.put(std::uint64_t{directory.size()});
    trailer.put(crc_of(directory));
    file_.write(trailer.bytes());
    file_.write(kPartMagic);
    file_.commit();
  }

 private:
  [[nodiscard]] std::vector<std::string> table_names() const {
    std::vector<std::string> names;
    for (const RunRecord& record : records_) {
      for (const TableSource& table : record.tables) {
        if (std::ranges::find(names, table.name) == names.end()) names.push_back(table.name);
      }
    }
    return names;
  }

  void put_blob(const std::string& blob, ByteWriter& out) {
    out.put(file_.size());
    out.put(std::uint64_t{blob.size()});
    out.put(crc_of(blob));
    file_.write(blob);
  }

  void put_table(const std::string& name, ByteWriter& out) {
    std::vector<const TableSource*> sources;  // by record; null: that run has no such table
    std::vector<std::uint64_t> rows{0};
    const TableSource* model = nullptr;
    for (const RunRecord& record : records_) {
      const auto found = std::ranges::find(record.tables, name, &TableSource::name);
      const TableSource* source = found == record.tables.end() ? nullptr : &*found;
      if (source != nullptr && model == nullptr) model = source;
      HEADROOM_CHECK(source == nullptr || source->columns.size() == model->columns.size(), name);
      sources.push_back(source);
      rows.push_back(rows.back() + (source == nullptr ? 0 : source->rows));
    }
    out.put(name);
    out.put_all(rows);
    out.put(std::uint64_t{model->columns.size()});
    for (std::size_t c = 0; c < model->columns.size(); ++c) put_column(sources, c, model->columns[c].column, out);
  }

  void put_column(const std::vector<const TableSource*>& sources, std::size_t c, const Column& column,
                  ByteWriter& out) {
    std::vector<Column::Data> data;
    std::size_t width = 1;
    for (const TableSource* source : sources) {
      if (source == nullptr) continue;
      Column::Data made = source->columns[c].make();
      HEADROOM_CHECK(rows_of(made) == source->rows && made.index() == column.data.index(),
                     source->name + "/" + column.name + ": " + std::to_string(rows_of(made)) + " of " +
                         std::to_string(source->rows) + " rows");
      if (!column.names.empty()) {
        recode(std::get<std::vector<std::int32_t>>(made), column.names, source->columns[c].column.meanings);
      }
      width = std::max(width, width_of(made));
      data.push_back(std::move(made));
    }
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
    for (Column::Data& values : data) {
      std::visit([&](const auto& v) { put_values(v, width); }, values);
      values = std::vector<std::uint8_t>{};
    }
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
  std::span<const RunRecord> records_;
  NameTables names_;
  std::vector<std::uint64_t> frames_;
  std::string pending_, encoded_;
};

}  // namespace

void write_part(const std::string& path, const std::string& identity, std::span<const RunRecord> records) {
  PartWriter(path, records).write(identity);
}

}  // namespace headroom
