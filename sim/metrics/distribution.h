// Means, quantiles and moments of a set of observations, some of which may be cut off by the end of the run.
// It must know nothing of workflows: numbers in, numbers out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/metrics/quantiles.h"
#include "sim/metrics/wide.h"

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

/// How values of a type are added up and told: times (ns, >= 0) exactly and in seconds, ratios (>= 0) compensated and
/// as they are.
struct TimeUnit {
  Int128 sum = 0;
  void add(std::int64_t ns) { sum += ns; }
  [[nodiscard]] double mean(std::size_t n) const;
  static double told(double ns) { return ns / 1e9; }
};
struct RatioUnit {
  CompensatedSum sum;
  void add(double ratio) { sum.add(ratio); }
  [[nodiscard]] double mean(std::size_t n) const { return sum.value() / static_cast<double>(n); }
  static double told(double ratio) { return ratio; }
};
template <class T>
using UnitOf = std::conditional_t<std::is_same_v<T, double>, RatioUnit, TimeUnit>;

/// Where there is nothing to observe: a time below 0, a NaN.
[[nodiscard]] inline bool is_value(std::int64_t time) { return time >= 0; }
[[nodiscard]] inline bool is_value(double ratio) { return ratio == ratio; }

/// Values that were all observed, taken in some at a time.
///
/// Quantiles   the smallest value with at least the fraction p at or below it; p90 and p99 only where at least ten
///             observations rank after it.
/// Cost        O(values); a tenth of them are kept.
template <class T>
class ObservedValues {
 public:
  static constexpr std::size_t kMostAtOnce = RankBrackets<T>::kMostAtOnce;

  /// `most`  so many will be added at most.
  /// `at`    at(i) for i < `most`: one of the values that will be added, or none (see is_value); asked for a sample.
  template <class At>
  ObservedValues(std::size_t most, const At& at);

  /// At most kMostAtOnce, each a value.
  void add(std::span<const T> values);
  /// `again`  again(f) calls f(span) with all of them once more, for the rare case in which the sample misled; all NaN
  ///          without a value.
  template <class Again>
  [[nodiscard]] Summary summary(const Again& again);

 private:
  static constexpr std::size_t kFew = 4096;  ///< up to here, keeping them all costs less
  static constexpr std::size_t kSample = 1024;
  [[nodiscard]] QuantileRanks ranks() const;
  [[nodiscard]] Summary told_with(const std::array<T, kQuantiles>& quantiles) const;
  void add_sums(std::span<const T> values);

  UnitOf<T> sum_;
  long double squares_ = 0;  // summed as R sums: the last printed digit of published figures depends on it
  T most_{};
  std::size_t n_ = 0;
  bool keeps_all_ = true;
  std::vector<T> all_;
  RankBrackets<T> brackets_;
};

/// Takes summaries, one after the other: of times in nanoseconds, or of ratios.
///
/// Where something is cut off: quantiles are Kaplan-Meier's; mean and rms are restricted to the longest value in either
///             list; max is NaN if the longest is cut off. Where nothing is: as ObservedValues has it.
/// `seen`      observed values. Its order is lost.
/// `cut_off`   values that the end of the run cut off: the true one is at least that. Its order is lost.
/// Fails       never; all NaN without an observation.
/// Cost        O(n), O(n log n) where something is cut off.
[[nodiscard]] Summary summarize(std::vector<std::int64_t>& seen, std::vector<std::int64_t>& cut_off);
[[nodiscard]] Summary summarize(std::vector<double>& seen, std::vector<double>& cut_off);

template <class T>
template <class At>
ObservedValues<T>::ObservedValues(std::size_t most, const At& at) : keeps_all_(most <= kFew) {
  if (keeps_all_) {
    all_.reserve(most);
    return;
  }
  std::vector<T> sample;
  // One out of each of as many equal parts, at a place that no period of the values can follow.
  std::uint64_t draw = 0x9E3779B97F4A7C15U;
  for (std::size_t k = 0; k < kSample; ++k) {
    draw = draw * 6364136223846793005U + 1442695040888963407U;
    const std::size_t from = most * k / kSample, to = most * (k + 1) / kSample;
    const T value = at(from + static_cast<std::size_t>(draw >> 33) % (to - from));
    if (is_value(value)) sample.push_back(value);
  }
  if (!sample.empty()) brackets_ = RankBrackets<T>(std::move(sample));
}

template <class T>
void ObservedValues<T>::add(std::span<const T> values) {
  if (values.empty()) return;
  add_sums(values);
  T low = values.front(), high = values.front();
  for (const T value : values) {
    low = value < low ? value : low;
    high = high < value ? value : high;
  }
  most_ = n_ == 0 ? high : std::max(most_, high);
  n_ += values.size();
  if (keeps_all_)
    all_.insert(all_.end(), values.begin(), values.end());
  else if (low == high)
    brackets_.add(low, values.size());
  else
    brackets_.add(values);
}

template <class T>
template <class Again>
Summary ObservedValues<T>::summary(const Again& again) {
  if (n_ == 0) return {};
  if (!keeps_all_) {
    if (const auto found = brackets_.take(ranks())) return told_with(*found);
    all_.reserve(n_);
    again([&](std::span<const T> values) { all_.insert(all_.end(), values.begin(), values.end()); });
  }
  return told_with(select_ranks(all_, ranks()));
}

extern template class ObservedValues<std::int64_t>;
extern template class ObservedValues<double>;

/// Geometric mean of numerators[i] / denominators[i] over those i where both are positive and finite: hold_gain, with
/// the makespans under `hold: ignore` and `hold: honor`. NaN if there is none.
///
/// Fails   CheckFailed if the sizes differ.
[[nodiscard]] double geometric_mean_of_ratios(std::span<const double> numerators, std::span<const double> denominators);

}  // namespace headroom
