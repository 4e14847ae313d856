// Bytes of a file or of memory, inflated on the way if they are gzip (told by the content, not by the name), in pieces
// and with a bound, so that a small file cannot become a large memory. It knows no format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace headroom {

class ByteSource {
 public:
  /// More than this, after inflating, is refused.
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{8} << 30;

  /// Fails  InputError of kind kNoInput: the file cannot be opened or is a directory.
  static ByteSource open(const std::string& path, std::uint64_t limit = kDefaultLimit);
  /// Bytes in memory that outlive the source; `name` stands in messages.
  static ByteSource of_memory(std::string_view bytes, std::string name, std::uint64_t limit = kDefaultLimit);

  /// Up to `room` bytes; 0 at the end only.
  /// Fails  InputError: the gzip data is damaged or ends too early, the limit is passed, the disk gives an error.
  std::size_t read(char* to, std::size_t room);

  /// After the end: were there bytes behind the gzip data that are none? They were left out.
  [[nodiscard]] bool has_trailing_bytes() const;
  [[nodiscard]] const std::string& name() const;

  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom
