// `arrivals:` of generated work. With a `load:` the rates are what follows, so none is asked for.
#include <algorithm>
#include <array>
#include <utility>

#include "workloads/arrival_times.h"
#include "workloads/generate_parts.h"

namespace headroom::yaml {
namespace {

constexpr std::size_t kMostPhases = 1000;
constexpr const char* kForms =
    "one of {poisson: {rate: 40/h}}, {periodic: {every: 1h}}, {burst: {at: 0s}}, {mmpp: {rates: [10/h, 90/h], stay: "
    "[2h, "
    "30min]}}, {diurnal: {rate: 40/h, amplitude: 0.8}}";

class ArrivalsReader {
 public:
  ArrivalsReader(Context& context, bool with_load) : c_(context), with_load_(with_load) {}

  Arrivals read(const Node& node, bool& ok) {
    const std::size_t errors = c_.errors().size();
    constexpr std::array<std::string_view, 5> kKinds{"poisson", "periodic", "burst", "mmpp", "diurnal"};
    // Where nothing more has to be said: `arrivals: poisson` beside a load.
    const bool is_word = with_load_ && node.is_scalar();
    if (!is_word && (!node.is_map() || node.children.size() != 2)) {
      c_.expected(node, "arrivals", kForms);
    } else if (const auto kind =
                   word_of(c_, is_word ? node : c_.at(node.children[0]), "arrivals", "generate.arrivals", kKinds)) {
      made_.kind = static_cast<Arrivals::Kind>(*kind);
      Node nothing = node;
      nothing.kind = Node::Kind::kMap;
      nothing.children.clear();
      MapReader map(c_, is_word ? nothing : c_.at(node.children[1]), kKinds[*kind], std::string(kKinds[*kind]));
      if (map.ok()) read_kind(map);
      map.finish();
    }
    ok = c_.errors().size() == errors;
    return std::move(made_);
  }

 private:
  void read_kind(MapReader& map) {
    switch (made_.kind) {
      case Arrivals::Kind::kPoisson:
        return read_rate_of(map);
      case Arrivals::Kind::kPeriodic:
        return read_periodic(map);
      case Arrivals::Kind::kBurst:
        return read_burst(map);
      case Arrivals::Kind::kMmpp:
        return read_mmpp(map);
      case Arrivals::Kind::kDiurnal:
        return read_diurnal(map);
    }
  }

  /// The value, where it is asked for; beside a load it is an error.
  const Node* instead_of_load(MapReader& map, std::string_view key, std::string_view wanted) {
    if (!with_load_) return map.require(key, wanted);
    if (const Node* node = map.get(key))
      c_.error(*node, "either 'load' or '" + std::string(key) + "': one follows from the other");
    return nullptr;
  }

  long double rate_of(const Node& node, std::string_view what, bool may_be_zero) {
    const Scalar<long double> value = read_rate(node.text, may_be_zero);
    if (node.is_scalar() && value.ok()) return value.value;
    c_.expected(node, what, node.is_scalar() ? value.wanted : read_rate("", may_be_zero).wanted);
    return 0;
  }

  void read_rate_of(MapReader& map) {
    made_.rate_per_ns = 1e-9L;  // with a load: any
    if (const Node* rate = instead_of_load(map, "rate", "how many in which time, like 40/h"))
      made_.rate_per_ns = rate_of(*rate, "rate", false);
  }

  void read_periodic(MapReader& map) {
    made_.every = Duration::seconds(1);
    if (const Node* every = instead_of_load(map, "every", "the time between two arrivals"))
      made_.every = positive_duration_of(c_, *every, "every").value_or(made_.every);
    if (const Node* first = map.get("first")) made_.first = duration_of(c_, *first, "first").value_or(Duration{});
  }

  void read_burst(MapReader& map) {
    if (const Node* at = map.require("at", "when they come"))
      made_.first = duration_of(c_, *at, "at").value_or(Duration{});
    if (with_load_) made_.every = Duration::seconds(1);
    if (const Node* every = with_load_ ? instead_of_load(map, "every", "") : map.get("every"))
      made_.every = positive_duration_of(c_, *every, "every").value_or(Duration::seconds(1));
    if (const Node* size = map.get("size")) made_.size = whole_of(c_, *size, "size", 1, kMostGenerated);
  }

  void read_mmpp(MapReader& map) {
    const Node* rates = map.require("rates", "a list like [10/h, 90/h], the rate of each state");
    const Node* stay = map.require("stay", "a list like [2h, 30min], how long each state lasts on average");
    if (rates == nullptr || stay == nullptr) return;
    const auto rate_items = items_of(c_, *rates, "rates"), stay_items = items_of(c_, *stay, "stay");
    if (!rates->is_list() || !stay->is_list()) return;
    if (rate_items.size() < 2 || rate_items.size() > kMostPhases)
      return c_.error(*rates, "rates: from 2 to " + std::to_string(kMostPhases) + " states are expected, found " +
                                  std::to_string(rate_items.size()));
    if (stay_items.size() != rate_items.size())
      return c_.error(*stay, "stay: expected as many as there are rates, " + std::to_string(rate_items.size()) +
                                 ", found " + std::to_string(stay_items.size()));
    for (std::size_t i = 0; i < rate_items.size(); ++i) {
      made_.phases.push_back({rate_of(c_.at(rate_items[i]), "rates", true),
                              positive_duration_of(c_, c_.at(stay_items[i]), "stay").value_or(Duration::seconds(1))});
    }
    if (!(mean_rate(made_) > 0) && !c_.failed()) c_.error(*rates, "rates: all are 0");
  }

  void read_diurnal(MapReader& map) {
    read_rate_of(map);
    made_.period = Duration::hours(24);
    if (const Node* period = map.get("period"))
      made_.period = positive_duration_of(c_, *period, "period").value_or(made_.period);
    const Node* amplitude = map.get("amplitude");
    const Node* peak = map.get("peak");
    const Node* weights = map.get("weights");
    if (weights != nullptr) {
      for (const Node* other : {amplitude, peak})
        if (other != nullptr) c_.error(*other, "diurnal: either 'weights' or 'amplitude' and 'peak', not both");
      return read_weights(*weights);
    }
    if (amplitude == nullptr)
      amplitude = map.require("amplitude", "from 0 (none) to 1 (nobody comes at the lowest point), or 'weights'");
    if (amplitude != nullptr) {
      made_.amplitude = number_of(c_, *amplitude, "amplitude").value_or(1);
      if (!(made_.amplitude >= 0 && made_.amplitude <= 1)) c_.expected(*amplitude, "amplitude", "a number from 0 to 1");
    }
    made_.peak = Duration{made_.period.ns / 2};
    if (peak != nullptr) made_.peak = duration_of(c_, *peak, "peak").value_or(made_.peak);
  }

  /// Equal parts of the period, at rates that make the mean what it is.
  void read_weights(const Node& node) {
    const auto items = items_of(c_, node, "weights");
    if (!node.is_list()) return;
    if (items.empty() || items.size() > kMostPhases)
      return c_.error(node, "weights: from 1 to " + std::to_string(kMostPhases) +
                                " parts of the period are expected, found " + std::to_string(items.size()));
    long double sum = 0;
    for (const NodeId item : items) {
      const long double weight = number_of(c_, c_.at(item), "weights").value_or(1);
      if (!(weight >= 0)) c_.expected(c_.at(item), "weights", "a weight that is not negative");
      made_.phases.push_back({weight, {}});
      sum += weight;
    }
    if (!(sum > 0)) return c_.error(node, "weights: all are 0");
    for (Arrivals::Phase& phase : made_.phases)
      phase.rate_per_ns *= made_.rate_per_ns * static_cast<long double>(items.size()) / sum;
  }

  Context& c_;
  bool with_load_;
  Arrivals made_;
};

}  // namespace

Arrivals read_arrivals(Context& context, const Node& node, bool with_load, bool& ok) {
  return ArrivalsReader(context, with_load).read(node, ok);
}

}  // namespace headroom::yaml
