// What report() costs on logs like those of the workloads W1 (short waits) and W2 (a queue that grows with the run).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>
#include <vector>

#include "sim/metrics/report.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSlots = 1024;
constexpr std::int64_t kHour = 3600 * kSecond;

struct Case {
  Work work;
  RunLog log;
};

Work jobs(std::uint32_t n, double load, bool tenants) {
  Work work;
  work.cluster.classes = {{"slots", 1, {kSlots, 0, 0}}};
  work.tenants.organizations = {{"default", 0}};
  work.tenants.accounts = {{"trace", 0, 0, {}}};
  for (const std::int64_t priority : {-20, -7, 7, 20})
    work.tenants.users.push_back({"user" + std::to_string(work.tenants.users.size()), priority});
  work.demands = {Demand{}};
  Work::Item& item = work.items.emplace_back();
  item.name = "trace";
  item.naming = Work::Item::Naming::kIndexed;
  item.workflows = n;
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> run_time(std::log(600.0), 1.5);
  const double mean_run = 600 * std::exp(1.5 * 1.5 / 2);
  std::exponential_distribution<double> gap(load * static_cast<double>(kSlots) / mean_run);
  double now = 0;
  for (std::uint32_t w = 0; w < n; ++w) {
    now += gap(random);
    work.submitted_at.push_back({static_cast<std::int64_t>(now) * kSecond});
    work.item.push_back(0);
    work.account.push_back(0);
    work.user.push_back(tenants ? static_cast<std::uint32_t>(random() % 4) : 0);
    work.priority.push_back(0);
    work.first_stage.push_back(w);
    work.workflow_of.push_back(w);
    const auto seconds = static_cast<std::int64_t>(std::min(run_time(random), 604'800.0));
    work.run_time.push_back({seconds * kSecond});
    work.demand.push_back(0);
  }
  work.first_stage.push_back(n);
  work.estimate = work.run_time;
  return work;
}

/// Static keys, smallest first: submission - priority in hours.
Case replayed(Work work) {
  using Entry = std::pair<std::int64_t, StageRow>;
  using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
  Heap queue, running;
  RunLog log;
  std::uint32_t next = 0;
  const auto add = [&](std::int64_t at, EventKind kind, std::uint32_t subject) {
    log.events.push_back({TimePoint{at}, subject, kind, kind == EventKind::kDeclared, Reason::kAlone});
  };
  while (next < work.workflows() || !running.empty()) {
    const std::int64_t arrival = next < work.workflows() ? work.submitted_at[next].ns : TimePoint::never().ns;
    const std::int64_t now = running.empty() ? arrival : std::min(arrival, running.top().first);
    for (; !running.empty() && running.top().first == now; running.pop())
      add(now, EventKind::kFinished, running.top().second);
    for (; next < work.workflows() && work.submitted_at[next].ns == now; ++next) {
      add(now, EventKind::kSubmitted, next);
      add(now, EventKind::kDeclared, next);
      queue.emplace(now - kHour * work.tenants.users[work.user[next]].priority, next);
    }
    while (!queue.empty() && static_cast<std::int64_t>(running.size()) < kSlots) {
      const StageRow row = queue.top().second;
      queue.pop();
      add(now, EventKind::kStarted, row);
      log.starts.push_back({work.run_time[row], NodeId{0}});
      running.emplace(now + work.run_time[row].ns, row);
    }
    log.end = TimePoint{now};
  }
  return {std::move(work), std::move(log)};
}

void measure_report(benchmark::State& state, double load, bool tenants) {
  const Case run = replayed(jobs(static_cast<std::uint32_t>(state.range(0)), load, tenants));
  Policy policy;
  policy.priority = Priority::kFuzzball;
  for (auto _ : state) benchmark::DoNotOptimize(report(run.work, run.log, policy, Measure{}, false));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
void BM_ReportOfShortWaits(benchmark::State& state) { measure_report(state, 0.95, false); }
void BM_ReportOfADeepQueue(benchmark::State& state) { measure_report(state, 1.30, true); }
BENCHMARK(BM_ReportOfShortWaits)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReportOfADeepQueue)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headroom

BENCHMARK_MAIN();
