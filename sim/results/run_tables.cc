#include "sim/results/run_tables.h"

#include <algorithm>
#include <memory>

#include "policies/reason.h"
#include "sim/results/column_maker.h"
#include "sim/results/control_tables.h"
#include "workloads/scheduler_words.h"

namespace headroom {
namespace {

constexpr std::uint32_t kNoClass = 0xffffffff;
constexpr std::string_view kFailed = "failed";

std::string hex16(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = "0123456789abcdef"[value >> (4 * i) & 0xf];
  return text;
}

double metric(const MetricValues& values, std::size_t index) {
  return index < values.size() ? values[index] : kUndefined;
}

template <class Specs>
std::vector<std::string> names_in(const Specs& specs) {
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  return names;
}

// ---- /runs

/// One value of an axis, in the type that the whole axis has.
ColumnSource axis_column(const AxisFacts& axis, std::string name, std::uint32_t index) {
  Column column{std::move(name), axis.unit.empty() ? "1" : axis.unit, axis.path, {}, {}, {}, false};
  std::visit([&](const auto& values) { column.data = std::decay_t<decltype(values)>{}; }, axis.coordinate);
  return {
      std::move(column), [&axis, index]() -> Column::Data {
        return std::visit(
            [index](const auto& values) -> Column::Data { return std::decay_t<decltype(values)>{values.at(index)}; },
            axis.coordinate);
      }};
}

TableSource runs_table(const StudyFacts& study, const RunFacts& facts, const RunReport& report) {
  TableMaker table("runs", 1);
  std::vector<std::string> taken{"run",           "policy",          "replication",  "seed",        "status",
                                 "decision_hash", "workflow_offset", "stage_offset", "event_offset"};
  for (const MetricInfo& info : metric_catalog()) taken.emplace_back(info.name);
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    taken.push_back(axis_name(study.axes[a].path, taken));
    table.add(axis_column(study.axes[a], taken.back(), facts.point[a]));
  }
  table.text("policy", "policy", [&](std::size_t) { return study.policies[facts.policy].name; });
  table.number("replication", "1", "number of the replication", [&](std::size_t) { return facts.replication; });
  table.add<std::uint64_t>("seed", "1", "seed of every draw", [&](std::size_t) { return study.seed; });
  table.code("status", "how the run ended", run_status_words(), [&](std::size_t) {
    return facts.failure.empty() ? static_cast<std::size_t>(report.status) : run_status_words().size() - 1;
  });
  table.text("decision_hash", "hash of every decision", [&](std::size_t) { return hex16(report.decision_hash); });
  const std::span<const MetricInfo> catalog = metric_catalog();
  for (std::size_t m = 0; m < catalog.size(); ++m) {
    table.add<double>(std::string(catalog[m].name), std::string(catalog[m].unit), std::string(catalog[m].long_name),
                      [&report, m](std::size_t) { return metric(report.metrics, m); });
  }
  return table.take();
}

// ---- /settings: what the run was decided under, for who checks it

std::string tie_text(const Policy& policy) {
  std::string text;
  for (const Tie tie : policy.ties)
    text += (text.empty() ? "" : " ") + std::string(tie_words()[static_cast<std::size_t>(tie)]);
  return text;
}

/// "cap=24 x=0.5"
std::string param_text(const Policy& policy) {
  std::string text;
  for (const expr::Param& param : policy.params) text += (text.empty() ? "" : " ") + param.name + "=" + param.number;
  return text;
}

TableSource settings_table(const RunFacts& facts, const Work& work) {
  TableMaker table("settings", 1);
  const SchedulerSettings& s = *facts.settings;
  const Policy& p = *facts.definition;
  const Measure& m = *facts.measure;
  const auto or_nan = [](const std::optional<Duration>& d) { return d ? d->in_seconds() : kUndefined; };
  table.time("tick", "passes at its multiples only; 0: at every change",
             [&](std::size_t) { return s.tick.in_seconds(); });
  table.number("queue_depth", "1", "so many are considered in a pass; 0: all",
               [&](std::size_t) { return s.queue_depth; });
  table.code("simultaneous", "what comes first at one instant", as_strings(simultaneous_words()),
             [&](std::size_t) { return s.simultaneous; });
  table.code("hold_scope", "what a hold gates", as_strings(hold_scope_words()),
             [&](std::size_t) { return s.hold_scope; });
  table.code("hold_release", "what a release lets go of", as_strings(hold_release_words()),
             [&](std::size_t) { return s.hold_release; });
  table.code("on_failure", "what a failed workflow does", as_strings(on_failure_words()),
             [&](std::size_t) { return s.on_failure; });
  table.time("default_estimate", "where nothing else is known",
             [&](std::size_t) { return s.default_estimate.in_seconds(); });
  table.time("give_up", "no decision from this time on", [&, or_nan](std::size_t) { return or_nan(m.give_up); });
  table.time("measure_from", "the cohort is submitted from this time on",
             [&, or_nan](std::size_t) { return or_nan(m.from); });
  table.time("measure_to", "and before this one", [&, or_nan](std::size_t) { return or_nan(m.to); });
  table.text("priority", "the policy's expression", [&](std::size_t) { return std::string(priority_expression(p)); });
  table.text("params", "its parameters", [&](std::size_t) { return param_text(p); });
  table.number("start", "s", "date of time 0, since 1970", [&](std::size_t) { return work.start_unix_s; });
  table.number("utc_offset", "s", "zone in which hours and days of dates count",
               [&](std::size_t) { return work.utc_offset_s; });
  table.text("ties", "the policy's ties, in order", [&](std::size_t) { return tie_text(p); });
  table.code("placement", "what happens to what does not fit", as_strings(placement_words()),
             [&](std::size_t) { return p.placement; });
  table.code("backfill", "order in which others are tried beside a reservation", as_strings(backfill_words()),
             [&](std::size_t) { return p.backfill; });
  table.code("preemption", "what happens to what is in the way", as_strings(preemption_words()),
             [&](std::size_t) { return p.preemption; });
  table.add<double>("preemption_margin", "1", "a victim's priority is lower by more than this",
                    [&](std::size_t) { return p.preemption_terms.margin; });
  table.time("preemption_minimum_run", "nobody goes who has not run that long",
             [&](std::size_t) { return p.preemption_terms.minimum_run.in_seconds(); });
  table.time("preemption_grace", "how long a victim may still run",
             [&](std::size_t) { return p.preemption_terms.grace.in_seconds(); });
  table.code("hold", "whether holds count", as_strings(hold_words()), [&](std::size_t) { return p.hold; });
  return table.take();
}

// ---- /classes, /tenants

void add_group_metrics(TableMaker& table, const std::vector<Group>& groups) {
  const std::span<const MetricInfo> catalog = metric_catalog();
  for (std::size_t m = 0; m < catalog.size(); ++m) {
    if (!catalog[m].in_groups) continue;
    table.add<double>(std::string(catalog[m].name), std::string(catalog[m].unit), std::string(catalog[m].long_name),
                      [&groups, m](std::size_t row) { return metric(groups[row].metrics, m); });
  }
}

TableSource classes_table(const RunReport& report) {
  TableMaker table("classes", report.classes.size());
  table.text("name", "class", [&](std::size_t row) { return report.classes[row].name; });
  add_group_metrics(table, report.classes);
  return table.take();
}

TableSource tenants_table(const RunReport& report) {
  TableMaker table("tenants", report.tenants.size());
  table.code("kind", "kind of tenant", {"organization", "account", "user"}, [&](std::size_t row) {
    const Group::Kind kind = report.tenants[row].kind;
    return kind == Group::Kind::kOrganization ? 0 : kind == Group::Kind::kAccount ? 1 : 2;
  });
  table.text("name", "organization, account or user", [&](std::size_t row) { return report.tenants[row].name; });
  add_group_metrics(table, report.tenants);
  return table.take();
}

// ---- /workflows

TableSource workflows_table(const Work& work, const RunReport& report) {
  const WorkflowTable& w = report.workflow_table;
  TableMaker table("workflows", work.workflows());
  const auto account = [&work](std::size_t row) -> const AccountSpec& {
    return work.tenants.accounts[work.account[row]];
  };
  // As it happened, where it can differ from what was drawn.
  const auto submitted = [&](std::size_t row) {
    return row < w.submitted_at.size() ? w.submitted_at[row] : work.submitted_at[row];
  };

  table.ordinal("workflow", "number of the workflow in its run", [](std::size_t row) { return row; });
  table.text("name", "workflow", [&](std::size_t row) { return work.workflow_name(static_cast<std::uint32_t>(row)); });
  table.name_of("class", "first class that it belongs to", names_in(report.classes), [&](std::size_t row) {
    return w.klass[row] == kNoClass ? -1 : static_cast<std::int64_t>(w.klass[row]);
  });
  table.name_of("organization", "organization of its account", names_in(work.tenants.organizations),
                [account](std::size_t row) { return account(row).organization; });
  table.name_of("account", "account", names_in(work.tenants.accounts),
                [&](std::size_t row) { return work.account[row]; });
  table.name_of("user", "submitter", names_in(work.tenants.users), [&](std::size_t row) { return work.user[row]; });
  const auto inputs = [&work, &w, account](std::size_t row) {
    if (row < w.inputs.size()) return w.inputs[row];
    return PriorityInputs{{},
                          work.tenants.organizations[account(row).organization].priority,
                          account(row).priority,
                          work.tenants.users[work.user[row]].priority,
                          work.priority[row]};
  };
  table.number("base_priority", "1", "priorities of organization, account, user and its own at submission, in all",
               [inputs](std::size_t row) {
                 const PriorityInputs of = inputs(row);
                 return of.organization + of.account + of.user + of.workflow;
               });
  table.number("organization_priority", "1", "priority of its organization at submission",
               [inputs](std::size_t row) { return inputs(row).organization; });
  table.number("account_priority", "1", "priority of its account at submission",
               [inputs](std::size_t row) { return inputs(row).account; });
  table.number("user_priority", "1", "priority of its submitter at submission",
               [inputs](std::size_t row) { return inputs(row).user; });
  table.ordinal("stages", "stages that it has, declared or not",
                [&work](std::size_t row) { return work.first_stage[row + 1] - work.first_stage[row]; });
  table.number("priority", "1", "its own priority at submission", [&](std::size_t row) { return work.priority[row]; });
  table.time("submitted_at", "time of submission",
             [submitted](std::size_t row) { return seconds_or_nan(submitted(row)); });
  table.time("started_at", "first start of any of its stages",
             [&](std::size_t row) { return seconds_or_nan(w.started_at[row]); });
  table.time("finished_at", "end of its last stage",
             [&](std::size_t row) { return seconds_or_nan(w.finished_at[row]); });
  table.ordinal("build", "number of the build", [](std::size_t) { return 0; });
  table.time("critical_path", "longest path of true run times",
             [&](std::size_t row) { return w.critical_path[row].in_seconds(); });
  table.time("makespan", "last finish - submission", [&, submitted](std::size_t row) {
    return w.finished_at[row].is_never() ? kUndefined : (w.finished_at[row] - submitted(row)).in_seconds();
  });
  table.code("state", "state at the end", as_strings(workflow_state_words()),
             [&](std::size_t row) { return w.state[row]; });
  table.time("catch_up_age", "age after which no newcomer can rank before it; infinite: never",
             [&](std::size_t row) { return w.catch_up_age_s[row]; });
  table.time("overtaken_until", "largest difference of submission to a later one that started earlier",
             [&](std::size_t row) { return w.overtaken_until_s[row]; });
  table.time("drain_time", "start - submission - catch_up_age", [&](std::size_t row) { return w.drain_time_s[row]; });
  table.ordinal("overtakes", "first starts, during its wait, of stages of workflows submitted later",
                [&](std::size_t row) { return w.overtakes[row]; });
  table.time("overtaking_work", "core time of those inside its wait",
             [&](std::size_t row) { return w.overtaking_work_s[row]; });
  return table.take();
}

// ---- /stages: a row an attempt

/// Of all nodes together.
std::int64_t in_all(std::int64_t amount, const Demand& demand) {
  std::int64_t all = 0;
  if (demand.spread || demand.nodes <= 1) return amount;
  return __builtin_mul_overflow(amount, std::int64_t{demand.nodes}, &all) ? std::numeric_limits<std::int64_t>::max()
                                                                          : all;
}

TableSource stages_table(const Work& work, const RunReport& report) {
  const AttemptTable& a = report.attempt_table;
  TableMaker table("stages", a.stage.size());
  const auto demand = [&](std::size_t row) -> const Demand& { return work.demands[work.demand[a.stage[row]]]; };

  table.ordinal("workflow", "number of the workflow in its run",
                [&](std::size_t row) { return work.workflow_of[a.stage[row]]; });
  table.ordinal("stage", "number of the stage in its run", [&](std::size_t row) { return a.stage[row]; });
  table.text("name", "stage, unique in its workflow", [&](std::size_t row) { return work.stage_name(a.stage[row]); });
  table.ordinal("build", "number of the build", [](std::size_t) { return 0; });
  table.code("kind", "what was done", as_strings(stage_run_kind_words()), [&](std::size_t row) { return a.kind[row]; });
  table.ordinal("attempt", "number of the attempt", [&](std::size_t row) { return a.attempt[row]; });
  table.time("declared_at", "time of declaration", [&](std::size_t row) { return seconds_or_nan(a.declared_at[row]); });
  table.time("eligible_at", "time at which it could start",
             [&](std::size_t row) { return seconds_or_nan(a.eligible_at[row]); });
  table.time("started_at", "time of its start", [&](std::size_t row) { return seconds_or_nan(a.started_at[row]); });
  table.time("finished_at", "time of its end", [&](std::size_t row) { return seconds_or_nan(a.finished_at[row]); });
  table.time("run_time", "finished - started", [&](std::size_t row) {
    if (a.finished_at[row].is_never() || a.started_at[row].is_never()) return kUndefined;
    return (a.finished_at[row] - a.started_at[row]).in_seconds();
  });
  table.time("estimate", "run time that the scheduler was told",
             [&](std::size_t row) { return seconds_or_inf(work.estimate[a.stage[row]]); });
  table.time("tail_time", "longest estimated path from its start to the end, at its start", [&](std::size_t row) {
    return a.tail_time[row] < Duration{} ? kUndefined : seconds_or_inf(a.tail_time[row]);
  });
  table.add<double>("effective_priority", "1", "effective priority at its start",
                    [&](std::size_t row) { return a.effective_priority[row]; });
  std::vector<std::string> reasons = as_strings(reason_words());
  reasons.insert(reasons.begin(), "none");
  table.code("reason", "why it was chosen; none: it did not start", std::move(reasons),
             [&](std::size_t row) { return a.started_at[row].is_never() ? 0 : static_cast<int>(a.reason[row]) + 1; });
  table.index("node", "first node that it ran on, by order of the file; -1: none", [&](std::size_t row) {
    return a.node[row].is_none() ? -1 : static_cast<std::int64_t>(a.node[row].value);
  });
  table.ordinal("nodes", "nodes that it takes (cores may spread over more)",
                [demand](std::size_t row) { return demand(row).nodes; });
  table.number("cores", "1", "cores, of all its nodes",
               [demand](std::size_t row) { return in_all(demand(row).cores, demand(row)); });
  table.number("memory", "byte", "memory, of all its nodes",
               [demand](std::size_t row) { return in_all(demand(row).memory, demand(row)); });
  table.number("gpus", "1", "gpus, of all its nodes",
               [demand](std::size_t row) { return in_all(demand(row).gpus, demand(row)); });
  table.code("spread", "are its cores spread over as many nodes as it takes", {"no", "yes"},
             [demand](std::size_t row) { return demand(row).spread ? 1 : 0; });
  table.index("declarer", "number of the plan that declares it; -1: none", [&](std::size_t row) {
    const StageRow plan = work.declarer.empty() ? kNoRow : work.declarer[a.stage[row]];
    return plan == kNoRow ? -1 : static_cast<std::int64_t>(plan);
  });
  table.index("decision", "it was the k-th start of its run; -1: it did not start",
              [&](std::size_t row) { return row < a.decision.size() ? a.decision[row] : -1; });
  table.time("walltime", "time at which it is killed; infinite: never", [&](std::size_t row) {
    return work.walltime.empty() ? seconds_or_inf(Duration::infinite()) : seconds_or_inf(work.walltime[a.stage[row]]);
  });
  table.code("state", "state at the end", as_strings(stage_state_words()),
             [&](std::size_t row) { return a.state[row]; });
  table.time("canceled_at", "time at which it was canceled",
             [&](std::size_t row) { return a.canceled_at.empty() ? kUndefined : seconds_or_nan(a.canceled_at[row]); });
  table.time("passed_over_time", "part of its wait in which later submissions were in its place; first attempt only",
             [&](std::size_t row) { return a.passed_over_time_s[row]; });
  table.ordinal("overtakes",
                "first starts, while it was eligible, of stages of workflows submitted later; first attempt only",
                [&](std::size_t row) { return a.overtakes[row]; });
  return table.take();
}

/// Where tries on several nodes ran; /stages has the first node only.
TableSource stage_nodes_table(const RunReport& report) {
  const AttemptTable& a = report.attempt_table;
  TableMaker table("stage_nodes", a.nodes.size());
  table.ordinal("stage", "number of the stage in its run",
                [&](std::size_t row) { return a.stage[a.nodes[row].first]; });
  table.ordinal("attempt", "number of the attempt", [&](std::size_t row) { return a.attempt[a.nodes[row].first]; });
  table.ordinal("node", "a node that it ran on, by order of the file",
                [&](std::size_t row) { return a.nodes[row].second.value; });
  return table.take();
}

/// Tries that were displaced.
TableSource preemptions_table(const RunReport& report) {
  const AttemptTable& a = report.attempt_table;
  TableMaker table("preemptions", a.displaced.size());
  table.ordinal("stage", "number of the stage in its run",
                [&](std::size_t row) { return a.stage[a.displaced[row].row]; });
  table.ordinal("attempt", "number of the attempt", [&](std::size_t row) { return a.attempt[a.displaced[row].row]; });
  table.ordinal("preemptor", "number of the stage in whose favour",
                [&](std::size_t row) { return a.displaced[row].preemptor; });
  table.time("lost", "run time that has to be run again",
             [&](std::size_t row) { return a.displaced[row].lost.in_seconds(); });
  return table.take();
}

TableSource gates_table(const RunReport& report) {
  const std::vector<Gate>& gates = report.attempt_table.gates;
  TableMaker table("gates", gates.size());
  table.ordinal("stage", "number of the stage in its run", [&gates](std::size_t row) { return gates[row].stage; });
  table.time("from", "it could start, but a hold was opened above it",
             [&gates](std::size_t row) { return seconds_or_nan(gates[row].from); });
  table.time("to", "released", [&gates](std::size_t row) { return seconds_or_nan(gates[row].to); });
  return table.take();
}

/// The draws of the tie `random`: one row a declared stage, where the policy has that tie.
TableSource tie_draws_table(const Work& work, const RunReport& report) {
  auto rows = std::make_shared<std::vector<StageRow>>();
  for (std::size_t i = 0; i < report.attempt_table.stage.size(); ++i)
    if (report.attempt_table.attempt[i] == 0) rows->push_back(report.attempt_table.stage[i]);
  TableMaker table("tie_draws", rows->size());
  table.ordinal("stage", "number of the stage in its run", [rows](std::size_t row) { return (*rows)[row]; });
  table.number("draw", "1", "smaller first where all before is equal",
               [&work, rows](std::size_t row) { return static_cast<std::int64_t>(work.tie_draw((*rows)[row]) >> 2); });
  return table.take();
}

/// What declared stages ask of pools.
TableSource requests_table(const Work& work, const RunReport& report) {
  const AttemptTable& a = report.attempt_table;
  struct Row {
    StageRow stage;
    std::uint32_t pool;
    std::int64_t amount;
  };
  auto rows = std::make_shared<std::vector<Row>>();
  for (std::size_t i = 0; i < a.stage.size(); ++i) {
    if (a.attempt[i] != 0) continue;
    for (const auto& [pool, amount] : work.demands[work.demand[a.stage[i]]].pools)
      rows->push_back({a.stage[i], pool.value, amount});
  }
  TableMaker table("requests", rows->size());
  table.ordinal("stage", "number of the stage in its run", [rows](std::size_t row) { return (*rows)[row].stage; });
  table.text("resource", "pools.NAME; undefined: a pool that there is not", [&work, rows](std::size_t row) {
    const std::uint32_t pool = (*rows)[row].pool;
    return pool < work.cluster.pools.size() ? "pools." + work.cluster.pools[pool].first : std::string("undefined");
  });
  table.number("amount", "1", "how much of it", [rows](std::size_t row) { return (*rows)[row].amount; });
  return table.take();
}

// ---- /dependencies, /holds, /capacity, /warnings, /repairs

TableSource dependencies_table(const Work& work) {
  // Needs that nobody provides have no source: they are told of by the warnings of a stalled run.
  auto edges = std::make_shared<std::vector<std::pair<StageRow, StageRow>>>();
  if (!work.needs_begin.empty()) {
    for (StageRow sink = 0; sink < work.stages(); ++sink) {
      for (std::uint32_t i = work.needs_begin[sink]; i < work.needs_begin[sink + 1]; ++i) {
        if (work.needs[i] < work.stages()) edges->emplace_back(work.needs[i], sink);
      }
    }
  }
  TableMaker table("dependencies", edges->size());
  table.ordinal("workflow", "number of the sink's workflow in its run",
                [&work, edges](std::size_t row) { return work.workflow_of[(*edges)[row].second]; });
  table.ordinal("source", "number of the stage that is waited for",
                [edges](std::size_t row) { return (*edges)[row].first; });
  table.ordinal("sink", "number of the stage that waits", [edges](std::size_t row) { return (*edges)[row].second; });
  return table.take();
}

TableSource holds_table(const Work& work, const RunReport& report) {
  TableMaker table("holds", report.holds.size());
  table.ordinal("workflow", "number of the workflow in its run",
                [&](std::size_t row) { return work.workflow_of[report.holds[row].plan]; });
  table.ordinal("stage", "number of the plan that holds", [&](std::size_t row) { return report.holds[row].plan; });
  table.time("from", "opened", [&](std::size_t row) { return seconds_or_nan(report.holds[row].from); });
  table.time("to", "released", [&](std::size_t row) { return seconds_or_nan(report.holds[row].to); });
  return table.take();
}

TableSource queue_table(const QueueSamples& samples) {
  TableMaker table("queue", samples.at.size());
  table.time("time", "when", [&](std::size_t row) { return samples.at[row].in_seconds(); });
  table.number("length", "1", "eligible stages", [&](std::size_t row) { return samples.length[row]; });
  return table.take();
}

TableSource priorities_table(const Work& work, const PriorityTrajectory& trace) {
  TableMaker table("priorities", trace.at.size());
  table.time("time", "when", [&](std::size_t row) { return trace.at[row].in_seconds(); });
  table.ordinal("workflow", "number of the workflow in its run", [&](std::size_t row) { return trace.workflow[row]; });
  table.text("name", "name of the workflow", [&](std::size_t row) { return work.workflow_name(trace.workflow[row]); });
  table.add<double>("effective_priority", "1", "priority by the policy at that time",
                    [&](std::size_t row) { return trace.effective_priority[row]; });
  return table.take();
}

TableSource capacity_table(const Work& work) {
  struct Row {
    std::string resource;
    std::int64_t amount;
  };
  auto rows = std::make_shared<std::vector<Row>>();
  const auto total = [&](auto member) {
    std::int64_t sum = 0;
    for (const NodeClass& nodes : work.cluster.classes) {
      std::int64_t of_class = 0;
      if (__builtin_mul_overflow(nodes.count, nodes.capacity.*member, &of_class) ||
          __builtin_add_overflow(sum, of_class, &sum)) {
        return std::numeric_limits<std::int64_t>::max();
      }
    }
    return sum;
  };
  rows->push_back({"cores", total(&NodeCapacity::cores)});
  if (const std::int64_t memory = total(&NodeCapacity::memory); memory > 0) rows->push_back({"memory", memory});
  if (const std::int64_t gpus = total(&NodeCapacity::gpus); gpus > 0) rows->push_back({"gpus", gpus});
  for (const auto& [pool, amount] : work.cluster.pools) rows->push_back({"pools." + pool, amount});

  TableMaker table("capacity", rows->size());
  table.time("time", "from this time on", [](std::size_t) { return 0.0; });
  table.text("resource", "cores, memory, gpus, or pools.NAME",
             [rows](std::size_t row) { return (*rows)[row].resource; });
  table.number("amount", "1", "capacity, memory in bytes", [rows](std::size_t row) { return (*rows)[row].amount; });
  return table.take();
}

/// So that a node's number can be turned into its name and its place among all cores.
TableSource node_classes_table(const Work& work) {
  const std::vector<NodeClass>& classes = work.cluster.classes;
  std::vector<std::int64_t> first{0};
  for (const NodeClass& nodes : classes) first.push_back(first.back() + nodes.count);
  TableMaker table("node_classes", classes.size());
  table.text("name", "its nodes are called name[0], name[1], ...",
             [&classes](std::size_t row) { return classes[row].name; });
  table.number("first_node", "1", "number of its first node", [first](std::size_t row) { return first[row]; });
  table.number("count", "1", "nodes", [&classes](std::size_t row) { return classes[row].count; });
  table.number("cores", "1", "cores of each", [&classes](std::size_t row) { return classes[row].capacity.cores; });
  table.number("memory", "byte", "memory of each",
               [&classes](std::size_t row) { return classes[row].capacity.memory; });
  table.number("gpus", "1", "gpus of each", [&classes](std::size_t row) { return classes[row].capacity.gpus; });
  return table.take();
}

TableSource warnings_table(const RunFacts& facts, const RunReport& report) {
  auto rows = std::make_shared<std::vector<Warning>>(report.warnings);
  if (!facts.failure.empty()) rows->push_back({std::string(kFailed), facts.failure});
  TableMaker table("warnings", rows->size());
  table.text("code", "number of the warning", [rows](std::size_t row) { return (*rows)[row].code; });
  table.text("text", "what it says", [rows](std::size_t row) { return (*rows)[row].text; });
  return table.take();
}

TableSource repairs_table(const Work& work) {
  TableMaker table("repairs", work.repairs.size());
  table.text("what", "what was dropped, repaired or guessed", [&](std::size_t row) { return work.repairs[row].what; });
  table.number("count", "1", "how often", [&](std::size_t row) { return work.repairs[row].count; });
  table.text("example", "one case", [&](std::size_t row) { return work.repairs[row].example; });
  return table.take();
}

}  // namespace

std::vector<std::string> run_status_words() {
  return {"finished", "gave_up", "stalled", "interrupted", std::string(kFailed)};
}

std::vector<TableSource> run_tables(const StudyFacts& study, const RunFacts& facts, const Work& work,
                                    const RunReport& report) {
  std::vector<TableSource> tables;
  const bool failed = !facts.failure.empty();
  tables.push_back(runs_table(study, facts, report));
  if (facts.settings != nullptr) tables.push_back(settings_table(facts, work));
  tables.push_back(classes_table(report));
  tables.push_back(tenants_table(report));
  if (facts.with_stages && !failed) {
    tables.push_back(workflows_table(work, report));
    tables.push_back(stages_table(work, report));
    tables.push_back(stage_nodes_table(report));
    tables.push_back(requests_table(work, report));
    tables.push_back(dependencies_table(work));
    tables.push_back(holds_table(work, report));
    if (!report.attempt_table.displaced.empty()) tables.push_back(preemptions_table(report));
    if (!report.attempt_table.gates.empty()) tables.push_back(gates_table(report));
    if (facts.definition != nullptr &&
        std::ranges::find(facts.definition->ties, Tie::kRandom) != facts.definition->ties.end())
      tables.push_back(tie_draws_table(work, report));
  }
  if (!failed) {
    std::vector<TableSource> control = control_tables(work, report.control);
    std::move(control.begin(), control.end(), std::back_inserter(tables));
  }
  tables.push_back(capacity_table(work));
  tables.push_back(node_classes_table(work));
  if (report.queue_samples) tables.push_back(queue_table(*report.queue_samples));
  if (report.priorities) tables.push_back(priorities_table(work, *report.priorities));
  tables.push_back(warnings_table(facts, report));
  tables.push_back(repairs_table(work));
  return tables;
}

}  // namespace headroom
