#include "workloads/work.h"

#include <algorithm>

#include "workloads/draw.h"

namespace headroom {

std::string Work::workflow_name(std::uint32_t workflow) const {
  const Item& of = items[item[workflow]];
  const std::uint32_t index = workflow - of.first_workflow;
  switch (of.naming) {
    case Item::Naming::kOne:
      break;
    case Item::Naming::kIndexed:
    case Item::Naming::kShapes:
      return of.name + "[" + std::to_string(index) + "]";
    case Item::Naming::kJobs: {
      const std::string name = "job" + std::to_string(of.job_numbers[index]);
      const std::uint32_t repeat = of.job_repeats.empty() ? 0 : of.job_repeats[index];
      return repeat == 0 ? name : name + "#" + std::to_string(repeat);
    }
  }
  return of.name;
}

std::string Work::stage_name(StageRow row) const {
  const std::uint32_t workflow = workflow_of[row];
  const Item& of = items[item[workflow]];
  if (of.naming == Item::Naming::kShapes) return "s" + std::to_string(row - first_stage[workflow]);
  return of.stage_names.empty() ? "main" : of.stage_names[row - first_stage[workflow]];
}

bool Work::fails(StageRow row, std::uint32_t attempt) const {
  if (failing.empty()) return false;
  const Failing& how = failings[failing[row]];
  switch (how.kind) {
    case Failing::Kind::kNever:
      return false;
    case Failing::Kind::kAlways:
      return true;
    case Failing::Kind::kFirst:
      return static_cast<std::int64_t>(attempt) < how.first;
    case Failing::Kind::kProbability:
      break;
  }
  const std::uint32_t workflow = workflow_of[row];
  const Item& of = items[item[workflow]];
  return Draws(seed, replication, of.name)
             .uniform(workflow - of.first_workflow, row - first_stage[workflow], attempt, Attribute::kFailure) <
         how.probability;
}

std::uint64_t Work::tie_draw(StageRow row) const {
  const std::uint32_t workflow = workflow_of[row];
  const Item& of = items[item[workflow]];
  return Draws(seed, replication, of.name)
      .bits(workflow - of.first_workflow, row - first_stage[workflow], 0, Attribute::kTie);
}

}  // namespace headroom
