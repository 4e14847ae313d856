// The event log of one run: everything that happened, in order. All metrics are functions of it and of the Work.
// It speaks of rows and indices of Work, never of the scheduler's ids. No text, but what an expression said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/ids.h"
#include "policies/reason.h"
#include "policies/time.h"
#include "sim/engine/control_log.h"
#include "workloads/work.h"

namespace headroom {

enum class EventKind : std::uint8_t {
  kSubmitted,     ///< workflow
  kJob,           ///< workflow of one stage was submitted; the stage was declared and is eligible, all at this instant
  kDeclared,      ///< stage; `at_once` set: eligible at the same instant, no kEligible follows
  kEligible,      ///< stage entered the queue (unblocked, released, or to be tried again)
  kGated,         ///< stage left the queue because a hold was opened above it
  kStarted,       ///< stage; the next entry of RunLog::starts belongs to it
  kFinished,      ///< stage
  kFailed,        ///< stage; kEligible follows if it is tried again
  kTimedOut,      ///< stage, at its walltime; kEligible follows if it is tried again
  kCanceled,      ///< stage; it will never start, or start again. `at_once` set: it was running
  kHoldOpened,    ///< plan stage, outermost
  kHoldReleased,  ///< plan stage, outermost
  kPreempted,     ///< stage, displaced; kEligible follows. The next entry of RunLog::preemptions belongs to it
};

/// 16 bytes, since there are several a job.
struct Event {
  TimePoint at;
  std::uint32_t subject = 0;  ///< workflow index for kSubmitted and kJob, else a StageRow
  EventKind kind = EventKind::kSubmitted;
  bool at_once = false;
  Reason reason = Reason::kAlone;  ///< kStarted
};
static_assert(sizeof(Event) == 16);

struct StartRecord {
  Duration tail_time;  ///< as the scheduler had it at the start
  NodeId node;         ///< the first node; further ones in RunLog::further_nodes
};

struct PreemptionRecord {
  StageRow stage = kNoRow, preemptor = kNoRow;
  Duration lost;  ///< of what the try had run, what has to be run again
};

enum class RunStatus : std::uint8_t { kFinished, kGaveUp, kStalled, kInterrupted };

/// Why a waiting stage of a stalled run can never start.
struct Stall {
  enum class Cause : std::uint8_t {
    kMissing,     ///< `other`: index into Work::missing
    kTooLarge,    ///< no node, or not enough nodes, or no pool is large enough
    kWaitsFor,    ///< `other`: row of an unfinished predecessor
    kUndeclared,  ///< `other`: row of a predecessor that was never declared
    kHeld,        ///< `other`: row of the plan whose hold is open
  };
  StageRow stage = kNoRow;
  Cause cause = Cause::kWaitsFor;
  std::uint32_t other = 0;
};

/// A further node of a start, and the cores that it takes there; memory and GPUs are taken on each node alike.
struct NodePart {
  std::uint32_t start = 0;  ///< index into RunLog::starts
  NodeId node;
  std::int64_t cores = 0;
};

/// Stages that had no priority for a while: it was NaN, or failed to be evaluated. They were ranked last.
struct UnrankedStages {
  std::uint64_t stages = 0;
  StageRow first = kNoRow;  ///< of them, when, and what was wrong
  TimePoint at;
  std::string why;
};

struct RunLog {
  std::vector<Event> events;                  ///< by time; at one instant in the order in which they took effect
  std::vector<StartRecord> starts;            ///< the k-th kStarted event's
  std::vector<NodePart> further_nodes;        ///< by start, then in file order
  std::vector<PreemptionRecord> preemptions;  ///< the k-th kPreempted event's
  ControlLog control;                         ///< what people did
  UnrankedStages unranked;
  /// The k-th start's, as the scheduler had it; empty where it follows from the rest (it does not ask for
  /// queue.length).
  std::vector<double> start_priorities;

  Duration tick;                 ///< passes came at its multiples only; 0: at every change
  std::int64_t queue_depth = 0;  ///< so many were considered in a pass; 0: all

  RunStatus status = RunStatus::kFinished;
  TimePoint end;                     ///< of the last event, or give_up
  std::vector<Stall> stalls;         ///< at most ten, kStalled only
  std::uint64_t stalled_stages = 0;  ///< how many wait in all
  std::uint64_t passes = 0;
  std::uint64_t handled = 0;                         ///< events handled by the engine
  std::uint64_t decision_hash = 0x6a09e667f3bcc908;  ///< of every (instant, stage's declaration number, first node)
};

}  // namespace headroom
