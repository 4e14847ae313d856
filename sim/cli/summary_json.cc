#include "sim/cli/summary_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/cli/aggregate.h"
#include "sim/cli/build_info.h"
#include "sim/cli/text_table.h"

namespace headroom::cli {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which they are explained

/// Names may be any bytes; JSON may not. What is not UTF-8 is replaced, never thrown.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json number(double value, std::string_view unit) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  constexpr double kExact = 9007199254740992.0;
  if (unit == "1" && value == std::floor(value) && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

Json metrics_json(const MetricValues& values, bool of_group) {
  Json out = Json::object();
  const auto catalog = metric_catalog();
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    if (of_group && !catalog[i].in_groups) continue;
    out[std::string(catalog[i].name)] = i < values.size() ? number(values[i], catalog[i].unit) : Json(nullptr);
  }
  return out;
}

void add_costs(Json& to, const RunReport& report) {
  to["wall_time"] = report.wall_time_s;
  to["passes"] = report.passes;
  to["events"] = report.events;
  to["decision_rate"] = number(decision_rate(report), "1/s");
}

/// The value of an axis as what it is: 3, 0.5, true, or a text such as "10/h".
Json axis_value(const std::string& text) {
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(text);
}

Json point_json(const Study& study, const RunSpec& spec) {
  Json out = Json::object();
  for (const auto& [path, value] : study.point(spec)) out[path] = axis_value(value);
  return out;
}

Json classes_json(const RunReport& report) {
  Json out = Json::object();
  for (const Group& group : report.classes) out[group.name] = metrics_json(group.metrics, true);
  return out;
}

Json run_json(const Study& study, const RunSummary& run) {
  Json out;
  out["run"] = run.spec.run;
  out["policy"] = study.policies[run.spec.policy].name;
  out["point"] = point_json(study, run.spec);
  out["replication"] = run.spec.replication;
  out["seed"] = study.seed;
  out["status"] = status_word(run);
  if (!run.failure.empty()) {
    out["failure"] = run.failure;
    out["decision_hash"] = nullptr;
    out["metrics"] = Json::object();
    out["classes"] = Json::object();
    return out;
  }
  out["decision_hash"] = hash_text(run.report.decision_hash);
  out["metrics"] = metrics_json(run.report.metrics, false);
  add_costs(out["metrics"], run.report);
  out["classes"] = classes_json(run.report);
  return out;
}

Json warnings_json(const StudyResult& result) {
  Json out = Json::array();
  for (const RunSummary& run : result.runs)
    for (const Warning& warning : run.report.warnings)
      out.push_back({{"run", run.spec.run}, {"code", warning.code}, {"text", warning.text}});
  return out;
}

Json hold_gains_json(const Study& study, const StudyResult& result) {
  Json out = Json::array();
  for (const HoldGain& gain : result.hold_gains) {
    RunSpec spec;
    spec.point = gain.point;
    Json entry;
    entry["point"] = point_json(study, spec);
    entry["replication"] = gain.replication;
    entry["honor"] = study.policies[gain.honor].name;
    entry["ignore"] = study.policies[gain.ignore].name;
    entry["hold_gain"] = number(gain.gain, "ratio");
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

std::string summary_json(const Study& study, const StudyResult& result, const std::string& out) {
  Json json;
  json["headroom"] = kVersion;
  json["workload"] = study.workload.name;
  json["results"] = out;
  json["warnings"] = warnings_json(result);
  json["hold_gain"] = hold_gains_json(study, result);
  json["runs"] = Json::array();
  for (const RunSummary& run : result.runs) json["runs"].push_back(run_json(study, run));
  return dump(json);
}

std::string perf_json(const Study& study, const StudyResult& result) {
  Json json;
  json["headroom"] = kVersion;
  json["commit"] = build_commit();
  json["build"] = kBuild;
  json["workload"] = study.workload.name;
  json["runs"] = Json::array();
  for (const RunSummary& run : result.runs) {
    Json entry;
    entry["run"] = run.spec.run;
    entry["policy"] = study.policies[run.spec.policy].name;
    add_costs(entry, run.report);
    json["runs"].push_back(std::move(entry));
  }
  return dump(json);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string csv_number(double value) {
  if (std::isnan(value)) return "";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

std::string summary_csv(const Study& study, const StudyResult& result) {
  std::string text = "run,policy";
  for (const SweepAxis& axis : study.axes) text += "," + csv_field(axis.path);
  text += ",replication,seed,status,decision_hash";
  for (const MetricInfo& info : metric_catalog()) text += "," + std::string(info.name);
  text += ",wall_time,passes,events,decision_rate\n";
  for (const RunSummary& run : result.runs) {
    text += std::to_string(run.spec.run) + "," + csv_field(study.policies[run.spec.policy].name);
    for (const auto& [path, value] : study.point(run.spec)) text += "," + csv_field(value);
    text += fmt::format(",{},{},{},{}", run.spec.replication, study.seed, status_word(run),
                        run.failure.empty() ? hash_text(run.report.decision_hash) : "");
    for (std::size_t i = 0; i < metric_catalog().size(); ++i)
      text += "," + (i < run.report.metrics.size() ? csv_number(run.report.metrics[i]) : "");
    text += fmt::format(",{},{},{},{}\n", csv_number(run.report.wall_time_s), run.report.passes, run.report.events,
                        csv_number(decision_rate(run.report)));
  }
  return text;
}

}  // namespace headroom::cli
