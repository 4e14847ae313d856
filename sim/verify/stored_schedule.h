// The schedules of a results file, run by run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/verify/schedule.h"

namespace headroom::verify {

struct StoredSchedule {
  std::uint64_t run = 0;
  std::string policy;
  std::string why_not;  ///< not empty: the file does not say enough of this run, and `schedule` is empty
  Schedule schedule;
  std::uint64_t first_row = 0;  ///< of its attempts in /stages
};

class ScheduleReader {
 public:
  /// Fails  InputError, as ResultsReader does; also where tables contradict each other.
  explicit ScheduleReader(const std::string& path);
  ~ScheduleReader();

  /// The next run. False after the last.
  /// Cost  memory for a few runs at a time.
  bool next(StoredSchedule& out);
  /// "stage 'solver' of workflow 'train'", by row of /stages.
  [[nodiscard]] std::string name_of(const StoredSchedule& of, std::uint32_t stage) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Seconds as stored, in nanoseconds. Beyond 97 days doubles do not tell nanoseconds apart: to the microsecond then,
/// and `is_exact` is cleared where that is not what stands there. NaN and infinity: kNever.
[[nodiscard]] Time nanoseconds(double seconds, bool& is_exact);

}  // namespace headroom::verify
