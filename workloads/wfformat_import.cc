#include "workloads/wfformat_import.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/diagnostics.h"

namespace headroom {
namespace {

constexpr const char* kAccount = "trace";
constexpr const char* kUser = "user-unknown";

/// Whose a recorded workflow is: nobody's that the file would name, as jobs of unknown users are.
std::pair<std::uint32_t, std::uint32_t> owner(Tenants& tenants) {
  if (tenants.organizations.empty()) tenants.organizations.push_back({"default", 0});
  const auto is_trace = [](const AccountSpec& a) { return a.organization == 0 && a.name == kAccount; };
  auto account = std::ranges::find_if(tenants.accounts, is_trace);
  if (account == tenants.accounts.end()) account = tenants.accounts.insert(account, {kAccount, 0, 0, {}});
  auto user = std::ranges::find(tenants.users, kUser, &UserSpec::name);
  if (user == tenants.users.end()) user = tenants.users.insert(user, {kUser, 0});
  const auto index = static_cast<std::uint32_t>(user - tenants.users.begin());
  if (std::ranges::find(account->users, index) == account->users.end()) account->users.push_back(index);
  return {static_cast<std::uint32_t>(account - tenants.accounts.begin()), index};
}

std::string too_large(const WfTrace& trace, std::size_t task, const Demand& demand) {
  std::string text =
      "the task '" + trace.task[task].substr(0, 80) + "' needs " + std::to_string(demand.cores) + " cores";
  if (demand.memory > 0) text += " and " + std::to_string(demand.memory) + " bytes of memory";
  return text + " but no node of the cluster has that";
}

}  // namespace

void import_wfformat(const TraceItem& item, const WfTrace& trace, const std::string& repairs_prefix,
                     WorkBuilder& builder) {
  builder.add_item(item.name, Work::Item::Naming::kOne);
  builder.reserve(1, trace.tasks());
  const auto [account, user] = owner(builder.work().tenants);
  builder.add_workflow(TimePoint::zero(), account, user, 0);
  builder.work().items.back().stage_names = trace.task;

  RepairLog repairs = trace.repairs;
  const auto& nodes = builder.work().cluster.classes;
  const bool has_memory = std::ranges::any_of(nodes, [](const NodeClass& n) { return n.capacity.memory > 0; });
  constexpr std::size_t kMostErrors = 100;
  std::vector<Diagnostic> errors;
  StageRow first = 0;
  for (std::size_t t = 0; t < trace.tasks(); ++t) {
    Demand demand;
    if (!trace.cores.empty()) demand.cores = trace.cores[t];
    const std::int64_t memory = trace.memory.empty() ? 0 : trace.memory[t];
    if (has_memory) demand.memory = memory;
    if (memory > 0 && !has_memory)
      repairs.add(Cause::kMemoryIgnored, [&] { return "'" + trace.task[t].substr(0, 80) + "'"; });
    const std::uint32_t asked =
        demand.memory == 0 ? builder.demand_of_cores(demand.cores, false) : builder.demand(demand);
    if (!builder.fits(asked) && errors.size() < kMostErrors)
      errors.push_back({trace.path, 0, 0, too_large(trace, t, demand), ""});
    const StageRow row = builder.add_stage(trace.run_time[t], trace.run_time[t], asked);
    if (t == 0) first = row;
  }
  if (!errors.empty()) throw InputError(std::move(errors));

  std::vector<StageRow> needs;
  for (std::size_t t = 0; t < trace.tasks(); ++t) {
    needs.clear();
    for (std::uint32_t i = trace.needs_begin[t]; i < trace.needs_begin[t + 1]; ++i)
      needs.push_back(first + trace.needs[i]);
    builder.set_needs(first + static_cast<StageRow>(t), needs);
  }
  for (Repair& repair : repairs.list()) {
    repair.example.insert(0, repairs_prefix);
    builder.work().repairs.push_back(std::move(repair));
  }
}

}  // namespace headroom
