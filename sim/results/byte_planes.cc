#include "sim/results/byte_planes.h"

#include <algorithm>
#include <cstring>

#include "sim/results/bytes.h"

namespace headroom {
namespace {

constexpr char kConstant = 0;
constexpr char kStored = 1;

}  // namespace

void encode_planes(std::string_view values, std::size_t width, std::string& out) {
  const std::size_t count = values.size() / width;
  if (count == 0) return;
  std::string plane(count, '\0');
  for (std::size_t byte = 0; byte < width; ++byte) {
    const char* from = values.data() + byte;
    unsigned char differs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      plane[i] = from[i * width];
      differs |= static_cast<unsigned char>(plane[i] ^ plane[0]);
    }
    if (differs == 0) {
      out += kConstant;
      out += plane[0];
    } else {
      out += kStored;
      out += plane;
    }
  }
}

void decode_planes(std::string_view planes, std::size_t width, std::span<char> out) {
  const std::size_t count = out.size() / width;
  if (count == 0) return;
  for (std::size_t byte = 0; byte < width; ++byte) {
    if (planes.size() < 2) throw BytesDamaged();
    const char kind = planes.front();
    planes.remove_prefix(1);
    char* to = out.data() + byte;
    if (kind == kConstant) {
      for (std::size_t i = 0; i < count; ++i) to[i * width] = planes.front();
      planes.remove_prefix(1);
    } else if (kind == kStored && planes.size() >= count) {
      for (std::size_t i = 0; i < count; ++i) to[i * width] = planes[i];
      planes.remove_prefix(count);
    } else {
      throw BytesDamaged();
    }
  }
  if (!planes.empty()) throw BytesDamaged();
}

void shuffle_bytes(std::span<const char> in, std::size_t width, std::span<char> out) {
  const std::size_t count = in.size() / width;
  if (width == 1) {
    std::copy(in.begin(), in.end(), out.begin());
    return;
  }
  if (width == 8) {  // Nearly every column: all planes in one walk.
    char* to = out.data();
    const char* from = in.data();
    for (std::size_t i = 0; i < count; ++i, from += 8) {
      for (std::size_t byte = 0; byte < 8; ++byte) to[byte * count + i] = from[byte];
    }
    return;
  }
  for (std::size_t byte = 0; byte < width; ++byte) {
    char* to = out.data() + byte * count;
    const char* from = in.data() + byte;
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i * width];
  }
}

}  // namespace headroom
