// Plain values to bytes and back, for our own files. Little-endian only (checked at compile time). A reader that runs
// out of bytes says so instead of reading on: the bytes may come from a damaged file.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headroom {

static_assert(std::endian::native == std::endian::little, "part files are little-endian");

class ByteWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    for (const auto& value : values) put(value);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// The bytes end before the value does, or a length cannot be true.
class BytesDamaged : public std::runtime_error {
 public:
  BytesDamaged() : std::runtime_error("the bytes end early") {}
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  requires std::is_arithmetic_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string text() { return std::string(take(get<std::uint64_t>())); }
  template <class T>
  requires std::is_arithmetic_v<T> std::vector<T> all() {
    std::vector<T> values(count(sizeof(T)));
    for (T& value : values) value = get<T>();
    return values;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count(sizeof(std::uint64_t)));
    for (std::string& value : values) value = text();
    return values;
  }
  /// A number of things of at least `size` bytes each: never more than can follow.
  std::size_t count(std::size_t size) {
    const auto n = get<std::uint64_t>();
    if (n > left_.size() / size) throw BytesDamaged();
    return n;
  }
  [[nodiscard]] bool at_end() const { return left_.empty(); }

 private:
  std::string_view take(std::uint64_t n) {
    if (n > left_.size()) throw BytesDamaged();
    const std::string_view taken = left_.substr(0, n);
    left_.remove_prefix(n);
    return taken;
  }
  std::string_view left_;
};

}  // namespace headroom
