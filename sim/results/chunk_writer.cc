#include "sim/results/chunk_writer.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "policies/check.h"
#include "sim/results/byte_planes.h"
#include "sim/results/part_format.h"

namespace headroom {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 17;
constexpr int kDeflateLevel = 1;
constexpr int kMemoryLevel = 8;  ///< zlib's default
constexpr std::size_t kRecent = 64;
constexpr std::size_t kUnderway = 8;  ///< chunks a thread that may be on their way

/// Deflate as HDF5 reads it. Shuffled doubles hold runs of equal bytes and noise, but hardly any other repetition:
/// looking for runs only gives the same size in less than half the time.
void pack(ChunkJob& job) {
  std::string shuffled(job.raw.size(), '\0');
  shuffle_bytes(job.raw, job.width, shuffled);
  z_stream stream{};
  int status =
      deflateInit2(&stream, kDeflateLevel, Z_DEFLATED, MAX_WBITS, kMemoryLevel, job.real ? Z_RLE : Z_DEFAULT_STRATEGY);
  HEADROOM_CHECK(status == Z_OK, "deflate: " + std::to_string(status));
  job.packed.resize(deflateBound(&stream, shuffled.size()));
  stream.next_in = reinterpret_cast<Bytef*>(shuffled.data());
  stream.avail_in = static_cast<uInt>(shuffled.size());
  stream.next_out = reinterpret_cast<Bytef*>(job.packed.data());
  stream.avail_out = static_cast<uInt>(job.packed.size());
  status = deflate(&stream, Z_FINISH);
  job.packed.resize(stream.total_out);
  deflateEnd(&stream);
  HEADROOM_CHECK(status == Z_STREAM_END, "deflate: " + std::to_string(status));
  job.packed.shrink_to_fit();
}

}  // namespace

ChunkPacker::ChunkPacker(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ChunkPacker::~ChunkPacker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    queue_.clear();
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<ChunkJob> ChunkPacker::start(std::string_view raw, std::size_t width, bool real) {
  // Many columns hardly change, and some are equal (declared and eligible, estimate and run time).
  const std::uint32_t crc = crc_of(raw);
  for (const std::shared_ptr<ChunkJob>& job : recent_) {
    if (job->crc == crc && job->width == width && job->real == real && job->raw == raw) return job;
  }
  auto job = std::make_shared<ChunkJob>();
  job->raw = raw;
  job->crc = crc;
  job->width = width;
  job->real = real;
  recent_.push_back(job);
  if (recent_.size() > kRecent) recent_.pop_front();
  if (threads_.empty()) {
    pack(*job);
    job->done = true;
    return job;
  }
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(job);
  }
  wanted_.notify_one();
  return job;
}

void ChunkPacker::write(hid_t dataset, std::uint64_t row, std::shared_ptr<ChunkJob> job) {
  pending_.push_back({dataset, row, std::move(job)});
  while (pending_.size() > kUnderway * threads_.size()) write_first();
}

void ChunkPacker::drain() {
  while (!pending_.empty()) write_first();
}

void ChunkPacker::write_first() {
  const Pending first = std::move(pending_.front());
  pending_.pop_front();
  {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return first.job->done; });
  }
  const hsize_t offset[] = {first.row};
  h5::check(H5Dwrite_chunk(first.dataset, H5P_DEFAULT, 0, offset, first.job->packed.size(), first.job->packed.data()),
            "writing a table");
}

void ChunkPacker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    if (ending_) return;
    const std::shared_ptr<ChunkJob> job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    pack(*job);
    lock.lock();
    job->done = true;
    finished_.notify_all();
  }
}

ChunkWriter::ChunkWriter(hid_t group, const std::string& name, hid_t type, std::size_t width, std::uint64_t rows,
                         ChunkPacker& packer)
    : width_(width), rows_(rows), real_(H5Tget_class(type) == H5T_FLOAT), packer_(&packer) {
  const hsize_t dims[] = {rows};
  const h5::Handle space(H5Screate_simple(1, dims, nullptr), H5Sclose, "making a table");
  const h5::Handle properties = h5::creation_properties(H5P_DATASET_CREATE);
  if (rows > 0) {  // A chunk may not be larger than a dataset, so an empty one has none.
    chunk_rows_ = std::clamp<std::uint64_t>(kChunkBytes / width, 1, rows);
    const hsize_t chunk[] = {chunk_rows_};
    h5::check(H5Pset_chunk(properties.id(), 1, chunk), "making chunks");
    if (width > 1) h5::check(H5Pset_shuffle(properties.id()), "asking for shuffle");
    h5::check(H5Pset_deflate(properties.id(), static_cast<unsigned>(kDeflateLevel)), "asking for deflate");
    h5::check(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER), "making chunks");
  }
  dataset_ = h5::Handle(H5Dcreate2(group, name.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                        H5Dclose, "making a dataset");
}

void ChunkWriter::append(std::string_view bytes) {
  taken_ += bytes.size() / width_;
  HEADROOM_CHECK(taken_ <= rows_, "rows " + std::to_string(taken_) + " of " + std::to_string(rows_));
  pending_ += bytes;
}

void ChunkWriter::send() {
  const std::size_t full = static_cast<std::size_t>(chunk_rows_) * width_;
  std::string_view left = pending_;
  for (; left.size() >= full; left.remove_prefix(full)) send_chunk(left.substr(0, full));
  pending_.erase(0, pending_.size() - left.size());
}

void ChunkWriter::send_chunk(std::string_view bytes) {
  packer_->write(dataset_.id(), next_row_, packer_->start(bytes, width_, real_));
  next_row_ += chunk_rows_;
}

void ChunkWriter::finish() {
  HEADROOM_CHECK(taken_ == rows_, "rows " + std::to_string(taken_) + " of " + std::to_string(rows_));
  send();
  if (pending_.empty()) return;
  pending_.resize(static_cast<std::size_t>(chunk_rows_) * width_, '\0');
  send();
}

}  // namespace headroom
