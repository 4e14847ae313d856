// Distributions: a plain value, uniform, exponential, lognormal, choose.
#include <array>
#include <limits>
#include <optional>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

constexpr long double kLargestSigma = 20;  // Beyond it a lognormal is nothing but overflow.

/// One read of one distribution.
struct Shape {
  Context& context;
  std::string what;
  Quantity quantity;
  std::int64_t least, most;

  std::optional<std::int64_t> value(const Node& node, std::string_view name) const {
    const std::optional<std::int64_t> value = raw(node, name);
    if (!value || (*value >= least && *value <= most)) return value;
    context.expected(node, name, *value < least ? "a larger value" : "a smaller value");
    return std::nullopt;
  }

 private:
  std::optional<std::int64_t> raw(const Node& node, std::string_view name) const {
    switch (quantity) {
      case Quantity::kDuration: {
        const std::optional<Duration> duration = duration_of(context, node, name);
        return duration ? std::optional(duration->ns) : std::nullopt;
      }
      case Quantity::kMemory:
        return memory_of(context, node, name);
      case Quantity::kWhole:
        return whole_of(context, node, name, least, most);
      case Quantity::kPriority:
        return priority_of(context, node, name);
      case Quantity::kMillionths:
        break;
    }
    const Scalar<std::int64_t> scalar = read_scaled(node.text, 1'000'000);
    if (node.is_scalar() && scalar.ok()) return scalar.value;
    context.expected(node, name, node.is_scalar() ? scalar.wanted : "a number");
    return std::nullopt;
  }
};

std::optional<Distribution> uniform(const Shape& shape, const Node& node) {
  if (!node.is_list() || node.children.size() != 2) {
    shape.context.expected(node, shape.what + ".uniform", "a list of two values, [lowest, highest]");
    return std::nullopt;
  }
  const Node& low_node = shape.context.at(node.children[0]);
  const Node& high_node = shape.context.at(node.children[1]);
  const auto low = shape.value(low_node, shape.what + ".uniform");
  const auto high = shape.value(high_node, shape.what + ".uniform");
  if (!low || !high) return std::nullopt;
  if (*low > *high) {
    shape.context.expected(high_node, shape.what + ".uniform", "a highest value that is not below the lowest");
    return std::nullopt;
  }
  Distribution d;
  d.kind = Distribution::Kind::kUniform;
  d.a = static_cast<long double>(*low);
  d.b = static_cast<long double>(*high);
  return d;
}

/// The value, or 0 where it is missing or wrong (a mean or a median is above 0).
std::int64_t positive_or_zero(const Shape& shape, const Node* node, std::string_view name) {
  if (node == nullptr) return 0;
  const std::optional<std::int64_t> value = shape.value(*node, name);
  if (value.has_value() && value.value() > 0) return value.value();
  if (value.has_value()) shape.context.expected(*node, name, "a " + std::string(name) + " above 0");
  return 0;
}

long double sigma_or_negative(Context& context, const Node& node) {
  const std::optional<long double> sigma = number_of(context, node, "sigma");
  if (!sigma.has_value()) return -1;
  if (sigma.value() >= 0 && sigma.value() <= kLargestSigma) return sigma.value();
  context.expected(node, "sigma", "a number from 0 to 20");
  return -1;
}

std::optional<Distribution> exponential(const Shape& shape, const Node& node) {
  MapReader map(shape.context, node, "exponential", shape.what + ".exponential");
  const Node* mean_node = map.require("mean", "{mean: 10min}");
  map.finish();
  const std::int64_t mean = positive_or_zero(shape, mean_node, "mean");
  if (mean == 0) return std::nullopt;
  Distribution d;
  d.kind = Distribution::Kind::kExponential;
  d.a = static_cast<long double>(mean);
  return d;
}

std::optional<Distribution> lognormal(const Shape& shape, const Node& node) {
  MapReader map(shape.context, node, "lognormal", shape.what + ".lognormal");
  const Node* median_node = map.require("median", "{median: 10min, sigma: 0.8}");
  const Node* sigma_node = map.require("sigma", "{median: 10min, sigma: 0.8}");
  map.finish();
  const std::int64_t median = positive_or_zero(shape, median_node, "median");
  const long double sigma = sigma_node != nullptr ? sigma_or_negative(shape.context, *sigma_node) : -1;
  if (median == 0 || sigma < 0) return std::nullopt;
  Distribution d;
  d.kind = Distribution::Kind::kLognormal;
  d.a = static_cast<long double>(median);
  d.b = sigma;
  return d;
}

std::optional<Distribution> choose(const Shape& shape, const Node& node) {
  if (!node.is_map() || node.children.empty()) {
    shape.context.expected(node, shape.what + ".choose", "a map of values and weights like {1: 0.6, 8: 0.4}");
    return std::nullopt;
  }
  Distribution d;
  d.kind = Distribution::Kind::kChoose;
  long double sum = 0;
  bool good = true;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto value = shape.value(shape.context.at(node.children[i]), shape.what + ".choose");
    const Node& weight_node = shape.context.at(node.children[i + 1]);
    const auto weight = number_of(shape.context, weight_node, "weight");
    if (weight && *weight < 0) shape.context.expected(weight_node, "weight", "a weight that is not negative");
    good = good && value && weight && *weight >= 0;
    if (!good) continue;
    sum += *weight;
    d.choices.push_back({*value, *weight});
  }
  if (good && !(sum > 0)) shape.context.error(node, shape.what + ".choose: all weights are 0");
  if (!good || !(sum > 0)) return std::nullopt;
  return d;
}

}  // namespace

std::optional<Distribution> distribution_of(Context& context, const Node& node, std::string_view what,
                                            Quantity quantity, std::int64_t least, std::int64_t most) {
  const Shape shape{context, std::string(what), quantity, least, most};
  if (node.is_scalar()) {
    const auto value = shape.value(node, what);
    return value ? std::optional(Distribution::always(*value)) : std::nullopt;
  }
  constexpr std::array<std::string_view, 4> kKinds{"uniform", "exponential", "lognormal", "choose"};
  if (!node.is_map() || node.children.size() != 2) {
    context.expected(node, what, "a plain value or one of " + any_of_words(kKinds));
    return std::nullopt;
  }
  const Node& argument = context.at(node.children[1]);
  const auto kind = word_of(context, context.at(node.children[0]), what, "distribution", kKinds);
  if (!kind) return std::nullopt;
  if (*kind == 0) return uniform(shape, argument);
  if (*kind == 1) return exponential(shape, argument);
  if (*kind == 2) return lognormal(shape, argument);
  return choose(shape, argument);
}

std::optional<Distribution> run_time_of(Context& context, const Node& node, std::string_view what) {
  return distribution_of(context, node, what, Quantity::kDuration, 0, std::numeric_limits<std::int64_t>::max());
}

}  // namespace headroom::yaml
