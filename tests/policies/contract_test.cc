// What every policy must keep, whatever it orders by. A new preset is tested by being listed.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/policies/scheduler_fixture.h"

namespace headroom::testing {
namespace {

/// What one run decided: (time, stage) in order.
using Trace = std::vector<std::pair<std::int64_t, std::uint32_t>>;

/// A few hundred jobs and small graphs on two nodes, driven by a plain loop; checks what can be checked at each step.
class Drive {
 public:
  Drive(const Policy& policy, std::uint64_t seed, std::uint32_t repeat_facts = 1)
      : f_(ClusterCapacity{{{4, 0, 0}, {2, 0, 1}}, {}}, with(policy)), random_(seed), repeat_(repeat_facts) {}

  Trace run() {
    for (std::int64_t now = 0; now < 400 || !ends_.empty(); ++now) {
      end_due(now);
      if (now < 400) arrive(now);
      decide(now);
      EXPECT_TRUE(now < 100000) << "stages wait for ever";
      if (now >= 100000) break;
    }
    for (std::uint32_t s = 0; s < f_.scheduler.stages(); ++s)
      EXPECT_EQ(f_.scheduler.status({s}), StageStatus::kFinished) << "stage " << s;
    EXPECT_EQ(f_.scheduler.eligible_stages(), 0u);
    return trace_;
  }

 private:
  static SchedulerOptions with(const Policy& policy) {
    SchedulerOptions options;
    options.policy = policy;
    return options;
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void arrive(std::int64_t now) {
    for (std::uint64_t k = below(3); k > 0; --k) {
      const WorkflowId w = f_.workflow(at(now), -static_cast<std::int64_t>(below(3)));
      std::vector<StageFacts> facts;
      std::vector<std::uint32_t> begin{0}, needs;
      for (std::uint32_t s = 0, n = 1 + static_cast<std::uint32_t>(below(3)); s < n; ++s) {
        StageFacts stage =
            f_.facts(seconds(static_cast<std::int64_t>(below(9))), static_cast<std::int64_t>(1 + below(4)));
        stage.tie_draw = random_();
        facts.push_back(stage);
        if (s > 0 && below(2) == 0) needs.push_back(s - 1);
        begin.push_back(static_cast<std::uint32_t>(needs.size()));
      }
      const StageId first = f_.scheduler.declare_all(w, facts, begin, needs);
      for (std::uint32_t s = 0; s < facts.size(); ++s) {
        needs_of_[first.value + s].clear();
        for (std::uint32_t i = begin[s]; i < begin[s + 1]; ++i)
          needs_of_[first.value + s].push_back(first.value + needs[i]);
      }
    }
  }

  void decide(std::int64_t now) {
    for (std::uint32_t i = 0; i < repeat_; ++i) {
      for (const Start& start : f_.scheduler.pass(at(now))) {
        EXPECT_TRUE(started_.insert({start.stage.value, now}).second) << "stage " << start.stage.value << " twice";
        for (const std::uint32_t need : needs_of_[start.stage.value])
          EXPECT_EQ(f_.scheduler.status({need}), StageStatus::kFinished);
        EXPECT_EQ(f_.scheduler.status(start.stage), StageStatus::kRunning);
        trace_.emplace_back(now, start.stage.value);
        ends_.emplace(now + 1 + static_cast<std::int64_t>(start.stage.value * 7 % 5), start.stage.value);
      }
      EXPECT_FALSE(f_.scheduler.changed());
    }
  }

  void end_due(std::int64_t now) {
    while (!ends_.empty() && ends_.begin()->first <= now) {
      f_.scheduler.finished({ends_.begin()->second});
      ends_.erase(ends_.begin());
    }
  }

  SchedulerFixture f_;
  std::mt19937_64 random_;
  std::uint32_t repeat_;
  std::map<std::uint32_t, std::int64_t> started_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> needs_of_;
  std::multimap<std::int64_t, std::uint32_t> ends_;
  Trace trace_;
};

class EveryPolicy : public ::testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] const Policy& policy() const { return preset_policies()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(Preset, EveryPolicy, ::testing::Range<std::size_t>(0, preset_policies().size()),
                         [](const auto& preset) { return preset_policies()[preset.param].name; });

// More cores taken than there are fails a check inside the cluster, on in every build.
TEST_P(EveryPolicy, StartsOnlyWhatIsEligibleAndFinishesAll) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) Drive(policy(), seed).run();
}

TEST_P(EveryPolicy, DecidesTheSameOnTheSameFacts) { EXPECT_EQ(Drive(policy(), 9).run(), Drive(policy(), 9).run()); }

TEST_P(EveryPolicy, DecidesNothingMoreInASecondPassWithoutNewFacts) {
  EXPECT_EQ(Drive(policy(), 11, 2).run(), Drive(policy(), 11).run());
}

TEST_P(EveryPolicy, IsContentWithAnEmptyQueue) {
  SchedulerOptions options;
  options.policy = policy();
  SchedulerFixture f(1, options);
  EXPECT_TRUE(f.scheduler.pass(at(0)).empty());
  EXPECT_TRUE(f.scheduler.pass(at(1)).empty());
}

TEST_P(EveryPolicy, GivesEachStartAReason) {
  SchedulerOptions options;
  options.policy = policy();
  SchedulerFixture f(4, options);
  f.job(at(0), seconds(1));
  EXPECT_EQ(f.scheduler.pass(at(0)).front().reason, Reason::kAlone);
}

}  // namespace
}  // namespace headroom::testing
