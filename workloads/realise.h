// From a checked workload to one realisation of it: draws, expands arrays, imports traces.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "workloads/diagnostics.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

struct SwfTrace;
struct WfTrace;

/// Parsed traces by path, shared by the runs of a sweep. Safe to use from several threads; what it returns is immutable.
class TraceCache {
 public:
  /// Throws InputError (workloads/diagnostics.h) where the file cannot be read or is no trace.
  std::shared_ptr<const SwfTrace> swf(const std::string& path);
  std::shared_ptr<const WfTrace> wfformat(const std::string& path);
  /// Lets go of what it holds; who has it keeps it.
  void clear();

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const SwfTrace>> traces_;
  std::map<std::string, std::shared_ptr<const WfTrace>> workflows_;
};

/// Every draw is a function of (seed, replication, item name, workflow, stage, attempt, attribute), one uniform each.
///
/// Fails   InputError: an unreadable trace, a stage that no node of the trace's cluster can hold, no cluster to be had.
/// Cost    O(workflows + stages + needs).
[[nodiscard]] Work realise(const Workload& workload, std::uint64_t seed, std::uint64_t replication, TraceCache& traces);

/// Does anything of the workload depend on the seed? (arrivals, run times, estimates, failures, shuffles, a random tie)
[[nodiscard]] bool is_random(const Workload& workload);

}  // namespace headroom
