#include "tests/property/shrink.h"

#include <algorithm>
#include <cstddef>

#include "tests/property/draft.h"

namespace headroom::oracle {
namespace {

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
