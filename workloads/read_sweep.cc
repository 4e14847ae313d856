// `sweep:`: which values are tried, and which of them together.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "workloads/read_sections.h"
#include "workloads/sweep_values.h"
#include "workloads/yaml_paths.h"

namespace headroom::yaml {
namespace {

constexpr std::int64_t kMostReplications = 1'000'000;
constexpr std::int64_t kMostRuns = 100'000'000;
constexpr std::int64_t kMostValues = 1'000'000;  ///< of one axis that is not listed
constexpr std::size_t kMostDimensions = 30;      ///< an array of HDF5 has at most 32; policy and replication are two
constexpr int kDrawnDigits = 6;                  ///< of a value drawn from a range

struct Hypercube {
  std::int64_t points = 0;
  std::uint64_t seed = 1;
};

class SweepReader {
 public:
  SweepReader(Reading& reading, const Node& node)
      : c_(reading.context), workload_(reading.workload), sweep_(reading.workload.sweep), node_(node) {}

  void read() {
    MapReader map(c_, node_, "sweep", "sweep");
    if (const Node* replications = map.get("replications"))
      sweep_.replications = whole_of(c_, *replications, "replications", 1, kMostReplications).value_or(1);
    if (const Node* seed = map.get("seed")) sweep_.seed = read_seed(*seed);
    const Node* hypercube = map.get("latin_hypercube");
    if (hypercube != nullptr) read_hypercube(*hypercube);
    const Node* vary = map.get("vary");
    if (vary != nullptr) read_vary(*vary);
    if (hypercube != nullptr && vary == nullptr)
      c_.error(*hypercube, "latin_hypercube: there are no axes under 'vary' to draw from");
    if (const Node* zip = map.get("zip")) read_zip(*zip);
    check_size();
    if (const Node* exclude = map.get("exclude")) read_exclude(*exclude);
    map.finish();
  }

 private:
  std::uint64_t read_seed(const Node& node) {
    const Scalar<std::uint64_t> value = read_unsigned(node.text);
    if (node.is_scalar() && value.ok()) return value.value;
    c_.expected(node, "seed", "a whole number from 0 to 2^64 - 1");
    return 1;
  }

  void read_hypercube(const Node& node) {
    Hypercube made;
    MapReader map(c_, node, "sweep.latin_hypercube", "latin_hypercube");
    if (const Node* points = map.require("points", "how many points are drawn"))
      made.points = whole_of(c_, *points, "points", 1, kMostValues).value_or(1);
    if (const Node* seed = map.get("seed")) made.seed = read_seed(*seed);
    map.finish();
    hypercube_ = made;
    sweep_.latin_hypercube = true;
  }

  void read_vary(const Node& vary) {
    if (!vary.is_map()) return c_.expected(vary, "vary", "a map of paths and lists like {params.slots: [2, 3, 4]}");
    for (std::size_t i = 0; i + 1 < vary.children.size(); i += 2) {
      const Node& key = c_.at(vary.children[i]);
      if (key.text == "policy") continue;  // Read with the policies.
      if (!is_path(key)) continue;
      const Node& value = c_.at(vary.children[i + 1]);
      SweepAxis axis{key.text, {}};
      if (hypercube_) {
        axis.values = drawn_values(value, axis);
        axis.zipped = !sweep_.axes.empty();
      } else {
        axis.values = axis_values(value, axis);
      }
      sweep_.axes.push_back(std::move(axis));
    }
  }

  /// A list of groups, each a map like that of `vary` whose lists are equally long.
  void read_zip(const Node& zip) {
    if (!zip.is_list() || zip.children.empty())
      return c_.expected(zip, "zip", "a list of groups like [{params.slots: [2, 4], params.mean: [60s, 30s]}]");
    for (const NodeId id : zip.children) read_group(c_.at(id));
  }

  void read_group(const Node& group) {
    if (!group.is_map() || group.children.size() < 4)
      return c_.expected(group, "zip",
                         "a group of at least two axes like {params.slots: [2, 4], params.mean: [60s, 30s]}");
    const std::size_t first = sweep_.axes.size();
    for (std::size_t i = 0; i + 1 < group.children.size(); i += 2) {
      const Node& key = c_.at(group.children[i]);
      const Node& value = c_.at(group.children[i + 1]);
      if (key.text == "policy") {
        c_.error(key, "'policy' cannot be zipped: every policy meets the same points; 'exclude' leaves some out");
        continue;
      }
      if (!is_path(key)) continue;
      SweepAxis axis{key.text, {}};
      axis.values = axis_values(value, axis, false);
      axis.zipped = sweep_.axes.size() > first;
      const std::size_t wanted = axis.zipped ? sweep_.axes[first].values.size() : axis.values.size();
      if (axis.values.size() != wanted && !axis.values.empty() && wanted > 0)
        c_.error(value, axis.path + ": " + std::to_string(axis.values.size()) + " values, but '" +
                            sweep_.axes[first].path + "' in the same group has " + std::to_string(wanted));
      sweep_.axes.push_back(std::move(axis));
    }
    check_twins(group, first);
  }

  /// Two equal points would be one point run twice under two numbers.
  void check_twins(const Node& group, std::size_t first) {
    std::set<std::vector<std::string>> seen;
    const std::size_t size = first < sweep_.axes.size() ? sweep_.axes[first].values.size() : 0;
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<std::string> point;
      for (std::size_t a = first; a < sweep_.axes.size(); ++a) {
        if (sweep_.axes[a].values.size() != size) return;
        point.push_back(sweep_.axes[a].values[i]);
      }
      if (!seen.insert(std::move(point)).second)
        return c_.error(group, "zip: the values number " + std::to_string(i + 1) + " of this group are there before");
    }
  }

  bool is_path(const Node& key) {
    for (const std::string_view beside : {"zip", "exclude", "latin_hypercube", "replications", "seed"})
      if (key.text == beside) {
        c_.error(key, "'" + key.text + "' stands beside 'vary', not in it");
        return false;
      }
    for (const std::string_view fixed : {"name", "policies", "sweep", "record", "measure", "compare"}) {
      const bool is_inside =
          key.text.starts_with(fixed) && (key.text.size() == fixed.size() || key.text[fixed.size()] == '.');
      if (!is_inside) continue;
      c_.error(key,
               "'" + key.text + "' cannot be swept" + (fixed == "policies" ? "; the axis is called 'policy'" : ""));
      return false;
    }
    if (std::ranges::find(sweep_.axes, key.text, &SweepAxis::path) == sweep_.axes.end()) return true;
    c_.error(key, "'" + key.text + "' is swept twice");
    return false;
  }

  std::vector<std::string> listed_values(const Node& node, const SweepAxis& axis, bool all_different) {
    std::vector<std::string> values;
    std::unordered_set<std::string> seen;
    for (const NodeId id : node.children) {
      values.push_back(flow_text(c_.tree(), id));
      if (!seen.insert(values.back()).second && all_different)
        c_.error(c_.at(id), axis.path + ": the value '" + values.back() + "' is there twice");
    }
    return values;
  }

  /// A list, or evenly spaced values.
  std::vector<std::string> axis_values(const Node& node, SweepAxis& axis, bool all_different = true) {
    if (node.is_list() && !node.children.empty()) return listed_values(node, axis, all_different);
    if (!node.is_map()) {
      c_.expected(node, axis.path, "a list of values like [2, 3, 4], or {linspace: [1, 4, 4]}");
      return {};
    }
    std::int64_t count = 0;
    const std::optional<SweepRange> range = read_range(node, axis, &count);
    if (!range) return {};
    axis.unit = range->unit;
    std::vector<std::string> values = spaced_values(*range, count);
    const std::unordered_set<std::string> different(values.begin(), values.end());
    if (different.size() != values.size()) {
      c_.error(node, axis.path + ": the ends are too near each other for " + std::to_string(count) + " values");
      return {};
    }
    return values;
  }

  /// One value for each point of the hypercube: of a list by equal shares, of a range anywhere between its ends.
  std::vector<std::string> drawn_values(const Node& node, SweepAxis& axis) {
    const auto points = static_cast<std::size_t>(hypercube_->points);
    std::vector<std::string> values;
    if (node.is_list() && !node.children.empty()) {
      const std::vector<std::string> listed = listed_values(node, axis, true);
      for (const double share : latin_shares(hypercube_->seed, axis.path, points)) {
        const auto index = static_cast<std::size_t>(share * static_cast<double>(listed.size()));
        values.push_back(listed[std::min(index, listed.size() - 1)]);
      }
      return values;
    }
    if (!node.is_map()) {
      c_.expected(node, axis.path, "a list of values like [2, 3, 4], or a range like {linspace: [1, 4]}");
      return {};
    }
    const std::optional<SweepRange> range = read_range(node, axis, nullptr);
    if (!range) return {};
    axis.unit = range->unit;
    for (const double share : latin_shares(hypercube_->seed, axis.path, points))
      values.push_back(plain_number(range->at(share), kDrawnDigits) + range->unit);
    return values;
  }

  /// {linspace: [10, 40, 4], unit: /h}; `count` is null where a hypercube says how many.
  std::optional<SweepRange> read_range(const Node& node, const SweepAxis& axis, std::int64_t* count) {
    MapReader map(c_, node, "sweep.vary", "'" + axis.path + "'");
    const Node* linear = map.get("linspace");
    const Node* logarithmic = map.get("logspace");
    SweepRange range;
    if (const Node* unit = map.get("unit")) range.unit = text_of(c_, *unit, "unit").value_or("");
    map.finish();
    const Node* ends = linear != nullptr ? linear : logarithmic;
    if ((linear == nullptr) == (logarithmic == nullptr)) {
      // A key that is none of ours has been named already, and is what was meant.
      const bool has_other = linear == nullptr && node.children.size() > (range.unit.empty() ? 0U : 2U);
      if (!has_other) c_.expected(node, axis.path, "one of linspace and logspace, or a list of values");
      return std::nullopt;
    }
    range.logarithmic = logarithmic != nullptr;
    const std::string what = range.logarithmic ? "logspace" : "linspace";
    const std::size_t size = count != nullptr ? 3 : 2;
    if (!ends->is_list() || ends->children.size() != size) {
      c_.expected(*ends, what,
                  count != nullptr ? "[first, last, how many]" : "[least, most]; how many is said by latin_hypercube");
      return std::nullopt;
    }
    const auto from = end_of(c_.at(ends->children[0]), what), to = end_of(c_.at(ends->children[1]), what);
    if (count != nullptr) {
      const auto number = whole_of(c_, c_.at(ends->children[2]), what, 1, kMostValues);
      if (!number) return std::nullopt;
      *count = *number;
    }
    if (!from || !to) return std::nullopt;
    range.from = *from;
    range.to = *to;
    if (range.logarithmic && (range.from <= 0 || range.to <= 0)) {
      c_.expected(*ends, what, "ends above 0 (the values themselves, not exponents)");
      return std::nullopt;
    }
    return range;
  }

  std::optional<double> end_of(const Node& node, const std::string& what) {
    const auto number = number_of(c_, node, what);
    if (!number) return std::nullopt;
    constexpr long double kMost = 1e15L;  // further on, not every whole number is a double
    if (std::abs(*number) <= kMost) return static_cast<double>(*number);
    c_.expected(node, what, "a number between -1e15 and 1e15");
    return std::nullopt;
  }

  void check_size() {
    __int128 runs = static_cast<__int128>(sweep_.replications) * static_cast<std::int64_t>(workload_.policies.size());
    std::size_t dimensions = 0;
    for (const SweepAxis& axis : sweep_.axes) {
      if (axis.zipped) continue;
      ++dimensions;
      runs = std::min<__int128>(runs * std::max<std::int64_t>(static_cast<std::int64_t>(axis.values.size()), 1),
                                kMostRuns + 1);
    }
    if (dimensions > kMostDimensions)
      c_.error(node_, "sweep: more than " + std::to_string(kMostDimensions) + " axes that are crossed with each other");
    if (runs > kMostRuns) c_.error(node_, "sweep: more than " + std::to_string(kMostRuns) + " runs");
  }

  /// A list of maps: a point that has all of a map's values is left out.
  void read_exclude(const Node& exclude) {
    if (!exclude.is_list() || exclude.children.empty())
      return c_.expected(exclude, "exclude", "a list like [{params.slots: 2, policy: race}]");
    for (const NodeId id : exclude.children) {
      const Node& map = c_.at(id);
      if (!map.is_map() || map.children.empty()) {
        c_.expected(map, "exclude", "a map of paths and values like {params.slots: 2, policy: race}");
        continue;
      }
      SweepExclusion exclusion;
      for (std::size_t i = 0; i + 1 < map.children.size(); i += 2)
        read_condition(c_.at(map.children[i]), map.children[i + 1], exclusion);
      sweep_.exclude.push_back(std::move(exclusion));
    }
  }

  void read_condition(const Node& key, NodeId value, SweepExclusion& exclusion) {
    std::vector<std::string> paths{"policy"};
    for (const SweepAxis& axis : sweep_.axes) paths.push_back(axis.path);
    if (std::ranges::find(paths, key.text) == paths.end())
      return c_.error(key, "exclude: '" + key.text + "' is not swept" + c_.hint(key.text, paths));
    std::vector<std::string> known;
    const auto axis = std::ranges::find(sweep_.axes, key.text, &SweepAxis::path);
    if (axis != sweep_.axes.end()) known = axis->values;
    // The policies of the command line are not known here: a wrong name of one excludes nothing, as it should.
    const bool is_policy = axis == sweep_.axes.end();
    const Node& node = c_.at(value);
    std::vector<NodeId> listed{value};
    if (node.is_list()) listed.assign(node.children.begin(), node.children.end());
    std::vector<std::string> values;
    for (const NodeId id : listed) {
      const std::string text = flow_text(c_.tree(), id);
      const auto found = std::ranges::find_if(known, [&](const std::string& v) { return same_value(v, text); });
      if (found == known.end() && !is_policy) {
        c_.error(c_.at(id), "exclude: '" + key.text + "' never has the value '" + text + "'" + c_.hint(text, known));
        continue;
      }
      values.push_back(is_policy ? text : *found);
    }
    exclusion.where.emplace_back(key.text, std::move(values));
  }

  /// 0.5 and 0.50 are one value.
  static bool same_value(const std::string& a, const std::string& b) {
    if (a == b) return true;
    const Scalar<long double> left = read_number(a), right = read_number(b);
    return left.ok() && right.ok() && left.value == right.value;
  }

  Context& c_;
  Workload& workload_;
  SweepSpec& sweep_;
  const Node& node_;
  std::optional<Hypercube> hypercube_;
};

}  // namespace

void read_sweep(Reading& reading, const Node& node) { SweepReader(reading, node).read(); }

}  // namespace headroom::yaml
