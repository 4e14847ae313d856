// Fixed-width values as byte planes: byte 0 of every value, then byte 1 of every value, … A plane that is one byte
// throughout is stored as that byte. At the speed of memory this makes columns of small numbers, whole seconds or
// constants a fraction of their size, which is all that a part file needs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headroom {

/// Appends `count` values of `width` bytes to `out`. values.size() == count * width.
void encode_planes(std::string_view values, std::size_t width, std::string& out);

/// Undoes it. out.size() is a multiple of `width` and says how many values there are.
/// Fails  BytesDamaged (sim/results/bytes.h) if the planes do not have exactly that size.
void decode_planes(std::string_view planes, std::size_t width, std::span<char> out);

/// HDF5's shuffle filter: all planes, nothing left out. `in` and `out` have the same size, a multiple of `width`.
void shuffle_bytes(std::span<const char> in, std::size_t width, std::span<char> out);

}  // namespace headroom
