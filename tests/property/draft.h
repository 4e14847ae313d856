// A Work taken apart into pieces that can be edited, and put together again: what shrinking and renumbering work on.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/property/work_builder.h"

namespace headroom::oracle {

/// A Work that can be edited: stages know one another by position in `stages` until it is built again.
struct Draft {
  struct Workflow {
    TimePoint at;
    std::int64_t priority = 0;
    std::uint32_t account = 0, user = 0;
    std::vector<std::uint32_t> after;
    Duration think_time;
    bool gone = false;
  };
  struct Stage {
    StageText text;  ///< needs: positions
    std::uint32_t workflow = 0;
    StageRow declarer = kNoRow;
    bool is_plan = false, gone = false;
    PlanProgram program;
  };
  std::vector<Workflow> workflows;
  std::vector<Stage> stages;
};

[[nodiscard]] Draft draft_of(const Work& work);
/// Without what is gone, and without what only makes sense with it: a plan's steps go with the plan.
[[nodiscard]] Work build(Draft draft, const Work& like);
/// The same workflows, each as it is inside, in another order of `work:`; order[i]: which was there before. None may
/// come after another.
[[nodiscard]] Draft reordered(const Draft& draft, const std::vector<std::uint32_t>& order);

}  // namespace headroom::oracle
