#include "workloads/offered_load.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "workloads/arrival_times.h"
#include "workloads/expectation.h"
#include "workloads/shape_graph.h"

namespace headroom {
namespace {

long double work_of(const GeneratedStage& stage) {
  return mean_duration(stage.run_time, stage.walltime.value_or(Duration::infinite())) * mean_integer(stage.cores, 1) *
         static_cast<long double>(stage.nodes);
}

/// Six digits at most, without an exponent where none is needed.
std::string digits(long double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6Lg", value);
  return text.data();
}

/// In the largest unit of time in which there is at least one.
std::string rate_text(long double per_ns) {
  struct Unit {
    const char* name;
    long double ns;
  };
  constexpr std::array kUnits{Unit{"s", 1e9L}, Unit{"min", 60e9L}, Unit{"h", 3600e9L}, Unit{"d", 86400e9L}};
  for (const Unit& unit : kUnits)
    if (per_ns * unit.ns >= 1) return digits(per_ns * unit.ns) + "/" + unit.name;
  return digits(per_ns * kUnits.back().ns) + "/d";
}

}  // namespace

long double mean_work(const GenerateItem& item) {
  const long double stages = mean_stages(item.shape);
  if (item.mix.empty()) return stages * work_of(item);
  long double sum = 0, weights = 0;
  for (const GeneratedStage& stage : item.mix) {
    if (!(stage.weight > 0)) continue;
    sum += stage.weight * work_of(stage);
    weights += stage.weight;
  }
  return stages * sum / weights;
}

long double cores_of(const ClusterSpec& cluster) {
  long double cores = 0;
  for (const NodeClass& nodes : cluster.classes)
    cores += static_cast<long double>(nodes.count) * static_cast<long double>(nodes.capacity.cores);
  return cores;
}

std::string load_text(const GenerateItem& item, const ClusterSpec& cluster) {
  if (!item.load) return "";
  return item.name + ": load " + digits(*item.load) + " of " + digits(cores_of(cluster)) + " cores is a rate of " +
         rate_text(mean_rate(item.arrivals)) + " (" + digits(mean_work(item) / 3600e9L) + " core-hours a workflow)";
}

}  // namespace headroom
