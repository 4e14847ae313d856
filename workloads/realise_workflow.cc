#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policies/check.h"
#include "workloads/diagnostics.h"
#include "workloads/realise_items.h"

namespace headroom {
namespace {

/// "{i}.o" for element 7 is "7.o".
std::string for_element(std::string_view pattern, std::uint64_t element) {
  constexpr std::string_view kIndex = "{i}";
  std::string result;
  for (;;) {
    const std::size_t at = pattern.find(kIndex);
    result += pattern.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += std::to_string(element);
    pattern.remove_prefix(at + kIndex.size());
  }
}

class WorkflowWriter {
 public:
  WorkflowWriter(const WorkflowItem& item, const SchedulerSettings& scheduler, WorkBuilder& builder)
      : item_(item), scheduler_(scheduler), builder_(builder), draws_(builder.draws(item.name)) {}

  void write() {
    builder_.add_item(item_.name, Work::Item::Naming::kOne);
    lay_out();
    workflow_ = builder_.add_workflow(item_.at, item_.account, item_.user, item_.priority);
    for (std::uint32_t t = 0; t < templates(); ++t) write_stages(t);
    find_producers();
    for (std::uint32_t t = 0; t < templates(); ++t) write_needs(t);
    for (std::uint32_t t = 0; t < templates(); ++t) {
      if (item_.stages[t].plan) write_program(t);
    }
  }

 private:
  [[nodiscard]] std::uint32_t templates() const { return static_cast<std::uint32_t>(item_.stages.size()); }
  [[nodiscard]] std::uint64_t count(std::uint32_t t) const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(item_.stages[t].count.value_or(1), 0));
  }
  [[nodiscard]] StageRow row(std::uint32_t t, std::uint64_t element) const {
    return first_row_[t] + static_cast<StageRow>(element);
  }

  /// Gives every template its rows, after checking that all of it stays within bounds.
  void lay_out();
  void write_stages(std::uint32_t t);
  void write_facts(const StageTemplate& stage, StageRow row);
  [[nodiscard]] Duration run_time(const StageTemplate& stage, std::uint32_t index) const;
  [[nodiscard]] Duration estimate(const StageTemplate& stage, std::uint32_t index) const;
  void find_producers();
  void write_needs(std::uint32_t t);
  void collect_needs(const StageTemplate& stage, std::uint64_t element, StageRow self);
  void need(StageRow row, StageRow self) {
    if (row != self) needs_.push_back(row);
  }
  void write_program(std::uint32_t t);
  [[nodiscard]] static std::vector<PlanProgram::Op> in_batches(const PlanTemplate& plan,
                                                               const std::vector<PlanProgram::Op>& ops);
  void put_in_order(const PlanTemplate& plan, std::uint32_t index, std::vector<PlanProgram::Op>& ops) const;

  const WorkflowItem& item_;
  const SchedulerSettings& scheduler_;
  WorkBuilder& builder_;
  Draws draws_;
  std::uint32_t workflow_ = 0;
  StageRow origin_ = 0;
  std::vector<StageRow> first_row_;
  std::unordered_map<std::string, std::vector<StageRow>> producers_;  ///< of a file
  std::unordered_map<std::string, StageRow> sources_;                 ///< files that plans declare static
  std::vector<StageRow> needs_;
};

void WorkflowWriter::lay_out() {
  origin_ = static_cast<StageRow>(builder_.work().stages());
  std::uint64_t rows = 0;
  for (std::uint32_t t = 0; t < templates(); ++t) {
    first_row_.push_back(origin_ + static_cast<StageRow>(rows));
    rows += std::min(count(t), kMostRows + 1);
    if (rows > kMostRows) break;  // reserve() refuses it
  }
  builder_.reserve(1, rows);

  long double needs = 0;
  for (std::uint32_t t = 0; t < templates(); ++t) {
    for (const Need& need : item_.stages[t].needs) {
      const std::uint64_t each = need.element || need.index ? 1 : count(need.stage);
      needs += static_cast<long double>(count(t)) * static_cast<long double>(each);
    }
  }
  if (needs > static_cast<long double>(kMostRows)) {
    throw InputError({Diagnostic{"", 0, 0,
                                 "the arrays of workflow '" + item_.name + "' need each other " +
                                     std::to_string(static_cast<long long>(std::min(needs, 9e18L))) +
                                     " times in all; at most " + std::to_string(kMostRows) +
                                     " are simulated. An element needs its counterpart alone with needs: [\"NAME[i]\"]",
                                 ""}});
  }
}

Duration WorkflowWriter::run_time(const StageTemplate& stage, std::uint32_t index) const {
  if (stage.plan) return {};  // its program decides
  const Duration drawn = drawn_duration(stage.run_time, draws_, 0, index, Attribute::kRunTime, builder_.drawn_again());
  return stage.declarer ? drawn + scheduler_.overheads.step : drawn;
}

Duration WorkflowWriter::estimate(const StageTemplate& stage, std::uint32_t index) const {
  if (stage.estimate)
    return drawn_duration(*stage.estimate, draws_, 0, index, Attribute::kEstimate, builder_.drawn_again());
  return stage.walltime.value_or(scheduler_.default_estimate);
}

void WorkflowWriter::write_facts(const StageTemplate& stage, StageRow row) {
  if (stage.walltime) builder_.set_walltime(row, *stage.walltime);
  if (stage.preemptible) builder_.set_preemptible(row);
  if (stage.checkpoint) builder_.set_checkpoint(row, *stage.checkpoint);
  if (stage.retry != 0) builder_.set_retry(row, stage.retry);
  builder_.set_failing(row, stage.failing);
  if (stage.declarer) builder_.set_declarer(row, first_row_[*stage.declarer]);
}

void WorkflowWriter::write_stages(std::uint32_t t) {
  const StageTemplate& stage = item_.stages[t];
  HEADROOM_CHECK(!stage.plan || count(t) == 1, "an array of plans: '" + stage.name + "'");
  const std::uint32_t demand = builder_.demand(stage.demand);
  // A step of a plan may ask for what there is not: it waits, and the stalled run says so.
  if (!builder_.fits(demand) && item_.plans.empty()) {
    throw InputError({Diagnostic{
        "", 0, 0,
        "stage '" + stage.name + "' of workflow '" + item_.name +
            "' asks for more than the whole cluster has in one place (" + std::to_string(stage.demand.cores) +
            " cores on " + std::to_string(stage.demand.nodes) + " nodes); ask for less, or describe a larger cluster",
        ""}});
  }
  auto& names = builder_.work().items.back().stage_names;
  for (std::uint64_t element = 0; element < count(t); ++element) {
    const std::uint32_t index = row(t, element) - origin_;
    const StageRow added = builder_.add_stage(run_time(stage, index), estimate(stage, index), demand);
    HEADROOM_CHECK(added == row(t, element), "row = " + std::to_string(added));
    write_facts(stage, added);
    names.push_back(stage.count ? stage.name + "[" + std::to_string(element) + "]" : stage.name);
  }
}

void WorkflowWriter::find_producers() {
  const auto has_inputs = [](const StageTemplate& stage) { return !stage.inputs.empty(); };
  if (std::none_of(item_.stages.begin(), item_.stages.end(), has_inputs)) return;
  for (const PlanTemplate& plan : item_.plans)
    for (const PlanOp& op : plan.ops)
      for (const std::string& file : op.files) sources_.emplace(file, builder_.source(file));
  for (std::uint32_t t = 0; t < templates(); ++t) {
    for (const std::string& output : item_.stages[t].outputs) {
      for (std::uint64_t element = 0; element < count(t); ++element) {
        producers_[for_element(output, element)].push_back(row(t, element));
      }
    }
  }
}

void WorkflowWriter::collect_needs(const StageTemplate& stage, std::uint64_t element, StageRow self) {
  needs_.clear();
  for (const Need& of : stage.needs) {
    if (count(of.stage) == 0) continue;
    if (of.index) {
      need(row(of.stage, static_cast<std::uint64_t>(*of.index)), self);
    } else if (of.element) {
      need(row(of.stage, std::min(element, count(of.stage) - 1)), self);
    } else {
      for (std::uint64_t i = 0; i < count(of.stage); ++i) need(row(of.stage, i), self);
    }
  }
  for (const std::string& input : stage.inputs) {
    const std::string file = for_element(input, element);
    const auto made_by = producers_.find(file);
    if (const auto source = sources_.find(file); source != sources_.end()) {
      needs_.push_back(source->second);
    } else if (made_by == producers_.end()) {
      needs_.push_back(builder_.missing(file));
    } else {
      for (const StageRow producer : made_by->second) need(producer, self);
    }
  }
  for (const auto& [resource, amount] : stage.undefined_resources) {
    if (amount > 0) needs_.push_back(builder_.missing(resource));
  }
  // Named twice, or by name and by file: one need.
  if (!std::is_sorted(needs_.begin(), needs_.end())) std::sort(needs_.begin(), needs_.end());
  needs_.erase(std::unique(needs_.begin(), needs_.end()), needs_.end());
}

void WorkflowWriter::write_needs(std::uint32_t t) {
  const StageTemplate& stage = item_.stages[t];
  if (stage.needs.empty() && stage.inputs.empty() && stage.undefined_resources.empty()) return;
  for (std::uint64_t element = 0; element < count(t); ++element) {
    collect_needs(stage, element, row(t, element));
    builder_.set_needs(row(t, element), needs_);
  }
}

/// The declarations change places with each other; holds and pauses stay. The shuffle is Fisher and Yates', its k-th
/// exchange drawn at (workflow 0, the plan, attempt k).
void WorkflowWriter::put_in_order(const PlanTemplate& plan, std::uint32_t index,
                                  std::vector<PlanProgram::Op>& ops) const {
  if (plan.order == PlanOrder::kWritten) return;
  std::vector<std::size_t> places;
  std::vector<StageRow> rows;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != PlanOp::Kind::kDeclare) continue;
    places.push_back(i);
    rows.push_back(ops[i].stage);
  }
  if (plan.order == PlanOrder::kReversed) {
    std::reverse(rows.begin(), rows.end());
  } else {
    for (std::size_t left = rows.size(); left > 1; --left) {
      const long double u =
          draws_.uniform(0, index, static_cast<std::uint32_t>(rows.size() - left), Attribute::kShuffle);
      std::swap(rows[left - 1], rows[static_cast<std::size_t>(u * static_cast<long double>(left))]);
    }
  }
  for (std::size_t k = 0; k < places.size(); ++k) ops[places[k]].stage = rows[k];
}

/// A hold before the first declaration of every `batch`, its release after the last; the last batch may be smaller. A
/// pause inside a batch is spent holding.
std::vector<PlanProgram::Op> WorkflowWriter::in_batches(const PlanTemplate& plan,
                                                        const std::vector<PlanProgram::Op>& ops) {
  std::vector<PlanProgram::Op> result;
  std::int64_t held = 0;
  for (const PlanProgram::Op& op : ops) {
    const bool declares = op.kind == PlanOp::Kind::kDeclare;
    if (declares && held == 0) result.push_back({PlanOp::Kind::kHold, kNoRow, plan.hold});
    result.push_back(op);
    if (!declares || ++held < plan.batch) continue;
    result.push_back({PlanOp::Kind::kRelease, kNoRow, plan.release});
    held = 0;
  }
  if (held > 0) result.push_back({PlanOp::Kind::kRelease, kNoRow, plan.release});
  return result;
}

void WorkflowWriter::write_program(std::uint32_t t) {
  const PlanTemplate& plan = item_.plans[*item_.stages[t].plan];
  PlanProgram program;
  program.stage = first_row_[t];
  program.startup = plan.startup;
  program.teardown = plan.teardown;
  for (const PlanOp& op : plan.ops) {
    switch (op.kind) {
      case PlanOp::Kind::kDeclare:
        for (std::uint64_t i = 0; i < count(op.stage); ++i)
          program.ops.push_back({op.kind, row(op.stage, i), plan.declare});
        break;
      case PlanOp::Kind::kHold:
        program.ops.push_back({op.kind, kNoRow, plan.hold});
        break;
      case PlanOp::Kind::kRelease:
        program.ops.push_back({op.kind, kNoRow, plan.release});
        break;
      case PlanOp::Kind::kPause:
        program.ops.push_back({op.kind, kNoRow, op.pause});
        break;
      case PlanOp::Kind::kStatic:
        // One call: all of them are there at its end.
        for (std::size_t i = 0; i < op.files.size(); ++i) {
          const auto source = sources_.find(op.files[i]);
          program.ops.push_back(
              {op.kind, source == sources_.end() ? kNoRow : source->second, i == 0 ? plan.static_file : Duration{}});
        }
        break;
    }
  }
  put_in_order(plan, first_row_[t] - origin_, program.ops);
  if (plan.batch > 0) program.ops = in_batches(plan, program.ops);
  const auto index = static_cast<std::uint32_t>(builder_.work().plans.size());
  builder_.work().plans.push_back(std::move(program));
  builder_.set_program(first_row_[t], index);
  if (t == 0) builder_.set_root_plan(workflow_, index);
}

}  // namespace

void add_workflow_item(const WorkflowItem& item, const SchedulerSettings& scheduler, WorkBuilder& builder) {
  WorkflowWriter(item, scheduler, builder).write();
}

}  // namespace headroom
