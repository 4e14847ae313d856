#include "sim/compare/statistics.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "policies/check.h"

namespace headroom::compare {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double mean_of(std::span<const double> sample) {
  return std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
}

/// Sum of (a - mean a)(b - mean b).
double products(std::span<const double> a, double mean_a, std::span<const double> b, double mean_b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum;
}

/// Probability that Student's t exceeds `t`.
double upper_tail(double degrees, double t) {
  if (std::isnan(t)) return kNaN;
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

}  // namespace

double student_t_quantile(double degrees, double upper) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), upper));
}

Paired paired(std::span<const double> baseline, std::span<const double> other, bool exact) {
  HEADROOM_CHECK(baseline.size() == other.size(), "pairs of samples of different lengths");
  Paired pair;
  pair.n = baseline.size();
  pair.exact = exact;
  pair.of_other = mean_interval(other, exact);
  pair.standard_error = pair.low = pair.high = pair.correlation = kNaN;
  if (pair.n == 0) {
    pair.baseline = pair.other = pair.difference = kNaN;
    return pair;
  }
  pair.baseline = mean_of(baseline);
  pair.other = mean_of(other);
  std::vector<double> differences(pair.n);
  for (std::size_t i = 0; i < pair.n; ++i) differences[i] = other[i] - baseline[i];
  pair.difference = mean_of(differences);
  if (exact) {
    pair.low = pair.high = pair.difference;
    pair.standard_error = 0;
    return pair;
  }
  if (pair.n < 2) return pair;
  const auto n = static_cast<double>(pair.n);
  // Of equal differences the mean can be off by rounding; then they vary all the same, by as little.
  const bool all_equal = std::ranges::all_of(differences, [&](double d) { return d == differences.front(); });
  if (all_equal) pair.difference = differences.front();
  const double squares = all_equal ? 0 : products(differences, pair.difference, differences, pair.difference);
  pair.standard_error = std::sqrt(squares / (n - 1) / n);
  const double half = pair.standard_error * student_t_quantile(n - 1, (1 - kConfidence) / 2);
  pair.low = pair.difference - half;
  pair.high = pair.difference + half;
  const double of_baseline = products(baseline, pair.baseline, baseline, pair.baseline);
  const double of_other = products(other, pair.other, other, pair.other);
  if (of_baseline > 0 && of_other > 0)
    pair.correlation = products(baseline, pair.baseline, other, pair.other) / std::sqrt(of_baseline * of_other);
  return pair;
}

Interval mean_interval(std::span<const double> sample, bool exact) {
  if (sample.empty() || (sample.size() < 2 && !exact)) return {kNaN, kNaN};
  const double mean = mean_of(sample);
  if (exact) return {mean, mean};
  const auto n = static_cast<double>(sample.size());
  const double error = std::sqrt(products(sample, mean, sample, mean) / (n - 1) / n);
  const double half = error * student_t_quantile(n - 1, (1 - kConfidence) / 2);
  return {mean - half, mean + half};
}

std::vector<double> shifted(std::span<const double> sample, double by, bool relative) {
  std::vector<double> values;
  for (const double value : sample) values.push_back(value + (relative ? by * std::fabs(value) : by));
  return values;
}

std::string_view word(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kWords{"better", "worse", "equivalent", "undecided"};
  return kWords[static_cast<std::size_t>(verdict)];
}

namespace {

/// By how many standard errors the other is above; an edge itself is not beyond the edge.
double errors_above(const Paired& pair) {
  if (pair.standard_error > 0) return pair.difference / pair.standard_error;
  return pair.difference > 0 ? kInfinity : pair.difference < 0 ? -kInfinity : 0;
}

}  // namespace

Finding finding(std::span<const double> baseline, std::span<const double> other, double margin, bool relative,
                bool exact) {
  const Paired low = paired(shifted(baseline, -margin, relative), other, exact);
  const Paired high = paired(shifted(baseline, margin, relative), other, exact);
  if (std::isnan(low.standard_error)) return {Verdict::kUndecided, kNaN};
  if (exact) {
    if (std::isnan(low.difference)) return {Verdict::kUndecided, kNaN};  // infinite on both sides
    if (low.difference < 0) return {Verdict::kBetter, 0};
    return {high.difference > 0 ? Verdict::kWorse : Verdict::kEquivalent, 0};
  }
  // Where nothing ever differs, that the baseline varies says nothing against it.
  if (margin > 0 && std::ranges::equal(baseline, other)) return {Verdict::kEquivalent, 0};
  const double degrees = static_cast<double>(low.n) - 1;
  const auto p_of = [&](double errors) { return std::min(1.0, 2 * upper_tail(degrees, errors)); };
  const double below = -errors_above(low), above = errors_above(high);
  Finding best{Verdict::kBetter, p_of(below)};
  if (const double worse = p_of(above); worse < best.p) best = {Verdict::kWorse, worse};
  if (margin == 0) return best;
  if (const double within = p_of(std::min(-below, -above)); within < best.p) best = {Verdict::kEquivalent, within};
  return best;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.begin(), p.end());
  double least = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    least = std::max(least, std::min(1.0, static_cast<double>(order.size() - k) * p[order[k]]));
    adjusted[order[k]] = least;
  }
  return adjusted;
}

}  // namespace headroom::compare
