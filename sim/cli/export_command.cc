// sim export: a run of a results file in a format of others.
#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "sim/cli/batsim_csv.h"
#include "sim/cli/commands.h"
#include "sim/cli/output_file.h"
#include "sim/cli/stored_run.h"
#include "sim/cli/units.h"
#include "sim/results/reader.h"

namespace headroom::cli {
namespace {

constexpr std::array kLaterKinds = {".swf", ".json", ".md"};

void check_kind(const std::string& path) {
  if (path.ends_with(".csv")) return;
  for (const std::string kind : kLaterKinds)
    if (path.ends_with(kind)) throw UsageError("export to '" + kind + "' is not in this version; it writes .csv");
  throw UsageError("export to '" + path + "': the ending says which kind, and it is not .csv");
}

/// Columns of a table of one run, by name.
class RunRows {
 public:
  RunRows(const ResultsReader& reader, std::string table, std::uint64_t run)
      : reader_(reader), table_(std::move(table)), rows_(reader.rows_of_run(table_, run)) {}

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows_.second - rows_.first); }

  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    return std::visit(
        [](const auto& data) {
          using Value = typename std::decay_t<decltype(data)>::value_type;
          std::vector<double> out;
          if constexpr (std::is_arithmetic_v<Value>)
            for (const Value value : data) out.push_back(static_cast<double>(value));
          return out;
        },
        read(name).data);
  }

  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const {
    return std::visit(
        [](const auto& data) {
          using Value = typename std::decay_t<decltype(data)>::value_type;
          std::vector<std::int64_t> out;
          if constexpr (std::is_arithmetic_v<Value>)
            for (const Value value : data) out.push_back(static_cast<std::int64_t>(value));
          return out;
        },
        read(name).data);
  }

  /// Of a text column or of codes; "" for a code that means nothing.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
    const Column column = read(name);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column.data)) return *texts;
    std::vector<std::string> out;
    std::visit(
        [&](const auto& data) {
          using Value = typename std::decay_t<decltype(data)>::value_type;
          if constexpr (std::is_integral_v<Value>)
            for (const Value code : data) {
              const auto index = static_cast<std::size_t>(code);
              out.push_back(index < column.meanings.size() ? column.meanings[index] : "");
            }
        },
        column.data);
    return out;
  }

 private:
  [[nodiscard]] Column read(const std::string& name) const {
    return reader_.column(table_, name, rows_.first, rows_.second);
  }

  const ResultsReader& reader_;
  std::string table_;
  std::pair<std::uint64_t, std::uint64_t> rows_;
};

/// Where a node stands among all nodes and all cores.
class NodeNames {
 public:
  NodeNames(const ResultsReader& reader, std::uint64_t run) {
    if (!reader.has("node_classes")) return;
    const RunRows rows(reader, "node_classes", run);
    names_ = rows.texts("name");
    first_ = rows.integers("first_node");
    cores_ = rows.integers("cores");
    std::int64_t before = 0;
    const std::vector<std::int64_t> counts = rows.integers("count");
    for (std::size_t c = 0; c < names_.size(); ++c) {
      first_core_.push_back(before);
      before += counts[c] * cores_[c];
    }
  }
  [[nodiscard]] std::string name(std::int64_t node) const {
    const std::size_t c = class_of(node);
    return c < names_.size() ? names_[c] + "[" + std::to_string(node - first_[c]) + "]" : "";
  }
  [[nodiscard]] std::int64_t first_core(std::int64_t node) const {
    const std::size_t c = class_of(node);
    return c < names_.size() ? first_core_[c] + (node - first_[c]) * cores_[c] : 0;
  }

 private:
  /// names_.size(): no node.
  [[nodiscard]] std::size_t class_of(std::int64_t node) const {
    if (node < 0) return names_.size();
    const auto after = std::upper_bound(first_.begin(), first_.end(), node);
    return after == first_.begin() ? names_.size() : static_cast<std::size_t>(after - first_.begin()) - 1;
  }
  std::vector<std::string> names_;
  std::vector<std::int64_t> first_, cores_, first_core_;
};

std::vector<ExportedAttempt> read_attempts(const ResultsReader& reader, std::uint64_t run) {
  const RunRows stages(reader, "stages", run), workflows(reader, "workflows", run);
  const NodeNames nodes(reader, run);
  const auto names = workflows.texts("name"), users = workflows.texts("user"), accounts = workflows.texts("account");
  const auto submitted = workflows.numbers("submitted_at");
  const auto workflow = stages.integers("workflow"), attempt = stages.integers("attempt"),
             node = stages.integers("node"), cores = stages.integers("cores");
  const auto eligible = stages.numbers("eligible_at"), started = stages.numbers("started_at"),
             finished = stages.numbers("finished_at"), estimate = stages.numbers("estimate"),
             walltime = stages.numbers("walltime");
  const auto stage = stages.texts("name"), state = stages.texts("state"), kind = stages.texts("kind"),
             reason = stages.texts("reason");
  std::vector<ExportedAttempt> out(stages.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto w = static_cast<std::size_t>(workflow[i]);
    ExportedAttempt& a = out[i];
    a.workflow = names.at(w);
    a.user = users.at(w);
    a.account = accounts.at(w);
    a.submitted_at = submitted.at(w);
    a.stage = stage[i];
    a.attempt = attempt[i];
    a.eligible_at = eligible[i];
    a.started_at = started[i];
    a.finished_at = finished[i];
    a.requested_time = std::isfinite(walltime[i]) ? walltime[i] : estimate[i];
    a.cores = cores[i];
    a.first_core = nodes.first_core(node[i]);
    a.node = nodes.name(node[i]);
    a.state = state[i];
    a.kind = kind[i];
    a.reason = reason[i];
  }
  return out;
}

}  // namespace

ExitStatus export_command(const ExportArguments& arguments, const Streams& streams) {
  check_kind(arguments.to);
  const ResultsReader reader(arguments.results);
  const std::uint64_t run = chosen_run(reader, arguments.results, arguments.run);
  if (!reader.has("stages") || !reader.has("workflows"))
    throw UsageError("'" + arguments.results + "' has no stages: the run was told not to record them (record.stages)");
  check_output(arguments.to, arguments.force, false);
  std::uint64_t left_out = 0;
  write_text_file(arguments.to, batsim_csv(read_attempts(reader, run), reader.title(), left_out), arguments.force);
  if (left_out > 0)
    streams.err << "sim: " << plural(left_out, "stage") << " had not ended by the end of the run: left out\n";
  return kDone;
}

}  // namespace headroom::cli
