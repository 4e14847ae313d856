// A schedule and the rules that it was made under, as the results store them: what the checker looks at. Plain
// integers; it must never know the scheduler, whose work is checked here, nor where the numbers came from.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace headroom::verify {

/// Nanoseconds since time 0, or a length.
using Time = std::int64_t;
inline constexpr Time kNever = std::numeric_limits<Time>::max();

/// Amounts on one node.
struct Amounts {
  std::int64_t cores = 0, memory = 0, gpus = 0;
  friend auto operator<=>(const Amounts&, const Amounts&) = default;
};

enum class Priority : std::uint8_t { kNone, kBases, kAgeing, kUnknown };
enum class Tie : std::uint8_t {
  kTailTime,
  kDeclaration,
  kSubmitTime,
  kShortest,
  kLongest,
  kLargest,
  kSmallest,
  kRandom
};
enum class Placement : std::uint8_t { kGreedy, kStrict, kEasy, kConservative, kUnknown };

struct Rules {
  Priority priority = Priority::kNone;
  std::vector<Tie> ties;
  Placement placement = Placement::kGreedy;
  bool shortest_backfill = false;
  bool is_preemptive = false;
  bool suspends = false;      ///< what is displaced goes on where it stood, and so does its limit
  Time preemption_grace = 0;  ///< a victim may run on for so long, and others then wait for what is to come free
  Time tick = 0;
  std::int64_t queue_depth = 0;  ///< 0: all
  bool pyss = false;             ///< a pass after every single event
  bool gates_descendants =
      false;  ///< a hold gates all that its plan's descendants declared; else what the plan declares in it
  bool releases_all = true;  ///< else a release may leave steps behind, and which is not stored
  Time give_up = kNever;
  bool is_cut = false;               ///< the run ends with its cohort, which is not everybody
  std::vector<std::string> unknown;  ///< words of the settings that this checker does not know
};

struct Workflow {
  Time submitted = kNever;
  Time started = kNever;     ///< first start of any of its stages
  std::int64_t base = 0;     ///< priorities of organization, account, user and its own
  std::uint32_t stages = 0;  ///< how many it has, declared or not
};

enum class State : std::uint8_t { kBlocked, kEligible, kRunning, kFinished, kFailed, kTimedOut, kCanceled, kPreempted };

/// One try of a stage, in the order of declaration, then of tries. kNever: it did not happen.
struct Attempt {
  std::uint32_t workflow = 0, stage = 0, number = 0;
  bool is_plan = false;
  State state = State::kBlocked;
  Time declared = kNever, eligible = kNever, started = kNever, finished = kNever;
  Time run_time = kNever;  ///< as stored, by itself
  Time estimate = 0, tail = kNever, walltime = kNever;
  double effective_priority = 0;
  Amounts amounts;  ///< on each of its nodes; of a spread width in all
  std::int32_t nodes = 1;
  bool is_spread = false;
  std::int32_t node = -1;
  std::int64_t declarer = -1;  ///< stage number of the plan that declared it
  std::int64_t decision = -1;  ///< the k-th start of the run
};

struct Hold {
  std::uint32_t plan = 0;
  Time from = 0, to = kNever;
};

/// From `at` on, before the pass of that instant.
struct BaseChange {
  Time at = 0;
  std::uint32_t workflow = 0;
  std::int64_t base = 0;
};

/// A try that was displaced for the sake of a stage.
struct Displacement {
  std::uint32_t row = 0;  ///< index into Schedule::attempts
  std::uint32_t preemptor = 0;
};

struct Schedule {
  Rules rules;
  bool is_finished = true;  ///< the run came to its end, and was not stalled or given up
  std::vector<Amounts> nodes;
  std::vector<std::int64_t> pools;
  std::vector<Workflow> workflows;
  std::vector<Attempt> attempts;
  /// Of tries on several nodes: (index into attempts, node), rising.
  std::vector<std::pair<std::uint32_t, std::int32_t>> further_nodes;
  /// (stage, (pool, amount)), rising.
  std::vector<std::pair<std::uint32_t, std::pair<std::uint32_t, std::int64_t>>> pool_requests;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies;  ///< source, sink
  std::vector<Hold> holds;
  std::vector<BaseChange> base_changes;  ///< by time
  std::vector<Displacement> displacements;
};

}  // namespace headroom::verify
