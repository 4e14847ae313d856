// What a generated stage takes and what it asks for: the same keys in `generate:` itself and in an entry of its `mix:`.
#include <algorithm>
#include <limits>
#include <string>

#include "workloads/generate_parts.h"

namespace headroom::yaml {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// 0 where there is no bound: what is drawn is checked when it is drawn.
std::int64_t largest(const Distribution& d) {
  switch (d.kind) {
    case Distribution::Kind::kConstant:
      return d.constant;
    case Distribution::Kind::kUniform:
      return static_cast<std::int64_t>(d.b);
    case Distribution::Kind::kPareto:
      return static_cast<std::int64_t>(d.c);
    case Distribution::Kind::kEmpirical:
      return d.observed->back();
    default:
      break;
  }
  std::int64_t most = 0;
  for (const Distribution::Choice& choice : d.choices) {
    if (choice.weight > 0) most = std::max(most, choice.value);
  }
  return most;
}

class StageReader {
 public:
  StageReader(Reading& reading, MapReader& map, const std::string& where, GeneratedStage& into)
      : reading_(reading), c_(reading.context), map_(map), where_(where), made_(into) {}

  void read(bool needs_run_time) {
    const char* const wanted = "how long each really takes";
    if (const Node* run_time = needs_run_time ? map_.require("runtime", wanted) : map_.get("runtime"))
      made_.run_time = run_time_of(c_, *run_time, "runtime").value_or(Distribution{});
    if (const Node* estimate = map_.get("estimate")) read_estimate(*estimate);
    read_request();
    if (const Node* walltime = map_.get("walltime")) made_.walltime = positive_duration_of(c_, *walltime, "walltime");
  }

 private:
  void read_estimate(const Node& node) {
    made_.estimate.reset();
    made_.estimate_factor.reset();
    made_.estimate_unknown = node.is_scalar() && node.text == "unknown";
    const bool is_one_key = node.is_map() && node.children.size() == 2;
    const std::string word = node.is_scalar() ? node.text : is_one_key ? c_.at(node.children[0]).text : "";
    if (made_.estimate_unknown || (node.is_scalar() && word == "exact")) return;
    if (const std::string later = later_message("generate.estimate", word); !later.empty()) {
      return c_.error(node.is_scalar() ? node : c_.at(node.children[0]), "estimate: " + later);
    }
    if (is_one_key && word == "factor") {
      constexpr std::int64_t kLargestFactor = 1'000'000'000'000;  // A million times the run time, in millionths.
      made_.estimate_factor =
          distribution_of(c_, c_.at(node.children[1]), "factor", Quantity::kMillionths, 0, kLargestFactor);
    } else if (is_one_key && word == "constant") {
      const auto length = duration_of(c_, c_.at(node.children[1]), "constant");
      if (length) made_.estimate = Distribution::always(length->ns);
    } else {
      made_.estimate = run_time_of(c_, node, "estimate");
    }
  }

  void read_amount(const Node* node, std::string_view what, Quantity quantity, std::int64_t least, Distribution& into) {
    const std::int64_t most = quantity == Quantity::kMemory ? kNoLimit : kMostCores;
    if (node != nullptr) into = distribution_of(c_, *node, what, quantity, least, most).value_or(into);
  }

  void read_request() {
    Request request;
    request.who = where_;
    request.node = &map_.node();
    const Node* slots = map_.get("slots");
    request.cores = map_.get("cores");
    if (slots != nullptr && request.cores != nullptr) {
      c_.error(*slots, where_ + ": 'slots' and 'cores' are two spellings of one thing; give one of them");
    }
    if (slots != nullptr) {
      request.cores = slots;
      request.cores_word = "slots";
    }
    const std::size_t errors = c_.errors().size();
    read_amount(request.cores, request.cores_word, Quantity::kWhole, 1, made_.cores);
    read_amount(request.memory = map_.get("memory"), "memory", Quantity::kMemory, 0, made_.memory);
    read_amount(request.gpus = map_.get("gpus"), "gpus", Quantity::kWhole, 0, made_.gpus);
    if ((request.nodes = map_.get("nodes")) != nullptr) {
      made_.nodes = static_cast<std::int32_t>(whole_of(c_, *request.nodes, "nodes", 1, kMostNodes).value_or(1));
    }
    if (const Node* resources = map_.get("resources")) {
      made_.pools.clear();
      read_resources(reading_, *resources, where_, made_.pools, nullptr);
    }
    if (c_.errors().size() > errors) return;
    Demand demand;
    demand.cores = largest(made_.cores);
    demand.memory = largest(made_.memory);
    demand.gpus = largest(made_.gpus);
    demand.nodes = made_.nodes;
    check_fits(reading_, request, demand);
  }

  Reading& reading_;
  Context& c_;
  MapReader& map_;
  const std::string& where_;
  GeneratedStage& made_;
};

}  // namespace

void read_generated_stage(Reading& reading, MapReader& map, const std::string& where, bool needs_run_time,
                          GeneratedStage& into) {
  StageReader(reading, map, where, into).read(needs_run_time);
}

}  // namespace headroom::yaml
