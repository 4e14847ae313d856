// Reading a part file. Its bytes may be anything: every length is held against what is there.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "policies/check.h"
#include "sim/results/byte_planes.h"
#include "sim/results/bytes.h"
#include "sim/results/part_file.h"
#include "sim/results/part_format.h"

namespace headroom {
namespace {

constexpr std::size_t kMaxWidth = std::size_t{1} << 30;

Column::Data empty_data(ColumnType type) {
  switch (type) {
    case ColumnType::kDouble:
      return std::vector<double>{};
    case ColumnType::kInt64:
      return std::vector<std::int64_t>{};
    case ColumnType::kInt32:
      return std::vector<std::int32_t>{};
    case ColumnType::kUint8:
      return std::vector<std::uint8_t>{};
    case ColumnType::kString:
      return std::vector<std::string>{};
    case ColumnType::kUint64:
      return std::vector<std::uint64_t>{};
  }
  throw BytesDamaged();
}

}  // namespace

std::size_t StoredColumn::frame_rows() const { return frame_rows_of(width); }

PartReader::PartReader(std::string path, bool verify) : path_(std::move(path)) {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0 || info.st_size < 0) throw BytesDamaged();
  file_size_ = static_cast<std::uint64_t>(info.st_size);
  read_directory();
  if (verify) verify_all();
}

const StoredTable* PartReader::find(const std::string& table) const {
  const auto found = std::ranges::find(tables_, table, &StoredTable::name);
  return found == tables_.end() ? nullptr : &*found;
}

// Opened each time: a large sweep has more parts than a process may have open files.
std::string PartReader::bytes(std::uint64_t offset, std::uint64_t size) const {
  if (offset > file_size_ || size > file_size_ - offset) throw BytesDamaged();
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(file.get(), bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw BytesDamaged();
    done += static_cast<std::size_t>(n);
  }
  return bytes;
}

std::string PartReader::directory() const {
  if (file_size_ < kPartMagic.size() + kPartTrailer || bytes(0, kPartMagic.size()) != kPartMagic) throw BytesDamaged();
  const std::string trailer = bytes(file_size_ - kPartTrailer, kPartTrailer);
  if (!trailer.ends_with(kPartMagic)) throw BytesDamaged();
  ByteReader in(trailer);
  const auto offset = in.get<std::uint64_t>();
  const auto size = in.get<std::uint64_t>();
  const auto crc = in.get<std::uint32_t>();
  std::string directory = bytes(offset, size);
  if (crc_of(directory) != crc) throw BytesDamaged();
  return directory;
}

void PartReader::read_directory() {
  const std::string text = directory();
  ByteReader in(text);
  identity_ = in.text();
  const auto read_blob = [&in] {
    Blob blob;
    blob.offset = in.get<std::uint64_t>();
    blob.size = in.get<std::uint64_t>();
    blob.crc = in.get<std::uint32_t>();
    return blob;
  };
  for (std::size_t n = in.count(8); n > 0; --n) {
    runs_.push_back(in.get<std::uint64_t>());
    summaries_.push_back(read_blob());
    extras_.push_back(read_blob());
  }
  for (std::size_t n = in.count(8); n > 0; --n) read_table(in);
  for (std::size_t n = in.count(8); n > 0; --n) {
    std::string name = in.text();
    names_[std::move(name)] = in.texts();
  }
  if (!in.at_end()) throw BytesDamaged();
}

void PartReader::read_table(ByteReader& in) {
  StoredTable table;
  table.name = in.text();
  table.first_row = in.all<std::uint64_t>();
  if (table.first_row.size() != runs_.size() + 1 || table.first_row.front() != 0 ||
      !std::ranges::is_sorted(table.first_row)) {
    throw BytesDamaged();
  }
  for (std::size_t n = in.count(8); n > 0; --n) {
    StoredColumn stored;
    Column& column = stored.column;
    column.name = in.text();
    column.units = in.text();
    column.long_name = in.text();
    column.meanings = in.texts();
    column.names = in.text();
    column.minus_one_is_missing = in.get<std::uint8_t>() != 0;
    stored.type = static_cast<ColumnType>(in.get<std::uint8_t>());
    column.data = empty_data(stored.type);
    stored.width = in.get<std::uint64_t>();
    if (stored.width == 0 || stored.width > kMaxWidth) throw BytesDamaged();
    stored.frames = in.all<std::uint64_t>();
    stored.rows = table.first_row.back();
    const std::uint64_t per_frame = stored.frame_rows();
    const std::uint64_t frames = stored.rows / per_frame + (stored.rows % per_frame != 0 ? 1 : 0);
    if (stored.frames.size() != frames + 1 || !std::ranges::is_sorted(stored.frames)) throw BytesDamaged();
    table.columns.push_back(std::move(stored));
  }
  tables_.push_back(std::move(table));
}

std::string PartReader::blob(const Blob& blob) const {
  std::string read = bytes(blob.offset, blob.size);
  if (crc_of(read) != blob.crc) throw BytesDamaged();
  return read;
}

std::string PartReader::frame(const StoredColumn& column, std::size_t index) const {
  const std::uint64_t begin = column.frames[index];
  const std::uint64_t size = column.frames[index + 1] - begin;
  std::string read = bytes(begin, size);
  if (size < sizeof(std::uint32_t)) throw BytesDamaged();
  const auto crc = ByteReader(read).get<std::uint32_t>();
  read.erase(0, sizeof crc);
  if (crc_of(read) != crc) throw BytesDamaged();
  return read;
}

void PartReader::verify_all() const {
  for (const auto& blobs : {summaries_, extras_}) {
    for (const Blob& b : blobs) static_cast<void>(blob(b));
  }
  for (const StoredTable& table : tables_) {
    for (const StoredColumn& column : table.columns) {
      for (std::size_t i = 0; i + 1 < column.frames.size(); ++i) static_cast<void>(frame(column, i));
    }
  }
}

void PartReader::read(const StoredColumn& column, std::uint64_t first, std::uint64_t last,
                      const std::function<void(std::string_view)>& take) {
  const std::size_t per_frame = column.frame_rows();
  const std::size_t frames = column.frames.size() - 1;
  while (first < last) {
    const std::size_t index = static_cast<std::size_t>(first / per_frame);
    HEADROOM_CHECK(index < frames, path_ + ": no row " + std::to_string(first) + " in '" + column.column.name + "'");
    Held& held = held_[&column];
    if (held.values.empty() || held.frame != index) {
      const std::string planes = frame(column, index);
      held.frame = index;
      held.values.clear();
      std::string values(std::min<std::uint64_t>(per_frame, column.rows - index * per_frame) * column.width, '\0');
      decode_planes(planes, column.width, values);
      held.values = std::move(values);
    }
    const std::uint64_t from = first - index * per_frame;
    const std::uint64_t rows = std::min(last - first, held.values.size() / column.width - from);
    take(std::string_view(held.values).substr(from * column.width, rows * column.width));
    first += rows;
  }
}

}  // namespace headroom
