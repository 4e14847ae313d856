// The values of the catalogue for one set of workflows: the cohort, a class, a tenant.
// It must know nothing of how the set came about.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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
  TimePoint end;  ///< of the run
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

/// Evaluates one set of workflows after another, reusing its buffers.
/// Cost    O(members and their stages), O(n log n) where something is cut off.
class GroupMetrics {
 public:
  explicit GroupMetrics(const RunFacts& facts);

  /// Fills in counts and metrics, those of a whole run apart.
  void evaluate(std::span<const std::uint32_t> members, Group& group);

 private:
  /// Summary of a column; `cut_off`: the flag of values that the end of the run cut off.
  template <class T>
  Summary summary_of(std::span<const std::uint32_t> members, const std::vector<T>& column, std::uint8_t cut_off,
                     Observations<T>& buffer);
  void observe_stages(std::uint32_t workflow);
  void observe_mirrored_stages(std::span<const std::uint32_t> members);
  void observe_stage_times(StageRow row);
  void observe_starvation(std::uint32_t workflow, StageRow row, bool still_waits);
  void store(MetricValues& values, Quantity quantity, const Summary& summary) const;
  void store_counts(std::span<const std::uint32_t> members, Group& group);
  void store_passed_over(std::span<const std::uint32_t> members, MetricValues& values);
  void store_overtaking(std::span<const std::uint32_t> members, MetricValues& values) const;
  [[nodiscard]] std::size_t count(int flag) const;

  const RunFacts& facts_;
  bool mirrored_;  // what a workflow says is what its one stage would
  Summarizer summarizer_;
  std::array<std::size_t, 128> tally_{};  // members by their flags
  Observations<std::int64_t> times_, stage_wait_, first_wait_, passed_over_;
  Observations<double> ratios_, stage_slowdown_;
  std::int64_t starved_ = 0, starving_ = 0, queued_stages_ = 0;
};

}  // namespace headroom
