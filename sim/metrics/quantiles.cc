#include "sim/metrics/quantiles.h"

#include <algorithm>
#include <bit>

namespace headroom {
namespace {

constexpr std::size_t kFewValues = 4096;

/// Rises with the value: the exponent and six bits of the mantissa, so that a bucket spans less than two per cent.
/// Doubles
/// >= 0 are ordered like their bits, and the conversion of an integer does not change the order.
template <class T>
std::uint64_t bucket_of(T value) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(value)) >> 46;
}

template <class T>
std::array<T, kQuantiles> of_few(std::vector<T>& values, const std::array<std::size_t, kQuantiles>& ranks) {
  std::array<T, kQuantiles> found{};
  auto from = values.begin();
  for (std::size_t q = 0; q < kQuantiles; ++q) {
    // The ranks rise, so that each search is confined to what the one before left above it.
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(ranks[q] - 1);
    if (at >= from) std::nth_element(from, at, values.end());
    found[q] = *at;
    from = at + 1;
  }
  return found;
}

/// Counts the values by bucket, finds the bucket of each rank, and looks for the rank inside that bucket alone.
template <class T>
std::array<T, kQuantiles> of_many(const std::vector<T>& values, const std::array<std::size_t, kQuantiles>& ranks,
                                  T smallest, T largest) {
  const std::uint64_t first = bucket_of(smallest);
  std::vector<std::uint32_t> count(bucket_of(largest) - first + 1, 0);
  for (const T value : values) ++count[bucket_of(value) - first];

  std::array<std::uint64_t, kQuantiles> bucket{};
  std::array<std::size_t, kQuantiles> before{};
  std::size_t passed = 0, q = 0;
  for (std::size_t b = 0; q < kQuantiles; passed += count[b++]) {
    for (; q < kQuantiles && ranks[q] <= passed + count[b]; ++q) {
      bucket[q] = first + b;
      before[q] = passed;
    }
  }

  std::array<std::vector<T>, kQuantiles> inside;
  for (std::size_t i = 0; i < kQuantiles; ++i)
    if (i == 0 || bucket[i] != bucket[i - 1]) inside[i].reserve(count[bucket[i] - first]);
  for (const T value : values) {
    const std::uint64_t b = bucket_of(value);
    if (b == bucket[0])
      inside[0].push_back(value);
    else if (b == bucket[1])
      inside[1].push_back(value);
    else if (b == bucket[2])
      inside[2].push_back(value);
  }

  std::array<T, kQuantiles> found{};
  for (std::size_t i = 0; i < kQuantiles; ++i) {
    std::size_t home = i;
    while (home > 0 && bucket[home - 1] == bucket[i]) --home;
    const auto at = inside[home].begin() + static_cast<std::ptrdiff_t>(ranks[i] - 1 - before[i]);
    std::nth_element(inside[home].begin(), at, inside[home].end());
    found[i] = *at;
  }
  return found;
}

template <class T>
std::array<T, kQuantiles> chosen(std::vector<T>& values, const std::array<std::size_t, kQuantiles>& ranks, T smallest,
                                 T largest) {
  if (smallest == largest) return {smallest, smallest, smallest};
  return values.size() < kFewValues ? of_few(values, ranks) : of_many(values, ranks, smallest, largest);
}

}  // namespace

std::array<std::int64_t, kQuantiles> values_at_ranks(std::vector<std::int64_t>& values,
                                                     const std::array<std::size_t, kQuantiles>& ranks,
                                                     std::int64_t smallest, std::int64_t largest) {
  return chosen(values, ranks, smallest, largest);
}
std::array<double, kQuantiles> values_at_ranks(std::vector<double>& values,
                                               const std::array<std::size_t, kQuantiles>& ranks, double smallest,
                                               double largest) {
  return chosen(values, ranks, smallest, largest);
}

}  // namespace headroom
