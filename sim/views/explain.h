// Why a stage waited: every nanosecond of it by cause and by whom, adding up exactly.
//
// At each instant of the wait one reason binds, the first of these that holds:
//   waiting_for_pass   it fits, and there has been no pass since it does
//   queue_depth        it fits, but the last pass did not look so far
//   reservation        it fits, but would have delayed what was promised to another, which is named
//   node_down          it would fit if every node took work
// else the instant is shared among those who hold what it lacks, by how much of it they hold, each under the reason why
// it was ahead when it started:
//   already_running    it ran before this one was eligible
//   priority_change    with the priorities at submission this one would have been ahead
//   higher_base, older, plan_first, longer_tail, another tie's name, declaration: the first key in which they differed
//   fitted_when_this_did_not:RESOURCE   it was behind, but fitted
// too_large:RESOURCE: nobody holds it and there is not enough of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/views/history.h"
#include "sim/views/order.h"

namespace headroom::views {

struct Share {
  std::uint32_t workflow = 0;
  Duration time;
};
struct Cause {
  std::string cause;
  Duration time;
  std::vector<Share> by;  ///< longest first, then by name; adds up to `time`, or is empty where nobody is the cause
};
struct Explanation {
  std::uint32_t stage = 0;
  TimePoint from, to;         ///< of the first wait to the end of the last
  Duration wait;              ///< eligible, over all tries
  Duration blocked, held;     ///< before: since its workflow's submission
  bool still_waits = false;   ///< at the end of the run
  std::vector<Cause> causes;  ///< longest first, then by name; they add up to `wait`
};

/// Fails  InputError where the order is not to be had (Order::why_not()), or the tables contradict each other.
/// Cost   O(changes during the wait x what runs), and one sort of the queue for each that a depth hides it in.
[[nodiscard]] Explanation explain(const History& history, const std::string& path, std::uint32_t stage);

/// The stage that stands for the workflow: the one that started first, else that was eligible first.
[[nodiscard]] std::uint32_t first_stage(const History& history, std::uint32_t workflow);

}  // namespace headroom::views
