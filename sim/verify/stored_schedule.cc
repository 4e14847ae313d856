#include "sim/verify/stored_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sim/results/reader.h"
#include "workloads/diagnostics.h"

namespace headroom::verify {
namespace {

constexpr std::uint64_t kRowsAtOnce = 1 << 18;

/// Where each run's rows lie in a table.
struct Offsets {
  std::vector<std::uint64_t> first;  ///< by index of the run; one more for the end
};

/// Some rows of a column, as numbers or words.
class Values {
 public:
  Values() = default;
  explicit Values(Column column) : column_(std::move(column)) {}

  [[nodiscard]] double number(std::size_t i) const {
    return std::visit(
        [&](const auto& values) -> double {
          if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::vector<std::string>>)
            return std::numeric_limits<double>::quiet_NaN();
          else
            return static_cast<double>(values[i]);
        },
        column_.data);
  }
  [[nodiscard]] std::int64_t whole(std::size_t i) const {
    return std::visit(
        [&](const auto& values) -> std::int64_t {
          if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::vector<std::string>>)
            return 0;
          else if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::vector<double>>)
            return std::fabs(values[i]) < 9e18 ? static_cast<std::int64_t>(values[i]) : 0;
          else
            return static_cast<std::int64_t>(values[i]);
        },
        column_.data);
  }
  [[nodiscard]] std::string word(std::size_t i) const {
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column_.data)) return (*texts)[i];
    const std::int64_t code = whole(i);
    return code >= 0 && static_cast<std::size_t>(code) < column_.meanings.size()
               ? column_.meanings[static_cast<std::size_t>(code)]
               : "";
  }
  [[nodiscard]] bool is(std::size_t i, const char* word_wanted) const { return word(i) == word_wanted; }

 private:
  Column column_;
};

State state_of(const std::string& word) {
  if (word == "eligible") return State::kEligible;
  if (word == "running") return State::kRunning;
  if (word == "finished") return State::kFinished;
  if (word == "failed") return State::kFailed;
  if (word == "timed_out") return State::kTimedOut;
  if (word == "preempted") return State::kPreempted;
  return word == "canceled" ? State::kCanceled : State::kBlocked;
}

std::optional<Tie> tie_of(const std::string& word) {
  constexpr std::pair<const char*, Tie> kWords[] = {
      {"tail_time", Tie::kTailTime},     {"declaration", Tie::kDeclaration},
      {"submit_time", Tie::kSubmitTime}, {"shortest", Tie::kShortest},
      {"longest", Tie::kLongest},        {"largest", Tie::kLargest},
      {"smallest", Tie::kSmallest},      {"random", Tie::kRandom}};
  for (const auto& [text, tie] : kWords)
    if (word == text) return tie;
  return std::nullopt;
}

Priority priority_of(const std::string& expression) {
  if (expression == "0") return Priority::kNone;
  const std::string bases = "organization.priority + account.priority + user.priority + workflow.priority";
  if (expression == bases) return Priority::kBases;
  return expression == "(now() - workflow.create_time).Hours() + " + bases ? Priority::kAgeing : Priority::kUnknown;
}

}  // namespace

Time nanoseconds(double seconds, bool& is_exact) {
  if (!std::isfinite(seconds) || seconds > 9e9 || seconds < -1e8) return kNever;
  constexpr double kTellsNanoseconds = 8388608;  // 2^23 s: half of the last place is less than half a nanosecond
  if (std::fabs(seconds) < kTellsNanoseconds) return std::llroundl(static_cast<long double>(seconds) * 1e9L);
  const long long us = std::llroundl(static_cast<long double>(seconds) * 1e6L);
  // What is stored was rounded twice: to a double of nanoseconds, and that of seconds.
  const double off =
      std::fabs(static_cast<double>(static_cast<long double>(us) / 1e6L - static_cast<long double>(seconds)));
  is_exact = is_exact && off <= std::fabs(seconds) * 0x1p-51;
  return us * 1000;
}

struct ScheduleReader::Impl {
  explicit Impl(const std::string& path_of) : path(path_of), reader(path_of), runs(reader.runs()) {
    for (const char* table : {"workflows", "stages", "dependencies", "holds", "settings", "node_classes", "capacity",
                              "stage_nodes", "requests", "events", "preemptions"})
      if (reader.has(table)) offsets[table] = offsets_of(table);
    run_facts.emplace("policy", Values(reader.column("runs", "policy")));
    run_facts.emplace("status", Values(reader.column("runs", "status")));
  }

  [[noreturn]] void refuse(const std::string& message) const {
    throw InputError({Diagnostic{path, 0, 0, message, ""}});
  }

  Offsets offsets_of(const std::string& table) const {
    const Values run(reader.column(table, "run"));
    const std::uint64_t rows = reader.rows(table);
    Offsets out;
    std::uint64_t row = 0;
    for (const std::uint64_t number : runs) {
      out.first.push_back(row);
      while (row < rows && run.whole(row) == static_cast<std::int64_t>(number)) ++row;
    }
    if (row != rows) refuse("the rows of /" + table + " are not in order of the runs");
    out.first.push_back(rows);
    return out;
  }

  [[nodiscard]] std::uint64_t first(const char* table, std::size_t index) const {
    const auto found = offsets.find(table);
    return found == offsets.end() ? 0 : found->second.first[index];
  }

  /// Rows of the runs [batch_begin, batch_end).
  const Values& column(const std::string& table, const std::string& name) {
    const auto [found, is_new] = batch.try_emplace(table + "/" + name);
    if (is_new)
      found->second =
          Values(reader.column(table, name, first(table.c_str(), batch_begin), first(table.c_str(), batch_end)));
    return found->second;
  }

  void open_batch() {
    batch.clear();
    batch_begin = batch_end = next;
    do {
      ++batch_end;
    } while (batch_end < runs.size() && first("stages", batch_end + 1) - first("stages", batch_begin) <= kRowsAtOnce &&
             batch_end - batch_begin < 4096);
  }

  /// Rows of the run in the batch.
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  [[nodiscard]] Range rows(const char* table) const {
    const std::uint64_t base = first(table, batch_begin);
    return {first(table, next) - base, first(table, next + 1) - base};
  }

  std::string why_not() const {
    const std::string status = run_facts.at("status").word(next);
    if (status == "failed" || status == "interrupted")
      return "the run " + (status == "failed" ? status : "was " + status);
    if (!offsets.contains("stages") || first("workflows", next) == first("workflows", next + 1))
      return "its stages were not recorded (record.stages)";
    if (!offsets.contains("settings"))
      return "the file is of an older version and does not say under which settings it ran";
    return "";
  }

  /// What was done to priorities while it ran. What else was done and matters to a schedule comes as the answer.
  std::string read_changes(Schedule& s, bool& exact) {
    const Range of = rows("events");
    if (of.begin == of.end) return "";
    const Values &kind = column("events", "kind"), &time = column("events", "time"),
                 &workflow = column("events", "workflow"), &factor = column("events", "factor"),
                 &old_value = column("events", "old"), &new_value = column("events", "new");
    // Each stage has a row of its own, and one instant may have several changes: the first old value, the last new one.
    std::map<std::tuple<Time, std::int64_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> changes;
    for (std::size_t i = of.begin; i < of.end; ++i) {
      if (kind.is(i, "owner_added") || kind.is(i, "owner_removed")) continue;
      if (!kind.is(i, "priority_updated"))
        return "nodes were changed or workflows stopped while it ran, which this checker does not follow";
      const std::int64_t of_workflow = workflow.whole(i);
      if (of_workflow < 0 || static_cast<std::size_t>(of_workflow) >= s.workflows.size())
        refuse("/events names workflow " + std::to_string(of_workflow) + ", which /workflows does not have");
      const auto [at, is_new] = changes.try_emplace({nanoseconds(time.number(i), exact), of_workflow, factor.whole(i)},
                                                    std::pair(old_value.whole(i), std::int64_t{0}));
      at->second.second = new_value.whole(i);
    }
    std::map<std::uint32_t, std::int64_t> bases;
    for (const auto& [key, values] : changes) {
      const auto changed = static_cast<std::uint32_t>(std::get<1>(key));
      std::int64_t& base = bases.try_emplace(changed, s.workflows[changed].base).first->second;
      base += values.second - values.first;
      s.base_changes.push_back({std::get<0>(key), changed, base});
    }
    return "";
  }

  void read_displacements(Schedule& s) {
    const Range of = rows("preemptions");
    if (of.begin == of.end) return;
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> row_of;
    for (std::uint32_t row = 0; row < s.attempts.size(); ++row)
      row_of.emplace(std::pair(s.attempts[row].stage, s.attempts[row].number), row);
    for (std::size_t i = of.begin; i < of.end; ++i) {
      const auto row =
          row_of.find({column("preemptions", "stage").whole(i), column("preemptions", "attempt").whole(i)});
      if (row == row_of.end()) refuse("/preemptions names a try that /stages does not have");
      s.displacements.push_back({row->second, static_cast<std::uint32_t>(column("preemptions", "preemptor").whole(i))});
    }
  }

  void read_rules(Schedule& s) {
    const std::size_t i = rows("settings").begin;
    const auto of = [&](const char* name) -> const Values& { return column("settings", name); };
    Rules& r = s.rules;
    bool exact = true;
    r.tick = nanoseconds(of("tick").number(i), exact);
    r.queue_depth = of("queue_depth").whole(i);
    r.pyss = of("simultaneous").is(i, "pyss");
    r.gates_descendants = of("hold_scope").is(i, "declarer");
    r.releases_all = of("hold_release").is(i, "ideal");
    r.give_up = nanoseconds(of("give_up").number(i), exact);
    r.is_cut = !std::isnan(of("measure_from").number(i)) || !std::isnan(of("measure_to").number(i));
    r.priority = priority_of(of("priority").word(i));
    const std::string placement = of("placement").word(i);
    r.placement = placement == "greedy"         ? Placement::kGreedy
                  : placement == "strict"       ? Placement::kStrict
                  : placement == "easy"         ? Placement::kEasy
                  : placement == "conservative" ? Placement::kConservative
                                                : Placement::kUnknown;
    r.shortest_backfill = of("backfill").is(i, "shortest");
    r.is_preemptive = !of("preemption").is(i, "off");
    r.suspends = of("preemption").is(i, "suspend");
    r.preemption_grace = nanoseconds(of("preemption_grace").number(i), exact);
    const std::string ties = of("ties").word(i);
    for (std::size_t at = 0; at < ties.size();) {
      const std::size_t end = std::min(ties.find(' ', at), ties.size());
      const std::string word = ties.substr(at, end - at);
      if (const auto tie = tie_of(word)) {
        r.ties.push_back(*tie);
      } else {
        r.unknown.push_back("the tie '" + word + "' is unknown here");
      }
      at = end + 1;
    }
    s.is_finished = run_facts.at("status").word(next) == "finished";
    if (!exact) refuse("run " + std::to_string(runs[next]) + ": its settings are not whole microseconds");
  }

  void read_cluster(Schedule& s, std::map<std::string, std::uint32_t>& pools) {
    const Range classes = rows("node_classes");
    for (std::size_t i = classes.begin; i < classes.end; ++i) {
      const std::int64_t count = column("node_classes", "count").whole(i);
      if (count < 0 || static_cast<std::uint64_t>(count) + s.nodes.size() > 1'000'000)
        refuse("a class of " + std::to_string(count) + " nodes");
      s.nodes.insert(s.nodes.end(), static_cast<std::size_t>(count),
                     {column("node_classes", "cores").whole(i), column("node_classes", "memory").whole(i),
                      column("node_classes", "gpus").whole(i)});
    }
    const Range capacity = rows("capacity");
    for (std::size_t i = capacity.begin; i < capacity.end; ++i) {
      const std::string resource = column("capacity", "resource").word(i);
      if (!resource.starts_with("pools.")) continue;
      pools.emplace(resource, static_cast<std::uint32_t>(s.pools.size()));
      s.pools.push_back(column("capacity", "amount").whole(i));
    }
  }

  void read_workflows(Schedule& s, bool& exact) {
    const Range of = rows("workflows");
    for (std::size_t i = of.begin; i < of.end; ++i) {
      if (column("workflows", "workflow").whole(i) != static_cast<std::int64_t>(s.workflows.size()))
        refuse("run " + std::to_string(runs[next]) + ": workflow " + std::to_string(s.workflows.size()) +
               " has no row in its place in /workflows");
      Workflow w;
      w.submitted = nanoseconds(column("workflows", "submitted_at").number(i), exact);
      if (column("workflows", "state").is(i, "refused")) w.submitted = kNever;  // nothing of it is there
      w.started = nanoseconds(column("workflows", "started_at").number(i), exact);
      w.base = column("workflows", "base_priority").whole(i);
      w.stages =
          static_cast<std::uint32_t>(std::clamp<std::int64_t>(column("workflows", "stages").whole(i), 0, 200'000'000));
      s.workflows.push_back(w);
    }
  }

  void read_attempts(Schedule& s, bool& exact) {
    const Range of = rows("stages");
    const auto c = [&](const char* name) -> const Values& { return column("stages", name); };
    const Values &workflow = c("workflow"), &stage = c("stage"), &number = c("attempt"), &kind = c("kind"),
                 &state = c("state"), &declared = c("declared_at"), &eligible = c("eligible_at"),
                 &started = c("started_at"), &finished = c("finished_at"), &run_time = c("run_time"),
                 &estimate = c("estimate"), &tail = c("tail_time"), &walltime = c("walltime"),
                 &priority = c("effective_priority"), &cores = c("cores"), &memory = c("memory"), &gpus = c("gpus"),
                 &nodes = c("nodes"), &spread = c("spread"), &node = c("node"), &declarer = c("declarer"),
                 &decision = c("decision");
    s.attempts.reserve(of.end - of.begin);
    for (std::size_t i = of.begin; i < of.end; ++i) {
      Attempt a;
      a.workflow = static_cast<std::uint32_t>(workflow.whole(i));
      a.stage = static_cast<std::uint32_t>(stage.whole(i));
      a.number = static_cast<std::uint32_t>(number.whole(i));
      a.is_plan = kind.is(i, "plan");
      a.state = state_of(state.word(i));
      a.declared = nanoseconds(declared.number(i), exact);
      a.eligible = nanoseconds(eligible.number(i), exact);
      a.started = nanoseconds(started.number(i), exact);
      a.finished = nanoseconds(finished.number(i), exact);
      a.run_time = nanoseconds(run_time.number(i), exact);
      a.estimate = nanoseconds(estimate.number(i), exact);
      a.tail = nanoseconds(tail.number(i), exact);
      a.walltime = nanoseconds(walltime.number(i), exact);
      a.effective_priority = priority.number(i);
      a.nodes = static_cast<std::int32_t>(nodes.whole(i));
      a.is_spread = spread.is(i, "yes");
      const std::int64_t parts = a.is_spread ? 1 : std::max<std::int64_t>(a.nodes, 1);
      a.amounts = {cores.whole(i) / parts, memory.whole(i) / parts, gpus.whole(i) / parts};
      a.node = static_cast<std::int32_t>(node.whole(i));
      a.declarer = declarer.whole(i);
      a.decision = decision.whole(i);
      s.attempts.push_back(a);
    }
  }

  void read_others(Schedule& s, const std::map<std::string, std::uint32_t>& pools, bool& exact) {
    const Range further = rows("stage_nodes");
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> row_of;
    for (std::uint32_t row = 0; row < s.attempts.size() && further.begin < further.end; ++row)
      if (s.attempts[row].is_spread || s.attempts[row].nodes > 1)
        row_of.emplace(std::pair(s.attempts[row].stage, s.attempts[row].number), row);
    for (std::size_t i = further.begin; i < further.end; ++i) {
      const auto row =
          row_of.find({column("stage_nodes", "stage").whole(i), column("stage_nodes", "attempt").whole(i)});
      if (row == row_of.end()) refuse("/stage_nodes names a try on several nodes that /stages does not have");
      s.further_nodes.emplace_back(row->second, static_cast<std::int32_t>(column("stage_nodes", "node").whole(i)));
    }
    std::ranges::stable_sort(s.further_nodes, {}, [](const auto& f) { return f.first; });
    const Range requests = rows("requests");
    for (std::size_t i = requests.begin; i < requests.end; ++i) {
      const auto pool = pools.find(column("requests", "resource").word(i));
      const std::uint32_t index = pool == pools.end() ? static_cast<std::uint32_t>(s.pools.size()) : pool->second;
      s.pool_requests.push_back({static_cast<std::uint32_t>(column("requests", "stage").whole(i)),
                                 {index, column("requests", "amount").whole(i)}});
    }
    std::ranges::stable_sort(s.pool_requests, {}, [](const auto& r) { return r.first; });
    const Range needs = rows("dependencies");
    for (std::size_t i = needs.begin; i < needs.end; ++i)
      s.dependencies.emplace_back(static_cast<std::uint32_t>(column("dependencies", "source").whole(i)),
                                  static_cast<std::uint32_t>(column("dependencies", "sink").whole(i)));
    const Range held = rows("holds");
    for (std::size_t i = held.begin; i < held.end; ++i)
      s.holds.push_back({static_cast<std::uint32_t>(column("holds", "stage").whole(i)),
                         nanoseconds(column("holds", "from").number(i), exact),
                         nanoseconds(column("holds", "to").number(i), exact)});
  }

  std::string path;
  ResultsReader reader;
  std::vector<std::uint64_t> runs;
  std::map<std::string, Offsets> offsets;
  std::map<std::string, Values> run_facts, batch;
  std::size_t next = 0, batch_begin = 0, batch_end = 0;
};

ScheduleReader::ScheduleReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
ScheduleReader::~ScheduleReader() = default;

bool ScheduleReader::next(StoredSchedule& out) {
  Impl& impl = *impl_;
  out = {};
  if (impl.next == impl.runs.size()) return false;
  out.run = impl.runs[impl.next];
  out.policy = impl.run_facts.at("policy").word(impl.next);
  out.first_row = impl.first("stages", impl.next);
  out.why_not = impl.why_not();
  if (out.why_not.empty()) {
    if (impl.next >= impl.batch_end) impl.open_batch();
    bool exact = true;
    std::map<std::string, std::uint32_t> pools;
    impl.read_rules(out.schedule);
    impl.read_cluster(out.schedule, pools);
    impl.read_workflows(out.schedule, exact);
    impl.read_attempts(out.schedule, exact);
    impl.read_others(out.schedule, pools, exact);
    impl.read_displacements(out.schedule);
    out.why_not = impl.read_changes(out.schedule, exact);
    if (!out.why_not.empty()) out.schedule = {};
    if (!exact) {
      out.why_not = "beyond 97 days the stored times do not tell nanoseconds apart, and its are not whole microseconds";
      out.schedule = {};
    }
  }
  ++impl.next;
  return true;
}

std::string ScheduleReader::name_of(const StoredSchedule& of, std::uint32_t stage) const {
  const auto found = std::ranges::find(of.schedule.attempts, stage, &Attempt::stage);
  if (found == of.schedule.attempts.end()) return "stage " + std::to_string(stage);
  const std::uint64_t row = of.first_row + static_cast<std::uint64_t>(found - of.schedule.attempts.begin());
  const std::string name = Values(impl_->reader.column("stages", "name", row, row + 1)).word(0);
  const std::uint64_t workflow = impl_->first("workflows", impl_->next - 1) + found->workflow;
  return "stage " + std::to_string(stage) + " '" + name + "' of '" +
         Values(impl_->reader.column("workflows", "name", workflow, workflow + 1)).word(0) + "'";
}

}  // namespace headroom::verify
