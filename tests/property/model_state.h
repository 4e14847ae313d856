// The model's state and the questions that can be asked of it, each answered from scratch. Internal to the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tests/property/model.h"

namespace headroom::oracle {

/// Cores taken on one node; memory and gpus are the demand's on each.
struct Share {
  std::size_t node = 0;
  std::int64_t cores = 0;
};
using Allocation = std::vector<Share>;

struct StageState {
  std::uint32_t number = 0;            ///< declaration number
  bool dispatched = false;             ///< has been started once
  Allocation allocation;               ///< while it runs
  TimePoint due = TimePoint::never();  ///< when the running attempt ends, plans that finish excepted
  std::uint64_t start_sequence = 0;
  TimePoint started_at;
  Duration saved;                          ///< what displaced tries have kept
  TimePoint goes_at = TimePoint::never();  ///< told to go
  StageRow goes_for = 0;                   ///< then: for whose sake
};

/// A plan while it runs.
struct PlanState {
  bool running = false;
  bool broken = false;               ///< it failed or timed out
  std::vector<PlanProgram::Op> ops;  ///< without the holds where the policy ignores them
  std::size_t next = 0;              ///< ops.size(): its end
  TimePoint due = TimePoint::never();
  int depth = 0;            ///< of open holds
  std::set<StageRow> held;  ///< declared inside the open block
};

class State {
 public:
  explicit State(const Case& c);

  // ---- the work, with its optional columns filled in
  [[nodiscard]] Duration estimate(StageRow s) const { return work.estimate[s]; }
  [[nodiscard]] Duration walltime(StageRow s) const {
    return work.walltime.empty() ? Duration::infinite() : work.walltime[s];
  }
  [[nodiscard]] const Demand& demand(StageRow s) const { return work.demands[work.demand[s]]; }
  [[nodiscard]] std::int64_t retry(StageRow s) const { return work.retry.empty() ? 0 : work.retry[s]; }
  [[nodiscard]] StageRow declarer(StageRow s) const { return work.declarer.empty() ? kNoRow : work.declarer[s]; }
  [[nodiscard]] std::int32_t program(StageRow s) const { return work.program.empty() ? -1 : work.program[s]; }
  [[nodiscard]] bool preemptible(StageRow s) const {
    return !is_plan(s) && !work.preemptible.empty() && work.preemptible[s] != 0;
  }
  /// Of the run time, and of the limit where a suspension counts against it.
  [[nodiscard]] Duration run_left(StageRow s) const { return work.run_time[s] - stages[s].saved; }
  [[nodiscard]] Duration limit_left(StageRow s) const {
    const bool counts = input.policy.preemption == Preemption::kSuspend && !walltime(s).is_infinite();
    return counts ? walltime(s) - stages[s].saved : walltime(s);
  }
  [[nodiscard]] bool is_plan(StageRow s) const { return program(s) >= 0; }
  [[nodiscard]] std::span<const StageRow> needs(StageRow s) const;
  [[nodiscard]] bool fails(StageRow s, std::size_t attempt) const;

  // ---- where stages stand
  [[nodiscard]] Phase phase(StageRow s) const { return out.stages[s].phase; }
  [[nodiscard]] bool is_declared(StageRow s) const { return phase(s) != Phase::kUndeclared; }
  [[nodiscard]] bool is_terminal(StageRow s) const { return phase(s) > Phase::kRunning; }
  /// Ended otherwise than by finishing: what needs it can never run.
  [[nodiscard]] bool is_lost(StageRow s) const { return phase(s) > Phase::kFinished; }
  [[nodiscard]] bool needs_are_met(StageRow s) const;
  [[nodiscard]] bool is_gated(StageRow s) const;

  // ---- hold_release: stepup-rc13, as it is written down: walks from flagged steps down the tree of declarers
  [[nodiscard]] bool remembers_safety() const { return input.settings.hold_release == HoldRelease::kStepUpRc13; }
  /// What every step's `safe` becomes at the next attempt to pick.
  [[nodiscard]] std::vector<bool> refreshed_safety() const;
  void refresh_safety();
  void flag(StageRow s);
  void flag_with_all_below(StageRow s);
  [[nodiscard]] bool any_flagged() const;
  [[nodiscard]] bool is_eligible(StageRow s) const;
  [[nodiscard]] bool under_broken_plan(StageRow s) const;
  [[nodiscard]] bool under_open_hold(StageRow s) const;
  [[nodiscard]] bool is_submitted(std::uint32_t w) const { return !out.submitted_at[w].is_never(); }
  [[nodiscard]] bool workflow_is_over(std::uint32_t w) const;
  /// When it is to be submitted; never while a workflow that it comes after has not ended.
  [[nodiscard]] TimePoint submission_due(std::uint32_t w) const;

  // ---- order
  /// Of every declared stage; 0 of the others.
  [[nodiscard]] std::vector<Duration> tail_times() const;
  /// Negative: a before b; 0: they differ in nothing but the declaration number.
  [[nodiscard]] int compare(StageRow a, StageRow b, const std::vector<Duration>& tails) const;
  [[nodiscard]] __int128 priority(StageRow s) const;  ///< now and ever: all age alike
  [[nodiscard]] std::vector<StageRow> queue() const;  ///< everything eligible, best first

  // ---- place (model_place.cc)
  struct Room {
    std::vector<NodeCapacity> nodes;
    std::vector<std::int64_t> pools;
  };
  [[nodiscard]] Room room_now() const;
  [[nodiscard]] Room room_without(const std::vector<StageRow>& gone) const;  ///< once these have gone
  /// Where it goes on the first nodes of file order; nothing if it does not fit.
  [[nodiscard]] std::optional<Allocation> first_fit(const Room& room, StageRow s) const;
  /// Every way to place it, in the order in which they are tried under a reservation.
  [[nodiscard]] std::vector<Allocation> all_fits(const Room& room, StageRow s) const;
  /// `stage` has what it asks for at `where` from `from` until before `to`.
  struct Claim {
    StageRow stage = 0;
    Allocation where;
    TimePoint from, to;
  };
  /// What `s` would have if it began at `from`.
  [[nodiscard]] Claim claim(StageRow s, const Allocation& where, TimePoint from) const;
  [[nodiscard]] std::vector<Claim> claims_of_running() const;  ///< as they are believed to end
  /// The first claim that `s` can have beside those, now or later: of all instants the earliest, of all places the
  /// first. Nothing if there is none.
  [[nodiscard]] std::optional<Claim> earliest(StageRow s, const std::vector<Claim>& claims) const;
  [[nodiscard]] TimePoint believed_end(StageRow s, TimePoint started) const;
  /// pyss: its estimated end has come, and its end is due at this instant.
  [[nodiscard]] bool counts_as_gone(StageRow s) const;

  const Case& input;
  const Work& work;
  Room capacity;
  TimePoint now;
  Outcome out;
  std::vector<StageState> stages;
  std::vector<PlanState> plans;              ///< by the plan's StageRow
  std::vector<bool> safe, flagged;           ///< stored answers, and whose are to be looked at anew
  std::vector<bool> drained;                 ///< by workflow
  std::vector<TimePoint> workflow_ended_at;  ///< by workflow: when the last of its stages had ended; never before that

 private:
  void walk_down(StageRow s, bool value, std::vector<std::vector<bool>>& received) const;
  /// What nobody claims at any instant of [from, to), resource by resource.
  [[nodiscard]] Room always_free(const std::vector<Claim>& claims, TimePoint from, TimePoint to) const;
  [[nodiscard]] int compare_by(Tie tie, StageRow a, StageRow b, const std::vector<Duration>& tails) const;
};

}  // namespace headroom::oracle
