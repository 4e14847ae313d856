#include "policies/priority_rule.h"

namespace headroom {
namespace {

constexpr std::int64_t kHourNs = 3'600'000'000'000;

std::int64_t base(const PriorityInputs& in) { return in.organization + in.account + in.user + in.workflow; }

class NoPriority final : public PriorityRule {
 public:
  OrderKind kind() const override { return OrderKind::kStatic; }
  ExactKey exact_key(const PriorityInputs&) const override { return {}; }
  double value(const PriorityInputs&, TimePoint) const override { return 0; }
};

class Bases final : public PriorityRule {
 public:
  OrderKind kind() const override { return OrderKind::kStatic; }
  ExactKey exact_key(const PriorityInputs& in) const override { return {-base(in), 0}; }
  double value(const PriorityInputs& in, TimePoint) const override { return static_cast<double>(base(in)); }
};

/// Ages at one unit an hour, so the order is that of base - created_at. In hours and nanoseconds of the last hour, a
/// base of any size fits beside a time of any size.
class Fuzzball final : public PriorityRule {
 public:
  OrderKind kind() const override { return OrderKind::kStatic; }
  ExactKey exact_key(const PriorityInputs& in) const override {
    std::int64_t whole = in.created_at.ns / kHourNs;
    std::int64_t rest = in.created_at.ns % kHourNs;
    if (rest < 0) {
      rest += kHourNs;
      --whole;
    }
    return {whole - base(in), rest};
  }
  double value(const PriorityInputs& in, TimePoint now) const override {
    return hours(now - in.created_at) + static_cast<double>(in.organization) + static_cast<double>(in.account) +
           static_cast<double>(in.user) + static_cast<double>(in.workflow);
  }
};

}  // namespace

double hours(Duration d) { return static_cast<double>(d.ns / kHourNs) + static_cast<double>(d.ns % kHourNs) / 3.6e12; }

std::unique_ptr<PriorityRule> make_priority_rule(Priority priority) {
  switch (priority) {
    case Priority::kBases:
      return std::make_unique<Bases>();
    case Priority::kFuzzball:
      return std::make_unique<Fuzzball>();
    case Priority::kNone:
      break;
    case Priority::kExpression:
      HEADROOM_CHECK(false, "an expression's rule is made from the policy");
  }
  return std::make_unique<NoPriority>();
}

}  // namespace headroom
