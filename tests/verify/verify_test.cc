// The checker against random schedules: it accepts every one that is made, and rejects each in which something was
// changed. Seed fixed; HEADROOM_SEED gives another, HEADROOM_LONG runs many more.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/verify/verdict.h"
#include "tests/property/cases.h"
#include "tests/property/print.h"
#include "tests/verify/schedule_of.h"

namespace headroom::verify {
namespace {

std::uint64_t seed() {
  const char* given = std::getenv("HEADROOM_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 20260821;
}
bool is_long() { return std::getenv("HEADROOM_LONG") != nullptr; }

oracle::Case draw(std::uint64_t k, const oracle::CaseLimits& limits) {
  return oracle::cases(limits)(rc::Random(seed() + k), rc::kNominalSize).value();
}

std::string text_of(const Verdict& verdict) {
  std::string text;
  for (const Violation& v : verdict.violations)
    text += std::string(rule_name(v.rule)) + ": s" + std::to_string(v.stage) + " at " + seconds_text(v.at) + ": " +
            v.text + "\n";
  return text;
}

TEST(Verify, AcceptsEveryScheduleThatIsMade) {
  const std::uint64_t cases = is_long() ? 20'000 : 800;
  std::uint64_t checked[kRules] = {};
  std::uint64_t wrong = 0;
  for (std::uint64_t k = 0; k < cases && wrong < 3; ++k) {
    const oracle::Case c = draw(k, {});
    const Verdict verdict = check(schedule_of(c));
    for (std::size_t rule = 0; rule < kRules; ++rule) checked[rule] += verdict.checked[rule];
    if (verdict.total() == 0) continue;
    ++wrong;
    ADD_FAILURE() << "case " << k << "\n" << oracle::show(c) << text_of(verdict);
  }
  for (std::size_t rule = 0; rule < kRules; ++rule) {
    std::cout << rule_name(static_cast<Rule>(rule)) << " " << checked[rule] << (rule + 1 < kRules ? ", " : "\n");
    EXPECT_GT(checked[rule], 100U) << rule_name(static_cast<Rule>(rule)) << " was hardly ever asked";
  }
}

TEST(Verify, AcceptsEveryScheduleWithDisplacedStages) {
  const std::uint64_t cases = is_long() ? 20'000 : 800;
  std::uint64_t followed = 0, displaced = 0, wrong = 0;
  for (std::uint64_t k = 0; k < cases && wrong < 3; ++k) {
    const oracle::Case c = draw(k, {.preempting = true});
    const Schedule schedule = schedule_of(c);
    const Verdict verdict = check(schedule);
    displaced += schedule.displacements.size();
    if (!schedule.displacements.empty()) followed += verdict.checked[static_cast<std::size_t>(Rule::kOrder)];
    if (verdict.total() == 0) continue;
    ++wrong;
    ADD_FAILURE() << "case " << k << "\n" << oracle::show(c) << text_of(verdict);
  }
  std::cout << displaced << " displaced, " << followed << " times asked who was better\n";
  EXPECT_GT(displaced, 100U);
  EXPECT_GT(followed, 100U);
}

/// Changes a schedule, or nothing where this one does not lend itself.
using Mutation = std::function<bool(Schedule&, std::uint64_t)>;

struct Made {
  oracle::Case c;
  Schedule schedule;
};

/// The k-th schedule of jobs and graphs in which each instant has one pass, so that nothing is ambiguous.
const Made& clear_schedule(std::size_t k) {
  static std::vector<Made> made;
  static std::uint64_t next = 0;
  while (made.size() <= k) {
    oracle::Case c = draw(next, {.fine_times = false, .jobs_only = next % 4 != 0, .certain = true});
    ++next;
    c.settings.simultaneous = Simultaneous::kBatch;
    c.settings.queue_depth = 0;
    Schedule s = schedule_of(c);
    const bool unclear = std::ranges::any_of(s.attempts, [](const Attempt& a) {
      return a.declarer >= 0 || a.is_plan || (a.started != kNever && a.started == a.finished);
    });
    if (!unclear && !s.attempts.empty()) made.push_back({std::move(c), std::move(s)});
  }
  return made[k];
}

/// Ten schedules, each changed: every one must be rejected, and by that rule if one is named.
void expect_rejected(const Mutation& mutate, std::optional<Rule> by = std::nullopt) {
  const int wanted = is_long() ? 200 : 10;
  int rejected = 0;
  for (std::size_t k = 0; rejected < wanted && k < 20'000; ++k) {
    const Made& made = clear_schedule(k);
    Schedule changed = made.schedule;
    if (!mutate(changed, k)) continue;
    ASSERT_EQ(check(made.schedule).total(), 0U);
    const Verdict verdict = check(changed);
    EXPECT_GT(verdict.total(), 0U) << "case " << k << " was changed and accepted\n" << oracle::show(made.c);
    if (by) {
      EXPECT_GT(verdict.violated[static_cast<std::size_t>(*by)], 0U) << "case " << k << "\n"
                                                                     << oracle::show(made.c) << text_of(verdict);
    }
    ++rejected;
  }
  EXPECT_EQ(rejected, wanted);
}

/// A started and ended try, another for each k; nullptr if there is none.
Attempt* ended(Schedule& s, std::uint64_t k) {
  for (std::size_t n = 0; n < s.attempts.size(); ++n) {
    Attempt& a = s.attempts[(k + n) % s.attempts.size()];
    if (a.started != kNever && a.finished != kNever) return &a;
  }
  return nullptr;
}

TEST(Verify, RejectsAStartOneNanosecondEarly) {
  expect_rejected([](Schedule& s, std::uint64_t k) {
    Attempt* a = ended(s, k);
    if (a == nullptr) return false;
    --a->started;
    --a->finished;
    return true;
  });
}

TEST(Verify, RejectsAStartOneNanosecondEarlyWithItsEndLeftAlone) {
  expect_rejected(
      [](Schedule& s, std::uint64_t k) {
        Attempt* a = ended(s, k);
        if (a == nullptr) return false;
        --a->started;
        return true;
      },
      Rule::kRunTime);
}

TEST(Verify, RejectsOneCoreMoreThanANodeHas) {
  expect_rejected(
      [](Schedule& s, std::uint64_t k) {
        Attempt* a = ended(s, k);
        if (a == nullptr || a->is_spread || a->nodes > 1) return false;
        const auto node = static_cast<std::size_t>(a->node);
        std::int64_t used = 0;
        for (const Attempt& b : s.attempts) {
          if (b.is_spread || b.nodes > 1) return false;
          if (b.started != kNever && b.node == a->node && b.started <= a->started && a->started < b.finished)
            used += b.amounts.cores;
        }
        if (used != s.nodes[node].cores) return false;
        ++a->amounts.cores;
        return true;
      },
      Rule::kCapacity);
}

TEST(Verify, RejectsASwappedPairOfEqualWidth) {
  expect_rejected([](Schedule& s, std::uint64_t) {
    for (Attempt& a : s.attempts)
      for (Attempt& b : s.attempts) {
        const bool both_waited =
            a.started != kNever && b.started != kNever && a.started < b.started && b.eligible < a.started;
        if (!both_waited || a.amounts != b.amounts || a.nodes != b.nodes || a.is_spread || b.is_spread || a.nodes > 1)
          continue;
        if (a.run_time == kNever || b.run_time == kNever || !s.pool_requests.empty()) continue;
        std::swap(a.started, b.started);
        std::swap(a.decision, b.decision);
        std::swap(a.node, b.node);
        a.finished = a.started + a.run_time;
        b.finished = b.started + b.run_time;
        return true;
      }
    return false;
  });
}

// The same, so that nothing but the order is wrong: equal run times, and nobody needs either.
TEST(Verify, RejectsASwapThatOnlyTheOrderShows) {
  expect_rejected(
      [](Schedule& s, std::uint64_t) {
        if (!s.dependencies.empty() || s.rules.placement == Placement::kConservative) return false;
        for (Attempt& a : s.attempts)
          for (Attempt& b : s.attempts) {
            const bool both_waited =
                a.started != kNever && b.started != kNever && a.started < b.started && b.eligible < a.started;
            if (!both_waited || a.amounts != b.amounts || a.nodes > 1 || b.nodes > 1 || a.is_spread || b.is_spread)
              continue;
            if (a.run_time != b.run_time || a.run_time == kNever || a.estimate != b.estimate ||
                !s.pool_requests.empty())
              continue;
            if (a.number != 0 || b.number != 0 || a.state != State::kFinished || b.state != State::kFinished ||
                a.walltime != b.walltime)
              continue;
            std::swap(a.started, b.started);
            std::swap(a.finished, b.finished);
            std::swap(a.decision, b.decision);
            std::swap(a.node, b.node);
            for (Attempt* moved : {&a, &b})
              if (s.rules.priority == Priority::kAgeing)
                moved->effective_priority =
                    static_cast<double>(s.workflows[moved->workflow].base) +
                    static_cast<double>(moved->started - s.workflows[moved->workflow].submitted) / 3.6e12;
            return true;
          }
        return false;
      },
      Rule::kOrder);
}

TEST(Verify, RejectsAStartBeforeTheRelease) {
  expect_rejected(
      [](Schedule& s, std::uint64_t k) {
        Attempt* a = ended(s, k);
        if (a == nullptr || a->number != 0 || a->started != a->eligible) return false;
        a->eligible += 1;
        return true;
      },
      Rule::kRelease);
  expect_rejected(
      [](Schedule& s, std::uint64_t k) {
        Attempt* a = ended(s, k);
        if (a == nullptr || a->number != 0) return false;
        const Time early = s.workflows[a->workflow].submitted - 1;
        a->declared = a->eligible = a->started = early;
        a->finished = early + a->run_time;
        return true;
      },
      Rule::kRelease);
}

TEST(Verify, RejectsAnIdleSlot) {
  // The last to end, and so in nobody's way, starts a nanosecond later than it could.
  expect_rejected(
      [](Schedule& s, std::uint64_t) {
        if (s.rules.placement == Placement::kConservative) return false;  // only the first in order is asked about
        Attempt* last = nullptr;
        for (Attempt& a : s.attempts) {
          if (a.finished == kNever) continue;
          if (last == nullptr || a.finished > last->finished) last = &a;
        }
        if (last == nullptr || s.rules.tick > 0 || s.rules.is_cut || s.rules.give_up != kNever) return false;
        ++last->started;
        ++last->finished;
        return true;
      },
      Rule::kIdle);
}

TEST(Verify, RejectsAMissingStage) {
  expect_rejected(
      [](Schedule& s, std::uint64_t k) {
        if (s.attempts.size() < 2) return false;
        const std::size_t i = k % s.attempts.size();
        const std::uint32_t stage = s.attempts[i].stage;
        if (s.attempts[i].started == kNever) return false;
        s.further_nodes.clear();
        std::erase_if(s.attempts, [&](const Attempt& a) { return a.stage == stage; });
        return true;
      },
      Rule::kComplete);
}

TEST(Verify, RejectsADoubleAttempt) {
  expect_rejected(
      [](Schedule& s, std::uint64_t k) {
        if (s.attempts.empty() || !s.further_nodes.empty()) return false;
        const std::size_t i = k % s.attempts.size();
        Attempt again = s.attempts[i];
        if (again.started == kNever) return false;
        if (k % 2 == 0) ++again.number;
        s.attempts.insert(s.attempts.begin() + static_cast<std::ptrdiff_t>(i) + 1, again);
        return true;
      },
      Rule::kAttempts);
}

}  // namespace
}  // namespace headroom::verify
