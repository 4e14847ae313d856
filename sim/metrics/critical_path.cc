#include "sim/metrics/critical_path.h"

#include <algorithm>

#include "sim/metrics/log_replay.h"

namespace headroom {
namespace {

Duration saturating_sum(Duration a, Duration b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.ns, b.ns, &sum) ? Duration::infinite() : Duration{sum};
}

Duration program_length(const PlanProgram& program) {
  Duration length = saturating_sum(program.startup, program.teardown);
  for (const PlanProgram::Op& op : program.ops) length = saturating_sum(length, op.cost);
  return length;
}

/// Depth-first search over predecessors with its own stack, one workflow at a time.
class HeadTimes {
 public:
  explicit HeadTimes(const Work& work) : work_(work), end_(work.stages(), kUnknown) {}

  Duration longest(StageRow first, StageRow last) {
    Duration longest{};
    for (StageRow row = first; row < last; ++row) {
      if (end_[row] == kUnknown) visit(row, first, last);
      longest = std::max(longest, end_[row]);
    }
    return longest;
  }

 private:
  struct Frame {
    StageRow row;
    std::uint32_t next_need;
    Duration begin;  // the latest end among the predecessors looked at so far
  };
  static constexpr Duration kUnknown{-1};
  static constexpr Duration kOpen{-2};

  void visit(StageRow root, StageRow first, StageRow last) {
    open(root);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next_need == work_.needs_begin[top.row + 1]) {
        end_[top.row] = saturating_sum(top.begin, true_run_time(work_, top.row));
        stack_.pop_back();
        continue;
      }
      const StageRow need = work_.needs[top.next_need];
      const bool outside = need < first || need >= last;
      if (!outside && end_[need] == kUnknown) {
        open(need);  // `top` is looked at again, with this need known
        continue;
      }
      if (!outside && end_[need] != kOpen) top.begin = std::max(top.begin, end_[need]);
      ++top.next_need;
    }
  }
  void open(StageRow row) {
    end_[row] = kOpen;
    stack_.push_back({row, work_.needs_begin[row], Duration{}});
  }

  const Work& work_;
  std::vector<Duration> end_;
  std::vector<Frame> stack_;
};

}  // namespace

Duration true_run_time(const Work& work, StageRow row) {
  if (work.program.empty() || work.program[row] < 0) return work.run_time[row];
  return program_length(work.plans[static_cast<std::size_t>(work.program[row])]);
}

std::vector<Duration> critical_paths(const Work& work) {
  if (each_row_is_a_workflow(work)) return work.run_time;
  std::vector<Duration> paths(work.workflows());
  if (work.needs_begin.empty()) {
    for (std::uint32_t w = 0; w < work.workflows(); ++w)
      for (StageRow row = work.first_stage[w]; row < work.first_stage[w + 1]; ++row)
        paths[w] = std::max(paths[w], true_run_time(work, row));
    return paths;
  }
  HeadTimes heads(work);
  for (std::uint32_t w = 0; w < work.workflows(); ++w)
    paths[w] = heads.longest(work.first_stage[w], work.first_stage[w + 1]);
  return paths;
}

}  // namespace headroom
