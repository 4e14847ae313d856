// One realisation of a workload: every workflow, stage and plan with its drawn values, in columns. The only owner of true
// run times. Made by realise() for one replication; the same under every policy. Read by the engine and the metrics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/resources.h"
#include "policies/time.h"
#include "workloads/workload.h"

namespace headroom {

/// Row of a stage in Work: static stages in file order. A StageId is given at declaration, a row before the run.
using StageRow = std::uint32_t;
inline constexpr StageRow kNoRow = 0xffffffff;

/// A plan as the engine runs it: what it does, how long each takes (the effect comes at the end of that time).
struct PlanProgram {
  struct Op {
    PlanOp::Kind kind = PlanOp::Kind::kDeclare;
    StageRow stage = kNoRow;  ///< kDeclare; kStatic: a number as in Work::needs for one file, kNoRow where nobody reads it
    Duration cost;            ///< of a pause: its length
  };
  StageRow stage = kNoRow;  ///< the plan's own row
  Duration startup;
  std::vector<Op> ops;
  Duration teardown;
};

/// What was dropped, repaired or guessed while reading, counted by cause.
struct Repair {
  std::string what;  ///< "job of run time < 0 dropped"
  std::int64_t count = 0;
  std::string example;  ///< "line 17: run time -1"
};

struct Work {
  // ---- items: where names come from
  struct Item {
    enum class Naming : std::uint8_t { kOne, kIndexed, kJobs, kShapes };
    std::string name;
    Naming naming = Naming::kOne;
    std::uint32_t first_workflow = 0, workflows = 0;
    std::vector<std::string> stage_names;   ///< kOne: by row - first row of the workflow; kShapes: s0, s1, …; else "main"
    std::vector<std::int64_t> job_numbers;  ///< kJobs: by index in the item
    std::vector<std::uint32_t> job_repeats; ///< kJobs: 0, or k for the k-th repetition (job7#2 has 2); empty: none repeats
  };
  std::vector<Item> items;

  // ---- workflows, in the order of `work:`; not sorted by time
  std::vector<TimePoint> submitted_at;
  std::vector<std::uint32_t> item;      ///< index into items
  std::vector<std::uint32_t> account;   ///< index into tenants.accounts
  std::vector<std::uint32_t> user;      ///< index into tenants.users
  std::vector<std::int64_t> priority;
  std::vector<StageRow> first_stage;    ///< size workflows + 1: rows [first_stage[w], first_stage[w+1])
  std::vector<std::int32_t> root_plan;  ///< index into plans; -1: a static graph. Empty: no workflow has a plan

  // ---- `preceding: honor`: workflow w is submitted at the later of submitted_at[w] and (the last end of the workflows
  // after[after_begin[w]] … after[after_begin[w + 1] - 1]) + think_time[w]; without such workflows at submitted_at[w].
  std::vector<std::uint32_t> after_begin;  ///< size workflows + 1; empty: no workflow waits for another
  std::vector<std::uint32_t> after;        ///< indices of workflows, each smaller than that of the one that waits
  std::vector<Duration> think_time;        ///< by workflow, >= 0; empty with after_begin

  // ---- stages
  std::vector<std::uint32_t> workflow_of;
  std::vector<Duration> run_time;       ///< truth; of a plan 0: its program decides
  std::vector<Duration> estimate;       ///< what the scheduler is told
  std::vector<Duration> walltime;       ///< infinite(): none. Empty: none at all
  std::vector<std::uint32_t> demand;    ///< index into demands
  std::vector<std::uint8_t> preemptible;///< empty: none is
  std::vector<Duration> checkpoint;     ///< keeps its work every so often while it runs; infinite(): never. Empty: nobody does
  std::vector<std::uint32_t> failing;   ///< index into failings; empty: none fails
  std::vector<std::int64_t> retry;      ///< empty: 0 everywhere
  std::vector<StageRow> declarer;       ///< row of the plan that declares it, kNoRow for roots; empty: no plans
  std::vector<std::int32_t> program;    ///< index into plans, -1: an ordinary stage; empty: no plans
  std::vector<std::uint32_t> needs_begin;  ///< size stages + 1, into needs; empty: nothing needs anything
  std::vector<StageRow> needs;             ///< predecessors' rows; a value >= stages() is missing[value - stages()]: a source file, or what nobody provides
  std::vector<std::string> missing;        ///< files and resources that no stage makes; source files are there once a plan has said so (kStatic)

  std::vector<Demand> demands;          ///< distinct
  std::vector<Failing> failings;
  std::vector<PlanProgram> plans;
  Tenants tenants;                      ///< the workload's, with the users that a trace brought
  std::vector<Action> actions;          ///< by time; at one instant in file order
  ClusterSpec cluster;                  ///< the workload's, or the trace's
  std::vector<Repair> repairs;
  std::int64_t start_unix_s = 0;
  std::int32_t utc_offset_s = 0;
  bool cluster_from_trace = false;

  std::uint64_t seed = 1, replication = 0;

  [[nodiscard]] std::size_t workflows() const { return submitted_at.size(); }
  [[nodiscard]] std::size_t stages() const { return run_time.size(); }
  [[nodiscard]] bool has_plan(std::uint32_t workflow) const { return !root_plan.empty() && root_plan[workflow] >= 0; }

  /// "build", "base[17]", "job7", "job7#2".
  [[nodiscard]] std::string workflow_name(std::uint32_t workflow) const;
  /// "solver", "cc[3]", "main", "plan".
  [[nodiscard]] std::string stage_name(StageRow row) const;
  /// Does try `attempt` (from 0) of the stage fail? A function of seed, replication, item, workflow, stage, attempt.
  [[nodiscard]] bool fails(StageRow row, std::uint32_t attempt) const;
  /// The stage's draw for the tie `random`; the same in every policy and at every time.
  [[nodiscard]] std::uint64_t tie_draw(StageRow row) const;
};

}  // namespace headroom
