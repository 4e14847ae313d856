// What a priority expression costs: to compile, to evaluate for one stage and for a column of them, and to keep a queue
// of 10 000 in order by, for each of the three ways. Small sizes run with the tests.
#include <benchmark/benchmark.h>

#include <random>

#include "policies/expression_rule.h"
#include "policies/priority/columns.h"
#include "policies/priority/inputs.h"
#include "policies/scheduler.h"

namespace headroom {
namespace {

constexpr const char* kDefault =
    "(now() - workflow.create_time).Hours() + organization.priority + account.priority + user.priority + "
    "workflow.priority";
constexpr const char* kCapped =
    "min((now() - workflow.create_time).Hours(), 24) + organization.priority + account.priority + user.priority + "
    "workflow.priority";
constexpr const char* kPower = "((now() - workflow.create_time).Hours() + 30 + workflow.priority) ** 1.1";

Policy policy_of(const char* expression) {
  Policy policy = *find_preset("default");
  policy.priority = Priority::kExpression;
  policy.expression = expression;
  return policy;
}

void compile(benchmark::State& state, const char* expression) {
  const expr::Environment environment = expr::scheduler_environment({});
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(expr::Expression(expression, environment));
}
BENCHMARK_CAPTURE(compile, default, kDefault);
BENCHMARK_CAPTURE(compile, power, kPower);

void analyse_order(benchmark::State& state, const char* expression) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(analyse(expression, {}));
}
BENCHMARK_CAPTURE(analyse_order, default, kDefault);
BENCHMARK_CAPTURE(analyse_order, capped, kCapped);

PriorityInputs some_inputs() {
  PriorityInputs in;
  in.created_at = TimePoint{12'345'678'901'234};
  in.workflow = -10;
  return in;
}

void evaluate_scalar(benchmark::State& state, const char* expression) {
  const auto rule = make_priority_rule(policy_of(expression));
  const PriorityInputs in = some_inputs();
  std::int64_t now = 20'000'000'000'000;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(rule->value(in, {now += 1'000'000'000}));
}
BENCHMARK_CAPTURE(evaluate_scalar, default, kDefault);
BENCHMARK_CAPTURE(evaluate_scalar, capped, kCapped);
BENCHMARK_CAPTURE(evaluate_scalar, power, kPower);

void evaluate_exact(benchmark::State& state, const char* expression) {
  const auto rule = make_priority_rule(policy_of(expression));
  const PriorityInputs in = some_inputs();
  std::int64_t now = 20'000'000'000'000;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(rule->motion(in, {now += 1'000'000'000}));
}
BENCHMARK_CAPTURE(evaluate_exact, default, kDefault);
BENCHMARK_CAPTURE(evaluate_exact, capped, kCapped);

void evaluate_columns(benchmark::State& state) {
  const auto rule = make_priority_rule(policy_of(kPower));
  std::vector<StageId> stages;
  for (std::uint32_t k = 0; k < state.range(0); ++k) {
    stages.push_back({k});
    rule->prepare({k}, some_inputs());
  }
  std::vector<double> values(stages.size());
  std::int64_t now = 20'000'000'000'000;
  for ([[maybe_unused]] auto _ : state) {
    rule->values(stages, {now += 1'000'000'000}, state.range(0), values);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(evaluate_columns)->Arg(100)->Arg(10'000);

/// A queue of so many behind one busy core: each round a job ends, one starts, one comes.
void queue_round(benchmark::State& state, const char* expression) {
  SchedulerOptions options;
  options.policy = policy_of(expression);
  Scheduler scheduler(ClusterCapacity{{{1, 0, 0}}, {}}, options);
  const AccountId account = scheduler.add_account(scheduler.add_organization(0), 0);
  const UserId user = scheduler.add_user(0);
  const DemandId demand = scheduler.add_demand({});
  std::mt19937_64 random(1);
  std::int64_t now = 0;
  std::vector<StageId> running;
  const auto declare = [&] {
    StageFacts facts;
    facts.estimate = Duration::seconds(60);
    facts.demand = demand;
    const std::int64_t priority = std::array{-20, -7, 7, 20}[random() % 4];
    scheduler.declare(scheduler.submit({{now}, account, user, priority}), facts);
    scheduler.clear_transitions();
  };
  const auto pass = [&] {
    for (const Start& start : scheduler.pass({now})) running.push_back(start.stage);
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    now += 20'000'000'000;
    declare();
  }
  pass();
  for ([[maybe_unused]] auto _ : state) {
    now += 20'000'000'000;
    scheduler.finished(running.back());
    running.pop_back();
    declare();
    pass();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));  // stages and passes
}
BENCHMARK_CAPTURE(queue_round, static, kDefault)->Arg(100)->Arg(10'000);
BENCHMARK_CAPTURE(queue_round, piecewise, kCapped)->Arg(100)->Arg(10'000);
BENCHMARK_CAPTURE(queue_round, recomputed, kPower)->Arg(100)->Arg(10'000);

}  // namespace
}  // namespace headroom

BENCHMARK_MAIN();
