// The few things that durable output needs of the file system, each failing as OutputError with the reason in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headroom {

/// A file descriptor that is closed at the end.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

/// Writes a file from front to back. Nothing is visible under its final name before commit().
class DurableFile {
 public:
  /// Opens `path`.tmp. Fails  kCannotCreate.
  explicit DurableFile(std::string path);
  /// Removes what was not committed.
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  /// Fails  kCannotWrite (a full disk).
  void write(std::string_view bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Everything on the disk, then renamed, then the folder on the disk.
  void commit();

 private:
  void flush();

  std::string path_, temporary_;
  FileDescriptor file_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  bool committed_ = false;
};

/// fsync of a file or folder by its name. Fails  kCannotWrite.
void sync_path(const std::string& path);
/// Atomic; then the folder is on the disk. Fails  kCannotWrite.
void rename_durably(const std::string& from, const std::string& to);
/// "." for a bare name.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace headroom
