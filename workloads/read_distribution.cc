// Distributions: a plain value, or one of ten with their parameters. Those that need a file of values are read by
// read_observed().
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

// Beyond these a draw is nothing but overflow, or a constant.
constexpr long double kLargestSigma = 20;
constexpr long double kSmallestShape = 0.05L, kLargestShape = 1000;
constexpr long double kLargestScv = 1'000'000;

/// One read of one distribution.
struct Form {
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

  /// A mean, a scale …: as the values are written, but of whole numbers it may be a fraction.
  std::optional<long double> parameter(const Node& node, std::string_view name) const {
    if (quantity != Quantity::kWhole && quantity != Quantity::kPriority) {
      const std::optional<std::int64_t> value = this->value(node, name);
      return value ? std::optional(static_cast<long double>(*value)) : std::nullopt;
    }
    const std::optional<long double> number = number_of(context, node, name);
    if (!number || std::abs(*number) <= static_cast<long double>(most)) return number;
    context.expected(node, name, "a smaller value");
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

std::optional<Distribution> uniform(const Form& form, const Node& node) {
  if (!node.is_list() || node.children.size() != 2) {
    form.context.expected(node, form.what + ".uniform", "a list of two values, [lowest, highest]");
    return std::nullopt;
  }
  const Node& low_node = form.context.at(node.children[0]);
  const Node& high_node = form.context.at(node.children[1]);
  const auto low = form.value(low_node, form.what + ".uniform");
  const auto high = form.value(high_node, form.what + ".uniform");
  if (!low || !high) return std::nullopt;
  if (*low > *high) {
    form.context.expected(high_node, form.what + ".uniform", "a highest value that is not below the lowest");
    return std::nullopt;
  }
  Distribution d;
  d.kind = Distribution::Kind::kUniform;
  d.a = static_cast<long double>(*low);
  d.b = static_cast<long double>(*high);
  return d;
}

/// A parameter above 0; nothing where it is missing or wrong.
std::optional<long double> positive(const Form& form, const Node* node, std::string_view name) {
  if (node == nullptr) return std::nullopt;
  const std::optional<long double> value = form.parameter(*node, name);
  if (!value || *value > 0) return value;
  form.context.expected(*node, name, "a " + std::string(name) + " above 0");
  return std::nullopt;
}

/// A plain number of [least, most].
std::optional<long double> number_between(Context& context, const Node* node, std::string_view name, long double least,
                                          long double most, std::string_view wanted) {
  if (node == nullptr) return std::nullopt;
  const std::optional<long double> number = number_of(context, *node, name);
  if (!number || (*number >= least && *number <= most)) return number;
  context.expected(*node, name, wanted);
  return std::nullopt;
}

std::optional<long double> shape_parameter(Context& context, const Node* node) {
  return number_between(context, node, "shape", kSmallestShape, kLargestShape, "a number from 0.05 to 1000");
}

Distribution made(Distribution::Kind kind, long double a, long double b = 0) {
  Distribution d;
  d.kind = kind;
  d.a = a;
  d.b = b;
  return d;
}

std::optional<Distribution> exponential(const Form& form, const Node& node) {
  MapReader map(form.context, node, "exponential", form.what + ".exponential");
  const Node* mean_node = map.require("mean", "{mean: 10min}");
  map.finish();
  const auto mean = positive(form, mean_node, "mean");
  if (!mean) return std::nullopt;
  return made(Distribution::Kind::kExponential, *mean);
}

std::optional<Distribution> normal(const Form& form, const Node& node) {
  MapReader map(form.context, node, "normal", form.what + ".normal");
  const Node* mean_node = map.require("mean", "{mean: 10min, sd: 2min}");
  const Node* sd_node = map.require("sd", "{mean: 10min, sd: 2min}");
  map.finish();
  const auto mean = mean_node != nullptr ? form.parameter(*mean_node, "mean") : std::nullopt;
  const auto sd = positive(form, sd_node, "sd");
  if (!mean || !sd) return std::nullopt;
  return made(Distribution::Kind::kNormal, *mean, *sd);
}

std::optional<Distribution> lognormal(const Form& form, const Node& node) {
  MapReader map(form.context, node, "lognormal", form.what + ".lognormal");
  const Node* median_node = map.require("median", "{median: 10min, sigma: 0.8}");
  const Node* sigma_node = map.require("sigma", "{median: 10min, sigma: 0.8}");
  map.finish();
  const auto median = positive(form, median_node, "median");
  const auto sigma = number_between(form.context, sigma_node, "sigma", 0, kLargestSigma, "a number from 0 to 20");
  if (!median || !sigma) return std::nullopt;
  return made(Distribution::Kind::kLognormal, *median, *sigma);
}

/// Weibull and gamma.
std::optional<Distribution> shape_and_scale(const Form& form, const Node& node, Distribution::Kind kind,
                                            const std::string& word) {
  MapReader map(form.context, node, word, form.what + "." + word);
  const Node* shape_node = map.require("shape", "{shape: 0.7, scale: 10min}");
  const Node* scale_node = map.require("scale", "{shape: 0.7, scale: 10min}");
  map.finish();
  const auto of_shape = shape_parameter(form.context, shape_node);
  const auto scale = positive(form, scale_node, "scale");
  if (!of_shape || !scale) return std::nullopt;
  return made(kind, *of_shape, *scale);
}

std::optional<Distribution> pareto(const Form& form, const Node& node) {
  MapReader map(form.context, node, "pareto", form.what + ".pareto");
  const Node* shape_node = map.require("shape", "{shape: 1.5, min: 1min}, and 'max' where it ends");
  const Node* min_node = map.require("min", "{shape: 1.5, min: 1min}, and 'max' where it ends");
  const Node* max_node = map.get("max");
  map.finish();
  const auto of_shape = shape_parameter(form.context, shape_node);
  const auto min = positive(form, min_node, "min");
  const auto max = positive(form, max_node, "max");
  if (!of_shape || !min || (max_node != nullptr && !max)) return std::nullopt;
  Distribution d = made(Distribution::Kind::kPareto, *of_shape, *min);
  d.c = max.value_or(0);
  if (max_node != nullptr && *max <= *min) {
    form.context.expected(*max_node, "max", "a value above 'min'");
    return std::nullopt;
  }
  return d;
}

std::optional<Distribution> hyperexponential(const Form& form, const Node& node) {
  MapReader map(form.context, node, "hyperexponential", form.what + ".hyperexponential");
  const Node* mean_node = map.require("mean", "{mean: 10min, scv: 4}");
  const Node* scv_node = map.require("scv", "{mean: 10min, scv: 4}");
  map.finish();
  const auto mean = positive(form, mean_node, "mean");
  const auto scv =
      number_between(form.context, scv_node, "scv", 1, kLargestScv,
                     "a number from 1 (exponential) to 1000000; a smaller one is a gamma's, of shape 1 / scv");
  if (!mean || !scv) return std::nullopt;
  return made(Distribution::Kind::kHyperexponential, *mean, *scv);
}

std::optional<Distribution> empirical(const Form& form, const Node& node) {
  Context::Observed observed =
      read_observed(form.context, node, form.what + ".empirical", form.quantity, form.least, form.most);
  if (!observed) return std::nullopt;
  Distribution d;
  d.kind = Distribution::Kind::kEmpirical;
  d.observed = std::move(observed);
  return d;
}

std::optional<Distribution> choose(const Form& form, const Node& node) {
  if (!node.is_map() || node.children.empty()) {
    form.context.expected(node, form.what + ".choose", "a map of values and weights like {1: 0.6, 8: 0.4}");
    return std::nullopt;
  }
  Distribution d;
  d.kind = Distribution::Kind::kChoose;
  long double sum = 0;
  bool good = true;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto value = form.value(form.context.at(node.children[i]), form.what + ".choose");
    const Node& weight_node = form.context.at(node.children[i + 1]);
    const auto weight = number_of(form.context, weight_node, "weight");
    if (weight && *weight < 0) form.context.expected(weight_node, "weight", "a weight that is not negative");
    good = good && value && weight && *weight >= 0;
    if (!good) continue;
    sum += *weight;
    d.choices.push_back({*value, *weight});
  }
  if (good && !(sum > 0)) form.context.error(node, form.what + ".choose: all weights are 0");
  if (!good || !(sum > 0)) return std::nullopt;
  return d;
}

}  // namespace

std::optional<Distribution> distribution_of(Context& context, const Node& node, std::string_view what,
                                            Quantity quantity, std::int64_t least, std::int64_t most) {
  const Form form{context, std::string(what), quantity, least, most};
  if (node.is_scalar()) {
    const auto value = form.value(node, what);
    return value ? std::optional(Distribution::always(*value)) : std::nullopt;
  }
  using Kind = Distribution::Kind;
  constexpr std::array<std::string_view, 10> kWords{"uniform", "exponential", "normal", "lognormal",
                                                    "weibull", "gamma",       "pareto", "hyperexponential",
                                                    "choose",  "empirical"};
  constexpr std::array kKinds{Kind::kUniform, Kind::kExponential, Kind::kNormal, Kind::kLognormal,
                              Kind::kWeibull, Kind::kGamma,       Kind::kPareto, Kind::kHyperexponential,
                              Kind::kChoose,  Kind::kEmpirical};
  if (!node.is_map() || node.children.size() != 2) {
    context.expected(node, what, "a plain value or one of " + any_of_words(kWords));
    return std::nullopt;
  }
  const Node& argument = context.at(node.children[1]);
  const auto word = word_of(context, context.at(node.children[0]), what, "distribution", kWords);
  if (!word) return std::nullopt;
  switch (kKinds.at(*word)) {
    case Kind::kUniform:
      return uniform(form, argument);
    case Kind::kExponential:
      return exponential(form, argument);
    case Kind::kNormal:
      return normal(form, argument);
    case Kind::kLognormal:
      return lognormal(form, argument);
    case Kind::kWeibull:
    case Kind::kGamma:
      return shape_and_scale(form, argument, kKinds.at(*word), std::string(kWords.at(*word)));
    case Kind::kPareto:
      return pareto(form, argument);
    case Kind::kHyperexponential:
      return hyperexponential(form, argument);
    case Kind::kEmpirical:
      return empirical(form, argument);
    case Kind::kChoose:
    case Kind::kConstant:
      break;
  }
  return choose(form, argument);
}

std::optional<Distribution> run_time_of(Context& context, const Node& node, std::string_view what) {
  return distribution_of(context, node, what, Quantity::kDuration, 0, std::numeric_limits<std::int64_t>::max());
}

}  // namespace headroom::yaml
