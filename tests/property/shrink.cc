#include "tests/property/shrink.h"

#include <algorithm>
#include <cstddef>

#include "tests/property/work_builder.h"

namespace headroom::oracle {
namespace {

/// A Work that can be edited: stages know one another by position in `stages` until it is built again.
struct Draft {
  struct Workflow {
    TimePoint at;
    std::int64_t priority = 0;
    std::uint32_t account = 0, user = 0;
    std::vector<std::uint32_t> after;
    Duration think_time;
    bool gone = false;
  };
  struct Stage {
    StageText text;  ///< needs: positions
    std::uint32_t workflow = 0;
    StageRow declarer = kNoRow;
    bool is_plan = false, gone = false;
    PlanProgram program;
  };
  std::vector<Workflow> workflows;
  std::vector<Stage> stages;
};

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

/// Without what is gone, and without what only makes sense with it: a plan's steps go with the plan.
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

class Shrinker {
 public:
  Shrinker(Case c, const std::function<bool(const Case&)>& fails)
      : case_(std::move(c)), draft_(draft_of(case_.work)), fails_(fails) {}

  Case run() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t w = 0; w < draft_.workflows.size(); ++w) again |= edit_workflow(w);
      for (std::size_t s = draft_.stages.size(); s-- > 0;) again |= edit_stage(s);
      again |= edit_rest();
    }
    return case_;
  }

 private:
  /// Keeps the edit if the case still fails.
  template <class Edit>
  bool attempt(Edit edit) {
    Draft draft = draft_;
    Case c = case_;
    edit(draft, c);
    c.work = build(draft, c.work);
    if (c.work.workflows() == 0 || !fails_(c)) return false;
    draft_ = draft;
    case_ = c;
    return true;
  }
  /// Sets a part of the draft or the case to a simpler value, where it is not that already.
  template <class Part, class Value>
  bool simplify(Part part, Value simple) {
    if (part(draft_, case_) == simple) return false;
    return attempt([&](Draft& draft, Case& c) { part(draft, c) = simple; });
  }

  bool edit_workflow(std::size_t w) {
    if (draft_.workflows[w].gone) return false;
    bool any = attempt([w](Draft& draft, Case&) { draft.workflows[w].gone = true; });
    if (any) return true;
    any |= simplify(
        [w](Draft & d, Case&) -> auto& { return d.workflows[w].at; }, TimePoint{});
    any |= simplify(
        [w](Draft & d, Case&) -> auto& { return d.workflows[w].priority; }, 0);
    any |= simplify(
        [w](Draft & d, Case&) -> auto& { return d.workflows[w].account; }, 0U);
    any |= simplify(
        [w](Draft & d, Case&) -> auto& { return d.workflows[w].user; }, 0U);
    any |= simplify(
        [w](Draft & d, Case&) -> auto& { return d.workflows[w].after; }, std::vector<std::uint32_t>{});
    return any;
  }

  bool edit_stage(std::size_t s) {
    if (draft_.stages[s].gone || draft_.workflows[draft_.stages[s].workflow].gone) return false;
    if (attempt([s](Draft& draft, Case&) { draft.stages[s].gone = true; })) return true;
    bool any = false;
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].text.run_time; }, Duration{});
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].text.estimate; }, draft_.stages[s].text.run_time);
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].text.walltime; }, Duration::infinite());
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].text.demand; }, Demand{});
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].text.demand.pools; }, decltype(Demand::pools){});
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].text.retry; }, 0);
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].text.failing.kind; }, Failing::Kind::kNever);
    for (std::size_t i = draft_.stages[s].text.needs.size(); i-- > 0;)
      any |= attempt([s, i](Draft& d, Case&) {
        auto& needs = d.stages[s].text.needs;
        needs.erase(needs.begin() + static_cast<std::ptrdiff_t>(i));
      });
    return edit_program(s) || any;
  }

  bool edit_program(std::size_t s) {
    if (!draft_.stages[s].is_plan) return false;
    bool any = false;
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].program.startup; }, Duration{});
    any |= simplify(
        [s](Draft & d, Case&) -> auto& { return d.stages[s].program.teardown; }, Duration{});
    for (std::size_t i = draft_.stages[s].program.ops.size(); i-- > 0;) {
      any |= simplify(
          [ s, i ](Draft & d, Case&) -> auto& { return d.stages[s].program.ops[i].cost; }, Duration{});
      const PlanOp::Kind kind = draft_.stages[s].program.ops[i].kind;
      if (kind == PlanOp::Kind::kPause) any |= attempt([&](Draft& d, Case&) { erase_op(d, s, i); });
      if (kind == PlanOp::Kind::kHold) any |= remove_hold(s, i);
    }
    return any;
  }
  static void erase_op(Draft& draft, std::size_t s, std::size_t i) {
    auto& ops = draft.stages[s].program.ops;
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
  }
  bool remove_hold(std::size_t s, std::size_t at) {
    const auto& ops = draft_.stages[s].program.ops;
    int depth = 0;
    for (std::size_t i = at; i < ops.size(); ++i) {
      if (ops[i].kind == PlanOp::Kind::kHold) ++depth;
      if (ops[i].kind != PlanOp::Kind::kRelease || --depth > 0) continue;
      return attempt([&](Draft& d, Case&) {
        erase_op(d, s, i);
        erase_op(d, s, at);
      });
    }
    return false;
  }

  bool edit_rest() {
    bool any = false;
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.settings.tick; }, Duration{});
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.settings.hold_release; }, HoldRelease::kIdeal);
    if (case_.settings.hold_release == HoldRelease::kIdeal)
      any |= simplify(
          [](Draft&, Case & c) -> auto& { return c.settings.hold_scope; }, HoldScope::kBlock);
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.settings.simultaneous; }, Simultaneous::kBatch);
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.settings.queue_depth; }, 0);
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.settings.on_failure; }, OnFailure::kContinue);
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.measure.give_up; }, std::optional<Duration>{});
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.measure.to; }, std::optional<Duration>{});
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.policy.priority; }, Priority::kNone);
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.policy.placement; }, Placement::kGreedy);
    any |= simplify(
        [](Draft&, Case & c) -> auto& { return c.policy.backfill; }, Backfill::kQueue);
    for (std::size_t i = case_.policy.ties.size(); i-- > 0;)
      any |= attempt(
          [i](Draft&, Case& c) { c.policy.ties.erase(c.policy.ties.begin() + static_cast<std::ptrdiff_t>(i)); });
    for (std::size_t i = case_.work.cluster.classes.size(); i-- > 0 && case_.work.cluster.classes.size() > 1;)
      any |= attempt([i](Draft&, Case& c) {
        auto& classes = c.work.cluster.classes;
        classes.erase(classes.begin() + static_cast<std::ptrdiff_t>(i));
      });
    return any;
  }

  Case case_;
  Draft draft_;
  const std::function<bool(const Case&)>& fails_;
};

}  // namespace

Case shrink(Case c, const std::function<bool(const Case&)>& fails) { return Shrinker(std::move(c), fails).run(); }

}  // namespace headroom::oracle
