// Where each metric stands in the catalogue, for the functions that fill it in. The names are in catalog.cc alone.
// It must know nothing of logs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headroom {

/// What has a distribution. Workflows, unless the name begins with stage.
enum class Quantity : std::uint8_t {
  kWaitTime,
  kTurnaroundTime,
  kSlowdown,
  kBoundedSlowdown,
  kStageWaitTime,
  kStageFirstWait,
  kStageSlowdown,
};
inline constexpr std::size_t kQuantities = 7;

/// How a distribution is told, in this order within each quantity.
enum class Statistic : std::uint8_t { kMean, kMedian, kP90, kP99, kMax, kRms };
inline constexpr std::size_t kStatistics = 6;

/// Index into metric_catalog().
enum MetricId : std::size_t {
  kN,
  kNStarted,
  kNFinished,
  kNWaiting,
  kMakespan,
  kLowerBound,
  kMakespanRatio,
  kFirstDistribution,
  kSlowdownLeftOut = kFirstDistribution + kQuantities * kStatistics,
  kUtilization,
  kUtilizationMemory,
  kUtilizationGpus,
  kOfferedLoad,
  kHoldIdle,
  kQueueLengthMean,
  kQueueLengthMax,
  kLateCount,
  kLateFraction,
  kPassedOverTimeP99,
  kPassedOverTimeMax,
  kStarvedCount,
  kStarvedFraction,
  kStarvingAtEnd,
  kCatchUpAge,
  kOvertakenUntil,
  kDrainTime,
  kOvertakesMean,
  kOvertakesMax,
  kOvertakingWorkMean,
  kOvertakingWorkMax,
  kCapacityBusy,
  kCapacityOverhead,
  kCapacityWaitingForPass,
  kCapacityDepth,
  kCapacityReserved,
  kCapacityDoesNotFit,
  kCapacityTooWide,
  kCapacityHeld,
  kCapacityNoWork,
  kCapacityDown,
  kBaseInversions,
  kBaseInversionsAge,
  kBaseInversionsTie,
  kBaseInversionsReservation,
  kPreemptions,
  kLostWorkTime,
  kPriorityChanges,
  kRefusals,
  kUnranked,
  kMetricCount,
};

[[nodiscard]] constexpr std::size_t metric_of(Quantity quantity, Statistic statistic) {
  return kFirstDistribution + static_cast<std::size_t>(quantity) * kStatistics + static_cast<std::size_t>(statistic);
}

}  // namespace headroom
