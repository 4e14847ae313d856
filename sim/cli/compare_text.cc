#include "sim/cli/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "sim/cli/text_table.h"
#include "sim/cli/units.h"

namespace headroom::cli {
namespace {

using compare::Comparison;
using compare::Direction;
using compare::MetricRows;
using compare::Paired;
using compare::Row;

constexpr std::size_t kShownShares = 10;  ///< at either end

Scale scale_of(const std::string& metric, const std::string& unit) {
  if (unit == "s") return Scale::kTime;
  return metric.starts_with("utilization") || metric.ends_with("_fraction") ? Scale::kPercent : Scale::kPlain;
}

/// Rows of cells with a header; markdown or aligned text.
class Grid {
 public:
  Grid(std::size_t keys, bool markdown) : markdown_(markdown), keys_(keys), table_(keys) {}
  void column(const std::string& header, bool left = false) {
    if (markdown_) {
      header_ += "| " + escaped(header) + " ";
      rule_ += left ? "| --- " : "| ---: ";
    } else {
      table_.add_column(header, left ? Align::kLeft : Align::kRight);
    }
  }
  void row(std::vector<std::string> cells) {
    if (!markdown_) return table_.add_row(std::move(cells));
    for (const std::string& cell : cells) rows_ += "| " + escaped(cell) + " ";
    rows_ += "|\n";
  }
  void write(std::ostream& out) const {
    if (markdown_)
      out << header_ << "|\n" << rule_ << "|\n" << rows_;
    else
      out << table_.render(kTerminalWidth, 2);
  }

 private:
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : printable(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  }
  bool markdown_;
  std::size_t keys_;
  TextTable table_;
  std::string header_, rule_, rows_;
};

void heading(std::ostream& out, const std::string& text, bool markdown) {
  out << "\n" << (markdown ? "### " : "") << printable(text) << "\n" << (markdown ? "\n" : "");
}

std::string signed_value(double value, Scale scale) {
  if (std::isnan(value)) return "-";
  std::string text = format_value(value, scale);
  if (scale == Scale::kPercent) text.replace(text.size() - 1, 1, "pp");  // percentage points
  return value > 0 ? "+" + text : text;
}

std::string percent_of(double difference, double baseline) {
  if (std::isnan(difference) || !(std::fabs(baseline) > 0) || difference == 0) return "";
  return fmt::format("{:+.3g} %", 100 * difference / std::fabs(baseline));
}

std::string interval_text(const Paired& pair, Scale scale) {
  if (pair.exact) return pair.n > 0 ? "exact" : "-";
  if (std::isnan(pair.low)) return "-";
  const double ends[] = {pair.low, pair.high};
  std::vector<std::string> texts = format_row(ends, scale);
  if (scale == Scale::kPercent)
    for (std::string& text : texts) text.replace(text.size() - 1, 1, "pp");
  return texts[0] + " to " + texts[1];
}

bool is_same_everywhere(const MetricRows& rows) {
  return std::ranges::all_of(rows.points, [](const Row& row) {
    return row.pair.n == 0 || (row.pair.difference == 0 && (row.pair.exact || row.pair.low == row.pair.high));
  });
}
bool is_unknown(const MetricRows& rows) {
  return std::ranges::all_of(rows.points, [](const Row& row) { return row.pair.n == 0; });
}

std::string_view better_text(Direction direction) {
  switch (direction) {
    case Direction::kLess:
      return "less is better";
    case Direction::kMore:
      return "more is better";
    case Direction::kNeither:
      break;
  }
  return "neither is better";
}

void add_row(Grid& grid, const Comparison& c, const Row& row, Scale scale, bool over_all) {
  std::vector<std::string> cells;
  for (std::size_t a = 0; a < c.others.size(); ++a) cells.push_back(over_all ? (a == 0 ? "all" : "") : row.at[a]);
  const double means[] = {row.pair.baseline, row.pair.other};
  const std::vector<std::string> texts = format_row(means, scale);
  cells.insert(cells.end(), {row.value, texts[0], texts[1], signed_value(row.pair.difference, scale),
                             percent_of(row.pair.difference, row.pair.baseline), interval_text(row.pair, scale)});
  grid.row(std::move(cells));
}

/// How the pairs correlate, and where there are fewer than elsewhere.
void write_pairs(std::ostream& out, const Comparison& c, const MetricRows& rows, bool markdown) {
  if (!c.is_random || c.replications < 2) return;
  double least = std::numeric_limits<double>::infinity();
  std::size_t fewest = c.replications;
  for (const Row& row : rows.points) {
    if (row.pair.correlation < least) least = row.pair.correlation;
    fewest = std::min(fewest, row.pair.n);
  }
  std::string text;
  if (std::isfinite(least))
    text = fmt::format("correlation of the pairs: {:.2f}{}", least, rows.points.size() > 1 ? " or more" : "");
  if (fewest < c.replications)
    text +=
        (text.empty() ? "" : "; ") + std::string("down to ") + plural(fewest, "pair") + ", as the others have no value";
  if (!text.empty()) out << (markdown ? "\n" : "  ") << text << "\n";
}

void write_metric(std::ostream& out, const Comparison& c, const MetricRows& rows, bool markdown) {
  const Scale scale = scale_of(rows.what.metric, rows.unit);
  heading(out, rows.what.text() + " (" + std::string(better_text(compare::better_of(rows.what.metric))) + ")",
          markdown);
  Grid grid(c.others.size() + 1, markdown);
  for (const std::string& other : c.others) grid.column(other);
  grid.column(c.by, true);
  grid.column(c.baseline);
  grid.column(c.values.size() == 1 ? c.values.front() : "other");
  grid.column("difference");
  grid.column("relative");
  grid.column("95 % interval");
  for (const Row& row : rows.points) add_row(grid, c, row, scale, false);
  if (c.points > 1)
    for (const Row& row : rows.overall) add_row(grid, c, row, scale, true);
  grid.write(out);
  write_pairs(out, c, rows, markdown);
  if (rows.points_left_out > 0 && c.points > 1)
    out << (markdown ? "\n" : "  ") << plural(rows.points_left_out, "point")
        << " without a value in every run left out of 'all'\n";
}

std::string verdict_sentence(const Comparison& c, const compare::Shown& shown, const std::string& margin) {
  const std::string beside = (c.by == "policy" ? "" : printable(c.by) + " ") + printable(shown.value) + " beside " +
                             printable(c.baseline) + ": ";
  const bool exact = !c.is_random;
  const std::string how = exact ? "exact"
                                : fmt::format("p {}{}", shown.p < 0.001 ? "< 0.001" : fmt::format("= {:.2g}", shown.p),
                                              c.values.size() > 1 ? " by Holm" : "");
  switch (shown.verdict) {
    case compare::Verdict::kBetter:
      return beside + "better by more than " + margin + " (" + how + ")";
    case compare::Verdict::kWorse:
      return beside + "worse by more than " + margin + " (" + how + ")";
    case compare::Verdict::kEquivalent:
      return beside + "equivalent within " + margin + " (" + how + ")";
    case compare::Verdict::kUndecided:
      break;
  }
  return beside + "undecided" +
         (std::isnan(shown.p)
              ? (exact || c.replications > 1 ? " (no value to compare)" : " (one replication says nothing)")
              : " (" + how + ")");
}

void write_primary(std::ostream& out, const Comparison& c, bool markdown) {
  const compare::Primary& primary = *c.primary;
  const std::string margin = primary.margin_text.empty() ? "nothing" : primary.margin_text;
  heading(out, "primary: " + primary.what.text() + ", margin " + (primary.margin_text.empty() ? "none" : margin),
          markdown);
  for (const compare::Shown& shown : primary.shown)
    out << (markdown ? "- " : "  ") << verdict_sentence(c, shown, margin) << "\n";
}

void write_holds(std::ostream& out, const Comparison& c, const compare::HoldRatios& ratios, bool markdown) {
  heading(out, "makespan of workflows, " + ratios.ignore + " / " + ratios.honor + " (above 1: holding helped)",
          markdown);
  Grid grid(std::max<std::size_t>(c.others.size(), 1), markdown);
  for (const std::string& other : c.others) grid.column(other);
  if (c.others.empty()) grid.column("at");
  grid.column("geometric mean");
  grid.column("95 % interval");
  grid.column("workflows");
  for (const compare::HoldRow& row : ratios.rows) {
    std::vector<std::string> cells;
    for (std::size_t a = 0; a < c.others.size(); ++a)
      cells.push_back(row.at.empty() ? (a == 0 ? "all" : "") : row.at[a]);
    if (c.others.empty()) cells.emplace_back("all");
    cells.push_back(fmt::format("{:.4f}", row.ratio));
    cells.push_back(!c.is_random ? "exact"
                    : std::isnan(row.interval.low)
                        ? "-"
                        : fmt::format("{:.4f} to {:.4f}", row.interval.low, row.interval.high));
    cells.push_back(format_count(row.workflows));
    grid.row(std::move(cells));
  }
  grid.write(out);
}

void write_payers(std::ostream& out, const ComparisonReport& report, const compare::Payers& payers, bool markdown) {
  heading(out,
          "who pays, by " + report.payer + ": waits under " + payers.value + " - under " + report.comparison.baseline,
          markdown);
  Grid grid(1, markdown);
  grid.column(report.payer, true);
  grid.column("jobs");
  grid.column("waits longer by");
  if (report.comparison.is_random) grid.column("95 % interval");
  const std::size_t n = payers.shares.size();
  const auto add = [&](const compare::Share& share) {
    std::vector<std::string> cells{share.name, format_count(share.jobs),
                                   signed_value(share.difference_s, Scale::kTime)};
    if (report.comparison.is_random) {
      const double ends[] = {share.interval.low, share.interval.high};
      const std::vector<std::string> texts = format_row(ends, Scale::kTime);
      cells.push_back(std::isnan(share.interval.low) ? "-" : texts[0] + " to " + texts[1]);
    }
    grid.row(std::move(cells));
  };
  std::size_t unshown = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i < kShownShares || i + kShownShares >= n)
      add(payers.shares[i]);
    else
      ++unshown;
  }
  grid.write(out);
  out << (markdown ? "\n" : "  ") << format_value(payers.lost_s, Scale::kTime) << " lost, "
      << format_value(payers.gained_s, Scale::kTime) << " gained";
  if (unshown > 0) out << "; " << format_count(unshown) << " in the middle not shown";
  if (payers.left_out > 0) out << "; " << plural(payers.left_out, "job") << " that did not start in both left out";
  out << "\n";
}

}  // namespace

void write_comparison(std::ostream& out, const ComparisonReport& report, bool markdown) {
  const Comparison& c = report.comparison;
  std::string values;
  for (const std::string& value : c.values) values += (values.empty() ? "" : ", ") + value;
  out << (markdown ? "## " : "") << printable(report.title) << ": " << printable(c.by) << " " << printable(values)
      << " beside " << printable(c.baseline) << "\n"
      << (markdown ? "\n" : "");
  if (!c.is_random)
    out << "nothing is random here: differences are exact, and say nothing of other workloads\n";
  else
    out << plural(c.replications, "replication")
        << ", paired: they share their random numbers; intervals are Student's\n";
  if (c.points > 1) out << plural(c.points, "point") << " of the other axes; 'all' is their mean in each replication\n";
  if (report.chosen_afterwards)
    out << "no primary metric was named before the run (compare:), so what is looked at is chosen afterwards: "
           "intervals, "
           "no verdicts\n";
  if (c.primary) write_primary(out, c, markdown);
  std::string same;
  for (const MetricRows& rows : c.metrics) {
    if (is_unknown(rows)) {
      same += (same.empty() ? "" : ", ") + rows.what.text() + " (no value)";
    } else if (is_same_everywhere(rows)) {
      same += (same.empty() ? "" : ", ") + rows.what.text();
    } else {
      write_metric(out, c, rows, markdown);
    }
  }
  for (const compare::HoldRatios& ratios : report.holds) write_holds(out, c, ratios, markdown);
  for (const compare::Payers& payers : report.payers) write_payers(out, report, payers, markdown);
  if (!same.empty()) out << "\n" << wrapped("the same on both sides: " + printable(same), 0, 2) << "\n";
  if (!report.notes.empty() || !report.warnings.empty()) out << "\n";
  for (const std::string& note : report.notes) out << (markdown ? "- " : "") << wrapped(printable(note), 0, 2) << "\n";
  for (const std::string& warning : report.warnings)
    out << (markdown ? "- " : "") << wrapped(printable(warning), 0, 4) << "\n";
}

}  // namespace headroom::cli
