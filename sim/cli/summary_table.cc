#include "sim/cli/summary_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "sim/cli/aggregate.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/cli/used_settings.h"

namespace headroom::cli {
namespace {

using Names = std::vector<std::string_view>;

// What a table shows, in order, where it is defined. Everything else is in the results file and in the JSON.
const Names kWhole = {"makespan",
                      "makespan_ratio",
                      "wait_time_mean",
                      "wait_time_median",
                      "wait_time_p90",
                      "wait_time_p99",
                      "wait_time_max",
                      "turnaround_time_mean",
                      "slowdown_mean",
                      "bounded_slowdown_mean",
                      "stage_wait_time_mean",
                      "utilization",
                      "utilization_memory",
                      "utilization_gpus",
                      "offered_load",
                      "queue_length_mean",
                      "queue_length_max",
                      "late_count",
                      "starved_count",
                      "passed_over_time_max",
                      "overtakes_max",
                      "hold_idle"};
const Names kOfClass = {"wait_time_mean", "wait_time_max", "turnaround_time_mean", "bounded_slowdown_mean",
                        "late_count",     "starved_count", "passed_over_time_max"};
const Names kOfSweep = {
    "makespan",    "wait_time_mean", "wait_time_max", "stage_wait_time_mean", "bounded_slowdown_mean",
    "utilization", "late_count",     "starved_count"};

/// What says nothing new beside another one where the two are equal: jobs of one stage, run times above tau.
std::string_view shadowed_by(std::string_view metric) {
  if (metric == "stage_wait_time_mean") return "wait_time_mean";
  return metric == "slowdown_mean" ? "bounded_slowdown_mean" : "";
}

constexpr std::size_t kMostPoints = 24;  ///< rows of a table of points
constexpr std::size_t kMostClasses = 6;  ///< blocks of classes
constexpr std::size_t kMostTenants = 8;  ///< rows of accounts or users
constexpr std::size_t kMostKeys = 3;     ///< axes as columns of their own

Scale scale_of(std::string_view metric) {
  for (const MetricInfo& info : metric_catalog())
    if (info.name == metric && info.unit == "s") return Scale::kTime;
  return metric.starts_with("utilization") || metric.ends_with("_fraction") ? Scale::kPercent : Scale::kPlain;
}

bool any_defined(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return !std::isnan(v); });
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same(x, y); });
}

/// "1.427450": gains are near 1, the digits after the point are what counts.
std::string gain_text(double gain) { return std::isnan(gain) ? "-" : fmt::format("{:.6f}", gain); }

/// Writes one kind of summary; holds what its parts share.
class SummaryWriter {
 public:
  SummaryWriter(const Study& study, const StudyResult& result)
      : study_(study), result_(result), cells_(study, result) {}

  std::string write(const std::string& out) {
    title();
    if (cells_.points() == 1)
      one_point();
    else
      sweep();
    if (cells_.points() == 1) tenants();
    notes(out);
    warnings();
    return std::move(text_);
  }

 private:
  void title() {
    text_ += printable(study_.workload.name) + ": " + plural(result_.runs.size(), "run");
    const std::size_t replications = cells_.replications();
    if (result_.runs.size() > 1 || cells_.points() > 1) {
      text_ += " = ";
      if (cells_.points() > 1) text_ += plural(cells_.points(), "point") + " × ";
      text_ += std::to_string(cells_.policies()) + (cells_.policies() == 1 ? " policy" : " policies");
      if (replications > 1) text_ += " × " + plural(replications, "replication");
    }
    if (replications > 1) text_ += "\nmeans over the replications in which a value is defined";
    text_ += "\n\n";
  }

  /// One value a policy.
  template <class Value>
  [[nodiscard]] std::vector<double> by_policy(Value value) const {
    std::vector<double> values(cells_.policies());
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = value(p);
    return values;
  }
  /// Nothing where no policy has one.
  static void add_values(TextTable& table, const std::string& label, Scale scale, const std::vector<double>& values) {
    if (!any_defined(values)) return;
    std::vector<std::string> row = format_row(values, scale);
    row.insert(row.begin(), label);
    table.add_row(std::move(row));
  }
  template <class Value>
  void policy_row(TextTable& table, const std::string& label, Scale scale, Value value) const {
    add_values(table, label, scale, by_policy(value));
  }
  /// `values_of(name)`: one value a policy.
  template <class ValuesOf>
  static void metric_rows(TextTable& table, const Names& names, const std::string& indent, ValuesOf values_of) {
    for (const std::string_view name : names) {
      const std::vector<double> values = values_of(name);
      const std::string_view other = shadowed_by(name);
      if (!other.empty() && same(values, values_of(other))) continue;
      add_values(table, indent + std::string(name), scale_of(name), values);
    }
  }
  /// How long newcomers can come first and did; only where they can, or did.
  template <class ValuesOf>
  static void overtaking_rows(TextTable& table, const std::string& indent, ValuesOf values_of) {
    const std::vector<double> ages = values_of("catch_up_age");
    const bool can = std::any_of(ages.begin(), ages.end(), [](double age) { return age > 0; });
    const bool catches_up = std::any_of(ages.begin(), ages.end(), [](double a) { return a > 0 && std::isfinite(a); });
    Names names;
    if (can) names.push_back("catch_up_age");
    names.push_back("overtaken_until");
    if (catches_up) names.push_back("drain_time");  // without an age to reach it is the wait
    metric_rows(table, names, indent, values_of);
  }

  void one_point() {
    TextTable table;
    table.add_column("", Align::kLeft);
    for (const Policy& policy : study_.policies) table.add_column(policy.name);
    counts(table);
    const auto of_whole = [&](std::string_view name) {
      return by_policy([&](std::size_t p) { return cells_.metric(0, p, name); });
    };
    metric_rows(table, kWhole, "", of_whole);
    if (cells_.group_count(Group::Kind::kClass) <= 1) overtaking_rows(table, "", of_whole);
    for (const auto& [honor, ignore] : cells_.hold_pairs()) {
      const double gain = cells_.hold_gain(0, honor, ignore);
      if (std::isnan(gain)) continue;
      std::vector<std::string> row(cells_.policies() + 1, "");
      row[0] = "hold_gain over " + study_.policies[ignore].name;
      row[honor + 1] = gain_text(gain);
      table.add_row(std::move(row));
    }
    classes(table);
    if (cells_.replications() == 1) hashes(table);
    text_ += table.render();
  }

  /// How many workflows there are and, where not all is well, what became of them.
  void counts(TextTable& table) {
    const auto mean_of = [&](std::size_t p, auto field) {
      const auto runs = cells_.runs(0, p);
      if (runs.empty()) return std::numeric_limits<double>::quiet_NaN();
      double sum = 0;
      for (const RunSummary* run : runs) sum += static_cast<double>(field(run->report));
      return sum / static_cast<double>(runs.size());
    };
    const auto all_finished = [](const RunSummary& run) {
      return run.failure.empty() && run.report.status == RunStatus::kFinished &&
             run.report.finished == run.report.workflows;
    };
    policy_row(table, "workflows", Scale::kPlain,
               [&](std::size_t p) { return mean_of(p, [](const RunReport& r) { return r.workflows; }); });
    if (std::all_of(result_.runs.begin(), result_.runs.end(), all_finished)) return;
    std::vector<std::string> status = {"status"};
    for (std::size_t p = 0; p < cells_.policies(); ++p) status.push_back(status_of(p));
    table.add_row(std::move(status));
    policy_row(table, "  started", Scale::kPlain,
               [&](std::size_t p) { return mean_of(p, [](const RunReport& r) { return r.started; }); });
    policy_row(table, "  finished", Scale::kPlain,
               [&](std::size_t p) { return mean_of(p, [](const RunReport& r) { return r.finished; }); });
    policy_row(table, "  waiting", Scale::kPlain,
               [&](std::size_t p) { return mean_of(p, [](const RunReport& r) { return r.waiting; }); });
  }

  std::string status_of(std::size_t policy) {
    std::string word;
    for (const RunSummary& run : result_.runs) {
      if (run.spec.policy != policy) continue;
      const std::string_view own = status_word(run);
      if (!word.empty() && word != own) return "various";
      word = own;
    }
    return word.empty() ? "-" : word;
  }

  void classes(TextTable& table) {
    const std::size_t count = cells_.group_count(Group::Kind::kClass);
    if (count <= 1) return;  // a lone class is the whole
    const auto names = cells_.groups(Group::Kind::kClass, kMostClasses);
    for (const std::string& name : names) {
      const double n = cells_.group_metric(0, first_policy_with_runs(), Group::Kind::kClass, name, "n");
      std::string heading = name;
      if (!std::isnan(n)) heading += " (" + plural(static_cast<std::uint64_t>(std::llround(n)), "workflow") + ")";
      table.add_heading("");
      table.add_heading(heading);
      const auto of_class = [&](std::string_view metric) {
        return by_policy([&](std::size_t p) { return cells_.group_metric(0, p, Group::Kind::kClass, name, metric); });
      };
      metric_rows(table, kOfClass, "  ", of_class);
      overtaking_rows(table, "  ", of_class);
    }
    if (count > names.size()) left_out_ += plural(count - names.size(), "more class") + " in the results file\n";
  }

  [[nodiscard]] std::size_t first_policy_with_runs() const {
    for (std::size_t p = 0; p < cells_.policies(); ++p)
      if (!cells_.runs(0, p).empty()) return p;
    return 0;
  }

  void hashes(TextTable& table) {
    std::vector<std::string> row = {"decision_hash"};
    for (std::size_t p = 0; p < cells_.policies(); ++p) {
      const auto runs = cells_.runs(0, p);
      row.push_back(runs.empty() ? "-" : hash_text(runs.front()->report.decision_hash));
    }
    table.add_heading("");
    table.add_row(std::move(row));
  }

  // ---- sweeps: a row a point

  void add_point_columns(TextTable& table) const {
    if (study_.axes.size() > kMostKeys) {
      table.add_column("point", Align::kLeft);
      return;
    }
    for (const SweepAxis& axis : study_.axes) table.add_column(axis.path, Align::kRight);
  }
  [[nodiscard]] std::size_t point_columns() const {
    return study_.axes.size() > kMostKeys ? 1 : std::max<std::size_t>(1, study_.axes.size());
  }
  [[nodiscard]] std::vector<std::string> point_cells(std::size_t point) const {
    if (study_.axes.size() <= kMostKeys) return study_.point_values[point];
    std::string text;
    for (std::size_t a = 0; a < study_.axes.size(); ++a) text += (a > 0 ? " " : "") + study_.point_values[point][a];
    return {text};
  }
  [[nodiscard]] std::size_t shown_points() const { return std::min(cells_.points(), kMostPoints); }

  struct PointColumn {
    std::string header;
    std::vector<std::string> texts;  ///< by point
  };

  void point_table(const std::vector<PointColumn>& columns, std::size_t indent) {
    TextTable table(point_columns());
    add_point_columns(table);
    for (const PointColumn& column : columns) table.add_column(column.header);
    for (std::size_t point = 0; point < shown_points(); ++point) {
      std::vector<std::string> row = point_cells(point);
      for (const PointColumn& column : columns) row.push_back(column.texts[point]);
      table.add_row(std::move(row));
    }
    text_ += table.render(kTerminalWidth, indent);
  }

  [[nodiscard]] std::vector<double> by_point(std::size_t policy, std::string_view metric) const {
    std::vector<double> values;
    for (std::size_t point = 0; point < shown_points(); ++point) values.push_back(cells_.metric(point, policy, metric));
    return values;
  }
  /// Policies below each other: all that is shown of a metric.
  [[nodiscard]] std::vector<double> all_of(std::string_view metric) const {
    std::vector<double> values;
    for (std::size_t p = 0; p < cells_.policies(); ++p) {
      const std::vector<double> own = by_point(p, metric);
      values.insert(values.end(), own.begin(), own.end());
    }
    return values;
  }

  void sweep() {
    Names shown;
    std::string constant;
    for (const std::string_view name : kOfSweep) {
      const std::vector<double> values = all_of(name);
      const std::string_view other = shadowed_by(name);
      if (!any_defined(values) || (!other.empty() && same(values, all_of(other)))) continue;
      if (std::all_of(values.begin(), values.end(), [&](double v) { return same(v, values.front()); }))
        constant +=
            (constant.empty() ? "" : ", ") + std::string(name) + " " + format_value(values.front(), scale_of(name));
      else
        shown.push_back(name);
    }
    if (!cells_.hold_pairs().empty() && std::find(shown.begin(), shown.end(), "makespan") == shown.end())
      shown.insert(shown.begin(), "makespan");
    if (cells_.policies() == 1)
      sweep_of_one_policy(shown);
    else
      for (const std::string_view name : shown) sweep_of_metric(name);
    if (!constant.empty()) left_out_ += wrapped("the same in every run: " + constant, 0, 2) + "\n";
    if (cells_.points() > shown_points())
      left_out_ += plural(cells_.points() - shown_points(), "more point") + ": --format csv prints them all\n";
    if (cells_.group_count(Group::Kind::kClass) > 1) left_out_ += "figures of each class: --format json\n";
  }

  void sweep_of_one_policy(const Names& metrics) {
    text_ += "policy " + printable(study_.policies.front().name) + "\n";
    std::vector<PointColumn> columns;
    for (const std::string_view name : metrics) {
      const std::vector<double> values = by_point(0, name);
      columns.push_back({std::string(name), format_row(values, scale_of(name))});
    }
    point_table(columns, 0);
  }

  void sweep_of_metric(std::string_view name) {
    if (!text_.ends_with("\n\n")) text_ += '\n';
    text_ += std::string(name) + "\n";
    // One unit for the whole block: it is read across and down.
    const std::vector<std::string> texts = format_row(all_of(name), scale_of(name));
    std::vector<PointColumn> columns;
    for (std::size_t p = 0; p < cells_.policies(); ++p) {
      const auto begin = texts.begin() + static_cast<std::ptrdiff_t>(p * shown_points());
      columns.push_back({study_.policies[p].name, {begin, begin + static_cast<std::ptrdiff_t>(shown_points())}});
    }
    if (name == "makespan") add_hold_gains(columns);
    point_table(columns, 2);
  }

  void add_hold_gains(std::vector<PointColumn>& columns) const {
    const auto& pairs = cells_.hold_pairs();
    for (const auto& [honor, ignore] : pairs) {
      PointColumn column{"hold_gain", {}};
      if (pairs.size() > 1) column.header += " " + study_.policies[honor].name + "/" + study_.policies[ignore].name;
      for (std::size_t point = 0; point < shown_points(); ++point)
        column.texts.push_back(gain_text(cells_.hold_gain(point, honor, ignore)));
      columns.push_back(std::move(column));
    }
  }

  // ---- under the table

  void tenants() {
    for (const auto& [kind, word] : {std::pair{Group::Kind::kOrganization, "organization"},
                                     {Group::Kind::kAccount, "account"},
                                     {Group::Kind::kUser, "user"}}) {
      const std::size_t count = cells_.group_count(kind);
      if (count < 2) continue;
      if (count > kMostTenants) {
        left_out_ += plural(count, word) + ": figures of each in the results file (/tenants)\n";
        continue;
      }
      TextTable table;
      table.add_column(std::string("wait_time_mean by ") + word, Align::kLeft);
      for (const Policy& policy : study_.policies) table.add_column(policy.name);
      for (const std::string& name : cells_.groups(kind, kMostTenants))
        policy_row(table, name, Scale::kTime,
                   [&, k = kind](std::size_t p) { return cells_.group_metric(0, p, k, name, "wait_time_mean"); });
      if (!table.empty()) text_ += "\n" + table.render();
    }
  }

  void line(const std::string& label, const std::string& content) {
    constexpr std::size_t kLabel = 11;
    std::string start = label;
    start.resize(std::max(kLabel, label.size() + 1), ' ');
    text_ += start + wrapped(printable(content), start.size(), kLabel) + "\n";
  }

  void notes(const std::string& out) {
    text_ += '\n';
    if (!left_out_.empty()) text_ += left_out_ + "\n";
    for (const auto& [label, content] : used_settings(study_, result_)) line(label, content);
    if (!out.empty()) line("results", out);
  }

  void warnings() {
    const auto gathered = gather_warnings(result_);
    if (!gathered.empty()) text_ += '\n';
    for (const GatheredWarning& w : gathered) {
      std::string content = w.warning.text;
      if (result_.runs.size() > 1) {
        content += w.runs.size() == result_.runs.size() ? " (every run" : " (" + plural(w.runs.size(), "run");
        if (w.runs.size() < result_.runs.size()) content += ", the first is " + std::to_string(w.runs.front());
        content += w.same_text ? ")" : "; the text is the first one's)";
      }
      line(printable(w.warning.code), content);
    }
  }

  const Study& study_;
  const StudyResult& result_;
  Aggregate cells_;
  std::string text_;
  std::string left_out_;
};

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string summary_table(const Study& study, const StudyResult& result, const std::string& out) {
  return SummaryWriter(study, result).write(out);
}

std::string summary_markdown(const Study& study, const StudyResult& result) {
  std::vector<std::string> header = {"run", "policy"};
  for (const SweepAxis& axis : study.axes) header.push_back(axis.path);
  if (study.replications > 1) header.emplace_back("replication");
  header.emplace_back("status");
  Names metrics;
  for (const std::string_view name : kOfSweep)
    if (std::any_of(result.runs.begin(), result.runs.end(),
                    [&](const RunSummary& run) { return !std::isnan(metric_value(run.report.metrics, name)); }))
      metrics.push_back(name);
  for (const std::string_view name : metrics) header.emplace_back(name);
  const auto row_of = [](const std::vector<std::string>& cells) {
    std::string row = "|";
    for (const std::string& cell : cells) row += " " + markdown_cell(cell) + " |";
    return row + "\n";
  };
  std::string text = row_of(header) + "|";
  for (std::size_t i = 0; i < header.size(); ++i) text += i + metrics.size() < header.size() ? "---|" : "---:|";
  text += '\n';
  std::vector<std::vector<std::string>> columns;
  for (const std::string_view name : metrics) {
    std::vector<double> values;
    for (const RunSummary& run : result.runs) values.push_back(metric_value(run.report.metrics, name));
    columns.push_back(format_row(values, scale_of(name)));
  }
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const RunSummary& run = result.runs[i];
    std::vector<std::string> cells = {std::to_string(run.spec.run), study.policies[run.spec.policy].name};
    for (const auto& [path, value] : study.point(run.spec)) cells.push_back(value);
    if (study.replications > 1) cells.push_back(std::to_string(run.spec.replication));
    cells.emplace_back(status_word(run));
    for (const auto& column : columns) cells.push_back(column[i]);
    text += row_of(cells);
  }
  return text;
}

}  // namespace headroom::cli
