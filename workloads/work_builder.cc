#include "workloads/work_builder.h"

#include <utility>

#include "policies/check.h"
#include "workloads/diagnostics.h"

namespace headroom {
namespace {

constexpr std::int64_t kCachedCores = 1 << 16;
constexpr StageRow kMissingBit = 0x80000000;  // rows stay below it: kMostRows

/// Sets column[row] where the column has begun only if somebody needed it; `rest` is the value of all others.
template <class T>
void set_late(std::vector<T>& column, std::size_t row, T value, T rest) {
  if (column.size() <= row) column.resize(row + 1, rest);
  column[row] = value;
}

template <class T>
void fill_up(std::vector<T>& column, std::size_t size, T rest) {
  if (!column.empty()) column.resize(size, rest);
}

[[noreturn]] void refuse(const Work& work, const char* what) {
  const std::string name = work.items.empty() ? std::string() : work.items.back().name;
  throw InputError({Diagnostic{"", 0, 0,
                               "'" + name + "' brings the workload to more than " + std::to_string(kMostRows) + " " +
                                   what + "; that many are not simulated in one run",
                               ""}});
}

std::uint32_t size_of(const auto& column) { return static_cast<std::uint32_t>(column.size()); }

}  // namespace

WorkBuilder::WorkBuilder(const Workload& workload, ClusterSpec cluster, std::uint64_t seed, std::uint64_t replication) {
  work_.cluster = std::move(cluster);
  work_.tenants = workload.tenants;
  work_.seed = seed;
  work_.replication = replication;
}

std::uint32_t WorkBuilder::add_item(std::string name, Work::Item::Naming naming) {
  Work::Item item;
  item.name = std::move(name);
  item.naming = naming;
  item.first_workflow = size_of(work_.submitted_at);
  work_.items.push_back(std::move(item));
  return size_of(work_.items) - 1;
}

void WorkBuilder::reserve(std::uint64_t workflows, std::uint64_t stages) {
  if (workflows > kMostRows || stages > kMostRows - work_.stages()) refuse(work_, "stages");
  const std::size_t w = work_.workflows() + workflows;
  work_.submitted_at.reserve(w);
  work_.item.reserve(w);
  work_.account.reserve(w);
  work_.user.reserve(w);
  work_.priority.reserve(w);
  work_.first_stage.reserve(w + 1);
  const std::size_t s = work_.stages() + stages;
  work_.workflow_of.reserve(s);
  work_.run_time.reserve(s);
  work_.estimate.reserve(s);
  work_.demand.reserve(s);
}

void WorkBuilder::set_walltime(StageRow row, Duration walltime) {
  set_late(work_.walltime, row, walltime, Duration::infinite());
}
void WorkBuilder::set_preemptible(StageRow row) { set_late(work_.preemptible, row, std::uint8_t{1}, std::uint8_t{0}); }
void WorkBuilder::set_checkpoint(StageRow row, Duration every) {
  set_late(work_.checkpoint, row, every, Duration::infinite());
}
void WorkBuilder::set_retry(StageRow row, std::int64_t retry) { set_late(work_.retry, row, retry, std::int64_t{0}); }

void WorkBuilder::set_failing(StageRow row, const Failing& failing) {
  if (failing.kind == Failing::Kind::kNever) return;
  if (work_.failings.empty()) work_.failings.emplace_back();  // index 0: never
  const Failing& last = work_.failings.back();
  if (last.kind != failing.kind || last.first != failing.first || last.probability != failing.probability) {
    work_.failings.push_back(failing);
  }
  set_late(work_.failing, row, size_of(work_.failings) - 1, std::uint32_t{0});
}

void WorkBuilder::set_declarer(StageRow row, StageRow declarer) { set_late(work_.declarer, row, declarer, kNoRow); }

void WorkBuilder::set_program(StageRow row, std::uint32_t plan) {
  set_late(work_.program, row, static_cast<std::int32_t>(plan), std::int32_t{-1});
}

void WorkBuilder::set_root_plan(std::uint32_t workflow, std::uint32_t plan) {
  set_late(work_.root_plan, workflow, static_cast<std::int32_t>(plan), std::int32_t{-1});
}

void WorkBuilder::set_needs(StageRow row, const std::vector<StageRow>& needs) {
  if (needs.empty()) return;
  if (needs.size() > kMostRows - work_.needs.size()) refuse(work_, "dependencies");
  // Rows since the last one with needs have none: they begin where this one does.
  work_.needs_begin.resize(row + std::size_t{1}, size_of(work_.needs));
  work_.needs.insert(work_.needs.end(), needs.begin(), needs.end());
}

void WorkBuilder::set_after(std::uint32_t workflow, const std::vector<std::uint32_t>& after, Duration think) {
  if (after.empty()) return;
  if (after.size() > kMostRows - work_.after.size()) refuse(work_, "dependencies");
  work_.after_begin.resize(workflow + std::size_t{1}, size_of(work_.after));
  work_.after.insert(work_.after.end(), after.begin(), after.end());
  set_late(work_.think_time, workflow, think, Duration{});
}

StageRow WorkBuilder::missing(const std::string& name) {
  const auto [found, is_new] = missing_index_.emplace(name, size_of(work_.missing));
  if (is_new) work_.missing.push_back(name);
  return kMissingBit | found->second;
}

StageRow WorkBuilder::source(const std::string& file) {
  work_.missing.push_back(file);
  return kMissingBit | (size_of(work_.missing) - 1);
}

bool WorkBuilder::cluster_holds(const Demand& demand) const {
  for (const auto& [pool, amount] : demand.pools) {
    if (pool.value >= work_.cluster.pools.size() || work_.cluster.pools[pool.value].second < amount) return false;
  }
  long double nodes = 0;  // counts are the file's: sums in 64 bits might overflow
  long double cores = 0;
  for (const NodeClass& nodes_of : work_.cluster.classes) {
    const NodeCapacity& has = nodes_of.capacity;
    cores += static_cast<long double>(has.cores) * static_cast<long double>(nodes_of.count);
    if (has.cores >= demand.cores && has.memory >= demand.memory && has.gpus >= demand.gpus)
      nodes += static_cast<long double>(nodes_of.count);
  }
  if (demand.spread) return static_cast<long double>(demand.cores) <= cores;
  return nodes >= static_cast<long double>(demand.nodes);
}

std::uint32_t WorkBuilder::demand(const Demand& demand) {
  const auto [found, is_new] = demand_index_.emplace(demand, size_of(work_.demands));
  if (is_new) {
    work_.demands.push_back(demand);
    fits_.push_back(cluster_holds(demand) ? 1 : 0);
  }
  return found->second;
}

std::uint32_t WorkBuilder::demand_of_cores(std::int64_t cores, bool spread) {
  Demand asked;
  asked.cores = cores;
  asked.spread = spread;
  if (cores < 0 || cores >= kCachedCores) return demand(asked);
  auto& cache = by_cores_[spread ? 1 : 0];
  const auto i = static_cast<std::size_t>(cores);
  if (i >= cache.size()) cache.resize(i + 1, 0);
  if (cache[i] == 0) cache[i] = demand(asked) + 1;
  return cache[i] - 1;
}

Work WorkBuilder::finish() {
  const std::size_t stages = work_.stages(), workflows = work_.workflows();
  HEADROOM_CHECK(stages <= kMostRows, "stages = " + std::to_string(stages));
  work_.first_stage.push_back(static_cast<StageRow>(stages));
  fill_up(work_.walltime, stages, Duration::infinite());
  fill_up(work_.preemptible, stages, std::uint8_t{0});
  fill_up(work_.checkpoint, stages, Duration::infinite());
  fill_up(work_.retry, stages, std::int64_t{0});
  fill_up(work_.failing, stages, std::uint32_t{0});
  fill_up(work_.declarer, stages, kNoRow);
  fill_up(work_.program, stages, std::int32_t{-1});
  fill_up(work_.root_plan, workflows, std::int32_t{-1});
  fill_up(work_.needs_begin, stages + 1, size_of(work_.needs));
  fill_up(work_.after_begin, workflows + 1, size_of(work_.after));
  fill_up(work_.think_time, workflows, Duration{});
  if (drawn_again_ > 0) work_.repairs.push_back({"negative duration drawn again", drawn_again_, ""});
  if (!work_.missing.empty()) {
    const auto renumber = [stages](StageRow& need) {
      if (need != kNoRow && (need & kMissingBit) != 0) need = static_cast<StageRow>(stages + (need & ~kMissingBit));
    };
    for (StageRow& need : work_.needs) renumber(need);
    for (PlanProgram& plan : work_.plans)
      for (PlanProgram::Op& op : plan.ops) renumber(op.stage);
  }
  return std::move(work_);
}

}  // namespace headroom
