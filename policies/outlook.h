// What conservative backfilling plans with: what will be free where and when, beside what runs (by estimates) and
// beside the reservations already given in this pass. It is made anew in each pass and knows no order.
#pragma once

#include <vector>

#include "policies/cluster.h"
#include "policies/ids.h"
#include "policies/reservation.h"
#include "policies/resources.h"
#include "policies/time.h"
#include "policies/timeline.h"

namespace headroom {

class Outlook {
 public:
  /// No reservation yet.
  ///
  /// `ends`   what runs, latest end first. An end that has passed counts as 1 ns from now.
  /// Cost     O(nodes + what runs), where stages sit on one node.
  void make(const Cluster& cluster, const std::vector<ExpectedEnd>& ends, TimePoint now);

  /// The earliest time at which the demand is free for all of `length` (> 0), which is taken at once; never(), and
  /// nothing taken, if there is none. `where`: the first nodes in file order that are free then.
  ///
  /// Cost   O(steps of every node), a few times over for `nodes: N`, pools and widths that spread.
  TimePoint reserve(DemandId demand, Duration length, Allocation& where);
  /// Would reserve() say now? Once it would not, it never will again in this pass: reservations only take.
  [[nodiscard]] bool fits_from_now(DemandId demand, Duration length) const;
  /// What anything that still runs at `when` may take of any one node at most.
  [[nodiscard]] FreeBound most_free(TimePoint when) const;

 private:
  [[nodiscard]] TimePoint earliest(const Demand& demand, Duration length) const;
  [[nodiscard]] TimePoint pools_earliest(const Demand& demand, Duration length, TimePoint from) const;
  [[nodiscard]] TimePoint nodes_earliest(const Demand& demand, Duration length, TimePoint from) const;
  [[nodiscard]] TimePoint several_nodes_earliest(const Demand& demand, Duration length, TimePoint from) const;
  [[nodiscard]] TimePoint spread_earliest(const Demand& demand, Duration length, TimePoint from) const;
  /// Cores that a width which spreads can have on fixed nodes in [from, from + length).
  [[nodiscard]] std::int64_t steady_cores(TimePoint from, Duration length) const;
  void choose_nodes(const Demand& demand, Duration length, TimePoint at, Allocation& where) const;
  /// Calls `apply(timeline, amount)` for whatever the demand takes there.
  template <class Change>
  void change(const Demand& demand, const Allocation& where, Change apply);

  const Cluster* cluster_ = nullptr;
  TimePoint now_;
  std::vector<Timeline> nodes_;
  std::vector<Timeline> pools_;  ///< as cores
  Timeline all_cores_;           ///< of all nodes; kept where there are several
};

}  // namespace headroom
