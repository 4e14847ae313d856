// The case of one bin of cores: every stage asks for so many of them and nothing else.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "policies/check.h"
#include "sim/metrics/log_replay.h"
#include "sim/metrics/passed_over_wide.h"
#include "sim/metrics/wide.h"

namespace headroom {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

/// Those who wait, by rank of submission, in blocks. A start takes the same amount from everybody of its rank and
/// above: from a whole block by one number, as long as nobody in it begins or ceases to fit.
class Waiters {
 public:
  struct Waiter {
    std::uint32_t rank = 0;
    StageRow row = 0;
    std::int64_t slack = 0;        ///< what is left beside the older ones and itself, plus the block's `shift`
    std::int64_t passed_over = 0;  ///< ends of times of fitting - their beginnings
  };

  void insert(Waiter waiter, std::int64_t now) {
    std::size_t at = block_of(waiter.rank);
    if (blocks_.empty()) blocks_.emplace_back();
    if (blocks_[at].waiters.size() == kBlock) at = split(at, waiter.rank);
    Block& block = blocks_[at];
    if (waiter.slack >= 0) waiter.passed_over -= now;
    const auto place = std::upper_bound(block.waiters.begin(), block.waiters.end(), waiter.rank,
                                        [](std::uint32_t rank, const Waiter& w) { return rank < w.rank; });
    block.note(waiter.slack);
    waiter.slack -= block.shift;
    block.waiters.insert(place, waiter);
  }
  /// Its passed-over time up to now.
  std::int64_t erase(std::uint32_t rank, StageRow row, std::int64_t now) {
    for (std::size_t at = block_of(rank);; ++at) {  // equal ranks may go on in the next block
      HEADROOM_CHECK(at < blocks_.size(), "row " + std::to_string(row) + " does not wait");
      Block& block = blocks_[at];
      const auto found =
          std::find_if(block.waiters.begin(), block.waiters.end(), [&](const Waiter& w) { return w.row == row; });
      if (found == block.waiters.end()) continue;
      const std::int64_t time = found->passed_over + (found->slack + block.shift >= 0 ? now : 0);
      block.waiters.erase(found);
      if (block.waiters.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
      return time;
    }
  }
  /// `amount` more, or fewer, cores for everybody of that rank and above.
  void add(std::uint32_t rank, std::int64_t amount, std::int64_t now) {
    std::size_t at = block_of(rank);
    if (at < blocks_.size() && blocks_[at].waiters.front().rank < rank) {
      Block& block = blocks_[at++];
      block.shift_from(rank, amount, now);
    }
    for (; at < blocks_.size(); ++at) blocks_[at].shift_all(amount, now);
  }

 private:
  static constexpr std::size_t kBlock = 64;

  struct Block {
    std::vector<Waiter> waiters;
    std::int64_t shift = 0;
    std::int64_t least_fitting = kNone;        ///< a lower bound of the slacks that are >= 0
    std::int64_t most_unfitting = -1 - kNone;  ///< an upper bound of those below 0

    void note(std::int64_t slack) {
      if (slack >= 0)
        least_fitting = std::min(least_fitting, slack);
      else
        most_unfitting = std::max(most_unfitting, slack);
    }
    void bound() {
      least_fitting = kNone;
      most_unfitting = -1 - kNone;
      for (const Waiter& waiter : waiters) note(waiter.slack + shift);
    }
    /// For those of that rank and above. No branch depends on who begins or ceases to fit.
    void shift_from(std::uint32_t rank, std::int64_t amount, std::int64_t now) {
      std::int64_t least = kNone, most = -1 - kNone;
      for (Waiter& waiter : waiters) {
        const std::int64_t before = waiter.slack + shift;
        const std::int64_t after = before + (waiter.rank >= rank ? amount : 0);
        waiter.slack = after - shift;
        waiter.passed_over += (static_cast<int>(before >= 0) - static_cast<int>(after >= 0)) * now;
        least = std::min(least, after >= 0 ? after : kNone);
        most = std::max(most, after >= 0 ? -1 - kNone : after);
      }
      least_fitting = least;
      most_unfitting = most;
    }
    void shift_all(std::int64_t amount, std::int64_t now) {
      const bool all_stay = (least_fitting == kNone || least_fitting + amount >= 0) &&
                            (most_unfitting == -1 - kNone || most_unfitting + amount < 0);
      if (!all_stay) {
        shift_from(0, amount, now);
        return;
      }
      shift += amount;
      if (least_fitting != kNone) least_fitting += amount;
      if (most_unfitting != -1 - kNone) most_unfitting += amount;
    }
  };

  /// The last block that begins below the rank, so that everybody of the rank is in it or behind it.
  [[nodiscard]] std::size_t block_of(std::uint32_t rank) const {
    const auto at = std::partition_point(blocks_.begin(), blocks_.end(),
                                         [&](const Block& block) { return block.waiters.front().rank < rank; });
    return at == blocks_.begin() ? 0 : static_cast<std::size_t>(at - blocks_.begin()) - 1;
  }
  /// The half of the full block that the rank belongs to. Newcomers come last: then the left block stays full.
  std::size_t split(std::size_t at, std::uint32_t rank) {
    const bool last = blocks_[at].waiters.back().rank <= rank;
    Block right;
    right.shift = blocks_[at].shift;
    if (!last || at + 1 < blocks_.size()) {
      auto& left = blocks_[at].waiters;
      right.waiters.assign(left.begin() + kBlock / 2, left.end());
      left.resize(kBlock / 2);
      right.bound();
      blocks_[at].bound();
    }
    const bool goes_right = last || right.waiters.front().rank <= rank;
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(right));
    return goes_right ? at + 1 : at;
  }

  std::vector<Block> blocks_;  // none is empty, except one that is about to be filled
};

class CoresPassedOver : public LogReader {
 public:
  CoresPassedOver(const Work& work, const SubmissionRanks& ranks, std::int64_t cores)
      : work_(work), rank_(ranks.rank), free_(cores), passed_over_(work.stages(), 0), state_(work.stages(), kAway) {}

  /// After the log has been read.
  std::vector<std::int64_t> take() {
    for (StageRow row = 0; row < state_.size(); ++row)
      if (state_[row] == kWaits) gated(row);
    return std::move(passed_over_);
  }

  void advance(TimePoint to) { now_ = to.ns; }
  void enter(StageRow row) {
    Waiters::Waiter waiter;
    waiter.rank = rank_of(row);
    waiter.row = row;
    waiter.slack = free_ + held_above(waiter.rank) - cores(row);
    waiters_.insert(waiter, now_);
    state_[row] = kWaits;
  }
  void gated(StageRow row) {
    passed_over_[row] += waiters_.erase(rank_of(row), row, now_);
    state_[row] = kAway;
  }
  void started(StageRow row) {
    gated(row);
    free_ -= cores(row);
    waiters_.add(rank_of(row), -cores(row), now_);
    state_[row] = kRuns;
    running_.push_back(row);
    largest_ = std::max(largest_, rank_of(row));
  }
  void ended(StageRow row, StageState) {
    free_ += cores(row);
    waiters_.add(rank_of(row), cores(row), now_);
    state_[row] = kAway;
  }
  void canceled(StageRow row) {
    if (state_[row] == kWaits) gated(row);
    if (state_[row] == kRuns) ended(row, StageState::kCanceled);
  }

 private:
  enum State : std::uint8_t { kAway, kWaits, kRuns };

  /// Cores held by what was submitted later. Nobody looks at what runs while only newcomers enter.
  std::int64_t held_above(std::uint32_t rank) {
    if (rank >= largest_) return 0;
    std::erase_if(running_, [&](StageRow row) { return state_[row] != kRuns; });
    std::sort(running_.begin(), running_.end());
    running_.erase(std::unique(running_.begin(), running_.end()), running_.end());
    std::int64_t held = 0;
    for (const StageRow row : running_)
      if (rank_of(row) > rank) held += cores(row);
    return held;
  }

  [[nodiscard]] std::uint32_t rank_of(StageRow row) const { return rank_[work_.workflow_of[row]]; }
  [[nodiscard]] std::int64_t cores(StageRow row) const { return work_.demands[work_.demand[row]].cores; }

  const Work& work_;
  const std::vector<std::uint32_t>& rank_;  // by workflow
  Waiters waiters_;
  std::int64_t free_;
  std::uint32_t largest_ = 0;      // rank of anything that was started
  std::vector<StageRow> running_;  // and some that ended since it was last looked at
  std::vector<std::int64_t> passed_over_;
  std::vector<State> state_;
  std::int64_t now_ = 0;
};

}  // namespace

std::vector<std::int64_t> passed_over_of_cores_ns(const Work& work, const RunLog& log, const SubmissionRanks& ranks,
                                                  std::int64_t cores) {
  CoresPassedOver reader(work, ranks, cores);
  replay(work, log, reader);
  return reader.take();
}

}  // namespace headroom
