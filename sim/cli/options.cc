#include "sim/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <string_view>

#include "sim/cli/build_info.h"
#include "workloads/diagnostics.h"
#include "workloads/scalar_text.h"

namespace headroom::cli {
namespace {

constexpr unsigned kMostJobs = 4096;

/// Commands that the design names and this version has not: refused by name, so that nobody takes silence for support.
struct Later {
  std::string_view name, with;
};
constexpr std::array kLaterCommands = {
    Later{"import", "comes with the other trace formats"},
    Later{"live", "comes with live runs"},
};
constexpr std::array kLaterOptions = {
    Later{"--history", "comes with rebuilds of StepUp builds"},
};
constexpr std::array kCommands = {"run",   "check",  "policies", "eval",    "export", "verify", "describe",
                                  "queue", "events", "audit",    "explain", "merge",  "rerun",  "compare"};

std::string refusal(std::string_view what, std::string_view with) {
  return "'" + std::string(what) + "' is not in this version: it " + std::string(with);
}

/// One command's options: CLI11 finds them, the checks and the wording are ours. Every option is read as a list of
/// texts so that one given twice can be told from one given once.
class Options {
 public:
  Options(const std::string& name, const std::string& about, const std::string& footer) : app_(about, name) {
    app_.allow_extras();
    app_.set_help_flag("-h,--help", "print this help and exit");
    app_.get_formatter()->column_width(30);
    app_.get_formatter()->label("TEXT", "");
    app_.footer(footer);
  }

  void value(const std::string& names, const std::string& label, const std::string& help) {
    auto& found = values_[long_name(names)];
    app_.add_option(names, found, help)->type_name(label)->expected(1)->allow_extra_args(false)->take_all();
  }
  void flag(const std::string& names, const std::string& help) { app_.add_flag(names, flags_[long_name(names)], help); }
  /// What does not begin with a dash; named so in the help.
  void positional(const std::string& label, const std::string& help, bool several = false) {
    several_ = several;
    const int most = several ? CLI::detail::expected_max_vector_size : 1;
    app_.add_option(label, positionals_, help)->type_name("")->take_all()->expected(0, most);
  }
  void refuse(std::string_view name) {
    auto& found = values_[std::string(name)];
    app_.add_option(std::string(name), found)->group("")->expected(0, 1)->take_all();
    refused_.push_back(std::string(name));
  }

  /// False: help was asked for.
  bool parse(std::vector<std::string> arguments) {
    check_unknown(arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      return false;
    } catch (const CLI::ParseError& error) {
      throw UsageError(in_our_words(error));
    }
    // CLI11 takes more than an option expects.
    if (!several_ && positionals_.size() > 1)
      throw UsageError("unexpected argument '" + positionals_[1] + "'" + more());
    for (const std::string& extra : app_.remaining()) throw UsageError("unexpected argument '" + extra + "'" + more());
    for (const std::string& name : refused_)
      if (app_.count(name) > 0)
        for (const Later& later : kLaterOptions)
          if (later.name == name) throw UsageError(refusal(name, later.with));
    return true;
  }

  [[nodiscard]] std::string help() const { return app_.help(); }
  [[nodiscard]] bool has(const std::string& name) const { return flags_.at(name); }
  [[nodiscard]] const std::vector<std::string>& all(const std::string& name) const { return values_.at(name); }
  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  /// Empty: not given. Fails where it is given twice or given as an empty text.
  [[nodiscard]] std::optional<std::string> one(const std::string& name) const {
    const auto& found = values_.at(name);
    if (found.empty()) return std::nullopt;
    if (found.size() > 1) throw UsageError("option '" + name + "' is given " + std::to_string(found.size()) + " times");
    if (found.front().empty()) throw UsageError("option '" + name + "' needs a value" + more());
    return found.front();
  }
  template <class Number>
  [[nodiscard]] std::optional<Number> number(const std::string& name, Number least, Number most) const {
    const auto text = one(name);
    if (!text) return std::nullopt;
    Number value{};
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < least || value > most)
      throw UsageError("option '" + name + "' takes a whole number from " + std::to_string(least) +
                       (most == std::numeric_limits<Number>::max() ? " on" : " to " + std::to_string(most)) +
                       ", not '" + *text + "'");
    return value;
  }
  template <class Enum>
  [[nodiscard]] Enum word(const std::string& name, const std::vector<std::string>& words) const {
    const auto text = one(name);
    if (!text) return Enum{};
    const auto found = std::find(words.begin(), words.end(), *text);
    if (found != words.end()) return static_cast<Enum>(found - words.begin());
    std::string list;
    for (const std::string& w : words) list += (list.empty() ? "" : ", ") + w;
    throw UsageError("option '" + name + "' takes one of " + list + ", not '" + *text + "'" +
                     did_you_mean(*text, words));
  }
  [[nodiscard]] std::string more() const { return " (" + app_.get_name() + " --help)"; }

 private:
  static std::string long_name(const std::string& names) {
    const std::size_t at = names.find("--");
    return names.substr(at, names.find(',', at) - at);
  }

  [[nodiscard]] std::vector<std::string> known() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app_.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  /// Before CLI11 sees them, since it would take the value of an unknown option for something else.
  void check_unknown(const std::vector<std::string>& arguments) const {
    const std::vector<std::string> names = known();
    bool is_value = false;
    for (const std::string& argument : arguments) {
      if (std::exchange(is_value, false)) continue;
      if (argument == "--") return;
      if (argument.size() < 2 || argument[0] != '-') continue;
      const bool is_long = argument[1] == '-';
      const std::size_t equals = argument.find('=');
      const std::string name = is_long ? argument.substr(0, equals) : argument.substr(0, 2);
      const CLI::Option* option = app_.get_option_no_throw(name);
      if (option == nullptr) throw UsageError("unknown option '" + name + "'" + did_you_mean(name, names) + more());
      const bool takes_value = option->get_items_expected_min() > 0;
      is_value = takes_value && (is_long ? equals == std::string::npos : argument.size() == 2);
    }
  }

  /// CLI11 says "--out: 1 required FILE missing" and the like.
  [[nodiscard]] std::string in_our_words(const CLI::ParseError& error) const {
    const std::string what = error.what();
    const std::string name = what.substr(0, what.find(':'));
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && name.starts_with('-'))
      return "option '" + name + "' needs a value" + more();
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return "a flag takes no value: " + what + more();
    return what + more();
  }

  CLI::App app_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, bool> flags_;
  std::vector<std::string> positionals_;
  bool several_ = false;
  std::vector<std::string> refused_;
};

std::pair<std::string, std::string> split_set(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("option '--set' takes PATH=VALUE, such as cluster.slots=4, not '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

ShardArgument shard_of(const std::string& text) {
  constexpr std::uint32_t kMostShards = 1'000'000;
  const auto number = [](std::string_view digits) -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::string_view all = text;
  const std::size_t slash = all.find('/');
  const std::string_view first = all.substr(0, slash);
  const auto count = slash == std::string::npos ? std::nullopt : number(all.substr(slash + 1));
  ShardArgument shard{number(first), count.value_or(0)};
  const bool is_said = first == "auto" || (shard.index && *shard.index < shard.count);
  if (!is_said || shard.count == 0 || shard.count > kMostShards)
    throw UsageError("option '--shard' takes I/N with I from 0 to N - 1, or auto/N, not '" + text + "'");
  return shard;
}

constexpr const char* kExamples = R"(Examples:
  sim --workload build.yaml --policy default
  sim -w sweep.yaml -p default,race -j 8 -o out/sweep.h5 --format json
  sim -w KTH-SP2.swf.gz -p fcfs,easy --set scheduler.simultaneous=pyss
  sim -w sweep.yaml -o sweep.h5 --shard 0/2; sim -w sweep.yaml -o sweep.h5 --shard 1/2
  sim merge sweep.h5.shard-*-of-2.part -o sweep.h5

Results go to the HDF5 file, the summary to stdout, everything else to stderr. In JSON a value that is
undefined is null, one that is infinite is the text "Infinity".)";

Command parse_run(const std::vector<std::string>& arguments, const std::string& name) {
  Options options(name, "Run a workload under one or more policies.", kExamples);
  options.value("-w,--workload", "FILE", "a workload, a trace (SWF, WfFormat JSON, .gz), or - for stdin");
  options.value("-p,--policy", "LIST", "presets, policies of the workload, policy files; commas or repeated");
  options.value("-o,--out", "FILE", "HDF5 results (default: the workload's name + .h5, here)");
  options.flag("--force", "overwrite the results file");
  options.flag("--resume", "keep the runs that are already done");
  options.value("--shard", "I/N", "part I (from 0) of N of a sweep, for sim merge; auto/N: I is Slurm's array index");
  options.value("--set", "PATH=VALUE", "override or add one value: cluster.slots=4; repeatable");
  options.value("-j,--jobs", "N", "runs at a time (default: all cores); never changes a result");
  options.value("--seed", "N", "seed of everything random (default: the file's, else 1)");
  options.value("--replications", "N", "runs of each point and policy that differ in the draws only");
  options.value("--format", "KIND", "of the summary: table, json, csv, markdown, quiet");
  options.flag("--dry-run", "check everything, print runs, time and bytes; write nothing");
  options.flag("--strict", "exit 3 where a numbered warning was given (here W01 to W03, W05 to W07, W09)");
  options.value("--progress", "WHEN", "auto, always, never");
  for (const Later& later : kLaterOptions) options.refuse(later.name);
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  if (!options.all("--workload").size())
    throw UsageError("no workload: name one with --workload FILE" + options.more());

  RunArguments run;
  run.workload = *options.one("--workload");
  for (const std::string& list : options.all("--policy"))
    for (std::string& policy : split_policies(list)) run.policies.push_back(std::move(policy));
  run.out = options.one("--out").value_or("");
  for (const std::string& set : options.all("--set")) run.sets.push_back(split_set(set));
  run.jobs = options.number<unsigned>("--jobs", 1, kMostJobs);
  run.seed = options.number<std::uint64_t>("--seed", 0, std::numeric_limits<std::uint64_t>::max());
  run.replications = options.number<std::int64_t>("--replications", 1, std::numeric_limits<std::int64_t>::max());
  if (const auto shard = options.one("--shard")) run.shard = shard_of(*shard);
  run.format = options.word<Format>("--format", {"table", "json", "csv", "markdown", "quiet"});
  run.progress = options.word<ProgressMode>("--progress", {"auto", "always", "never"});
  run.resume = options.has("--resume");
  run.force = options.has("--force");
  run.dry_run = options.has("--dry-run");
  run.strict = options.has("--strict");
  return run;
}

Command parse_check(const std::vector<std::string>& arguments) {
  Options options("sim check", "Validate workloads, policies and traces: all errors of each file at once.",
                  "Example:\n  sim check build.yaml gentle.yaml KTH-SP2.swf.gz");
  options.positional("FILE", "workload, policy or trace files", true);
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  if (options.positionals().empty()) throw UsageError("no file to check" + options.more());
  return CheckArguments{options.positionals()};
}

Command parse_policies(const std::vector<std::string>& arguments) {
  Options options("sim policies",
                  "List the policies; or of one: its parts, how its order is kept and why, and whether newcomers can\n"
                  "overtake without end.",
                  "Examples:\n  sim policies\n  sim policies default\n  sim policies mine --workload build.yaml\n"
                  "  sim policies 'expr:workflow.priority' --workload build.yaml");
  options.positional("NAME", "a preset, a policy of the workload, a policy file, or expr:EXPRESSION");
  options.value("-w,--workload", "FILE", "count its policies, and say for how long each base of it can be overtaken");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  PoliciesArguments out;
  if (!options.positionals().empty()) out.policy = options.positionals().front();
  out.workload = options.one("--workload").value_or("");
  return out;
}

Command parse_eval(const std::vector<std::string>& arguments) {
  Options options(
      "sim eval",
      "Evaluate a priority expression: its value, its type, and the value of each term. Without --env all\n"
      "priorities are 0 and the workflow is an hour old.",
      "Examples:\n  sim eval '(now() - workflow.create_time).Hours() + workflow.priority' --set workflow.priority=-10\n"
      "  sim eval --jsonl --env envs.json < expressions.jsonl");
  options.positional("EXPRESSION", "in Fuzzball's language");
  options.value("--env", "FILE",
                "JSON: {\"now\": ..., \"workflow\": {\"priority\": ...}, ...}, or a list of such with \"env\" names");
  options.value("--set", "PATH=VALUE", "workflow.priority=-10, now=2026-03-10T15:30:00Z, age=12h30m; repeatable");
  options.flag("--jsonl",
               "read lines {\"id\", \"env\", \"expr\"} from stdin, write {\"id\", \"static_type\", \"result\", ...}");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  EvalArguments out;
  out.json_lines = options.has("--jsonl");
  if (!out.json_lines && options.positionals().empty()) throw UsageError("no expression to evaluate" + options.more());
  if (out.json_lines && !options.positionals().empty())
    throw UsageError("with --jsonl, expressions come from stdin" + options.more());
  if (!options.positionals().empty()) out.expression = options.positionals().front();
  out.environment = options.one("--env").value_or("");
  for (const std::string& set : options.all("--set")) out.sets.push_back(split_set(set));
  return out;
}

Command parse_export(const std::vector<std::string>& arguments) {
  Options options(
      "sim export",
      "Write the stages of a run as CSV: Batsim's columns in Batsim's order, then ours, one row an attempt.",
      "Example:\n  sim export build.h5 --to build.csv");
  options.positional("RESULTS", "a results file");
  options.value("--to", "FILE.csv", "what to write; the ending says which kind");
  options.value("--run", "N", "which run, where the file holds several");
  options.flag("--force", "overwrite FILE");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  if (options.positionals().empty()) throw UsageError("no results file to export" + options.more());
  ExportArguments out;
  out.results = options.positionals().front();
  const auto to = options.one("--to");
  if (!to) throw UsageError("export to where? name it with --to FILE.csv" + options.more());
  out.to = *to;
  out.run = options.number<std::uint64_t>("--run", 0, std::numeric_limits<std::uint64_t>::max());
  out.force = options.has("--force");
  return out;
}

Command parse_verify(const std::vector<std::string>& arguments) {
  Options options(
      "sim verify",
      "Check the schedule of every run by itself, with nothing of the scheduler that made it: capacity,\n"
      "precedence, holds, eligibility, run times, order, reservations, idle capacity. Exit status 3 where a\n"
      "rule was broken; what the file does not say enough of is named.",
      "Example:\n  sim verify build.h5");
  options.positional("RESULTS", "a results file, or the FILE.part/ of an unfinished study");
  options.value("--format", "KIND", "table or json");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  if (options.positionals().empty()) throw UsageError("no results file to verify" + options.more());
  VerifyArguments out;
  out.results = options.positionals().front();
  out.json = options.word<Format>("--format", {"table", "json"}) == Format::kJson;
  return out;
}

Command parse_merge(const std::vector<std::string>& arguments) {
  Options options("sim merge",
                  "The shards of a sweep into one file, byte for byte what an unsharded run gives. Refuses shards of\n"
                  "different studies, unfinished ones, and runs that are missing or there twice. The parts are kept.",
                  "Example:\n  sim merge sweep.h5.shard-*-of-2.part -o sweep.h5");
  options.positional("PART...", "the folders that --shard left", true);
  options.value("-o,--out", "FILE", "the results file");
  options.flag("--force", "overwrite FILE");
  options.value("-j,--jobs", "N", "threads (default: all cores); never changes a result");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  MergeArguments out;
  out.parts = options.positionals();
  if (out.parts.empty()) throw UsageError("no part to merge" + options.more());
  const auto file = options.one("--out");
  if (!file) throw UsageError("merge into what? name it with -o FILE" + options.more());
  out.out = *file;
  out.jobs = options.number<unsigned>("--jobs", 1, kMostJobs);
  out.force = options.has("--force");
  return out;
}

Command parse_rerun(const std::vector<std::string>& arguments) {
  Options options("sim rerun",
                  "Run again from what a results file says of itself, and compare: the same bytes, or the first\n"
                  "difference and exit status 3. Nothing is kept.",
                  "Examples:\n  sim rerun sweep.h5\n  sim rerun sweep.h5 --inputs ../traces");
  options.positional("RESULTS", "a results file");
  options.value("--inputs", "FOLDER", "where the workload lay, for the names of traces in it (default: here)");
  options.value("-j,--jobs", "N", "runs at a time (default: all cores)");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  if (options.positionals().empty()) throw UsageError("no results file to run again" + options.more());
  RerunArguments out;
  out.results = options.positionals().front();
  out.inputs = options.one("--inputs").value_or("");
  out.jobs = options.number<unsigned>("--jobs", 1, kMostJobs);
  return out;
}

Command parse_compare(const std::vector<std::string>& arguments) {
  Options options(
      "sim compare",
      "What one value of an axis changes against another: paired differences with 95 % intervals, of one\n"
      "file's policies or points, or of two files. `compare:` in the workload names the primary metric and\n"
      "its margin before the run; only of that there are verdicts.",
      "Examples:\n"
      "  sim compare sweep.h5\n"
      "  sim compare sweep.h5 --by user --baseline default\n"
      "  sim compare before.h5 after.h5 --fail-if 'wait_time_mean > +5%'\n"
      "EXPR is METRIC OP LIMIT: a limit with a sign or a % is a difference to the baseline, over all points.");
  options.positional("RESULTS [RESULTS]", "a results file, or two", true);
  options.value("--by", "AXIS", "policy, an axis of the sweep, file; or who pays: job, user, account");
  options.value("--baseline", "VALUE", "what the others are compared with (default: the first)");
  options.value("--metric", "NAME", "a metric, or one of a class: wait_time_p99(victims); repeatable");
  options.value("--fail-if", "EXPR", "exit status 3 if that is shown of any value; repeatable");
  options.value("--require", "EXPR", "exit status 3 unless that is shown of every value; repeatable");
  options.value("--format", "KIND", "table, markdown or json");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  CompareArguments out;
  out.results = options.positionals();
  if (out.results.empty()) throw UsageError("no results file to compare" + options.more());
  if (out.results.size() > 2) throw UsageError("unexpected argument '" + out.results[2] + "'" + options.more());
  if (out.results.size() == 2 && out.results[0] == out.results[1])
    throw UsageError("'" + out.results[0] + "' is named twice: one file is compared by its policies or points");
  out.by = options.one("--by").value_or("");
  out.baseline = options.one("--baseline").value_or("");
  out.metrics = options.all("--metric");
  out.fail_if = options.all("--fail-if");
  out.require = options.all("--require");
  using Format = CompareArguments::Format;
  out.format = options.word<Format>("--format", {"table", "markdown", "json"});
  return out;
}

using What = ViewArguments::What;

/// What the five views have in common. `names`: how many positionals there may be after the results.
std::optional<PrintArguments> parse_view(Options& options, const std::vector<std::string>& arguments,
                                         std::size_t fewest, std::size_t most, ViewArguments& out) {
  options.value("--run", "N", "which run, where the file holds several");
  options.value("--format", "KIND", "table or json");
  if (!options.parse(arguments)) return PrintArguments{options.help()};
  const std::vector<std::string>& names = options.positionals();
  constexpr const char* kNames[] = {"results file", "workflow", "stage"};
  if (names.size() < fewest) throw UsageError(std::string("no ") + kNames[names.size()] + " is named" + options.more());
  if (names.size() > most) throw UsageError("'" + names[most] + "' is one name too many" + options.more());
  out.results = names[0];
  if (names.size() > 1) out.workflow = names[1];
  if (names.size() > 2) out.stage = names[2];
  out.run = options.number<std::uint64_t>("--run", 0, std::numeric_limits<std::uint64_t>::max());
  out.json = options.word<Format>("--format", {"table", "json"}) == Format::kJson;
  return std::nullopt;
}

Duration time_option(const std::string& text) {
  const Scalar<Duration> time = read_duration(text);
  if (!time.ok()) throw UsageError("option '--at' takes " + time.wanted + ", not '" + text + "'");
  return time.value;
}

Command parse_describe(const std::vector<std::string>& arguments) {
  Options options("sim describe",
                  "The inputs and the effective priority of one stage, as the scheduler used them in its pass at that\n"
                  "time; without --at at the end. The stage may be left out where there is one only.",
                  "Example:\n  sim describe build.h5 urgent solver --at 13min");
  options.positional("RESULTS WORKFLOW [STAGE]", "a results file, a workflow, a stage", true);
  options.value("--at", "T", "time since the start, such as 13min; with a tick, the last multiple of it");
  ViewArguments out;
  out.what = What::kDescribe;
  if (auto help = parse_view(options, arguments, 2, 3, out)) return *help;
  if (const auto at = options.one("--at")) out.at = time_option(*at);
  return out;
}

Command parse_queue(const std::vector<std::string>& arguments) {
  Options options(
      "sim queue",
      "What was queued when the pass at that time began, in the order of the policy. With --mine the rows of\n"
      "one user alone, at their places among all.",
      "Examples:\n  sim queue build.h5 --at 13min\n  sim queue build.h5 --at 13min --as ada --mine");
  options.positional("RESULTS", "a results file");
  options.value("--at", "T", "time since the start, such as 13min; with a tick, the last multiple of it");
  options.value("--as", "USER", "whose view it is");
  options.flag("--mine", "the rows of --as alone");
  ViewArguments out;
  out.what = What::kQueue;
  if (auto help = parse_view(options, arguments, 1, 1, out)) return *help;
  const auto at = options.one("--at");
  if (!at) throw UsageError("the queue at what time? say it with --at 13min" + options.more());
  out.at = time_option(*at);
  out.as = options.one("--as");
  out.mine = options.has("--mine");
  if (out.mine != out.as.has_value()) throw UsageError("'--as USER' and '--mine' go together" + options.more());
  return out;
}

Command parse_events(const std::vector<std::string>& arguments) {
  Options options("sim events", "A workflow's activity log: what happened to it and to its stages, and who did it.",
                  "Example:\n  sim events build.h5 urgent");
  options.positional("RESULTS WORKFLOW", "a results file and a workflow", true);
  options.value("--like", "stepup", "comes with StepUp builds");
  ViewArguments out;
  out.what = What::kEvents;
  if (auto help = parse_view(options, arguments, 2, 2, out)) return *help;
  if (options.one("--like")) throw UsageError(refusal("--like", "comes with StepUp builds"));
  return out;
}

Command parse_audit(const std::vector<std::string>& arguments) {
  Options options("sim audit",
                  "Who changed which priority, what was refused, by which rule and why; then what each was told.",
                  "Example:\n  sim audit build.h5");
  options.positional("RESULTS", "a results file");
  ViewArguments out;
  out.what = What::kAudit;
  if (auto help = parse_view(options, arguments, 1, 1, out)) return *help;
  return out;
}

Command parse_explain(const std::vector<std::string>& arguments) {
  Options options(
      "sim explain",
      "Why a stage waited: all of its wait by cause and by whom, adding up to the nanosecond. Without STAGE\n"
      "the one of the workflow that started first.",
      "Example:\n  sim explain build.h5 urgent");
  options.positional("RESULTS WORKFLOW [STAGE]", "a results file, a workflow, a stage", true);
  ViewArguments out;
  out.what = What::kExplain;
  if (auto help = parse_view(options, arguments, 2, 3, out)) return *help;
  return out;
}

constexpr const char* kOverview = R"(sim: replay work through a real scheduler, on a virtual clock

Usage:
  sim --workload FILE --policy NAME[,NAME...] [options]    run it (the same as sim run ...)
  sim check FILE...                                        validate workloads, policies and traces
  sim policies [NAME|FILE|expr:...] [--workload FILE]      what policies there are, and what one does
  sim eval 'EXPRESSION' [--set PATH=VALUE]                 a priority expression's value, type and terms
  sim export RESULTS --to FILE.csv                         the stages of a run, in Batsim's columns
  sim describe RESULTS WORKFLOW STAGE [--at T]             inputs and effective priority of one stage
  sim queue RESULTS --at T [--as USER --mine]              the queue at an instant
  sim events RESULTS WORKFLOW                              a workflow's activity log
  sim audit RESULTS                                        who changed what; what was refused by which rule
  sim explain RESULTS WORKFLOW [STAGE]                     why it waited, by cause and by whom
  sim compare RESULTS [RESULTS]                            what a policy changes, and how sure that is
  sim merge PART... -o FILE                                shards of a sweep into one file
  sim rerun RESULTS                                        run again: same bytes, or the first difference
  sim verify RESULTS                                       check every schedule independently of the scheduler
  sim COMMAND --help                                       options and an example of each
  sim --version                                            commit and library versions

Exit status: 0 done; 1 a run failed; 2 usage; 3 --strict, --fail-if, --require, verify or rerun said no;
  65 bad input; 66 no such input; 73 cannot create the output; 74 read or write error; 130 interrupted
  (--resume goes on)

)";

std::string overview() {
  const std::string run = std::get<PrintArguments>(parse_run({"--help"}, "sim run")).text;
  return kOverview + run;
}

[[noreturn]] void unknown_command(const std::string& found) {
  for (const Later& later : kLaterCommands)
    if (later.name == found) throw UsageError(refusal("sim " + found, later.with));
  std::vector<std::string> known(kCommands.begin(), kCommands.end());
  for (const Later& later : kLaterCommands) known.emplace_back(later.name);
  std::string hint = did_you_mean(found, known);
  if (hint.empty() && found.find('.') != std::string::npos) hint = "; to run a file: sim --workload " + found;
  throw UsageError("unknown command '" + found + "'" + hint + " (sim --help)");
}

/// Where the policy that begins at `at` ends: at a comma, or npos.
std::size_t end_of_policy(const std::string& list, std::size_t at) {
  if (list.compare(at, 5, "expr:") == 0) return std::string::npos;
  if (at >= list.size() || list[at] != '{') return list.find(',', at);
  // A policy in YAML's flow style: to the comma behind its last brace, texts in quotes left out.
  char quote = 0;
  int depth = 0;
  for (; at < list.size(); ++at) {
    const char c = list[at];
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++at;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      return at;
    }
  }
  return std::string::npos;
}

}  // namespace

std::vector<std::string> split_policies(const std::string& list) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = end_of_policy(list, at);
    std::string name = list.substr(at, end == std::string::npos ? end : end - at);
    if (name.empty()) throw UsageError("option '--policy' has an empty name in '" + list + "' (sim policies)");
    out.push_back(std::move(name));
    if (end == std::string::npos) return out;
    at = end + 1;
  }
}

Command parse_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("nothing to do: sim --workload FILE --policy NAME (sim --help)");
  const std::string& first = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (first == "--help" || first == "-h" || first == "help") return PrintArguments{overview()};
  if (first == "--version") return PrintArguments{version_text()};
  if (first.starts_with('-')) return parse_run(arguments, "sim");
  if (first == "run") return parse_run(rest, "sim run");
  if (first == "check") return parse_check(rest);
  if (first == "policies") return parse_policies(rest);
  if (first == "eval") return parse_eval(rest);
  if (first == "export") return parse_export(rest);
  if (first == "verify") return parse_verify(rest);
  if (first == "describe") return parse_describe(rest);
  if (first == "queue") return parse_queue(rest);
  if (first == "events") return parse_events(rest);
  if (first == "audit") return parse_audit(rest);
  if (first == "explain") return parse_explain(rest);
  if (first == "merge") return parse_merge(rest);
  if (first == "rerun") return parse_rerun(rest);
  if (first == "compare") return parse_compare(rest);
  unknown_command(first);
}

std::string version_text() {
  return std::string("headroom ") + kVersion + "\ncommit    " + build_commit() + "\nbuild     " + kBuild +
         "\nlibraries " + kLibraries + "\n";
}

}  // namespace headroom::cli
