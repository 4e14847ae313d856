// Fills the chunks of HDF5 datasets. Shuffling and deflating is ours, so that it can be done by several threads; what
// is written is what HDF5's own filters read back, and the same with any number of threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sim/results/hdf5.h"

namespace headroom {

/// One chunk on its way: raw bytes in, compressed bytes out.
struct ChunkJob {
  std::string raw;
  std::uint32_t crc = 0;  ///< of raw
  std::size_t width = 1;
  bool real = false;  ///< doubles: see pack()
  std::string packed;
  bool done = false;
};

/// Packs chunks, on threads if it has any, and writes them to the file in the order in which they came: where a chunk
/// lies in the file must depend on nothing else.
class ChunkPacker {
 public:
  explicit ChunkPacker(unsigned threads);
  ~ChunkPacker();
  ChunkPacker(const ChunkPacker&) = delete;
  ChunkPacker& operator=(const ChunkPacker&) = delete;

  /// Begins to pack; of equal chunks among the latest ones, only the first is packed. `real`: they are doubles.
  [[nodiscard]] std::shared_ptr<ChunkJob> start(std::string_view raw, std::size_t width, bool real);
  /// A started chunk's place in the file: row `row` of `dataset`, which stays open until drain().
  /// Fails  h5::Error where an earlier chunk cannot be written.
  void write(hid_t dataset, std::uint64_t row, std::shared_ptr<ChunkJob> job);
  /// Everything that came is in the file. To be called before any other change to it.
  void drain();

 private:
  struct Pending {
    hid_t dataset;
    std::uint64_t row;
    std::shared_ptr<ChunkJob> job;
  };
  void work();
  void write_first();

  std::mutex mutex_;
  std::condition_variable wanted_, finished_;
  std::deque<std::shared_ptr<ChunkJob>> queue_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
  // Of the calling thread.
  std::deque<Pending> pending_;
  std::deque<std::shared_ptr<ChunkJob>> recent_;
};

/// One dataset of one dimension, filled from its first row to its last. Its chunks are 128 KiB, or the whole where that
/// is less.
class ChunkWriter {
 public:
  /// Makes dataset `name` of `rows` values of `type`, `width` bytes each.
  ChunkWriter(hid_t group, const std::string& name, hid_t type, std::size_t width, std::uint64_t rows,
              ChunkPacker& packer);

  /// Bytes of whole values, kept until the next call of one of those below.
  void append(std::string_view bytes);
  /// Sends off every chunk that is full.
  void send();
  /// Sends off the rest. Every row must have come; ChunkPacker::drain() must follow.
  void finish();
  [[nodiscard]] hid_t dataset() const { return dataset_.id(); }

 private:
  void send_chunk(std::string_view bytes);

  h5::Handle dataset_;
  std::size_t width_;
  std::uint64_t rows_, taken_ = 0, next_row_ = 0;
  std::uint64_t chunk_rows_ = 1;
  std::string pending_;
  bool real_;
  ChunkPacker* packer_;
};

}  // namespace headroom
