#include "workloads/repair_log.h"

namespace headroom {
namespace {

constexpr std::array<std::string_view, kCauses> kTexts = {
    "bytes after the gzip data left out",
    "header value not understood, left out",
    "MaxJobs is not the number of job lines",
    "no MaxProcs: MaxNodes taken as the number of processors",
    "malformed line skipped",
    "line of a partial execution (status 2 to 4) skipped",
    "job with a number out of range dropped",
    "job of run time < 0 dropped",
    "job submitted before time 0 dropped",
    "job without processors dropped",
    "job wider than the cluster dropped",
    "job of run time 0 dropped (zero_run: drop)",
    "fraction of a processor rounded up",
    "number of processors taken from the other column",
    "no requested time: the run time taken as estimate",
    "run time cut to the requested time (overrun: cap)",
    "requested time raised to the run time (overrun: extend)",
    "submit time falls: jobs sorted by submission",
    "job number occurs again: named job<number>#<k>",
    "unreadable value after column 9 taken as unknown",
    "unknown user: taken as user-unknown",
    "preceding job ignored (preceding: ignore)",
    "preceding job that is not an earlier job of the trace ignored",
    "key that WfFormat does not have ignored",
    "dependency named by one of its two tasks only, taken",
    "machine without a number of cores left out",
    "memory of a task ignored: no node of the cluster has any",
};

}  // namespace

std::string_view cause_text(Cause cause) { return kTexts[static_cast<std::size_t>(cause)]; }

std::vector<Repair> RepairLog::list() const {
  std::vector<Repair> repairs;
  for (std::size_t i = 0; i < kCauses; ++i) {
    if (entries_[i].count == 0) continue;
    repairs.push_back({std::string(kTexts[i]), entries_[i].count, entries_[i].example});
  }
  return repairs;
}

void RepairLog::add_all(const RepairLog& other) {
  for (std::size_t i = 0; i < kCauses; ++i) {
    if (entries_[i].count == 0) entries_[i].example = other.entries_[i].example;
    entries_[i].count += other.entries_[i].count;
  }
}

}  // namespace headroom
