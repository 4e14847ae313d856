#include "tests/property/cases.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "tests/property/print.h"
#include "tests/property/work_builder.h"

namespace headroom::oracle {
namespace {

/// Uniform on [low, high]; shrinks towards low.
int draw(int low, int high) {
  if (high <= low) return low;
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}
/// True `percent` times in a hundred; shrinks to false.
bool draw_chance(int percent) { return draw(0, 99) >= 100 - percent; }

template <class T>
T one_of(std::initializer_list<T> values) {
  return values.begin()[draw(0, static_cast<int>(values.size()) - 1)];
}

/// What the workflows of one case are made of, so that a case is about something.
enum class Theme : std::uint8_t { kJobs, kGraphs, kPlans, kMixed };

class CaseWriter {
 public:
  explicit CaseWriter(CaseLimits limits) : limits_(limits) {}
  Case write();

 private:
  [[nodiscard]] Duration time(int low, int high) const { return unit_ * draw(low, high); }

  void draw_cluster();
  Tenants draw_tenants() const;
  void draw_settings();
  void draw_policy();
  void draw_preemption();
  void draw_measure();
  void spare_slots();
  void draw_workflow(WorkBuilder& builder);
  void draw_graph(WorkBuilder& builder);
  void draw_program(WorkBuilder& builder, StageRow plan, int depth);
  StageText draw_stage(bool in_plan);
  Demand draw_demand(bool in_plan);
  std::vector<StageRow> draw_needs(StageRow first, StageRow here);

  CaseLimits limits_;
  Case case_;
  Theme theme_ = Theme::kJobs;
  Duration unit_;
  std::uint32_t next_workflow_ = 0;
  bool feedback_ = false, crowd_ = false;
  bool failures_ = false, walls_ = false, honest_ = false, wide_ = false;
  int stages_left_ = 0;
  StageRow next_row_ = 0;
};

Case CaseWriter::write() {
  const std::vector<Duration> units = {Duration::seconds(1), Duration::hours(1), Duration::seconds(1200),
                                       Duration::nanoseconds(1)};
  unit_ = units[static_cast<std::size_t>(draw(0, limits_.fine_times ? 3 : 2))];
  theme_ = limits_.jobs_only || (limits_.preempting && draw_chance(60)) ? Theme::kJobs
           : limits_.nested
               ? Theme::kPlans
               : one_of({Theme::kJobs, Theme::kGraphs, Theme::kPlans, Theme::kPlans, Theme::kPlans, Theme::kMixed});
  failures_ = draw_chance(30);
  walls_ = draw_chance(25);
  honest_ = draw_chance(40);
  wide_ = draw_chance(limits_.reserving ? 85 : 50);
  // Only jobs of traces follow one another.
  feedback_ =
      !limits_.jobs_only && !limits_.apart && (theme_ == Theme::kJobs || theme_ == Theme::kGraphs) && draw_chance(30);
  crowd_ = draw_chance(limits_.reserving ? 80 : 50);
  stages_left_ = limits_.nested || draw_chance(70) ? limits_.stages : draw(1, limits_.stages);
  draw_cluster();
  draw_settings();
  draw_policy();
  draw_measure();
  if (limits_.nested) spare_slots();
  WorkBuilder builder(case_.work.cluster);
  builder.tenants(draw_tenants());
  const int workflows = draw(draw_chance(50) ? limits_.workflows / 2 : 1, limits_.workflows);
  for (int w = 0; w < workflows && stages_left_ > 0; ++w) draw_workflow(builder);
  case_.work = builder.done();
  return case_;
}

void CaseWriter::draw_cluster() {
  ClusterSpec cluster;
  const int classes = draw(1, 2);
  for (int i = 0; i < classes; ++i) {
    NodeClass kind;
    kind.name = "n" + std::to_string(i);
    kind.count = draw(1, i == 0 ? 2 : 1);
    kind.capacity.cores = draw(1, wide_ ? 5 : 3);
    if (wide_) kind.capacity.memory = draw(0, 4);
    if (wide_) kind.capacity.gpus = draw(0, 2);
    cluster.classes.push_back(kind);
  }
  if (wide_)
    for (int i = draw(0, 2); i > 0; --i)
      cluster.pools.emplace_back("pool" + std::to_string(i), draw(draw_chance(10) ? 0 : 1, 3));
  case_.work.cluster = cluster;
}

Tenants CaseWriter::draw_tenants() const {
  Tenants tenants;
  const bool plain = !draw_chance(50);
  for (int i = 0; i < 2; ++i) {
    tenants.organizations.push_back({"o" + std::to_string(i), plain ? 0 : draw(-1, 1)});
    tenants.users.push_back({"u" + std::to_string(i), plain ? 0 : draw(-1, 1)});
    tenants.accounts.push_back(
        {"a" + std::to_string(i), plain ? 0 : draw(-1, 1), static_cast<std::uint32_t>(i), {0, 1}});
  }
  return tenants;
}

void CaseWriter::draw_settings() {
  SchedulerSettings& settings = case_.settings;
  if (draw_chance(35)) settings.tick = time(1, 4);
  if (draw_chance(50)) settings.hold_scope = HoldScope::kDeclarer;
  if (settings.hold_scope == HoldScope::kDeclarer && draw_chance(50)) settings.hold_release = HoldRelease::kStepUpRc13;
  const bool plans = theme_ == Theme::kPlans || theme_ == Theme::kMixed;
  if (!plans && draw_chance(40)) {
    settings.simultaneous = Simultaneous::kPyss;
    settings.tick = {};
  }
  if (draw_chance(25)) settings.queue_depth = draw(1, 4);
  if (draw_chance(40)) settings.on_failure = OnFailure::kDrain;
}

void CaseWriter::draw_policy() {
  // The slow model knows the closed forms; expressions have an oracle of their own
  // (tests/policies/order_property_test.cc).
  const auto all = preset_policies();
  std::vector<Policy> presets(all.begin(), all.end());
  std::erase_if(presets, [](const Policy& policy) { return policy.priority == Priority::kExpression; });
  if (draw_chance(wide_ ? 50 : 70)) {
    case_.policy = presets[static_cast<std::size_t>(draw(0, static_cast<int>(presets.size()) - 1))];
  } else {
    Policy& policy = case_.policy;
    policy.name = "inline";
    policy.priority = static_cast<Priority>(draw(0, 2));
    for (int i = draw(0, 3); i > 0; --i) {
      const auto tie = static_cast<Tie>(draw(0, 7));
      if (std::ranges::find(policy.ties, tie) == policy.ties.end()) policy.ties.push_back(tie);
    }
    policy.placement =
        one_of({Placement::kGreedy, Placement::kStrict, Placement::kEasy, Placement::kEasy, Placement::kEasy,
                Placement::kConservative, Placement::kConservative, Placement::kConservative});
    if (policy.placement == Placement::kEasy && draw_chance(40)) policy.backfill = Backfill::kShortest;
    if (draw_chance(15)) policy.hold = HoldRule::kIgnore;
  }
  if (limits_.reserving) case_.policy.placement = one_of({Placement::kEasy, Placement::kConservative});
  if (limits_.certain) std::erase(case_.policy.ties, Tie::kRandom);
  if (limits_.preempting) draw_preemption();
  // Hours are added to whole priorities: scaling time is no symmetry then.
  if (limits_.relative_times && case_.policy.priority == Priority::kFuzzball) case_.policy.priority = Priority::kBases;
}

void CaseWriter::draw_preemption() {
  Policy& policy = case_.policy;
  if (policy.priority == Priority::kNone) policy.priority = one_of({Priority::kBases, Priority::kFuzzball});
  policy.preemption = one_of({Preemption::kRequeue, Preemption::kRequeue, Preemption::kSuspend});
  // Half a unit: no difference of bases and whole times is that.
  if (draw_chance(25)) policy.preemption_terms.margin = 0.5;
  if (draw_chance(30)) policy.preemption_terms.minimum_run = time(1, 3);
  if (draw_chance(30)) policy.preemption_terms.grace = time(1, 3);
  case_.settings.simultaneous = Simultaneous::kBatch;
}

void CaseWriter::draw_measure() {
  if (draw_chance(15)) case_.measure.give_up = time(0, 20);
  if (draw_chance(8)) case_.measure.to = time(1, 4);
}

/// Of everything else what lets a hold meet a sub-plan that runs, and a decision with a free slot.
void CaseWriter::spare_slots() {
  wide_ = false;
  failures_ = failures_ && draw_chance(50);
  walls_ = walls_ && draw_chance(50);
  NodeClass kind;
  kind.name = "n0";
  kind.capacity.cores = draw(4, 7);
  case_.work.cluster = {};
  case_.work.cluster.classes = {kind};
  case_.settings.hold_scope = HoldScope::kDeclarer;
  case_.settings.hold_release = draw_chance(85) ? HoldRelease::kStepUpRc13 : HoldRelease::kIdeal;
  case_.policy.hold = HoldRule::kHonor;
}

void CaseWriter::draw_workflow(WorkBuilder& builder) {
  const int priority = limits_.preempting ? draw(-4, 4) : draw_chance(40) ? draw(-2, 2) : 0;
  builder.workflow(TimePoint{time(0, limits_.preempting ? 8
                                     : crowd_           ? 1
                                                        : 5)
                                 .ns},
                   priority, static_cast<std::uint32_t>(draw(0, 1)), static_cast<std::uint32_t>(draw(0, 1)));
  const std::uint32_t here = next_workflow_++;
  if (feedback_ && here > 0 && draw_chance(50))
    builder.after({static_cast<std::uint32_t>(draw(0, static_cast<int>(here) - 1))}, time(0, 2));
  const bool has_plan = theme_ == Theme::kPlans || (theme_ == Theme::kMixed && draw_chance(50));
  if (!has_plan) return draw_graph(builder);
  const StageText root = draw_stage(true);
  StageText text = root;
  text.name = "plan";
  text.needs.clear();
  text.retry = 0;
  const StageRow row = builder.plan(text, time(0, 1), time(0, 1));
  ++next_row_;
  --stages_left_;
  draw_program(builder, row, 0);
}

void CaseWriter::draw_graph(WorkBuilder& builder) {
  const int stages = theme_ == Theme::kJobs ? 1 : draw(1, std::min(stages_left_, 8));
  const StageRow first = next_row_;
  // Needs point to smaller rows, or, reversed, to larger ones: the file's order need not be a topological one.
  const bool reversed = draw_chance(30);
  std::vector<std::vector<StageRow>> needs(static_cast<std::size_t>(stages));
  for (int i = 0; i < stages; ++i) {
    for (StageRow need : draw_needs(0, static_cast<StageRow>(i))) {
      if (reversed)
        needs[static_cast<std::size_t>(stages - 1 - i)].push_back(first + static_cast<StageRow>(stages - 1) - need);
      else
        needs[static_cast<std::size_t>(i)].push_back(first + need);
    }
  }
  for (int i = 0; i < stages; ++i) {
    StageText text = draw_stage(false);
    text.needs = needs[static_cast<std::size_t>(i)];
    std::ranges::sort(text.needs);
    builder.stage(text);
  }
  next_row_ += static_cast<StageRow>(stages);
  stages_left_ -= stages;
}

/// Declarations, nested holds, pauses and sub-plans, in any order.
void CaseWriter::draw_program(WorkBuilder& builder, StageRow plan, int depth) {
  using Kind = PlanOp::Kind;
  const StageRow first = plan;
  const int ops = draw(limits_.nested ? 6 : 0, 12);
  const bool costly = limits_.nested || draw_chance(50);
  int open = 0;
  auto cost = [&](int high) { return costly ? time(0, high) : Duration{}; };
  for (int i = 0; i < ops; ++i) {
    const bool starts_nested = limits_.nested && depth == 0 && i == 0;
    const bool holds_next = limits_.nested && depth == 0 && i == 1 && draw_chance(70);
    int what = starts_nested ? 9 : holds_next ? 1 : draw(0, 9);
    if (limits_.nested && what == 2 && open > 0) what = 3;  // else most holds last until the plan ends
    switch (what) {
      case 0:
        builder.op(plan, Kind::kPause, time(0, limits_.nested ? 4 : 2));
        break;
      case 1:
      case 2:
        builder.op(plan, Kind::kHold, cost(1));
        ++open;
        break;
      case 3:
        if (open == 0) break;
        builder.op(plan, Kind::kRelease, cost(1));
        --open;
        break;
      default:
        if (stages_left_ <= 0) break;
        --stages_left_;
        StageText text = draw_stage(true);
        const StageRow row = next_row_++;
        if (!starts_nested) text.needs = draw_needs(first, row);
        if (draw_chance(1)) text.needs.push_back(WorkBuilder::kNobodyMakes);
        if (what == 9 && depth < 2) {
          text.retry = 0;
          builder.plan(text, time(0, 1), time(0, 1), plan);
          builder.op(plan, Kind::kDeclare, cost(1), row);
          draw_program(builder, row, depth + 1);
        } else {
          builder.stage(text, plan);
          builder.op(plan, Kind::kDeclare, cost(1), row);
        }
    }
  }
  for (; open > 0; --open) builder.op(plan, Kind::kRelease, cost(1));
}

StageText CaseWriter::draw_stage(bool in_plan) {
  StageText text;
  text.run_time = limits_.preempting ? time(2, 12) : time(0, 5);
  text.estimate = honest_ || draw_chance(50) ? text.run_time : time(0, 6);
  if (walls_ && draw_chance(40)) text.walltime = time(0, 5);
  if (failures_ && draw_chance(25)) {
    text.failing.kind = draw_chance(50) ? Failing::Kind::kFirst : Failing::Kind::kAlways;
    if (text.failing.kind == Failing::Kind::kFirst) text.failing.first = draw(1, 2);
    if (!limits_.certain && draw_chance(15)) text.failing = {Failing::Kind::kProbability, 0, 0.5L};
  }
  if (failures_ || walls_) text.retry = draw_chance(30) ? draw(1, 2) : 0;
  text.demand = draw_demand(in_plan);
  if (limits_.preempting) {
    text.preemptible = draw_chance(85);
    if (draw_chance(30)) text.checkpoint = time(1, 2);
  }
  return text;
}

/// Mostly what the cluster can hold; now and then what it cannot.
Demand CaseWriter::draw_demand(bool in_plan) {
  Demand demand;
  if (!wide_) return demand;
  std::vector<NodeCapacity> nodes;
  for (const NodeClass& kind : case_.work.cluster.classes)
    for (std::int64_t i = 0; i < kind.count; ++i) nodes.push_back(kind.capacity);
  const NodeCapacity& model = nodes[static_cast<std::size_t>(draw(0, static_cast<int>(nodes.size()) - 1))];
  const int above = draw_chance(2) ? 1 : 0;
  auto amount = [&](std::int64_t low, std::int64_t of) {
    return draw(static_cast<int>(low), static_cast<int>(of) + above);
  };
  demand.cores = amount(1, model.cores);
  switch (draw(0, 5)) {
    case 0:
      demand.memory = amount(0, model.memory);
      break;
    case 1:
      demand.gpus = amount(0, model.gpus);
      break;
    case 2: {
      const auto as_large =
          std::ranges::count_if(nodes, [&](const NodeCapacity& n) { return n.cores >= demand.cores; });
      demand.nodes = static_cast<std::int32_t>(amount(1, std::max<std::int64_t>(as_large, 1)));
      break;
    }
    case 3:
      demand.spread = true;
      demand.cores = 0;
      for (const NodeCapacity& node : nodes) demand.cores += node.cores;
      demand.cores = amount(1, demand.cores);
      break;
    default:
      break;
  }
  const auto& pools = case_.work.cluster.pools;
  for (std::size_t p = 0; p < pools.size(); ++p)
    if (draw_chance(20))
      demand.pools.emplace_back(PoolId{static_cast<std::uint32_t>(p)},
                                amount(1, std::max<std::int64_t>(pools[p].second, 1)));
  if (in_plan && above > 0) demand.pools.emplace_back(PoolId{static_cast<std::uint32_t>(pools.size())}, 1);
  return demand;
}

/// Some of the rows [first, here).
std::vector<StageRow> CaseWriter::draw_needs(StageRow first, StageRow here) {
  std::vector<StageRow> needs;
  if (here == first || !draw_chance(55)) return needs;
  for (int i = draw(1, 3); i > 0; --i)
    needs.push_back(static_cast<StageRow>(draw(static_cast<int>(first), static_cast<int>(here) - 1)));
  std::ranges::sort(needs);
  needs.erase(std::ranges::unique(needs).begin(), needs.end());
  return needs;
}

}  // namespace

rc::Gen<Case> cases(CaseLimits limits) {
  return rc::gen::exec([limits] { return CaseWriter(limits).write(); });
}

}  // namespace headroom::oracle
