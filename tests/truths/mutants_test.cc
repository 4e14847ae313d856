// The truths about who goes before whom, sharp enough to tell a priority from one that is almost it: an ageing rate two
// per cent off, ties the other way round, an offset off by one tick. Means of queues do not see such differences
// without billions of jobs; the order around the instant at which somebody has caught up does.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "sim/engine/engine.h"
#include "workloads/realise.h"
#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

using Winners = std::vector<std::string>;

/// One slot is busy for 20 h, then it chooses between `old`, there from the beginning, and one that came a second
/// before 10 h, at 10 h, or a second later. The newcomer is the shorter, so that a tie by length would show.
Winners winners(const std::string& tenants, const std::string& user_of_old, const std::string& user_of_new,
                int priority_of_old, const std::string& policy) {
  const auto job = [](const std::string& name, int at_s, const std::string& user, int priority,
                      const std::string& runtime) {
    return "  - {workflow: " + name + ", at: " + std::to_string(at_s) + "s, user: " + user +
           ", priority: " + std::to_string(priority) + ", stages: [{name: s, runtime: " + runtime +
           ", estimate: " + runtime + "}]}\n";
  };
  Winners found;
  for (const int came : {35'999, 36'000, 36'001}) {
    const std::string text = "cluster: {slots: 1}\nscheduler: {tick: 1s}\ntenants:\n" + tenants + "work:\n" +
                             job("blocker", 0, user_of_new, 0, "20h") +
                             job("old", 0, user_of_old, priority_of_old, "2h") +
                             job("new", came, user_of_new, 0, "1h") + "policies: [" + policy + "]\n";
    const Workload workload = WorkloadDocument::parse(text, "mutant.yaml").read();
    TraceCache traces;
    const Work work = realise(workload, 1, 0, traces);
    const RunLog log = simulate(work, workload.scheduler, workload.policies.at(0), workload.measure);
    std::vector<std::string> order;
    for (const Event& event : log.events)
      if (event.kind == EventKind::kStarted)
        order.push_back(work.items[work.item[work.workflow_of[event.subject]]].name);
    found.push_back(order.at(1));
  }
  return found;
}

const Winners kExact = {"new", "old", "old"};

// ---- a common rate: what was submitted 10 below has caught up with what came 10 h later, and ties with it

Winners at_a_common_rate(const std::string& policy) {
  return winners("  users: {ada: {}}\n", "ada", "ada", -10, policy);
}
std::string ageing(const std::string& terms, const std::string& ties = "declaration") {
  return "{policy: tried, ties: [" + ties + "], priority: '" + terms + "'}";
}
const std::string kAge = "(now() - workflow.create_time).Hours()";

TEST(Mutants, TheDefaultAgesByExactlyOneAnHour) {
  EXPECT_EQ(at_a_common_rate("default"), kExact);
  EXPECT_EQ(at_a_common_rate(ageing(kAge + " + workflow.priority")), kExact);
  // Evaluated in each pass rather than kept by an exact key.
  EXPECT_EQ(at_a_common_rate(ageing("(" + kAge + " + workflow.priority + 100) ** 1.0")), kExact);
}
TEST(Mutants, ARateTwoPerCentOffIsFoundOut) {
  EXPECT_NE(at_a_common_rate(ageing(kAge + " * 1.02 + workflow.priority")), kExact);
  EXPECT_NE(at_a_common_rate(ageing(kAge + " / 1.02 + workflow.priority")), kExact);
}
TEST(Mutants, ATieTheOtherWayRoundIsFoundOut) {
  EXPECT_NE(at_a_common_rate(ageing(kAge + " + workflow.priority", "shortest")), kExact);
}
TEST(Mutants, AnOffsetOffByOneTickIsFoundOut) {
  EXPECT_NE(at_a_common_rate(ageing(kAge + " + workflow.priority * (1 + 1.0 / 36000)")), kExact);
  EXPECT_NE(at_a_common_rate(ageing(kAge + " + workflow.priority * (1 - 1.0 / 36000)")), kExact);
}

// ---- Kleinrock's rates: what ages at 1 and is 20 h old is level with what ages at 2 and is 10 h old

Winners at_two_rates(const std::string& policy) {
  return winners("  users: {high: {priority: 2}, low: {priority: 1}}\n", "low", "high", 0, policy);
}

TEST(Mutants, PrioritiesThatGrowAtTwoRatesCrossWhereTheyShould) {
  EXPECT_EQ(at_two_rates(ageing(kAge + " * user.priority")), kExact);
  EXPECT_EQ(at_two_rates(ageing("(" + kAge + " * user.priority) ** 2")), kExact);
}
TEST(Mutants, OneOfTwoRatesTwoPerCentOffIsFoundOut) {
  EXPECT_NE(at_two_rates(ageing(kAge + " * (user.priority == 2 ? 2 * 1.02 : 1)")), kExact);
  EXPECT_NE(at_two_rates(ageing(kAge + " * (user.priority == 2 ? 2 / 1.02 : 1)")), kExact);
}
TEST(Mutants, ATieOfTwoRatesTheOtherWayRoundIsFoundOut) {
  EXPECT_NE(at_two_rates(ageing(kAge + " * user.priority", "shortest")), kExact);
}
TEST(Mutants, AgesOffByOneTickAreFoundOut) {
  EXPECT_NE(at_two_rates(ageing("(" + kAge + " + 1.0 / 3600) * user.priority")), kExact);
  EXPECT_NE(at_two_rates(ageing("(" + kAge + " - 1.0 / 3600) * user.priority")), kExact);
}

}  // namespace
}  // namespace headroom
