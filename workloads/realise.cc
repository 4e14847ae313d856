#include "workloads/realise.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "workloads/realise_actions.h"
#include "workloads/realise_items.h"
#include "workloads/swf.h"
#include "workloads/swf_import.h"
#include "workloads/wfformat.h"
#include "workloads/wfformat_import.h"
#include "workloads/work_builder.h"

namespace headroom {
namespace {

/// What one trace item names: one of the two.
struct Trace {
  std::shared_ptr<const SwfTrace> swf;
  std::shared_ptr<const WfTrace> workflow;

  [[nodiscard]] const std::string& path() const { return swf ? swf->path : workflow->path; }
};
using Traces = std::vector<Trace>;

ClusterSpec one_node(std::int64_t cores) {
  ClusterSpec cluster;
  cluster.from_trace = true;
  NodeClass slots;
  slots.name = "slots";
  slots.capacity.cores = cores;
  cluster.classes.push_back(std::move(slots));
  return cluster;
}

ClusterSpec nodes_of(const WfTrace& workflow) {
  ClusterSpec cluster;
  cluster.from_trace = true;
  for (const WfMachine& machine : workflow.machines)
    cluster.classes.push_back({machine.name, 1, {machine.cores, machine.memory, 0}});
  return cluster;
}

/// What a trace says of its machine; no nodes if it says nothing.
ClusterSpec cluster_of(const Trace& trace, std::optional<Repair>& repair) {
  repair.reset();
  if (trace.workflow) return nodes_of(*trace.workflow);
  const SwfHeader& header = trace.swf->header;
  const std::int64_t has = header.max_procs.value_or(header.max_nodes.value_or(0));
  if (has <= 0) return {};
  if (!header.max_procs)
    repair = Repair{std::string(cause_text(Cause::kMaxNodes)), 1, "MaxNodes " + std::to_string(has)};
  return one_node(has);
}

/// The largest of those that the traces describe, where several share the cluster.
ClusterSpec cluster_of_traces(const ClusterSpec& given, const Traces& traces, std::optional<Repair>& repair) {
  ClusterSpec largest;
  for (const Trace& trace : traces) {
    std::optional<Repair> repaired;
    ClusterSpec found = cluster_of(trace, repaired);
    if (found.classes.empty() || total_cores(found) <= total_cores(largest)) continue;
    largest = std::move(found);
    repair = std::move(repaired);
  }
  if (largest.classes.empty()) {
    const char* const what = traces.front().swf ? "has neither MaxProcs nor MaxNodes in its header"
                                                : "describes no machine with a number of cores";
    throw InputError(
        {Diagnostic{traces.front().path(), 0, 0,
                    std::string(what) + "; say how large the cluster is, as in `cluster: {slots: 128}`", ""}});
  }
  largest.pools = given.pools;
  return largest;
}

std::int64_t start_of(const Workload& workload, const Traces& traces) {
  if (workload.start_unix_s) return *workload.start_unix_s;
  for (const Trace& trace : traces) {
    const auto start = trace.swf ? trace.swf->header.unix_start_s : trace.workflow->start_unix_s;
    if (start) return *start;
  }
  return 0;
}

bool is_random(const std::optional<Distribution>& distribution) { return distribution && distribution->is_random(); }
bool is_random(const Failing& failing) { return failing.kind == Failing::Kind::kProbability; }

bool is_random_item(const WorkflowItem& item) {
  const auto stage_is_random = [](const StageTemplate& stage) {
    return stage.run_time.is_random() || is_random(stage.estimate) || is_random(stage.failing);
  };
  const auto is_shuffled = [](const PlanTemplate& plan) { return plan.order == PlanOrder::kShuffled; };
  return std::any_of(item.stages.begin(), item.stages.end(), stage_is_random) ||
         std::any_of(item.plans.begin(), item.plans.end(), is_shuffled);
}

bool is_random(const GeneratedStage& stage) {
  return stage.run_time.is_random() || is_random(stage.estimate) || is_random(stage.estimate_factor) ||
         stage.cores.is_random() || stage.memory.is_random() || stage.gpus.is_random();
}

bool is_random(const Shape& shape) {
  if (shape.kind == Shape::Kind::kSingle) return false;
  const bool takes_all = shape.degree.constant >= shape.breadth.constant || shape.size.constant == 1;
  return shape.size.is_random() || shape.breadth.is_random() || shape.degree.is_random() ||
         (shape.kind == Shape::Kind::kLayered && !takes_all) ||
         (shape.kind == Shape::Kind::kRandom && shape.edge_probability > 0 && shape.edge_probability < 1);
}

bool is_random(const Arrivals& arrivals) {
  return arrivals.kind != Arrivals::Kind::kPeriodic && arrivals.kind != Arrivals::Kind::kBurst;
}

bool is_random_item(const GenerateItem& item) {
  if (!item.enabled) return false;
  const bool stages_are_random =
      item.mix.empty()
          ? is_random(static_cast<const GeneratedStage&>(item))
          : item.mix.size() > 1 ||
                std::ranges::any_of(item.mix, [](const GeneratedStage& stage) { return is_random(stage); });
  return is_random(item.arrivals) || item.tenants.size() > 1 || item.priority.is_random() || stages_are_random ||
         is_random(item.shape) || is_random(item.failing);
}

bool is_random_item(const TraceItem&) { return false; }

}  // namespace

std::shared_ptr<const SwfTrace> TraceCache::swf(const std::string& path) {
  // Reading happens under the lock: the others most likely wait for the same trace.
  const std::lock_guard lock(mutex_);
  auto& trace = traces_[path];
  if (!trace) {
    ByteSource bytes = ByteSource::open(path);
    trace = std::make_shared<const SwfTrace>(read_swf(bytes));
  }
  return trace;
}

void TraceCache::clear() {
  const std::lock_guard lock(mutex_);
  traces_.clear();
  workflows_.clear();
}

std::shared_ptr<const WfTrace> TraceCache::wfformat(const std::string& path) {
  const std::lock_guard lock(mutex_);
  auto& trace = workflows_[path];
  if (!trace) trace = std::make_shared<const WfTrace>(read_wfformat(path));
  return trace;
}

Work realise(const Workload& workload, std::uint64_t seed, std::uint64_t replication, TraceCache& cache) {
  Traces traces;
  for (const WorkItem& item : workload.items) {
    const auto* trace = std::get_if<TraceItem>(&item);
    if (trace == nullptr) continue;
    traces.emplace_back();
    if (trace->format == TraceItem::Format::kSwf) {
      traces.back().swf = cache.swf(trace->path);
    } else {
      traces.back().workflow = cache.wfformat(trace->path);
    }
  }
  const bool from_trace = workload.cluster.from_trace && !traces.empty();
  std::optional<Repair> repair;
  ClusterSpec cluster = workload.cluster;
  if (from_trace) {
    cluster = cluster_of_traces(workload.cluster, traces, repair);
  } else if (cluster.classes.empty()) {
    cluster.classes = one_node(1).classes;
  }

  WorkBuilder builder(workload, std::move(cluster), seed, replication);
  if (repair) builder.work().repairs.push_back(std::move(*repair));
  builder.work().cluster_from_trace = from_trace;
  builder.work().start_unix_s = start_of(workload, traces);
  builder.work().utc_offset_s = workload.utc_offset_s;
  std::size_t next_trace = 0;
  for (const WorkItem& item : workload.items) {
    if (const auto* workflow = std::get_if<WorkflowItem>(&item)) {
      add_workflow_item(*workflow, workload.scheduler, builder);
    } else if (const auto* generate = std::get_if<GenerateItem>(&item)) {
      add_generate_item(*generate, workload.scheduler, builder);
    } else if (const auto* trace = std::get_if<TraceItem>(&item)) {
      const std::string prefix = traces.size() > 1 ? trace->name + ": " : "";
      const Trace& of = traces[next_trace++];
      if (of.swf) {
        import_swf(*trace, *of.swf, prefix, builder);
      } else {
        import_wfformat(*trace, *of.workflow, prefix, builder);
      }
    }
  }
  Work work = builder.finish();
  if (!workload.actions.empty()) work.actions = resolved_actions(workload.actions, work);
  return work;
}

bool is_random(const Workload& workload) {
  const auto ties_are_random = [](const Policy& policy) {
    return std::find(policy.ties.begin(), policy.ties.end(), Tie::kRandom) != policy.ties.end();
  };
  const auto item_is_random = [](const WorkItem& item) {
    return std::visit([](const auto& it) { return is_random_item(it); }, item);
  };
  return std::any_of(workload.policies.begin(), workload.policies.end(), ties_are_random) ||
         std::any_of(workload.items.begin(), workload.items.end(), item_is_random);
}

}  // namespace headroom
