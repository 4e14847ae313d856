// The tasks of a WfFormat file as they are met, joined by name, and what is wrong with them as a graph. It knows
// nothing of JSON. Internal to the WfFormat reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/byte_places.h"
#include "workloads/wfformat.h"

namespace headroom {

/// Texts by number, in order of first sight. Cost O(1) each.
class NameTable {
 public:
  std::uint32_t number_of(std::string_view name);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::string& operator[](std::uint32_t number) { return names_[number]; }
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return names_[number]; }

 private:
  void grow();

  std::vector<std::string> names_;
  /// Open addressing: number + 1, and above it the upper half of the hash, so that others' names are not looked at.
  std::vector<std::uint64_t> slots_;
};

/// One object of a list of tasks, as far as it was given.
struct WfTask {
  std::uint64_t place = 0;            ///< of the text that names it, else of its opening bracket
  std::optional<std::uint32_t> name;  ///< number in the table
  std::vector<std::uint32_t> parents, children;
  std::optional<Duration> run_time;
  std::uint64_t run_time_place = 0;  ///< 0: none was given, not even a wrong one
  std::optional<std::int64_t> cores, memory;

  void clear();
};

class WfGraph {
 public:
  static constexpr std::size_t kMostErrors = 1000;

  NameTable names;

  void error(std::uint64_t place, std::string message);
  [[nodiscard]] bool failed() const { return !errors_.empty(); }
  /// At most kMostErrors, then how many more.
  [[nodiscard]] std::vector<Misplaced> errors();

  /// A task as the specification has it: who it is and whom it needs.
  void declare(const WfTask& task);
  /// What the execution says of a task.
  void measure(const WfTask& task);
  /// After the last task: fills `trace`, or leaves errors.
  void finish(WfTrace& trace);

 private:
  struct Measured {
    std::uint64_t place = 0;  ///< 0: not measured
    Duration run_time{-1};    ///< < 0: not given
    std::int64_t cores = 1, memory = 0;
  };

  [[nodiscard]] std::string shown(std::uint32_t name) const;
  void check_references(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& refs,
                        const char* what);
  void join(WfTrace& trace);
  void link(WfTrace& trace);
  void find_circle(const WfTrace& trace);

  std::vector<std::uint32_t> row_;       ///< by name: row + 1, 0 if it is not declared
  std::vector<Measured> measured_;       ///< by name
  std::vector<std::uint32_t> declared_;  ///< name by row
  std::vector<std::uint64_t> place_;     ///< by row
  std::vector<std::uint32_t> parents_begin_{0}, parents_, children_begin_{0}, children_;  ///< by row, names
  bool any_cores_ = false, any_memory_ = false, any_measured_ = false;
  std::vector<Misplaced> errors_;
  std::size_t dropped_ = 0;
};

}  // namespace headroom
