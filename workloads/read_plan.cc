// `plan:`: what a plan does as it runs, flattened into operations; its steps join the workflow's stages.
#include <algorithm>
#include <array>
#include <utility>

#include "workloads/workflow_draft.h"

namespace headroom::yaml {
namespace {

enum class HoldMode : std::uint8_t { kAsWritten, kNone, kAll, kBatches };

/// Reads one plan's own keys and then its steps, sub-plans on the way.
class PlanReader {
 public:
  PlanReader(WorkflowDraft& draft, std::uint32_t stage, std::uint32_t plan)
      : draft_(draft), stage_(stage), plan_(plan) {}

  void read_own_keys(MapReader& map, Duration startup) {
    Context& c = draft_.reading.context;
    const Overheads& overheads = draft_.reading.workload.scheduler.overheads;
    PlanTemplate& plan = draft_.item.plans[plan_];
    plan.startup = length(map, "startup", startup);
    plan.declare = length(map, "declare", overheads.declare);
    plan.teardown = length(map, "teardown", overheads.plan_exit);
    plan.hold = overheads.hold;
    plan.release = overheads.release;
    plan.static_file = overheads.static_file;
    if (const Node* order = map.get("order")) {
      constexpr std::array<std::string_view, 3> kOrders{"written", "reversed", "shuffled"};
      plan.order = static_cast<PlanOrder>(word_of(c, *order, "order", "plan.order", kOrders).value_or(0));
    }
    if (const Node* hold = map.get("hold")) read_hold_mode(*hold);
    steps_ = map.require("steps", "a list of what it does");
  }

  void read_steps() {
    if (steps_ == nullptr) return;
    if (hold_ == HoldMode::kAll) op({PlanOp::Kind::kHold, 0, {}});
    read_list(*steps_, "steps");
    if (hold_ == HoldMode::kAll) op({PlanOp::Kind::kRelease, 0, {}});
  }

 private:
  Duration length(MapReader& map, std::string_view key, Duration otherwise) {
    const Node* node = map.get(key);
    return node == nullptr ? otherwise : duration_of(draft_.reading.context, *node, key).value_or(otherwise);
  }

  void read_hold_mode(const Node& node) {
    Context& c = draft_.reading.context;
    if (node.is_scalar() && !node.quoted && read_whole(node.text).ok()) {
      hold_ = HoldMode::kBatches;
      draft_.item.plans[plan_].batch = whole_of(c, node, "hold", 1, kMostStages).value_or(1);
      return;
    }
    constexpr std::array<std::string_view, 3> kModes{"as_written", "none", "all"};
    hold_ = static_cast<HoldMode>(word_of(c, node, "hold", "plan.hold", kModes).value_or(0));
  }

  // By index: reading a sub-plan moves the plans.
  void op(PlanOp made) { draft_.item.plans[plan_].ops.push_back(std::move(made)); }

  void read_list(const Node& node, std::string_view what) {
    Context& c = draft_.reading.context;
    for (const NodeId item : items_of(c, node, what)) read_entry(c.at(item));
  }

  [[nodiscard]] bool has(const Node& node, std::string_view key) const {
    const Context& c = draft_.reading.context;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      if (c.at(node.children[i]).text == key) return node.is_map();
    }
    return false;
  }

  void read_entry(const Node& node) {
    if (has(node, "hold")) return read_hold(node);
    if (has(node, "pause")) return read_pause(node);
    if (has(node, "plan")) return read_sub_plan(node);
    if (has(node, "static")) return read_static(node);
    for (const std::string_view key : {"amend", "raise", "exit"}) {
      if (!has(node, key)) continue;
      MapReader map(draft_.reading.context, node, "step", "a step");
      map.finish();
      return;
    }
    op({PlanOp::Kind::kDeclare, read_stage(draft_, node, stage_), {}});
  }

  void read_hold(const Node& node) {
    MapReader map(draft_.reading.context, node, "step", "a hold");
    const Node* held = map.get("hold");
    map.finish();
    // `all` is one hold in the place of those that are written, N many.
    const bool kept = hold_ == HoldMode::kAsWritten;
    if (kept) op({PlanOp::Kind::kHold, 0, {}});
    read_list(*held, "hold");
    if (kept) op({PlanOp::Kind::kRelease, 0, {}});
  }

  void read_pause(const Node& node) {
    Context& c = draft_.reading.context;
    MapReader map(c, node, "step", "a pause");
    const Node* length_node = map.get("pause");
    map.finish();
    op({PlanOp::Kind::kPause, 0, duration_of(c, *length_node, "pause").value_or(Duration{})});
  }

  /// One call, however many files.
  void read_static(const Node& node) {
    Context& c = draft_.reading.context;
    MapReader map(c, node, "step", "a declaration of source files");
    const Node* files = map.get("static");
    map.finish();
    PlanOp made{PlanOp::Kind::kStatic, 0, {}};
    for (const NodeId item : items_of(c, *files, "static")) {
      const Node& place = c.at(item);
      const auto file = text_of(c, place, "static");
      if (!file) continue;
      if (file->empty()) {
        c.expected(place, "static", "a file's name");
      } else if (!draft_.sources.emplace(*file, &place).second) {
        c.error(place, "static: '" + *file + "' is declared already");
      } else {
        made.files.push_back(*file);
      }
    }
    op(std::move(made));
  }

  void read_sub_plan(const Node& node) {
    Context& c = draft_.reading.context;
    MapReader outer(c, node, "step", "a sub-plan's entry");
    const Node* inner = outer.get("plan");
    outer.finish();
    MapReader map(c, *inner, "step", "a sub-plan");
    if (!map.ok()) return;
    StageTemplate made;
    made.declarer = stage_;
    made.plan = static_cast<std::uint32_t>(draft_.item.plans.size());
    draft_.item.plans.emplace_back();
    PlanReader reader(draft_, 0, *made.plan);
    WorkflowDraft::Places where;
    read_stage_keys(draft_, map, made, where);
    reader.read_own_keys(map, draft_.reading.workload.scheduler.overheads.subplan_start);
    map.finish();
    reader.stage_ = draft_.add(std::move(made), where);
    op({PlanOp::Kind::kDeclare, reader.stage_, {}});
    reader.read_steps();
  }

  WorkflowDraft& draft_;
  std::uint32_t stage_, plan_;
  HoldMode hold_ = HoldMode::kAsWritten;
  const Node* steps_ = nullptr;
};

}  // namespace

void read_root_plan(WorkflowDraft& draft, const Node& node) {
  Context& c = draft.reading.context;
  MapReader map(c, node, "plan", "the plan");
  StageTemplate root;
  root.name = "plan";
  root.plan = 0;
  if (const Node* estimate = map.get("estimate")) root.estimate = run_time_of(c, *estimate, "estimate");
  draft.item.plans.emplace_back();
  WorkflowDraft::Places where;
  where.node = &node;
  PlanReader reader(draft, draft.add(std::move(root), where), 0);
  reader.read_own_keys(map, draft.reading.workload.scheduler.overheads.plan_start);
  map.finish();
  reader.read_steps();
}

}  // namespace headroom::yaml
