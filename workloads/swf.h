// Reads the Standard Workload Format 2.2 of the Parallel Workloads Archive into columns, whatever state the file is in.
// Only rules that no option touches are applied here; swf_import.h has the others. It knows no cluster and no tenants.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/time.h"
#include "workloads/byte_source.h"
#include "workloads/repair_log.h"

namespace headroom {

/// What the lines that begin with ';' say. Of a key that occurs twice the first value that makes sense counts.
struct SwfHeader {
  std::optional<std::int64_t> max_jobs, max_nodes, max_procs;  ///< without the numbers per partition in parentheses
  std::optional<std::int64_t> unix_start_s;
  std::optional<std::int64_t> time_zone_s;                   ///< of the deprecated key TimeZone
  std::string time_zone;                                     ///< TimeZoneString: "Europe/Stockholm"
  std::vector<std::pair<std::string, std::string>> entries;  ///< key and value as they stand, at most 200
};

/// The jobs of a trace: every line that is one, with a run time >= 0, a submit time >= 0 and a processor at least;
/// sorted by submission, those of one instant in file order. Columns of one length unless they say otherwise.
struct SwfTrace {
  std::string path;
  SwfHeader header;

  std::vector<std::int64_t> job_number;
  std::vector<TimePoint> submitted_at;
  std::vector<Duration> run_time;        ///< >= 0
  std::vector<Duration> requested_time;  ///< <= 0: unknown
  std::vector<std::int32_t> allocated;   ///< processors, field 5; <= 0: unknown. One of the two is > 0
  std::vector<std::int32_t> requested;   ///< processors, field 8; <= 0: unknown
  std::vector<std::uint32_t> user;       ///< index into users
  std::vector<std::uint32_t> line;       ///< from 1

  std::vector<std::int64_t> users;  ///< distinct values of field 12, by first appearance; -1: unknown

  /// Fields 17 and 18, by rising `job`; some logs name several preceding jobs.
  struct Preceding {
    std::uint32_t job = 0;    ///< index of the job that waits
    std::int64_t number = 0;  ///< job number of the one it waits for, as written
    Duration think_time;      ///< >= 0
  };
  std::vector<Preceding> preceding;

  std::int64_t job_lines = 0;  ///< lines that are neither blank nor comments nor malformed
  RepairLog repairs;

  [[nodiscard]] std::size_t jobs() const { return submitted_at.size(); }
};

/// Reads a whole trace. Lines may be of any length; what is beyond `longest_line` bytes is left out, which matters only
/// if the first 18 columns do not end before.
///
/// Fails   InputError: what ByteSource refuses; a file in which no line is a job's.
/// Cost    O(bytes); memory for the kept jobs and one line.
[[nodiscard]] SwfTrace read_swf(ByteSource& bytes, std::size_t longest_line = std::size_t{1} << 20);

/// Does the beginning of a text look like SWF? A header line, or a line of nine numbers among its first five.
[[nodiscard]] bool looks_like_swf(std::string_view head);

/// The same of a file, inflated if it is gzip. False if it cannot be read.
[[nodiscard]] bool is_swf_file(const std::string& path);

}  // namespace headroom
