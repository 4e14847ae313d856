#include "tests/golden/recorded_build.h"

#include <algorithm>
#include <fstream>

namespace headroom::golden {
namespace {

using Json = nlohmann::json;

constexpr const char* kRoot = "plan.py";

std::vector<std::string> names(const Json& op, const char* key) {
  const auto found = op.find(key);
  if (found == op.end() || found->is_null()) return {};
  if (found->is_array()) return found->get<std::vector<std::string>>();
  std::vector<std::string> keys;
  for (const auto& [name, value] : found->items()) keys.push_back(name);
  return keys;
}

/// What each plan's process calls, in its order, so that calls of one name can be told apart.
struct Script {
  std::string plan;
  std::vector<std::pair<std::string, std::string>> calls;  ///< event, name
  std::size_t next = 0;
};

class PlanWalk {
 public:
  explicit PlanWalk(RecordedBuild& build) : build_(build) {}

  void walk(const Json& body, const std::string& plan) {
    const std::size_t script = scripts.size();
    scripts.push_back({plan, {{"plan_begin", plan}}, 0});
    walk_list(body, plan, script);
    scripts[script].calls.emplace_back("plan_end", plan);
  }

  std::vector<Script> scripts;

 private:
  void walk_list(const Json& body, const std::string& plan, std::size_t script) {
    const auto call = [&](const char* event, const std::string& name) {
      scripts[script].calls.emplace_back(event, name);
    };
    for (const Json& op : body) {
      const std::string kind = op.at("op");
      if (kind == "step") {
        add(op, plan, false);
        call("declare", op.at("name"));
      } else if (kind == "hold") {
        call("hold", op.at("name"));
        walk_list(op.at("body"), plan, script);
        call("release", op.at("name"));
      } else if (kind == "plan") {
        add(op, plan, true);
        const std::string name = op.at("name");
        call("static", name + "/plan.py");
        call("declare", name);
        walk(op.at("body"), name);
      } else if (kind == "static") {
        std::string all;
        for (const std::string& path : names(op, "paths")) all += (all.empty() ? "" : "+") + path;
        call("static", all);
      }
    }
  }
  void add(const Json& op, const std::string& plan, bool is_plan) {
    build_.steps[op.at("name")] = {plan, is_plan, names(op, "inputs"), names(op, "outputs"), names(op, "resources")};
  }

  RecordedBuild& build_;
};

/// The plan whose next call this is.
std::string caller(std::vector<Script>& scripts, const std::string& event, const std::string& name) {
  for (Script& script : scripts) {
    if (script.next == script.calls.size()) continue;
    const auto& [next_event, next_name] = script.calls[script.next];
    if (next_event != event || next_name != name) continue;
    ++script.next;
    return script.plan;
  }
  return "";
}

void read_observed(const Json& observed, std::vector<Script>& scripts, RecordedBuild& build) {
  build.makespan = observed.at("makespan_s");
  for (const Json& job : observed.at("timeline"))
    if (job.at("kind") == "RUN") build.picks.push_back({job.at("name"), job.at("picked"), job.at("ended")});
  std::vector<Json> calls = observed.at("declarations");
  std::ranges::stable_sort(calls, {}, [](const Json& call) { return call.at("call").get<double>(); });
  for (const Json& call : calls) {
    const std::string event = call.at("event"), name = call.at("name");
    const std::string plan = caller(scripts, event, name);
    const double at = call.at("call");
    if (event == "plan_begin") build.plan_begin[name] = at;
    if (event != "declare" && event != "static" && event != "release") continue;
    if (plan.empty()) throw std::runtime_error("no plan calls " + event + " " + name + " at that point");
    build.calls.push_back({event, name, plan, at});
  }
}

RecordedBuild read_build(const std::string& id, const Json& given) {
  RecordedBuild build;
  build.id = id;
  build.index = given.at("index");
  build.slots = given.at("jobs");
  build.flags = names(given, "flags");
  build.targets = names(given, "targets");
  build.plan = given.at("plan");
  PlanWalk walk(build);
  build.steps[kRoot].is_plan = true;
  walk.walk(build.plan, kRoot);
  try {
    read_observed(given.at("observed"), walk.scripts, build);
  } catch (const std::exception& problem) {
    build.error = problem.what();
  }
  return build;
}

}  // namespace

std::vector<RecordedBuild> read_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<RecordedBuild> builds;
  for (const auto& file : files) {
    std::ifstream in(file);
    const Json document = Json::parse(in);
    if (document.value("format", "") != "stepup-golden-1") continue;
    for (const Json& build : document.at("builds")) builds.push_back(read_build(document.at("id"), build));
  }
  return builds;
}

}  // namespace headroom::golden
