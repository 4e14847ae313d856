#include "tests/property/work_builder.h"

#include <algorithm>

namespace headroom::oracle {

ClusterSpec WorkBuilder::slots(std::int64_t cores) {
  ClusterSpec cluster;
  cluster.classes.push_back({"slots", 1, {cores, 0, 0}});
  return cluster;
}

WorkBuilder::WorkBuilder(ClusterSpec cluster) {
  work_.cluster = std::move(cluster);
  work_.tenants.organizations.push_back({"default", 0});
  work_.tenants.users.push_back({"default", 0});
  work_.tenants.accounts.push_back({"default", 0, 0, {0}});
  work_.tenants.everybody_owns = true;
}

void WorkBuilder::tenants(Tenants tenants) {
  work_.tenants = std::move(tenants);
  work_.tenants.everybody_owns = true;  // any priority is accepted: that is not what these cases are about
}

std::uint32_t WorkBuilder::workflow(TimePoint at, std::int64_t priority, std::uint32_t account, std::uint32_t user) {
  const auto w = static_cast<std::uint32_t>(work_.submitted_at.size());
  Work::Item item;
  item.name = "w" + std::to_string(w);
  item.first_workflow = w;
  item.workflows = 1;
  work_.items.push_back(item);
  work_.submitted_at.push_back(at);
  work_.item.push_back(w);
  work_.account.push_back(account);
  work_.user.push_back(user);
  work_.priority.push_back(priority);
  work_.first_stage.push_back(static_cast<StageRow>(work_.run_time.size()));
  work_.root_plan.push_back(-1);
  after_.emplace_back();
  think_.emplace_back();
  return w;
}

void WorkBuilder::after(std::vector<std::uint32_t> workflows, Duration think_time) {
  after_.back() = std::move(workflows);
  think_.back() = think_time;
}

StageRow WorkBuilder::stage(const StageText& text, StageRow declarer) {
  const auto row = static_cast<StageRow>(work_.run_time.size());
  work_.items.back().stage_names.push_back(text.name);
  work_.workflow_of.push_back(static_cast<std::uint32_t>(work_.submitted_at.size()) - 1);
  work_.run_time.push_back(text.run_time);
  work_.estimate.push_back(text.estimate);
  work_.walltime.push_back(text.walltime);
  const auto known = std::ranges::find(work_.demands, text.demand);
  work_.demand.push_back(static_cast<std::uint32_t>(known - work_.demands.begin()));
  if (known == work_.demands.end()) work_.demands.push_back(text.demand);
  work_.failing.push_back(static_cast<std::uint32_t>(work_.failings.size()));
  work_.failings.push_back(text.failing);
  work_.retry.push_back(text.retry);
  work_.preemptible.push_back(text.preemptible ? 1 : 0);
  work_.checkpoint.push_back(text.checkpoint);
  work_.declarer.push_back(declarer);
  work_.program.push_back(-1);
  needs_.push_back(text.needs);
  return row;
}

StageRow WorkBuilder::plan(const StageText& text, Duration startup, Duration teardown, StageRow declarer) {
  has_plans_ = true;
  const StageRow row = stage(text, declarer);
  const auto index = static_cast<std::int32_t>(work_.plans.size());
  work_.run_time[row] = Duration{};
  work_.program[row] = index;
  if (declarer == kNoRow) work_.root_plan.back() = index;
  work_.plans.push_back({row, startup, {}, teardown});
  return row;
}

void WorkBuilder::op(StageRow plan, PlanOp::Kind kind, Duration cost, StageRow declared) {
  work_.plans[static_cast<std::size_t>(work_.program[plan])].ops.push_back({kind, declared, cost});
}

Work WorkBuilder::done() const {
  Work work = work_;
  work.first_stage.push_back(static_cast<StageRow>(work.stages()));
  // What nobody uses stays empty, as realise() leaves it.
  const auto no_limit = [](Duration d) { return d.is_infinite(); };
  if (std::ranges::all_of(work.walltime, no_limit)) work.walltime.clear();
  if (std::ranges::all_of(work.checkpoint, no_limit)) work.checkpoint.clear();
  if (std::ranges::all_of(work.preemptible, [](std::uint8_t is) { return is == 0; })) work.preemptible.clear();
  if (std::ranges::all_of(work.failings, [](const Failing& f) { return f.kind == Failing::Kind::kNever; })) {
    work.failing.clear();
    work.failings.clear();
  }
  if (std::ranges::all_of(work.retry, [](std::int64_t n) { return n == 0; })) work.retry.clear();
  if (!has_plans_) {
    work.root_plan.clear();
    work.declarer.clear();
    work.program.clear();
  }
  if (std::ranges::any_of(after_, [](const auto& before) { return !before.empty(); })) {
    work.think_time = think_;
    work.after_begin.push_back(0);
    for (const auto& before : after_) {
      work.after.insert(work.after.end(), before.begin(), before.end());
      work.after_begin.push_back(static_cast<std::uint32_t>(work.after.size()));
    }
  }
  if (std::ranges::all_of(needs_, [](const auto& needs) { return needs.empty(); })) return work;
  work.needs_begin.push_back(0);
  for (const auto& needs : needs_) {
    for (StageRow need : needs) {
      if (need == kNobodyMakes) {
        need = static_cast<StageRow>(work.stages() + work.missing.size());
        work.missing.push_back("file" + std::to_string(work.missing.size()));
      }
      work.needs.push_back(need);
    }
    work.needs_begin.push_back(static_cast<std::uint32_t>(work.needs.size()));
  }
  return work;
}

}  // namespace headroom::oracle
