// The event list: what will happen at which instant. Earliest first, at one instant by rank. It knows no meaning of
// what it holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policies/time.h"

namespace headroom {

/// 16 bytes: the heap is the engine's hottest memory.
struct PendingEvent {
  TimePoint at;
  std::uint32_t rank = 0;  ///< smaller first at one instant; unique at one instant
  std::uint32_t subject = 0;
};

class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const PendingEvent& top() const { return heap_.front(); }
  [[nodiscard]] TimePoint next_at() const { return heap_.empty() ? TimePoint::never() : heap_.front().at; }
  void push(const PendingEvent& event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    for (; at > 0; at = (at - 1) / kChildren) {
      const PendingEvent& parent = heap_[(at - 1) / kChildren];
      if (!earlier(event, parent)) break;
      heap_[at] = parent;
    }
    heap_[at] = event;
  }
  /// Not empty.
  PendingEvent pop() {
    const PendingEvent first = heap_.front();
    const PendingEvent moved = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    std::size_t hole = 0;
    for (;;) {
      const std::size_t begin = kChildren * hole + 1;
      if (begin >= size) break;
      const std::size_t child = begin + kChildren <= size ? earliest_of_four(begin) : earliest_of(begin, size);
      if (!earlier(heap_[child], moved)) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = moved;
    return first;
  }

 private:
  /// In two rounds, so that the comparisons of the first do not wait for each other.
  [[nodiscard]] std::size_t earliest_of_four(std::size_t begin) const {
    const std::size_t left = begin + (earlier(heap_[begin + 1], heap_[begin]) ? 1 : 0);
    const std::size_t right = begin + 2 + (earlier(heap_[begin + 3], heap_[begin + 2]) ? 1 : 0);
    return earlier(heap_[right], heap_[left]) ? right : left;
  }
  [[nodiscard]] std::size_t earliest_of(std::size_t begin, std::size_t end) const {
    std::size_t best = begin;
    for (std::size_t i = begin + 1; i < end; ++i)
      if (earlier(heap_[i], heap_[best])) best = i;
    return best;
  }

  /// Four siblings lie in one or two cache lines, and the heap is half as high as with two.
  static constexpr std::size_t kChildren = 4;

  __extension__ using Key = unsigned __int128;
  static Key key(const PendingEvent& event) {
    return Key{static_cast<std::uint64_t>(event.at.ns)} << 32 | event.rank;  // no time is below 0
  }
  static bool earlier(const PendingEvent& a, const PendingEvent& b) { return key(a) < key(b); }
  std::vector<PendingEvent> heap_;
};

}  // namespace headroom
