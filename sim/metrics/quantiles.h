// Order statistics of many values at once, without sorting them: a sample says where each is about, and one walk keeps
// only what is near. It must know nothing of what they mean.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headroom {

/// Rank, from 1, of the quantile `percent` of n >= 1 observations: the inverse ECDF.
[[nodiscard]] constexpr std::size_t quantile_rank(std::size_t n, std::size_t percent) {
  return (n * percent + 99) / 100;
}

inline constexpr std::size_t kQuantiles = 3;
inline constexpr std::array<std::size_t, kQuantiles> kPercents{50, 90, 99};
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

/// Values are >= 0. Finds the values of three ranks, near the quantiles 50, 90 and 99, of what is added. Each has a
/// bracket out of the sample that should hold it; the values inside are kept, those on either side and on its ends are
/// counted.
template <class T>
class RankBrackets {
 public:
  static constexpr std::size_t kMostAtOnce = 1024;

  RankBrackets() = default;
  /// `sample`: some of the values, not empty, in any order.
  explicit RankBrackets(std::vector<T> sample) {
    std::sort(sample.begin(), sample.end());
    const std::size_t n = sample.size();
    for (std::size_t q = 0; q < kQuantiles; ++q) {
      const double p = static_cast<double>(kPercents[q]) / 100;
      // Five standard deviations of how many of the sample are below the quantile, and a little.
      const auto margin = static_cast<std::size_t>(5 * std::sqrt(static_cast<double>(n) * p * (1 - p))) + 2;
      const std::size_t middle = quantile_rank(n, kPercents[q]) - 1;
      brackets_[q].low = sample[middle > margin ? middle - margin : 0];
      brackets_[q].high = sample[std::min(n - 1, middle + margin)];
    }
  }

  /// At most kMostAtOnce values.
  void add(std::span<const T> values) {
    for (Bracket& bracket : brackets_) bracket.add(values);
  }
  /// The same value so many times.
  void add(T value, std::size_t times) {
    for (Bracket& bracket : brackets_) bracket.add(value, times);
  }
  /// Ranks from 1, rising. None if a bracket missed its value, which one sample in a million does.
  [[nodiscard]] std::optional<std::array<T, kQuantiles>> take(const QuantileRanks& ranks) {
    std::array<T, kQuantiles> found{};
    for (std::size_t q = 0; q < kQuantiles; ++q) {
      const std::optional<T> value = brackets_[q].take(ranks[q]);
      if (!value) return std::nullopt;
      found[q] = *value;
    }
    return found;
  }

 private:
  /// 1 or 0. Times are never negative, so that a difference has the sign of the comparison: of 64-bit integers the
  /// basic instruction set can compare one at a time, but subtract and shift two.
  static std::uint64_t is_less(std::int64_t a, std::int64_t b) { return static_cast<std::uint64_t>(a - b) >> 63; }
  static std::uint64_t is_less(double a, double b) { return a < b ? 1 : 0; }

  struct Bracket {
    T low{}, high{};
    std::size_t below = 0, up_to_low = 0, up_to_high = 0;
    std::vector<T> inside;  ///< strictly between low and high

    void add(std::span<const T> values) {
      std::uint64_t under = 0, to_low = 0, to_high = 0;
      for (const T value : values) {
        under += is_less(value, low);
        to_low += 1 - is_less(low, value);
        to_high += 1 - is_less(high, value);
      }
      below += under;
      up_to_low += to_low;
      up_to_high += to_high;
      if (to_high == to_low) return;
      std::array<T, kMostAtOnce> near;  // written without a branch, since nobody can foresee which are
      std::size_t n = 0;
      for (const T value : values) {
        near[n] = value;
        n += static_cast<std::size_t>(static_cast<int>(low < value) & static_cast<int>(value < high));
      }
      inside.insert(inside.end(), near.begin(), near.begin() + static_cast<std::ptrdiff_t>(n));
    }
    void add(T value, std::size_t times) {
      below += value < low ? times : 0;
      up_to_low += value <= low ? times : 0;
      up_to_high += value <= high ? times : 0;
      if (low < value && value < high) inside.insert(inside.end(), times, value);
    }
    [[nodiscard]] std::optional<T> take(std::size_t rank) {
      if (rank <= below || rank > up_to_high) return std::nullopt;
      if (rank <= up_to_low) return low;
      if (rank > up_to_low + inside.size()) return high;
      const auto at = inside.begin() + static_cast<std::ptrdiff_t>(rank - up_to_low - 1);
      std::nth_element(inside.begin(), at, inside.end());
      return *at;
    }
  };
  std::array<Bracket, kQuantiles> brackets_;
};

}  // namespace headroom
