// A scheduler with one organization, account and user, and short words for facts.
#pragma once

#include <memory>
#include <vector>

#include "policies/scheduler.h"

namespace headroom::testing {

inline Duration seconds(std::int64_t s) { return Duration::seconds(s); }
inline TimePoint at(std::int64_t s) { return TimePoint::zero() + Duration::seconds(s); }

class SchedulerFixture {
 public:
  explicit SchedulerFixture(std::int64_t cores, SchedulerOptions options = {},
                            std::unique_ptr<PriorityRule> rule = nullptr)
      : SchedulerFixture(ClusterCapacity{{{cores, 0, 0}}, {}}, std::move(options), std::move(rule)) {}
  explicit SchedulerFixture(ClusterCapacity cluster, SchedulerOptions options = {},
                            std::unique_ptr<PriorityRule> rule = nullptr)
      : scheduler(std::move(cluster), with_default(std::move(options)), std::move(rule)) {
    account = scheduler.add_account(scheduler.add_organization(0), 0);
    user = scheduler.add_user(0);
  }

  WorkflowId workflow(TimePoint created = TimePoint::zero(), std::int64_t priority = 0) {
    return scheduler.submit({created, account, user, priority});
  }
  StageFacts facts(Duration estimate, std::int64_t cores = 1) {
    Demand demand;
    demand.cores = cores;
    StageFacts result;
    result.estimate = estimate;
    result.demand = scheduler.add_demand(demand);
    return result;
  }
  StageId job(TimePoint created, Duration estimate, std::int64_t cores = 1, std::int64_t priority = 0) {
    return scheduler.declare(workflow(created, priority), facts(estimate, cores));
  }
  /// The ids started, in order.
  std::vector<std::uint32_t> pass(TimePoint now) {
    std::vector<std::uint32_t> ids;
    for (const Start& start : scheduler.pass(now)) ids.push_back(start.stage.value);
    return ids;
  }

  Scheduler scheduler;
  AccountId account;
  UserId user;

 private:
  static SchedulerOptions with_default(SchedulerOptions options) {
    if (options.policy.name.empty()) options.policy = *find_preset("default");
    return options;
  }
};

inline SchedulerOptions options_for(std::string_view preset) {
  SchedulerOptions options;
  options.policy = *find_preset(preset);
  return options;
}

using Ids = std::vector<std::uint32_t>;

}  // namespace headroom::testing
