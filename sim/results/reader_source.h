// The two kinds of results behind ResultsReader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/results/reader.h"

namespace headroom {

struct ResultsReader::Source {
  virtual ~Source() = default;
  [[nodiscard]] virtual bool complete() = 0;
  [[nodiscard]] virtual int schema_version() = 0;
  [[nodiscard]] virtual std::string title() = 0;
  [[nodiscard]] virtual std::vector<std::string> tables() = 0;
  [[nodiscard]] virtual std::uint64_t rows(const std::string& table) = 0;
  [[nodiscard]] virtual std::vector<std::string> columns(const std::string& table) = 0;
  /// Table and column are there, and first <= last <= rows.
  [[nodiscard]] virtual Column column(const std::string& table, const std::string& name, std::uint64_t first,
                                      std::uint64_t last) = 0;
};

[[nodiscard]] std::unique_ptr<ResultsReader::Source> open_hdf5_results(const std::string& path);
[[nodiscard]] std::unique_ptr<ResultsReader::Source> open_part_folder(const std::string& path);

}  // namespace headroom
