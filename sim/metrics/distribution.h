// Means, quantiles and moments of a set of observations, some of which may be cut off by the end of the run.
// It must know nothing of workflows: numbers in, numbers out.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/metrics/quantiles.h"

namespace headroom {

/// NaN: undefined, or too few observations for that quantile.
struct Summary {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double median = mean, p90 = mean, p99 = mean, max = mean, rms = mean;
};

/// A sum of doubles whose error does not grow with their number (Neumaier's, with the branch-free two-sum).
class CompensatedSum {
 public:
  void add(double x) {
    const double sum = sum_ + x;
    const double seen = sum - sum_;
    error_ += (sum_ - (sum - seen)) + (x - seen);
    sum_ = sum;
  }
  [[nodiscard]] double value() const { return sum_ + error_; }

 private:
  double sum_ = 0, error_ = 0;
};

/// Takes summaries, one after the other, in the same buffers: of times in nanoseconds (>= 0, added up in integers, told
/// in seconds), or of ratios (>= 0, as they are).
///
/// Quantiles   observed values: the smallest with at least the fraction p at or below it; p90 and p99 only where at
///             least ten observations rank after it.
/// Where something is cut off: quantiles are Kaplan-Meier's; mean and rms are restricted to the longest value in either
///             list; max is NaN if the longest is cut off.
/// Fails       never; all NaN without an observation.
/// Cost        O(n), O(n log n) where something is cut off.
class Summarizer {
 public:
  /// `seen`      observed values. Its order is lost.
  /// `cut_off`   values that the end of the run cut off: the true one is at least that. Its order is lost.
  [[nodiscard]] Summary summarize(std::vector<std::int64_t>& seen, std::vector<std::int64_t>& cut_off);
  [[nodiscard]] Summary summarize(std::vector<double>& seen, std::vector<double>& cut_off);

  /// Of the members' values in a column, all observed. A time below 0 and a NaN are none and left out.
  /// `members`   indices into the column, rising.
  [[nodiscard]] Summary summarize(std::span<const std::int64_t> column, std::span<const std::uint32_t> members);
  [[nodiscard]] Summary summarize(std::span<const double> column, std::span<const std::uint32_t> members);

 private:
  template <class T>
  Summary of_observed_and_cut_off(std::vector<T>& seen, std::vector<T>& cut_off);
  template <class T>
  Summary of_members(std::span<const T> column, std::span<const std::uint32_t> members, std::vector<T>& few);
  template <class T, class Chunks>
  Summary of_many(const Chunks& chunks);

  ValueBuckets buckets_;
  std::vector<std::int64_t> few_times_;
  std::vector<double> few_ratios_;
};

/// Geometric mean of numerators[i] / denominators[i] over those i where both are positive and finite: hold_gain, with
/// the makespans under `hold: ignore` and `hold: honor`. NaN if there is none.
///
/// Fails   CheckFailed if the sizes differ.
[[nodiscard]] double geometric_mean_of_ratios(std::span<const double> numerators, std::span<const double> denominators);

}  // namespace headroom
