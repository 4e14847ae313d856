// When the workflows of a `generate:` item arrive. Poisson, mmpp and diurnal are one thing: the i-th arrives when the
// rate, summed over time, has come to the sum of i + 1 unit exponentials, so another rate moves the arrivals and
// nothing else of the workload.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/time.h"
#include "workloads/draw.h"
#include "workloads/workload.h"

namespace headroom {

/// Arrivals a nanosecond in the long run; 0 for a single burst.
[[nodiscard]] long double mean_rate(const Arrivals& arrivals);
/// The same arrivals at another mean rate, > 0: every rate times one factor, `every` to whole microseconds. A single
/// burst has no rate and stays as it is.
[[nodiscard]] Arrivals with_mean_rate(Arrivals arrivals, long double rate_per_ns);

class ArrivalTimes {
 public:
  /// Both must outlive it.
  ArrivalTimes(const GenerateItem& item, const Draws& draws) : item_(item), draws_(draws) {}

  /// Of the i-th, asked in order; nothing after the last. Rounded to whole microseconds.
  /// Fails  InputError: later than 292 years.
  std::optional<TimePoint> next(std::uint64_t i);
  /// About how many there will be.
  [[nodiscard]] long double expected() const;

 private:
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::uint64_t most() const;
  [[nodiscard]] TimePoint multiple(std::uint64_t k) const;
  TimePoint time_of(std::uint64_t i);
  [[nodiscard]] long double unit_exponential(std::uint64_t i, Attribute attribute) const;
  TimePoint not_before_last(long double ns);
  long double modulated(long double mass);

  const GenerateItem& item_;
  const Draws& draws_;
  TimePoint last_;
  long double mass_ = 0;  ///< the sum of unit exponentials so far
  // ---- mmpp: the state that it is in, from when to when, and the rate summed until it began
  std::uint64_t states_ = 0;
  std::size_t state_ = 0;
  long double from_ = 0, to_ = 0, mass_before_ = 0;
};

}  // namespace headroom
