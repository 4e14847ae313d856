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
constexpr std::size_t kFew = 4096;  ///< below, counting by bucket costs more than selecting
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

bool is_value(std::int64_t time) { return time >= 0; }
bool is_value(double ratio) { return ratio == ratio; }

constexpr std::size_t kChunk = 1024;

/// What one walk over the values gives. Each loop below keeps what it gathers in registers; all of them in one would
/// not.
template <class T>
struct Moments {
  UnitOf<T> sum;
  long double squares = 0;  // summed as R sums: the last printed digit of published figures depends on it
  T least{}, most{};
  std::size_t n = 0, least_count = 0;

  /// Not empty. True if all of them are equal.
  bool add(std::span<const T> values) {
    add_sums(values);
    T low = values.front(), high = values.front();
    for (const T value : values) {
      low = value < low ? value : low;
      high = high < value ? value : high;
    }
    if (n == 0 || low < least) {
      least = low;
      least_count = 0;
    }
    most = n == 0 ? high : std::max(most, high);
    n += values.size();
    if (low == high)
      least_count += low == least ? values.size() : 0;
    else if (low == least)
      least_count += static_cast<std::size_t>(std::count(values.begin(), values.end(), least));
    return low == high;
  }
  [[nodiscard]] QuantileRanks ranks() const {
    return {quantile_rank(n, 50), quantile_rank(n, 90), quantile_rank(n, 99)};
  }
  [[nodiscard]] Summary told_with(const std::array<T, kQuantiles>& quantiles) const {
    Summary summary;
    summary.mean = sum.mean(n);
    summary.rms = UnitOf<T>::told(std::sqrt(static_cast<double>(squares / static_cast<long double>(n))));
    summary.max = told(most);
    summary.median = told(quantiles[0]);
    if (n - ranks()[1] >= kNeededBeyond) summary.p90 = told(quantiles[1]);
    if (n - ranks()[2] >= kNeededBeyond) summary.p99 = told(quantiles[2]);
    return summary;
  }

 private:
  void add_sums(std::span<const T> values) {
    UnitOf<T> values_sum = sum;
    for (const T value : values) values_sum.add(value);
    sum = values_sum;
    long double squares_sum = squares;
    for (const T value : values) squares_sum += static_cast<double>(value) * static_cast<double>(value);
    squares = squares_sum;
  }
};

/// Calls f(values) with all values in turn, some at a time.
template <class T>
auto chunks_of(std::span<const T> values) {
  return [=](auto&& f) {
    for (std::size_t at = 0; at < values.size(); at += kChunk)
      f(values.subspan(at, std::min(kChunk, values.size() - at)));
  };
}

bool all_are_values(std::span<const std::int64_t> times) {
  std::int64_t signs = 0;
  for (const std::int64_t time : times) signs |= time;
  return signs >= 0;
}
bool all_are_values(std::span<const double> ratios) {
  bool ordered = true;
  for (const double ratio : ratios) ordered &= ratio == ratio;
  return ordered;
}

/// The same with the members' values that are one.
template <class T>
auto chunks_of(std::span<const T> column, std::span<const std::uint32_t> members) {
  // A whole cohort is most often all that there is, and all of it has a value: nothing need be gathered.
  const bool all_between = !members.empty() && members.back() - members.front() + 1 == members.size();
  const std::span<const T> between =
      all_between ? column.subspan(members.front(), members.size()) : std::span<const T>{};
  const bool as_it_is = all_between && all_are_values(between);
  return [=](auto&& f) {
    if (as_it_is) return chunks_of(between)(f);
    std::array<T, kChunk> chunk;
    for (std::size_t at = 0; at < members.size();) {
      std::size_t n = 0;
      for (const std::size_t end = std::min(at + kChunk, members.size()); at < end; ++at) {
        const T value = column[members[at]];
        chunk[n] = value;
        n += is_value(value) ? 1 : 0;
      }
      if (n > 0) f(std::span<const T>(chunk).first(n));
    }
  };
}

template <class T>
Summary of_few(std::vector<T>& values) {
  Moments<T> moments;
  moments.add(values);
  return moments.told_with(select_ranks(values, moments.ranks()));
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

template <class T, class Chunks>
Summary Summarizer::of_many(const Chunks& chunks) {
  buckets_.prepare();
  Moments<T> moments;
  chunks([&](std::span<const T> values) {
    if (moments.add(values))
      buckets_.add(values.front(), values.size());
    else
      buckets_.add(values);
  });
  if (moments.n == 0) return {};
  return moments.told_with(
      buckets_.take_ranks(moments.ranks(), moments.least, moments.least_count, moments.most, chunks));
}

template <class T>
Summary Summarizer::of_observed_and_cut_off(std::vector<T>& seen, std::vector<T>& cut_off) {
  if (seen.empty()) return {};
  if (!cut_off.empty()) return of_cut_off(seen, cut_off);
  if (seen.size() < kFew) return of_few(seen);
  return of_many<T>(chunks_of(std::span<const T>(seen)));
}

template <class T>
Summary Summarizer::of_members(std::span<const T> column, std::span<const std::uint32_t> members, std::vector<T>& few) {
  const auto chunks = chunks_of(column, members);
  if (members.size() >= kFew) return of_many<T>(chunks);
  few.clear();
  chunks([&](std::span<const T> values) { few.insert(few.end(), values.begin(), values.end()); });
  return few.empty() ? Summary{} : of_few(few);
}

Summary Summarizer::summarize(std::vector<std::int64_t>& seen, std::vector<std::int64_t>& cut_off) {
  return of_observed_and_cut_off(seen, cut_off);
}
Summary Summarizer::summarize(std::vector<double>& seen, std::vector<double>& cut_off) {
  return of_observed_and_cut_off(seen, cut_off);
}
Summary Summarizer::summarize(std::span<const std::int64_t> column, std::span<const std::uint32_t> members) {
  return of_members(column, members, few_times_);
}
Summary Summarizer::summarize(std::span<const double> column, std::span<const std::uint32_t> members) {
  return of_members(column, members, few_ratios_);
}

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
