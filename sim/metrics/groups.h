// Which workflows a figure is about: the cohort, and its parts by class and by tenant.
// It must know nothing of what the numbers are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/metrics/report.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// The submitted workflows whose submission lies in [from, to), by index.
[[nodiscard]] std::vector<std::uint32_t> cohort_of(std::span<const TimePoint> submitted_at,
                                                   std::span<const std::uint8_t> is_submitted, const Measure& measure);

/// Groups and the cohort's workflows in each. Groups may overlap (classes) and may be empty (classes).
struct Grouping {
  std::vector<Group> groups;       ///< kind and name alone
  std::vector<std::size_t> begin;  ///< size groups + 1
  std::vector<std::uint32_t> members;

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t group) const {
    return std::span(members).subspan(begin[group], begin[group + 1] - begin[group]);
  }
};

/// `measure.classes` in their order, whoever belongs to them; without any, one per work item.
/// Cost   O(classes x cohort) where classes are given, else O(items + cohort).
[[nodiscard]] Grouping classes_of(const Work& work, const Measure& measure, std::span<const std::uint32_t> cohort);

/// Does the workflow satisfy every stated condition?
[[nodiscard]] bool belongs_to(const Work& work, const Measure::Class& klass, std::uint32_t workflow);

/// By workflow (of the cohort or not) the first class it belongs to, 0xffffffff: none.
[[nodiscard]] std::vector<std::uint32_t> first_classes(const Work& work, const Measure& measure);

/// One kind of tenant, those that the cohort has work of, in the order of Work's tenants. `kind` is not kClass.
/// Cost   O(tenants + cohort).
[[nodiscard]] Grouping tenants_of(const Work& work, Group::Kind kind, std::span<const std::uint32_t> cohort);

}  // namespace headroom
