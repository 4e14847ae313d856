// Order statistics of many values at once, without sorting them: values are counted by bucket as they are seen, and
// only the buckets that hold a rank asked for are looked into, in a second walk. It must know nothing of what they
// mean.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

/// Rank, from 1, of the quantile `percent` of n >= 1 observations: the inverse ECDF.
[[nodiscard]] constexpr std::size_t quantile_rank(std::size_t n, std::size_t percent) {
  return (n * percent + 99) / 100;
}

inline constexpr std::size_t kQuantiles = 3;
using QuantileRanks = std::array<std::size_t, kQuantiles>;

/// The values of the given ranks (from 1, rising) of `values`, which is not empty. Its order is lost.
/// Cost  O(values).
template <class T>
[[nodiscard]] std::array<T, kQuantiles> select_ranks(std::vector<T>& values, const QuantileRanks& ranks) {
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

/// Counts of values >= 0 by bucket. Kept from one set of values to the next for its memory, half a megabyte.
class ValueBuckets {
 public:
  static constexpr std::size_t kBuckets = std::size_t{1} << 17;

  /// Before the first add().
  void prepare() { count_.resize(kBuckets, 0); }

  /// Rises with the value: the exponent and six bits of the mantissa, so that a bucket spans less than two per cent.
  /// Doubles >= 0 are ordered like their bits, and the conversion of an integer does not change the order.
  template <class T>
  [[nodiscard]] static std::size_t bucket_of(T value) {
    const double exact = static_cast<double>(value) + 0.0;  // -0 has the bits of a negative
    return std::bit_cast<std::uint64_t>(exact) >> 46;
  }

  template <class T>
  void add(std::span<const T> values) {
    std::uint32_t* const count = count_.data();
    for (const T value : values) ++count[bucket_of(value)];
  }

  template <class T>
  void add(T value, std::size_t times) {
    count_[bucket_of(value)] += static_cast<std::uint32_t>(times);
  }

  /// The values of the ranks (from 1, rising) among those that were added since the last time.
  ///
  /// `chunks`  chunks(f) calls f(span of values) until f has seen every one of them.
  /// `least`, `most`  the smallest and the largest of them; `least_count`: how many equal the smallest.
  /// Cost     O(values), nothing where the ranks all fall to the smallest.
  template <class T, class Chunks>
  [[nodiscard]] std::array<T, kQuantiles> take_ranks(const QuantileRanks& ranks, T least, std::size_t least_count,
                                                     T most, const Chunks& chunks);

 private:
  std::vector<std::uint32_t> count_;
};

template <class T, class Chunks>
std::array<T, kQuantiles> ValueBuckets::take_ranks(const QuantileRanks& ranks, T least, std::size_t least_count, T most,
                                                   const Chunks& chunks) {
  const std::size_t first = bucket_of(least), last = bucket_of(most);
  std::array<std::size_t, kQuantiles> bucket{}, before{};
  std::array<std::vector<T>, kQuantiles> inside;
  std::size_t open = 0;  // the first rank that is not the smallest value's
  while (open < kQuantiles && ranks[open] <= least_count) ++open;
  std::size_t passed = 0;
  for (std::size_t b = first, q = open; q < kQuantiles; passed += count_[b++]) {
    for (; q < kQuantiles && ranks[q] <= passed + count_[b]; ++q) {
      bucket[q] = b;
      before[q] = passed;
      if (q == open || bucket[q - 1] != b) inside[q].reserve(count_[b]);
    }
  }
  std::fill(count_.begin() + static_cast<std::ptrdiff_t>(first), count_.begin() + static_cast<std::ptrdiff_t>(last + 1),
            0U);

  std::array<T, kQuantiles> found;
  found.fill(least);
  if (open == kQuantiles) return found;
  // Ranks that fall to the smallest have no bucket to look into: the first open one stands in for them.
  for (std::size_t q = 0; q < open; ++q) bucket[q] = bucket[open];
  chunks([&](std::span<const T> values) {
    for (const T value : values) {
      const std::size_t b = bucket_of(value);
      if (b != bucket[0] && b != bucket[1] && b != bucket[2]) continue;
      inside[b == bucket[0] ? open : b == bucket[1] ? 1 : 2].push_back(value);
    }
  });
  for (std::size_t q = open; q < kQuantiles; ++q) {
    std::size_t home = q;
    while (home > open && bucket[home - 1] == bucket[q]) --home;
    const auto at = inside[home].begin() + static_cast<std::ptrdiff_t>(ranks[q] - 1 - before[q]);
    std::nth_element(inside[home].begin(), at, inside[home].end());
    found[q] = *at;
  }
  return found;
}

}  // namespace headroom
