// Values of one axis compared with a baseline, metric by metric: at each point of the other axes, and over all of them.
// Replications are paired: they share their random numbers. It must never know how it is shown.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/compare/sampled_runs.h"
#include "sim/compare/statistics.h"

namespace headroom::compare {

enum class Direction : std::uint8_t { kLess, kMore, kNeither };  ///< what of it is better
[[nodiscard]] Direction better_of(const std::string& metric);

/// One value beside the baseline at one point of the other axes, or over all points.
struct Row {
  std::vector<std::string> at;  ///< by Comparison::others; empty: over all points
  std::string value;
  Paired pair;
  std::vector<double> baseline_sample, other_sample;  ///< by replication; kept over all points only
};

struct MetricRows {
  Measured what;
  std::string unit;
  std::vector<Row> points;   ///< points as in the file, values within
  std::vector<Row> overall;  ///< by value: means over the points at which it is known on both sides
  std::size_t points_left_out = 0;
};

/// What the primary metric shows of one value.
struct Shown {
  std::string value;
  Finding finding;  ///< by itself
  double p = 1;     ///< Holm's, over all values
  Verdict verdict = Verdict::kUndecided;
};

struct Primary {
  Measured what;
  std::string margin_text;
  std::vector<Shown> shown;
};

struct Comparison {
  std::string by, baseline;
  std::vector<std::string> others;  ///< names of the other axes that vary
  std::vector<std::string> values;  ///< without the baseline
  std::size_t points = 1;
  std::size_t replications = 1;  ///< the most of a point
  std::size_t unmatched = 0;     ///< runs without a counterpart
  bool is_random = true;
  std::vector<MetricRows> metrics;
  std::optional<Primary> primary;
};

struct Request {
  std::string by;              ///< an axis; empty: `file`, else `policy` if there are several, else the one axis
  std::string baseline;        ///< empty: as follows
  std::string usual_baseline;  ///< taken where it is a value of the axis; else the first value is
  std::vector<Measured> metrics;
  std::optional<Measured> primary;
  double margin = 0;                ///< of the primary
  bool margin_is_relative = false;  ///< a fraction of the baseline's mean
  std::string margin_text;
};

/// Fails  InputError with what there is instead: an axis or a value that is not there, nothing to compare with.
/// Cost   O(runs · metrics).
[[nodiscard]] Comparison compare(const SampledRuns& runs, const Request& request);

}  // namespace headroom::compare
