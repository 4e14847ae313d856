// Schedules a chain of two stages and a longer one beside it on one slot, and prints the order: long first, first second.
#include <cstdio>

#include "policies/scheduler.h"

using namespace headroom;

int main() {
  Scheduler scheduler({.nodes = {{.cores = 1}}, .pools = {}}, {.policy = *find_preset("default")});
  const AccountId account = scheduler.add_account(scheduler.add_organization(0), 0);
  const WorkflowId build = scheduler.submit({.created_at = {}, .account = account, .user = scheduler.add_user(0)});
  const DemandId core = scheduler.add_demand({});
  const StageId first = scheduler.declare(build, {.estimate = Duration::seconds(1), .demand = core});
  scheduler.declare(build, {.estimate = Duration::seconds(1), .demand = core}, {{first}});
  scheduler.declare(build, {.estimate = Duration::seconds(3), .demand = core});
  const char* const names[] = {"first", "second", "long"};
  for (TimePoint now; scheduler.live_stages(build) > 0; now = now + Duration::seconds(1)) {
    for (const Start start : scheduler.pass(now)) {
      std::printf("%s (%s)\n", names[start.stage.value], reason_words()[static_cast<int>(start.reason)].data());
      scheduler.finished(start.stage);
    }
  }
}
