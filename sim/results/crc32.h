// CRC-32, for noticing that an input changed between two runs of a study; what is stored of an input is its SHA-256.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headroom {

class Crc32 {
 public:
  void add(std::string_view bytes);
  /// 8 lower-case hex digits.
  [[nodiscard]] std::string hex() const;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace headroom
