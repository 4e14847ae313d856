// Sums over everything above a rank, kept up to date one rank at a time.
// It must know nothing of what is summed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headroom {

/// Blocks of eight ranks next to each other, and a Fenwick tree over the blocks: a million ranks cost a few adjacent
/// cache lines that can be fetched ahead, and a tree of a million eighths, which stays in a near cache.
///
/// Sum     value-initialised is 0; has +=.
/// Cost    add() and above() O(log n); nothing is allocated before the first add().
template <class Sum>
class SuffixSums {
 public:
  explicit SuffixSums(std::uint32_t ranks) : ranks_(ranks) {}

  /// Inlined, as above() is: the parts of a sum come in registers.
  [[gnu::always_inline]] void add(std::uint32_t rank, const Sum& sum) {
    if (ranks_of_.empty()) {
      const std::size_t blocks = ranks_ / kBlock + 1;
      ranks_of_.resize(blocks * kBlock);
      tree_.resize(blocks + 1);
    }
    ranks_of_[rank] += sum;
    // A node covers the blocks of its index and below.
    for (std::size_t i = rank / kBlock; i > 0; i -= i & (~i + 1)) tree_[i] += sum;
    largest_ = std::max(largest_, rank);
  }
  /// Nothing was added so far.
  [[nodiscard]] bool is_zero() const { return ranks_of_.empty(); }
  [[nodiscard]] bool nothing_above(std::uint32_t rank) const { return rank >= largest_; }
  /// Of the ranks strictly above.
  [[nodiscard, gnu::always_inline]] Sum above(std::uint32_t rank) const {
    Sum sum{};
    if (nothing_above(rank)) return sum;
    const std::size_t block = rank / kBlock;
    const Sum* const end = &ranks_of_[block * kBlock] + kBlock;
    for (const Sum* one = &ranks_of_[rank] + 1; one != end; ++one) sum += *one;
    for (std::size_t i = block + 1; i < tree_.size(); i += i & (~i + 1)) sum += tree_[i];
    return sum;
  }
  /// Inlined: g++ takes a function that only prefetches for one without effect.
  [[gnu::always_inline]] void prefetch(std::uint32_t rank) const {
    if (nothing_above(rank)) return;
    const char* const block = reinterpret_cast<const char*>(&ranks_of_[rank / kBlock * kBlock]);
    for (std::size_t line = 0; line < kBlock * sizeof(Sum); line += kLine) __builtin_prefetch(block + line);
  }

 private:
  static constexpr std::size_t kBlock = 8, kLine = 64;
  std::size_t ranks_;
  std::vector<Sum> ranks_of_, tree_;
  std::uint32_t largest_ = 0;
};

}  // namespace headroom
