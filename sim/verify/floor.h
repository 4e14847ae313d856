// What is free where, and when the first in order could start: placement worked out anew, in the plainest way.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/verify/schedule.h"

namespace headroom::verify {

/// What a stage asks for; equal ones are one class.
struct Class {
  Amounts amounts;
  std::int32_t nodes = 1;
  bool is_spread = false;
  std::vector<std::pair<std::uint32_t, std::int64_t>> pools;
  friend auto operator<=>(const Class&, const Class&) = default;
};

/// Cores taken on a node; memory and gpus are the class's.
using Taken = std::vector<std::pair<std::int32_t, std::int64_t>>;

struct Free {
  std::vector<Amounts> nodes;
  std::vector<std::int64_t> pools;

  void take(const Class& wants, const Taken& where);
  void give(const Class& wants, const Taken& where);
  /// Does it fit? `where`, if given, gets the first nodes in file order; undefined if it does not fit.
  [[nodiscard]] bool fits(const Class& wants, Taken* where = nullptr) const;
  [[nodiscard]] bool has_pools(const Class& wants) const;
  /// Is anything below nothing? Of the nodes named.
  [[nodiscard]] bool overdrawn(const Class& wants, const Taken& where) const;
};

[[nodiscard]] inline bool holds(const Amounts& has, const Amounts& wants) {
  return has.cores >= wants.cores && has.memory >= wants.memory && has.gpus >= wants.gpus;
}

/// Something that runs, by the end that its estimate gives.
struct Expected {
  const Class* wants = nullptr;
  const Taken* where = nullptr;
};
using Running = std::multimap<Time, Expected>;

/// The earliest time at which `head` fits by estimates if nothing else starts, and what is free then (before it is
/// placed). An end that has passed counts as 1 ns from `now`. kNever: it fits at no time.
/// Cost  O(running x nodes)
[[nodiscard]] Time earliest(const Class& head, const Running& running, Time now, Free& free);

/// Could `other` run past that time, starting now where `now` is free, without moving it?
[[nodiscard]] bool fits_beside(const Class& other, const Free& now, const Class& head, const Free& then);

}  // namespace headroom::verify
