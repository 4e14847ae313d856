// What a decision costs against the length of the queue, for every preset: one job ends, one is declared, one pass.
// Each prints a hash of what was decided, so that nobody makes it fast by changing what it means.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <random>

#include "policies/scheduler.h"

namespace headroom {
namespace {

constexpr std::int64_t kCores = 64;

void decide(benchmark::State& state, const Policy& policy) {
  SchedulerOptions options;
  options.policy = policy;
  Scheduler scheduler(ClusterCapacity{{{kCores, 0, 0}}, {}}, options);
  const AccountId account = scheduler.add_account(scheduler.add_organization(0), 0);
  const UserId user = scheduler.add_user(0);
  std::vector<DemandId> demands;
  for (std::int64_t cores = 1; cores <= 8; ++cores) {
    Demand demand;
    demand.cores = cores;
    demands.push_back(scheduler.add_demand(demand));
  }
  std::mt19937_64 random(1);
  std::int64_t now = 0;
  std::uint64_t hash = 0;
  std::vector<StageId> running;
  const auto declare = [&] {
    const auto priority = -static_cast<std::int64_t>(random() % 30);
    const WorkflowId workflow = scheduler.submit({{now}, account, user, priority});
    StageFacts facts;
    facts.estimate = Duration::seconds(static_cast<std::int64_t>(60 + random() % 3600));
    facts.demand = demands[random() % demands.size()];
    facts.tie_draw = random();
    scheduler.declare(workflow, facts);
  };
  const auto pass = [&] {
    for (const Start& start : scheduler.pass({now})) {
      running.push_back(start.stage);
      hash = (hash ^ start.stage.value) * 0x9E3779B97F4A7C15U;
    }
    scheduler.clear_transitions();
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) declare();
  pass();
  for ([[maybe_unused]] auto _ : state) {
    now += 1'000'000'000;
    if (!running.empty()) {
      const std::size_t at = random() % running.size();
      scheduler.finished(running[at]);
      running[at] = running.back();
      running.pop_back();
    }
    declare();
    pass();
  }
  state.SetComplexityN(state.range(0));
  state.counters["queue"] = static_cast<double>(scheduler.eligible_stages());
  state.SetLabel("hash " + std::to_string(hash % 1'000'000));
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::fprintf(stderr, "built without optimisation: these numbers say nothing\n");
#endif
  for (const headroom::Policy& policy : headroom::preset_policies())
    benchmark::RegisterBenchmark(("decide/" + policy.name).c_str(),
                                 [&policy](benchmark::State& state) { headroom::decide(state, policy); })
        ->RangeMultiplier(10)
        ->Range(100, 100'000)
        ->Complexity();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
