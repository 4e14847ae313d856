// `generate:` items: how many and when, whose work it is, what is common to all stages. Arrivals, shapes and what a
// stage asks for are read by themselves (generate_parts.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "workloads/arrival_times.h"
#include "workloads/generate_parts.h"
#include "workloads/offered_load.h"

namespace headroom::yaml {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr long double kLargestLoad = 1000;
constexpr long double kLargestRate = 1e-3L;       // a nanosecond: one in a microsecond
constexpr long double kMostStates = 100'000'000;  // of an mmpp, in one run
constexpr std::size_t kMostMixed = 1000;

class GenerateReader {
 public:
  GenerateReader(Reading& reading, const Node& node, std::size_t unnamed)
      : reading_(reading), c_(reading.context), node_(node), map_(c_, node, "generate", "generate") {
    made_.name = "generate" + std::to_string(unnamed);
  }

  void read() {
    if (const Node* name = map_.get("name")) made_.name = name_of(c_, *name, "name").value_or("");
    where_ = "generate '" + made_.name + "'";
    const std::size_t errors = c_.errors().size();
    if (const Node* enabled = map_.get("enabled")) made_.enabled = boolean_of(c_, *enabled, "enabled").value_or(true);
    const Node* count = map_.get("count");
    const Node* until = map_.get("until");
    if (count != nullptr) made_.count = whole_of(c_, *count, "count", 1, kMostGenerated).value_or(1);
    if (until != nullptr) made_.until = duration_of(c_, *until, "until").value_or(Duration{});
    const Node* load = map_.get("load");
    if (load != nullptr) read_load(*load);
    bool timed = true;
    const Node* arrivals = arrivals_node(load, timed);
    read_tenants_of();
    if (const Node* priority = map_.get("priority")) {
      made_.priority =
          distribution_of(c_, *priority, "priority", Quantity::kPriority, -kNoLimit, kNoLimit).value_or(Distribution{});
    }
    if (const Node* shape = map_.get("shape")) made_.shape = read_shape(c_, *shape, where_);
    const Node* mix = map_.get("mix");
    read_generated_stage(reading_, map_, where_, mix == nullptr, made_);
    if (mix != nullptr) read_mix(*mix);
    if (const Node* preemptible = map_.get("preemptible")) {
      made_.preemptible = boolean_of(c_, *preemptible, "preemptible").value_or(false);
    }
    if (const Node* every = map_.get("checkpoint")) made_.checkpoint = positive_duration_of(c_, *every, "checkpoint");
    if (const Node* fails = map_.get("fails")) made_.failing = failing_of(c_, *fails, where_);
    if (const Node* retry = map_.get("retry")) made_.retry = whole_of(c_, *retry, "retry", 0, kMostRetries).value_or(0);
    map_.finish();
    if (load != nullptr && c_.errors().size() == errors) follow_load(*load);
    if (timed && (arrivals != nullptr || load != nullptr))
      check_end(count, until, arrivals != nullptr ? *arrivals : node_);
    reading_.workload.items.emplace_back(std::move(made_));
  }

 private:
  /// With a load alone they are a Poisson process.
  const Node* arrivals_node(const Node* load, bool& sound) {
    constexpr const char* kWanted = "{poisson: {rate: 40/h}}, {periodic: {every: 1h}} or {burst: {at: 0s}}";
    const Node* arrivals = load != nullptr ? map_.get("arrivals") : map_.require("arrivals", kWanted);
    if (arrivals != nullptr) {
      made_.arrivals = read_arrivals(c_, *arrivals, load != nullptr, sound);
    } else if (load != nullptr) {
      made_.arrivals.kind = Arrivals::Kind::kPoisson;
      made_.arrivals.rate_per_ns = 1e-9L;
    }
    return arrivals;
  }

  void read_load(const Node& node) {
    const auto load = number_of(c_, node, "load");
    if (!load) return;
    if (*load > 0 && *load <= kLargestLoad) {
      made_.load = *load;
    } else {
      c_.expected(node, "load", "a number above 0 like 0.9, the share of the cluster's cores that the work asks for");
    }
  }

  /// The rate at which the work that comes is `load` of what the cluster can do.
  void follow_load(const Node& node) {
    const ClusterSpec& cluster = reading_.workload.cluster;
    if (cluster.from_trace)
      return c_.error(node, where_ + ": a load needs a cluster that the file describes, not one taken from a trace");
    const long double work = mean_work(made_);
    if (!std::isfinite(work))
      return c_.error(node, where_ +
                                ": no rate follows from a load, because a run time has no finite mean (a pareto of "
                                "shape 1 or less needs a 'max')");
    if (!(work > 0)) return c_.error(node, where_ + ": no rate follows from a load, because the work is nothing");
    const long double rate = *made_.load * cores_of(cluster) / work;
    if (!(rate <= kLargestRate))
      return c_.error(node, where_ + ": the rate that follows from the load is above one in a microsecond");
    made_.arrivals = with_mean_rate(std::move(made_.arrivals), rate);
  }

  void read_mix(const Node& node) {
    for (const char* key : {"runtime", "cores", "slots"}) {
      if (const Node* other = map_.get(key))
        c_.error(*other,
                 where_ + ": either 'mix' or '" + key + "': a mix says for each of its entries what goes together");
    }
    const auto entries = items_of(c_, node, "mix");
    if (node.is_list() && (entries.empty() || entries.size() > kMostMixed))
      return c_.error(node, "mix: from 1 to " + std::to_string(kMostMixed) + " entries are expected, found " +
                                std::to_string(entries.size()));
    long double sum = 0;
    for (const NodeId entry : entries) {
      MapReader map(c_, c_.at(entry), "mix", "an entry of mix");
      if (!map.ok()) continue;
      GeneratedStage stage = made_;
      if (const Node* weight = map.require("weight", "how often it is, as a share of all weights")) {
        stage.weight = number_of(c_, *weight, "weight").value_or(1);
        if (!(stage.weight >= 0)) c_.expected(*weight, "weight", "a weight that is not negative");
        sum += stage.weight;
      }
      read_generated_stage(reading_, map, where_ + ", an entry of mix", true, stage);
      map.finish();
      made_.mix.push_back(std::move(stage));
    }
    if (!made_.mix.empty() && !(sum > 0) && !c_.failed()) c_.error(node, "mix: all weights are 0");
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
    const long double rate = mean_rate(a);
    if (count == nullptr && until != nullptr && !single_burst &&
        rate * static_cast<long double>(made_.until->ns) > static_cast<long double>(kMostGenerated)) {
      c_.error(arrivals,
               where_ + ": more than " + std::to_string(kMostGenerated) + " workflows until '" + until->text + "'");
    }
    if (a.kind == Arrivals::Kind::kMmpp) check_states(arrivals, rate);
  }

  void check_states(const Node& arrivals, long double rate) {
    long double length = std::numeric_limits<long double>::infinity(), round = 0;
    if (made_.until) length = static_cast<long double>(made_.until->ns);
    if (made_.count) length = std::min(length, static_cast<long double>(*made_.count) / rate);
    for (const Arrivals::Phase& phase : made_.arrivals.phases) round += static_cast<long double>(phase.stay.ns);
    if (length / round * static_cast<long double>(made_.arrivals.phases.size()) > kMostStates)
      c_.error(arrivals, where_ + ": the mmpp changes its state more than 100000000 times; let them last longer");
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
