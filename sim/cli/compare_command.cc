// sim compare: what a policy, or any other value of an axis, changes; how sure that is; who pays; and whether a gate is
// passed.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sim/cli/commands.h"
#include "sim/cli/compare_text.h"
#include "sim/cli/text_table.h"
#include "sim/cli/usage_error.h"
#include "sim/compare/gate.h"
#include "sim/results/stored_study.h"
#include "workloads/diagnostics.h"
#include "workloads/yaml_reader.h"

namespace headroom::cli {
namespace {

using compare::Comparison;
using compare::Measured;
using compare::SampledRuns;
using Json = nlohmann::ordered_json;

std::optional<compare::Payer> payer_of(const std::string& by) {
  if (by == "job") return compare::Payer::kJob;
  if (by == "user") return compare::Payer::kUser;
  if (by == "account") return compare::Payer::kAccount;
  return std::nullopt;
}

/// As the file's own workload has it.
std::optional<CompareSpec> stored_spec(const SampledRuns& runs, const std::string& path) {
  if (!runs.reader(0).complete()) return std::nullopt;  // of a study that goes on the workload is not kept yet
  const StoredStudy study = read_stored_study(path);
  if (study.workload_text.empty()) return std::nullopt;
  std::vector<Override> sets;
  for (const std::string& set : study.sets) {
    const std::size_t equals = set.find('=');
    if (equals != std::string::npos) sets.push_back({set.substr(0, equals), set.substr(equals + 1), "--set"});
  }
  return WorkloadDocument::parse(study.workload_text, path).compare(sets);
}

/// What is looked at where nobody said.
constexpr std::string_view kUsual[] = {"makespan",
                                       "wait_time_mean",
                                       "wait_time_p99",
                                       "wait_time_max",
                                       "turnaround_time_mean",
                                       "bounded_slowdown_mean",
                                       "late_fraction",
                                       "passed_over_time_max",
                                       "starved_fraction",
                                       "utilization",
                                       "hold_idle",
                                       "lost_work_time"};

compare::Request request_of(const CompareArguments& arguments, const std::optional<CompareSpec>& spec) {
  compare::Request request;
  request.by = payer_of(arguments.by) ? "" : arguments.by;
  request.baseline = arguments.baseline;
  if (spec) request.usual_baseline = spec->baseline;
  if (spec && !spec->metric.empty()) {
    request.primary = Measured{spec->metric, spec->group};
    request.margin = spec->margin;
    request.margin_is_relative = spec->margin_is_relative;
    request.margin_text = spec->margin_text;
    if (arguments.metrics.empty()) request.metrics.push_back(*request.primary);
  }
  for (const std::string& text : arguments.metrics) {
    const auto what = compare::measured(text);
    if (!what)
      throw UsageError("option '--metric' takes a metric, or one of a class like wait_time_p99(bulk), not '" + text +
                       "'");
    request.metrics.push_back(*what);
  }
  if (arguments.metrics.empty() && !payer_of(arguments.by))
    for (const std::string_view name : kUsual)
      if (std::ranges::find(request.metrics, Measured{std::string(name), ""}) == request.metrics.end())
        request.metrics.push_back({std::string(name), ""});
  return request;
}

/// On one slot with equal service times nobody's order can change the mean wait: said, so that nobody looks for more.
std::optional<std::string> forced_equality(const SampledRuns& runs) {
  const ResultsReader& reader = runs.reader(0);
  for (const char* table : {"node_classes", "stages", "workflows"})
    if (!reader.has(table) || reader.rows(table) == 0) return std::nullopt;
  const auto all_are = [&](const char* table, const char* column, double value) {
    const std::vector<double> numbers = compare::numbers_of(reader.column(table, column));
    return std::ranges::all_of(numbers, [&](double number) { return number == value; });
  };
  const bool one_slot = reader.rows("node_classes") == reader.rows("runs") && all_are("node_classes", "count", 1) &&
                        all_are("node_classes", "cores", 1);
  const bool jobs = reader.rows("stages") == reader.rows("workflows");
  const double service = compare::numbers_of(reader.column("stages", "run_time", 0, 1)).front();
  if (!one_slot || !jobs || !all_are("stages", "run_time", service)) return std::nullopt;
  return "mean wait cannot differ between orders that leave no slot idle: equal service times on one slot";
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json limits(const compare::Interval& interval) {
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return nullptr;
  return Json::array({interval.low, interval.high});
}

Json point_of(const Comparison& c, const std::vector<std::string>& at) {
  if (at.empty() && !c.others.empty()) return nullptr;
  Json point = Json::object();
  for (std::size_t a = 0; a < at.size(); ++a) point[c.others[a]] = at[a];
  return point;
}

Json as_json(const ComparisonReport& report, const CompareArguments& arguments) {
  const Comparison& c = report.comparison;
  Json all = {{"results", arguments.results}, {"by", c.by},         {"baseline", c.baseline},
              {"exact", !c.is_random},        {"points", c.points}, {"replications", c.replications},
              {"unmatched_runs", c.unmatched}};
  all["primary"] = nullptr;
  if (c.primary) {
    Json verdicts = Json::array();
    for (const compare::Shown& shown : c.primary->shown)
      verdicts.push_back({{"value", shown.value},
                          {"verdict", std::string(compare::word(shown.verdict))},
                          {"p", number(shown.finding.p)},
                          {"p_holm", number(shown.p)}});
    all["primary"] = {{"metric", c.primary->what.text()}, {"margin", c.primary->margin_text}, {"verdicts", verdicts}};
  }
  all["rows"] = Json::array();
  for (const compare::MetricRows& rows : c.metrics) {
    const auto add = [&](const compare::Row& row) {
      const compare::Paired& pair = row.pair;
      all["rows"].push_back({{"metric", rows.what.text()},
                             {"unit", rows.unit},
                             {"point", point_of(c, row.at)},
                             {"value", row.value},
                             {"n", pair.n},
                             {"baseline_mean", number(pair.baseline)},
                             {"mean", number(pair.other)},
                             {"difference", number(pair.difference)},
                             {"interval", limits({pair.low, pair.high})},
                             {"standard_error", number(pair.standard_error)},
                             {"correlation", number(pair.correlation)}});
    };
    std::ranges::for_each(rows.points, add);
    if (c.points > 1) std::ranges::for_each(rows.overall, add);
  }
  all["holds"] = Json::array();
  for (const compare::HoldRatios& ratios : report.holds)
    for (const compare::HoldRow& row : ratios.rows)
      all["holds"].push_back({{"honor", ratios.honor},
                              {"ignore", ratios.ignore},
                              {"point", point_of(c, row.at)},
                              {"ratio", row.ratio},
                              {"interval", limits(row.interval)},
                              {"workflows", row.workflows}});
  if (!report.payer.empty()) {
    all["payers"] = Json::array();
    for (const compare::Payers& payers : report.payers)
      for (const compare::Share& share : payers.shares)
        all["payers"].push_back({{"value", payers.value},
                                 {report.payer, share.name},
                                 {"jobs", share.jobs},
                                 {"wait_difference", share.difference_s},
                                 {"interval", limits(share.interval)}});
  }
  all["notes"] = report.notes;
  all["warnings"] = report.warnings;
  return all;
}

std::vector<std::string> notes_of(const SampledRuns& runs, const Comparison& c) {
  std::vector<std::string> notes;
  if (c.unmatched > 0) notes.push_back(std::to_string(c.unmatched) + " runs have no counterpart and are left out");
  if (c.is_random && c.replications < 2)
    notes.emplace_back("one replication: there is no interval; run more (sweep.replications)");
  for (const compare::MetricRows& rows : c.metrics)
    for (const compare::Row& row : rows.overall)
      if (row.pair.correlation <= 0)
        notes.push_back(rows.what.text() + ", " + row.value +
                        ": the pairs do not correlate, so pairing gains nothing there");
  const auto mean_wait = std::ranges::find_if(c.metrics, [](const compare::MetricRows& rows) {
    return rows.what == Measured{"wait_time_mean", ""};
  });
  if (mean_wait != c.metrics.end() && c.by == "policy" && runs.axes().front() != "file")
    if (auto forced = forced_equality(runs)) notes.push_back(*forced);
  return notes;
}

/// The answers go to `err`. True if every gate is passed.
bool gates_pass(const std::vector<compare::Gate>& fail_if, const std::vector<compare::Gate>& require,
                const SampledRuns& runs, const Comparison& c, std::ostream& err) {
  bool pass = true;
  const auto look = [&](const std::vector<compare::Gate>& gates, bool required) {
    for (const compare::Gate& gate : gates) {
      for (const compare::GateAnswer& answer : compare::ask(gate, runs, c)) {
        if (!answer.can_be)
          throw UsageError("'" + gate.text + "': nothing can be shown of " + answer.value +
                           (runs.is_random() && answer.pairs == 1 ? " by one replication; run more (sweep.replications)"
                                                                  : ", it has no such value"));
        if (answer.is_shown != required) {
          pass = false;
          err << "sim: " << (required ? "not shown: " : "shown: ") << printable(gate.text) << ", " << printable(c.by)
              << " " << printable(answer.value) << " beside " << printable(c.baseline) << "\n";
        }
      }
    }
  };
  look(fail_if, false);
  look(require, true);
  return pass;
}

std::vector<compare::Gate> gates_of(const std::vector<std::string>& texts) {
  std::vector<compare::Gate> gates;
  for (const std::string& text : texts) gates.push_back(compare::gate_of(text));
  return gates;
}

ExitStatus compared(const CompareArguments& arguments, const Streams& streams) {
  const std::vector<compare::Gate> fail_if = gates_of(arguments.fail_if), require = gates_of(arguments.require);
  const SampledRuns runs(arguments.results);
  const std::optional<CompareSpec> spec = stored_spec(runs, arguments.results.front());
  const compare::Request request = request_of(arguments, spec);
  ComparisonReport report;
  report.title = runs.title().empty() ? arguments.results.front() : runs.title();
  report.comparison = compare::compare(runs, request);
  const Comparison& c = report.comparison;
  const bool complete = runs.reader(0).complete();
  report.chosen_afterwards = complete && !request.primary;
  if (const auto payer = payer_of(arguments.by)) {
    report.payer = arguments.by;
    report.payers = compare::payers(runs, c, *payer);
  } else {
    report.holds = compare::hold_ratios(runs, c);
  }
  report.notes = notes_of(runs, c);
  if (!complete)
    report.notes.emplace_back("the study is not finished, so what its workload asks is not known: no verdicts");
  report.warnings = runs.warnings();
  if (arguments.format == CompareArguments::Format::kJson)
    streams.out << as_json(report, arguments).dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  else
    write_comparison(streams.out, report, arguments.format == CompareArguments::Format::kMarkdown);
  return gates_pass(fail_if, require, runs, c, streams.err) ? kDone : kSaidNo;
}

}  // namespace

ExitStatus compare_command(const CompareArguments& arguments, const Streams& streams) {
  try {
    return compared(arguments, streams);
  } catch (const InputError& error) {
    // What is wrong with no file is wrong with the command line.
    if (error.diagnostics().empty() || !error.diagnostics().front().file.empty()) throw;
    throw UsageError(error.diagnostics().front().message);
  }
}

}  // namespace headroom::cli
