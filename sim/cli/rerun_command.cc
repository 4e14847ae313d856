// sim rerun: a results file is asked what it was made of, and whether that still makes it.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <thread>
#include <variant>

#include "sim/cli/commands.h"
#include "sim/cli/stop_signal.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/results/reader.h"
#include "sim/results/results_file.h"
#include "sim/results/sha256.h"
#include "sim/results/stored_study.h"
#include "sim/sweep/study.h"

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlockRows = 65536;

/// A folder that goes away with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "headroom-rerun-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr)
      throw OutputError(OutputError::Kind::kCannotCreate,
                        "cannot make a folder like '" + path_ + "' (TMPDIR says where)");
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A workload's text is in the results; of a bare trace there is only the trace, which is then the first input.
bool has_own_text(const StoredStudy& study) {
  return !study.inputs.empty() && study.inputs.front().sha256 == sha256_hex(study.workload_text);
}

/// Where an input lies now. What the workload named is relative to its folder; a policy file to where sim was called.
std::string found_at(const std::string& path, const std::string& folder) {
  return folder.empty() || fs::path(path).is_absolute() ? path : (fs::path(folder) / path).string();
}

/// All that is missing, else all that differs.
void check_inputs(const StoredStudy& study, const std::string& folder) {
  std::vector<Diagnostic> missing, different;
  for (std::size_t i = has_own_text(study) ? 1 : 0; i < study.inputs.size(); ++i) {
    const InputFile& input = study.inputs[i];
    const bool is_policy = std::ranges::find(study.policy_arguments, input.path) != study.policy_arguments.end();
    const std::string path = is_policy ? input.path : found_at(input.path, folder);
    std::ifstream in(path, std::ios::binary);
    std::error_code ignored;
    if (!in || fs::is_directory(path, ignored)) {
      missing.push_back({path, 0, 0, "is not there; --inputs FOLDER says where the workload's files lie", ""});
      continue;
    }
    Sha256 hash;
    std::string buffer(std::size_t{1} << 20, '\0');
    while (in) {
      in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      hash.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(in.gcount())));
    }
    if (hash.hex() != input.sha256) different.push_back({path, 0, 0, "is not the file that was read then", ""});
  }
  if (!missing.empty()) throw InputError(std::move(missing), InputError::Kind::kNoInput);
  if (!different.empty()) throw InputError(std::move(different));
}

StudyRequest request_of(const StoredStudy& study, const std::string& folder) {
  StudyRequest request;
  if (has_own_text(study)) {
    request.document = std::make_shared<const WorkloadDocument>(
        WorkloadDocument::parse(study.workload_text, found_at(study.inputs.front().path, folder)));
  } else if (!study.inputs.empty()) {
    const bool wfformat = study.workload_text.find("{wfformat: ") != std::string::npos;
    request.document = std::make_shared<const WorkloadDocument>(
        WorkloadDocument::from_trace(found_at(study.inputs.front().path, folder),
                                     wfformat ? TraceItem::Format::kWfFormat : TraceItem::Format::kSwf));
  } else {
    throw InputError({Diagnostic{"", 0, 0, "the results name no input, so there is nothing to run again", ""}});
  }
  for (const std::string& set : study.sets) {
    const std::size_t equals = set.find('=');
    request.sets.push_back({set.substr(0, equals), equals == std::string::npos ? "" : set.substr(equals + 1), "--set"});
  }
  request.policies = study.policy_arguments;
  request.seed = study.seed;
  request.replications = study.replications;
  return request;
}

bool same_bytes(const std::string& a, const std::string& b) {
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  std::string left(std::size_t{1} << 20, '\0'), right = left;
  while (first && second) {
    first.read(left.data(), static_cast<std::streamsize>(left.size()));
    second.read(right.data(), static_cast<std::streamsize>(right.size()));
    const auto size = static_cast<std::size_t>(first.gcount());
    if (first.gcount() != second.gcount() ||
        !std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size), right.begin()))
      return false;
  }
  return first.eof() && second.eof();
}

/// As many digits as tell it from its neighbours.
std::string shortest(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, error == std::errc() ? end : buffer};
}

std::string value_text(const Column& column, std::size_t row) {
  return std::visit(
      [&](const auto& values) -> std::string {
        using Value = std::decay_t<decltype(values[0])>;
        if constexpr (std::is_same_v<Value, std::string>)
          return "'" + values[row] + "'";
        else if constexpr (std::is_same_v<Value, double>)
          return shortest(values[row]);
        else {
          const auto code = static_cast<std::size_t>(values[row]);
          return code < column.meanings.size() ? column.meanings[code] : std::to_string(values[row]);
        }
      },
      column.data);
}

/// The first row in which two columns differ; their length if none does. NaN is NaN.
std::size_t first_difference(const Column& a, const Column& b) {
  if (a.data.index() != b.data.index()) return 0;
  return std::visit(
      [&b](const auto& left) {
        const auto& right = std::get<std::decay_t<decltype(left)>>(b.data);
        std::size_t row = 0;
        while (row < left.size() && (left[row] == right[row] || (left[row] != left[row] && right[row] != right[row])))
          ++row;
        return row;
      },
      a.data);
}

/// In words, or "" where the columns are the same.
std::string difference_in(const ResultsReader& then, const ResultsReader& now, const std::string& table,
                          const std::string& name) {
  const std::uint64_t rows = then.rows(table);
  for (std::uint64_t first = 0; first < rows; first += kBlockRows) {
    const std::uint64_t last = std::min(first + kBlockRows, rows);
    const Column a = then.column(table, name, first, last), b = now.column(table, name, first, last);
    const std::size_t row = first_difference(a, b);
    if (row == last - first) continue;
    const Column runs = then.column(table, "run", first + row, first + row + 1);
    return "run " + value_text(runs, 0) + ", /" + table + "/" + name + " row " + std::to_string(first + row) +
           ": was " + value_text(a, row) + ", is " + value_text(b, row);
  }
  return "";
}

/// Decisions first: everything else follows from them.
std::string first_difference(const std::string& path_then, const std::string& path_now) {
  const ResultsReader then(path_then), now(path_now);
  if (then.rows("runs") == now.rows("runs"))
    if (std::string found = difference_in(then, now, "runs", "decision_hash"); !found.empty()) return found;
  if (then.tables() != now.tables()) return "the tables of the two are not the same";
  for (const std::string& table : then.tables()) {
    if (then.rows(table) != now.rows(table))
      return "/" + table + " had " + plural(then.rows(table), "row") + ", and has " + plural(now.rows(table), "row");
    const std::vector<std::string> columns = then.columns(table);
    if (columns != now.columns(table)) return "the columns of /" + table + " are not the same";
    for (const std::string& column : columns)
      if (std::string found = difference_in(then, now, table, column); !found.empty()) return found;
  }
  return "every value of every table is the same; the files differ in what they say of the study, or in how the bytes "
         "are packed (another HDF5 or zlib)";
}

}  // namespace

ExitStatus rerun_command(const RerunArguments& arguments, const Streams& streams) {
  const StoredStudy stored = read_stored_study(arguments.results);
  if (!stored.complete)
    throw InputError({Diagnostic{arguments.results, 0, 0, "is not complete, so it cannot be compared", ""}});
  check_inputs(stored, arguments.inputs);
  const Study study = plan_study(request_of(stored, arguments.inputs));
  const ScratchFolder scratch;
  RunOptions options;
  options.out = scratch / "again.h5";
  options.jobs = arguments.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
  options.stop = &catch_stop_signals();
  const StudyResult result = run_study(study, options);
  if (!result.complete) {
    streams.err << "sim: interrupted\n";
    return kInterrupted;
  }
  if (same_bytes(arguments.results, options.out)) {
    streams.out << "the same bytes: " << plural(study.runs.size(), "run") << " of " << printable(study.workload.name)
                << "\n";
    return kDone;
  }
  streams.out << "not the same: " << printable(first_difference(arguments.results, options.out)) << "\n";
  if (stored.version != headroom_version())
    streams.err << "sim: the file was made by headroom " << printable(stored.version) << ", this is "
                << headroom_version() << "\n";
  return kSaidNo;
}

}  // namespace headroom::cli
