// sim policies: the table of presets, or one policy in words.
#include <algorithm>
#include <istream>
#include <optional>
#include <ostream>

#include "sim/cli/commands.h"
#include "sim/cli/describe_policy.h"
#include "sim/cli/open_workload.h"
#include "sim/cli/text_table.h"
#include "workloads/realise.h"

namespace headroom::cli {
namespace {

void list(const std::vector<Policy>& policies, std::ostream& out) {
  std::size_t longest = 0;
  for (const Policy& policy : policies) longest = std::max(longest, display_width(printable(policy.name)));
  const std::size_t indent = std::min<std::size_t>(longest, 40) + 2;
  for (const Policy& policy : policies) {
    const std::string name = shortened(printable(policy.name), 40);
    out << name << std::string(indent - display_width(name), ' ') << wrapped(printable(policy.about), indent, indent)
        << "\n";
  }
}

}  // namespace

ExitStatus policies_command(const PoliciesArguments& arguments, const Streams& streams) {
  std::optional<Workload> workload;
  if (!arguments.workload.empty()) workload = open_workload(arguments.workload, streams.in).read();
  if (!arguments.policy.empty()) {
    TraceCache traces;
    std::optional<Work> work;
    if (workload) work = realise(*workload, workload->sweep.seed, 0, traces);
    bool is_first = true;
    for (const Policy& policy : find_policies(arguments.policy, workload ? &*workload : nullptr)) {
      streams.out << (is_first ? "" : "\n") << describe_policy(policy, work ? &*work : nullptr);
      is_first = false;
    }
    return kDone;
  }
  const auto presets = preset_policies();
  if (workload) {
    std::vector<Policy> own;
    for (const Policy& policy : workload->policies)
      if (std::find(presets.begin(), presets.end(), policy) == presets.end()) own.push_back(policy);
    if (!own.empty()) {
      list(own, streams.out);
      streams.out << "\n";
    }
  }
  list({presets.begin(), presets.end()}, streams.out);
  return kDone;
}

}  // namespace headroom::cli
