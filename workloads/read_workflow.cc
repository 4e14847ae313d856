// `workflow:` items with `stages:`, and the keys of a stage.
#include <algorithm>
#include <utility>

#include "workloads/workflow_draft.h"

namespace headroom::yaml {
namespace {

constexpr std::int64_t kNoLimit = 0x7fffffffffffffff;

std::string label(const StageTemplate& stage) { return stage.name.empty() ? "a stage" : "stage '" + stage.name + "'"; }

void read_strings(Context& c, const Node& node, std::string_view what, std::vector<std::string>& into) {
  for (const NodeId item : items_of(c, node, what)) {
    const auto text = text_of(c, c.at(item), what);
    if (text && text->empty()) c.expected(c.at(item), what, "a file's name");
    into.push_back(text.value_or(""));
  }
}

void read_request(WorkflowDraft& draft, MapReader& map, StageTemplate& made) {
  Context& c = draft.reading.context;
  Request request;
  request.who = label(made);
  request.node = &map.node();
  const Node* slots = map.get("slots");
  request.cores = map.get("cores");
  if (slots != nullptr && request.cores != nullptr) {
    c.error(*slots, request.who + ": 'slots' and 'cores' are two spellings of one thing; give one of them");
  }
  if (slots != nullptr) {
    request.cores = slots;
    request.cores_word = "slots";
  }
  const std::size_t errors = c.errors().size();
  Demand& demand = made.demand;
  if (request.cores != nullptr) {
    demand.cores = whole_of(c, *request.cores, request.cores_word, 1, kMostCores).value_or(1);
  }
  if ((request.memory = map.get("memory")) != nullptr)
    demand.memory = memory_of(c, *request.memory, "memory").value_or(0);
  if ((request.gpus = map.get("gpus")) != nullptr)
    demand.gpus = whole_of(c, *request.gpus, "gpus", 0, kMostCores).value_or(0);
  if ((request.nodes = map.get("nodes")) != nullptr) {
    demand.nodes = static_cast<std::int32_t>(whole_of(c, *request.nodes, "nodes", 1, kMostNodes).value_or(1));
  }
  if (c.errors().size() == errors) check_fits(draft.reading, request, demand);
  if (const Node* resources = map.get("resources")) {
    read_resources(draft.reading, *resources, label(made), demand.pools,
                   draft.has_plan ? &made.undefined_resources : nullptr);
  }
}

}  // namespace

std::uint32_t WorkflowDraft::add(StageTemplate made, const Places& where) {
  Context& c = reading.context;
  const auto index = static_cast<std::uint32_t>(item.stages.size());
  if (!made.name.empty()) {
    if (!by_name.emplace(made.name, index).second) {
      const Node* first = places[by_name.at(made.name)].name;
      c.error(*where.name, "the name '" + made.name + "' is taken: " +
                               (first == nullptr ? "the plan itself is called so"
                                                 : "a stage on line " + std::to_string(first->line) + " is called so"));
    }
    names.push_back(made.name);
  }
  const std::int64_t before = stages;
  stages += made.count.value_or(1);
  if (stages > kMostStages && before <= kMostStages) {
    c.error(*where.node, "more than " + std::to_string(kMostStages) + " stages in one workflow, arrays expanded");
  }
  item.stages.push_back(std::move(made));
  places.push_back(where);
  return index;
}

void read_resources(Reading& reading, const Node& node, const std::string& where,
                    std::vector<std::pair<PoolId, std::int64_t>>& pools,
                    std::vector<std::pair<std::string, std::int64_t>>* undefined) {
  Context& c = reading.context;
  if (!node.is_map()) return c.expected(node, "resources", "a map of pools and amounts like {license: 1}");
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const Node& key = c.at(node.children[i]);
    const Node& value = c.at(node.children[i + 1]);
    const auto amount = whole_of(c, value, "resources", 0, kMostCores);
    const auto found = reading.pools.find(key.text);
    if (found == reading.pools.end()) {
      if (undefined != nullptr) {
        undefined->emplace_back(key.text, amount.value_or(0));
      } else {
        c.error(key,
                where + ": the cluster has no pool '" + key.text + "'" + c.hint(key.text, names_in(reading.pools)));
      }
      continue;
    }
    const std::int64_t has = reading.workload.cluster.pools[found->second].second;
    if (amount && *amount > has && reading.check_fit) {
      c.error(value, where + " needs " + std::to_string(*amount) + " of '" + key.text + "' but the cluster has " +
                         std::to_string(has));
    }
    if (amount && *amount > 0) pools.emplace_back(PoolId{found->second}, *amount);
  }
  std::ranges::sort(pools);
}

Failing failing_of(Context& c, const Node& node, const std::string& where) {
  Failing failing;
  if (node.is_map()) {
    MapReader map(c, node, "fails", where + ": fails");
    const Node* value = map.require("probability", "{probability: 0.01}");
    map.finish();
    if (value == nullptr) return failing;
    failing.kind = Failing::Kind::kProbability;
    failing.probability = number_of(c, *value, "probability").value_or(0);
    if (!(failing.probability >= 0 && failing.probability <= 1))
      c.expected(*value, "probability", "a number from 0 to 1");
    return failing;
  }
  if (node.is_scalar() && !node.quoted) {
    if (const auto always = read_boolean(node.text)) {
      failing.kind = *always ? Failing::Kind::kAlways : Failing::Kind::kNever;
      return failing;
    }
    if (const Scalar<std::int64_t> tries = read_whole(node.text); tries.ok() && tries.value >= 0) {
      failing.kind = tries.value == 0 ? Failing::Kind::kNever : Failing::Kind::kFirst;
      failing.first = tries.value;
      return failing;
    }
  }
  c.expected(node, "fails", "true, false, a number of tries or {probability: 0.01}");
  return failing;
}

void read_stage_keys(WorkflowDraft& draft, MapReader& map, StageTemplate& made, WorkflowDraft::Places& where) {
  Context& c = draft.reading.context;
  where.node = &map.node();
  where.name = map.require("name", "what it is called");
  if (where.name != nullptr) made.name = name_of(c, *where.name, "name").value_or("");
  if (const Node* estimate = map.get("estimate")) made.estimate = run_time_of(c, *estimate, "estimate");
  read_request(draft, map, made);
  where.needs = map.get("needs");
  if ((where.inputs = map.get("inputs")) != nullptr) read_strings(c, *where.inputs, "inputs", made.inputs);
  if ((where.outputs = map.get("outputs")) != nullptr) read_strings(c, *where.outputs, "outputs", made.outputs);
  made.preemptible = draft.preemptible;
  if (const Node* preemptible = map.get("preemptible")) {
    made.preemptible = boolean_of(c, *preemptible, "preemptible").value_or(false);
    if (made.preemptible && made.plan)
      c.error(*preemptible, "preemptible: a plan is never displaced: what it declares next would have no declarer");
  }
  if (made.plan) made.preemptible = false;  // a default is meant for its steps
}

std::uint32_t read_stage(WorkflowDraft& draft, const Node& node, std::optional<std::uint32_t> declarer) {
  Context& c = draft.reading.context;
  MapReader map(c, node, declarer ? "step" : "stage", declarer ? "a step" : "a stage");
  StageTemplate made;
  made.declarer = declarer;
  WorkflowDraft::Places where;
  if (!map.ok()) {
    where.node = &node;
    return draft.add(std::move(made), where);
  }
  read_stage_keys(draft, map, made, where);
  if (const Node* run_time = map.require("runtime", "how long it really takes")) {
    made.run_time = run_time_of(c, *run_time, "runtime").value_or(Distribution{});
  }
  if (const Node* walltime = map.get("walltime")) made.walltime = positive_duration_of(c, *walltime, "walltime");
  if (const Node* count = map.get("count")) made.count = whole_of(c, *count, "count", 1, kMostStages).value_or(1);
  if (const Node* every = map.get("checkpoint")) made.checkpoint = positive_duration_of(c, *every, "checkpoint");
  if (const Node* command = map.get("command")) made.command = text_of(c, *command, "command").value_or("");
  if (const Node* fails = map.get("fails")) made.failing = failing_of(c, *fails, label(made));
  if (const Node* retry = map.get("retry")) made.retry = whole_of(c, *retry, "retry", 0, kMostRetries).value_or(0);
  map.finish();
  return draft.add(std::move(made), where);
}

namespace {

/// In rc13 whatever a plan needs is preferred as plans are. Without that the order would be another one.
void refuse_needs_of_sub_plans(WorkflowDraft& draft) {
  for (std::uint32_t stage = 0; stage < draft.item.stages.size(); ++stage) {
    const StageTemplate& made = draft.item.stages[stage];
    if (!made.plan || !made.declarer || draft.waits_for[stage].size() < 2) continue;  // the first is its declarer
    const WorkflowDraft::Places& places = draft.places[stage];
    draft.reading.context.error(places.needs != nullptr ? *places.needs : *places.inputs,
                                "sub-plan '" + made.name +
                                    "' needs other steps: under 'like: stepup-rc13' these would be preferred as plans "
                                    "are, which comes with StepUp builds and is not supported yet");
  }
}

}  // namespace

void read_workflow(Reading& reading, const Node& node, const Submission* submission) {
  Context& c = reading.context;
  MapReader map(c, node, "workflow", "a workflow");
  WorkflowDraft draft{reading, {}, false, false, {}, {}, {}, {}, {}, 0};
  const Node* name = map.require("workflow", "its name");
  if (name != nullptr) draft.item.name = name_of(c, *name, "workflow").value_or("");
  if (submission != nullptr)
    draft.item.at = submission->at;
  else if (const Node* at = map.get("at"))
    draft.item.at = TimePoint::zero() + duration_of(c, *at, "at").value_or(Duration{});
  const std::string where = draft.item.name.empty() ? "a workflow" : "workflow '" + draft.item.name + "'";
  const Node* user = submission != nullptr ? submission->user : map.get("user");
  const Node* account = map.get("account");
  if (const auto tenant = tenant_of(reading, user, account, node, where)) {
    draft.item.user = tenant->user;
    draft.item.account = tenant->account;
  }
  if (const Node* priority = map.get("priority"))
    draft.item.priority = priority_of(c, *priority, "priority").value_or(0);
  if (const Node* preemptible = map.get("preemptible")) {
    draft.preemptible = boolean_of(c, *preemptible, "preemptible").value_or(false);
  }
  const Node* stages = map.get("stages");
  const Node* plan = map.get("plan");
  map.finish();
  draft.has_plan = plan != nullptr;
  if (stages != nullptr && plan != nullptr) c.error(*plan, where + ": either 'stages' or 'plan', not both");
  if (stages == nullptr && plan == nullptr && map.ok()) c.error(node, where + ": 'stages' or 'plan' is missing");
  if (plan != nullptr) {
    read_root_plan(draft, *plan);
  } else if (stages != nullptr) {
    if (stages->is_list() && stages->children.empty()) c.error(*stages, "stages: the list is empty");
    for (const NodeId item : items_of(c, *stages, "stages")) read_stage(draft, c.at(item), std::nullopt);
  }
  draft.waits_for.resize(draft.item.stages.size());
  resolve_needs(draft);
  resolve_files(draft);
  report_cycles(draft);
  if (reading.workload.scheduler.like == Like::kStepUpRc13) refuse_needs_of_sub_plans(draft);
  reading.workload.items.emplace_back(std::move(draft.item));
}

}  // namespace headroom::yaml
