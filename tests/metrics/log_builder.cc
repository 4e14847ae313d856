#include "log_builder.h"

#include <algorithm>
#include <numeric>

namespace headroom {

LogBuilder::LogBuilder(std::int64_t slots) {
  work.cluster.classes = {{"slots", 1, {slots, 0, 0}}};
  work.tenants.organizations = {{"acme", 0}};
  work.tenants.accounts = {{"lab", 0, 0, {0, 1}}, {"shop", 0, 0, {0, 1}}};
  work.tenants.users = {{"ada", 0}, {"ben", 0}};
  work.demands = {Demand{}};
  work.first_stage = {0};
}

std::uint32_t LogBuilder::workflow(const char* name, std::int64_t submitted_s,
                                   const std::vector<std::int64_t>& run_times_s, std::int64_t priority,
                                   std::uint32_t user, std::uint32_t account) {
  const auto index = static_cast<std::uint32_t>(work.workflows());
  if (work.items.empty() || work.items.back().name != name) {
    Work::Item& item = work.items.emplace_back();
    item.name = name;
    item.first_workflow = index;
    for (std::size_t i = 0; i < run_times_s.size(); ++i) item.stage_names.push_back("s" + std::to_string(i));
  } else {
    work.items.back().naming = Work::Item::Naming::kIndexed;
    work.items.back().stage_names.clear();
  }
  ++work.items.back().workflows;
  work.submitted_at.push_back(at_s(submitted_s));
  work.item.push_back(static_cast<std::uint32_t>(work.items.size() - 1));
  work.account.push_back(account);
  work.user.push_back(user);
  work.priority.push_back(priority);
  for (const std::int64_t run_s : run_times_s) {
    work.workflow_of.push_back(index);
    work.run_time.push_back(Duration::seconds(run_s));
    work.estimate.push_back(Duration::seconds(run_s));
    work.demand.push_back(0);
  }
  work.first_stage.push_back(static_cast<StageRow>(work.stages()));
  return index;
}

void LogBuilder::need(StageRow row, StageRow before) {
  work.needs_begin.resize(work.stages() + 1, static_cast<std::uint32_t>(work.needs.size()));
  work.needs.push_back(before);
  for (std::size_t later = row + 1; later <= work.stages(); ++later)
    work.needs_begin[later] = static_cast<std::uint32_t>(work.needs.size());
}

LogBuilder& LogBuilder::submit(std::int64_t at, std::uint32_t workflow, bool stages_at_once) {
  event(at, EventKind::kSubmitted, workflow);
  for (StageRow row = work.first_stage[workflow]; row < work.first_stage[workflow + 1]; ++row)
    declare(at, row, stages_at_once);
  return *this;
}

LogBuilder& LogBuilder::declare(std::int64_t at, StageRow row, bool at_once) {
  event(at, EventKind::kDeclared, row);
  log.events.back().at_once = at_once;
  return *this;
}

LogBuilder& LogBuilder::event(std::int64_t at, EventKind kind, std::uint32_t subject, Reason reason) {
  log.events.push_back({at_s(at), subject, kind, false, reason});
  if (kind == EventKind::kStarted) log.starts.push_back({Duration::seconds(1), NodeId{0}});
  return *this;
}

LogBuilder& LogBuilder::end(std::int64_t at) {
  log.end = at >= 0 ? at_s(at) : log.events.back().at;
  return *this;
}

void LogBuilder::serve(const std::vector<std::uint32_t>& order) {
  std::vector<TimePoint> ends;  // of the jobs served, in order
  std::vector<std::uint32_t> arrivals(work.workflows());
  std::iota(arrivals.begin(), arrivals.end(), 0U);
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return work.submitted_at[a] < work.submitted_at[b]; });
  auto arrival = arrivals.begin();
  const auto arrive_until = [&](TimePoint at) {
    for (; arrival != arrivals.end() && work.submitted_at[*arrival] <= at; ++arrival)
      submit(work.submitted_at[*arrival].ns / 1'000'000'000, *arrival);
  };
  TimePoint free_at;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const StageRow row = work.first_stage[order[k]];
    const TimePoint start_at = std::max(free_at, work.submitted_at[order[k]]);
    // Arrivals before the end of the one before, then that end, then those up to the start.
    if (k > 0) {
      arrive_until(free_at - Duration{1});
      finish(free_at.ns / 1'000'000'000, work.first_stage[order[k - 1]]);
    }
    arrive_until(start_at);
    start(start_at.ns / 1'000'000'000, row);
    free_at = start_at + work.run_time[row];
  }
  finish(free_at.ns / 1'000'000'000, work.first_stage[order.back()]);
  end();
}

LogBuilder catch_up_run(bool with_aging) {
  LogBuilder run(1);
  const std::uint32_t bulk = run.job("bulk", 0, 5400, -10);
  std::vector<std::uint32_t> order;
  for (std::int64_t i = 0; i < 40; ++i) {
    if (i == 10 && with_aging) order.push_back(bulk);
    order.push_back(run.job("stream", 3600 * i, 5400));
  }
  if (!with_aging) order.push_back(bulk);
  run.serve(order);
  return run;
}

}  // namespace headroom
