#include "random_run.h"

#include <random>

namespace headroom {
namespace {

enum class State { kUndeclared, kBlocked, kEligible, kRunning, kFailed, kOver };

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed), slots_(1 + below(3)), run_(slots_) {}

  LogBuilder make() {
    const std::int64_t workflows = 1 + below(7);
    for (std::int64_t w = 0; w < workflows; ++w)
      run_.workflow("w", below(12), std::vector<std::int64_t>(static_cast<std::size_t>(1 + below(3)), 1), below(3));
    states_.resize(run_.work.stages(), State::kUndeclared);
    const std::int64_t last = 8 + below(16);
    for (now_ = 0; now_ <= last; ++now_) step();
    run_.end(last + below(2));
    return std::move(run_);
  }

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(n)); }

  void step() {
    for (StageRow row = 0; row < states_.size(); ++row) end(row);
    for (std::uint32_t w = 0; w < run_.work.workflows(); ++w)
      if (run_.work.submitted_at[w] == at_s(now_)) submit(w);
    for (StageRow row = 0; row < states_.size(); ++row) change(row);
    for (StageRow row = 0; row < states_.size(); ++row) start(row);
  }
  void submit(std::uint32_t w) {
    run_.event(now_, EventKind::kSubmitted, w);
    for (StageRow row = run_.work.first_stage[w]; row < run_.work.first_stage[w + 1]; ++row) {
      const bool at_once = below(2) == 0;
      run_.declare(now_, row, at_once);
      states_[row] = at_once ? State::kEligible : State::kBlocked;
    }
  }
  void end(StageRow row) {
    if (states_[row] != State::kRunning || below(3) > 0) return;
    const EventKind kinds[] = {EventKind::kFinished, EventKind::kFinished, EventKind::kFailed, EventKind::kTimedOut};
    const EventKind kind = kinds[below(4)];
    run_.event(now_, kind, row);
    states_[row] = kind == EventKind::kFinished ? State::kOver : State::kFailed;
    --busy_;
  }
  void change(StageRow row) {
    const std::int64_t choice = below(10);
    State& state = states_[row];
    if ((state == State::kBlocked && choice < 4) || (state == State::kFailed && choice < 5)) {
      run_.event(now_, EventKind::kEligible, row);
      state = State::kEligible;
    } else if (state == State::kEligible && choice == 0) {
      run_.event(now_, EventKind::kGated, row);
      state = State::kBlocked;
    } else if ((state == State::kEligible || state == State::kBlocked) && choice == 9 && below(4) == 0) {
      run_.event(now_, EventKind::kCanceled, row);
      state = State::kOver;
    }
  }
  void start(StageRow row) {
    if (states_[row] != State::kEligible || busy_ == slots_ || below(3) == 0) return;
    run_.start(now_, row);
    states_[row] = State::kRunning;
    ++busy_;
  }

  std::mt19937 random_;
  std::int64_t slots_, busy_ = 0, now_ = 0;
  LogBuilder run_;
  std::vector<State> states_;
};

}  // namespace

LogBuilder random_run(std::uint32_t seed) { return Maker(seed).make(); }

std::vector<Second> seconds_of(const LogBuilder& run) {
  std::vector<Second> seconds;
  for (std::int64_t second = 0; at_s(second) < run.log.end; ++second) {
    Second now{std::vector<bool>(run.work.stages()), std::vector<bool>(run.work.stages())};
    for (const Event& event : run.log.events) {
      if (event.at > at_s(second) || event.kind == EventKind::kSubmitted) continue;
      const bool enters = event.kind == EventKind::kEligible || (event.kind == EventKind::kDeclared && event.at_once);
      now.waits[event.subject] = enters;
      now.runs[event.subject] = event.kind == EventKind::kStarted;
    }
    seconds.push_back(std::move(now));
  }
  return seconds;
}

}  // namespace headroom
