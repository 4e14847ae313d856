#include "sim/metrics/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "policies/check.h"
#include "sim/metrics/quantiles.h"
#include "sim/metrics/wide.h"

namespace headroom {
namespace {

constexpr std::size_t kNeededBeyond = 10;
constexpr double kNanosecondsPerSecond = 1e9;

/// How values of a type are added up and told: times exactly and in seconds, ratios compensated and as they are.
struct TimeUnit {
  Int128 sum = 0;
  void add(std::int64_t ns) { sum += ns; }
  [[nodiscard]] double mean(std::size_t n) const {
    return static_cast<double>(static_cast<long double>(sum) /
                               (static_cast<long double>(n) * static_cast<long double>(kNanosecondsPerSecond)));
  }
  static double told(double ns) { return ns / kNanosecondsPerSecond; }
};
struct RatioUnit {
  CompensatedSum sum;
  void add(double ratio) { sum.add(ratio); }
  [[nodiscard]] double mean(std::size_t n) const { return sum.value() / static_cast<double>(n); }
  static double told(double ratio) { return ratio; }
};
template <class T>
using UnitOf = std::conditional_t<std::is_same_v<T, double>, RatioUnit, TimeUnit>;

template <class T>
double told(T value) {
  return UnitOf<T>::told(static_cast<double>(value));
}

template <class T>
void take_quantiles(std::vector<T>& values, T smallest, T largest, Summary& summary) {
  const std::size_t n = values.size();
  const std::array<std::size_t, kQuantiles> ranks = {quantile_rank(n, 50), quantile_rank(n, 90), quantile_rank(n, 99)};
  const std::array<T, kQuantiles> found = values_at_ranks(values, ranks, smallest, largest);
  summary.median = told(found[0]);
  if (n - ranks[1] >= kNeededBeyond) summary.p90 = told(found[1]);
  if (n - ranks[2] >= kNeededBeyond) summary.p99 = told(found[2]);
}

template <class T>
Summary of_complete(std::vector<T>& values) {
  Summary summary;
  UnitOf<T> sum;
  long double squares = 0;  // summed as R sums: the last printed digit of published figures depends on it
  T min = values.front(), max = values.front();
  for (const T value : values) {
    sum.add(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
    min = std::min(min, value);
    max = std::max(max, value);
  }
  const std::size_t n = values.size();
  summary.mean = sum.mean(n);
  summary.rms = UnitOf<T>::told(std::sqrt(static_cast<double>(squares / static_cast<long double>(n))));
  summary.max = told(max);
  take_quantiles(values, min, max, summary);
  return summary;
}

/// The product-limit curve, walked from left to right. What is cut off at the very time of an observation was still
/// at risk then. Between two cuts the product telescopes to remaining / entered, which keeps it exact where nothing is
/// cut off before.
class SurvivalCurve {
 public:
  explicit SurvivalCurve(std::size_t n) : entered_(n), remaining_(n) {}

  void cut(std::size_t count) {
    if (count == 0) return;
    factor_ = survival();
    remaining_ -= count;
    entered_ = remaining_;
  }
  void observe(std::size_t count) { remaining_ -= count; }
  [[nodiscard]] std::size_t remaining() const { return remaining_; }
  [[nodiscard]] double survival() const {
    return entered_ == 0 ? factor_ : factor_ * static_cast<double>(remaining_) / static_cast<double>(entered_);
  }
  /// Has at least the fraction `percent` been observed? A product that is equal but for rounding counts as equal.
  [[nodiscard]] bool has_reached(std::size_t percent) const {
    return survival() * 100 <= static_cast<double>(100 - percent) * (1 + 1e-12);
  }

 private:
  double factor_ = 1;
  std::size_t entered_, remaining_;
};

template <class T>
Summary of_cut_off(std::vector<T>& seen, std::vector<T>& cut_off) {
  std::sort(seen.begin(), seen.end());
  std::sort(cut_off.begin(), cut_off.end());
  Summary summary;
  SurvivalCurve curve(seen.size() + cut_off.size());
  CompensatedSum area, square_area;
  double before = 0;
  const auto integrate_to = [&](double now) {
    area.add(curve.survival() * (now - before));
    square_area.add(curve.survival() * (now * now - before * before));
    before = now;
  };
  // Fewer and fewer remain: a quantile with too few beyond it cannot get them later.
  const auto take = [&](double& quantile, std::size_t percent, std::size_t beyond, double value) {
    if (std::isnan(quantile) && curve.has_reached(percent) && curve.remaining() >= beyond) quantile = value;
  };

  auto cut = cut_off.begin();
  for (auto at = seen.begin(); at != seen.end();) {
    const auto end = std::upper_bound(at, seen.end(), *at);
    const auto first_later = std::lower_bound(cut, cut_off.end(), *at);
    // The curve is flat between observations, so cuts in between change who is at risk but no area.
    integrate_to(static_cast<double>(*at));
    curve.cut(static_cast<std::size_t>(first_later - cut));
    cut = first_later;
    curve.observe(static_cast<std::size_t>(end - at));
    take(summary.median, 50, 0, told(*at));
    take(summary.p90, 90, kNeededBeyond, told(*at));
    take(summary.p99, 99, kNeededBeyond, told(*at));
    at = end;
  }
  const bool complete = curve.remaining() == 0;
  if (complete) summary.max = told(seen.back());
  if (!complete) integrate_to(static_cast<double>(std::max(cut_off.back(), seen.back())));
  summary.mean = UnitOf<T>::told(area.value());
  summary.rms = UnitOf<T>::told(std::sqrt(square_area.value()));
  return summary;
}

template <class T>
Summary summary_of(std::vector<T>& seen, std::vector<T>& cut_off) {
  if (seen.empty()) return {};
  return cut_off.empty() ? of_complete(seen) : of_cut_off(seen, cut_off);
}

}  // namespace

Summary summarize(std::vector<std::int64_t>& seen, std::vector<std::int64_t>& cut_off) {
  return summary_of(seen, cut_off);
}
Summary summarize(std::vector<double>& seen, std::vector<double>& cut_off) { return summary_of(seen, cut_off); }

double geometric_mean_of_ratios(std::span<const double> numerators, std::span<const double> denominators) {
  HEADROOM_CHECK(numerators.size() == denominators.size(), std::to_string(numerators.size()) + " numerators, " +
                                                               std::to_string(denominators.size()) + " denominators");
  CompensatedSum logs;
  std::size_t n = 0;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    const double ratio = numerators[i] / denominators[i];
    if (!(numerators[i] > 0 && denominators[i] > 0 && std::isfinite(ratio) && ratio > 0)) continue;
    logs.add(std::log(ratio));
    ++n;
  }
  return n == 0 ? std::numeric_limits<double>::quiet_NaN() : std::exp(logs.value() / static_cast<double>(n));
}

}  // namespace headroom
