// One function a command. They print results to `out` and everything else to `err`, and throw what program.cc turns
// into an exit status.
#pragma once

#include <iosfwd>

#include "sim/cli/exit_status.h"
#include "sim/cli/options.h"

namespace headroom::cli {

/// Where a command reads and prints.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;
};

[[nodiscard]] ExitStatus run_command(const RunArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus check_command(const CheckArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus policies_command(const PoliciesArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus eval_command(const EvalArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus export_command(const ExportArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus view_command(const ViewArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus merge_command(const MergeArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus rerun_command(const RerunArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus compare_command(const CompareArguments& arguments, const Streams& streams);
[[nodiscard]] ExitStatus verify_command(const VerifyArguments& arguments, const Streams& streams);

}  // namespace headroom::cli
