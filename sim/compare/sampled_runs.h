// The runs of results files as samples: which runs differ in one axis alone, and what a metric was in each of them.
// It must never know how samples are compared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/reader.h"

namespace headroom::compare {

/// A metric, of all of the cohort or of a part of it: wait_time_p99(victims).
struct Measured {
  std::string metric;
  std::string group;  ///< a class or tenant; empty: the whole cohort

  [[nodiscard]] std::string text() const { return group.empty() ? metric : metric + "(" + group + ")"; }
  friend bool operator==(const Measured&, const Measured&) = default;
};
/// Nothing if it is not of that form.
[[nodiscard]] std::optional<Measured> measured(std::string_view text);

/// One run among those compared.
struct Run {
  std::size_t file = 0;         ///< which of the files
  std::uint64_t run = 0;        ///< its number there
  std::vector<std::string> at;  ///< by SampledRuns::axes()
  std::int64_t replication = 0;
};

/// The axes that tell runs apart: those of the sweep, then `policy`; with two files first `file`.
class SampledRuns {
 public:
  /// One file or two. Fails  InputError: what cannot be read; a run that has failed or is missing; two files of which
  /// one
  ///        has an axis that the other lacks.
  explicit SampledRuns(const std::vector<std::string>& paths);
  ~SampledRuns();

  [[nodiscard]] const std::vector<std::string>& axes() const { return axes_; }
  /// In the order in which they come in the files.
  [[nodiscard]] std::vector<std::string> values_of(std::size_t axis) const;
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  /// Would another seed give other numbers?
  [[nodiscard]] bool is_random() const { return is_random_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const ResultsReader& reader(std::size_t file) const { return *readers_[file]; }

  /// By the index of runs(). NaN where a run has no value.
  /// Fails  InputError: no metric or group of that name, with the nearest.
  [[nodiscard]] std::vector<double> values(const Measured& what) const;
  /// Its unit as stored: "s" or "1".
  [[nodiscard]] static std::string unit_of(const std::string& metric);
  /// "W03 … (2 of 6 runs)", a line a code, in the order of their numbers; not that nothing is random.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  void read_runs(std::size_t file);
  void read_warnings(std::size_t file);
  [[nodiscard]] std::vector<double> group_values(const Measured& what) const;

  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<ResultsReader>> readers_;
  std::vector<std::string> axes_;
  std::vector<Run> runs_;
  struct WarningOf {
    std::string first_text;
    std::size_t runs = 0;
  };
  std::map<std::string, WarningOf> warnings_;
  std::string title_;
  bool is_random_ = true;
};

/// Numbers of a column, whatever their type. Texts give NaN.
[[nodiscard]] std::vector<double> numbers_of(const Column& column);
/// Texts of a column: its strings, the meanings of its codes, or its numbers as written shortest.
[[nodiscard]] std::vector<std::string> texts_of(const Column& column);

}  // namespace headroom::compare
