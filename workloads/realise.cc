#include "workloads/realise.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "workloads/realise_items.h"
#include "workloads/swf.h"
#include "workloads/swf_import.h"
#include "workloads/work_builder.h"

namespace headroom {
namespace {

using Traces = std::vector<std::shared_ptr<const SwfTrace>>;

ClusterSpec one_node(std::int64_t cores) {
  ClusterSpec cluster;
  cluster.from_trace = true;
  NodeClass slots;
  slots.name = "slots";
  slots.capacity.cores = cores;
  cluster.classes.push_back(std::move(slots));
  return cluster;
}

/// What the traces' headers say of their machine: the largest, where several traces share the cluster.
ClusterSpec cluster_of_traces(const ClusterSpec& given, const Traces& traces, std::optional<Repair>& repair) {
  std::int64_t processors = 0;
  for (const auto& trace : traces) {
    const SwfHeader& header = trace->header;
    const std::int64_t has = header.max_procs.value_or(header.max_nodes.value_or(0));
    if (has <= processors) continue;
    processors = has;
    repair.reset();
    if (!header.max_procs) {
      repair = Repair{std::string(cause_text(Cause::kMaxNodes)), 1, "MaxNodes " + std::to_string(has)};
    }
  }
  if (processors == 0) {
    throw InputError({Diagnostic{traces.front()->path, 0, 0,
                                 "has neither MaxProcs nor MaxNodes in its header; say how large the cluster is, as in "
                                 "`cluster: {slots: 128}`",
                                 ""}});
  }
  ClusterSpec cluster = one_node(processors);
  cluster.pools = given.pools;
  return cluster;
}

std::int64_t start_of(const Workload& workload, const Traces& traces) {
  if (workload.start_unix_s) return *workload.start_unix_s;
  for (const auto& trace : traces) {
    if (trace->header.unix_start_s) return *trace->header.unix_start_s;
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

bool is_random_item(const GenerateItem& item) {
  return item.arrivals.kind == Arrivals::Kind::kPoisson || item.tenants.size() > 1 || item.priority.is_random() ||
         item.run_time.is_random() || is_random(item.estimate) || is_random(item.estimate_factor) ||
         item.cores.is_random() || item.memory.is_random() || item.gpus.is_random() || is_random(item.failing);
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

Work realise(const Workload& workload, std::uint64_t seed, std::uint64_t replication, TraceCache& cache) {
  Traces traces;
  for (const WorkItem& item : workload.items) {
    if (const auto* trace = std::get_if<TraceItem>(&item)) traces.push_back(cache.swf(trace->path));
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
  std::size_t next_trace = 0;
  for (const WorkItem& item : workload.items) {
    if (const auto* workflow = std::get_if<WorkflowItem>(&item)) {
      add_workflow_item(*workflow, workload.scheduler, builder);
    } else if (const auto* generate = std::get_if<GenerateItem>(&item)) {
      add_generate_item(*generate, builder);
    } else if (const auto* trace = std::get_if<TraceItem>(&item)) {
      import_swf(*trace, *traces[next_trace++], traces.size() > 1 ? trace->name + ": " : "", builder);
    }
  }
  return builder.finish();
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
