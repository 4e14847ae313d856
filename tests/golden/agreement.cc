#include "tests/golden/agreement.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headroom::golden {
namespace {

constexpr double kNoise = 0.05;
/// An output counts from its commit, which comes up to this much before the recorded end of the job.
constexpr double kEarlyCommit = 0.06;
/// A plan's end that lets something go is followed by the pick within this.
constexpr double kAtOnce = 0.02;

struct Cause {
  double at = 0;
  std::string process;  ///< the job that ended, or the plan that called
};

class Causes {
 public:
  explicit Causes(const RecordedBuild& build) : build_(build) {
    for (const auto& [name, step] : build.steps)
      for (const std::string& file : step.outputs) makers_[file] = name;
  }

  [[nodiscard]] Cause of(const Pick& pick) const {
    Cause last;
    const RecordedStep& step = build_.steps.at(pick.name);
    for (const Call& call : build_.calls) {
      const bool own = call.event == "declare" && call.name == pick.name;
      const bool release = call.event == "release" && is_above(call.plan, pick.name);
      if ((own || release) && call.at <= pick.picked) consider({call.at, call.plan}, last);
    }
    for (const Pick& job : build_.picks) {
      const bool makes = std::ranges::any_of(step.inputs, [&](const std::string& file) {
        const auto maker = makers_.find(file);
        return maker != makers_.end() && maker->second == job.name;
      });
      if (makes && job.ended <= pick.picked + kEarlyCommit) consider({job.ended, job.name}, last);
      if (job.ended > pick.picked) continue;
      const bool ended_above = is_above(job.name, pick.name) && pick.picked - job.ended < kAtOnce;
      if (ended_above || gave_what_was_short(job, step)) consider({job.ended, job.name}, last);
    }
    return last;
  }

 private:
  static void consider(const Cause& cause, Cause& last) {
    if (cause.at > last.at) last = cause;
  }
  [[nodiscard]] bool is_above(const std::string& plan, const std::string& name) const {
    for (std::string above = build_.steps.at(name).plan; !above.empty(); above = build_.steps.at(above).plan)
      if (above == plan) return true;
    return false;
  }
  /// Its slot, the last one there was, or something of a resource that the step asks for.
  [[nodiscard]] bool gave_what_was_short(const Pick& job, const RecordedStep& step) const {
    const auto running = std::ranges::count_if(
        build_.picks, [&](const Pick& other) { return other.picked < job.ended && other.ended >= job.ended; });
    if (running >= build_.slots) return true;
    const auto& had = build_.steps.at(job.name).resources;
    return std::ranges::any_of(step.resources,
                               [&](const std::string& name) { return std::ranges::find(had, name) != had.end(); });
  }

  const RecordedBuild& build_;
  std::map<std::string, std::string> makers_;
};

bool compete(const Cause& a, const Cause& b) { return a.process != b.process && std::abs(a.at - b.at) < kNoise; }

}  // namespace

Agreement compare(const RecordedBuild& build, const std::vector<std::string>& dispatched) {
  Agreement result;
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < dispatched.size(); ++i) place[dispatched[i]] = i;
  const Causes causes(build);
  std::vector<Cause> cause;
  for (const Pick& pick : build.picks) {
    cause.push_back(causes.of(pick));
    if (!place.contains(pick.name)) result.differences.push_back(pick.name + " was dispatched, the model does not");
  }
  for (const std::string& name : dispatched)
    if (std::ranges::find(build.picks, name, &Pick::name) == build.picks.end())
      result.differences.push_back(name + " was not dispatched, the model does");
  for (std::size_t a = 0; a < build.picks.size(); ++a) {
    for (std::size_t b = a + 1; b < build.picks.size(); ++b) {
      ++result.pairs;
      if (compete(cause[a], cause[b])) continue;
      ++result.compared;
      const auto first = place.find(build.picks[a].name), second = place.find(build.picks[b].name);
      if (first == place.end() || second == place.end() || first->second < second->second) continue;
      result.differences.push_back(build.picks[a].name + " (because of " + cause[a].process + " at " +
                                   std::to_string(cause[a].at) + ") before " + build.picks[b].name + " (" +
                                   cause[b].process + " at " + std::to_string(cause[b].at) +
                                   "); the model has it after");
    }
  }
  return result;
}

}  // namespace headroom::golden
