#include "sim/compare/sampled_runs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "sim/metrics/catalog.h"
#include "sim/metrics/report.h"
#include "sim/metrics/warnings.h"
#include "workloads/diagnostics.h"

namespace headroom::compare {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
  throw InputError({Diagnostic{path, 0, 0, message, ""}});
}

template <class Value>
std::string shortest(Value value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : "";
}

}  // namespace

std::optional<Measured> measured(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) {
    if (text.empty() || text.find(')') != std::string_view::npos) return std::nullopt;
    return Measured{std::string(text), ""};
  }
  if (open == 0 || !text.ends_with(')') || text.size() < open + 3) return std::nullopt;
  return Measured{std::string(text.substr(0, open)), std::string(text.substr(open + 1, text.size() - open - 2))};
}

std::vector<double> numbers_of(const Column& column) {
  std::vector<double> numbers;
  std::visit(
      [&](const auto& data) {
        using Value = typename std::decay_t<decltype(data)>::value_type;
        numbers.reserve(data.size());
        for (const auto& value : data) {
          if constexpr (std::is_arithmetic_v<Value>)
            numbers.push_back(static_cast<double>(value));
          else
            numbers.push_back(kNaN);
        }
      },
      column.data);
  return numbers;
}

std::vector<std::string> texts_of(const Column& column) {
  std::vector<std::string> texts;
  std::visit(
      [&](const auto& data) {
        using Value = typename std::decay_t<decltype(data)>::value_type;
        texts.reserve(data.size());
        for (const auto& value : data) {
          if constexpr (std::is_same_v<Value, std::string>) {
            texts.push_back(value);
          } else if constexpr (std::is_integral_v<Value>) {
            const auto code = static_cast<std::size_t>(value);
            texts.push_back(code < column.meanings.size() ? column.meanings[code] : shortest(std::int64_t(value)));
          } else {
            texts.push_back(shortest(value));
          }
        }
      },
      column.data);
  return texts;
}

SampledRuns::SampledRuns(const std::vector<std::string>& paths) : paths_(paths) {
  for (const std::string& path : paths) readers_.push_back(std::make_unique<ResultsReader>(path));
  title_ = readers_.front()->title();
  if (paths.size() > 1) axes_.emplace_back("file");
  // What stands between `run` and `policy` are the sweep's axes.
  for (std::size_t file = 0; file < paths.size(); ++file) {
    std::vector<std::string> own;
    const std::vector<std::string> columns = readers_[file]->columns("runs");
    for (auto at = std::ranges::find(columns, "run"); at != columns.end() && *at != "policy"; ++at)
      if (*at != "run") own.push_back(*at);
    own.emplace_back("policy");
    if (file == 0) {
      axes_.insert(axes_.end(), own.begin(), own.end());
      continue;
    }
    const std::vector<std::string> first(axes_.begin() + 1, axes_.end());
    if (own == first) continue;
    std::string list;
    for (const std::string& axis : first) list += (list.empty() ? "" : ", ") + axis;
    refuse(paths[file],
           "its axes are not those of '" + paths[0] + "' (" + list + "), so its runs have no counterparts");
  }
  is_random_ = false;
  for (std::size_t file = 0; file < paths.size(); ++file) {
    read_runs(file);
    read_warnings(file);
  }
  if (runs_.empty()) refuse(paths.front(), "holds no run");
}

SampledRuns::~SampledRuns() = default;

void SampledRuns::read_runs(std::size_t file) {
  const ResultsReader& reader = *readers_[file];
  const std::vector<double> number = numbers_of(reader.column("runs", "run"));
  const std::vector<double> replication = numbers_of(reader.column("runs", "replication"));
  const std::vector<std::string> status = texts_of(reader.column("runs", "status"));
  std::vector<std::vector<std::string>> at;
  for (const std::string& axis : axes_)
    if (axis != "file") at.push_back(texts_of(reader.column("runs", axis)));
  std::size_t failed = 0, first_failed = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (status[i] == "failed" || status[i] == "interrupted") {
      if (failed++ == 0) first_failed = i;
      continue;
    }
    Run run{file, static_cast<std::uint64_t>(number[i]), {}, static_cast<std::int64_t>(replication[i])};
    if (axes_.front() == "file") run.at.push_back(paths_[file]);
    for (const auto& axis : at) run.at.push_back(axis[i]);
    runs_.push_back(std::move(run));
  }
  if (failed == 0) return;
  refuse(paths_[file], std::to_string(failed) + " of its runs failed (the first is run " +
                           std::to_string(static_cast<std::uint64_t>(number[first_failed])) +
                           "): what is left of a sample may not be like the whole");
}

void SampledRuns::read_warnings(std::size_t file) {
  const ResultsReader& reader = *readers_[file];
  bool nothing_random = false;
  if (reader.has("warnings")) {
    const std::vector<std::string> codes = texts_of(reader.column("warnings", "code"));
    const std::vector<std::string> texts = texts_of(reader.column("warnings", "text"));
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == no_inference(false).code && texts[i] == no_inference(false).text) {
        nothing_random = true;
        continue;  // it is the frame of every sentence here
      }
      const auto [found, is_new] = warnings_.try_emplace(codes[i], WarningOf{texts[i], 0});
      ++found->second.runs;
    }
  }
  is_random_ = is_random_ || !nothing_random;
}

std::vector<std::string> SampledRuns::warnings() const {
  std::vector<std::string> lines;
  for (const auto& [code, warning] : warnings_) {
    lines.push_back(code + " " + warning.first_text + " (");
    lines.back() += warning.runs == runs_.size()
                        ? "every run"
                        : std::to_string(warning.runs) + " of " + std::to_string(runs_.size()) + " runs";
    lines.back() += warning.runs > 1 ? "; the text is the first one's)" : ")";
  }
  return lines;
}

std::vector<std::string> SampledRuns::values_of(std::size_t axis) const {
  std::vector<std::string> values;
  for (const Run& run : runs_)
    if (std::ranges::find(values, run.at[axis]) == values.end()) values.push_back(run.at[axis]);
  return values;
}

std::vector<double> SampledRuns::values(const Measured& what) const {
  if (std::ranges::find(metric_catalog(), what.metric, &MetricInfo::name) == metric_catalog().end())
    throw InputError(
        {Diagnostic{"", 0, 0, "there is no metric called '" + what.metric + "'" + metric_hint(what.metric), ""}});
  if (!what.group.empty()) return group_values(what);
  std::vector<double> values;
  for (std::size_t file = 0; file < readers_.size(); ++file) {
    const std::vector<double> number = numbers_of(readers_[file]->column("runs", "run"));
    const std::vector<double> column = numbers_of(readers_[file]->column("runs", what.metric));
    std::map<std::uint64_t, double> by_run;
    for (std::size_t i = 0; i < number.size(); ++i) by_run[static_cast<std::uint64_t>(number[i])] = column[i];
    for (const Run& run : runs_)
      if (run.file == file) values.push_back(by_run[run.run]);
  }
  return values;
}

/// Of the class, else the tenant, of that name.
std::vector<double> SampledRuns::group_values(const Measured& what) const {
  if (!metric_catalog()[metric_index(what.metric)].in_groups)
    throw InputError(
        {Diagnostic{"", 0, 0, "'" + what.metric + "' is a metric of a whole run, not of a class or tenant", ""}});
  std::vector<double> values;
  std::set<std::string> known;
  bool found = false;
  for (std::size_t file = 0; file < readers_.size(); ++file) {
    std::map<std::uint64_t, double> by_run;
    for (const char* table : {"classes", "tenants"}) {
      if (!readers_[file]->has(table) || !by_run.empty()) continue;
      const std::vector<double> number = numbers_of(readers_[file]->column(table, "run"));
      const std::vector<std::string> name = texts_of(readers_[file]->column(table, "name"));
      const std::vector<double> column = numbers_of(readers_[file]->column(table, what.metric));
      for (std::size_t i = 0; i < number.size(); ++i) {
        known.insert(name[i]);
        if (name[i] == what.group) by_run.emplace(static_cast<std::uint64_t>(number[i]), column[i]);
      }
    }
    found = found || !by_run.empty();
    for (const Run& run : runs_) {
      if (run.file != file) continue;
      const auto at = by_run.find(run.run);
      values.push_back(at == by_run.end() ? kNaN : at->second);
    }
  }
  if (!found)
    throw InputError({Diagnostic{"", 0, 0,
                                 "there is no class or tenant called '" + what.group + "'" +
                                     did_you_mean(what.group, std::vector<std::string>(known.begin(), known.end())),
                                 ""}});
  return values;
}

std::string SampledRuns::unit_of(const std::string& metric) {
  return std::string(metric_catalog()[metric_index(metric)].unit);
}

}  // namespace headroom::compare
