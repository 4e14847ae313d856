#include "workloads/arrival_times.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "workloads/diagnostics.h"

namespace headroom {
namespace {

constexpr long double kCenturies = 9.2e18L;  // ns; beyond it there is no TimePoint.
constexpr long double kTwoPi = 2 * std::numbers::pi_v<long double>;

[[noreturn]] void refuse(const GenerateItem& item, const std::string& message) {
  throw InputError({Diagnostic{"", 0, 0, "generate '" + item.name + "' " + message, ""}});
}

/// When a rate that is constant over equal parts of a period, summed over time, comes to `mass`.
long double in_parts(const Arrivals& arrivals, long double mass) {
  const auto period = static_cast<long double>(arrivals.period.ns);
  const auto parts = static_cast<long double>(arrivals.phases.size());
  const long double of_a_period = arrivals.rate_per_ns * period;
  const long double whole = std::floor(mass / of_a_period);
  long double rest = mass - whole * of_a_period;
  long double part = 0;
  for (const Arrivals::Phase& phase : arrivals.phases) {
    const long double here = phase.rate_per_ns * period / parts;
    if (rest < here) return whole * period + part * period / parts + rest / phase.rate_per_ns;
    rest -= here;
    ++part;
  }
  return (whole + 1) * period;  // what rounding left over
}

/// The same of rate (1 + amplitude cos(2 pi (t - peak) / period)): a root, kept between two bounds.
long double in_waves(const Arrivals& arrivals, long double mass) {
  const auto period = static_cast<long double>(arrivals.period.ns), peak = static_cast<long double>(arrivals.peak.ns);
  const long double swing = arrivals.amplitude * period / kTwoPi;
  const auto angle = [&](long double t) { return kTwoPi * std::fmod(t - peak, period) / period; };
  const long double target = mass / arrivals.rate_per_ns, at_zero = std::sin(angle(0));
  const auto passed = [&](long double t) { return t + swing * (std::sin(angle(t)) - at_zero); };
  long double low = std::max(0.0L, target - 2 * swing), high = target + 2 * swing;
  long double t = target;
  for (int step = 0; step < 200 && high - low > 0.125L; ++step) {
    const long double over = passed(t) - target;
    (over > 0 ? high : low) = t;
    const long double slope = 1 + arrivals.amplitude * std::cos(angle(t));
    const long double newton = t - over / slope;
    // Newton's step where it stays inside and gets somewhere; where the rate is almost 0 it does neither.
    const bool good = slope > 1e-6L && newton > low && newton < high;
    const long double next = good ? newton : low + (high - low) / 2;
    if (std::abs(next - t) < 0.03125L) return next;
    t = next;
  }
  return t;
}

}  // namespace

long double mean_rate(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kPoisson:
    case Arrivals::Kind::kDiurnal:
      return arrivals.rate_per_ns;
    case Arrivals::Kind::kMmpp: {
      long double comes = 0, time = 0;
      for (const Arrivals::Phase& phase : arrivals.phases) {
        comes += phase.rate_per_ns * static_cast<long double>(phase.stay.ns);
        time += static_cast<long double>(phase.stay.ns);
      }
      return comes / time;
    }
    case Arrivals::Kind::kPeriodic:
    case Arrivals::Kind::kBurst:
      break;
  }
  if (arrivals.every.ns <= 0) return 0;
  const std::int64_t each = arrivals.kind == Arrivals::Kind::kBurst ? arrivals.size.value_or(1) : 1;
  return static_cast<long double>(each) / static_cast<long double>(arrivals.every.ns);
}

Arrivals with_mean_rate(Arrivals arrivals, long double rate_per_ns) {
  const long double before = mean_rate(arrivals);
  const std::int64_t each = arrivals.kind == Arrivals::Kind::kBurst ? arrivals.size.value_or(1) : 1;
  arrivals.rate_per_ns = rate_per_ns;
  for (Arrivals::Phase& phase : arrivals.phases) phase.rate_per_ns *= rate_per_ns / before;
  if (arrivals.every.ns > 0) {
    arrivals.every = std::max(to_microseconds(static_cast<long double>(each) / rate_per_ns), Duration::microseconds(1));
  }
  return arrivals;
}

std::optional<TimePoint> ArrivalTimes::next(std::uint64_t i) {
  if (i >= most()) return std::nullopt;
  const TimePoint at = time_of(i);
  if (item_.until && at >= TimePoint::zero() + *item_.until) return std::nullopt;
  if (at.is_never()) refuse(item_, "goes on for more than 292 years; give it a count or an `until:`");
  return at;
}

long double ArrivalTimes::expected() const {
  const auto n = static_cast<long double>(most());
  if (!item_.until) return n;
  const auto until = static_cast<long double>(item_.until->ns);
  const Arrivals& arrivals = item_.arrivals;
  switch (arrivals.kind) {
    case Arrivals::Kind::kPoisson:
    case Arrivals::Kind::kMmpp:
    case Arrivals::Kind::kDiurnal:
      return std::min(n, until * mean_rate(arrivals));
    case Arrivals::Kind::kPeriodic:
    case Arrivals::Kind::kBurst:
      break;
  }
  const bool is_burst = arrivals.kind == Arrivals::Kind::kBurst;
  if (arrivals.every.ns <= 0) return is_burst ? n : 1e30L;
  const long double times =
      std::ceil((until - static_cast<long double>(arrivals.first.ns)) / static_cast<long double>(arrivals.every.ns));
  return std::min(n, std::max(0.0L, times) * (is_burst ? static_cast<long double>(size()) : 1));
}

std::uint64_t ArrivalTimes::size() const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(item_.arrivals.size.value_or(1), 1));
}

/// The largest number of workflows that `enabled`, `count` and a single burst allow.
std::uint64_t ArrivalTimes::most() const {
  if (!item_.enabled) return 0;
  if (item_.count) return static_cast<std::uint64_t>(std::max<std::int64_t>(*item_.count, 0));
  const bool is_single_burst = item_.arrivals.kind == Arrivals::Kind::kBurst && item_.arrivals.every.ns <= 0;
  return is_single_burst ? size() : ~std::uint64_t{0};
}

TimePoint ArrivalTimes::multiple(std::uint64_t k) const {
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(item_.arrivals.every.ns, k, &ns)) return TimePoint::never();
  return saturating_add(TimePoint::zero() + item_.arrivals.first, {ns});
}

long double ArrivalTimes::unit_exponential(std::uint64_t i, Attribute attribute) const {
  return -std::log1p(-draws_.uniform(static_cast<std::uint32_t>(i), 0, 0, attribute));
}

TimePoint ArrivalTimes::time_of(std::uint64_t i) {
  const Arrivals& arrivals = item_.arrivals;
  switch (arrivals.kind) {
    case Arrivals::Kind::kPoisson:
      // The first after one gap. Each gap is rounded by itself, so that the sum is exact.
      last_ = saturating_add(last_, to_microseconds(unit_exponential(i, Attribute::kArrival) / arrivals.rate_per_ns));
      return last_;
    case Arrivals::Kind::kMmpp:
      return not_before_last(modulated(mass_ += unit_exponential(i, Attribute::kArrival)));
    case Arrivals::Kind::kDiurnal:
      mass_ += unit_exponential(i, Attribute::kArrival);
      return not_before_last(arrivals.phases.empty() ? in_waves(arrivals, mass_) : in_parts(arrivals, mass_));
    case Arrivals::Kind::kPeriodic:
      return multiple(i);
    case Arrivals::Kind::kBurst:
      return arrivals.every.ns > 0 ? multiple(i / size()) : TimePoint::zero() + arrivals.first;
  }
  return TimePoint::never();
}

TimePoint ArrivalTimes::not_before_last(long double ns) {
  if (!(ns < kCenturies)) return last_ = TimePoint::never();
  return last_ = std::max(last_, TimePoint::zero() + to_microseconds(ns));
}

/// The k-th state lasts as long as the k-th draw says, whatever the rates.
long double ArrivalTimes::modulated(long double mass) {
  const std::vector<Arrivals::Phase>& phases = item_.arrivals.phases;
  if (states_ == 0) {
    // A stationary beginning: in a state as often as time is spent in it; what is left of it has forgotten its past.
    std::vector<long double> stays;
    stays.reserve(phases.size());
    for (const Arrivals::Phase& phase : phases) stays.push_back(static_cast<long double>(phase.stay.ns));
    state_ = pick(stays, draws_.uniform(0, 0, 0, Attribute::kModulation));
    state_ = (state_ + phases.size() - 1) % phases.size();
  }
  for (;;) {
    const long double rate = phases[state_].rate_per_ns, until = mass_before_ + (to_ - from_) * rate;
    if (states_ > 0 && mass < until) return from_ + (mass - mass_before_) / rate;
    if (from_ > kCenturies || (item_.until && from_ >= static_cast<long double>(item_.until->ns))) return kCenturies;
    mass_before_ = until;
    state_ = (state_ + 1) % phases.size();
    from_ = to_;
    to_ += static_cast<long double>(phases[state_].stay.ns) * unit_exponential(++states_, Attribute::kModulation);
  }
}

}  // namespace headroom
