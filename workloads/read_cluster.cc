// `start:`, `cluster:` and `scheduler:`, and whether a request fits on the cluster.
#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "workloads/read_sections.h"
#include "workloads/scheduler_words.h"

namespace headroom::yaml {

void read_start(Reading& reading, const Node& node) {
  Context& c = reading.context;
  if (!node.is_scalar()) return c.expected(node, "start", "a date like 1996-09-23T14:00:00Z");
  const Scalar<Date> date = read_date(node.text);
  if (!date.ok()) return c.expected(node, "start", date.wanted);
  reading.workload.start_unix_s = date.value.unix_s;
  reading.workload.utc_offset_s = date.value.utc_offset_s;
}

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

void read_node_class(Reading& reading, const Node& node, std::int64_t& nodes) {
  Context& c = reading.context;
  MapReader map(c, node, "nodes", "a class of nodes");
  NodeClass made;
  if (const Node* name = map.require("name", "what its nodes are called")) {
    if (const auto text = name_of(c, *name, "name")) made.name = *text;
  }
  const Node* count = map.get("count");
  if (count != nullptr) made.count = whole_of(c, *count, "count", 1, kMostNodes).value_or(1);
  if (const Node* cores = map.get("cores"))
    made.capacity.cores = whole_of(c, *cores, "cores", 0, kMostCores).value_or(1);
  if (const Node* memory = map.get("memory")) made.capacity.memory = memory_of(c, *memory, "memory").value_or(0);
  if (const Node* gpus = map.get("gpus")) made.capacity.gpus = whole_of(c, *gpus, "gpus", 0, kMostCores).value_or(0);
  map.finish();
  auto& classes = reading.workload.cluster.classes;
  if (!made.name.empty() && std::ranges::find(classes, made.name, &NodeClass::name) != classes.end()) {
    c.error(node, "the nodes '" + made.name + "' are there twice");
  }
  nodes += made.count;
  if (nodes > kMostNodes) {
    c.error(count != nullptr ? *count : node, "count: more than " + std::to_string(kMostNodes) + " nodes in all");
    nodes = 0;
    made.count = 1;
  }
  classes.push_back(std::move(made));
}

void read_pools(Reading& reading, const Node& node) {
  Context& c = reading.context;
  if (!node.is_map()) return c.expected(node, "pools", "a map of names and amounts like {license: 2}");
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto name = name_of(c, c.at(node.children[i]), "pools");
    const auto amount = whole_of(c, c.at(node.children[i + 1]), "pools", 0, kMostCores);
    if (!name) continue;
    auto& pools = reading.workload.cluster.pools;
    reading.pools.emplace(*name, static_cast<std::uint32_t>(pools.size()));
    pools.emplace_back(*name, amount.value_or(kMostCores));
  }
}

NodeClass slots_class(std::int64_t slots) {
  NodeClass made;
  made.name = "slots";
  made.capacity.cores = slots;
  return made;
}

}  // namespace

void read_cluster(Reading& reading, const Node* node, bool has_trace) {
  Context& c = reading.context;
  ClusterSpec& cluster = reading.workload.cluster;
  const Node* slots = nullptr;
  const Node* nodes = nullptr;
  if (node != nullptr) {
    MapReader map(c, *node, "cluster", "cluster");
    slots = map.get("slots");
    nodes = map.get("nodes");
    if (const Node* pools = map.get("pools")) read_pools(reading, *pools);
    map.finish();
    if (!map.ok()) reading.check_fit = false;
  }
  if (slots != nullptr && nodes != nullptr) c.error(*nodes, "cluster: either 'slots' or 'nodes', not both");
  if (slots == nullptr && nodes == nullptr && has_trace) {
    cluster.from_trace = true;
    return;
  }
  const std::size_t errors = c.errors().size();
  std::int64_t total = 0;
  if (nodes != nullptr) {
    if (nodes->is_list() && nodes->children.empty()) c.error(*nodes, "nodes: the list is empty");
    for (const NodeId item : items_of(c, *nodes, "nodes")) read_node_class(reading, c.at(item), total);
  }
  if (slots != nullptr) {
    const auto n = whole_of(c, *slots, "slots", 1, kMostCores);
    if (cluster.classes.empty()) cluster.classes.push_back(slots_class(n.value_or(1)));
  }
  if (cluster.classes.empty()) cluster.classes.push_back(slots_class(1));
  // A cluster that was not understood would only add errors about stages that do not fit on it.
  if (c.errors().size() > errors) reading.check_fit = false;
}

namespace {

std::string memory_text(std::int64_t bytes) {
  constexpr std::array<std::pair<int, const char*>, 4> kUnits{{{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}}};
  for (const auto& [shift, name] : kUnits) {
    if (bytes > 0 && bytes % (std::int64_t{1} << shift) == 0) return std::to_string(bytes >> shift) + name;
  }
  return std::to_string(bytes) + "B";
}

const Node& place_of(const Node* part, const Request& request) { return part != nullptr ? *part : *request.node; }

/// Each amount by itself. True if one was too large.
bool report_single_amounts(Reading& reading, const Request& request, const Demand& demand) {
  NodeCapacity most{0, 0, 0};
  for (const NodeClass& known : reading.workload.cluster.classes) {
    most.cores = std::max(most.cores, known.capacity.cores);
    most.memory = std::max(most.memory, known.capacity.memory);
    most.gpus = std::max(most.gpus, known.capacity.gpus);
  }
  Context& c = reading.context;
  if (demand.cores > most.cores) {
    c.error(place_of(request.cores, request), request.who + " needs " + std::to_string(demand.cores) + " " +
                                                  std::string(request.cores_word) + " but no node has more than " +
                                                  std::to_string(most.cores));
  }
  if (demand.memory > most.memory) {
    c.error(place_of(request.memory, request), request.who + " needs " + memory_text(demand.memory) +
                                                   " of memory but no node has more than " + memory_text(most.memory));
  }
  if (demand.gpus > most.gpus) {
    c.error(place_of(request.gpus, request), request.who + " needs " + std::to_string(demand.gpus) +
                                                 " gpus but no node has more than " + std::to_string(most.gpus));
  }
  return demand.cores > most.cores || demand.memory > most.memory || demand.gpus > most.gpus;
}

}  // namespace

void check_fits(Reading& reading, const Request& request, const Demand& demand) {
  const ClusterSpec& cluster = reading.workload.cluster;
  if (!reading.check_fit || cluster.from_trace) return;
  if (report_single_amounts(reading, request, demand)) return;
  std::int64_t large_enough = 0;
  for (const NodeClass& known : cluster.classes) {
    const NodeCapacity& has = known.capacity;
    if (demand.cores <= has.cores && demand.memory <= has.memory && demand.gpus <= has.gpus)
      large_enough += known.count;
  }
  Context& c = reading.context;
  if (large_enough == 0) {
    c.error(*request.node, request.who + " needs " + std::to_string(demand.cores) + " cores, " +
                               memory_text(demand.memory) + " of memory and " + std::to_string(demand.gpus) +
                               " gpus on one node but no node has all of them");
  } else if (demand.nodes > large_enough) {
    c.error(place_of(request.nodes, request), request.who + " needs " + std::to_string(demand.nodes) +
                                                  " nodes but only " + std::to_string(large_enough) +
                                                  " can hold its part");
  }
}

namespace {

void read_overheads(Reading& reading, const Node& node) {
  Context& c = reading.context;
  Overheads& overheads = reading.workload.scheduler.overheads;
  overheads = {};
  if (!node.is_map()) {
    constexpr std::array<std::string_view, 2> kWords{"none", "stepup"};
    const auto word = node.is_scalar() ? word_of(c, node, "overheads", "scheduler.overheads", kWords) : std::nullopt;
    if (!node.is_scalar()) c.expected(node, "overheads", "none, stepup or a map like {declare: 3.7ms}");
    if (word == std::optional<std::size_t>(1)) overheads = stepup_overheads();
    return;
  }
  MapReader map(c, node, "overheads", "overheads");
  for (const OverheadKey& key : overhead_keys()) {
    if (const Node* value = map.get(key.name))
      overheads.*key.member = duration_of(c, *value, key.name).value_or(Duration{});
  }
  map.finish();
}

/// The key's node, or null.
template <class Enum>
const Node* read_word(Context& c, MapReader& map, std::string_view key, std::span<const std::string_view> words,
                      Enum& into) {
  const Node* node = map.get(key);
  if (node == nullptr) return nullptr;
  if (const auto word = word_of(c, *node, key, "scheduler." + std::string(key), words)) into = static_cast<Enum>(*word);
  return node;
}

}  // namespace

void read_scheduler(Reading& reading, const Node& node) {
  Context& c = reading.context;
  SchedulerSettings& s = reading.workload.scheduler;
  MapReader map(c, node, "scheduler", "scheduler");
  // `like` comes first wherever it stands: the other keys override what it sets.
  Like like = Like::kDocumented;
  const Node* like_node = read_word(c, map, "like", like_words(), like);
  s = settings_like(like);
  if (const Node* tick = map.get("tick")) s.tick = duration_of(c, *tick, "tick").value_or(s.tick);
  const Node* scope = read_word(c, map, "hold_scope", hold_scope_words(), s.hold_scope);
  const Node* release = read_word(c, map, "hold_release", hold_release_words(), s.hold_release);
  if (s.hold_release == HoldRelease::kStepUpRc13 && s.hold_scope == HoldScope::kBlock) {
    const Node& place = release != nullptr ? *release : scope != nullptr ? *scope : *like_node;
    c.error(place,
            "hold_release: stepup-rc13 is about holds that reach the steps of sub-plans, so it goes with "
            "'hold_scope: declarer'; holds of blocks have 'hold_release: ideal'");
  }
  if (const Node* overheads = map.get("overheads")) read_overheads(reading, *overheads);
  read_word(c, map, "simultaneous", simultaneous_words(), s.simultaneous);
  if (const Node* depth = map.get("queue_depth")) {
    s.queue_depth = whole_of(c, *depth, "queue_depth", 0, kNoLimit).value_or(s.queue_depth);
  }
  read_word(c, map, "on_failure", on_failure_words(), s.on_failure);
  if (const Node* estimate = map.get("default_estimate")) {
    s.default_estimate = duration_of(c, *estimate, "default_estimate").value_or(s.default_estimate);
  }
  map.finish();
}

}  // namespace headroom::yaml
