// sim run: plans the study, runs it, prints the summary.
#include <cstdlib>
#include <fstream>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <thread>

#include "sim/cli/aggregate.h"
#include "sim/cli/build_info.h"
#include "sim/cli/commands.h"
#include "sim/cli/dry_run.h"
#include "sim/cli/open_workload.h"
#include "sim/cli/output_file.h"
#include "sim/cli/progress.h"
#include "sim/cli/shard_option.h"
#include "sim/cli/stop_signal.h"
#include "sim/cli/summary_json.h"
#include "sim/cli/summary_table.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/sweep/study.h"

namespace headroom::cli {
namespace {

/// A wrong name on the command line is found before anything is read in earnest, and is a matter of usage.
void check_policies(const std::vector<std::string>& names, const WorkloadDocument& document,
                    const std::vector<Override>& sets) {
  std::set<std::string> seen;
  std::optional<Workload> workload;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) throw UsageError("policy '" + name + "' is given twice");
    if (!name.starts_with("expr:") && find_preset(name) != nullptr) continue;
    if (!workload) workload = document.read(sets);
    static_cast<void>(find_policies(name, &*workload));
  }
}

StudyRequest request_of(const RunArguments& arguments, std::istream& in) {
  StudyRequest request;
  for (const auto& [path, value] : arguments.sets) request.sets.push_back({path, value, "--set"});
  request.document = std::make_shared<const WorkloadDocument>(open_workload(arguments.workload, in));
  check_policies(arguments.policies, *request.document, request.sets);
  request.policies = arguments.policies;
  request.seed = arguments.seed;
  request.replications = arguments.replications;
  return request;
}

unsigned jobs_of(const RunArguments& arguments) {
  return arguments.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

std::string summary_text(const RunArguments& arguments, const Study& study, const StudyResult& result,
                         const std::string& out) {
  switch (arguments.format) {
    case Format::kTable:
      return summary_table(study, result, out);
    case Format::kJson:
      return summary_json(study, result, out);
    case Format::kCsv:
      return summary_csv(study, result);
    case Format::kMarkdown:
      return summary_markdown(study, result);
    case Format::kQuiet:
      break;
  }
  return "";
}

/// A part is not what was asked about: what it is, and how it becomes that.
std::string shard_text(const RunArguments& arguments, const Study& study, const StudyResult& result,
                       const std::string& out, const Shard& shard) {
  const std::string part = shard_output(out, shard) + ".part";
  if (arguments.format == Format::kQuiet) return "";
  if (arguments.format == Format::kJson) {
    nlohmann::ordered_json json;
    json["headroom"] = kVersion;
    json["workload"] = study.workload.name;
    json["part"] = part;
    json["shard"] = shard.index;
    json["shards"] = shard.count;
    json["runs"] = result.runs.size();
    json["runs_of_the_study"] = study.runs.size();
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return "shard " + std::to_string(shard.index) + "/" + std::to_string(shard.count) + " of " +
         printable(study.workload.name) + ": " + format_count(result.runs.size()) + " of " +
         plural(study.runs.size(), "run") + " in '" + printable(part) + "'\n";
}

ExitStatus interrupted(const StudyResult& result, const std::string& out, std::ostream& err) {
  std::size_t kept = 0;
  for (const RunSummary& run : result.runs)
    if (run.failure.empty() && run.report.status != RunStatus::kInterrupted) ++kept;
  err << "sim: interrupted; " << kept << " of " << plural(result.runs.size(), "run") << " kept in '" << out
      << ".part', the same command with --resume goes on\n";
  return kInterrupted;
}

ExitStatus verdict(const RunArguments& arguments, const StudyResult& result, std::ostream& err) {
  ExitStatus status = kDone;
  for (const RunSummary& run : result.runs)
    if (!run.failure.empty()) {
      err << "sim: run " << run.spec.run << " failed: " << printable(run.failure) << "\n";
      status = kRunFailed;
    } else if (run.report.status == RunStatus::kStalled) {
      err << "sim: run " << run.spec.run << " stalled: work waits that can never start\n";
      status = kRunFailed;
    }
  if (status == kDone && arguments.strict && has_numbered_warning(result)) {
    std::string codes;
    for (const GatheredWarning& w : gather_warnings(result)) codes += " " + w.warning.code;
    err << "sim: --strict: warnings were given:" << codes << "\n";
    status = kSaidNo;
  }
  return status;
}

}  // namespace

ExitStatus run_command(const RunArguments& arguments, const Streams& streams) {
  const Study study = plan_study(request_of(arguments, streams.in));
  const std::string out = arguments.out.empty() ? default_output(study.workload.name) : arguments.out;
  std::optional<Shard> shard;
  if (arguments.shard) shard = resolve(*arguments.shard, std::getenv("SLURM_ARRAY_TASK_ID"));
  const std::string works_on = shard ? shard_output(out, *shard) : out;
  check_output(works_on, arguments.force, arguments.resume);
  if (arguments.dry_run) {
    streams.out << dry_run(study, out, shard, jobs_of(arguments), arguments.format);
    return kDone;
  }
  RunOptions options;
  options.out = out;
  options.force = arguments.force;
  options.resume = arguments.resume;
  options.shard = shard;
  options.jobs = jobs_of(arguments);
  options.stop = &catch_stop_signals();
  options.clock = steady_seconds;
  Progress progress(arguments.progress, streams.err_is_terminal, streams.err);
  options.progress = [&progress](std::uint64_t done, std::uint64_t all, std::uint64_t events) {
    progress.update(done, all, events);
  };
  const StudyResult result = run_study(study, options);
  progress.stop();
  if (!result.complete) return interrupted(result, works_on, streams.err);
  if (shard) {
    streams.out << shard_text(arguments, study, result, out, *shard);
    return verdict(arguments, result, streams.err);
  }
  write_text_file(out + ".perf.json", perf_json(study, result), true);
  streams.out << summary_text(arguments, study, result, out);
  return verdict(arguments, result, streams.err);
}

}  // namespace headroom::cli
