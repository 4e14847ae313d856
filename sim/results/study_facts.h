// What a results file says of its study as a whole, as plain values: the root's attributes, /config and /sweep. Nothing
// of time, place, threads or the output's name, so that the same study gives the same bytes anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/table.h"

namespace headroom {

/// A file that was read: enough to say later whether it is still the same.
struct InputFile {
  std::string path;  ///< relative to the workload's folder
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct AxisFacts {
  std::string path;                 ///< params.slots
  std::vector<std::string> values;  ///< as written
  std::string unit;                 ///< that every value ends in; empty: none, or the coordinate is text
  bool zipped = false;              ///< shares the dimension of the axis before it
  Column::Data coordinate;          ///< whole numbers where all are, doubles where all are numbers, else the text

  AxisFacts(std::string axis_path, std::vector<std::string> axis_values, std::string axis_unit = "",
            bool is_zipped = false);
};

struct PolicyFacts {
  std::string name;
  std::string definition;  ///< everything that the policy is, in the format's own words
};

struct StudyFacts {
  std::string title;              ///< the workload's name
  std::string workload_text;      ///< as read
  std::string scheduler;          ///< the settings that follow from it, defaults filled in
  std::string arrival_rates;      ///< what follows from a `load:`, a line each; empty: nothing does
  std::vector<std::string> sets;  ///< "params.slots=4"
  std::vector<std::string> policy_arguments;  ///< --policy as given; empty: the workload's own
  std::vector<PolicyFacts> policies;
  std::vector<AxisFacts> axes;
  std::uint64_t seed = 1;
  std::int64_t replications = 1;
  std::vector<InputFile> inputs;
  /// [point of the grid * policies + policy]: is it run? Empty: all are.
  std::vector<bool> grid;

  [[nodiscard]] std::uint64_t runs() const;
};

/// Values as a coordinate: whole numbers where all are, doubles where all are numbers, else the text.
[[nodiscard]] Column::Data coordinate(const std::vector<std::string>& values);

/// The name of an axis among `taken` ones: its path without slashes, which HDF5 would read as groups.
[[nodiscard]] std::string axis_name(const std::string& path, const std::vector<std::string>& taken);

/// One line for the root's `history`.
[[nodiscard]] std::string history_of(const StudyFacts& facts);

}  // namespace headroom
