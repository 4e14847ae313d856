// Reads tables back, from a results file or from the FILE.part/ of a study that is not finished.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/results/study_facts.h"
#include "sim/results/table.h"

namespace headroom {

class ResultsReader {
 public:
  /// Fails  InputError: kNoInput if there is nothing of that name, kBadInput if it is no results, or of another
  ///        schema version.
  explicit ResultsReader(const std::string& path);
  ~ResultsReader();
  ResultsReader(ResultsReader&&) noexcept;
  ResultsReader& operator=(ResultsReader&&) noexcept;

  /// False of FILE.part/, where runs may be missing.
  [[nodiscard]] bool complete() const;
  /// Tables that it has, /runs included; not /config, /sweep and /names.
  [[nodiscard]] std::vector<std::string> tables() const;
  [[nodiscard]] bool has(const std::string& table) const;
  [[nodiscard]] std::uint64_t rows(const std::string& table) const;
  /// Names, the row numbers left out.
  [[nodiscard]] std::vector<std::string> columns(const std::string& table) const;

  /// One column, or rows [first, last) of it. Codes have their `meanings`; those of a string table its words.
  /// Fails  InputError if there is no such column, or it cannot be read.
  [[nodiscard]] Column column(const std::string& table, const std::string& name) const;
  [[nodiscard]] Column column(const std::string& table, const std::string& name, std::uint64_t first,
                              std::uint64_t last) const;
  /// Every column.
  [[nodiscard]] Table table(const std::string& name) const;

  /// Numbers of the runs that it holds, rising.
  [[nodiscard]] std::vector<std::uint64_t> runs() const;
  /// Where the rows of a run lie in a table; empty if it has none there.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> rows_of_run(const std::string& table, std::uint64_t run) const;

  /// The workload's name. Of FILE.part/: empty.
  [[nodiscard]] std::string title() const;

  struct Source;  ///< what the two kinds have in common

 private:
  std::unique_ptr<Source> source_;
  std::string path_;
};

}  // namespace headroom
