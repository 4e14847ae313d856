#include "tests/golden/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sim/engine/engine.h"
#include "workloads/realise.h"

namespace headroom::golden {
namespace {

using Json = nlohmann::json;

/// The recorded sums of floats, without their last bits.
double exact(double seconds) { return std::round(seconds * 1e9) / 1e9; }

class PlanText {
 public:
  explicit PlanText(const RecordedBuild& build) : build_(build) {}

  [[nodiscard]] Json list(const Json& body) const {
    Json steps = Json::array();
    for (const Json& op : body) add(op, steps);
    return steps;
  }
  /// From its pick to its first line.
  [[nodiscard]] std::optional<double> startup(const std::string& plan) const {
    const auto begin = build_.plan_begin.find(plan);
    const auto pick = std::ranges::find(build_.picks, plan, &Pick::name);
    if (begin == build_.plan_begin.end() || pick == build_.picks.end()) return std::nullopt;
    return exact(begin->second - pick->picked);
  }

 private:
  static void copy(const Json& from, const char* key, Json& to) {
    if (from.contains(key) && !from.at(key).empty()) to[key] = from.at(key);
  }
  static Json common(const Json& op) {
    Json step = {{"name", op.at("name")}};
    if (op.contains("duration") && !op.at("duration").is_null()) step["estimate"] = exact(op.at("duration"));
    for (const char* key : {"inputs", "outputs", "resources"}) copy(op, key, step);
    return step;
  }

  void add(const Json& op, Json& steps) const {
    const std::string kind = op.at("op");
    if (kind == "step") {
      Json step = common(op);
      step["runtime"] = exact(op.at("sleep"));
      if (op.value("fail", false)) step["fails"] = true;
      steps.push_back(std::move(step));
    } else if (kind == "hold") {
      steps.push_back({{"hold", list(op.at("body"))}});
    } else if (kind == "pause") {
      steps.push_back({{"pause", exact(op.at("seconds"))}});
    } else if (kind == "static") {
      steps.push_back({{"static", op.at("paths")}});
    } else if (kind == "plan") {
      add_plan(op, steps);
    }
  }
  /// The script of a sub-plan is a source file, declared just before it.
  void add_plan(const Json& op, Json& steps) const {
    const std::string name = op.at("name");
    const std::string script = name + "/plan.py";
    Json plan = common(op);
    plan["inputs"].push_back(script);
    if (const auto begin = startup(name)) plan["startup"] = *begin;
    plan["steps"] = list(op.at("body"));
    steps.push_back({{"static", Json::array({script})}});
    steps.push_back({{"plan", std::move(plan)}});
  }

  const RecordedBuild& build_;
};

/// "gpu:2,license" as a map.
Json pools_of(const std::string& text) {
  Json pools = Json::object();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::size_t colon = one.find(':');
    pools[one.substr(0, colon)] = colon == std::string::npos ? 1 : std::stoi(one.substr(colon + 1));
    at = end + 1;
  }
  return pools;
}

std::string first_unsupported(const Json& body) {
  for (const Json& op : body) {
    const std::string kind = op.at("op");
    constexpr std::array<const char*, 5> kKnown{"step", "hold", "pause", "static", "plan"};
    if (std::ranges::find(kKnown, kind) == kKnown.end()) return kind;
    if (op.value("optional", false)) return "optional";
    if (kind == "plan" && op.contains("inputs") && !op.at("inputs").empty()) return "a sub-plan with inputs";
    if (op.contains("body")) {
      if (const std::string found = first_unsupported(op.at("body")); !found.empty()) return found;
    }
  }
  return "";
}

}  // namespace

std::string not_simulated_yet(const RecordedBuild& build) {
  if (build.index > 0) return "a rebuild";
  if (!build.targets.empty()) return "targets";
  if (const std::string found = first_unsupported(build.plan); !found.empty()) return found;
  for (std::size_t i = 0; i < build.flags.size(); ++i) {
    const std::string& flag = build.flags[i];
    if (flag == "--resources" || flag == "-r") {
      ++i;
      continue;
    }
    // What is not recorded matters to the next build only.
    if (flag != "--keep-going" && flag != "-k" && flag != "--no-duration") return "the option " + flag;
  }
  return "";
}

std::string workload_text(const RecordedBuild& build) {
  const PlanText text(build);
  Json scheduler = {{"like", "stepup-rc13"}};
  Json cluster = {{"slots", build.slots}};
  for (std::size_t i = 0; i < build.flags.size(); ++i) {
    if (build.flags[i] == "--keep-going" || build.flags[i] == "-k") scheduler["on_failure"] = "continue";
    if ((build.flags[i] == "--resources" || build.flags[i] == "-r") && i + 1 < build.flags.size())
      cluster["pools"] = pools_of(build.flags[i + 1]);
  }
  Json plan = {{"steps", text.list(build.plan)}};
  if (const auto begin = text.startup("plan.py")) plan["startup"] = *begin;
  const Json workflow = {{"workflow", "build"}, {"plan", plan}};
  return Json{{"cluster", cluster}, {"scheduler", scheduler}, {"work", Json::array({workflow})}}.dump(1);
}

Replay simulate_build(const RecordedBuild& build, const std::vector<Override>& overrides, const char* policy) {
  const Workload workload = WorkloadDocument::parse(workload_text(build), build.id + ".yaml").read(overrides);
  TraceCache traces;
  const Work work = realise(workload, 1, 0, traces);
  const RunLog log = simulate(work, workload.scheduler, *find_preset(policy), workload.measure);
  Replay replay;
  for (const Event& event : log.events) {
    if (event.kind != EventKind::kStarted) continue;
    const std::string name = work.stage_name(event.subject);
    replay.dispatched.push_back(name == "plan" ? "plan.py" : name);
  }
  replay.makespan = log.end.in_seconds();
  return replay;
}

}  // namespace headroom::golden
