#include "sim/cli/used_settings.h"

#include <algorithm>
#include <map>

#include "sim/cli/units.h"
#include "workloads/offered_load.h"
#include "workloads/scheduler_words.h"

namespace headroom::cli {
namespace {

std::string time_text(Duration duration) { return format_value(duration.in_seconds(), Scale::kTime); }

std::string node_class_text(const NodeClass& nodes) {
  std::string text = format_count(static_cast<std::uint64_t>(nodes.count)) + " " + nodes.name + " (" +
                     plural(static_cast<std::uint64_t>(nodes.capacity.cores), "core");
  if (nodes.capacity.memory > 0) text += ", " + format_memory(nodes.capacity.memory);
  if (nodes.capacity.gpus > 0) text += ", " + plural(static_cast<std::uint64_t>(nodes.capacity.gpus), "gpu");
  return text + ")";
}

std::string overheads_text(const Overheads& overheads) {
  std::string text;
  for (const OverheadKey& key : overhead_keys()) {
    const Duration cost = overheads.*key.member;
    if (cost.ns != 0) text += (text.empty() ? "" : ", ") + std::string(key.name) + " " + time_text(cost);
  }
  return text.empty() ? "none" : "{" + text + "}";
}

/// The text of every point if all agree, else the different ones in order.
template <class Text>
std::string over_points(const Study& study, Text text) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> texts;
  for (const Workload& point : study.points) {
    std::string own = text(point);
    if (std::find(texts.begin(), texts.end(), own) == texts.end()) texts.push_back(std::move(own));
    if (texts.size() > kShown) break;
  }
  if (texts.size() == 1) return texts.front();
  std::string all = "by point:";
  for (std::size_t i = 0; i < std::min(kShown, texts.size()); ++i)
    all += (i > 0 ? " | " : " ") + (texts[i].empty() ? "-" : texts[i]);
  return texts.size() > kShown ? all + " | …" : all;
}

std::string repairs_text(const StudyResult& result) {
  // The runs of a study read the same traces: the largest count of each cause is that of one run.
  std::map<std::string, Repair> causes;
  std::vector<std::string> order;
  for (const RunSummary& run : result.runs)
    for (const Repair& repair : run.repairs) {
      const auto [found, is_new] = causes.emplace(repair.what, repair);
      if (is_new) order.push_back(repair.what);
      if (repair.count > found->second.count) found->second = repair;
    }
  std::string text;
  for (const std::string& what : order) {
    const Repair& repair = causes.at(what);
    text += (text.empty() ? "" : "; ") + format_count(static_cast<std::uint64_t>(repair.count)) + " × " + what;
    if (!repair.example.empty()) text += " (" + repair.example + ")";
  }
  return text;
}

std::string loads_text(const Workload& workload) {
  std::string text;
  for (const WorkItem& item : workload.items) {
    const auto* generate = std::get_if<GenerateItem>(&item);
    if (generate == nullptr || !generate->load) continue;
    text += (text.empty() ? "" : "; ") + load_text(*generate, workload.cluster);
  }
  return text;
}

}  // namespace

std::string cluster_text(const ClusterSpec& cluster) {
  if (cluster.classes.empty() && cluster.from_trace) return "taken from the trace";
  std::string text;
  for (const NodeClass& nodes : cluster.classes) {
    if (!text.empty()) text += ", ";
    if (nodes.name == "slots" && nodes.count == 1)
      text += plural(static_cast<std::uint64_t>(nodes.capacity.cores), "slot");
    else
      text += node_class_text(nodes);
  }
  if (text.empty()) text = "1 slot";
  if (!cluster.pools.empty()) {
    text += "; pools";
    for (std::size_t i = 0; i < cluster.pools.size(); ++i)
      text += (i > 0 ? ", " : " ") + cluster.pools[i].first + " " + std::to_string(cluster.pools[i].second);
  }
  return text;
}

std::string scheduler_text(const SchedulerSettings& s) {
  const auto part = [](std::string_view key, std::string_view word) {
    return ", " + std::string(key) + " " + std::string(word);
  };
  std::string text = "like " + std::string(word_in(like_words(), s.like));
  text += s.tick.ns == 0 ? ", tick 0 s (a pass at every change)" : ", tick " + time_text(s.tick);
  text += part("simultaneous", word_in(simultaneous_words(), s.simultaneous));
  text += s.queue_depth == 0 ? ", queue_depth 0 (all)" : ", queue_depth " + std::to_string(s.queue_depth);
  text += part("hold_scope", word_in(hold_scope_words(), s.hold_scope));
  text += part("hold_release", word_in(hold_release_words(), s.hold_release));
  text += ", overheads " + overheads_text(s.overheads);
  text += part("on_failure", word_in(on_failure_words(), s.on_failure));
  text += ", default_estimate " + time_text(s.default_estimate);
  return text;
}

std::string measure_text(const Measure& m) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (m.from || m.to)
    add("workflows submitted in [" + (m.from ? time_text(*m.from) : "0 s") + ", " + (m.to ? time_text(*m.to) : "end") +
        ")");
  if (m.give_up) add("given up at " + time_text(*m.give_up));
  if (m.late) add("late above " + time_text(*m.late));
  if (m.starved) add("starved above " + time_text(*m.starved));
  if (m.tau != Duration::seconds(10)) add("tau " + time_text(m.tau));
  return text;
}

std::vector<std::pair<std::string, std::string>> used_settings(const Study& study, const StudyResult& result) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::string cluster = over_points(study, [](const Workload& w) { return cluster_text(w.cluster); });
  for (const RunSummary& run : result.runs)
    if (run.cluster_from_trace && !run.cluster.classes.empty()) {
      cluster = cluster_text(run.cluster) + ", taken from the trace";
      break;
    }
  lines.emplace_back("cluster", cluster);
  lines.emplace_back("scheduler", over_points(study, [](const Workload& w) { return scheduler_text(w.scheduler); }));
  const std::string measured = over_points(study, [](const Workload& w) { return measure_text(w.measure); });
  if (!measured.empty()) lines.emplace_back("measured", measured);
  const std::string loads = over_points(study, loads_text);
  if (!loads.empty()) lines.emplace_back("arrivals", loads);
  if (study.random)
    lines.emplace_back("random", "seed " + std::to_string(study.seed) + ", the same draws under every policy");
  const std::string repairs = repairs_text(result);
  if (!repairs.empty()) lines.emplace_back("repairs", repairs);
  return lines;
}

}  // namespace headroom::cli
