#include "sim/metrics/catch_up.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "policies/check.h"
#include "policies/overtaking.h"
#include "sim/metrics/submission_order.h"
#include "sim/metrics/wide.h"
#include "workloads/rule_context.h"

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kNanosecondsPerHour = Duration::hours(1).ns;

using Base = Int128;  // four int64 cannot overflow it

struct Factors {
  std::int64_t organization, account, user, workflow;
};

Factors factors_of(const Work& work, std::uint32_t workflow) {
  const AccountSpec& account = work.tenants.accounts[work.account[workflow]];
  return {work.tenants.organizations[account.organization].priority, account.priority,
          work.tenants.users[work.user[workflow]].priority, work.priority[workflow]};
}

/// Bases by workflow, with what an account has looked up once.
class Bases {
 public:
  Bases(const Work& work, Priority priority) : work_(work), priority_(priority) {
    for (const AccountSpec& account : work.tenants.accounts)
      of_account_.push_back(Base{account.priority} + work.tenants.organizations[account.organization].priority);
  }
  [[nodiscard]] Base of(std::uint32_t workflow) const {
    if (priority_ == Priority::kNone) return 0;
    return of_account_[work_.account[workflow]] + work_.tenants.users[work_.user[workflow]].priority +
           work_.priority[workflow];
  }

 private:
  const Work& work_;
  Priority priority_;
  std::vector<Base> of_account_;
};

/// The language's integers wrap.
std::int64_t wrapping_sum(const Factors& f) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(f.organization) + static_cast<std::uint64_t>(f.account) +
                                   static_cast<std::uint64_t>(f.user) + static_cast<std::uint64_t>(f.workflow));
}

double hours_of(Duration age) {
  return static_cast<double>(age.ns / kNanosecondsPerHour) +
         static_cast<double>(age.ns % kNanosecondsPerHour) / static_cast<double>(kNanosecondsPerHour);
}

/// Of equal bases: can a stage of a workflow submitted later come first?
bool ties_can_favour_newcomer(const Policy& policy, bool has_plan) {
  for (const Tie tie : policy.ties) {
    if (tie == Tie::kSubmitTime) return false;
    if (tie == Tie::kDeclaration) break;
    return true;
  }
  return has_plan;
}

struct Newcomers {
  bool any = false, plans = false;
  Base largest = 0;

  void add(const Newcomers& more) {
    if (!more.any) return;
    if (!any || more.largest > largest) largest = more.largest;
    any = true;
    plans = plans || more.plans;
  }
};

double catch_up_age_s(const Policy& policy, Base own, bool has_plan, const Newcomers& later) {
  if (!later.any || own > later.largest) return 0;
  if (policy.priority == Priority::kFuzzball) return static_cast<double>(later.largest - own) * 3600.0;
  if (own < later.largest) return kInfinity;
  return later.plans || ties_can_favour_newcomer(policy, has_plan) ? kInfinity : 0;
}

/// Of an expression: by what the bases that there are can do to each other, each pair of them asked about once.
class ExpressionAges {
 public:
  ExpressionAges(const Work& work, const Policy& policy) : work_(work), overtaking_(policy, rule_context(work)) {}

  [[nodiscard]] bool proved() const { return overtaking_.why_not().empty(); }
  /// The base of a workflow, by a number from 0.
  std::size_t base_of(std::uint32_t w) {
    const auto [at, is_new] = index_.try_emplace({work_.account[w], work_.user[w], work_.priority[w]}, bases_.size());
    if (is_new) bases_.push_back(inputs_of(w));
    return at->second;
  }
  /// NaN: not proved.
  double age_s(std::size_t own, std::size_t later, bool ties_can_favour) {
    const auto [at, is_new] = ages_.try_emplace({own, later, ties_can_favour}, kNaN);
    if (!is_new) return at->second;
    const std::optional<Duration> age = overtaking_.age(bases_[own], bases_[later]);
    if (!age) return kNaN;
    const bool ends =
        !age->is_infinite() && !(ties_can_favour && overtaking_.may_tie_for_ever(bases_[own], bases_[later]));
    return at->second = ends ? age->in_seconds() : kInfinity;
  }

 private:
  [[nodiscard]] PriorityInputs inputs_of(std::uint32_t w) const {
    const Factors f = factors_of(work_, w);
    PriorityInputs in;
    in.organization = f.organization;
    in.account = f.account;
    in.user = f.user;
    in.workflow = f.workflow;
    in.organization_id = {work_.tenants.accounts[work_.account[w]].organization};
    in.account_id = {work_.account[w]};
    in.user_id = {work_.user[w]};
    in.workflow_id = {w};
    return in;
  }

  const Work& work_;
  Overtaking overtaking_;
  std::vector<PriorityInputs> bases_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::size_t> index_;
  std::map<std::tuple<std::size_t, std::size_t, bool>, double> ages_;
};

/// Bases beyond so many are not told apart: every pair of them would be asked about.
constexpr std::size_t kMostBases = 500;

std::vector<double> ages_of_expression(const Work& work, const Policy& policy,
                                       std::span<const TimePoint> submitted_at) {
  std::vector<double> ages(work.workflows(), kNaN);
  ExpressionAges known(work, policy);
  if (!known.proved()) return ages;
  const std::vector<std::uint32_t> order = submission_order(submitted_at);
  std::vector<std::size_t> base(work.workflows());
  std::size_t bases = 0;
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    base[w] = known.base_of(w);
    bases = std::max(bases, base[w] + 1);
  }
  if (bases > kMostBases) return ages;
  std::vector<std::uint8_t> later(bases, 0), now(bases, 0);  // 2: with a plan
  TimePoint at = TimePoint::never();
  for (auto w = order.rbegin(); w != order.rend(); ++w) {
    if (submitted_at[*w] != at)
      for (std::size_t b = 0; b < bases; ++b) later[b] = std::max(later[b], std::exchange(now[b], std::uint8_t{0}));
    at = submitted_at[*w];
    const bool has_plan = work.has_plan(*w);
    double age = 0;
    for (std::size_t b = 0; b < bases && !std::isnan(age); ++b)
      if (later[b] != 0) {
        const double one = known.age_s(base[*w], b, later[b] == 2 || ties_can_favour_newcomer(policy, has_plan));
        age = std::isnan(one) ? one : std::max(age, one);
      }
    ages[*w] = age;
    now[base[*w]] = std::max<std::uint8_t>(now[base[*w]], has_plan ? 2 : 1);
  }
  // One that is not proved leaves the largest of all unproved.
  if (std::ranges::any_of(ages, [](double age) { return std::isnan(age); })) std::ranges::fill(ages, kNaN);
  return ages;
}

}  // namespace

double effective_priority(const Work& work, Priority priority, std::uint32_t workflow, Duration age) {
  if (priority == Priority::kNone) return 0;
  const Factors f = factors_of(work, workflow);
  if (priority == Priority::kBases) return static_cast<double>(wrapping_sum(f));
  double value = hours_of(age);
  for (const std::int64_t factor : {f.organization, f.account, f.user, f.workflow})
    value += static_cast<double>(factor);
  return value;
}

std::vector<double> catch_up_ages_s(const Work& work, const Policy& policy, std::span<const TimePoint> submitted_at) {
  if (policy.priority == Priority::kExpression) return ages_of_expression(work, policy, submitted_at);
  std::vector<double> ages(work.workflows());
  const bool any_plan = std::any_of(work.root_plan.begin(), work.root_plan.end(), [](auto plan) { return plan >= 0; });
  if (policy.priority == Priority::kNone && !any_plan) {  // one base for all: only the last have no newcomers
    TimePoint last = TimePoint::zero();
    for (const TimePoint at : submitted_at) last = std::max(last, at);
    const double with_newcomers = ties_can_favour_newcomer(policy, false) ? kInfinity : 0;
    for (std::size_t w = 0; w < ages.size(); ++w) ages[w] = submitted_at[w] < last ? with_newcomers : 0;
    return ages;
  }
  const std::vector<std::uint32_t> order = submission_order(submitted_at);
  const Bases bases(work, policy.priority);
  // From the last submission back; workflows of one instant are not each other's newcomers.
  Newcomers later, now;
  TimePoint at = TimePoint::never();
  for (auto w = order.rbegin(); w != order.rend(); ++w) {
    if (submitted_at[*w] != at) later.add(std::exchange(now, Newcomers{}));
    at = submitted_at[*w];
    const Base own = bases.of(*w);
    const bool has_plan = work.has_plan(*w);
    ages[*w] = catch_up_age_s(policy, own, has_plan, later);
    now.add({true, has_plan, own});
  }
  return ages;
}

}  // namespace headroom
