// The values of the catalogue for one set of workflows: the cohort, a class, a tenant.
// It must know nothing of how the set came about.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sim/metrics/capacity_account.h"
#include "sim/metrics/catalog.h"
#include "sim/metrics/distribution.h"
#include "sim/metrics/overtakes.h"
#include "sim/metrics/report.h"
#include "sim/metrics/tabulate.h"
#include "sim/metrics/workflow_values.h"
#include "workloads/work.h"

namespace headroom {

/// All that the values are functions of.
struct RunFacts {
  const Work& work;
  const Measure& measure;
  const Tabulated& tables;
  const std::vector<Duration>& critical_paths;
  const std::vector<double>& catch_up_ages_s;
  const WorkflowValues& values;
  const Overtakes& overtakes;
  const std::optional<std::vector<std::int64_t>>& passed_over_ns;
  const std::optional<BaseInversions>& inversions;  ///< none: base_inversions() is to be asked
  TimePoint end;                                    ///< of the run
};

/// The observed part and the part that the end of the run cut off.
template <class T>
struct Observations {
  std::vector<T> seen, cut_off;
  void clear() {
    seen.clear();
    cut_off.clear();
  }
};

/// Evaluates sets of workflows, reusing its buffers.
class GroupMetrics {
 public:
  struct Wanted {
    std::span<const std::uint32_t> members;  ///< rising
    Group* group = nullptr;
  };

  explicit GroupMetrics(const RunFacts& facts);

  /// Fills in counts and metrics of each, those of a whole run apart.
  /// Cost    O(members and their stages), O(n log n) where something is cut off. Jobs of a run that ended are read
  /// once,
  ///         however many of the sets they belong to.
  void evaluate(std::span<const Wanted> wanted);

 private:
  /// What is counted or compared rather than distributed.
  struct Tallies {
    std::array<std::size_t, 128> by_flags{};  ///< members
    double latest_age = std::numeric_limits<double>::quiet_NaN();
    std::int64_t until = 0, drain = -1;
    std::uint64_t overtakes = 0;
    std::uint32_t most_overtakes = 0;
    CompensatedSum work;
    double most_work = 0;
    std::int64_t starved = 0, starving = 0, queued_stages = 0;

    /// Members with any of the flags.
    [[nodiscard]] std::size_t count(int flag) const;
  };
  /// The quantities of one set of jobs, seen some at a time.
  struct Jobs;

  void evaluate_jobs(std::span<const Wanted> wanted);
  void evaluate_alone(const Wanted& wanted);
  /// Summary of a column; `cut_off`: the flag of values that the end of the run cut off.
  template <class T>
  Summary summary_of(std::span<const std::uint32_t> members, const std::vector<T>& column, std::uint8_t cut_off,
                     Observations<T>& buffer);
  void tally(std::span<const std::uint32_t> members, Tallies& tallies) const;
  void tally_jobs(std::span<const std::uint32_t> members, Tallies& tallies) const;
  void observe_stages(std::uint32_t workflow, Tallies& tallies);
  void observe_stage_times(StageRow row);
  void observe_starvation(std::uint32_t workflow, StageRow row, bool still_waits, Tallies& tallies) const;
  void store(MetricValues& values, Quantity quantity, const Summary& summary) const;
  void store_tallies(const Tallies& tallies, std::size_t members, Group& group) const;
  void store_passed_over(const Summary& summary, const Tallies& tallies, MetricValues& values) const;

  const RunFacts& facts_;
  bool mirrored_;  // what a workflow says is what its one stage would
  Observations<std::int64_t> times_, stage_wait_, first_wait_, passed_over_;
  Observations<double> ratios_, stage_slowdown_;
};

}  // namespace headroom
