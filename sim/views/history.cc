#include "sim/views/history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "policies/expression_rule.h"
#include "policies/priority/error.h"
#include "sim/verify/stored_schedule.h"
#include "workloads/diagnostics.h"

namespace headroom::views {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
  throw InputError({Diagnostic{path, 0, 0, message, ""}});
}

TimePoint time_of(double seconds) {
  bool exact = true;
  const verify::Time ns = verify::nanoseconds(seconds, exact);
  return ns == verify::kNever ? TimePoint::never() : TimePoint{ns};
}

/// The rows of one run in one table, a column at a time.
class Rows {
 public:
  Rows(const ResultsReader& reader, std::string table, std::uint64_t run) : reader_(reader), table_(std::move(table)) {
    if (reader.has(table_)) range_ = reader.rows_of_run(table_, run);
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(range_.second - range_.first); }

  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    return values<double>(name, [](auto value) { return static_cast<double>(value); });
  }
  [[nodiscard]] std::vector<std::int64_t> wholes(const std::string& name) const {
    return values<std::int64_t>(name, [](auto value) {
      if constexpr (std::is_floating_point_v<decltype(value)>)
        return std::fabs(value) < 9e18 ? static_cast<std::int64_t>(value) : std::int64_t{0};
      else
        return static_cast<std::int64_t>(value);
    });
  }
  [[nodiscard]] std::vector<TimePoint> times(const std::string& name) const {
    std::vector<TimePoint> out;
    for (const double seconds : numbers(name)) out.push_back(time_of(seconds));
    return out;
  }
  [[nodiscard]] std::vector<std::string> words(const std::string& name) const {
    if (size() == 0) return {};
    const Column column = reader_.column(table_, name, range_.first, range_.second);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column.data)) return *texts;
    std::vector<std::string> out;
    for (const std::int64_t code : wholes(name))
      out.push_back(code >= 0 && static_cast<std::size_t>(code) < column.meanings.size()
                        ? column.meanings[static_cast<std::size_t>(code)]
                        : "");
    return out;
  }

 private:
  template <class Out, class Convert>
  std::vector<Out> values(const std::string& name, Convert convert) const {
    if (size() == 0) return {};
    const Column column = reader_.column(table_, name, range_.first, range_.second);
    std::vector<Out> out;
    out.reserve(size());
    std::visit(
        [&](const auto& data) {
          using Value = typename std::decay_t<decltype(data)>::value_type;
          if constexpr (std::is_arithmetic_v<Value>)
            for (const Value value : data) out.push_back(convert(value));
        },
        column.data);
    out.resize(size());  // a column of texts where numbers should be
    return out;
  }

  const ResultsReader& reader_;
  std::string table_;
  std::pair<std::uint64_t, std::uint64_t> range_{0, 0};
};

/// By the numbers that the tables have: ids of a stored run are its numbers.
class StoredNames final : public RuleContext::Names {
 public:
  using Numbered = std::map<std::uint32_t, std::string>;
  Numbered organizations, accounts, users, workflows;

  [[nodiscard]] std::string organization(OrganizationId id) const override { return at(organizations, id.value); }
  [[nodiscard]] std::string account(AccountId id) const override { return at(accounts, id.value); }
  [[nodiscard]] std::string user(UserId id) const override { return at(users, id.value); }
  [[nodiscard]] std::string workflow(WorkflowId id) const override { return at(workflows, id.value); }

 private:
  static std::string at(const Numbered& names, std::uint32_t number) {
    const auto found = names.find(number);
    return found == names.end() ? "" : found->second;
  }
};

/// Null: the expression does not compile, so that no run can have used it.
std::shared_ptr<const PriorityRule> rule_for(const Rules& rules, const RuleContext& context) {
  for (const Priority priority : {Priority::kNone, Priority::kBases, Priority::kFuzzball})
    if (priority_expression(priority) == rules.expression) return make_priority_rule(priority);
  try {
    Policy policy;
    set_priority_expression(policy, rules.expression, rules.params);
    return make_priority_rule(policy, context);
  } catch (const expr::Error&) {
    return nullptr;
  }
}

/// "cap=24 x=0.5"
std::vector<expr::Param> params_in(const std::string& text) {
  std::vector<expr::Param> params;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t equals = std::min(text.find('=', at), end);
    params.push_back({text.substr(at, equals - at), equals < end ? text.substr(equals + 1, end - equals - 1) : ""});
    at = end + 1;
  }
  return params;
}

template <class Enum>
Enum word_in(std::span<const std::string_view> words, const std::string& word, Enum otherwise) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() ? otherwise : static_cast<Enum>(found - words.begin());
}

class Loader {
 public:
  Loader(const ResultsReader& reader, const std::string& path, std::uint64_t run)
      : reader_(reader), path_(path), run_(run) {}

  History load() {
    h_.run = run_;
    if (Rows(reader_, "workflows", run_).size() == 0)
      refuse(path_, "run " + std::to_string(run_) + " has no stages: it was told not to record them (record.stages)");
    const Rows runs(reader_, "runs", run_);
    h_.policy = runs.words("policy").at(0);
    read_rules();
    read_cluster();
    read_workflows();
    h_.rule = rule_for(h_.rules, context_);
    read_stages();
    read_edges();
    read_events();
    return std::move(h_);
  }

 private:
  [[nodiscard]] Rows rows(const char* table) const { return {reader_, table, run_}; }

  void read_rules() {
    const Rows s = rows("settings");
    if (s.size() != 1) refuse(path_, "the file is of an older version and does not say under which settings it ran");
    Rules& r = h_.rules;
    r.tick = s.times("tick").at(0) - TimePoint::zero();
    r.queue_depth = s.wholes("queue_depth").at(0);
    r.expression = s.words("priority").at(0);
    r.pyss = s.words("simultaneous").at(0) == "pyss";
    r.placement = word_in(placement_words(), s.words("placement").at(0), Placement::kGreedy);
    const std::string ties = s.words("ties").at(0);
    for (std::size_t at = 0; at < ties.size();) {
      const std::size_t end = std::min(ties.find(' ', at), ties.size());
      r.ties.push_back(word_in(tie_words(), ties.substr(at, end - at), Tie::kDeclaration));
      at = end + 1;
    }
    r.params = params_in(s.words("params").at(0));
    context_.start_unix_ns = s.wholes("start").at(0) * 1'000'000'000;
    context_.utc_offset_s = s.wholes("utc_offset").at(0);
  }

  void read_cluster() {
    const Rows classes = rows("node_classes");
    const auto count = classes.wholes("count"), cores = classes.wholes("cores"), memory = classes.wholes("memory"),
               gpus = classes.wholes("gpus");
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (count[c] < 0 || static_cast<std::uint64_t>(count[c]) + h_.cluster.nodes.size() > 1'000'000)
        refuse(path_, "a class of " + std::to_string(count[c]) + " nodes");
      h_.cluster.nodes.insert(h_.cluster.nodes.end(), static_cast<std::size_t>(count[c]),
                              {cores[c], memory[c], gpus[c]});
    }
    const Rows capacity = rows("capacity");
    const auto resource = capacity.words("resource");
    const auto amount = capacity.wholes("amount");
    for (std::size_t i = 0; i < capacity.size(); ++i) {
      if (!resource[i].starts_with("pools.")) continue;
      if (std::ranges::find(h_.pools, resource[i]) != h_.pools.end()) continue;
      h_.pools.push_back(resource[i]);
      h_.cluster.pools.push_back(amount[i]);
    }
  }

  void read_workflows() {
    const Rows w = rows("workflows");
    const auto name = w.words("name"), user = w.words("user"), account = w.words("account"),
               organization = w.words("organization"), state = w.words("state");
    const auto submitted = w.times("submitted_at"), started = w.times("started_at"), finished = w.times("finished_at");
    const auto own = w.wholes("priority"), of_organization = w.wholes("organization_priority"),
               of_account = w.wholes("account_priority"), of_user = w.wholes("user_priority");
    const auto user_number = w.wholes("user"), account_number = w.wholes("account"),
               organization_number = w.wholes("organization");
    const auto names = std::make_shared<StoredNames>();
    const auto number = [](StoredNames::Numbered& list, std::int64_t code, const std::string& word) {
      const auto key = static_cast<std::uint32_t>(code);
      list.try_emplace(key, word);
      return key;
    };
    h_.workflows.resize(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      WorkflowFacts& f = h_.workflows[i];
      f.name = name[i];
      f.user = user[i];
      f.account = account[i];
      f.organization = organization[i];
      f.state = state[i];
      if (f.state != "refused") f.submitted_at = submitted[i];
      f.started_at = started[i];
      f.finished_at = finished[i];
      f.inputs = {f.submitted_at, of_organization[i], of_account[i], of_user[i], own[i]};
      f.inputs.organization_id = {number(names->organizations, organization_number[i], f.organization)};
      f.inputs.account_id = {number(names->accounts, account_number[i], f.account)};
      f.inputs.user_id = {number(names->users, user_number[i], f.user)};
      f.inputs.workflow_id = {static_cast<std::uint32_t>(i)};
      names->workflows.emplace(static_cast<std::uint32_t>(i), f.name);
      see(f.finished_at);
    }
    context_.names = names;
  }

  void read_stages() {
    const Rows s = rows("stages");
    const auto workflow = s.wholes("workflow"), number = s.wholes("stage"), decision = s.wholes("decision"),
               node = s.wholes("node"), cores = s.wholes("cores"), memory = s.wholes("memory"), gpus = s.wholes("gpus"),
               nodes = s.wholes("nodes"), attempt = s.wholes("attempt");
    const auto name = s.words("name"), kind = s.words("kind"), state = s.words("state"), reason = s.words("reason"),
               spread = s.words("spread");
    const auto declared = s.times("declared_at"), eligible = s.times("eligible_at"), started = s.times("started_at"),
               finished = s.times("finished_at"), canceled = s.times("canceled_at");
    const auto estimate = s.numbers("estimate");
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (attempt[i] == 0) {
        if (workflow[i] < 0 || static_cast<std::size_t>(workflow[i]) >= h_.workflows.size())
          refuse(path_, "/stages names workflow " + std::to_string(workflow[i]) + ", which /workflows does not have");
        StageFacts f;
        f.name = name[i];
        f.workflow = static_cast<std::uint32_t>(workflow[i]);
        f.number = number[i];
        f.is_plan = kind[i] == "plan";
        f.declared_at = declared[i];
        f.estimate = std::isfinite(estimate[i]) ? time_of(estimate[i]) - TimePoint::zero() : Duration::infinite();
        f.demand.spread = spread[i] == "yes";
        f.demand.nodes = static_cast<std::int32_t>(std::clamp<std::int64_t>(nodes[i], 1, 1'000'000));
        const std::int64_t parts = f.demand.spread ? 1 : f.demand.nodes;
        f.demand.cores = cores[i] / parts;
        f.demand.memory = memory[i] / parts;
        f.demand.gpus = gpus[i] / parts;
        const auto index = static_cast<std::uint32_t>(h_.stages.size());
        by_number_[f.number] = index;
        WorkflowFacts& owner = h_.workflows[f.workflow];
        owner.stages.push_back(index);
        owner.has_plan |= f.is_plan;
        h_.stages.push_back(std::move(f));
      } else if (h_.stages.empty() || h_.stages.back().number != number[i]) {
        refuse(path_, "/stages: tries of stage " + std::to_string(number[i]) + " do not stand together");
      }
      AttemptFacts a;
      a.eligible_at = eligible[i];
      a.started_at = started[i];
      a.finished_at = finished[i];
      a.decision = decision[i];
      a.node = node[i];
      a.state = state[i];
      a.reason = reason[i];
      h_.stages.back().canceled_at = canceled[i];
      h_.stages.back().attempts.push_back(std::move(a));
      for (const TimePoint at : {eligible[i], started[i], finished[i], canceled[i]}) see(at);
    }
    read_stage_nodes();
    read_requests();
    read_draws_and_gates();
    read_preemptions();
  }

  void read_preemptions() {
    const Rows p = rows("preemptions");
    const auto stage = p.wholes("stage"), attempt = p.wholes("attempt"), preemptor = p.wholes("preemptor");
    for (std::size_t i = 0; i < p.size(); ++i) {
      auto& attempts = h_.stages[index_of(stage[i])].attempts;
      if (attempt[i] < 0 || static_cast<std::size_t>(attempt[i]) >= attempts.size())
        refuse(path_, "/preemptions names a try that /stages does not have");
      attempts[static_cast<std::size_t>(attempt[i])].preemptor = index_of(preemptor[i]);
    }
  }

  void read_draws_and_gates() {
    const Rows d = rows("tie_draws");
    const auto stage = d.wholes("stage"), draw = d.wholes("draw");
    for (std::size_t i = 0; i < d.size(); ++i) h_.stages[index_of(stage[i])].tie_draw = draw[i];
    const Rows g = rows("gates");
    const auto gated = g.wholes("stage");
    const auto from = g.times("from"), to = g.times("to");
    for (std::size_t i = 0; i < g.size(); ++i) h_.stages[index_of(gated[i])].gates.emplace_back(from[i], to[i]);
  }

  void read_stage_nodes() {
    const Rows n = rows("stage_nodes");
    const auto stage = n.wholes("stage"), attempt = n.wholes("attempt"), node = n.wholes("node");
    for (std::size_t i = 0; i < n.size(); ++i) {
      auto& attempts = h_.stages[index_of(stage[i])].attempts;
      if (attempt[i] < 0 || static_cast<std::size_t>(attempt[i]) >= attempts.size())
        refuse(path_, "/stage_nodes names a try that /stages does not have");
      attempts[static_cast<std::size_t>(attempt[i])].nodes.push_back(node[i]);
    }
  }

  void read_requests() {
    const Rows r = rows("requests");
    const auto stage = r.wholes("stage"), amount = r.wholes("amount");
    const auto resource = r.words("resource");
    for (std::size_t i = 0; i < r.size(); ++i) {
      const auto pool = std::ranges::find(h_.pools, resource[i]);
      h_.stages[index_of(stage[i])].demand.pools.emplace_back(
          PoolId{static_cast<std::uint32_t>(pool - h_.pools.begin())}, amount[i]);
    }
  }

  void read_edges() {
    const Rows d = rows("dependencies");
    const auto source = d.wholes("source"), sink = d.wholes("sink");
    for (std::size_t i = 0; i < d.size(); ++i) {
      // What was never declared has no row.
      const auto from = by_number_.find(source[i]), to = by_number_.find(sink[i]);
      if (from == by_number_.end() || to == by_number_.end()) continue;
      h_.stages[from->second].consumers.push_back(to->second);
      h_.stages[to->second].producers.push_back(from->second);
    }
    const Rows held = rows("holds");
    const auto plan = held.wholes("stage");
    const auto begin = held.times("from"), end = held.times("to");
    for (std::size_t i = 0; i < held.size(); ++i) h_.stages[index_of(plan[i])].holds.emplace_back(begin[i], end[i]);
    const auto declarer = rows("stages").wholes("declarer"), number = rows("stages").wholes("stage");
    for (std::size_t i = 0; i < declarer.size(); ++i)
      if (declarer[i] >= 0) h_.stages[index_of(number[i])].declarer = index_of(declarer[i]);
  }

  void read_events() {
    const Rows e = rows("events");
    const auto kind = e.words("kind"), factor = e.words("factor"), actor = e.words("actor"),
               subject = e.words("subject");
    const auto old_number = e.numbers("old"), new_number = e.numbers("new");
    const auto known = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
    const auto at = e.times("time");
    const auto workflow = e.wholes("workflow"), stage = e.wholes("stage"), node = e.wholes("node"),
               new_value = e.wholes("new");
    constexpr const char* kFactors[] = {"workflow", "organization", "account", "user"};
    for (std::size_t i = 0; i < e.size(); ++i) {
      if (kind[i].starts_with("node_")) {
        if (node[i] < 0 || static_cast<std::size_t>(node[i]) >= h_.cluster.nodes.size())
          refuse(path_, "/events names node " + std::to_string(node[i]) + ", which there is not");
        h_.node_events.push_back({at[i], static_cast<std::uint32_t>(node[i]), kind[i], actor[i].empty()});
        see(at[i]);
      }
      ActivityEvent row{
          at[i], kind[i], factor[i], actor[i], subject[i], workflow[i], -1, known(old_number[i]), known(new_number[i])};
      if (stage[i] >= 0) row.stage = index_of(stage[i]);
      if (row.workflow >= static_cast<std::int64_t>(h_.workflows.size()))
        refuse(path_, "/events names workflow " + std::to_string(row.workflow) + ", which /workflows does not have");
      h_.activity.push_back(std::move(row));
      if (kind[i] != "priority_updated") continue;
      PriorityEvent event;
      event.at = at[i];
      event.workflow = static_cast<std::uint32_t>(workflow[i]);
      event.stage = index_of(stage[i]);
      event.new_value = new_value[i];
      while (event.factor < 4 && factor[i] != kFactors[event.factor]) ++event.factor;
      if (event.factor == 4 || event.workflow >= h_.workflows.size())
        refuse(path_, "/events: a factor or a workflow that there is not");
      h_.priority_events.push_back(event);
    }
  }

  std::uint32_t index_of(std::int64_t number) {
    const auto found = by_number_.find(number);
    if (found == by_number_.end())
      refuse(path_, "stage " + std::to_string(number) + " is named, but /stages does not have it");
    return found->second;
  }
  void see(TimePoint at) {
    if (!at.is_never()) h_.end = std::max(h_.end, at);
  }

  const ResultsReader& reader_;
  const std::string& path_;
  std::uint64_t run_;
  History h_;
  RuleContext context_;
  std::unordered_map<std::int64_t, std::uint32_t> by_number_;
};

}  // namespace

TimePoint StageFacts::ended_at() const {
  if (!canceled_at.is_never()) return canceled_at;
  const AttemptFacts& last = attempts.back();
  return last.state == "finished" || last.state == "failed" || last.state == "timed_out" || last.state == "canceled"
             ? last.finished_at
             : TimePoint::never();
}

TimePoint History::grid(TimePoint t) const { return rules.tick > Duration{} ? t - Duration{t.ns % rules.tick.ns} : t; }

std::vector<std::pair<TimePoint, TimePoint>> History::holds_above(std::uint32_t stage) const {
  std::vector<std::pair<TimePoint, TimePoint>> found;
  std::size_t steps = 0;
  for (std::int64_t plan = stages[stage].declarer; plan >= 0 && steps++ < stages.size();
       plan = stages[static_cast<std::size_t>(plan)].declarer)
    for (const auto& hold : stages[static_cast<std::size_t>(plan)].holds) found.push_back(hold);
  std::ranges::sort(found);
  return found;
}

History read_history(const ResultsReader& reader, const std::string& path, std::uint64_t run) {
  return Loader(reader, path, run).load();
}

}  // namespace headroom::views
