#include "sim/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "workloads/diagnostics.h"

namespace headroom::compare {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw InputError({Diagnostic{"", 0, 0, message, ""}}); }

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::size_t index_of_axis(const SampledRuns& runs, const std::string& asked) {
  const std::vector<std::string>& axes = runs.axes();
  if (!asked.empty()) {
    const auto found = std::ranges::find(axes, asked);
    if (found == axes.end())
      refuse("there is no axis called '" + asked + "'" + did_you_mean(asked, axes) + " (there are " + listed(axes) +
             ")");
    return static_cast<std::size_t>(found - axes.begin());
  }
  std::vector<std::size_t> varying;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (runs.values_of(a).size() > 1) varying.push_back(a);
  for (const std::size_t a : varying)
    if (axes[a] == "file" || axes[a] == "policy") return a;
  if (varying.size() == 1) return varying.front();
  if (varying.empty()) refuse("there is one policy and one point: nothing to compare with (name a second file)");
  std::vector<std::string> names;
  for (const std::size_t a : varying) names.push_back(axes[a]);
  refuse("compare what? --by takes one of " + listed(names));
}

/// Where a run stands, but for the axis and the replication.
using Point = std::vector<std::string>;

class Comparer {
 public:
  Comparer(const SampledRuns& runs, const Request& request)
      : runs_(runs), request_(request), axis_(index_of_axis(runs, request.by)) {
    out_.by = runs.axes()[axis_];
    out_.is_random = runs.is_random();
    choose_values();
    for (std::size_t a = 0; a < runs.axes().size(); ++a)
      if (a != axis_ && runs.values_of(a).size() > 1) others_.push_back(a);
    for (const std::size_t a : others_) out_.others.push_back(runs.axes()[a]);
    place_runs();
  }

  Comparison done() && {
    for (const Measured& what : request_.metrics) out_.metrics.push_back(rows_of(what));
    if (request_.primary) find_verdicts();
    return std::move(out_);
  }

 private:
  void choose_values() {
    out_.values = runs_.values_of(axis_);
    if (out_.values.size() < 2)
      refuse("'" + out_.by + "' has one value, " + out_.values.front() + ": nothing to compare with");
    const bool has_usual = std::ranges::find(out_.values, request_.usual_baseline) != out_.values.end();
    out_.baseline = !request_.baseline.empty() ? request_.baseline
                    : has_usual                ? request_.usual_baseline
                                               : out_.values.front();
    const auto found = std::ranges::find(out_.values, out_.baseline);
    if (found == out_.values.end())
      refuse("the baseline '" + out_.baseline + "' is no value of " + out_.by +
             did_you_mean(out_.baseline, out_.values) + " (there are " + listed(out_.values) + ")");
    out_.values.erase(found);
  }

  void place_runs() {
    std::map<std::string, std::size_t> value_index;
    value_index[out_.baseline] = 0;
    for (std::size_t v = 0; v < out_.values.size(); ++v) value_index[out_.values[v]] = v + 1;
    std::map<Point, std::size_t> index;
    for (std::size_t i = 0; i < runs_.runs().size(); ++i) {
      const Run& run = runs_.runs()[i];
      Point at;
      for (const std::size_t a : others_) at.push_back(run.at[a]);
      const auto [found, is_new] = index.emplace(at, points_.size());
      if (is_new) {
        points_.push_back(at);
        by_replication_.emplace_back();
      }
      std::vector<std::optional<std::size_t>>& same = by_replication_[found->second][run.replication];
      same.resize(out_.values.size() + 1);
      same[value_index.at(run.at[axis_])] = i;
    }
    out_.points = points_.size();
    out_.replications = 0;
    for (const auto& point : by_replication_) {
      out_.replications = std::max(out_.replications, point.size());
      for (const auto& [replication, same] : point) {
        const bool any_other =
            std::ranges::any_of(same.begin() + 1, same.end(), [](const auto& r) { return r.has_value(); });
        if (!same[0]) {
          out_.unmatched +=
              static_cast<std::size_t>(std::ranges::count_if(same, [](const auto& r) { return r.has_value(); }));
        } else if (!any_other) {
          ++out_.unmatched;
        }
      }
    }
  }

  struct Samples {
    std::map<std::int64_t, std::pair<double, double>> by_replication;  ///< baseline, other
    bool is_whole = true;                                              ///< no pair lacks a number
    [[nodiscard]] std::vector<double> baseline() const {
      std::vector<double> sample;
      for (const auto& [replication, pair] : by_replication) sample.push_back(pair.first);
      return sample;
    }
    [[nodiscard]] std::vector<double> other() const {
      std::vector<double> sample;
      for (const auto& [replication, pair] : by_replication) sample.push_back(pair.second);
      return sample;
    }
    [[nodiscard]] Paired paired_up(bool exact) const { return paired(baseline(), other(), exact); }
  };
  Samples samples_at(std::size_t point, std::size_t value, const std::vector<double>& numbers) const {
    Samples samples;
    for (const auto& [replication, same] : by_replication_[point]) {
      if (!same[0] || !same[value + 1]) continue;
      const double baseline = numbers[*same[0]], other = numbers[*same[value + 1]];
      if (std::isnan(baseline) || std::isnan(other))
        samples.is_whole = false;
      else
        samples.by_replication[replication] = {baseline, other};
    }
    return samples;
  }

  MetricRows rows_of(const Measured& what) const {
    const std::vector<double> numbers = runs_.values(what);
    MetricRows rows;
    rows.what = what;
    rows.unit = SampledRuns::unit_of(what.metric);
    std::vector<std::vector<Samples>> samples(points_.size());
    for (std::size_t p = 0; p < points_.size(); ++p) {
      for (std::size_t v = 0; v < out_.values.size(); ++v) {
        samples[p].push_back(samples_at(p, v, numbers));
        rows.points.push_back({points_[p], out_.values[v], samples[p][v].paired_up(!out_.is_random), {}, {}});
      }
    }
    for (std::size_t v = 0; v < out_.values.size(); ++v) {
      std::size_t left_out = 0;
      const Samples all = over_points(samples, v, left_out);
      rows.overall.push_back({{}, out_.values[v], all.paired_up(!out_.is_random), all.baseline(), all.other()});
      rows.points_left_out = std::max(rows.points_left_out, left_out);
    }
    return rows;
  }
  /// The replication is the block: the mean over points within each, then the pairs.
  Samples over_points(const std::vector<std::vector<Samples>>& samples, std::size_t value,
                      std::size_t& left_out) const {
    Samples all;
    std::map<std::int64_t, std::size_t> count;
    std::size_t points = 0;
    for (const auto& point : samples) {
      const Samples& at = point[value];
      if (at.by_replication.empty() || !at.is_whole) {
        ++left_out;
        continue;
      }
      ++points;
      for (const auto& [replication, pair] : at.by_replication) {
        auto& [baseline, other] = all.by_replication[replication];
        baseline += pair.first;
        other += pair.second;
        ++count[replication];
      }
    }
    for (const auto& [replication, n] : count) {
      if (n < points) {
        all.by_replication.erase(replication);
        continue;
      }
      auto& [baseline, other] = all.by_replication[replication];
      baseline /= static_cast<double>(n);
      other /= static_cast<double>(n);
    }
    return all;
  }

  void find_verdicts() {
    Primary primary;
    primary.what = *request_.primary;
    primary.margin_text = request_.margin_text;
    const MetricRows rows = rows_of(primary.what);
    const Direction direction = better_of(primary.what.metric);
    if (direction == Direction::kNeither)
      refuse("of '" + primary.what.metric + "' neither more nor less is better, so it cannot be the primary metric");
    std::vector<double> p;
    for (const Row& row : rows.overall) {
      Finding found =
          finding(row.baseline_sample, row.other_sample, request_.margin, request_.margin_is_relative, !out_.is_random);
      if (direction == Direction::kMore && found.verdict == Verdict::kBetter)
        found.verdict = Verdict::kWorse;
      else if (direction == Direction::kMore && found.verdict == Verdict::kWorse)
        found.verdict = Verdict::kBetter;
      primary.shown.push_back({row.value, found, 1, Verdict::kUndecided});
      p.push_back(found.p);
    }
    const std::vector<double> adjusted = holm(p);
    for (std::size_t v = 0; v < primary.shown.size(); ++v) {
      Shown& shown = primary.shown[v];
      shown.p = adjusted[v];
      if (shown.p <= 1 - kConfidence) shown.verdict = shown.finding.verdict;
    }
    out_.primary = std::move(primary);
  }

  const SampledRuns& runs_;
  const Request& request_;
  std::size_t axis_;
  std::vector<std::size_t> others_;
  std::vector<Point> points_;
  /// By point: by replication: runs by value, the baseline first.
  std::vector<std::map<std::int64_t, std::vector<std::optional<std::size_t>>>> by_replication_;
  Comparison out_;
};

}  // namespace

Direction better_of(const std::string& metric) {
  if (metric.starts_with("utilization") || metric == "n_finished" || metric == "n_started" || metric == "capacity_busy")
    return Direction::kMore;
  for (const char* neither :
       {"n", "lower_bound", "offered_load", "slowdown_left_out", "priority_changes", "refusals", "capacity_no_work"})
    if (metric == neither) return Direction::kNeither;
  return Direction::kLess;
}

Comparison compare(const SampledRuns& runs, const Request& request) { return Comparer(runs, request).done(); }

}  // namespace headroom::compare
