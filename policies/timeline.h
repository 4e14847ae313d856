// How much of one node (or of one pool, or of all cores) is free from when on, by estimates and by reservations: a
// step function of time. It knows neither stages nor other nodes.
#pragma once

#include <vector>

#include "policies/resources.h"
#include "policies/time.h"

namespace headroom {

class Timeline {
 public:
  /// Forgets everything: `free` from `now` on, for ever.
  void reset(TimePoint now, const NodeCapacity& free);
  /// `amount` more is free from `at` on. Cost O(1) where no step is later than `at`.
  void give_back(TimePoint at, const NodeCapacity& amount);
  /// `amount` less is free in [from, to). The caller has made sure that it is there.
  void take(TimePoint from, TimePoint to, const NodeCapacity& amount);

  /// The first instant, `from` or later, from which `amount` is free for all of `length`; never() if there is none.
  /// `from` is not before the first step. Cost O(steps).
  [[nodiscard]] TimePoint earliest(TimePoint from, Duration length, const NodeCapacity& amount) const;
  /// Is `amount` free throughout [from, from + length)?
  [[nodiscard]] bool covers_during(TimePoint from, Duration length, const NodeCapacity& amount) const;
  /// The least that is free in [from, from + length), of each resource by itself.
  [[nodiscard]] NodeCapacity least(TimePoint from, Duration length) const;
  [[nodiscard]] const NodeCapacity& at(TimePoint when) const { return steps_[step_of(when)].free; }
  /// The first step after `when`; never() if there is none.
  [[nodiscard]] TimePoint next_change(TimePoint when) const;

 private:
  struct Step {
    TimePoint from;
    NodeCapacity free;
  };
  /// The step that holds at `when`.
  [[nodiscard]] std::size_t step_of(TimePoint when) const;
  /// Makes a step begin at `when`; its index, or the number of steps if `when` is never().
  std::size_t split(TimePoint when);

  std::vector<Step> steps_;  ///< by time; the last one lasts for ever
};

}  // namespace headroom
