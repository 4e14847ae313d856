#include "policies/ready_queue.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "policies/check.h"

namespace headroom {
namespace {

/// The least that anything below a node asks for. Erasing leaves it as it is: still a bound, only a looser one.
struct LeastSize {
  NodeCapacity amount{INT64_MAX, INT64_MAX, INT64_MAX};
  Duration estimate = Duration::infinite();

  void add(const NodeCapacity& other, Duration time) {
    amount.cores = std::min(amount.cores, other.cores);
    amount.memory = std::min(amount.memory, other.memory);
    amount.gpus = std::min(amount.gpus, other.gpus);
    estimate = std::min(estimate, time);
  }
  void add(const LeastSize& other) { add(other.amount, other.estimate); }
  [[nodiscard]] bool may_fit(const FitBound& bound) const {
    return covers(bound.free, amount) && (estimate <= bound.spare_time || covers(bound.spare, amount));
  }
};

LeastSize size_of(const StageSizes& sizes, const ReadyEntry& entry) {
  const StageSize size = sizes.of(entry);
  return {size.amount, size.estimate};
}

constexpr std::uint32_t kFanOut = 64;
using NodeIndex = std::uint32_t;
constexpr NodeIndex kNoNode = 0xffffffff;

struct Leaf {
  std::uint32_t begin = 0, end = 0;  ///< entries[begin, end): the front is popped by moving begin
  NodeIndex next = kNoNode, previous = kNoNode;
  std::array<ReadyEntry, kFanOut> entries;
};

struct Inner {
  std::uint32_t count = 0;
  std::array<NodeIndex, kFanOut> child;
  std::array<ReadyEntry, kFanOut> largest;  ///< below child[i]; always queued, so that its ties can be looked up
  std::array<LeastSize, kFanOut> least;
};

/// Nodes by index, given back to a free list.
template <class Node>
class Pool {
 public:
  NodeIndex make() {
    if (free_.empty()) {
      nodes_.emplace_back(std::make_unique<Node>());
      return static_cast<NodeIndex>(nodes_.size() - 1);
    }
    const NodeIndex index = free_.back();
    free_.pop_back();
    *nodes_[index] = Node{};
    return index;
  }
  void give_back(NodeIndex index) { free_.push_back(index); }
  Node& operator[](NodeIndex index) { return *nodes_[index]; }
  const Node& operator[](NodeIndex index) const { return *nodes_[index]; }

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<NodeIndex> free_;
};

class StaticQueue final : public ReadyQueue {
 public:
  StaticQueue(const TieBreaker& ties, const StageSizes& sizes) : less_(ties), sizes_(sizes), root_(leaves_.make()) {
    first_leaf_ = root_;
  }

  [[nodiscard]] std::size_t size() const override { return size_; }
  void begin_pass(TimePoint) override {}

  void insert(const ReadyEntry& entry) override {
    ++size_;
    const Split split =
        height_ == 0 ? insert_into_leaf(root_, entry) : insert_below(root_, height_, entry, size_of(sizes_, entry));
    if (split.right == kNoNode) return;
    const NodeIndex left = root_;
    root_ = inners_.make();
    Inner& root = inners_[root_];
    root.count = 2;
    root.child = {left, split.right};
    root.largest[0] = split.left_largest;
    root.largest[1] = largest_below(split.right, height_);
    root.least[0] = least_below(left, height_);
    root.least[1] = least_below(split.right, height_);
    ++height_;
  }

  void erase(const ReadyEntry& entry) override {
    if (!erase_at_spot(entry))
      HEADROOM_CHECK(erase_below(root_, height_, entry),
                     "stage " + std::to_string(entry.stage.value) + " is not queued");
    --size_;
    while (height_ > 0 && inners_[root_].count == 1) {
      const NodeIndex child = inners_[root_].child[0];
      inners_.give_back(root_);
      root_ = child;
      --height_;
    }
  }

  const ReadyEntry* front() override {
    if (size_ == 0) return nullptr;
    Leaf& leaf = leaves_[first_leaf_];
    spot_ = {first_leaf_, leaf.begin};
    return &leaf.entries[leaf.begin];
  }

  bool is_front(const ReadyEntry& entry) override {
    const Leaf& leaf = leaves_[first_leaf_];
    return size_ > 0 && leaf.entries[leaf.begin].stage == entry.stage;
  }

  const ReadyEntry* next(const ReadyEntry& entry) override {
    if (is_at_spot(entry)) return entry_at(spot_.leaf, spot_.at + 1);
    NodeIndex node = root_;
    for (std::uint32_t height = height_; height > 0; --height) {
      const Inner& inner = inners_[node];
      node = inner.child[child_for(inner, entry)];
    }
    return entry_at(node, upper_bound(leaves_[node], entry));
  }

  const ReadyEntry* nth(std::size_t n) override {
    if (n == 0 || n > size_) return nullptr;
    NodeIndex node = first_leaf_;
    for (;; node = leaves_[node].next) {
      const Leaf& leaf = leaves_[node];
      const std::size_t here = leaf.end - leaf.begin;
      if (n <= here) return &leaves_[node].entries[leaf.begin + n - 1];
      n -= here;
    }
  }

  const ReadyEntry* find(const ReadyEntry* after, const ReadyEntry* last, const FitBound& bound,
                         Accept& accept) override {
    Search search{after, last, bound, accept};
    return find_below(root_, height_, search);
  }

 private:
  /// Where the last answer stands, so that a start does not look for what was just found.
  struct Spot {
    NodeIndex leaf = 0;
    std::uint32_t at = 0;
  };
  [[nodiscard]] bool is_at_spot(const ReadyEntry& entry) const {
    const Leaf& leaf = leaves_[spot_.leaf];
    return spot_.at >= leaf.begin && spot_.at < leaf.end && leaf.entries[spot_.at].stage == entry.stage;
  }
  /// Without a way down from the root: not for the largest of a leaf, which nodes above it name.
  bool erase_at_spot(const ReadyEntry& entry) {
    if (!is_at_spot(entry)) return false;
    Leaf& leaf = leaves_[spot_.leaf];
    if (height_ > 0 && spot_.at + 1 == leaf.end) return false;
    erase_in_leaf(leaf, spot_.at);
    return true;
  }
  /// The entry at a place that may be a leaf's end; null behind the last.
  const ReadyEntry* entry_at(NodeIndex node, std::uint32_t at) {
    while (at == leaves_[node].end) {
      node = leaves_[node].next;
      if (node == kNoNode) return nullptr;
      at = leaves_[node].begin;
    }
    return &leaves_[node].entries[at];
  }

  struct Split {
    NodeIndex right = kNoNode;  ///< a new node to the right of the one gone into
    ReadyEntry left_largest;    ///< largest of what stayed
  };
  struct Search {
    const ReadyEntry* after;
    const ReadyEntry* last;
    const FitBound& bound;
    Accept& accept;
    bool ended = false;
  };

  [[nodiscard]] std::uint32_t upper_bound(const Leaf& leaf, const ReadyEntry& entry) const {
    if (leaf.begin == leaf.end || !less_(entry, leaf.entries[leaf.end - 1])) return leaf.end;  // most arrivals
    const auto begin = leaf.entries.begin();
    return static_cast<std::uint32_t>(std::upper_bound(begin + leaf.begin, begin + leaf.end, entry, less_) - begin);
  }
  /// The child whose range holds the entry: the first whose largest is not before it, else the last.
  [[nodiscard]] std::uint32_t child_for(const Inner& inner, const ReadyEntry& entry) const {
    const auto begin = inner.largest.begin();
    const auto at = std::lower_bound(begin, begin + inner.count - 1, entry, less_);
    return static_cast<std::uint32_t>(at - begin);
  }
  [[nodiscard]] const ReadyEntry& largest_below(NodeIndex node, std::uint32_t height) const {
    if (height == 0) return leaves_[node].entries[leaves_[node].end - 1];
    return inners_[node].largest[inners_[node].count - 1];
  }
  [[nodiscard]] LeastSize least_below(NodeIndex node, std::uint32_t height) const {
    LeastSize least;
    if (height == 0) {
      const Leaf& leaf = leaves_[node];
      for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) least.add(size_of(sizes_, leaf.entries[i]));
    } else {
      const Inner& inner = inners_[node];
      for (std::uint32_t i = 0; i < inner.count; ++i) least.add(inner.least[i]);
    }
    return least;
  }

  // The tree is at most a handful of levels high: recursion is over levels, never over entries.
  Split insert_below(NodeIndex node, std::uint32_t height, const ReadyEntry& entry, const LeastSize& size) {
    if (height == 0) return insert_into_leaf(node, entry);
    const std::uint32_t at = child_for(inners_[node], entry);
    const Split split = insert_below(inners_[node].child[at], height - 1, entry, size);
    Inner& inner = inners_[node];
    if (less_(inner.largest[at], entry)) inner.largest[at] = entry;
    inner.least[at].add(size);
    if (split.right == kNoNode) return {};
    return add_child(node, height, at, split);
  }

  Split insert_into_leaf(NodeIndex node, const ReadyEntry& entry) {
    Leaf& leaf = leaves_[node];
    if (leaf.begin == 0 && leaf.end == kFanOut) return split_leaf(node, entry);
    const std::uint32_t at = upper_bound(leaf, entry);
    const auto begin = leaf.entries.begin();
    if (leaf.end < kFanOut && (leaf.begin == 0 || leaf.end - at <= at - leaf.begin)) {
      std::move_backward(begin + at, begin + leaf.end, begin + leaf.end + 1);
      leaf.entries[at] = entry;
      ++leaf.end;
    } else {
      std::move(begin + leaf.begin, begin + at, begin + leaf.begin - 1);
      --leaf.begin;
      leaf.entries[at - 1] = entry;
    }
    return {};
  }

  Split split_leaf(NodeIndex node, const ReadyEntry& entry) {
    const NodeIndex right = leaves_.make();
    Leaf& from = leaves_[node];
    Leaf& to = leaves_[right];
    // Rising keys are the usual case (arrivals): then the left leaf stays full.
    const std::uint32_t at = upper_bound(from, entry);
    const std::uint32_t keep = at == kFanOut ? kFanOut : kFanOut / 2;
    std::copy(from.entries.begin() + keep, from.entries.end(), to.entries.begin());
    to.end = kFanOut - keep;
    from.end = keep;
    to.next = from.next;
    to.previous = node;
    if (to.next != kNoNode) leaves_[to.next].previous = right;
    from.next = right;
    if (at > keep || keep == kFanOut)
      insert_into_leaf(right, entry);
    else
      insert_into_leaf(node, entry);
    return {right, leaves_[node].entries[leaves_[node].end - 1]};
  }

  Split add_child(NodeIndex node, std::uint32_t height, std::uint32_t at, const Split& split) {
    Split up;
    const NodeIndex left = node;
    if (inners_[node].count == kFanOut) {
      up = split_inner(node);
      if (at >= inners_[node].count) {
        at -= inners_[node].count;
        node = up.right;
      }
    }
    Inner& inner = inners_[node];
    const auto shift = [&](auto& array) {
      std::move_backward(array.begin() + at + 1, array.begin() + inner.count, array.begin() + inner.count + 1);
    };
    shift(inner.child);
    shift(inner.largest);
    shift(inner.least);
    ++inner.count;
    inner.child[at + 1] = split.right;
    inner.largest[at + 1] = inner.largest[at];
    inner.largest[at] = split.left_largest;
    inner.least[at] = least_below(inner.child[at], height - 1);
    inner.least[at + 1] = least_below(split.right, height - 1);
    if (up.right != kNoNode) up.left_largest = largest_below(left, height);
    return up;
  }

  Split split_inner(NodeIndex node) {
    const NodeIndex right = inners_.make();
    Inner& from = inners_[node];
    Inner& to = inners_[right];
    constexpr std::uint32_t kHalf = kFanOut / 2;
    std::copy(from.child.begin() + kHalf, from.child.end(), to.child.begin());
    std::copy(from.largest.begin() + kHalf, from.largest.end(), to.largest.begin());
    std::copy(from.least.begin() + kHalf, from.least.end(), to.least.begin());
    from.count = kHalf;
    to.count = kFanOut - kHalf;
    return {right, {}};
  }

  bool erase_below(NodeIndex node, std::uint32_t height, const ReadyEntry& entry) {
    if (height == 0) return erase_from_leaf(node, entry);
    Inner& inner = inners_[node];
    const std::uint32_t at = child_for(inner, entry);
    const NodeIndex child = inner.child[at];
    if (!erase_below(child, height - 1, entry)) return false;
    const bool empty = height == 1 ? leaves_[child].begin == leaves_[child].end : inners_[child].count == 0;
    if (empty)
      remove_child(inner, height, at);
    else if (inner.largest[at].stage == entry.stage)
      inner.largest[at] = largest_below(child, height - 1);
    return true;
  }

  void remove_child(Inner& inner, std::uint32_t height, std::uint32_t at) {
    if (height == 1)
      unlink(inner.child[at]);
    else
      inners_.give_back(inner.child[at]);
    const auto shift = [&](auto& array) {
      std::move(array.begin() + at + 1, array.begin() + inner.count, array.begin() + at);
    };
    shift(inner.child);
    shift(inner.largest);
    shift(inner.least);
    --inner.count;
  }

  bool erase_from_leaf(NodeIndex node, const ReadyEntry& entry) {
    Leaf& leaf = leaves_[node];
    const std::uint32_t at = upper_bound(leaf, entry);
    if (at == leaf.begin || leaf.entries[at - 1].stage != entry.stage) return false;
    erase_in_leaf(leaf, at - 1);
    return true;
  }

  static void erase_in_leaf(Leaf& leaf, std::uint32_t at) {
    const auto begin = leaf.entries.begin();
    if (at - leaf.begin < leaf.end - at - 1) {
      std::move_backward(begin + leaf.begin, begin + at, begin + at + 1);
      ++leaf.begin;
    } else {
      std::move(begin + at + 1, begin + leaf.end, begin + at);
      --leaf.end;
    }
    if (leaf.begin == leaf.end) leaf.begin = leaf.end = 0;
  }

  void unlink(NodeIndex node) {
    Leaf& leaf = leaves_[node];
    if (leaf.previous != kNoNode)
      leaves_[leaf.previous].next = leaf.next;
    else
      first_leaf_ = leaf.next;
    if (leaf.next != kNoNode) leaves_[leaf.next].previous = leaf.previous;
    leaves_.give_back(node);
  }

  const ReadyEntry* find_below(NodeIndex node, std::uint32_t height, Search& search) {
    if (height == 0) return find_in_leaf(node, search);
    Inner& inner = inners_[node];
    for (std::uint32_t i = search.after != nullptr ? child_for(inner, *search.after) : 0; i < inner.count; ++i) {
      if (inner.least[i].may_fit(search.bound)) {
        const bool whole = search.after == nullptr;
        if (const ReadyEntry* found = find_below(inner.child[i], height - 1, search)) return found;
        if (search.ended) return nullptr;
        // Nothing taken in all of it: the bound may have grown loose by erasing.
        if (whole) inner.least[i] = least_below(inner.child[i], height - 1);
      }
      search.after = nullptr;  // whatever follows in the tree is after it
    }
    return nullptr;
  }

  const ReadyEntry* find_in_leaf(NodeIndex node, Search& search) {
    Leaf& leaf = leaves_[node];
    std::uint32_t i = search.after != nullptr ? upper_bound(leaf, *search.after) : leaf.begin;
    for (; i < leaf.end; ++i) {
      const ReadyEntry& entry = leaf.entries[i];
      if (search.last != nullptr && less_(*search.last, entry)) {
        search.ended = true;
        return nullptr;
      }
      if (size_of(sizes_, entry).may_fit(search.bound) && search.accept(entry)) {
        spot_ = {node, i};
        return &entry;
      }
    }
    return nullptr;
  }

  EntryOrder less_;
  const StageSizes& sizes_;
  Pool<Leaf> leaves_;
  Pool<Inner> inners_;
  NodeIndex root_;
  NodeIndex first_leaf_;
  std::uint32_t height_ = 0;  ///< of the root above the leaves
  std::size_t size_ = 0;
  Spot spot_;
};

class SortedQueue final : public ReadyQueue {
 public:
  SortedQueue(const TieBreaker& ties, const StageSizes& sizes, const Evaluate& evaluate)
      : less_(ties), sizes_(sizes), evaluate_(evaluate) {}

  [[nodiscard]] std::size_t size() const override { return entries_.size(); }
  void insert(const ReadyEntry& entry) override {
    entries_.push_back(entry);
    sorted_ = false;
  }
  void erase(const ReadyEntry& entry) override {
    const auto found = std::ranges::find(entries_, entry.stage, &ReadyEntry::stage);
    HEADROOM_CHECK(found != entries_.end(), "stage " + std::to_string(entry.stage.value) + " is not queued");
    entries_.erase(found);
  }
  void begin_pass(TimePoint now) override {
    evaluate_(entries_, now);
    sort();
    sorted_ = true;
  }
  const ReadyEntry* front() override {
    HEADROOM_CHECK(sorted_, "no pass was begun");
    return entries_.empty() ? nullptr : &entries_.front();
  }
  bool is_front(const ReadyEntry& entry) override { return !entries_.empty() && entries_.front().stage == entry.stage; }
  const ReadyEntry* next(const ReadyEntry& entry) override {
    const auto at = std::ranges::upper_bound(entries_, entry, less_);
    return at == entries_.end() ? nullptr : &*at;
  }
  const ReadyEntry* nth(std::size_t n) override { return n == 0 || n > entries_.size() ? nullptr : &entries_[n - 1]; }
  const ReadyEntry* find(const ReadyEntry* after, const ReadyEntry* last, const FitBound& bound,
                         Accept& accept) override {
    HEADROOM_CHECK(sorted_, "no pass was begun");
    auto at = after != nullptr ? std::ranges::upper_bound(entries_, *after, less_) : entries_.begin();
    for (; at != entries_.end(); ++at) {
      if (last != nullptr && less_(*last, *at)) return nullptr;
      if (size_of(sizes_, *at).may_fit(bound) && accept(*at)) return &*at;
    }
    return nullptr;
  }

 private:
  /// The order of the last pass is nearly that of this one: what is out of place is taken out, sorted and merged in.
  void sort() {
    moved_.clear();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (kept == 0 || less_(entries_[kept - 1], entries_[i])) {
        if (kept != i) entries_[kept] = entries_[i];
        ++kept;
        continue;
      }
      // One of the two is out of place, and nobody knows which.
      moved_.push_back(entries_[i]);
      moved_.push_back(entries_[--kept]);
    }
    if (moved_.empty()) return;
    std::ranges::copy(moved_, entries_.begin() + static_cast<std::ptrdiff_t>(kept));
    if (moved_.size() > entries_.size() / 4) {
      std::ranges::sort(entries_, less_);
      return;
    }
    const auto middle = entries_.begin() + static_cast<std::ptrdiff_t>(kept);
    std::sort(middle, entries_.end(), less_);
    std::inplace_merge(entries_.begin(), middle, entries_.end(), less_);
  }

  EntryOrder less_;
  const StageSizes& sizes_;
  const Evaluate& evaluate_;
  std::vector<ReadyEntry> entries_;
  std::vector<ReadyEntry> moved_;
  bool sorted_ = true;
};

}  // namespace

std::unique_ptr<ReadyQueue> make_static_queue(const TieBreaker& ties, const StageSizes& sizes) {
  return std::make_unique<StaticQueue>(ties, sizes);
}

std::unique_ptr<ReadyQueue> make_sorted_queue(const TieBreaker& ties, const StageSizes& sizes,
                                              const Evaluate& evaluate) {
  return std::make_unique<SortedQueue>(ties, sizes, evaluate);
}

ExactKey descending_key(double value) {
  if (std::isnan(value)) return kUnrankedKey;
  const auto bits = std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value);
  // Of negative doubles the magnitude falls as the bits rise: turn them over.
  const std::int64_t rising = bits >= 0 ? bits : INT64_MIN - bits;
  return {0, -rising};
}

}  // namespace headroom
