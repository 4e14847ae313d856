#include "sim/views/explain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "policies/cluster.h"
#include "workloads/diagnostics.h"

namespace headroom::views {
namespace {

__extension__ using Int128 = __int128;

/// A try that holds something.
struct Holder {
  std::uint32_t stage = 0;
  const AttemptFacts* attempt = nullptr;
  std::vector<std::pair<std::uint32_t, std::int64_t>> nodes;  ///< and the cores on each
};

constexpr std::size_t kNodeResources = 3;

std::int64_t& amount_of(NodeCapacity& capacity, std::size_t resource) {
  return resource == 0 ? capacity.cores : resource == 1 ? capacity.memory : capacity.gpus;
}

/// What runs where, as time goes on.
class State {
 public:
  explicit State(const History& h)
      : h_(h), free_(h.cluster.nodes), pools_(h.cluster.pools), failed_(free_.size(), 0), cordoned_(free_.size(), 0) {}

  void start(std::uint32_t stage, const AttemptFacts& attempt) {
    Holder holder{stage, &attempt, {}};
    const Demand& demand = h_.stages[stage].demand;
    std::vector<std::int64_t> nodes = attempt.nodes;
    if (nodes.empty()) nodes.push_back(attempt.node);
    std::int64_t left = demand.cores;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto node = static_cast<std::uint32_t>(nodes[i]);
      // A width that spreads takes what is free, node by node.
      const std::int64_t cores = !demand.spread          ? demand.cores
                                 : i + 1 == nodes.size() ? left
                                                         : std::min(left, free_.at(node).cores);
      left -= cores;
      holder.nodes.emplace_back(node, cores);
    }
    apply(holder, -1);
    running_.emplace(attempt.decision, std::move(holder));
  }
  void end(const AttemptFacts& attempt) {
    const auto found = running_.find(attempt.decision);
    if (found == running_.end()) return;
    apply(found->second, +1);
    running_.erase(found);
  }
  void node_event(const NodeEvent& event) {
    if (event.kind == "node_failed") ++failed_[event.node];
    if (event.kind == "node_repaired") --failed_[event.node];
    if (event.kind == "node_cordoned") ++cordoned_[event.node];
    if (event.kind == "node_uncordoned") cordoned_[event.node] = event.by_itself ? cordoned_[event.node] - 1 : 0;
  }
  [[nodiscard]] bool takes_work(std::size_t node) const { return failed_[node] <= 0 && cordoned_[node] <= 0; }

  /// `closed_too`: nodes that take no work count as well. `relaxed`: a resource that counts as plenty.
  [[nodiscard]] bool fits(const Demand& demand, bool closed_too = false,
                          std::optional<std::size_t> relaxed = {}) const {
    std::vector<NodeCapacity> nodes = free_;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (!closed_too && !takes_work(n)) nodes[n] = {-1, -1, -1};
    Demand wanted = demand;
    if (relaxed && *relaxed < kNodeResources) {
      if (*relaxed == 0) wanted.cores = 0;
      if (*relaxed == 1) wanted.memory = 0;
      if (*relaxed == 2) wanted.gpus = 0;
    }
    if (relaxed && *relaxed >= kNodeResources)
      std::erase_if(wanted.pools, [&](const auto& p) { return p.first.value == *relaxed - kNodeResources; });
    return demand_fits(wanted, nodes, pools_);
  }

  /// The resource that it lacks: the first without which it would fit; else the first that is short by itself.
  [[nodiscard]] std::size_t bottleneck(const Demand& demand) const {
    std::vector<std::size_t> asked;
    if (demand.cores > 0) asked.push_back(0);
    if (demand.memory > 0) asked.push_back(1);
    if (demand.gpus > 0) asked.push_back(2);
    for (const auto& [pool, amount] : demand.pools) asked.push_back(kNodeResources + pool.value);
    for (const std::size_t resource : asked)
      if (fits(demand, false, resource)) return resource;
    for (const std::size_t resource : asked) {
      Demand alone;
      alone.cores = 0;
      alone.nodes = demand.nodes;
      alone.spread = demand.spread && resource == 0;
      if (resource == 0) alone.cores = demand.cores;
      if (resource == 1) alone.memory = demand.memory;
      if (resource == 2) alone.gpus = demand.gpus;
      if (resource >= kNodeResources)
        for (const auto& part : demand.pools)
          if (part.first.value == resource - kNodeResources) alone.pools.push_back(part);
      if (!fits(alone)) return resource;
    }
    return asked.empty() ? 0 : asked.front();
  }

  /// Could the node hold one part of the demand if nothing ran on it?
  [[nodiscard]] bool is_candidate(const Demand& demand, std::size_t node) const {
    return demand.spread || covers(h_.cluster.nodes[node], per_node(demand));
  }
  [[nodiscard]] bool has_closed_candidate(const Demand& demand) const {
    for (std::size_t n = 0; n < free_.size(); ++n)
      if (!takes_work(n) && is_candidate(demand, n)) return true;
    return false;
  }
  /// By start, who holds how much of the resource where the demand could go.
  [[nodiscard]] std::vector<std::pair<const Holder*, std::int64_t>> holders(const Demand& demand,
                                                                            std::size_t resource) const {
    std::vector<std::pair<const Holder*, std::int64_t>> found;
    for (const auto& [decision, holder] : running_) {
      const Demand& its = h_.stages[holder.stage].demand;
      std::int64_t held = 0;
      if (resource >= kNodeResources) {
        for (const auto& [pool, amount] : its.pools)
          if (pool.value == resource - kNodeResources) held += amount;
      } else {
        for (const auto& [node, cores] : holder.nodes) {
          NodeCapacity here{cores, its.memory, its.gpus};
          if (takes_work(node) && is_candidate(demand, node)) held += amount_of(here, resource);
        }
      }
      if (held > 0) found.emplace_back(&holder, held);
    }
    return found;
  }
  [[nodiscard]] std::string resource_name(std::size_t resource) const {
    constexpr const char* kNames[] = {"cores", "memory", "gpus"};
    if (resource < kNodeResources) return kNames[resource];
    return resource - kNodeResources < h_.pools.size() ? h_.pools[resource - kNodeResources] : "undefined";
  }

 private:
  void apply(const Holder& holder, std::int64_t sign) {
    const Demand& demand = h_.stages[holder.stage].demand;
    for (const auto& [node, cores] : holder.nodes) {
      NodeCapacity& free = free_.at(node);
      free.cores += sign * cores;
      free.memory += sign * demand.memory;
      free.gpus += sign * demand.gpus;
    }
    for (const auto& [pool, amount] : demand.pools)
      if (pool.value < pools_.size()) pools_[pool.value] += sign * amount;
  }

  const History& h_;
  std::vector<NodeCapacity> free_;
  std::vector<std::int64_t> pools_;
  std::vector<int> failed_, cordoned_;
  std::map<std::int64_t, Holder> running_;  ///< by decision: in order of their starts
};

class Explainer {
 public:
  Explainer(const History& history, const std::string& path, std::uint32_t stage)
      : h_(history), path_(path), s_(stage), order_(history) {
    if (const std::string why = order_.why_not(); !why.empty()) refuse("why it waited cannot be told: " + why);
  }

  Explanation run() {
    const StageFacts& of = h_.stages[s_];
    out_.stage = s_;
    out_.from = TimePoint::never();
    for (const AttemptFacts& attempt : of.attempts) {
      if (attempt.eligible_at.is_never()) continue;
      TimePoint until = std::min(attempt.started_at, of.canceled_at);
      if (until.is_never()) {
        until = std::max(h_.end, attempt.eligible_at);
        out_.still_waits = true;
      }
      out_.from = std::min(out_.from, attempt.eligible_at);
      out_.to = std::max(out_.to, until);
      explain_wait_but_for_gates(attempt.eligible_at, until);
    }
    before();
    out_.held += gated_;
    finish();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw InputError({Diagnostic{path_, 0, 0, message, ""}});
  }

  // ---- before it was eligible

  void before() {
    const StageFacts& of = h_.stages[s_];
    const TimePoint submitted = h_.workflows[of.workflow].submitted_at;
    TimePoint eligible = of.attempts.front().eligible_at;
    if (eligible.is_never()) {
      eligible = std::min(of.canceled_at, std::max(h_.end, submitted));
      out_.from = out_.to = eligible;
    }
    TimePoint ready = of.declared_at;
    for (const std::uint32_t producer : of.producers) ready = std::max(ready, h_.stages[producer].ended_at());
    const std::vector<std::pair<TimePoint, TimePoint>> holds = h_.holds_above(s_);
    TimePoint seen = ready;
    for (const auto& [from, to] : holds) {
      const TimePoint a = std::max(seen, from), b = std::min(eligible, to);
      if (a >= b) continue;
      out_.held += b - a;
      seen = b;
    }
    out_.blocked = (eligible - submitted) - out_.held;
  }

  // ---- one wait

  struct Change {
    TimePoint at;
    int order = 0;  ///< 0: an end, 1: a node, 2: a start
    std::uint32_t stage = 0;
    const AttemptFacts* attempt = nullptr;
    const NodeEvent* node = nullptr;
  };

  std::vector<Change> changes_until(TimePoint until) const {
    std::vector<Change> changes;
    for (std::uint32_t stage = 0; stage < h_.stages.size(); ++stage)
      for (const AttemptFacts& attempt : h_.stages[stage].attempts) {
        // What took no time never held anything.
        if (attempt.started_at >= until || attempt.started_at == attempt.finished_at) continue;
        changes.push_back({attempt.started_at, 2, stage, &attempt, nullptr});
        if (attempt.finished_at < until) changes.push_back({attempt.finished_at, 0, stage, &attempt, nullptr});
      }
    for (const NodeEvent& event : h_.node_events)
      if (event.at < until) changes.push_back({event.at, 1, 0, nullptr, &event});
    std::ranges::stable_sort(changes, [](const Change& a, const Change& b) {
      if (a.at != b.at) return a.at < b.at;
      if (a.order != b.order) return a.order < b.order;
      return a.order == 2 && a.attempt->decision < b.attempt->decision;
    });
    return changes;
  }

  /// While a hold gates it, it is held again and does not wait.
  void explain_wait_but_for_gates(TimePoint from, TimePoint until) {
    for (const auto& [gated_at, to] : h_.stages[s_].gates) {
      if (to <= from || gated_at >= until) continue;
      explain_wait(from, gated_at);
      gated_ += std::min(to, until) - std::max(from, gated_at);
      from = to;
    }
    explain_wait(from, until);
  }

  void explain_wait(TimePoint from, TimePoint until) {
    if (from >= until) return;
    out_.wait += until - from;
    const std::vector<Change> changes = changes_until(until);
    State state(h_);
    std::size_t next = 0;
    const auto advance = [&](TimePoint to) {
      for (; next < changes.size() && changes[next].at <= to; ++next) {
        const Change& change = changes[next];
        if (change.order == 0) state.end(*change.attempt);
        if (change.order == 1) state.node_event(*change.node);
        if (change.order == 2) state.start(change.stage, *change.attempt);
      }
    };
    advance(from);
    eligible_ = from;
    bool considered = false;  // it fitted already when the last pass was over
    for (TimePoint now = from; now < until;) {
      const bool fits = state.fits(h_.stages[s_].demand);
      const bool on_grid = h_.grid(now) == now;
      if (on_grid || !fits) considered = fits && on_grid;
      TimePoint end = next < changes.size() ? std::min(until, changes[next].at) : until;
      if (!on_grid) end = std::min(end, saturating_add(h_.grid(now), h_.rules.tick));
      if (fits) end = std::min(end, next_pass(now));  // which may find another queue
      explain_instant(state, now, end, fits, considered);
      now = end;
      advance(now);
    }
  }

  void explain_instant(const State& state, TimePoint now, TimePoint end, bool fits, bool considered) {
    const Demand& demand = h_.stages[s_].demand;
    const Duration length = end - now;
    if (fits && !considered) return add("waiting_for_pass", length);
    if (fits) return explain_passed_by(now, length);
    if (state.fits(demand, true)) return add("node_down", length);
    const std::size_t resource = state.bottleneck(demand);
    const auto holders = state.holders(demand, resource);
    const std::string name = state.resource_name(resource);
    if (holders.empty()) return add(state.has_closed_candidate(demand) ? "node_down" : "too_large:" + name, length);
    Int128 total = 0, before = 0;
    for (const auto& [holder, amount] : holders) total += amount;
    Duration given;
    for (const auto& [holder, amount] : holders) {
      before += amount;
      const Duration upto{static_cast<std::int64_t>(before * length.ns / total)};
      add(why_ahead(*holder, name), upto - given, h_.stages[holder->stage].workflow);
      given = upto;
    }
  }

  /// It fits, and the last pass left it: not looked at, or in the way of a promise.
  void explain_passed_by(TimePoint now, Duration length) {
    const TimePoint pass = last_pass(now);
    const std::vector<std::uint32_t>& queue = queue_at(pass);
    const auto place = std::ranges::find(queue, s_);
    const auto position = static_cast<std::int64_t>(place - queue.begin()) + 1;
    if (h_.rules.queue_depth > 0 && position > h_.rules.queue_depth) return add("queue_depth", length);
    if (h_.rules.placement == Placement::kGreedy)
      refuse("stage '" + h_.stages[s_].name + "' fits at " + std::to_string(now.ns) +
             " ns and was not started: the tables contradict the rules");
    for (const std::uint32_t ahead : queue)
      if (waits_after(h_.stages[ahead], now) && ahead != s_)
        return add("reservation", length, h_.stages[ahead].workflow);
    refuse("stage '" + h_.stages[s_].name + "' waits for a promise that nobody has");
  }
  static bool waits_after(const StageFacts& stage, TimePoint t) {
    if (stage.canceled_at <= t || is_gated_at(stage, t)) return false;
    return std::ranges::any_of(stage.attempts, [&](const AttemptFacts& attempt) {
      return attempt.eligible_at <= t && attempt.started_at > t;
    });
  }

  // A pass comes at the grid instant that follows a change.
  TimePoint last_pass(TimePoint now) {
    find_passes();
    const auto after = passes_.upper_bound(now);
    return after == passes_.begin() ? now : *std::prev(after);
  }
  TimePoint next_pass(TimePoint now) {
    find_passes();
    const auto after = passes_.upper_bound(now);
    return after == passes_.end() ? TimePoint::never() : *after;
  }
  void find_passes() {
    if (passes_.empty()) {
      const auto note = [&](TimePoint at) {
        if (at.is_never()) return;
        const TimePoint grid = h_.grid(at);
        passes_.insert(grid == at ? at : saturating_add(grid, h_.rules.tick));
      };
      for (const StageFacts& stage : h_.stages) {
        note(stage.declared_at);
        note(stage.canceled_at);
        for (const AttemptFacts& attempt : stage.attempts) note(attempt.finished_at);
      }
      for (const WorkflowFacts& workflow : h_.workflows) note(workflow.submitted_at);
      for (const PriorityEvent& event : h_.priority_events) note(event.at);
      for (const NodeEvent& event : h_.node_events) note(event.at);
    }
  }
  const std::vector<std::uint32_t>& queue_at(TimePoint pass) {
    if (!queue_of_ || *queue_of_ != pass) {
      queue_ = order_.queue(pass);
      queue_of_ = pass;
    }
    return queue_;
  }

  // ---- why a holder was ahead

  std::string why_ahead(const Holder& holder, const std::string& resource) {
    const auto [at, is_new] = labels_.try_emplace({holder.attempt->decision, eligible_}, "");
    if (is_new) at->second = label(holder);
    return at->second == kFitted ? kFitted + (":" + resource) : at->second;
  }
  std::string label(const Holder& holder) const {
    const TimePoint at = holder.attempt->started_at;
    if (at < eligible_) return "already_running";
    const Order::Key own = order_.key(s_, at), its = order_.key(holder.stage, at);
    if (own < its) return kFitted;
    const PriorityInputs &own_first = h_.workflows[h_.stages[s_].workflow].inputs,
                         &its_first = h_.workflows[h_.stages[holder.stage].workflow].inputs;
    if (order_.key(s_, at, &own_first) < order_.key(holder.stage, at, &its_first)) return "priority_change";
    if (its.priority != own.priority) {
      PriorityInputs own_now = order_.inputs(s_, at), its_now = order_.inputs(holder.stage, at);
      own_now.created_at = its_now.created_at = at;
      return order_.value(holder.stage, at, &its_now) > order_.value(s_, at, &own_now) ? "higher_base" : "older";
    }
    if (its.kind != own.kind) return "plan_first";
    for (std::size_t i = 0; i < own.ties.size(); ++i) {
      if (own.ties[i] == its.ties[i]) continue;
      const Tie tie = h_.rules.ties[i];
      if (tie == Tie::kTailTime) return "longer_tail";
      if (tie == Tie::kSubmitTime) return "older";
      return std::string(tie_words()[static_cast<std::size_t>(tie)]);
    }
    return "declaration";
  }

  // ---- sums

  void add(const std::string& cause, Duration time, std::optional<std::uint32_t> by = {}) {
    if (time <= Duration{}) return;
    auto& [sum, shares] = sums_[cause];
    sum += time;
    if (by) shares[*by] += time;
  }
  void finish() {
    for (const auto& [cause, sum] : sums_) {
      Cause made{cause, sum.first, {}};
      for (const auto& [workflow, time] : sum.second) made.by.push_back({workflow, time});
      std::ranges::stable_sort(made.by, [](const Share& a, const Share& b) { return a.time > b.time; });
      out_.causes.push_back(std::move(made));
    }
    std::ranges::stable_sort(out_.causes, [](const Cause& a, const Cause& b) { return a.time > b.time; });
    Duration all;
    for (const Cause& cause : out_.causes) all += cause.time;
    if (all != out_.wait) refuse("the causes do not add up to the wait: a bug, please report it");
  }

  inline static const std::string kFitted = "fitted_when_this_did_not";

  const History& h_;
  const std::string& path_;
  std::uint32_t s_;
  Order order_;
  Explanation out_;
  TimePoint eligible_;
  Duration gated_;
  std::map<std::pair<std::int64_t, TimePoint>, std::string> labels_;
  std::map<std::string, std::pair<Duration, std::map<std::uint32_t, Duration>>> sums_;
  std::set<TimePoint> passes_;
  std::optional<TimePoint> queue_of_;
  std::vector<std::uint32_t> queue_;
};

}  // namespace

Explanation explain(const History& history, const std::string& path, std::uint32_t stage) {
  return Explainer(history, path, stage).run();
}

std::uint32_t first_stage(const History& h, std::uint32_t workflow) {
  const std::vector<std::uint32_t>& stages = h.workflows[workflow].stages;
  return *std::ranges::min_element(stages, {}, [&](std::uint32_t stage) {
    const AttemptFacts& first = h.stages[stage].attempts.front();
    return std::tuple(first.started_at, first.eligible_at, stage);
  });
}

}  // namespace headroom::views
