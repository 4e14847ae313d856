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

template <class T>
double told(T value) {
  return UnitOf<T>::told(static_cast<double>(value));
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

}  // namespace

double TimeUnit::mean(std::size_t n) const {
  return static_cast<double>(static_cast<long double>(sum) / (static_cast<long double>(n) * 1e9L));
}

template <class T>
QuantileRanks ObservedValues<T>::ranks() const {
  return {quantile_rank(n_, kPercents[0]), quantile_rank(n_, kPercents[1]), quantile_rank(n_, kPercents[2])};
}

template <class T>
Summary ObservedValues<T>::told_with(const std::array<T, kQuantiles>& quantiles) const {
  Summary summary;
  summary.mean = sum_.mean(n_);
  summary.rms = UnitOf<T>::told(std::sqrt(static_cast<double>(squares_ / static_cast<long double>(n_))));
  summary.max = told(most_);
  summary.median = told(quantiles[0]);
  if (n_ - ranks()[1] >= kNeededBeyond) summary.p90 = told(quantiles[1]);
  if (n_ - ranks()[2] >= kNeededBeyond) summary.p99 = told(quantiles[2]);
  return summary;
}

/// Each loop keeps what it gathers in registers; both in one would not.
template <class T>
void ObservedValues<T>::add_sums(std::span<const T> values) {
  UnitOf<T> values_sum = sum_;
  for (const T value : values) values_sum.add(value);
  sum_ = values_sum;
  long double squares_sum = squares_;
  for (const T value : values) squares_sum += static_cast<double>(value) * static_cast<double>(value);
  squares_ = squares_sum;
}

template class ObservedValues<std::int64_t>;
template class ObservedValues<double>;

namespace {

template <class T>
Summary summarize_any(std::vector<T>& seen, std::vector<T>& cut_off) {
  if (seen.empty()) return {};
  if (!cut_off.empty()) return of_cut_off(seen, cut_off);
  ObservedValues<T> values(seen.size(), [&](std::size_t i) { return seen[i]; });
  const auto all = [&](const auto& f) {
    for (std::size_t at = 0; at < seen.size(); at += values.kMostAtOnce)
      f(std::span<const T>(seen).subspan(at, std::min(values.kMostAtOnce, seen.size() - at)));
  };
  all([&](std::span<const T> some) { values.add(some); });
  return values.summary(all);
}

}  // namespace

Summary summarize(std::vector<std::int64_t>& seen, std::vector<std::int64_t>& cut_off) {
  return summarize_any(seen, cut_off);
}
Summary summarize(std::vector<double>& seen, std::vector<double>& cut_off) { return summarize_any(seen, cut_off); }

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
