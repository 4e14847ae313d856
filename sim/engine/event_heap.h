// The event list: what will happen at which instant. Earliest first, at one instant by rank. It knows no meaning of
// what it holds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "policies/time.h"

namespace headroom {

/// 16 bytes: the heap is the engine's hottest memory. Read as one number, the low word first, it is its own key.
struct PendingEvent {
  std::uint32_t subject = 0;
  std::uint32_t rank = 0;  ///< smaller first at one instant; unique at one instant
  TimePoint at;
};

class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const PendingEvent& top() const { return heap_.front(); }
  [[nodiscard]] TimePoint next_at() const { return heap_.empty() ? TimePoint::never() : heap_.front().at; }
  void push(const PendingEvent& event) {
    heap_.push_back(event);
    rise(heap_.size() - 1, event);
  }
  /// Those among which the second is. Not empty.
  [[nodiscard]] std::span<const PendingEvent> after_top() const {
    return std::span(heap_).subspan(1, std::min(heap_.size() - 1, kChildren));
  }
  /// Not empty.
  PendingEvent pop() {
    const PendingEvent first = heap_.front();
    const PendingEvent moved = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return first;
    // What was last mostly belongs at the bottom again: the hole goes all the way down, and it rises from there.
    std::size_t hole = 0;
    for (std::size_t begin = 1; begin < size; begin = kChildren * hole + 1) {
      const std::size_t child = begin + kChildren <= size ? earliest_of_four(begin) : earliest_of(begin, size);
      heap_[hole] = heap_[child];
      hole = child;
    }
    rise(hole, moved);
    return first;
  }
  /// Forgets everything about the subject. Cost O(events).
  void forget(std::uint32_t subject) {
    std::vector<PendingEvent> rest;
    rest.swap(heap_);
    for (const PendingEvent& event : rest)
      if (event.subject != subject) push(event);
  }

 private:
  /// Puts the event where it belongs between that place and the root.
  void rise(std::size_t at, const PendingEvent& event) {
    for (; at > 0; at = (at - 1) / kChildren) {
      const PendingEvent& parent = heap_[(at - 1) / kChildren];
      if (!earlier(event, parent)) break;
      heap_[at] = parent;
    }
    heap_[at] = event;
  }

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

  __extension__ using Key = __int128;
  static Key key(const PendingEvent& event) {
    static_assert(std::endian::native == std::endian::little);
    return std::bit_cast<Key>(event);
  }
  static bool earlier(const PendingEvent& a, const PendingEvent& b) { return key(a) < key(b); }
  std::vector<PendingEvent> heap_;
};

}  // namespace headroom
