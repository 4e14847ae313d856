#include "sim/compare/hold_ratio.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace headroom::compare {
namespace {

using Key = std::pair<std::size_t, std::uint64_t>;  // file, run

/// Settings of every run, but for whether holds count; and that.
struct Settings {
  std::map<Key, std::vector<std::string>> others;
  std::map<Key, std::string> hold;
};

bool is(const Settings& settings, const Key& run, const char* word) {
  const auto found = settings.hold.find(run);
  return found != settings.hold.end() && found->second == word;
}

Settings read_settings(const SampledRuns& runs, std::size_t files) {
  Settings settings;
  for (std::size_t file = 0; file < files; ++file) {
    const ResultsReader& reader = runs.reader(file);
    if (!reader.has("settings")) continue;
    const std::vector<double> run = numbers_of(reader.column("settings", "run"));
    const auto key = [&](std::size_t row) { return Key{file, static_cast<std::uint64_t>(run[row])}; };
    for (const std::string& name : reader.columns("settings")) {
      if (name == "run") continue;
      const std::vector<std::string> texts = texts_of(reader.column("settings", name));
      for (std::size_t row = 0; row < run.size(); ++row) {
        if (name == "hold")
          settings.hold[key(row)] = texts[row];
        else
          settings.others[key(row)].push_back(texts[row]);
      }
    }
  }
  return settings;
}

/// Makespans by the number of the workflow.
using Makespans = std::map<std::uint64_t, double>;
std::map<Key, Makespans> read_makespans(const SampledRuns& runs, std::size_t files) {
  std::map<Key, Makespans> makespans;
  for (std::size_t file = 0; file < files; ++file) {
    const ResultsReader& reader = runs.reader(file);
    if (!reader.has("workflows")) continue;
    const std::vector<double> run = numbers_of(reader.column("workflows", "run"));
    const std::vector<double> workflow = numbers_of(reader.column("workflows", "workflow"));
    const std::vector<double> makespan = numbers_of(reader.column("workflows", "makespan"));
    for (std::size_t row = 0; row < run.size(); ++row)
      makespans[{file, static_cast<std::uint64_t>(run[row])}][static_cast<std::uint64_t>(workflow[row])] =
          makespan[row];
  }
  return makespans;
}

/// The mean logarithm, and of how many.
std::pair<double, std::size_t> mean_log(const Makespans& honor, const Makespans& ignore) {
  double sum = 0;
  std::size_t n = 0;
  for (const auto& [workflow, held] : honor) {
    const auto raced = ignore.find(workflow);
    if (raced == ignore.end() || !(held > 0) || !(raced->second > 0) || std::isinf(held) || std::isinf(raced->second))
      continue;
    sum += std::log(raced->second / held);
    ++n;
  }
  return {n > 0 ? sum / static_cast<double>(n) : 0, n};
}

HoldRow row_of(std::vector<std::string> at, std::size_t workflows, const std::vector<double>& logs, bool exact) {
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
  const Interval interval = mean_interval(logs, exact);
  return {std::move(at), workflows, std::exp(mean), {std::exp(interval.low), std::exp(interval.high)}};
}

}  // namespace

std::vector<HoldRatios> hold_ratios(const SampledRuns& runs, const Comparison& comparison) {
  if (comparison.by != "policy") return {};
  const auto axis = static_cast<std::size_t>(std::ranges::find(runs.axes(), "policy") - runs.axes().begin());
  std::size_t files = 1;
  for (const Run& run : runs.runs()) files = std::max(files, run.file + 1);
  const Settings settings = read_settings(runs, files);
  // By policy, point and replication.
  std::map<std::string, std::map<std::vector<std::string>, std::map<std::int64_t, Key>>> placed;
  std::vector<std::vector<std::string>> points;
  for (const Run& run : runs.runs()) {
    std::vector<std::string> at;
    for (const std::string& other : comparison.others)
      at.push_back(run.at[static_cast<std::size_t>(std::ranges::find(runs.axes(), other) - runs.axes().begin())]);
    if (std::ranges::find(points, at) == points.end()) points.push_back(at);
    placed[run.at[axis]][at][run.replication] = {run.file, run.run};
  }
  std::vector<std::string> policies{comparison.baseline};
  policies.insert(policies.end(), comparison.values.begin(), comparison.values.end());
  const auto differ_in_hold_alone = [&](const std::string& honor, const std::string& ignore) {
    for (const auto& [at, by_replication] : placed[honor]) {
      const Key one = by_replication.begin()->second;
      const auto other_point = placed[ignore].find(at);
      if (other_point == placed[ignore].end()) continue;
      const Key other = other_point->second.begin()->second;
      const auto a = settings.others.find(one), b = settings.others.find(other);
      return a != settings.others.end() && b != settings.others.end() && a->second == b->second &&
             is(settings, one, "honor") && is(settings, other, "ignore");
    }
    return false;
  };
  std::vector<HoldRatios> all;
  std::map<Key, Makespans> makespans;
  for (const std::string& honor : policies) {
    for (const std::string& ignore : policies) {
      if (honor == ignore || !differ_in_hold_alone(honor, ignore)) continue;
      if (makespans.empty()) makespans = read_makespans(runs, files);
      HoldRatios ratios{honor, ignore, {}};
      std::map<std::int64_t, std::vector<double>> over_points;
      for (const auto& at : points) {
        std::vector<double> logs;
        std::size_t workflows = 0;
        for (const auto& [replication, key] : placed[honor][at]) {
          const auto other = placed[ignore][at].find(replication);
          if (other == placed[ignore][at].end()) continue;
          const auto [mean, n] = mean_log(makespans[key], makespans[other->second]);
          if (n == 0) continue;
          if (workflows == 0) workflows = n;
          logs.push_back(mean);
          over_points[replication].push_back(mean);
        }
        if (!logs.empty()) ratios.rows.push_back(row_of(at, workflows, logs, !comparison.is_random));
      }
      if (ratios.rows.size() > 1) {
        std::vector<double> logs;
        for (const auto& [replication, means] : over_points)
          if (means.size() == ratios.rows.size())
            logs.push_back(std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size()));
        std::size_t workflows = 0;
        for (const HoldRow& row : ratios.rows) workflows += row.workflows;
        if (!logs.empty()) ratios.rows.push_back(row_of({}, workflows, logs, !comparison.is_random));
      }
      if (!ratios.rows.empty()) all.push_back(std::move(ratios));
    }
  }
  return all;
}

}  // namespace headroom::compare
