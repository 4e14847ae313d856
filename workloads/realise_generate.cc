#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "workloads/diagnostics.h"
#include "workloads/realise_items.h"

namespace headroom {
namespace {

[[noreturn]] void refuse(const GenerateItem& item, std::string message) {
  throw InputError({Diagnostic{"", 0, 0, "generate '" + item.name + "' " + std::move(message), ""}});
}

/// When the workflows of an item arrive, one after the other.
class ArrivalTimes {
 public:
  ArrivalTimes(const GenerateItem& item, const Draws& draws) : item_(item), draws_(draws) {}

  /// Of the i-th, asked in order; nothing after the last.
  std::optional<TimePoint> next(std::uint64_t i) {
    if (i >= most()) return std::nullopt;
    const TimePoint at = time_of(i);
    if (item_.until && at >= TimePoint::zero() + *item_.until) return std::nullopt;
    if (at.is_never()) refuse(item_, "goes on for more than 292 years; give it a count or an `until:`");
    return at;
  }

  /// About how many there will be: never much less.
  [[nodiscard]] long double expected() const {
    long double n = static_cast<long double>(most());
    if (!item_.until) return n;
    const auto until = static_cast<long double>(item_.until->ns);
    switch (item_.arrivals.kind) {
      case Arrivals::Kind::kPoisson:
        return std::min(n, until * item_.arrivals.rate_per_ns);
      case Arrivals::Kind::kPeriodic:
        return std::min(n, bursts(until));
      case Arrivals::Kind::kBurst:
        return item_.arrivals.every.ns > 0 ? std::min(n, bursts(until) * static_cast<long double>(size())) : n;
    }
    return n;
  }

 private:
  [[nodiscard]] std::uint64_t size() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(item_.arrivals.size.value_or(1), 1));
  }

  /// The largest number of workflows that `count` and a single burst allow.
  [[nodiscard]] std::uint64_t most() const {
    if (item_.count) return static_cast<std::uint64_t>(std::max<std::int64_t>(*item_.count, 0));
    const bool is_single_burst = item_.arrivals.kind == Arrivals::Kind::kBurst && item_.arrivals.every.ns <= 0;
    return is_single_burst ? size() : ~std::uint64_t{0};
  }

  [[nodiscard]] long double bursts(long double until) const {
    if (item_.arrivals.every.ns <= 0) return 1e30L;
    const auto first = static_cast<long double>(item_.arrivals.first.ns);
    return std::max(0.0L, std::ceil((until - first) / static_cast<long double>(item_.arrivals.every.ns)));
  }

  TimePoint time_of(std::uint64_t i) {
    const Arrivals& arrivals = item_.arrivals;
    switch (arrivals.kind) {
      case Arrivals::Kind::kPoisson: {
        // The first after one gap. Each gap is rounded by itself, so that the sum is exact.
        const long double u = draws_.uniform(static_cast<std::uint32_t>(i), 0, 0, Attribute::kArrival);
        last_ = saturating_add(last_, to_microseconds(-std::log1p(-u) / arrivals.rate_per_ns));
        return last_;
      }
      case Arrivals::Kind::kPeriodic:
        return multiple(i);
      case Arrivals::Kind::kBurst:
        return arrivals.every.ns > 0 ? multiple(i / size()) : TimePoint::zero() + arrivals.first;
    }
    return TimePoint::never();
  }

  [[nodiscard]] TimePoint multiple(std::uint64_t k) const {
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(item_.arrivals.every.ns, k, &ns)) return TimePoint::never();
    return saturating_add(TimePoint::zero() + item_.arrivals.first, {ns});
  }

  const GenerateItem& item_;
  const Draws& draws_;
  TimePoint last_;
};

class Generator {
 public:
  Generator(const GenerateItem& item, WorkBuilder& builder)
      : item_(item), builder_(builder), draws_(builder.draws(item.name)) {
    for (const TenantChoice& choice : item.tenants) tenant_weights_.push_back(choice.weight);
    varies_beyond_cores_ = item.memory.is_random() || item.gpus.is_random() || item.memory.constant != 0 ||
                           item.gpus.constant != 0 || item.nodes != 1 || !item.pools.empty();
  }

  void run() {
    ArrivalTimes arrivals(item_, draws_);
    const long double expected = arrivals.expected();
    if (expected > 1.1L * static_cast<long double>(kMostRows) + 1000) {
      refuse(item_, "makes about " + std::to_string(static_cast<long long>(std::min(expected, 9e18L))) +
                        " workflows; at most " + std::to_string(kMostRows) + " are simulated in one run");
    }
    builder_.reserve(static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(expected));
    for (std::uint64_t i = 0;; ++i) {
      const auto at = arrivals.next(i);
      if (!at) break;
      if (builder_.work().stages() >= kMostRows) builder_.reserve(1, kMostRows);  // refuses
      add(static_cast<std::uint32_t>(i), *at);
    }
  }

 private:
  /// A draw costs; what is constant needs none.
  [[nodiscard]] std::int64_t integer(const Distribution& of, std::uint32_t i, Attribute attribute) const {
    return of.is_random() ? sample_integer(of, draws_.uniform(i, 0, 0, attribute)) : of.constant;
  }
  [[nodiscard]] Duration duration(const Distribution& of, std::uint32_t i, Attribute attribute) const {
    return of.is_random() ? sample_duration(of, draws_.uniform(i, 0, 0, attribute)) : Duration{of.constant};
  }

  void add(std::uint32_t i, TimePoint at) {
    const std::size_t tenant =
        tenant_weights_.size() == 1 ? 0 : pick(tenant_weights_, draws_.uniform(i, 0, 0, Attribute::kTenant));
    builder_.add_workflow(at, item_.tenants[tenant].account, item_.tenants[tenant].user,
                          integer(item_.priority, i, Attribute::kPriority));
    const Duration run_time = duration(item_.run_time, i, Attribute::kRunTime);
    const StageRow row = builder_.add_stage(run_time, estimate(i, run_time), demand(i));
    if (item_.walltime) builder_.set_walltime(row, *item_.walltime);
    if (item_.preemptible) builder_.set_preemptible(row);
    if (item_.retry != 0) builder_.set_retry(row, item_.retry);
    builder_.set_failing(row, item_.failing);
  }

  [[nodiscard]] Duration estimate(std::uint32_t i, Duration run_time) const {
    if (item_.estimate) return duration(*item_.estimate, i, Attribute::kEstimate);
    if (!item_.estimate_factor) return run_time;
    const Distribution& factor = *item_.estimate_factor;
    if (!factor.is_random()) return scaled(run_time, factor.constant);
    const long double drawn = quantile(factor, draws_.uniform(i, 0, 0, Attribute::kEstimate));
    return to_microseconds(static_cast<long double>(run_time.ns) * (drawn / 1e6L));
  }

  /// run_time * millionths / 10^6, exact, half away from zero to nanoseconds.
  static Duration scaled(Duration run_time, std::int64_t millionths) {
    const __int128 product = static_cast<__int128>(run_time.ns) * millionths + 500'000;
    return {static_cast<std::int64_t>(std::min<__int128>(product / 1'000'000, kLargestDraw))};
  }

  std::uint32_t demand(std::uint32_t i) {
    const std::int64_t cores = std::max<std::int64_t>(integer(item_.cores, i, Attribute::kCores), 1);
    std::uint32_t index = 0;
    if (!varies_beyond_cores_) {
      index = builder_.demand_of_cores(cores, false);
    } else {
      asked_.cores = cores;
      asked_.memory = std::max<std::int64_t>(integer(item_.memory, i, Attribute::kMemory), 0);
      asked_.gpus = std::max<std::int64_t>(integer(item_.gpus, i, Attribute::kGpus), 0);
      asked_.nodes = item_.nodes;
      asked_.pools = item_.pools;
      index = builder_.demand(asked_);
    }
    if (!builder_.fits(index)) {
      refuse(item_, "draws a stage of " + std::to_string(cores) +
                        " cores that the empty cluster cannot hold; ask for less, or describe a larger cluster");
    }
    return index;
  }

  const GenerateItem& item_;
  WorkBuilder& builder_;
  Draws draws_;
  std::vector<long double> tenant_weights_;
  bool varies_beyond_cores_ = false;
  Demand asked_;
};

}  // namespace

void add_generate_item(const GenerateItem& item, WorkBuilder& builder) {
  builder.add_item(item.name, Work::Item::Naming::kIndexed);
  Generator(item, builder).run();
}

}  // namespace headroom
