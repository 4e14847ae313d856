// The compact form of a case: everything that was set, nothing that has its usual value.
#include "tests/property/print.h"

#include <array>
#include <ostream>
#include <sstream>

namespace headroom::oracle {
namespace {

constexpr std::array<std::string_view, 8> kTies = {"tail_time", "declaration", "submit_time", "shortest",
                                                   "longest",   "largest",     "smallest",    "random"};
constexpr std::array<std::string_view, 3> kPriorities = {"0", "bases", "default"};
constexpr std::array<std::string_view, 4> kPlacements = {"greedy", "strict", "easy", "conservative"};

void show_policy(std::ostream& out, const Policy& policy) {
  out << "policy '" << policy.name << "' priority " << kPriorities[static_cast<std::size_t>(policy.priority)]
      << " ties";
  for (Tie tie : policy.ties) out << ' ' << kTies[static_cast<std::size_t>(tie)];
  out << ' ' << kPlacements[static_cast<std::size_t>(policy.placement)];
  if (policy.backfill == Backfill::kShortest) out << " backfill shortest";
  if (policy.preemption != Preemption::kOff)
    out << " preemption " << preemption_words()[static_cast<std::size_t>(policy.preemption)] << " margin "
        << policy.preemption_terms.margin << " minimum_run " << policy.preemption_terms.minimum_run.ns << " grace "
        << policy.preemption_terms.grace.ns;
  if (policy.hold == HoldRule::kIgnore) out << " hold ignore";
  out << '\n';
}

void show_settings(std::ostream& out, const SchedulerSettings& settings, const Measure& measure) {
  out << "scheduler tick " << show(settings.tick) << (settings.hold_scope == HoldScope::kBlock ? " block" : " declarer")
      << (settings.hold_release == HoldRelease::kStepUpRc13 ? " rc13" : "")
      << (settings.simultaneous == Simultaneous::kPyss ? " pyss" : " batch") << " depth " << settings.queue_depth
      << (settings.on_failure == OnFailure::kDrain ? " drain" : "");
  if (measure.from) out << " from " << show(*measure.from);
  if (measure.to) out << " to " << show(*measure.to);
  if (measure.give_up) out << " give_up " << show(*measure.give_up);
  out << '\n';
}

void show_cluster(std::ostream& out, const ClusterSpec& cluster) {
  out << "nodes";
  for (const NodeClass& kind : cluster.classes)
    out << ' ' << kind.count << "x(" << kind.capacity.cores << "c " << kind.capacity.memory << "m "
        << kind.capacity.gpus << "g)";
  if (!cluster.pools.empty()) out << " pools";
  for (const auto& [name, amount] : cluster.pools) out << ' ' << amount;
  out << '\n';
}

void show_demand(std::ostream& out, const Demand& demand) {
  if (demand == Demand{}) return;
  out << ", asks " << demand.cores << 'c';
  if (demand.memory) out << ' ' << demand.memory << 'm';
  if (demand.gpus) out << ' ' << demand.gpus << 'g';
  if (demand.nodes != 1) out << " on " << demand.nodes << " nodes";
  if (demand.spread) out << " spread";
  for (const auto& [pool, amount] : demand.pools) out << " pool" << pool.value << ':' << amount;
}

void show_plan(std::ostream& out, const PlanProgram& plan) {
  out << "plan: startup " << show(plan.startup);
  for (const PlanProgram::Op& op : plan.ops) {
    switch (op.kind) {
      case PlanOp::Kind::kDeclare:
        out << " | s" << op.stage;
        break;
      case PlanOp::Kind::kHold:
        out << " | hold";
        break;
      case PlanOp::Kind::kRelease:
        out << " | release";
        break;
      case PlanOp::Kind::kPause:
        out << " | pause";
        break;
      case PlanOp::Kind::kStatic:
        out << " | static";
        break;
    }
    if (op.cost.ns != 0) out << ' ' << show(op.cost);
  }
  out << " | teardown " << show(plan.teardown);
}

void show_stage(std::ostream& out, const Work& work, StageRow s) {
  out << "  s" << s << ' ';
  const std::int32_t program = work.program.empty() ? -1 : work.program[s];
  if (program >= 0)
    show_plan(out, work.plans[static_cast<std::size_t>(program)]);
  else
    out << "run " << show(work.run_time[s]);
  if (program >= 0 || work.estimate[s] != work.run_time[s]) out << ", estimate " << show(work.estimate[s]);
  if (!work.walltime.empty() && !work.walltime[s].is_infinite()) out << ", walltime " << show(work.walltime[s]);
  show_demand(out, work.demands[work.demand[s]]);
  if (!work.needs_begin.empty() && work.needs_begin[s] != work.needs_begin[s + 1]) {
    out << ", needs";
    for (std::uint32_t i = work.needs_begin[s]; i < work.needs_begin[s + 1]; ++i) {
      if (work.needs[i] >= work.stages())
        out << " missing" << work.needs[i] - work.stages();
      else
        out << " s" << work.needs[i];
    }
  }
  if (!work.failing.empty()) {
    const Failing& failing = work.failings[work.failing[s]];
    if (failing.kind == Failing::Kind::kAlways) out << ", fails";
    if (failing.kind == Failing::Kind::kFirst) out << ", fails " << failing.first;
    if (failing.kind == Failing::Kind::kProbability) out << ", fails with p";
  }
  if (!work.preemptible.empty() && work.preemptible[s] != 0) out << ", preemptible";
  if (!work.checkpoint.empty() && !work.checkpoint[s].is_infinite()) out << ", checkpoint " << work.checkpoint[s].ns;
  if (!work.retry.empty() && work.retry[s] != 0) out << ", retry " << work.retry[s];
  out << '\n';
}

}  // namespace

std::string show(Duration length) {
  if (length.is_infinite()) return "infinite";
  struct Unit {
    std::int64_t ns;
    std::string_view name;
  };
  constexpr std::array<Unit, 5> kUnits = {
      {{3'600'000'000'000, "h"}, {60'000'000'000, "min"}, {1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}}};
  if (length.ns == 0) return "0";
  for (const Unit& unit : kUnits)
    if (length.ns % unit.ns == 0) return std::to_string(length.ns / unit.ns) + std::string(unit.name);
  return std::to_string(length.ns) + "ns";
}

std::string show(TimePoint at) { return at.is_never() ? "never" : show(Duration{at.ns}); }

std::string show(const std::vector<StageRow>& rows) {
  std::string text;
  for (StageRow s : rows) text += (text.empty() ? "s" : " s") + std::to_string(s);
  return text;
}

std::string show(const StageOutcome& stage) {
  std::string text(word(stage.phase));
  text += ", declared " + show(stage.declared_at) + ", eligible";
  for (const auto& [from, to] : stage.eligible) text += " [" + show(from) + ", " + show(to) + ")";
  for (const Attempt& a : stage.attempts) {
    text += "; " + show(a.start) + " to " + show(a.end) + ' ' + std::string(word(a.how)) + " on";
    for (NodeId node : a.nodes) text += ' ' + std::to_string(node.value);
    text += " tail " + show(a.tail_time);
  }
  return text;
}

std::string show(const Case& c) {
  std::ostringstream out;
  show_policy(out, c.policy);
  show_settings(out, c.settings, c.measure);
  show_cluster(out, c.work.cluster);
  for (std::uint32_t w = 0; w < c.work.workflows(); ++w) {
    const AccountSpec& account = c.work.tenants.accounts[c.work.account[w]];
    out << 'w' << w << " at " << show(c.work.submitted_at[w]) << ", priority " << c.work.priority[w] << " + user "
        << c.work.tenants.users[c.work.user[w]].priority << " + account " << account.priority << " + organization "
        << c.work.tenants.organizations[account.organization].priority;
    if (!c.work.after_begin.empty() && c.work.after_begin[w] != c.work.after_begin[w + 1]) {
      out << ", " << show(c.work.think_time[w]) << " after";
      for (std::uint32_t i = c.work.after_begin[w]; i < c.work.after_begin[w + 1]; ++i) out << " w" << c.work.after[i];
    }
    out << '\n';
    for (StageRow s = c.work.first_stage[w]; s < c.work.first_stage[w + 1]; ++s) show_stage(out, c.work, s);
  }
  return out.str();
}

std::string_view word(RunStatus status) {
  constexpr std::array<std::string_view, 4> kWords = {"finished", "gave up", "stalled", "interrupted"};
  return kWords[static_cast<std::size_t>(status)];
}

std::string_view word(Phase phase) {
  constexpr std::array<std::string_view, 8> kWords = {"undeclared", "waiting",   "running",  "finished",
                                                      "failed",     "timed out", "canceled", "preempted"};
  return kWords[static_cast<std::size_t>(phase)];
}

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << show(c); }

}  // namespace headroom::oracle
