#include "workloads/draw.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "policies/check.h"

namespace headroom {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection in which every bit of the input moves half of the
/// output's.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

std::int64_t uniform_integer(long double first, long double last, long double u) {
  first = std::ceil(first);
  last = std::floor(last);
  const long double drawn = std::floor(first + (last - first + 1) * u);
  return to_integer(std::clamp(drawn, first, std::max(first, last)));
}

/// See pick(); without a copy of the weights.
template <class Range, class WeightOf>
std::size_t pick_by(const Range& choices, long double u, WeightOf weight_of) {
  long double total = 0;
  for (const auto& choice : choices) total += weight_of(choice);
  // The last choice of positive weight catches what rounding leaves over.
  std::size_t last = 0;
  long double sum = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const long double weight = weight_of(choices[i]);
    if (!(weight > 0)) continue;
    last = i;
    sum += weight;
    if (u * total < sum) break;
  }
  return last;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

Draws::Draws(std::uint64_t seed, std::uint64_t replication, std::string_view item_name) {
  // Mixed between the steps, so that (seed 1, replication 2) and (seed 2, replication 1) are unrelated.
  const std::uint64_t key = mix(fnv1a(item_name) + mix(replication + mix(seed + 0x9e3779b97f4a7c15U)));
  key_ = {low(key), high(key)};
}

std::uint64_t Draws::bits(std::uint32_t workflow, std::uint32_t stage, std::uint32_t attempt,
                          Attribute attribute) const {
  const auto block = philox4x32({workflow, stage, attempt, static_cast<std::uint32_t>(attribute)}, key_);
  return (std::uint64_t{block[1]} << 32) | block[0];
}

long double Draws::uniform(std::uint32_t workflow, std::uint32_t stage, std::uint32_t attempt, Attribute attribute,
                           std::uint32_t again) const {
  const auto place = static_cast<Attribute>(static_cast<std::uint32_t>(attribute) | again << 16U);
  const std::uint64_t k = bits(workflow, stage, attempt, place) >> 12;
  return (static_cast<long double>(k) + 0.5L) * 0x1p-52L;
}

std::int64_t chosen(const Distribution& distribution, long double u) {
  HEADROOM_CHECK(!distribution.choices.empty(), "choose without choices");
  const auto weight_of = [](const Distribution::Choice& choice) { return choice.weight; };
  return distribution.choices[pick_by(distribution.choices, u, weight_of)].value;
}

/// Half away from zero, cut off: what is larger than every int64 must not reach a conversion.
std::int64_t to_integer(long double value) {
  constexpr auto kLimit = static_cast<long double>(kLargestDraw);
  if (!(value < kLimit)) return kLargestDraw;
  if (value < -kLimit) return -kLargestDraw;
  return static_cast<std::int64_t>(std::round(value));
}

Duration to_microseconds(long double nanoseconds) {
  return Duration::microseconds(to_integer(std::clamp(nanoseconds, -9e18L, 9e18L) / 1000));
}

Duration sample_duration(const Distribution& distribution, long double u) {
  if (distribution.kind == Distribution::Kind::kConstant) return {distribution.constant};
  if (distribution.kind == Distribution::Kind::kChoose) return {chosen(distribution, u)};
  if (distribution.kind == Distribution::Kind::kEmpirical) return {to_integer(quantile(distribution, u))};
  return to_microseconds(quantile(distribution, u));
}

std::int64_t sample_integer(const Distribution& distribution, long double u) {
  if (distribution.kind == Distribution::Kind::kConstant) return distribution.constant;
  if (distribution.kind == Distribution::Kind::kChoose) return chosen(distribution, u);
  if (distribution.kind == Distribution::Kind::kUniform) return uniform_integer(distribution.a, distribution.b, u);
  return to_integer(quantile(distribution, u));
}

namespace {

/// A normal duration of mean 0 or more is negative half of the time at most, so this many in a row do not happen.
constexpr std::uint32_t kMostAgain = 1000;

template <class Sample>
Duration not_negative(const Draws& draws, std::uint32_t workflow, std::uint32_t stage, Attribute attribute,
                      std::int64_t& again, Sample sample) {
  for (std::uint32_t k = 0; k < kMostAgain; ++k) {
    const Duration drawn = sample(draws.uniform(workflow, stage, 0, attribute, k));
    if (drawn.ns >= 0) return drawn;
    ++again;
  }
  return {};
}

}  // namespace

Duration drawn_duration(const Distribution& distribution, const Draws& draws, std::uint32_t workflow,
                        std::uint32_t stage, Attribute attribute, std::int64_t& again) {
  if (!distribution.is_random()) return {distribution.constant};  // A draw costs; what is constant needs none.
  return not_negative(draws, workflow, stage, attribute, again,
                      [&](long double u) { return sample_duration(distribution, u); });
}

Duration drawn_share(Duration of, const Distribution& millionths, const Draws& draws, std::uint32_t workflow,
                     std::uint32_t stage, Attribute attribute, std::int64_t& again) {
  return not_negative(draws, workflow, stage, attribute, again, [&](long double u) {
    return to_microseconds(static_cast<long double>(of.ns) * (quantile(millionths, u) / 1e6L));
  });
}

std::size_t pick(std::span<const long double> weights, long double u) {
  HEADROOM_CHECK(!weights.empty(), "no choice to pick from");
  return pick_by(weights, u, [](long double weight) { return weight; });
}

}  // namespace headroom
