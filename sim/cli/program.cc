#include "sim/cli/program.h"

#include <exception>
#include <new>
#include <ostream>

#include "policies/check.h"
#include "sim/cli/text_table.h"
#include "sim/sweep/study.h"
#include "workloads/diagnostics.h"

namespace headroom::cli {
namespace {

ExitStatus dispatch(const std::vector<std::string>& arguments, const Streams& streams) {
  struct Visitor {
    const Streams& streams;
    ExitStatus operator()(const PrintArguments& a) const {
      streams.out << a.text;
      return kDone;
    }
    ExitStatus operator()(const RunArguments& a) const { return run_command(a, streams); }
    ExitStatus operator()(const CheckArguments& a) const { return check_command(a, streams); }
    ExitStatus operator()(const PoliciesArguments& a) const { return policies_command(a, streams); }
    ExitStatus operator()(const EvalArguments& a) const { return eval_command(a, streams); }
    ExitStatus operator()(const ExportArguments& a) const { return export_command(a, streams); }
    ExitStatus operator()(const ViewArguments& a) const { return view_command(a, streams); }
    ExitStatus operator()(const MergeArguments& a) const { return merge_command(a, streams); }
    ExitStatus operator()(const RerunArguments& a) const { return rerun_command(a, streams); }
    ExitStatus operator()(const CompareArguments& a) const { return compare_command(a, streams); }
    ExitStatus operator()(const VerifyArguments& a) const { return verify_command(a, streams); }
  };
  return std::visit(Visitor{streams}, parse_command_line(arguments));
}

ExitStatus reported(const std::vector<std::string>& arguments, const Streams& streams) {
  std::ostream& err = streams.err;
  try {
    return dispatch(arguments, streams);
  } catch (const UsageError& error) {
    err << "sim: " << printable(error.what()) << "\n";
    return kUsage;
  } catch (const InputError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) err << printable_lines(to_string(diagnostic));
    return error.kind() == InputError::Kind::kNoInput ? kNoInput : kBadInput;
  } catch (const OutputError& error) {
    err << "sim: " << printable(error.what()) << "\n";
    return error.kind() == OutputError::Kind::kCannotCreate ? kCannotCreate : kCannotWrite;
  } catch (const CheckFailed& error) {
    err << "sim: a bug of ours, please report it with the command and its input: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    err << "sim: out of memory\n";
  } catch (const std::exception& error) {
    err << "sim: " << printable(error.what()) << "\n";
  }
  return kRunFailed;
}

}  // namespace

ExitStatus run_program(const std::vector<std::string>& arguments, const Streams& streams) {
  const ExitStatus status = reported(arguments, streams);
  streams.out.flush();
  if (streams.out.good()) return status;
  streams.err << "sim: stdout cannot be written to\n";
  return status == kDone ? kCannotWrite : status;
}

}  // namespace headroom::cli
