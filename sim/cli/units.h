// Numbers as people read them: 4.204 s, 13.5 h, 71.2 %, 1,234,567. For tables only; files and JSON carry every digit.
// It must know no metric and no run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::cli {

enum class Scale : std::uint8_t {
  kTime,     ///< seconds in, the unit that suits the largest out
  kPlain,    ///< a number or a count
  kPercent,  ///< a fraction in, percent out
};

/// One row of a table: all values in one unit and with one number of decimals, so that they compare at a glance: the
/// fewest that show the largest exactly or to five digits, every other to four. A row that spans too much for that gets
/// a unit for each value. NaN is "-", infinity is "inf".
[[nodiscard]] std::vector<std::string> format_row(std::span<const double> values, Scale scale);

/// format_row of one value.
[[nodiscard]] std::string format_value(double value, Scale scale);

/// "1,234,567".
[[nodiscard]] std::string format_count(std::uint64_t count);
/// "12 B", "3.4 kB", "1.2 GB": powers of 1000, as disks are sold.
[[nodiscard]] std::string format_bytes(double bytes);
/// "256 GiB", "512 MB": the unit in which the number is whole.
[[nodiscard]] std::string format_memory(std::int64_t bytes);
/// "3.2 M", "840", "12.5 k": for rates.
[[nodiscard]] std::string format_short(double value);
/// "1 run", "3 runs".
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace headroom::cli
