// sim verify: has a schedule kept the rules that it was made under? What was checked how often, what is wrong, what the
// file does not say enough of.
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/commands.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/verify/stored_schedule.h"
#include "sim/verify/verdict.h"

namespace headroom::cli {
namespace {

using verify::Rule;
using verify::StoredSchedule;
using verify::Verdict;
using verify::Violation;

constexpr std::size_t kShown = 20;  ///< violations of a run in the text

/// A violation and the stage's name.
using Named = std::vector<std::pair<Violation, std::string>>;

Named with_names(const verify::ScheduleReader& reader, const StoredSchedule& of, const Verdict& verdict) {
  Named named;
  for (const Violation& violation : verdict.violations)
    named.emplace_back(violation, reader.name_of(of, violation.stage));
  return named;
}

void write_text(std::ostream& out, const StoredSchedule& of, const Verdict& verdict, const Named& violations) {
  out << "run " << of.run << ", " << printable(of.policy) << ": ";
  if (!of.why_not.empty()) {
    out << "not checked: " << printable(of.why_not) << "\n";
    return;
  }
  if (verdict.total() == 0) {
    out << "ok, " << plural(of.schedule.attempts.size(), "try") << " of "
        << plural(of.schedule.workflows.size(), "workflow") << "\n";
  } else {
    out << plural(verdict.total(), "violation") << "\n";
  }
  out << "  checked";
  for (std::size_t rule = 0; rule < verify::kRules; ++rule)
    out << (rule > 0 ? ", " : " ") << verify::rule_name(static_cast<Rule>(rule)) << " "
        << format_count(verdict.checked[rule]);
  out << "\n";
  for (const std::string& what : verdict.not_checked) out << "  not checked: " << printable(what) << "\n";
  for (std::size_t i = 0; i < violations.size() && i < kShown; ++i) {
    const auto& [violation, name] = violations[i];
    out << "  " << verify::rule_name(violation.rule) << ": " << printable(name);
    if (violation.at != verify::kNever) out << " at " << verify::seconds_text(violation.at);
    out << ": " << printable(violation.text) << "\n";
  }
  if (verdict.total() > kShown) out << "  and " << format_count(verdict.total() - kShown) << " more\n";
}

nlohmann::ordered_json as_json(const StoredSchedule& of, const Verdict& verdict, const Named& violations) {
  nlohmann::ordered_json run = {{"run", of.run}, {"policy", of.policy}};
  run["verdict"] = !of.why_not.empty() ? "not_checked" : verdict.total() == 0 ? "ok" : "violated";
  run["checked"] = nlohmann::ordered_json::object();
  run["violated"] = nlohmann::ordered_json::object();
  run["not_checked"] = nlohmann::ordered_json::array();
  run["violations"] = nlohmann::ordered_json::array();
  if (!of.why_not.empty()) {
    run["not_checked"].push_back(of.why_not);
    return run;
  }
  for (std::size_t rule = 0; rule < verify::kRules; ++rule) {
    const char* name = verify::rule_name(static_cast<Rule>(rule));
    run["checked"][name] = verdict.checked[rule];
    if (verdict.violated[rule] > 0) run["violated"][name] = verdict.violated[rule];
  }
  for (const std::string& what : verdict.not_checked) run["not_checked"].push_back(what);
  for (const auto& [violation, name] : violations) {
    nlohmann::ordered_json at = nullptr;
    if (violation.at != verify::kNever) at = static_cast<double>(violation.at) / 1e9;
    run["violations"].push_back({{"rule", verify::rule_name(violation.rule)},
                                 {"stage", violation.stage},
                                 {"name", name},
                                 {"at", at},
                                 {"text", violation.text}});
  }
  return run;
}

}  // namespace

ExitStatus verify_command(const VerifyArguments& arguments, const Streams& streams) {
  verify::ScheduleReader reader(arguments.results);
  StoredSchedule of;
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  std::uint64_t violations = 0, checked = 0, skipped = 0;
  while (reader.next(of)) {
    Verdict verdict;
    if (of.why_not.empty()) verdict = verify::check(of.schedule);
    const Named named = with_names(reader, of, verdict);
    violations += verdict.total();
    ++(of.why_not.empty() ? checked : skipped);
    if (arguments.json) {
      runs.push_back(as_json(of, verdict, named));
    } else {
      write_text(streams.out, of, verdict, named);
    }
  }
  if (arguments.json) {
    const nlohmann::ordered_json all = {
        {"results", arguments.results}, {"ok", violations == 0}, {"violations", violations}, {"runs", runs}};
    streams.out << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  } else {
    streams.out << plural(checked, "run") << " checked, " << plural(violations, "violation");
    if (skipped > 0) streams.out << "; " << plural(skipped, "run") << " not checked";
    streams.out << "\n";
  }
  return violations == 0 ? kDone : kSaidNo;
}

}  // namespace headroom::cli
