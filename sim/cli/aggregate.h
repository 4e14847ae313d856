// The runs of a study as the summaries show them: by point and policy, averaged over the replications.
// It must print nothing and know no format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/sweep/study.h"

namespace headroom::cli {

/// Word of a status: finished, gave_up, stalled, interrupted.
[[nodiscard]] std::string_view status_word(RunStatus status);
/// The same, or "failed" for a run that ended in an error.
[[nodiscard]] std::string_view status_word(const RunSummary& run);
/// "8f03…": sixteen hexadecimal digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

/// Value of a metric by its catalogue name; NaN where the catalogue has no such name or the values are not there.
[[nodiscard]] double metric_value(const MetricValues& values, std::string_view name);

/// Decisions a second of wall time, starts being the decisions; NaN where no time was measured.
[[nodiscard]] double decision_rate(const RunReport& report);

/// Cells of a study. Cost of each question O(replications) with the runs in their order.
class Aggregate {
 public:
  Aggregate(const Study& study, const StudyResult& result);

  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::size_t policies() const { return policies_; }
  [[nodiscard]] std::size_t replications() const { return replications_; }
  /// Runs of one cell that did not fail.
  [[nodiscard]] std::vector<const RunSummary*> runs(std::size_t point, std::size_t policy) const;

  /// Mean over the replications in which it is defined; NaN where it never is.
  [[nodiscard]] double metric(std::size_t point, std::size_t policy, std::string_view name) const;
  /// The same of a class, organization, account or user.
  [[nodiscard]] double group_metric(std::size_t point, std::size_t policy, Group::Kind kind, const std::string& group,
                                    std::string_view name) const;
  /// Names of the groups of one kind, in the order in which the first run that has them lists them; at most `limit`.
  [[nodiscard]] std::vector<std::string> groups(Group::Kind kind, std::size_t limit) const;
  [[nodiscard]] std::size_t group_count(Group::Kind kind) const;
  /// Mean over replications of one point's hold_gain; NaN where the two policies have none.
  [[nodiscard]] double hold_gain(std::size_t point, std::size_t honor, std::size_t ignore) const;
  /// The distinct (honor, ignore) pairs, in order.
  [[nodiscard]] const std::vector<std::pair<std::size_t, std::size_t>>& hold_pairs() const { return hold_pairs_; }

 private:
  const StudyResult& result_;
  std::size_t points_, policies_, replications_;
  std::vector<std::vector<const RunSummary*>> cells_;  ///< by point x policies + policy
  std::vector<std::pair<std::size_t, std::size_t>> hold_pairs_;
};

/// A warning and the runs that gave it, in order; the text is the first run's.
struct GatheredWarning {
  Warning warning;
  std::vector<std::uint64_t> runs;
  bool same_text = true;  ///< false: the text differs between runs
};
[[nodiscard]] std::vector<GatheredWarning> gather_warnings(const StudyResult& result);
/// Any of W01 … W10, which --strict refuses.
[[nodiscard]] bool has_numbered_warning(const StudyResult& result);

}  // namespace headroom::cli
