// The inverse distribution functions, each of one uniform. Long double throughout: what is rounded to microseconds
// afterwards must not depend on the last bits of a math library.
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <string>

#include "policies/check.h"
#include "workloads/draw.h"

namespace headroom {
namespace {

using boost::math::policies::errno_on_error;
/// What is out of range becomes infinite or 0 and is cut off later; nothing is thrown.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<errno_on_error>, boost::math::policies::pole_error<errno_on_error>,
    boost::math::policies::overflow_error<errno_on_error>, boost::math::policies::evaluation_error<errno_on_error>>;

long double normal_quantile(long double u) {
  static const boost::math::normal_distribution<long double> standard(0.0L, 1.0L);
  return boost::math::quantile(standard, u);
}

/// Of P(X > x) = (low / x)^shape, given X <= high where there is a `high`.
long double pareto_quantile(long double shape, long double low, long double high, long double u) {
  const long double below = high > 0 ? -std::expm1(shape * std::log(low / high)) : 1;  // P(X <= high)
  const long double drawn = low * std::exp(-std::log1p(-u * below) / shape);
  return high > 0 ? std::min(drawn, high) : drawn;
}

/// The x at which p exp(-fast x) + (1 - p) exp(-slow x) is 1 - u, for mean 1. "Balanced means": fast = 2 p and
/// slow = 2 (1 - p), so that each phase brings half of the mean.
///
/// The logarithm of the survival function is convex and falls, so Newton's steps from a point on its left never pass
/// the root. The root lies between those of the two phases alone.
long double hyperexponential_quantile(long double scv, long double u) {
  const long double p = (1 + std::sqrt((scv - 1) / (scv + 1))) / 2;
  const long double fast = 2 * p, slow = 2 * (1 - p), target = std::log1p(-u);
  const long double last = -target / slow;
  long double x = -target / fast;
  for (int step = 0; step < 200; ++step) {
    // exp(-slow x) is taken out: the rest neither overflows nor vanishes far out in the tail.
    const long double quick = p * std::exp((slow - fast) * x);
    const long double log_survival = std::log(quick + (1 - p)) - slow * x;
    const long double slope = (fast * quick + slow * (1 - p)) / (quick + (1 - p));
    const long double next = std::clamp(x + (log_survival - target) / slope, x, last);
    if (!(next > x * (1 + 0x1p-60L))) break;
    x = next;
  }
  return x;
}

long double observed_quantile(const Distribution& distribution, long double u) {
  HEADROOM_CHECK(distribution.observed && !distribution.observed->empty(), "empirical without values");
  const auto& values = *distribution.observed;
  const auto index = static_cast<std::size_t>(u * static_cast<long double>(values.size()));
  return static_cast<long double>(values[std::min(index, values.size() - 1)]);
}

}  // namespace

long double quantile(const Distribution& distribution, long double u) {
  const long double a = distribution.a, b = distribution.b;
  switch (distribution.kind) {
    case Distribution::Kind::kConstant:
      return static_cast<long double>(distribution.constant);
    case Distribution::Kind::kUniform:
      return a + (b - a) * u;
    case Distribution::Kind::kExponential:
      return -a * std::log1p(-u);
    case Distribution::Kind::kLognormal:
      return a * std::exp(b * normal_quantile(u));
    case Distribution::Kind::kChoose:
      return static_cast<long double>(chosen(distribution, u));
    case Distribution::Kind::kNormal:
      return a + b * normal_quantile(u);
    case Distribution::Kind::kWeibull:
      return b * std::pow(-std::log1p(-u), 1 / a);
    case Distribution::Kind::kGamma:
      return b * boost::math::gamma_p_inv(a, u, Quiet());
    case Distribution::Kind::kPareto:
      return pareto_quantile(a, b, distribution.c, u);
    case Distribution::Kind::kHyperexponential:
      return a * hyperexponential_quantile(b, u);
    case Distribution::Kind::kEmpirical:
      return observed_quantile(distribution, u);
  }
  HEADROOM_CHECK(false, "kind = " + std::to_string(static_cast<int>(distribution.kind)));
}

}  // namespace headroom
