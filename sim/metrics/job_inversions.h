// The reader of the log of jobs that base_inversions() is made of where nothing but one core is asked for, so that
// whatever waits fits where something starts, and the oldest of each base is the first of it.
// It must know nothing of the scheduler.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "policies/policy.h"
#include "sim/metrics/capacity_account.h"
#include "sim/metrics/log_replay.h"
#include "sim/metrics/passed_over.h"
#include "sim/metrics/wide.h"

namespace headroom {

class JobInversions : public LogReader {
 public:
  static constexpr bool kReadsJobs = true;

  /// Can it read that run? Not where priorities change, where reservations let somebody past, or where there are too
  /// many bases to look at all of them at each start; and not where all are equal, so that there is nothing to count.
  static bool can_read(const Work& work, const RunLog& log, const Policy& policy) {
    return (policy.priority == Priority::kFuzzball || policy.priority == Priority::kBases) &&
           (policy.placement == Placement::kGreedy || policy.placement == Placement::kStrict) &&
           log.control.changes.empty() && log.control.nodes.empty() && has_one_slot_stages_only(work) &&
           bases_of(work).size() > 1;
  }

  JobInversions(const Work& work, const Policy& policy)
      : ages_(policy.priority == Priority::kFuzzball), bases_(bases_of(work)), jobs_(work.workflows()) {
    for (std::uint32_t w = 0; w < jobs_.size(); ++w)
      jobs_[w].base = static_cast<std::uint32_t>(std::ranges::lower_bound(bases_, base_of(work, w)) - bases_.begin());
    waiting_.resize(bases_.size());
    count_.resize(bases_.size(), 0);
  }

  /// After the log has been read, all of it by JobReader.
  [[nodiscard]] const BaseInversions& found() const { return found_; }

  void prefetch(StageRow row) const { __builtin_prefetch(&jobs_[row]); }
  void advance(TimePoint to) { now_ = to; }
  void submitted(std::uint32_t w) {
    Job& job = jobs_[w];
    job.submitted_at = now_;
    job.is_waiting = true;
    waiting_[job.base].push_back(w);
    if (count_[job.base]++ == 0) active_ |= std::uint64_t{1} << job.base;
  }
  void started(StageRow row) {
    Job& job = jobs_[row];
    job.is_waiting = false;
    if (--count_[job.base] == 0) active_ &= ~(std::uint64_t{1} << job.base);
    ++found_.starts;
    const std::uint64_t above = active_ >> job.base >> 1;
    if (above != 0) ++(is_tied(job, above) ? found_.tie : found_.age);
  }

 private:
  static constexpr std::size_t kMostBases = 64;
  struct Job {
    TimePoint submitted_at;
    std::uint32_t base = 0;  ///< index into bases_
    bool is_waiting = false;
  };

  static std::int64_t base_of(const Work& work, std::uint32_t w) {
    const AccountSpec& account = work.tenants.accounts[work.account[w]];
    return work.tenants.organizations[account.organization].priority + account.priority +
           work.tenants.users[work.user[w]].priority + work.priority[w];
  }
  /// Rising; none if there are too many.
  static std::vector<std::int64_t> bases_of(const Work& work) {
    std::vector<std::int64_t> bases;
    for (std::uint32_t w = 0; w < work.workflows(); ++w) {
      const std::int64_t base = base_of(work, w);
      const auto at = std::ranges::lower_bound(bases, base);  // a handful, of a million jobs
      if (at != bases.end() && *at == base) continue;
      if (bases.size() == kMostBases) return {};
      bases.insert(at, base);
    }
    return bases;
  }
  /// With the oldest of any base above? `above`: bit k is the base k + 1 further up.
  bool is_tied(const Job& job, std::uint64_t above) {
    for (; ages_ && above != 0; above &= above - 1) {
      const std::size_t base = job.base + 1 + static_cast<std::size_t>(std::countr_zero(above));
      auto& jobs = waiting_[base];
      while (!jobs_[jobs.front()].is_waiting) jobs.pop_front();
      // Equal where the difference of bases is that of the ages, to the nanosecond.
      const Int128 ahead = (Int128{bases_[base]} - bases_[job.base]) * Duration::hours(1).ns;
      if ((jobs_[jobs.front()].submitted_at - job.submitted_at).ns == ahead) return true;
    }
    return false;
  }

  const bool ages_;
  TimePoint now_;
  std::vector<std::int64_t> bases_;  // rising
  std::vector<Job> jobs_;
  std::vector<std::deque<std::uint32_t>> waiting_;  // by base, in order of submission; some have started
  std::vector<std::int64_t> count_;                 // by base
  std::uint64_t active_ = 0;                        // bases of which something waits
  BaseInversions found_;
};

}  // namespace headroom
