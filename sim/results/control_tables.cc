#include "sim/results/control_tables.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/metrics/control_report.h"
#include "sim/metrics/control_text.h"
#include "sim/results/column_maker.h"

namespace headroom {
namespace {

std::vector<std::string> user_names(const Work& work) {
  std::vector<std::string> names;
  for (const UserSpec& user : work.tenants.users) names.push_back(user.name);
  return names;
}

double number(const std::optional<std::int64_t>& value) { return value ? static_cast<double>(*value) : kUndefined; }

TableSource events_table(const Work& work, const ControlLog& control) {
  auto rows = std::make_shared<std::vector<ActivityRow>>(activity(work, control));
  TableMaker table("events", rows->size());
  table.time("time", "when", [rows](std::size_t row) { return (*rows)[row].at.in_seconds(); });
  table.code("kind", "what happened", as_strings(activity_words()),
             [rows](std::size_t row) { return (*rows)[row].kind; });
  table.index("workflow", "number of the workflow in its run",
              [rows](std::size_t row) { return (*rows)[row].workflow; });
  table.index("stage", "number of the stage in its run", [rows](std::size_t row) { return (*rows)[row].stage; });
  table.code("factor", "which input of the priority", as_strings(factor_words()),
             [rows](std::size_t row) { return (*rows)[row].factor; });
  table.add<double>("old", "1", "value before", [rows](std::size_t row) { return (*rows)[row].old_value; });
  table.add<double>("new", "1", "value from the next pass on",
                    [rows](std::size_t row) { return (*rows)[row].new_value; });
  table.name_of("actor", "who did it", user_names(work), [rows](std::size_t row) { return (*rows)[row].actor; });
  table.index("node", "number of the node, by order of the file",
              [rows](std::size_t row) { return (*rows)[row].node; });
  table.text("subject", "who was added or removed as owner", [rows](std::size_t row) { return (*rows)[row].subject; });
  return table.take();
}

TableSource audit_table(const Work& work, const ControlLog& control) {
  const std::vector<AuditEntry>& audit = control.audit;
  TableMaker table("audit", audit.size());
  table.time("time", "when", [&audit](std::size_t row) { return audit[row].at.in_seconds(); });
  table.name_of("actor", "who asked", user_names(work), [&audit](std::size_t row) { return audit[row].actor; });
  table.text("context", "organization that the actor had selected", [&](std::size_t row) {
    return audit[row].context ? work.tenants.organizations[*audit[row].context].name : std::string();
  });
  table.code("action", "what was asked", as_strings(audit_verb_words()),
             [&audit](std::size_t row) { return audit[row].verb; });
  table.text("target", "of what", [&](std::size_t row) { return target_text(work, audit[row]); });
  table.add<double>("old", "1", "value before", [&audit](std::size_t row) { return number(audit[row].old_value); });
  table.add<double>("new", "1", "value asked for", [&audit](std::size_t row) { return number(audit[row].new_value); });
  table.code("outcome", "what came of it", {"refused", "applied"},
             [&audit](std::size_t row) { return audit[row].applied ? 1 : 0; });
  table.code("positive", "was a workflow's priority set above 0?", {"no", "yes"}, [&audit](std::size_t row) {
    const AuditEntry& entry = audit[row];
    return entry.applied && entry.target == Action::Target::kWorkflow && entry.new_value.value_or(0) > 0 ? 1 : 0;
  });
  table.code("rule", "rule that decided", as_strings(rule_words()),
             [&audit](std::size_t row) { return audit[row].rule; });
  table.code("decided_by", "cluster that decided", {"orchestrate", "federate"},
             [&audit](std::size_t row) { return audit[row].decided_on_federate ? 1 : 0; });
  table.text("why", "why", [&](std::size_t row) { return why_text(work, audit[row]); });
  return table.take();
}

TableSource replies_table(const Work& work, const ControlLog& control) {
  constexpr std::array<std::string_view, 10> kVerbs{"update",   "stop",  "score", "add_owner", "remove_owner",
                                                    "describe", "queue", "fail",  "cordon",    "uncordon"};
  const std::vector<Reply>& replies = control.replies;
  const auto action = [&](std::size_t row) -> const Action& { return work.actions[replies[row].action]; };
  TableMaker table("answers", replies.size());
  table.time("time", "when", [action](std::size_t row) { return action(row).at.in_seconds(); });
  table.name_of("actor", "who asked", user_names(work), [action](std::size_t row) { return action(row).by; });
  table.code("action", "what was asked", as_strings(kVerbs), [action](std::size_t row) { return action(row).kind; });
  table.text("target", "of what", [action](std::size_t row) { return action(row).name; });
  table.code("outcome", "what came of it", {"done", "unchanged", "ended", "refused", "not_there"},
             [&replies](std::size_t row) { return replies[row].outcome; });
  table.ordinal("done", "workflows, or the one other thing, that it was done to",
                [&replies](std::size_t row) { return replies[row].done; });
  table.ordinal("unchanged", "of which it was so already",
                [&replies](std::size_t row) { return replies[row].unchanged; });
  table.ordinal("refused", "for which it was refused", [&replies](std::size_t row) { return replies[row].refused; });
  table.ordinal("ended", "workflows that had ended before",
                [&replies](std::size_t row) { return replies[row].ended.size(); });
  table.text("text", "what the actor was told", [&](std::size_t row) { return reply_text(work, replies[row]); });
  return table.take();
}

void add_inputs(TableMaker& table, const std::vector<DescribeView>& views) {
  const auto add = [&](const char* name, const char* long_name, std::int64_t PriorityInputs::*input) {
    table.number(name, "1", long_name, [&views, input](std::size_t row) { return views[row].inputs.*input; });
  };
  add("organization_priority", "priority of the organization", &PriorityInputs::organization);
  add("account_priority", "priority of the account", &PriorityInputs::account);
  add("user_priority", "priority of the submitter", &PriorityInputs::user);
  add("workflow_priority", "priority of the workflow", &PriorityInputs::workflow);
}

TableSource describes_table(const Work& work, const ControlLog& control) {
  const std::vector<DescribeView>& views = control.describes;
  TableMaker table("describes", views.size());
  table.time("time", "when", [&views](std::size_t row) { return views[row].at.in_seconds(); });
  table.name_of("actor", "who looked", user_names(work), [&views](std::size_t row) { return views[row].actor; });
  table.ordinal("workflow", "number of the workflow in its run",
                [&](std::size_t row) { return work.workflow_of[views[row].stage]; });
  table.ordinal("stage", "number of the stage in its run", [&views](std::size_t row) { return views[row].stage; });
  add_inputs(table, views);
  table.time("age", "time since the workflow was created",
             [&views](std::size_t row) { return views[row].age.in_seconds(); });
  table.add<double>("effective_priority", "1", "priority by the policy; undefined once the stage has ended",
                    [&views](std::size_t row) { return views[row].effective_priority; });
  return table.take();
}

TableSource queue_views_table(const Work& work, const ControlLog& control) {
  struct Row {
    const QueueView* view;
    const QueueView::Row* row;
    std::uint32_t number;
  };
  auto rows = std::make_shared<std::vector<Row>>();
  for (std::uint32_t v = 0; v < control.queues.size(); ++v)
    for (const QueueView::Row& row : control.queues[v].rows) rows->push_back({&control.queues[v], &row, v});
  TableMaker table("queue_views", rows->size());
  table.ordinal("view", "number of the view", [rows](std::size_t row) { return (*rows)[row].number; });
  table.time("time", "when", [rows](std::size_t row) { return (*rows)[row].view->at.in_seconds(); });
  table.name_of("actor", "who looked", user_names(work), [rows](std::size_t row) { return (*rows)[row].view->actor; });
  table.add<std::uint64_t>("total", "1", "eligible stages in all",
                           [rows](std::size_t row) { return (*rows)[row].view->total; });
  table.add<std::uint64_t>("position", "1", "place among all of them, from 1",
                           [rows](std::size_t row) { return (*rows)[row].row->position; });
  table.ordinal("workflow", "number of the workflow in its run",
                [&work, rows](std::size_t row) { return work.workflow_of[(*rows)[row].row->stage]; });
  table.ordinal("stage", "number of the stage in its run", [rows](std::size_t row) { return (*rows)[row].row->stage; });
  table.add<double>("effective_priority", "1", "priority by the policy at that time",
                    [rows](std::size_t row) { return (*rows)[row].row->effective_priority; });
  return table.take();
}

}  // namespace

std::vector<TableSource> control_tables(const Work& work, const ControlLog& control) {
  std::vector<TableSource> tables;
  if (work.actions.empty() && control.audit.empty()) return tables;
  tables.push_back(events_table(work, control));
  tables.push_back(audit_table(work, control));
  tables.push_back(replies_table(work, control));
  tables.push_back(describes_table(work, control));
  tables.push_back(queue_views_table(work, control));
  return tables;
}

}  // namespace headroom
