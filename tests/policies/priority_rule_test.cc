// Shown values as the expression language computes them; exact keys in the order of exact arithmetic.
#include "policies/priority_rule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace headroom {
namespace {

PriorityInputs inputs(TimePoint created, std::int64_t org, std::int64_t account, std::int64_t user,
                      std::int64_t workflow) {
  return {created, org, account, user, workflow};
}

TEST(FuzzballPriority, IsHoursPlusTheFourInputs) {
  const auto rule = make_priority_rule(Priority::kFuzzball);
  const TimePoint now = TimePoint::zero() + Duration::seconds(12 * 3600 + 1800);
  EXPECT_EQ(rule->value(inputs(TimePoint::zero(), 5, 10, 2, -10), now), 19.5);  // 12.5 h + 5 + 10 + 2 - 10
  EXPECT_EQ(rule->kind(), OrderKind::kStatic);
}

TEST(FuzzballPriority, AgesWithoutACapAndInFractions) {
  const auto rule = make_priority_rule(Priority::kFuzzball);
  const PriorityInputs none{};
  EXPECT_EQ(rule->value(none, TimePoint::zero() + Duration::seconds(1800)), 0.5);
  EXPECT_EQ(rule->value(none, TimePoint::zero() + Duration::hours(1000)), 1000.0);
}

TEST(FuzzballPriority, TiesExactlyAfterAsManyHoursAsTheGap) {
  const auto rule = make_priority_rule(Priority::kFuzzball);
  const ExactKey bulk = rule->exact_key(inputs(TimePoint::zero(), 0, 0, 0, -10));
  const auto newcomer = [&](Duration at) { return rule->exact_key(inputs(TimePoint::zero() + at, 0, 0, 0, 0)); };
  EXPECT_LT(newcomer(Duration::hours(10) - Duration::nanoseconds(1)), bulk);
  EXPECT_EQ(newcomer(Duration::hours(10)), bulk);
  EXPECT_GT(newcomer(Duration::hours(10) + Duration::nanoseconds(1)), bulk);
}

TEST(BasesPriority, DoesNotAge) {
  const auto rule = make_priority_rule(Priority::kBases);
  EXPECT_EQ(rule->value(inputs(TimePoint::zero(), 1, 2, 3, -10), TimePoint{} + Duration::hours(50)), -4.0);
  EXPECT_EQ(rule->exact_key(inputs({5}, 0, 0, 0, 1)), rule->exact_key(inputs({9}, 1, 0, 0, 0)));
}

// Source of the oracle: base * 3600e9 ns - create time, in 128 bits.
RC_GTEST_PROP(FuzzballPriority, KeysOrderAsExactArithmeticDoes, ()) {
  const auto draw = [] {
    const auto base = *rc::gen::arbitrary<std::int32_t>();
    const auto hours = *rc::gen::inRange<std::int64_t>(-1000, 1000);
    const auto rest = *rc::gen::element<std::int64_t>(0, 1, 3'599'999'999'999);
    return inputs({hours * 3'600'000'000'000 + rest}, 0, 0, 0, base);
  };
  __extension__ typedef __int128 Wide;
  const auto exact = [](const PriorityInputs& in) { return Wide{in.workflow} * 3'600'000'000'000 - in.created_at.ns; };
  const auto rule = make_priority_rule(Priority::kFuzzball);
  const PriorityInputs a = draw();
  PriorityInputs b = draw();
  if (*rc::gen::arbitrary<bool>()) b = inputs(a.created_at + Duration::hours(3), 0, 0, 0, a.workflow + 3);
  RC_ASSERT((rule->exact_key(a) < rule->exact_key(b)) == (exact(a) > exact(b)));
  RC_ASSERT((rule->exact_key(a) == rule->exact_key(b)) == (exact(a) == exact(b)));
}

}  // namespace
}  // namespace headroom
