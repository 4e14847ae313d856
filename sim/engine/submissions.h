// When workflows are submitted: streamed in order of time, and, where one follows the end of others, once they have
// ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policies/time.h"
#include "sim/engine/event_heap.h"
#include "workloads/work.h"

namespace headroom {

class Submissions {
 public:
  explicit Submissions(const Work& work);

  /// never(): no further submission is known now.
  [[nodiscard]] TimePoint next_at() const { return std::min(streamed_at_, followers_.next_at()); }
  /// The next workflow due at `now`, in order of `work:` among those of one instant; false if none is due.
  bool pop_due(TimePoint now, std::uint32_t& workflow);
  /// Tells those that follow the workflow.
  void ended(std::uint32_t workflow, TimePoint now);

 private:
  /// Of the next of those that are submitted by the clock alone.
  [[nodiscard]] TimePoint streamed_at() const;

  const Work& work_;
  std::vector<std::uint32_t> order_;  ///< by submission, stable; empty: the order of the file is it
  std::size_t next_ = 0, count_ = 0;
  TimePoint streamed_at_;                                 ///< streamed_at(), which is asked for at every instant
  EventHeap followers_;                                   ///< due once what they follow has ended
  std::vector<std::uint32_t> waits_for_;                  ///< by workflow: how many that it follows have not ended
  std::vector<std::uint32_t> followed_begin_, followed_;  ///< by workflow: who follows it
};

}  // namespace headroom
