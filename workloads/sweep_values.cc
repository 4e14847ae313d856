#include "workloads/sweep_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "workloads/draw.h"

namespace headroom {
namespace {

constexpr int kSpacedDigits = 12;

}  // namespace

double SweepRange::at(double share) const {
  // The ends exactly, whatever the arithmetic makes of them.
  if (share <= 0) return from;
  if (share >= 1) return to;
  return logarithmic ? std::exp(std::log(from) + (std::log(to) - std::log(from)) * share) : from + (to - from) * share;
}

std::string plain_number(double value, int digits) {
  if (value == 0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  const int after = std::clamp(digits - before, 0, 60);
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, after);
  std::string text(buffer.data(), error == std::errc() ? end : buffer.data());
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::vector<std::string> spaced_values(const SweepRange& range, std::int64_t count) {
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
    values.push_back(plain_number(range.at(share), kSpacedDigits) + range.unit);
  }
  return values;
}

std::vector<double> latin_shares(std::uint64_t seed, const std::string& path, std::size_t points) {
  const Draws draws(seed, 0, path);
  const auto uniform = [&draws](std::size_t i, Attribute attribute) {
    return static_cast<double>(draws.uniform(static_cast<std::uint32_t>(i), 0, 0, attribute));
  };
  std::vector<std::size_t> stratum(points);
  std::iota(stratum.begin(), stratum.end(), std::size_t{0});
  for (std::size_t left = points; left > 1; --left) {
    const auto other = static_cast<std::size_t>(uniform(left, Attribute::kShuffle) * static_cast<double>(left));
    std::swap(stratum[left - 1], stratum[std::min(other, left - 1)]);
  }
  std::vector<double> shares(points);
  for (std::size_t i = 0; i < points; ++i) {
    shares[i] = (static_cast<double>(stratum[i]) + uniform(i, Attribute::kShapeSize)) / static_cast<double>(points);
  }
  return shares;
}

}  // namespace headroom
