// Generated work: each workflow's arrival, tenant and shape, and each stage's draws.
#include <algorithm>
#include <string>
#include <vector>

#include "workloads/arrival_times.h"
#include "workloads/diagnostics.h"
#include "workloads/realise_items.h"
#include "workloads/shape_graph.h"

namespace headroom {
namespace {

class Generator {
 public:
  Generator(const GenerateItem& item, const SchedulerSettings& scheduler, WorkBuilder& builder)
      : item_(item), scheduler_(scheduler), builder_(builder), draws_(builder.draws(item.name)) {
    for (const TenantChoice& choice : item.tenants) tenant_weights_.push_back(choice.weight);
    for (const GeneratedStage& stage : item.mix) mix_weights_.push_back(stage.weight);
  }

  void run() {
    ArrivalTimes arrivals(item_, draws_);
    const long double expected = arrivals.expected();
    const long double stages = expected > 0 ? expected * mean_stages(item_.shape) : 0;
    if (stages > 1.1L * static_cast<long double>(kMostRows) + 1000) {
      const bool is_single = item_.shape.kind == Shape::Kind::kSingle;
      refuse("makes about " + std::to_string(static_cast<long long>(std::min(stages, 9e18L))) +
             (is_single ? " workflows" : " stages") + "; at most " + std::to_string(kMostRows) +
             " are simulated in one run");
    }
    builder_.reserve(static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(stages));
    for (std::uint64_t i = 0;; ++i) {
      const auto at = arrivals.next(i);
      if (!at) break;
      add(static_cast<std::uint32_t>(i), *at);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw InputError({Diagnostic{"", 0, 0, "generate '" + item_.name + "' " + message, ""}});
  }

  /// A draw costs; what is constant needs none.
  [[nodiscard]] std::int64_t integer(const Distribution& of, std::uint32_t i, std::uint32_t stage,
                                     Attribute attribute) const {
    return of.is_random() ? sample_integer(of, draws_.uniform(i, stage, 0, attribute)) : of.constant;
  }

  void add(std::uint32_t i, TimePoint at) {
    const std::size_t tenant =
        tenant_weights_.size() == 1 ? 0 : pick(tenant_weights_, draws_.uniform(i, 0, 0, Attribute::kTenant));
    builder_.add_workflow(at, item_.tenants[tenant].account, item_.tenants[tenant].user,
                          integer(item_.priority, i, 0, Attribute::kPriority));
    if (item_.shape.kind != Shape::Kind::kSingle) return add_shape(i);
    if (builder_.work().stages() >= kMostRows) builder_.reserve(0, kMostRows);  // refuses
    add_stage(i, 0);
  }

  void add_shape(std::uint32_t i) {
    const ShapeNumbers numbers = draw_numbers(item_.shape, draws_, i);
    const std::int64_t stages = stages_of(item_.shape.kind, numbers.size, numbers.breadth);
    const long double needs = needs_of(item_.shape, numbers);
    if (stages > kMostShapeStages || needs > static_cast<long double>(kMostShapeNeeds)) {
      refuse("draws a workflow of more than " +
             std::to_string(stages > kMostShapeStages ? kMostShapeStages : kMostShapeNeeds) +
             (stages > kMostShapeStages ? " stages" : " needs"));
    }
    if (builder_.work().stages() + static_cast<std::uint64_t>(stages) > kMostRows) builder_.reserve(0, kMostRows + 1);
    graph_.make(item_.shape, numbers, draws_, i);
    const auto first = static_cast<StageRow>(builder_.work().stages());
    for (std::size_t s = 0; s < graph_.stages(); ++s) {
      const StageRow row = add_stage(i, static_cast<std::uint32_t>(s));
      needs_.clear();
      for (const std::uint32_t need : graph_.needs(s)) needs_.push_back(first + need);
      builder_.set_needs(row, needs_);
    }
  }

  StageRow add_stage(std::uint32_t i, std::uint32_t s) {
    const GeneratedStage* stage = &item_;
    if (!item_.mix.empty()) {
      stage = item_.mix.data();
      if (item_.mix.size() > 1) stage += pick(mix_weights_, draws_.uniform(i, s, 0, Attribute::kMix));
    }
    const Duration run_time =
        drawn_duration(stage->run_time, draws_, i, s, Attribute::kRunTime, builder_.drawn_again());
    const StageRow row = builder_.add_stage(run_time, estimate(*stage, i, s, run_time), demand(*stage, i, s));
    if (stage->walltime) builder_.set_walltime(row, *stage->walltime);
    if (item_.preemptible) builder_.set_preemptible(row);
    if (item_.checkpoint) builder_.set_checkpoint(row, *item_.checkpoint);
    if (item_.retry != 0) builder_.set_retry(row, item_.retry);
    builder_.set_failing(row, item_.failing);
    return row;
  }

  [[nodiscard]] Duration estimate(const GeneratedStage& stage, std::uint32_t i, std::uint32_t s, Duration run_time) {
    if (stage.estimate)
      return drawn_duration(*stage.estimate, draws_, i, s, Attribute::kEstimate, builder_.drawn_again());
    if (stage.estimate_unknown) return stage.walltime.value_or(scheduler_.default_estimate);
    if (!stage.estimate_factor) return run_time;
    const Distribution& factor = *stage.estimate_factor;
    if (!factor.is_random()) return scaled(run_time, factor.constant);
    return drawn_share(run_time, factor, draws_, i, s, Attribute::kEstimate, builder_.drawn_again());
  }

  /// run_time * millionths / 10^6, exact, half away from zero to nanoseconds.
  static Duration scaled(Duration run_time, std::int64_t millionths) {
    const __int128 product = static_cast<__int128>(run_time.ns) * millionths + 500'000;
    return {static_cast<std::int64_t>(std::min<__int128>(product / 1'000'000, kLargestDraw))};
  }

  std::uint32_t demand(const GeneratedStage& stage, std::uint32_t i, std::uint32_t s) {
    const std::int64_t cores = std::max<std::int64_t>(integer(stage.cores, i, s, Attribute::kCores), 1);
    std::uint32_t index = 0;
    const bool is_cores_alone = !stage.memory.is_random() && stage.memory.constant == 0 && !stage.gpus.is_random() &&
                                stage.gpus.constant == 0 && stage.nodes == 1 && stage.pools.empty();
    if (is_cores_alone) {
      index = builder_.demand_of_cores(cores, false);
    } else {
      asked_.cores = cores;
      asked_.memory = std::max<std::int64_t>(integer(stage.memory, i, s, Attribute::kMemory), 0);
      asked_.gpus = std::max<std::int64_t>(integer(stage.gpus, i, s, Attribute::kGpus), 0);
      asked_.nodes = stage.nodes;
      asked_.pools = stage.pools;
      index = builder_.demand(asked_);
    }
    if (!builder_.fits(index)) {
      refuse("draws a stage of " + std::to_string(cores) +
             " cores that the empty cluster cannot hold; ask for less, or describe a larger cluster");
    }
    return index;
  }

  const GenerateItem& item_;
  const SchedulerSettings& scheduler_;
  WorkBuilder& builder_;
  Draws draws_;
  std::vector<long double> tenant_weights_, mix_weights_;
  ShapeGraph graph_;
  std::vector<StageRow> needs_;
  Demand asked_;
};

}  // namespace

void add_generate_item(const GenerateItem& item, const SchedulerSettings& scheduler, WorkBuilder& builder) {
  const bool is_single = item.shape.kind == Shape::Kind::kSingle;
  builder.add_item(item.name, is_single ? Work::Item::Naming::kIndexed : Work::Item::Naming::kShapes);
  Generator(item, scheduler, builder).run();
}

}  // namespace headroom
