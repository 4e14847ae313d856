#include "workloads/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "workloads/diagnostics.h"

namespace headroom {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;

[[noreturn]] void refuse(const std::string& name, std::string message,
                         InputError::Kind kind = InputError::Kind::kBadInput) {
  throw InputError({Diagnostic{name, 0, 0, std::move(message), ""}}, kind);
}

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

}  // namespace

struct ByteSource::Impl {
  std::string name;
  std::uint64_t limit = 0;
  std::uint64_t given = 0;
  std::unique_ptr<std::FILE, CloseFile> file;  ///< none: everything is in `input` already
  std::vector<char> piece;
  std::string_view input;  ///< read, not yet given; a part of `piece` or of the caller's memory
  bool is_gzip = false;
  bool between_members = false;
  bool ended = false;
  bool has_trailing_bytes = false;
  z_stream inflater{};

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (is_gzip) inflateEnd(&inflater);
  }

  /// Reads the next piece if nothing is left. False at the end.
  bool fill() {
    if (!input.empty()) return true;
    if (!file) return false;
    const std::size_t n = std::fread(piece.data(), 1, piece.size(), file.get());
    if (n == 0 && std::ferror(file.get()) != 0) {
      refuse(name, std::string("cannot be read: ") + std::strerror(errno), InputError::Kind::kNoInput);
    }
    input = {piece.data(), n};
    return n > 0;
  }

  void detect() {
    // fread() fills the piece unless the file ends, so two bytes are there if the file has them.
    if (!fill() || input.size() < 2 || input.substr(0, 2) != "\x1f\x8b") return;
    if (inflateInit2(&inflater, 15 + 16) != Z_OK) throw std::bad_alloc();
    is_gzip = true;
  }

  std::size_t read_plain(char* to, std::size_t room) {
    if (!fill()) return 0;
    const std::size_t n = std::min(room, input.size());
    std::memcpy(to, input.data(), n);
    input.remove_prefix(n);
    return n;
  }

  /// Several gzip members may follow one another, as gzip itself allows. What follows and is none, is left out.
  bool next_member() {
    if (!fill()) return false;
    if (input[0] != '\x1f') {
      has_trailing_bytes = input[0] != '\0';  // tapes pad with zeros
      return false;
    }
    inflateReset(&inflater);
    between_members = false;
    return true;
  }

  std::size_t read_gzip(char* to, std::size_t room) {
    inflater.next_out = reinterpret_cast<Bytef*>(to);
    inflater.avail_out = static_cast<uInt>(room);
    while (inflater.avail_out == room) {
      if (between_members && !next_member()) {
        ended = true;
        break;
      }
      if (!fill()) refuse(name, "the gzip data ends too early; the file is cut off");
      const std::size_t offered = std::min<std::size_t>(input.size(), std::size_t{1} << 30);
      inflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
      inflater.avail_in = static_cast<uInt>(offered);
      const int result = inflate(&inflater, Z_NO_FLUSH);
      input.remove_prefix(offered - inflater.avail_in);
      if (result == Z_STREAM_END) {
        between_members = true;
      } else if (result != Z_OK) {
        refuse(name, std::string("the gzip data is damaged") + (inflater.msg ? std::string(": ") + inflater.msg : ""));
      }
    }
    return room - inflater.avail_out;
  }
};

ByteSource::ByteSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

ByteSource ByteSource::open(const std::string& path, std::uint64_t limit) {
  auto impl = std::make_unique<Impl>();
  impl->name = path;
  impl->limit = limit;
  impl->file.reset(std::fopen(path.c_str(), "rb"));
  if (!impl->file) refuse(path, std::string("cannot be opened: ") + std::strerror(errno), InputError::Kind::kNoInput);
  impl->piece.resize(kPiece);
  impl->detect();
  return ByteSource(std::move(impl));
}

ByteSource ByteSource::of_memory(std::string_view bytes, std::string name, std::uint64_t limit) {
  auto impl = std::make_unique<Impl>();
  impl->name = std::move(name);
  impl->limit = limit;
  impl->input = bytes;
  impl->detect();
  return ByteSource(std::move(impl));
}

std::size_t ByteSource::read(char* to, std::size_t room) {
  if (impl_->ended || room == 0) return 0;
  room = std::min<std::size_t>(room, std::size_t{1} << 30);
  const std::size_t n = impl_->is_gzip ? impl_->read_gzip(to, room) : impl_->read_plain(to, room);
  impl_->given += n;
  if (impl_->given > impl_->limit) {
    refuse(impl_->name, "has more than " + std::to_string(impl_->limit) + " bytes" +
                            (impl_->is_gzip ? " once inflated" : "") + "; that much is not read");
  }
  return n;
}

bool ByteSource::has_trailing_bytes() const { return impl_->has_trailing_bytes; }
const std::string& ByteSource::name() const { return impl_->name; }

}  // namespace headroom
