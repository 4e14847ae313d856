// Random numbers that belong to a place, not to a moment: each is a pure function of (seed, replication, item name,
// workflow, stage, attempt, attribute). Nothing is ever drawn "next", so no policy and no other draw can move one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "policies/time.h"
#include "workloads/workload.h"

namespace headroom {

/// What a number is drawn for. Stored nowhere but in results: append only, never renumber.
enum class Attribute : std::uint32_t {
  kArrival = 1,
  kTenant = 2,
  kPriority = 3,
  kRunTime = 4,
  kEstimate = 5,
  kCores = 6,
  kMemory = 7,
  kGpus = 8,
  kFailure = 9,
  kShuffle = 10,
  kTie = 11,
  kMix = 12,         ///< which of a mix a stage is
  kModulation = 13,  ///< of arrivals: the first state, and how long each lasts
  kShapeSize = 14,
  kShapeBreadth = 15,
  kShapeDegree = 16,
  kShapeNeeds = 17,
};

/// Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key);

/// The draws of one item. The key is made of (seed, replication, name); the counter is (workflow, stage, attempt,
/// attribute), so two places of one item never share a block.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t replication, std::string_view item_name);

  /// 64 uniform bits. `workflow` counts within the item, `stage` within the workflow.
  [[nodiscard]] std::uint64_t bits(std::uint32_t workflow, std::uint32_t stage, std::uint32_t attempt,
                                   Attribute attribute) const;
  /// (k + 1/2) / 2^52 of the upper 52 bits: in the open interval (0, 1), exact in a double. What cannot be taken is
  /// drawn again from places of its own, `again` = 1, 2, … below 2^16.
  [[nodiscard]] long double uniform(std::uint32_t workflow, std::uint32_t stage, std::uint32_t attempt,
                                    Attribute attribute, std::uint32_t again = 0) const;

 private:
  std::array<std::uint32_t, 2> key_;
};

/// Draws are cut off here (285 years), below Duration::infinite() and with room for a sum.
inline constexpr std::int64_t kLargestDraw = 9'000'000'000'000'000'000;

/// The inverse distribution function at `u` in (0, 1), in the distribution's own unit. Rises with `u`, but for
/// kConstant and kChoose, which give their values in file order.
[[nodiscard]] long double quantile(const Distribution& distribution, long double u);

/// A length of time. A constant and what `choose` and `empirical` name are exact; everything else is rounded to whole
/// microseconds, half away from zero. A normal one may be negative: see drawn_duration().
[[nodiscard]] Duration sample_duration(const Distribution& distribution, long double u);

/// A whole number. `uniform` is over the integers of [low, high], both ends included, each equally likely; what is
/// continuous is rounded to the nearest integer, half away from zero.
[[nodiscard]] std::int64_t sample_integer(const Distribution& distribution, long double u);

/// A length of time that is not negative: what is drawn at the place, drawn again where it is below 0 and
/// then counted in `again`.
[[nodiscard]] Duration drawn_duration(const Distribution& distribution, const Draws& draws, std::uint32_t workflow,
                                      std::uint32_t stage, Attribute attribute, std::int64_t& again);
/// The same of a factor in millionths of `of`.
[[nodiscard]] Duration drawn_share(Duration of, const Distribution& millionths, const Draws& draws,
                                   std::uint32_t workflow, std::uint32_t stage, Attribute attribute,
                                   std::int64_t& again);

/// Index of the choice that u * (sum of weights) falls on, going through them in order. Weights >= 0; a choice of
/// weight 0 is never taken unless all are. `weights` must not be empty.
[[nodiscard]] std::size_t pick(std::span<const long double> weights, long double u);

/// As pick(), of the choices of kChoose: the value.
[[nodiscard]] std::int64_t chosen(const Distribution& distribution, long double u);

/// `value` to the nearest integer, half away from zero, cut off at kLargestDraw.
[[nodiscard]] std::int64_t to_integer(long double value);
/// `value` to whole microseconds in nanoseconds, half away from zero, cut off at kLargestDraw.
[[nodiscard]] Duration to_microseconds(long double nanoseconds);

}  // namespace headroom
