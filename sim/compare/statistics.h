// Intervals and verdicts on paired samples: functions of numbers alone. It must never know what was measured, or where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headroom::compare {

inline constexpr double kConfidence = 0.95;

struct Interval {
  double low = 0, high = 0;
};

/// Two samples of equal length, paired: the k-th of either comes from the same random numbers.
struct Paired {
  std::size_t n = 0;
  double baseline = 0, other = 0;  ///< means
  double difference = 0;           ///< mean of other - baseline
  double standard_error = 0;       ///< of the difference; NaN below two pairs
  double low = 0, high = 0;        ///< Student's interval for the difference; NaN below two pairs
  double correlation = 0;          ///< of the pairs; NaN below two, or where either sample does not vary
  Interval of_other;               ///< for the other's mean by itself
  bool exact = false;              ///< nothing was random: every interval is its value
};
/// `exact`: the one pair is all there is to know. Cost O(n).
[[nodiscard]] Paired paired(std::span<const double> baseline, std::span<const double> other, bool exact);

/// Interval for a mean, or the value itself where nothing was random. NaN below two values.
[[nodiscard]] Interval mean_interval(std::span<const double> sample, bool exact);

/// The value that Student's t with so many degrees of freedom exceeds with probability `upper`.
[[nodiscard]] double student_t_quantile(double degrees, double upper);

/// Each value plus `by`, or plus that fraction of its own size. Against such a sample a percentage is asked about pair
/// by pair, as the baseline's mean is itself only known from its sample.
[[nodiscard]] std::vector<double> shifted(std::span<const double> sample, double by, bool relative);

/// What a difference of a metric, of which less is better, is shown to be.
enum class Verdict : std::uint8_t {
  kBetter,      ///< lower by more than the margin
  kWorse,       ///< higher by more than the margin
  kEquivalent,  ///< within the margin either way
  kUndecided,
};
[[nodiscard]] std::string_view word(Verdict verdict);  ///< "better", ...

/// The verdict that comes nearest to being shown, and how near: `p` is the largest error at which it is shown,
/// two-sided, so that p <= 5 % says what the 95 % interval says. NaN, and undecided, below two pairs.
struct Finding {
  Verdict verdict = Verdict::kUndecided;
  double p = 1;
};
/// `margin` >= 0, in the unit of the metric; or, `relative`, a fraction of the baseline's mean, which is itself only
/// known from the sample: then other - (1 +- margin) baseline is looked at, pair by pair. Samples of one length.
[[nodiscard]] Finding finding(std::span<const double> baseline, std::span<const double> other, double margin,
                              bool relative, bool exact);

/// Holm's step-down: the p-values as if each had been the only one. NaN stays NaN and counts as none.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

}  // namespace headroom::compare
