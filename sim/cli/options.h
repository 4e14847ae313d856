// What a command line asks for, as plain values. Everything is checked here that can be checked without opening a file.
// options.cc is the only file that sees CLI11, which costs seconds to compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "policies/time.h"
#include "sim/cli/usage_error.h"

namespace headroom::cli {

enum class Format : std::uint8_t { kTable, kJson, kCsv, kMarkdown, kQuiet };
enum class ProgressMode : std::uint8_t { kAuto, kAlways, kNever };

/// --shard I/N or auto/N.
struct ShardArgument {
  std::optional<std::uint32_t> index;  ///< none: what Slurm says
  std::uint32_t count = 1;
};

struct RunArguments {
  std::string workload;                                   ///< "-": stdin
  std::vector<std::string> policies;                      ///< empty: the file's
  std::string out;                                        ///< empty: the workload's name + .h5, here
  std::vector<std::pair<std::string, std::string>> sets;  ///< path, value
  std::optional<unsigned> jobs;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> replications;
  std::optional<ShardArgument> shard;
  Format format = Format::kTable;
  ProgressMode progress = ProgressMode::kAuto;
  bool resume = false, force = false, dry_run = false, strict = false;
};

struct CheckArguments {
  std::vector<std::string> files;
};

struct PoliciesArguments {
  std::string policy;    ///< empty: list them
  std::string workload;  ///< whose inline policies count too; may be empty
};

struct ExportArguments {
  std::string results, to;
  std::optional<std::uint64_t> run;
  bool force = false;
};

struct MergeArguments {
  std::vector<std::string> parts;
  std::string out;
  std::optional<unsigned> jobs;
  bool force = false;
};

struct RerunArguments {
  std::string results, inputs;  ///< inputs: the folder where the files that were read are looked for; empty: here
  std::optional<unsigned> jobs;
};

struct VerifyArguments {
  std::string results;
  bool json = false;
};

struct CompareArguments {
  std::vector<std::string> results;  ///< one or two
  std::string by, baseline;          ///< empty: not said
  std::vector<std::string> metrics;
  std::vector<std::string> fail_if, require;
  enum class Format : std::uint8_t { kTable, kMarkdown, kJson };
  Format format = Format::kTable;
};

struct EvalArguments {
  std::string expression;                                 ///< empty with json_lines
  std::string environment;                                ///< a JSON file; may be empty
  std::vector<std::pair<std::string, std::string>> sets;  ///< path, value
  bool json_lines = false;
};

/// describe, queue, events, audit, explain: looking into a results file.
struct ViewArguments {
  enum class What : std::uint8_t { kDescribe, kQueue, kEvents, kAudit, kExplain };
  What what = What::kAudit;
  std::string results, workflow, stage;  ///< empty: not said
  std::optional<Duration> at;
  std::optional<std::string> as;
  std::optional<std::uint64_t> run;
  bool mine = false, json = false;
};

/// --help and --version: text for stdout, and done.
struct PrintArguments {
  std::string text;
};

using Command =
    std::variant<PrintArguments, RunArguments, CheckArguments, PoliciesArguments, ExportArguments, VerifyArguments,
                 EvalArguments, ViewArguments, MergeArguments, RerunArguments, CompareArguments>;

/// `arguments` without the program's name.
/// Fails  UsageError: one sentence that names the argument and, where something near is known, what was meant. Commands
///        and options that later versions bring are refused by name.
[[nodiscard]] Command parse_command_line(const std::vector<std::string>& arguments);

/// --policy's list: split at commas, but an expression (expr:…) reaches to the end of its argument.
[[nodiscard]] std::vector<std::string> split_policies(const std::string& list);

/// The text of `sim --version`.
[[nodiscard]] std::string version_text();

}  // namespace headroom::cli
