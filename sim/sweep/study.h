// A study: every run of a workload file (points of the sweep x policies x replications), spread over threads, each
// finished run kept on disk, assembled into one results file whose bytes depend on neither threads nor interruptions.
// It must know no option of the command line and print nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policies/policy.h"
#include "sim/metrics/report.h"
#include "sim/results/output_error.h"
#include "sim/sweep/shard.h"
#include "workloads/realise.h"
#include "workloads/workload.h"
#include "workloads/yaml_reader.h"

namespace headroom {

struct StudyRequest {
  std::shared_ptr<const WorkloadDocument> document;
  std::vector<Override> sets;              ///< --set, in order
  std::vector<std::string> policies;       ///< --policy; empty: the file's
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> replications;
};

/// One run: a point, a policy, a replication. Numbered from 0: points (last axis fastest), then policy, then
/// replication; what the sweep excludes has no number.
inline constexpr std::uint64_t kNoRun = ~std::uint64_t{0};
struct RunSpec {
  std::uint64_t run = 0;
  std::uint32_t point = 0, policy = 0;
  std::uint64_t replication = 0;
};

/// The checked and expanded study. Immutable once planned; shared by all threads.
struct Study {
  StudyRequest request;
  Workload workload;                      ///< as read with --set, before any axis
  std::vector<Policy> policies;
  std::vector<SweepAxis> axes;            ///< without the policy
  std::vector<Workload> points;           ///< one workload a point
  std::vector<std::vector<std::string>> point_values;   ///< [point][axis], as text
  std::vector<std::vector<std::uint32_t>> point_index;  ///< [point][axis], into the axis' values
  std::vector<std::uint64_t> first_run;   ///< [point * policies + policy], of its replications; kNoRun: excluded
  std::vector<bool> grid;                 ///< [all points, excluded ones too, * policies + policy]: is it run?
  std::uint64_t seed = 1;
  std::int64_t replications = 1;
  std::vector<RunSpec> runs;
  bool random = false;                    ///< anything depends on the seed
  std::string config_hash;                ///< of all that decides the results: what --resume compares
  std::shared_ptr<TraceCache> traces;

  /// {"params.slots": "3"} of a point, in the order of the axes.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> point(const RunSpec& run) const;
};

/// Reads, checks and expands. Fails: InputError with every error (replications of a workload in which nothing is random
/// included, and an override of a swept path).
[[nodiscard]] Study plan_study(StudyRequest request);

/// What the summary shows of one run; the tables are on disk by then.
struct RunSummary {
  RunSpec spec;
  RunReport report;        ///< attempt and workflow tables emptied
  std::vector<double> workflow_makespans_s;        ///< for hold_gain; emptied once that is known
  std::vector<Repair> repairs;
  bool cluster_from_trace = false;
  ClusterSpec cluster;     ///< the trace's, where cluster_from_trace; for the summary only
  std::string failure;     ///< not empty: the run failed with this message
};

/// hold_gain of one (point, replication): two policies that differ in `hold` alone.
struct HoldGain {
  std::uint32_t point = 0, honor = 0, ignore = 0;  ///< policies' indices
  std::uint64_t replication = 0;
  double gain = 0;         ///< geometric mean over workflows of makespan(ignore) / makespan(honor)
};

struct StudyResult {
  std::vector<RunSummary> runs;  ///< in the order of their numbers; of a shard, its own alone
  std::vector<HoldGain> hold_gains;
  bool complete = false;         ///< false: interrupted; the finished runs are kept for --resume
};

struct RunOptions {
  std::string out;          ///< results file; empty: none is written (--dry-run samples)
  bool force = false;       ///< overwrite
  bool resume = false;
  std::optional<Shard> shard;  ///< these runs alone, kept beside `out` for merge_parts() instead of assembled
  unsigned jobs = 1;
  const std::atomic<bool>* stop = nullptr;
  /// Called from the threads, one at a time: runs done, runs in all, events so far.
  std::function<void(std::uint64_t done, std::uint64_t all, std::uint64_t events)> progress;
  /// Steady seconds, for wall_time. Only sim/cli may read a clock.
  std::function<double()> clock;
};

/// Fails  OutputError; InputError where --resume meets parts of another configuration.
/// Cost   memory for the runs in flight and a summary of each run, not for the sweep.
[[nodiscard]] StudyResult run_study(const Study& study, const RunOptions& options);

/// One run in memory, nothing written: what tests and --dry-run use.
[[nodiscard]] std::pair<Work, RunReport> run_one(const Study& study, const RunSpec& run, bool with_attempts,
                                                 const std::atomic<bool>* stop = nullptr);

}  // namespace headroom
