#include "sim/metrics/groups.h"

#include <algorithm>
#include <functional>

namespace headroom {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

template <class T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Counting sort of the cohort by key. Keys without members are dropped unless `keep_empty`.
Grouping bucketed(std::span<const std::uint32_t> cohort, std::size_t keys, Group::Kind kind, bool keep_empty,
                  const std::function<std::string(std::size_t)>& name, const auto& key_of) {
  if (keys == 1 && !cohort.empty()) {  // the usual case of accounts and organizations
    Grouping whole;
    Group& group = whole.groups.emplace_back();
    group.kind = kind;
    group.name = name(0);
    whole.members.assign(cohort.begin(), cohort.end());
    whole.begin = {0, cohort.size()};
    return whole;
  }
  std::vector<std::size_t> begin(keys + 1, 0);
  for (const std::uint32_t w : cohort) ++begin[key_of(w) + 1];
  for (std::size_t key = 0; key < keys; ++key) begin[key + 1] += begin[key];

  Grouping grouping;
  grouping.members.resize(cohort.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const std::uint32_t w : cohort) grouping.members[next[key_of(w)]++] = w;

  grouping.begin.push_back(0);
  for (std::size_t key = 0; key < keys; ++key) {
    if (begin[key] == begin[key + 1] && !keep_empty) continue;
    Group& group = grouping.groups.emplace_back();
    group.kind = kind;
    group.name = name(key);
    grouping.begin.push_back(begin[key + 1]);
  }
  return grouping;
}

}  // namespace

std::vector<std::uint32_t> cohort_of(std::span<const TimePoint> submitted_at,
                                     std::span<const std::uint8_t> is_submitted, const Measure& measure) {
  const TimePoint from = measure.from ? TimePoint::zero() + *measure.from : TimePoint::zero();
  const TimePoint to = measure.to ? TimePoint::zero() + *measure.to : TimePoint::never();
  std::vector<std::uint32_t> cohort;
  cohort.reserve(submitted_at.size());
  for (std::uint32_t w = 0; w < submitted_at.size(); ++w)
    if (is_submitted[w] && submitted_at[w] >= from && submitted_at[w] < to) cohort.push_back(w);
  return cohort;
}

bool belongs_to(const Work& work, const Measure::Class& klass, std::uint32_t workflow) {
  return (!klass.priority || work.priority[workflow] == *klass.priority) &&
         (klass.users.empty() || contains(klass.users, work.user[workflow])) &&
         (klass.accounts.empty() || contains(klass.accounts, work.account[workflow])) &&
         (klass.items.empty() || contains(klass.items, work.items[work.item[workflow]].name));
}

std::vector<std::uint32_t> first_classes(const Work& work, const Measure& measure) {
  if (measure.classes.empty()) return work.item;
  std::vector<std::uint32_t> classes(work.workflows(), kNone);
  for (std::uint32_t w = 0; w < work.workflows(); ++w)
    for (std::uint32_t c = 0; c < measure.classes.size() && classes[w] == kNone; ++c)
      if (belongs_to(work, measure.classes[c], w)) classes[w] = c;
  return classes;
}

Grouping classes_of(const Work& work, const Measure& measure, std::span<const std::uint32_t> cohort) {
  if (measure.classes.empty())
    return bucketed(
        cohort, work.items.size(), Group::Kind::kClass, true, [&](std::size_t i) { return work.items[i].name; },
        [&](std::uint32_t w) { return work.item[w]; });

  Grouping grouping;
  grouping.begin.push_back(0);
  for (const Measure::Class& klass : measure.classes) {
    grouping.groups.emplace_back().name = klass.name;
    for (const std::uint32_t w : cohort)
      if (belongs_to(work, klass, w)) grouping.members.push_back(w);
    grouping.begin.push_back(grouping.members.size());
  }
  return grouping;
}

Grouping tenants_of(const Work& work, Group::Kind kind, std::span<const std::uint32_t> cohort) {
  const Tenants& tenants = work.tenants;
  switch (kind) {
    case Group::Kind::kOrganization:
      return bucketed(
          cohort, tenants.organizations.size(), kind, false,
          [&](std::size_t i) { return tenants.organizations[i].name; },
          [&](std::uint32_t w) { return tenants.accounts[work.account[w]].organization; });
    case Group::Kind::kAccount:
      return bucketed(
          cohort, tenants.accounts.size(), kind, false, [&](std::size_t i) { return tenants.accounts[i].name; },
          [&](std::uint32_t w) { return work.account[w]; });
    case Group::Kind::kUser:
    case Group::Kind::kClass:
      break;
  }
  return bucketed(
      cohort, tenants.users.size(), Group::Kind::kUser, false, [&](std::size_t i) { return tenants.users[i].name; },
      [&](std::uint32_t w) { return work.user[w]; });
}

}  // namespace headroom
