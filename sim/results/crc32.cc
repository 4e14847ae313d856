#include "sim/results/crc32.h"

#include <zlib.h>

#include <array>
#include <cstdio>

namespace headroom {

void Crc32::add(std::string_view bytes) {
  value_ = static_cast<std::uint32_t>(crc32_z(value_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string Crc32::hex() const {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", value_);
  return text.data();
}

}  // namespace headroom
