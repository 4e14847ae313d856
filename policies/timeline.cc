#include "policies/timeline.h"

#include <algorithm>

#include "policies/cluster.h"

namespace headroom {
namespace {

void add(NodeCapacity& free, const NodeCapacity& amount, std::int64_t sign) {
  free.cores += sign * amount.cores;
  free.memory += sign * amount.memory;
  free.gpus += sign * amount.gpus;
}

}  // namespace

void Timeline::reset(TimePoint now, const NodeCapacity& free) { steps_.assign(1, {now, free}); }

std::size_t Timeline::step_of(TimePoint when) const {
  const auto later = std::ranges::upper_bound(steps_, when, {}, &Step::from);
  return static_cast<std::size_t>(later - steps_.begin()) - 1;
}

std::size_t Timeline::split(TimePoint when) {
  if (when.is_never()) return steps_.size();
  const std::size_t step = step_of(when);
  if (steps_[step].from == when) return step;
  const Step later{when, steps_[step].free};
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1, later);
  return step + 1;
}

void Timeline::give_back(TimePoint at, const NodeCapacity& amount) {
  for (std::size_t i = split(at); i < steps_.size(); ++i) add(steps_[i].free, amount, +1);
}

void Timeline::take(TimePoint from, TimePoint to, const NodeCapacity& amount) {
  const std::size_t begin = split(from);
  const std::size_t end = split(to);
  for (std::size_t i = begin; i < end; ++i) add(steps_[i].free, amount, -1);
}

TimePoint Timeline::earliest(TimePoint from, Duration length, const NodeCapacity& amount) const {
  TimePoint start = from;
  TimePoint end = saturating_add(start, length);
  for (std::size_t i = step_of(from);; ++i) {
    const bool is_last = i + 1 == steps_.size();
    if (covers(steps_[i].free, amount)) {
      if (is_last || steps_[i + 1].from >= end) return start;
    } else {
      if (is_last) return TimePoint::never();
      start = steps_[i + 1].from;
      end = saturating_add(start, length);
    }
  }
}

bool Timeline::covers_during(TimePoint from, Duration length, const NodeCapacity& amount) const {
  const TimePoint end = saturating_add(from, length);
  std::size_t i = step_of(from);
  do
    if (!covers(steps_[i].free, amount)) return false;
  while (++i < steps_.size() && steps_[i].from < end);
  return true;
}

NodeCapacity Timeline::least(TimePoint from, Duration length) const {
  const TimePoint end = saturating_add(from, length);
  std::size_t i = step_of(from);
  NodeCapacity least = steps_[i].free;
  while (++i < steps_.size() && steps_[i].from < end) {
    least.cores = std::min(least.cores, steps_[i].free.cores);
    least.memory = std::min(least.memory, steps_[i].free.memory);
    least.gpus = std::min(least.gpus, steps_[i].free.gpus);
  }
  return least;
}

TimePoint Timeline::next_change(TimePoint when) const {
  const std::size_t next = step_of(when) + 1;
  return next == steps_.size() ? TimePoint::never() : steps_[next].from;
}

}  // namespace headroom
