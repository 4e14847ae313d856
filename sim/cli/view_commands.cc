// sim describe, queue, events, audit, explain: what a stored run says of one stage, of the queue, of a workflow's life,
// of who changed what, and of why somebody waited. As text or as JSON.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "sim/cli/commands.h"
#include "sim/cli/stored_run.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/results/reader.h"
#include "sim/views/activity_log.h"
#include "sim/views/explain.h"
#include "sim/views/views.h"

namespace headroom::cli {
namespace {

using Json = nlohmann::ordered_json;
using views::History;

History open_history(const ViewArguments& arguments) {
  const ResultsReader reader(arguments.results);
  return views::read_history(reader, arguments.results, chosen_run(reader, arguments.results, arguments.run));
}

void print(const Streams& streams, const Json& json) {
  streams.out << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

std::string time_text(TimePoint t) { return format_value(t.in_seconds(), Scale::kTime); }
std::string time_text(Duration d) { return format_value(d.in_seconds(), Scale::kTime); }

/// 19.5, 0.133333333333333: every digit that tells the double apart, as JSON has it.
std::string digits(double value) { return Json(value).dump(); }

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

// ---- describe

ExitStatus describe(const ViewArguments& arguments, const Streams& streams) {
  const History history = open_history(arguments);
  const TimePoint at = arguments.at ? TimePoint::zero() + *arguments.at : history.end;
  const views::Description d = views::describe(history, arguments.results, arguments.workflow, arguments.stage, at);
  if (arguments.json) {
    const Json inputs = {{"organization.priority", d.inputs.organization},
                         {"account.priority", d.inputs.account},
                         {"user.priority", d.inputs.user},
                         {"workflow.priority", d.inputs.workflow},
                         {"workflow.create_time", d.inputs.created_at.in_seconds()}};
    Json json = {{"at", d.at.in_seconds()}, {"workflow", d.workflow}, {"stage", d.stage},
                 {"state", d.state},        {"inputs", inputs},       {"age", d.age.in_seconds()}};
    json["effective_priority"] = d.effective_priority ? Json(*d.effective_priority) : Json();
    print(streams, json);
    return kDone;
  }
  streams.out << "stage '" << printable(d.stage) << "' of workflow '" << printable(d.workflow) << "' at "
              << time_text(d.at) << ": " << d.state << "\n";
  TextTable table;
  table.add_column("", Align::kLeft);
  table.add_column("");
  table.add_row({"organization.priority", std::to_string(d.inputs.organization)});
  table.add_row({"account.priority", std::to_string(d.inputs.account)});
  table.add_row({"user.priority", std::to_string(d.inputs.user)});
  table.add_row({"workflow.priority", std::to_string(d.inputs.workflow)});
  table.add_row({"age", time_text(d.age)});
  if (d.effective_priority) table.add_row({"effective priority", digits(*d.effective_priority)});
  streams.out << table.render(kTerminalWidth, 2);
  if (!d.effective_priority) streams.out << "  it has ended: these are the inputs that it was stamped with last\n";
  return kDone;
}

// ---- queue

ExitStatus queue(const ViewArguments& arguments, const Streams& streams) {
  const History history = open_history(arguments);
  const auto mine = arguments.mine ? arguments.as : std::nullopt;
  const views::QueueAt view = views::queue_at(history, arguments.results, TimePoint::zero() + *arguments.at, mine);
  if (arguments.json) {
    Json rows = Json::array();
    for (const views::QueuePlace& row : view.rows)
      rows.push_back({{"position", row.position},
                      {"workflow", row.workflow},
                      {"stage", row.stage},
                      {"effective_priority", number_or_null(row.effective_priority)}});
    print(streams, {{"at", view.at.in_seconds()}, {"total", view.total}, {"rows", rows}});
    return kDone;
  }
  streams.out << plural(view.total, "stage") << " queued at " << time_text(view.at);
  if (mine) streams.out << ", " << view.rows.size() << " of '" << printable(*mine) << "'";
  streams.out << "\n";
  if (view.rows.empty()) return kDone;
  TextTable table;
  table.add_column("position");
  table.add_column("workflow", Align::kLeft);
  table.add_column("stage", Align::kLeft);
  table.add_column("effective priority");
  for (const views::QueuePlace& row : view.rows)
    table.add_row({std::to_string(row.position), row.workflow, row.stage, digits(row.effective_priority)});
  streams.out << table.render();
  return kDone;
}

// ---- events

ExitStatus events(const ViewArguments& arguments, const Streams& streams) {
  const History history = open_history(arguments);
  const std::uint32_t workflow = views::find_workflow(history, arguments.results, arguments.workflow);
  const std::vector<views::LogLine> log = views::activity_log(history, workflow);
  const auto stage_name = [&](std::int64_t stage) {
    return stage < 0 ? std::string() : history.stages[static_cast<std::size_t>(stage)].name;
  };
  if (arguments.json) {
    Json rows = Json::array();
    for (const views::LogLine& line : log) {
      Json row = {{"time", line.at.in_seconds()}, {"kind", line.kind}, {"workflow", arguments.workflow}};
      const auto text = [&](const char* key, const std::string& value) {
        row[key] = value.empty() ? Json() : Json(value);
      };
      const auto number = [&](const char* key, const std::optional<double>& value) {
        row[key] = value ? Json(static_cast<std::int64_t>(*value)) : Json();
      };
      text("stage", stage_name(line.stage));
      text("factor", line.factor);
      number("old", line.old_value);
      number("new", line.new_value);
      text("actor", line.actor);
      text("detail", line.detail);
      rows.push_back(std::move(row));
    }
    print(streams, rows);
    return kDone;
  }
  TextTable table(2);
  table.add_column("time");
  table.add_column("event", Align::kLeft);
  table.add_column("stage", Align::kLeft);
  table.add_column("detail", Align::kLeft);
  for (const views::LogLine& line : log) {
    std::string detail = line.detail;
    if (line.old_value && line.new_value)
      detail = line.factor + " " + std::to_string(static_cast<std::int64_t>(*line.old_value)) + " -> " +
               std::to_string(static_cast<std::int64_t>(*line.new_value));
    if (!line.actor.empty()) detail += (detail.empty() ? "by " : ", by ") + line.actor;
    table.add_row({time_text(line.at), line.kind, stage_name(line.stage), detail});
  }
  streams.out << table.render();
  return kDone;
}

// ---- audit

/// A cell of a column, as JSON.
Json cell(const Column& column, std::size_t row) {
  return std::visit(
      [&](const auto& data) -> Json {
        using Value = typename std::decay_t<decltype(data)>::value_type;
        if constexpr (std::is_same_v<Value, std::string>) {
          return data[row];
        } else if constexpr (std::is_same_v<Value, double>) {
          if (std::isnan(data[row])) return nullptr;
          if (column.units == "1" && data[row] == std::floor(data[row]) && std::fabs(data[row]) < 9e15)
            return static_cast<std::int64_t>(data[row]);
          return data[row];
        } else {
          if (column.meanings.empty()) return data[row];
          const auto code = static_cast<std::size_t>(data[row]);
          return code < column.meanings.size() ? Json(column.meanings[code]) : Json();
        }
      },
      column.data);
}

/// Rows of one run as objects keyed by column, the numbers of rows and runs left out.
std::vector<Json> rows_of(const ResultsReader& reader, const std::string& table, std::uint64_t run) {
  if (!reader.has(table)) return {};
  const auto [first, last] = reader.rows_of_run(table, run);
  std::vector<Json> rows(last - first, Json::object());
  for (const std::string& name : reader.columns(table)) {
    if (name == "run" || first == last) continue;
    const Column column = reader.column(table, name, first, last);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i][name] = cell(column, i);
  }
  return rows;
}

std::string text_of(const Json& value) {
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

void print_audit(const std::vector<Json>& audit, std::ostream& out) {
  for (const Json& row : audit) {
    out << format_value(row["time"].get<double>(), Scale::kTime) << "  " << printable(text_of(row["actor"]));
    if (const std::string context = text_of(row["context"]); !context.empty())
      out << " (context " << printable(context) << ")";
    out << ": " << text_of(row["action"]) << " " << printable(text_of(row["target"]));
    if (!row["old"].is_null() || !row["new"].is_null()) {
      out << ", priority ";
      if (!row["old"].is_null()) out << text_of(row["old"]) << " -> ";
      out << text_of(row["new"]);
    }
    const bool applied = row["outcome"] == "applied";
    out << "\n  " << (applied ? row["positive"] == "yes" ? "applied, positive" : "applied" : "REFUSED") << " by rule "
        << text_of(row["rule"]) << ", decided by the " << text_of(row["decided_by"]) << " cluster: ";
    out << wrapped(printable(text_of(row["why"])), 50, 4) << "\n";
  }
}

ExitStatus audit(const ViewArguments& arguments, const Streams& streams) {
  const ResultsReader reader(arguments.results);
  const std::uint64_t run = chosen_run(reader, arguments.results, arguments.run);
  std::vector<Json> rows = rows_of(reader, "audit", run);
  if (arguments.json) {
    print(streams, Json(rows));
    return kDone;
  }
  if (rows.empty()) streams.out << "nobody changed a priority, and nothing was refused\n";
  print_audit(rows, streams.out);
  const std::vector<Json> answers = rows_of(reader, "answers", run);
  if (answers.empty()) return kDone;
  streams.out << "\nwhat they were told\n";
  for (const Json& row : answers)
    streams.out << "  " << format_value(row["time"].get<double>(), Scale::kTime) << "  "
                << printable(text_of(row["actor"])) << ": " << wrapped(printable(text_of(row["text"])), 20, 4) << "\n";
  return kDone;
}

// ---- explain

/// What a cause is, told to somebody who asks.
std::string in_words(const std::string& cause) {
  const std::size_t colon = cause.find(':');
  const std::string word = cause.substr(0, colon);
  const std::string resource = colon == std::string::npos ? "" : cause.substr(colon + 1);
  if (word == "already_running") return "what already ran when it became ready had to end";
  if (word == "higher_base") return "work of higher priority went first";
  if (word == "older") return "work of the same priority or less, submitted earlier, went first";
  if (word == "longer_tail") return "equal in priority, but with more work depending on it, others went first";
  if (word == "declaration") return "equal in everything, others had been declared earlier";
  if (word == "plan_first") return "equal in priority, plans go before other stages";
  if (word == "fitted_when_this_did_not") return "others ranked behind it fitted when it lacked " + resource;
  if (word == "reservation") return "it would have delayed what had been promised to another";
  if (word == "queue_depth") return "the scheduler did not look so far down the queue";
  if (word == "waiting_for_pass") return "the scheduler's next pass had to come";
  if (word == "node_down") return "nodes took no work";
  if (word == "priority_change") return "somebody changed a priority, and others went first";
  if (word == "too_large") return "there is never enough " + resource + " for it";
  return "equal in priority, the policy's tie '" + word + "' put others first";
}

Json explain_json(const History& history, const views::Explanation& e) {
  const views::StageFacts& stage = history.stages[e.stage];
  Json causes = Json::array();
  for (const views::Cause& cause : e.causes) {
    Json by = Json::array();
    for (const views::Share& share : cause.by)
      by.push_back({{"workflow", history.workflows[share.workflow].name}, {"seconds", share.time.in_seconds()}});
    causes.push_back({{"cause", cause.cause}, {"seconds", cause.time.in_seconds()}, {"by", by}});
  }
  return {{"workflow", history.workflows[stage.workflow].name},
          {"stage", stage.name},
          {"wait", e.wait.in_seconds()},
          {"blocked", e.blocked.in_seconds()},
          {"held", e.held.in_seconds()},
          {"still_waiting", e.still_waits},
          {"causes", causes}};
}

std::string names_of(const History& history, const views::Cause& cause) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < cause.by.size() && i < kNamed; ++i)
    text += (i == 0 ? "" : ", ") + history.workflows[cause.by[i].workflow].name + " " + time_text(cause.by[i].time);
  if (cause.by.size() > kNamed) {
    Duration rest;
    for (std::size_t i = kNamed; i < cause.by.size(); ++i) rest += cause.by[i].time;
    text += " and " + std::to_string(cause.by.size() - kNamed) + " more " + time_text(rest);
  }
  return text;
}

void explain_text(const History& history, const views::Explanation& e, std::ostream& out) {
  const views::StageFacts& stage = history.stages[e.stage];
  const views::WorkflowFacts& workflow = history.workflows[stage.workflow];
  out << "workflow '" << printable(workflow.name) << "', stage '" << printable(stage.name) << "', of "
      << printable(workflow.user) << " in account '" << printable(workflow.account) << "'\n";
  out << "submitted at " << time_text(workflow.submitted_at);
  if (e.blocked > Duration{}) out << ", waited for what it needs " << time_text(e.blocked);
  if (e.held > Duration{}) out << ", held by its plan " << time_text(e.held);
  if (stage.attempts.front().eligible_at.is_never()) {
    out << ", and was never ready to start\n";
    return;
  }
  out << ", then queued for " << time_text(e.wait);
  if (e.still_waits) out << ", and it still waits";
  out << (e.causes.empty() ? "\n" : ", because\n");
  for (const views::Cause& cause : e.causes) {
    const double share = cause.time.in_seconds() / e.wait.in_seconds();
    out << "  " << time_text(cause.time) << " (" << format_value(share, Scale::kPercent)
        << "): " << printable(in_words(cause.cause)) << " [" << printable(cause.cause) << "]\n";
    if (!cause.by.empty()) out << "      " << wrapped(printable(names_of(history, cause)), 6, 6) << "\n";
  }
}

ExitStatus explain(const ViewArguments& arguments, const Streams& streams) {
  const History history = open_history(arguments);
  const std::uint32_t workflow = views::find_workflow(history, arguments.results, arguments.workflow);
  const bool whole = arguments.stage.empty() && !history.workflows[workflow].stages.empty();
  const std::uint32_t stage = whole ? views::first_stage(history, workflow)
                                    : views::find_stage(history, arguments.results, workflow, arguments.stage);
  const views::Explanation e = views::explain(history, arguments.results, stage);
  if (arguments.json)
    print(streams, explain_json(history, e));
  else
    explain_text(history, e, streams.out);
  return kDone;
}

}  // namespace

ExitStatus view_command(const ViewArguments& arguments, const Streams& streams) {
  switch (arguments.what) {
    case ViewArguments::What::kDescribe:
      return describe(arguments, streams);
    case ViewArguments::What::kQueue:
      return queue(arguments, streams);
    case ViewArguments::What::kEvents:
      return events(arguments, streams);
    case ViewArguments::What::kAudit:
      return audit(arguments, streams);
    case ViewArguments::What::kExplain:
      break;
  }
  return explain(arguments, streams);
}

}  // namespace headroom::cli
