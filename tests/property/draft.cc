#include "tests/property/draft.h"

#include <algorithm>
#include <cstddef>

namespace headroom::oracle {

Draft draft_of(const Work& work) {
  Draft draft;
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    Draft::Workflow workflow{work.submitted_at[w], work.priority[w], work.account[w], work.user[w], {}, {}, false};
    if (!work.after_begin.empty()) {
      workflow.after.assign(work.after.begin() + work.after_begin[w], work.after.begin() + work.after_begin[w + 1]);
      workflow.think_time = work.think_time[w];
    }
    draft.workflows.push_back(workflow);
  }
  for (StageRow s = 0; s < work.stages(); ++s) {
    Draft::Stage stage;
    stage.workflow = work.workflow_of[s];
    stage.text.run_time = work.run_time[s];
    stage.text.estimate = work.estimate[s];
    if (!work.walltime.empty()) stage.text.walltime = work.walltime[s];
    stage.text.demand = work.demands[work.demand[s]];
    if (!work.failing.empty()) stage.text.failing = work.failings[work.failing[s]];
    if (!work.preemptible.empty()) stage.text.preemptible = work.preemptible[s] != 0;
    if (!work.checkpoint.empty()) stage.text.checkpoint = work.checkpoint[s];
    if (!work.retry.empty()) stage.text.retry = work.retry[s];
    if (!work.needs_begin.empty())
      for (std::uint32_t i = work.needs_begin[s]; i < work.needs_begin[s + 1]; ++i)
        stage.text.needs.push_back(work.needs[i] >= work.stages() ? WorkBuilder::kNobodyMakes : work.needs[i]);
    if (!work.declarer.empty()) stage.declarer = work.declarer[s];
    if (!work.program.empty() && work.program[s] >= 0) {
      stage.is_plan = true;
      stage.program = work.plans[static_cast<std::size_t>(work.program[s])];
    }
    draft.stages.push_back(stage);
  }
  return draft;
}

Work build(Draft draft, const Work& like) {
  for (Draft::Stage& stage : draft.stages)
    stage.gone |=
        draft.workflows[stage.workflow].gone || (stage.declarer != kNoRow && draft.stages[stage.declarer].gone);
  for (std::uint32_t w = 0; w < draft.workflows.size(); ++w)
    draft.workflows[w].gone |=
        std::ranges::none_of(draft.stages, [w](const auto& s) { return s.workflow == w && !s.gone; });
  WorkBuilder builder(like.cluster);
  builder.tenants(like.tenants);
  std::vector<std::uint32_t> new_workflow(draft.workflows.size());
  std::vector<StageRow> new_row(draft.stages.size(), kNoRow);
  StageRow rows = 0;
  for (std::size_t s = 0; s < draft.stages.size(); ++s)
    if (!draft.stages[s].gone) new_row[s] = rows++;
  for (std::uint32_t w = 0; w < draft.workflows.size(); ++w) {
    const Draft::Workflow& workflow = draft.workflows[w];
    if (workflow.gone) continue;
    new_workflow[w] = builder.workflow(workflow.at, workflow.priority, workflow.account, workflow.user);
    std::vector<std::uint32_t> after;
    for (std::uint32_t before : workflow.after)
      if (!draft.workflows[before].gone) after.push_back(new_workflow[before]);
    if (!after.empty()) builder.after(after, workflow.think_time);
    for (const Draft::Stage& stage : draft.stages) {
      if (stage.workflow != w || stage.gone) continue;
      StageText text = stage.text;
      text.needs.clear();
      for (StageRow need : stage.text.needs) {
        if (need == WorkBuilder::kNobodyMakes)
          text.needs.push_back(need);
        else if (new_row[need] != kNoRow)
          text.needs.push_back(new_row[need]);
      }
      const StageRow declarer = stage.declarer == kNoRow ? kNoRow : new_row[stage.declarer];
      if (!stage.is_plan) {
        builder.stage(text, declarer);
        continue;
      }
      const StageRow row = builder.plan(text, stage.program.startup, stage.program.teardown, declarer);
      for (const PlanProgram::Op& op : stage.program.ops) {
        if (op.kind != PlanOp::Kind::kDeclare)
          builder.op(row, op.kind, op.cost);
        else if (new_row[op.stage] != kNoRow)
          builder.op(row, op.kind, op.cost, new_row[op.stage]);
      }
    }
  }
  return builder.done();
}

Draft reordered(const Draft& draft, const std::vector<std::uint32_t>& order) {
  Draft other;
  std::vector<StageRow> new_row(draft.stages.size());
  for (std::uint32_t w = 0; w < order.size(); ++w) {
    other.workflows.push_back(draft.workflows[order[w]]);
    for (StageRow s = 0; s < draft.stages.size(); ++s) {
      if (draft.stages[s].workflow != order[w]) continue;
      new_row[s] = static_cast<StageRow>(other.stages.size());
      other.stages.push_back(draft.stages[s]);
      other.stages.back().workflow = w;
    }
  }
  for (Draft::Stage& stage : other.stages) {
    for (StageRow& need : stage.text.needs)
      if (need != WorkBuilder::kNobodyMakes) need = new_row[need];
    if (stage.declarer != kNoRow) stage.declarer = new_row[stage.declarer];
    for (PlanProgram::Op& op : stage.program.ops)
      if (op.kind == PlanOp::Kind::kDeclare) op.stage = new_row[op.stage];
  }
  return other;
}

}  // namespace headroom::oracle
