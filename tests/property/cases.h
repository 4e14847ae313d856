// Random small cases: few distinct times, so that ties and events at one instant abound.
#pragma once

#include <rapidcheck.h>

#include "tests/property/outcome.h"

namespace headroom::oracle {

/// What a property needs of its cases; all else is drawn.
struct CaseLimits {
  int workflows = 12;
  int stages = 25;
  bool fine_times = true;       ///< units of 1 ns too, where "1 ns from now" meets other instants
  bool jobs_only = false;       ///< workflows of one stage, none after another
  bool certain = false;         ///< no draw that depends on which row a stage has
  bool relative_times = false;  ///< no key is made of points in time
  bool nested = false;          ///< plans that declare a sub-plan first and hold while it runs, with slots to spare
  bool apart = false;           ///< no workflow comes after another's end
  bool preempting = false;      ///< running stages may be displaced
  bool reserving = false;       ///< easy or conservative, on nodes with memory, gpus and pools, and much waits
};

[[nodiscard]] rc::Gen<Case> cases(CaseLimits limits);

}  // namespace headroom::oracle
