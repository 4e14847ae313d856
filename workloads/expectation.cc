#include "workloads/expectation.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "workloads/draw.h"

namespace headroom {
namespace {

constexpr long double kInfinite = std::numeric_limits<long double>::infinity();
constexpr int kOctaves = 52;  // Draws::uniform() knows no u closer to 1.
constexpr int kParts = 256;
constexpr std::int64_t kMostValues = 4096;

/// The u that stand for all, and how likely each is.
template <class Take>
void over_octaves(Take take) {
  long double rest = 1;
  for (int octave = 0; octave <= kOctaves; ++octave) {
    const long double part = (octave == kOctaves ? rest : rest / 2) / kParts;
    for (int i = 0; i < kParts; ++i) {
      const long double from_above = rest - part * (static_cast<long double>(i) + 0.5L);
      take(1 - from_above, part);
    }
    rest /= 2;
  }
}

long double total_weight(const Distribution& distribution) {
  long double total = 0;
  for (const Distribution::Choice& choice : distribution.choices) total += choice.weight;
  return total;
}

/// Of a normal one, given that it is not negative.
long double mean_of_upper_normal(long double mean, long double sd) {
  if (!(sd > 0)) return mean;
  const boost::math::normal_distribution<long double> standard(0.0L, 1.0L);
  const long double from = -mean / sd;
  return mean + sd * boost::math::pdf(standard, from) / boost::math::cdf(boost::math::complement(standard, from));
}

long double mean_of_pareto(long double shape, long double low, long double high) {
  if (high > 0) {
    if (!(high > low)) return low;
    const long double ratio = std::log(low / high);
    const long double below = -std::expm1(shape * ratio);
    // shape / (shape - 1) (1 - (low/high)^(shape - 1)), which is -ratio at 1.
    const long double moment = shape == 1 ? -ratio : shape * -std::expm1((shape - 1) * ratio) / (shape - 1);
    return low * moment / below;
  }
  return shape > 1 ? low * shape / (shape - 1) : kInfinite;
}

long double mean_of(const Distribution& distribution) {
  const long double a = distribution.a, b = distribution.b;
  switch (distribution.kind) {
    case Distribution::Kind::kConstant:
      return static_cast<long double>(distribution.constant);
    case Distribution::Kind::kUniform:
      return (a + b) / 2;
    case Distribution::Kind::kExponential:
    case Distribution::Kind::kHyperexponential:
      return a;
    case Distribution::Kind::kLognormal:
      return a * std::exp(b * b / 2);
    case Distribution::Kind::kNormal:
      return mean_of_upper_normal(a, b);
    case Distribution::Kind::kWeibull:
      return b * boost::math::tgamma(1 + 1 / a);
    case Distribution::Kind::kGamma:
      return a * b;
    case Distribution::Kind::kPareto:
      return mean_of_pareto(a, b, distribution.c);
    case Distribution::Kind::kChoose:
    case Distribution::Kind::kEmpirical:
      break;
  }
  return expectation(distribution, [](long double x) { return x; });
}

/// A value of uniform, choose or empirical each, or of equally likely parts of them.
std::map<std::int64_t, long double> discrete(const Distribution& distribution) {
  std::map<std::int64_t, long double> values;
  if (distribution.kind == Distribution::Kind::kConstant) {
    values[distribution.constant] = 1;
  } else if (distribution.kind == Distribution::Kind::kChoose) {
    const long double total = total_weight(distribution);
    for (const Distribution::Choice& choice : distribution.choices)
      if (choice.weight > 0) values[choice.value] += choice.weight / total;
  } else {
    const bool is_uniform = distribution.kind == Distribution::Kind::kUniform;
    const long double all = is_uniform ? std::floor(distribution.b) - std::ceil(distribution.a) + 1
                                       : static_cast<long double>(distribution.observed->size());
    const auto parts = static_cast<std::int64_t>(std::clamp(all, 1.0L, static_cast<long double>(kMostValues)));
    for (std::int64_t i = 0; i < parts; ++i) {
      const long double u = (static_cast<long double>(i) + 0.5L) / static_cast<long double>(parts);
      values[sample_integer(distribution, u)] += 1 / static_cast<long double>(parts);
    }
  }
  return values;
}

bool is_discrete(const Distribution& distribution) {
  switch (distribution.kind) {
    case Distribution::Kind::kConstant:
    case Distribution::Kind::kUniform:
    case Distribution::Kind::kChoose:
    case Distribution::Kind::kEmpirical:
      return true;
    default:
      return false;
  }
}

}  // namespace

long double expectation(const Distribution& distribution, const std::function<long double(long double)>& f) {
  long double sum = 0;
  switch (distribution.kind) {
    case Distribution::Kind::kConstant:
      return f(static_cast<long double>(distribution.constant));
    case Distribution::Kind::kChoose:
      for (const Distribution::Choice& choice : distribution.choices)
        if (choice.weight > 0) sum += f(static_cast<long double>(choice.value)) * choice.weight;
      return sum / total_weight(distribution);
    case Distribution::Kind::kEmpirical:
      for (const std::int64_t value : *distribution.observed) sum += f(static_cast<long double>(value));
      return sum / static_cast<long double>(distribution.observed->size());
    default:
      over_octaves([&](long double u, long double part) { sum += f(quantile(distribution, u)) * part; });
      return sum;
  }
}

long double mean_duration(const Distribution& distribution, Duration most) {
  if (most.is_infinite()) return mean_of(distribution);
  const auto limit = static_cast<long double>(most.ns);
  const auto cut = [limit](long double x) { return std::min(x, limit); };
  if (distribution.kind != Distribution::Kind::kNormal) return expectation(distribution, cut);
  // Only what is not negative counts.
  const long double kept = expectation(distribution, [](long double x) { return x < 0 ? 0.0L : 1.0L; });
  return expectation(distribution, [&](long double x) { return x < 0 ? 0.0L : cut(x); }) / kept;
}

long double mean_integer(const Distribution& distribution, std::int64_t least) {
  if (distribution.kind == Distribution::Kind::kUniform && distribution.a >= static_cast<long double>(least))
    return (std::ceil(distribution.a) + std::floor(distribution.b)) / 2;
  long double sum = 0;
  for (const auto& [value, probability] : support_of(distribution, least))
    sum += static_cast<long double>(value) * probability;
  return sum;
}

std::vector<std::pair<std::int64_t, long double>> support_of(const Distribution& distribution, std::int64_t least) {
  std::map<std::int64_t, long double> values;
  if (is_discrete(distribution)) {
    values = discrete(distribution);
  } else {
    over_octaves([&](long double u, long double part) { values[sample_integer(distribution, u)] += part; });
  }
  std::map<std::int64_t, long double> kept;
  for (const auto& [value, probability] : values) kept[std::max(value, least)] += probability;
  return {kept.begin(), kept.end()};
}

}  // namespace headroom
