// The general case: nodes apart from each other, every resource, several nodes a stage, widths that spread, pools.
#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "sim/metrics/log_replay.h"
#include "sim/metrics/passed_over_wide.h"

namespace headroom {
namespace {

/// Where amounts are counted: a node, a pool, or the cores of all nodes together (for widths that spread).
struct Bin {
  struct Held {
    std::uint32_t rank = 0;
    std::uint32_t start = 0;  ///< which start holds it
    NodeCapacity amount;
  };
  NodeCapacity capacity;
  std::vector<Held> held;  ///< by rank
};

/// Does `amount` fit beside what is held?
bool fits(const NodeCapacity& capacity, const NodeCapacity& held, const NodeCapacity& amount) {
  return capacity.cores - held.cores >= amount.cores && capacity.memory - held.memory >= amount.memory &&
         capacity.gpus - held.gpus >= amount.gpus;
}

void add(NodeCapacity& sum, const NodeCapacity& amount) {
  sum.cores += amount.cores;
  sum.memory += amount.memory;
  sum.gpus += amount.gpus;
}

class NodesPassedOver : public LogReader {
 public:
  NodesPassedOver(const Work& work, const RunLog& log, const SubmissionRanks& ranks)
      : work_(work), log_(log), rank_(ranks.rank), passed_over_(work.stages(), 0), start_of_(work.stages(), kNoStart) {
    NodeCapacity all{0, 0, 0};
    for (const NodeClass& node : work.cluster.classes) {
      for (std::int64_t i = 0; i < node.count; ++i) bins_.push_back({node.capacity, {}});
      all.cores += node.count * node.capacity.cores;
    }
    nodes_ = bins_.size();
    all_nodes_ = bins_.size();
    bins_.push_back({all, {}});
    for (const std::int64_t amount : work.cluster.capacity().pools) bins_.push_back({{amount, 0, 0}, {}});
  }

  /// After the log has been read.
  std::vector<std::int64_t> take() {
    while (!waiters_.empty()) gated(waiters_.back().row);
    return std::move(passed_over_);
  }

  void advance(TimePoint to) { now_ = to.ns; }
  void enter(StageRow row) {
    Waiter waiter;
    waiter.rank = rank_of(row);
    waiter.row = row;
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
      NodeCapacity amount, held{0, 0, 0};
      if (!wants(demand(row), bin, amount)) continue;
      for (const Bin::Held& part : bins_[bin].held)
        if (part.rank <= waiter.rank) add(held, part.amount);
      if (fits(bins_[bin].capacity, held, amount)) waiter.fitting += unit_of(bin);
    }
    waiter.fits = is_satisfied(waiter);
    if (waiter.fits) waiter.passed_over -= now_;
    waiters_.insert(std::upper_bound(waiters_.begin(), waiters_.end(), waiter.rank,
                                     [](std::uint32_t rank, const Waiter& w) { return rank < w.rank; }),
                    waiter);
  }
  void gated(StageRow row) {
    const auto found =
        std::find_if(first_of(rank_of(row)), waiters_.end(), [&](const Waiter& w) { return w.row == row; });
    if (found == waiters_.end()) return;  // canceled before it was eligible
    passed_over_[row] += found->passed_over + (found->fits ? now_ : 0);
    waiters_.erase(found);
  }

  void started(StageRow row) {
    gated(row);
    const std::uint32_t start = next_start_++;
    start_of_[row] = start;
    const std::uint32_t rank = rank_of(row);
    for_each_part(row, start, [&](std::size_t bin, const NodeCapacity& amount) {
      change(bin, rank, [&](std::vector<Bin::Held>& held) {
        held.insert(std::upper_bound(held.begin(), held.end(), rank,
                                     [](std::uint32_t r, const Bin::Held& part) { return r < part.rank; }),
                    {rank, start, amount});
      });
    });
    settle(rank);
  }
  void ended(StageRow row, StageState) {
    const std::uint32_t start = start_of_[row];
    if (start == kNoStart) return;
    start_of_[row] = kNoStart;
    const std::uint32_t rank = rank_of(row);
    for_each_part(row, start, [&](std::size_t bin, const NodeCapacity&) {
      change(bin, rank, [&](std::vector<Bin::Held>& held) {
        std::erase_if(held, [&](const Bin::Held& part) { return part.start == start; });
      });
    });
    settle(rank);
  }
  void canceled(StageRow row) {
    gated(row);
    ended(row, StageState::kCanceled);
  }

 private:
  static constexpr std::uint32_t kNoStart = 0xffffffff;

  struct Waiter {
    std::uint32_t rank = 0;
    StageRow row = 0;
    std::uint32_t fitting = 0;  ///< bins in which it fits
    bool fits = false;
    std::int64_t passed_over = 0;
  };

  // ---- what a stage wants of a bin

  [[nodiscard]] const Demand& demand(StageRow row) const { return work_.demands[work_.demand[row]]; }
  [[nodiscard]] bool wants(const Demand& demand, std::size_t bin, NodeCapacity& amount) const {
    if (bin < nodes_) {
      amount = {demand.cores, demand.memory, demand.gpus};
      return !demand.spread;
    }
    if (bin == all_nodes_) {
      amount = {demand.cores, 0, 0};
      return demand.spread;
    }
    const std::size_t pool = bin - all_nodes_ - 1;
    for (const auto& [id, units] : demand.pools) {
      amount = {units, 0, 0};
      if (id.value == pool) return true;
    }
    return false;
  }
  /// In how many bins it has to fit, pools included. Nodes beyond those that it takes do not count: see is_satisfied.
  [[nodiscard]] bool is_satisfied(const Waiter& waiter) const {
    const Demand& wanted = demand(waiter.row);
    const std::uint32_t pools = static_cast<std::uint32_t>(wanted.pools.size());
    const std::uint32_t in_pools = waiter.fitting >> kPoolShift;
    const std::uint32_t in_nodes = waiter.fitting & kNodeMask;
    return in_pools == pools && in_nodes >= (wanted.spread ? 1U : static_cast<std::uint32_t>(wanted.nodes));
  }
  [[nodiscard]] std::uint32_t unit_of(std::size_t bin) const { return bin > all_nodes_ ? 1U << kPoolShift : 1U; }

  /// What a start takes of each bin.
  template <class Call>
  void for_each_part(StageRow row, std::uint32_t start, Call call) {
    const Demand& taken = demand(row);
    const auto first = std::lower_bound(log_.further_nodes.begin(), log_.further_nodes.end(), start,
                                        [](const NodePart& part, std::uint32_t s) { return part.start < s; });
    std::int64_t further_cores = 0;
    for (auto part = first; part != log_.further_nodes.end() && part->start == start; ++part) {
      call(part->node.value, NodeCapacity{part->cores, taken.memory, taken.gpus});
      further_cores += part->cores;
    }
    const std::int64_t here = taken.spread ? taken.cores - further_cores : taken.cores;
    call(log_.starts[start].node.value, NodeCapacity{here, taken.memory, taken.gpus});
    call(all_nodes_, NodeCapacity{taken.spread ? taken.cores : taken.cores * taken.nodes, 0, 0});
    for (const auto& [pool, units] : taken.pools) call(all_nodes_ + 1 + pool.value, NodeCapacity{units, 0, 0});
  }

  /// Changes what is held in a bin; whoever it concerns is counted before and after.
  template <class Change>
  void change(std::size_t bin, std::uint32_t rank, Change apply_change) {
    count(bin, rank, -1);
    apply_change(bins_[bin].held);
    count(bin, rank, +1);
  }
  void count(std::size_t bin, std::uint32_t rank, int sign) {
    NodeCapacity held{0, 0, 0};
    auto part = bins_[bin].held.begin();
    for (auto waiter = first_of(rank); waiter != waiters_.end(); ++waiter) {
      for (; part != bins_[bin].held.end() && part->rank <= waiter->rank; ++part) add(held, part->amount);
      NodeCapacity amount;
      if (!wants(demand(waiter->row), bin, amount) || !fits(bins_[bin].capacity, held, amount)) continue;
      waiter->fitting += sign > 0 ? unit_of(bin) : 0U - unit_of(bin);
    }
  }
  /// Whoever begins or ceases to fit.
  void settle(std::uint32_t rank) {
    for (auto waiter = first_of(rank); waiter != waiters_.end(); ++waiter) {
      const bool fits_now = is_satisfied(*waiter);
      if (fits_now == waiter->fits) continue;
      waiter->fits = fits_now;
      waiter->passed_over += fits_now ? -now_ : now_;
    }
  }

  [[nodiscard]] std::vector<Waiter>::iterator first_of(std::uint32_t rank) {
    return std::lower_bound(waiters_.begin(), waiters_.end(), rank,
                            [](const Waiter& w, std::uint32_t r) { return w.rank < r; });
  }
  [[nodiscard]] std::uint32_t rank_of(StageRow row) const { return rank_[work_.workflow_of[row]]; }

  static constexpr int kPoolShift = 24;  // fitting: pools above, nodes below
  static constexpr std::uint32_t kNodeMask = (1U << kPoolShift) - 1;

  const Work& work_;
  const RunLog& log_;
  const std::vector<std::uint32_t>& rank_;  // by workflow
  std::vector<Bin> bins_;                   // nodes, all nodes together, pools
  std::size_t nodes_ = 0, all_nodes_ = 0;
  std::vector<Waiter> waiters_;  // by rank
  std::vector<std::int64_t> passed_over_;
  std::vector<std::uint32_t> start_of_;  // of what runs
  std::uint32_t next_start_ = 0;
  std::int64_t now_ = 0;
};

}  // namespace

std::vector<std::int64_t> passed_over_of_nodes_ns(const Work& work, const RunLog& log, const SubmissionRanks& ranks) {
  NodesPassedOver reader(work, log, ranks);
  replay(work, log, reader);
  return reader.take();
}

}  // namespace headroom
