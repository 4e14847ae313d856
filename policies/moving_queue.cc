// The queue of a piecewise linear priority. Stages whose keys move at one rate never change places among themselves, so
// each rate has a tree of its own, on the keys' values at time 0. What is asked of the queue is asked of every tree,
// and the answers are compared by what the keys are worth now. When the line of a stage ends (its age meets a cap,
// say), the stage moves to the tree of its next rate; a heap knows when.
#include <algorithm>
#include <map>
#include <queue>
#include <string>

#include "policies/check.h"
#include "policies/ready_queue.h"

namespace headroom {
namespace {

constexpr std::uint32_t kAbsent = 0xffffffff;

class MovingQueue final : public ReadyQueue {
 public:
  MovingQueue(const TieBreaker& ties, const StageSizes& sizes, const Motions& motions)
      : ties_(ties), less_(ties), sizes_(sizes), motions_(motions) {}

  [[nodiscard]] std::size_t size() const override { return size_; }

  void insert(const ReadyEntry& entry) override {
    if (states_.size() <= entry.stage.value) states_.resize(entry.stage.value + std::size_t{1});
    HEADROOM_CHECK(states_[entry.stage.value].rate == kAbsent,
                   "stage " + std::to_string(entry.stage.value) + " is queued twice");
    ++size_;
    place(entry);
  }

  void erase(const ReadyEntry& entry) override {
    const bool queued = entry.stage.value < states_.size() && states_[entry.stage.value].rate != kAbsent;
    HEADROOM_CHECK(queued, "stage " + std::to_string(entry.stage.value) + " is not queued");
    remove(states_[entry.stage.value]);
    --size_;
  }

  void begin_pass(TimePoint now) override {
    now_ = now;
    while (!ends_.empty() && ends_.top().at <= now) {
      const LineEnd end = ends_.top();
      ends_.pop();
      State& state = states_[end.stage.value];
      if (state.rate == kAbsent || state.until != end.at) continue;  // left meanwhile
      const ReadyEntry entry = state.entry;
      remove(state);
      place(entry);
    }
  }

  const ReadyEntry* front() override {
    return best([](Rate& rate) { return rate.tree->front(); });
  }
  bool is_front(const ReadyEntry& entry) override {
    const ReadyEntry* first = front();
    return first != nullptr && first->stage == entry.stage;
  }
  const ReadyEntry* next(const ReadyEntry& entry) override {
    return best([&](Rate& rate) { return rate.tree->next(translated(entry, rate)); });
  }
  const ReadyEntry* nth(std::size_t n) override {
    if (n == 0 || n > size_) return nullptr;
    ReadyEntry at = *front();
    for (std::size_t k = 1; k < n; ++k) at = *next(at);
    return answer(at);
  }

  const ReadyEntry* find(const ReadyEntry* after, const ReadyEntry* last, const FitBound& bound,
                         Accept& accept) override {
    // Of each tree the next that may fit; the best of them is asked about, and its tree goes on.
    class Any final : public Accept {
     public:
      bool operator()(const ReadyEntry&) override { return true; }
    } any;
    candidates_.clear();
    const auto look = [&](std::uint32_t index, const ReadyEntry* from) {
      Rate& rate = rates_[index];
      ReadyEntry limit;
      if (last != nullptr) limit = translated(*last, rate);
      if (const ReadyEntry* found = rate.tree->find(from, last != nullptr ? &limit : nullptr, bound, any))
        candidates_.push_back({index, now_entry(*found, rate), *found});
    };
    for (const std::uint32_t index : in_use_) {
      ReadyEntry from;
      if (after != nullptr) from = translated(*after, rates_[index]);
      look(index, after != nullptr ? &from : nullptr);
    }
    while (!candidates_.empty()) {
      std::size_t first = 0;
      for (std::size_t k = 1; k < candidates_.size(); ++k)
        if (less_(candidates_[k].now, candidates_[first].now)) first = k;
      if (accept(candidates_[first].now)) return answer(candidates_[first].now);
      const Candidate passed = candidates_[first];
      candidates_[first] = candidates_.back();
      candidates_.pop_back();
      look(passed.rate, &passed.stored);
    }
    return nullptr;
  }

  TimePoint next_change(std::size_t n) override {
    if (size_ == 0) return TimePoint::never();
    TimePoint soonest = TimePoint::never();
    // Entries of stages that have left only make it too early.
    if (!ends_.empty()) soonest = ends_.top().at;
    return std::min(soonest, n == 0 ? next_swap() : next_entry_among(n));
  }

 private:
  struct Rate {
    KeyInt slope = 0;
    std::unique_ptr<ReadyQueue> tree;
  };
  struct State {
    ReadyEntry entry;  ///< its key: the value at time 0
    TimePoint until;
    std::uint32_t rate = kAbsent;
  };
  struct LineEnd {
    TimePoint at;
    StageId stage;
    bool operator<(const LineEnd& other) const { return at > other.at || (at == other.at && stage > other.stage); }
  };
  struct Candidate {
    std::uint32_t rate;
    ReadyEntry now, stored;
  };

  /// An entry as all trees compare it: its key is what it is worth now.
  [[nodiscard]] ReadyEntry now_entry(const ReadyEntry& stored, const Rate& rate) const {
    ReadyEntry entry = stored;
    entry.priority = key_of(value_of(stored.priority) + rate.slope * now_.ns);
    return entry;
  }
  /// Where an entry would stand in the tree of a rate.
  [[nodiscard]] ReadyEntry translated(const ReadyEntry& entry, const Rate& rate) const {
    ReadyEntry stored = entry;
    stored.priority = key_of(value_of(entry.priority) - rate.slope * now_.ns);
    return stored;
  }

  template <class Ask>
  const ReadyEntry* best(Ask ask) {
    ReadyEntry first;
    bool any = false;
    for (const std::uint32_t index : in_use_) {
      const ReadyEntry* found = ask(rates_[index]);
      if (found == nullptr) continue;
      const ReadyEntry entry = now_entry(*found, rates_[index]);
      if (any && !less_(entry, first)) continue;
      first = entry;
      any = true;
    }
    return any ? answer(first) : nullptr;
  }
  /// Answers stand until the next question but one.
  const ReadyEntry* answer(const ReadyEntry& entry) {
    last_answer_ = 1 - last_answer_;
    answers_[last_answer_] = entry;
    return &answers_[last_answer_];
  }

  void place(ReadyEntry entry) {
    const Motion motion = motions_.of(entry.stage, now_);
    const std::uint32_t index = rate_of(motion.slope);
    Rate& rate = rates_[index];
    if (rate.tree->size() == 0) in_use_.push_back(index);
    entry.priority = key_of(motion.at_zero);
    rate.tree->insert(entry);
    states_[entry.stage.value] = {entry, motion.until, index};
    if (!motion.until.is_never()) ends_.push({motion.until, entry.stage});
  }
  void remove(State& state) {
    Rate& rate = rates_[state.rate];
    rate.tree->erase(state.entry);
    if (rate.tree->size() == 0) std::erase(in_use_, state.rate);
    state.rate = kAbsent;
  }
  std::uint32_t rate_of(KeyInt slope) {
    const auto [known, is_new] = index_of_.try_emplace(slope, static_cast<std::uint32_t>(rates_.size()));
    if (is_new) rates_.push_back({slope, make_static_queue(ties_, sizes_)});
    return known->second;
  }

  /// The first instant after now at which b, which is after a, may be before it.
  [[nodiscard]] TimePoint overtakes(const ReadyEntry& a, KeyInt slope_a, const ReadyEntry& b, KeyInt slope_b) const {
    const KeyInt closing = slope_a - slope_b;
    if (closing <= 0) return TimePoint::never();
    const KeyInt gap = value_of(b.priority) - value_of(a.priority);
    const KeyInt wait = gap == 0 ? 1 : (gap + closing - 1) / closing;
    return wait >= TimePoint::never().ns - now_.ns ? TimePoint::never()
                                                   : TimePoint{now_.ns + static_cast<std::int64_t>(wait)};
  }
  [[nodiscard]] KeyInt slope_of(const ReadyEntry& entry) const { return rates_[states_[entry.stage.value].rate].slope; }

  TimePoint next_swap() {
    TimePoint soonest = TimePoint::never();
    ReadyEntry before = *front();
    while (const ReadyEntry* found = next(before)) {
      const ReadyEntry after = *found;
      soonest = std::min(soonest, overtakes(before, slope_of(before), after, slope_of(after)));
      before = after;
    }
    return soonest;
  }
  /// Of each rate, the last within the first n and the first behind them.
  TimePoint next_entry_among(std::size_t n) {
    if (n >= size_) return TimePoint::never();
    std::map<std::uint32_t, ReadyEntry> last_within;
    ReadyEntry at = *front();
    for (std::size_t k = 1;; ++k) {
      last_within[states_[at.stage.value].rate] = at;
      if (k == n) break;
      at = *next(at);
    }
    TimePoint soonest = TimePoint::never();
    for (const std::uint32_t index : in_use_) {
      const ReadyEntry* found = rates_[index].tree->next(translated(at, rates_[index]));
      if (found == nullptr) continue;
      const ReadyEntry outside = now_entry(*found, rates_[index]);
      for (const auto& [rate, inside] : last_within)
        soonest = std::min(soonest, overtakes(inside, rates_[rate].slope, outside, rates_[index].slope));
    }
    return soonest;
  }

  const TieBreaker& ties_;
  EntryOrder less_;
  const StageSizes& sizes_;
  const Motions& motions_;
  TimePoint now_;
  std::vector<Rate> rates_;
  std::map<KeyInt, std::uint32_t> index_of_;
  std::vector<std::uint32_t> in_use_;  ///< rates that stages move at
  std::vector<State> states_;          ///< by stage
  std::priority_queue<LineEnd> ends_;
  std::vector<Candidate> candidates_;
  ReadyEntry answers_[2];
  std::size_t last_answer_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<ReadyQueue> make_moving_queue(const TieBreaker& ties, const StageSizes& sizes, const Motions& motions) {
  return std::make_unique<MovingQueue>(ties, sizes, motions);
}

}  // namespace headroom
