// Tables of columns of one length: what the results file is made of. Plain values; no HDF5 here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace headroom {

struct Column {
  /// Doubles: NaN is undefined. Codes: uint8 or int32 with `meanings`.
  using Data = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::int32_t>,
                            std::vector<std::uint8_t>, std::vector<std::string>>;
  std::string name, units, long_name;
  Data data;
  std::vector<std::string> meanings;  ///< of codes 0, 1, …; empty: not a code
};

struct Table {
  std::string name;  ///< "stages"
  std::vector<Column> columns;
  [[nodiscard]] std::size_t rows() const;
};

}  // namespace headroom
