// `generate:` items: arrivals, whose work it is, and what each workflow of one stage asks for.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

class GenerateReader {
 public:
  GenerateReader(Reading& reading, const Node& node, std::size_t unnamed)
      : reading_(reading), c_(reading.context), node_(node), map_(c_, node, "generate", "generate") {
    made_.name = "generate" + std::to_string(unnamed);
  }

  void read() {
    if (const Node* name = map_.get("name")) made_.name = name_of(c_, *name, "name").value_or("");
    where_ = "generate '" + made_.name + "'";
    const Node* count = map_.get("count");
    const Node* until = map_.get("until");
    if (count != nullptr) made_.count = whole_of(c_, *count, "count", 1, kMostGenerated).value_or(1);
    if (until != nullptr) made_.until = duration_of(c_, *until, "until").value_or(Duration{});
    if (const Node* arrivals =
            map_.require("arrivals", "{poisson: {rate: 40/h}}, {periodic: {every: 1h}} or {burst: {at: 0s}}")) {
      read_arrivals(*arrivals);
      check_end(count, until, *arrivals);
    }
    read_tenants_of();
    if (const Node* priority = map_.get("priority")) {
      made_.priority =
          distribution_of(c_, *priority, "priority", Quantity::kPriority, -kNoLimit, kNoLimit).value_or(Distribution{});
    }
    if (const Node* shape = map_.get("shape")) read_shape(*shape);
    if (const Node* run_time = map_.require("runtime", "how long each really takes")) {
      made_.run_time = run_time_of(c_, *run_time, "runtime").value_or(Distribution{});
    }
    if (const Node* estimate = map_.get("estimate")) read_estimate(*estimate);
    read_request();
    if (const Node* walltime = map_.get("walltime")) made_.walltime = positive_duration_of(c_, *walltime, "walltime");
    if (const Node* preemptible = map_.get("preemptible")) {
      made_.preemptible = boolean_of(c_, *preemptible, "preemptible").value_or(false);
    }
    if (const Node* fails = map_.get("fails")) made_.failing = failing_of(c_, *fails, where_);
    if (const Node* retry = map_.get("retry")) made_.retry = whole_of(c_, *retry, "retry", 0, kMostRetries).value_or(0);
    map_.finish();
    reading_.workload.items.emplace_back(std::move(made_));
  }

 private:
  void read_arrivals(const Node& node) {
    constexpr std::array<std::string_view, 3> kKinds{"poisson", "periodic", "burst"};
    if (!node.is_map() || node.children.size() != 2) {
      c_.expected(node, "arrivals", "one of {poisson: {rate: 40/h}}, {periodic: {every: 1h}}, {burst: {at: 0s}}");
      return;
    }
    const auto kind = word_of(c_, c_.at(node.children[0]), "arrivals", "generate.arrivals", kKinds);
    if (!kind) return;
    made_.arrivals.kind = static_cast<Arrivals::Kind>(*kind);
    MapReader map(c_, c_.at(node.children[1]), kKinds[*kind], std::string(kKinds[*kind]));
    if (*kind == 0) read_poisson(map);
    if (*kind == 1) read_periodic(map);
    if (*kind == 2) read_burst(map);
    map.finish();
  }

  void read_poisson(MapReader& map) {
    const Node* rate = map.require("rate", "how many in which time, like 40/h");
    if (rate == nullptr) return;
    const Scalar<long double> value = read_rate(rate->text);
    if (!rate->is_scalar() || !value.ok())
      return c_.expected(*rate, "rate", "a rate above 0 like 40/h, 2/s, 1/min or 3/d");
    made_.arrivals.rate_per_ns = value.value;
  }

  void read_periodic(MapReader& map) {
    if (const Node* every = map.require("every", "the time between two arrivals")) {
      made_.arrivals.every = positive_duration_of(c_, *every, "every").value_or(Duration::seconds(1));
    }
    if (const Node* first = map.get("first"))
      made_.arrivals.first = duration_of(c_, *first, "first").value_or(Duration{});
  }

  void read_burst(MapReader& map) {
    if (const Node* at = map.require("at", "when they come")) {
      made_.arrivals.first = duration_of(c_, *at, "at").value_or(Duration{});
    }
    if (const Node* every = map.get("every")) {
      made_.arrivals.every = positive_duration_of(c_, *every, "every").value_or(Duration::seconds(1));
    }
    if (const Node* size = map.get("size")) made_.arrivals.size = whole_of(c_, *size, "size", 1, kMostGenerated);
  }

  /// Something must end it, before there are too many.
  void check_end(const Node* count, const Node* until, const Node& arrivals) {
    const Arrivals& a = made_.arrivals;
    const bool single_burst = a.kind == Arrivals::Kind::kBurst && a.every.ns == 0;
    if (count == nullptr && (until == nullptr || single_burst) && !(single_burst && a.size)) {
      if (map_.ok())
        c_.error(node_, where_ + ": 'count' is missing: how many there are" + (single_burst ? "" : ", or 'until'"));
      return;
    }
    if (count != nullptr || until == nullptr || made_.until->ns == 0) return;
    const auto length = static_cast<long double>(made_.until->ns);
    long double expected = 0;
    if (a.kind == Arrivals::Kind::kPoisson) expected = length * a.rate_per_ns;
    if (a.every.ns > 0)
      expected = length / static_cast<long double>(a.every.ns) * static_cast<long double>(a.size.value_or(1));
    if (expected > static_cast<long double>(kMostGenerated)) {
      c_.error(arrivals,
               where_ + ": more than " + std::to_string(kMostGenerated) + " workflows until '" + until->text + "'");
    }
  }

  void read_tenants_of() {
    const Node* user = map_.get("user");
    const Node* account = map_.get("account");
    const Node* tenant = map_.get("tenant");
    if (tenant != nullptr) {
      if (user != nullptr || account != nullptr)
        c_.error(*tenant, where_ + ": either 'tenant' or 'user' and 'account', not both");
      read_tenant(*tenant);
    } else if (const auto choice = tenant_of(reading_, user, account, node_, where_)) {
      made_.tenants.push_back(*choice);
    }
    if (made_.tenants.empty()) made_.tenants.push_back({});
  }

  void read_tenant(const Node& node) {
    if (node.is_scalar()) return add_tenant(node, 1);
    const bool is_choose = node.is_map() && node.children.size() == 2 && c_.at(node.children[0]).text == "choose" &&
                           c_.at(node.children[1]).is_map() && !c_.at(node.children[1]).children.empty();
    if (!is_choose) return c_.expected(node, "tenant", "account/user or {choose: {account/user: weight}}");
    const Node& choose = c_.at(node.children[1]);
    long double sum = 0;
    for (std::size_t i = 0; i + 1 < choose.children.size(); i += 2) {
      const Node& weight_node = c_.at(choose.children[i + 1]);
      const long double weight = number_of(c_, weight_node, "weight").value_or(1);
      if (!(weight >= 0)) c_.expected(weight_node, "weight", "a weight that is not negative");
      sum += weight;
      add_tenant(c_.at(choose.children[i]), weight);
    }
    if (!(sum > 0)) c_.error(choose, "tenant.choose: all weights are 0");
  }

  void add_tenant(const Node& node, long double weight) {
    const std::size_t slash = node.text.find('/');
    if (slash == std::string::npos) return c_.expected(node, "tenant", "account/user");
    // Each half is looked up as if it stood by itself at the same place.
    Node account = node, user = node;
    account.text = node.text.substr(0, slash);
    user.text = node.text.substr(slash + 1);
    if (auto choice = tenant_of(reading_, &user, &account, node, where_)) {
      choice->weight = weight;
      made_.tenants.push_back(*choice);
    }
  }

  void read_shape(const Node& node) {
    constexpr std::array<std::string_view, 1> kShapes{"single"};
    const bool is_one_key = node.is_map() && node.children.size() == 2;
    word_of(c_, is_one_key ? c_.at(node.children[0]) : node, "shape", "generate.shape", kShapes);
  }

  void read_estimate(const Node& node) {
    const bool is_one_key = node.is_map() && node.children.size() == 2;
    const std::string word = node.is_scalar() ? node.text : is_one_key ? c_.at(node.children[0]).text : "";
    if (node.is_scalar() && word == "exact") return;
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

  static std::int64_t largest(const Distribution& d) {
    if (d.kind == Distribution::Kind::kConstant) return d.constant;
    if (d.kind == Distribution::Kind::kUniform) return static_cast<std::int64_t>(d.b);
    std::int64_t most = 0;
    for (const Distribution::Choice& choice : d.choices) {
      if (choice.weight > 0) most = std::max(most, choice.value);
    }
    return most;  // 0 where there is no bound: what is drawn is checked when it is drawn.
  }

  void read_request() {
    Request request;
    request.who = where_;
    request.node = &node_;
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
    const auto amount = [&](const Node* node, std::string_view what, Quantity quantity, std::int64_t least,
                            Distribution& into) {
      const std::int64_t most = quantity == Quantity::kMemory ? kNoLimit : kMostCores;
      if (node != nullptr) into = distribution_of(c_, *node, what, quantity, least, most).value_or(into);
    };
    amount(request.cores, request.cores_word, Quantity::kWhole, 1, made_.cores);
    amount(request.memory = map_.get("memory"), "memory", Quantity::kMemory, 0, made_.memory);
    amount(request.gpus = map_.get("gpus"), "gpus", Quantity::kWhole, 0, made_.gpus);
    if ((request.nodes = map_.get("nodes")) != nullptr) {
      made_.nodes = static_cast<std::int32_t>(whole_of(c_, *request.nodes, "nodes", 1, kMostNodes).value_or(1));
    }
    if (const Node* resources = map_.get("resources"))
      read_resources(reading_, *resources, where_, made_.pools, nullptr);
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
  const Node& node_;
  MapReader map_;
  GenerateItem made_;
  std::string where_;
};

}  // namespace

void read_generate(Reading& reading, const Node& node, std::size_t unnamed) {
  if (!node.is_map()) return reading.context.expected(node, "generate", "a map of keys and values");
  GenerateReader(reading, node, unnamed).read();
}

}  // namespace headroom::yaml
