// sim check: everything that can be wrong with a file, found without running it.
#include <algorithm>
#include <istream>
#include <memory>
#include <ostream>

#include "sim/cli/commands.h"
#include "sim/cli/open_workload.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/cli/used_settings.h"
#include "sim/sweep/study.h"
#include "workloads/realise.h"

namespace headroom::cli {
namespace {

std::string check_workload(const std::string& path, std::istream& in) {
  StudyRequest request;
  request.document = std::make_shared<const WorkloadDocument>(open_workload(path, in));
  const Study study = plan_study(std::move(request));
  // The first point is realised too: what is wrong with a trace shows only when it is read.
  const Work work = realise(study.points.front(), study.seed, 0, *study.traces);
  std::string text = plural(work.workflows(), "workflow") + ", " + plural(work.stages(), "stage") + ", " +
                     plural(study.policies.size(), "policy") + ", " + plural(study.runs.size(), "run") + ", on " +
                     cluster_text(work.cluster);
  for (const Repair& repair : work.repairs)
    text += "; " + format_count(static_cast<std::uint64_t>(repair.count)) + " × " + repair.what;
  return text;
}

std::string check_policy(const std::string& path) {
  std::string text;
  for (const Policy& policy : read_policies(path)) text += (text.empty() ? "policy '" : ", '") + policy.name + "'";
  return text;
}

}  // namespace

ExitStatus check_command(const CheckArguments& arguments, const Streams& streams) {
  ExitStatus status = kDone;
  for (const std::string& path : arguments.files) {
    try {
      const bool is_policy = path != "-" && kind_of_file(path) == FileKind::kPolicy;
      const std::string found = is_policy ? check_policy(path) : check_workload(path, streams.in);
      streams.out << printable(path) << ": ok: " << printable(found) << "\n";
    } catch (const InputError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) streams.err << printable_lines(to_string(diagnostic));
      // Bad input is the worse news: a missing file may only be a wrong name.
      const bool bad = error.kind() == InputError::Kind::kBadInput;
      if (bad || status == kDone) status = bad ? kBadInput : kNoInput;
    }
  }
  return status;
}

}  // namespace headroom::cli
