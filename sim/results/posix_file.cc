#include "sim/results/posix_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "sim/results/output_error.h"

namespace headroom {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

[[noreturn]] void fail(OutputError::Kind kind, const std::string& what, const std::string& path) {
  const int error = errno;
  throw OutputError(kind, what + " '" + path + "': " + std::strerror(error));
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

DurableFile::DurableFile(std::string path)
    : path_(std::move(path)),
      temporary_(path_ + ".tmp"),
      file_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (!file_.is_open()) fail(OutputError::Kind::kCannotCreate, "cannot create", temporary_);
}

DurableFile::~DurableFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void DurableFile::write(std::string_view bytes) {
  size_ += bytes.size();
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

void DurableFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(file_.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(OutputError::Kind::kCannotWrite, "cannot write", temporary_);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void DurableFile::commit() {
  flush();
  if (::fsync(file_.get()) != 0) fail(OutputError::Kind::kCannotWrite, "cannot write", temporary_);
  if (::close(file_.release()) != 0) fail(OutputError::Kind::kCannotWrite, "cannot write", temporary_);
  rename_durably(temporary_, path_);
  committed_ = true;
}

void sync_path(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) fail(OutputError::Kind::kCannotWrite, "cannot open", path);
  // Some file systems cannot fsync a folder (EINVAL): there is nothing more to be done then.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) fail(OutputError::Kind::kCannotWrite, "cannot write", path);
}

void rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail(OutputError::Kind::kCannotWrite, "cannot rename to", to);
  sync_path(folder_of(to));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace headroom
