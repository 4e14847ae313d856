// The event list: what will happen at which instant. Earliest first; at one instant by rank, then in the order of
// insertion. It knows no meaning of what it holds.
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
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  PendingEvent pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const PendingEvent event = heap_.back();
    heap_.pop_back();
    return event;
  }

 private:
  static bool later(const PendingEvent& a, const PendingEvent& b) {
    return a.at != b.at ? a.at > b.at : a.rank > b.rank;
  }
  std::vector<PendingEvent> heap_;
};

}  // namespace headroom
