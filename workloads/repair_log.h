// What importing a trace dropped, changed or guessed: one counter and one example for each cause. Internal to
// workloads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/work.h"

namespace headroom {

/// In the order in which they are shown.
enum class Cause : std::uint8_t {
  kTrailingBytes,
  kHeader,
  kMaxJobs,
  kMaxNodes,
  kMalformed,
  kPartial,
  kOutOfRange,
  kNegativeRun,
  kNegativeSubmit,
  kNoProcessors,
  kTooWide,
  kZeroRun,
  kFractionalProcessors,
  kOtherWidth,
  kNoRequest,
  kOverrunCut,
  kOverrunExtended,
  kUnsorted,
  kRepeatedNumber,
  kUnreadable,
  kUnknownUser,
  kPrecedingIgnored,
  kPrecedingUnknown,
  kUnknownKey,
  kOneSided,
  kMachineWithoutCores,
  kMemoryIgnored,
};
inline constexpr std::size_t kCauses = 27;

/// "job of run time < 0 dropped".
[[nodiscard]] std::string_view cause_text(Cause cause);

class RepairLog {
 public:
  /// `example` is called for the first of a cause only.
  template <class Example>
  void add(Cause cause, Example example) {
    Entry& entry = entries_[static_cast<std::size_t>(cause)];
    if (entry.count++ == 0) entry.example = example();
  }
  [[nodiscard]] std::int64_t count(Cause cause) const { return entries_[static_cast<std::size_t>(cause)].count; }
  /// Those that occurred, in the order of Cause.
  [[nodiscard]] std::vector<Repair> list() const;
  /// The counts of `other` are added; its example serves where there is none yet.
  void add_all(const RepairLog& other);

 private:
  struct Entry {
    std::int64_t count = 0;
    std::string example;
  };
  std::array<Entry, kCauses> entries_;
};

}  // namespace headroom
