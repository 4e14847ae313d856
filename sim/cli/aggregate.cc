#include "sim/cli/aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace headroom::cli {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

const std::vector<Group>& groups_of(const RunReport& report, Group::Kind kind) {
  return kind == Group::Kind::kClass ? report.classes : report.tenants;
}

/// Mean of what is defined.
class Mean {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++count_;
  }
  [[nodiscard]] double value() const { return count_ == 0 ? kUndefined : sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

const std::map<std::string_view, std::size_t>& metric_positions() {
  static const auto positions = [] {
    std::map<std::string_view, std::size_t> out;
    for (std::size_t i = 0; i < metric_catalog().size(); ++i) out.emplace(metric_catalog()[i].name, i);
    return out;
  }();
  return positions;
}

}  // namespace

std::string_view status_word(RunStatus status) {
  constexpr std::array<std::string_view, 4> kWords = {"finished", "gave_up", "stalled", "interrupted"};
  return kWords[static_cast<std::size_t>(status)];
}

std::string_view status_word(const RunSummary& run) {
  return run.failure.empty() ? status_word(run.report.status) : std::string_view("failed");
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

double metric_value(const MetricValues& values, std::string_view name) {
  const auto found = metric_positions().find(name);
  return found == metric_positions().end() || found->second >= values.size() ? kUndefined : values[found->second];
}

double decision_rate(const RunReport& report) {
  return report.wall_time_s > 0 ? static_cast<double>(report.starts) / report.wall_time_s : kUndefined;
}

Aggregate::Aggregate(const Study& study, const StudyResult& result)
    : result_(result),
      points_(study.points.size()),
      policies_(study.policies.size()),
      replications_(static_cast<std::size_t>(study.replications)),
      cells_(points_ * policies_) {
  for (const RunSummary& run : result.runs)
    if (run.failure.empty()) cells_[run.spec.point * policies_ + run.spec.policy].push_back(&run);
  for (const HoldGain& gain : result.hold_gains) {
    const std::pair<std::size_t, std::size_t> pair{gain.honor, gain.ignore};
    if (std::find(hold_pairs_.begin(), hold_pairs_.end(), pair) == hold_pairs_.end()) hold_pairs_.push_back(pair);
  }
  std::sort(hold_pairs_.begin(), hold_pairs_.end());
}

std::vector<const RunSummary*> Aggregate::runs(std::size_t point, std::size_t policy) const {
  return cells_[point * policies_ + policy];
}

double Aggregate::metric(std::size_t point, std::size_t policy, std::string_view name) const {
  Mean mean;
  for (const RunSummary* run : cells_[point * policies_ + policy]) mean.add(metric_value(run->report.metrics, name));
  return mean.value();
}

double Aggregate::group_metric(std::size_t point, std::size_t policy, Group::Kind kind, const std::string& group,
                               std::string_view name) const {
  Mean mean;
  for (const RunSummary* run : cells_[point * policies_ + policy])
    for (const Group& g : groups_of(run->report, kind))
      if (g.kind == kind && g.name == group) mean.add(metric_value(g.metrics, name));
  return mean.value();
}

std::vector<std::string> Aggregate::groups(Group::Kind kind, std::size_t limit) const {
  std::vector<std::string> out;
  for (const auto& cell : cells_) {
    for (const RunSummary* run : cell)
      for (const Group& g : groups_of(run->report, kind))
        if (g.kind == kind && out.size() < limit && std::find(out.begin(), out.end(), g.name) == out.end())
          out.push_back(g.name);
    if (!out.empty()) break;  // one cell knows them all: what differs between points is seldom who there is
  }
  return out;
}

std::size_t Aggregate::group_count(Group::Kind kind) const {
  for (const auto& cell : cells_)
    for (const RunSummary* run : cell)
      return static_cast<std::size_t>(std::count_if(groups_of(run->report, kind).begin(),
                                                    groups_of(run->report, kind).end(),
                                                    [kind](const Group& g) { return g.kind == kind; }));
  return 0;
}

double Aggregate::hold_gain(std::size_t point, std::size_t honor, std::size_t ignore) const {
  Mean mean;
  for (const HoldGain& gain : result_.hold_gains)
    if (gain.point == point && gain.honor == honor && gain.ignore == ignore) mean.add(gain.gain);
  return mean.value();
}

std::vector<GatheredWarning> gather_warnings(const StudyResult& result) {
  std::vector<GatheredWarning> out;
  std::map<std::string, std::size_t> index;
  for (const RunSummary& run : result.runs) {
    for (const Warning& warning : run.report.warnings) {
      const auto [found, is_new] = index.emplace(warning.code, out.size());
      if (is_new) out.push_back({warning, {}, true});
      GatheredWarning& gathered = out[found->second];
      if (gathered.warning.text != warning.text) gathered.same_text = false;
      if (gathered.runs.empty() || gathered.runs.back() != run.spec.run) gathered.runs.push_back(run.spec.run);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.warning.code < b.warning.code; });
  return out;
}

bool has_numbered_warning(const StudyResult& result) {
  const auto numbered = [](const Warning& w) {
    return w.code.size() == 3 && w.code >= "W01" && w.code <= "W10" && w.code[0] == 'W';
  };
  return std::any_of(result.runs.begin(), result.runs.end(), [&](const RunSummary& run) {
    return std::any_of(run.report.warnings.begin(), run.report.warnings.end(), numbered);
  });
}

}  // namespace headroom::cli
