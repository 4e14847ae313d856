// A workload file as checked plain values: everything named is resolved, every number is in its range, nothing is drawn
// yet. Written by the YAML reader, read by realise(). It must know neither YAML nor the engine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "policies/policy.h"
#include "policies/resources.h"
#include "policies/time.h"
#include "workloads/actions.h"

namespace headroom {

/// How a value is drawn. Durations are in nanoseconds, everything else in its own unit. Each has one uniform a draw,
/// by its inverse distribution function (quantile() in draw.h).
struct Distribution {
  enum class Kind : std::uint8_t {
    kConstant,
    kUniform,           ///< from a to b; of whole numbers both ends included
    kExponential,       ///< mean a
    kLognormal,         ///< median a; b: standard deviation of the logarithm
    kChoose,            ///< one of `choices`, by weight
    kNormal,            ///< mean a, standard deviation b; a negative duration is drawn again
    kWeibull,           ///< P(X > x) = exp(-(x / b)^a): shape a, scale b
    kGamma,             ///< shape a, scale b: mean a b, scv 1 / a
    kPareto,            ///< P(X > x) = (b / x)^a from b on; c > 0: given that it is at most c
    kHyperexponential,  ///< mean a, squared coefficient of variation b >= 1: two exponentials, each half of the mean
    kEmpirical,         ///< one of `observed`, each equally likely
  };
  struct Choice {
    std::int64_t value = 0;
    long double weight = 1;
  };

  Kind kind = Kind::kConstant;
  std::int64_t constant = 0;  ///< kConstant: exact
  long double a = 0, b = 0, c = 0;
  std::vector<Choice> choices;                                ///< kChoose, in file order
  std::shared_ptr<const std::vector<std::int64_t>> observed;  ///< kEmpirical: at least one, ascending

  static Distribution always(std::int64_t value) {
    Distribution d;
    d.constant = value;
    return d;
  }
  [[nodiscard]] bool is_random() const { return kind != Kind::kConstant; }
  friend bool operator==(const Distribution&, const Distribution&) = default;
};
inline bool operator==(const Distribution::Choice& a, const Distribution::Choice& b) {
  return a.value == b.value && a.weight == b.weight;
}

struct NodeClass {
  std::string name;  ///< nodes are called name[0] …; "slots" for the shorthand
  std::int64_t count = 1;
  NodeCapacity capacity;
};

struct ClusterSpec {
  bool from_trace = false;  ///< the file has no cluster: taken from the trace if there is one, else one slot
  std::vector<NodeClass> classes;
  std::vector<std::pair<std::string, std::int64_t>> pools;  ///< PoolId = index

  /// Every node in file order. Cost O(nodes).
  [[nodiscard]] ClusterCapacity capacity() const;
};

enum class Like : std::uint8_t { kDocumented, kStepUpRc13, kFuzzball };
enum class HoldScope : std::uint8_t { kBlock, kDeclarer };
enum class Simultaneous : std::uint8_t { kBatch, kPyss };
enum class OnFailure : std::uint8_t { kContinue, kDrain };

/// What a plan's calls cost. Each takes effect at the end of its time.
struct Overheads {
  Duration declare, static_file, hold, release, plan_start, subplan_start, plan_exit, step, skip_check;
};

struct SchedulerSettings {
  Like like = Like::kDocumented;
  Duration tick;
  HoldScope hold_scope = HoldScope::kBlock;
  HoldRelease hold_release = HoldRelease::kIdeal;  ///< kStepUpRc13 only with HoldScope::kDeclarer
  Overheads overheads;
  Simultaneous simultaneous = Simultaneous::kBatch;
  std::int64_t queue_depth = 0;
  OnFailure on_failure = OnFailure::kContinue;
  Duration default_estimate = Duration::seconds(1);
};

struct UserSpec {
  std::string name;
  std::int64_t priority = 0;
};
struct AccountSpec {
  std::string name;
  std::int64_t priority = 0;
  std::uint32_t organization = 0;
  std::vector<std::uint32_t> users;  ///< indices into Tenants::users
  std::vector<std::uint32_t> owners = {};
};
struct OrganizationSpec {
  std::string name;
  std::int64_t priority = 0;
  std::vector<std::uint32_t> owners = {};  ///< the plain relation
  std::vector<std::uint32_t> federate_owners = {};
  bool on_federate = false;  ///< its requests reach a federate, which forwards what concerns workflows
};
/// Without `tenants:` one organization, account and user, each called "default"; whoever submits owns the organization
/// and administers the cluster.
struct Tenants {
  std::vector<OrganizationSpec> organizations;
  std::vector<AccountSpec> accounts;
  std::vector<UserSpec> users;  ///< those of `users:`, then owners and administrators who are named elsewhere only
  std::vector<std::uint32_t> administrators;
  bool org_owner_implies_workflow_owner = true;
  bool everybody_owns = false;  ///< there is no `tenants:`
};

/// `fails:` of a stage.
struct Failing {
  enum class Kind : std::uint8_t { kNever, kAlways, kFirst, kProbability };
  Kind kind = Kind::kNever;
  std::int64_t first = 0;       ///< kFirst: so many tries
  long double probability = 0;  ///< kProbability: of each try
};

/// What a stage needs: every element of a template, or the element of the same index.
struct Need {
  std::uint32_t stage = 0;            ///< index into WorkflowItem::stages
  bool element = false;               ///< needs: ["cc[i]"]
  std::optional<std::int64_t> index;  ///< needs: ["cc[3]"]
};

/// One entry of `stages:` or of a plan's `steps:`, an array where `count` is set.
struct StageTemplate {
  std::string name;
  std::optional<std::int64_t> count;  ///< name[0] … name[count-1]
  Distribution run_time;
  std::optional<Distribution> estimate;
  std::optional<Duration> walltime;
  Demand demand;
  std::vector<std::pair<std::string, std::int64_t>>
      undefined_resources;  ///< asked for, in no pool: the stage never runs (plans only)
  std::vector<Need> needs;
  std::vector<std::string> inputs;  ///< files; "{i}" is the element's index
  std::vector<std::string> outputs;
  std::string command;
  bool preemptible = false;
  std::optional<Duration> checkpoint;  ///< keeps its work every so often; none: never
  Failing failing;
  std::int64_t retry = 0;
  /// Plans: the template of the plan that declares it; none for static stages and for the root plan.
  std::optional<std::uint32_t> declarer;
  std::optional<std::uint32_t> plan;  ///< set if this is a plan: index into WorkflowItem::plans
};

struct PlanOp {
  enum class Kind : std::uint8_t { kDeclare, kHold, kRelease, kPause, kStatic };
  Kind kind = Kind::kDeclare;
  std::uint32_t stage = 0;              ///< kDeclare: template; all its elements, each its own declaration
  Duration pause;                       ///< kPause
  std::vector<std::string> files = {};  ///< kStatic: confirmed source files, there from its end on
};

enum class PlanOrder : std::uint8_t { kWritten, kReversed, kShuffled };

struct PlanTemplate {
  Duration startup, declare, teardown, hold, release, static_file;  ///< overheads already filled in
  /// As the file says. realise() permutes the declarations (elements of arrays each by itself) among their places;
  /// holds and pauses stay where they are.
  PlanOrder order = PlanOrder::kWritten;
  /// `hold: N`: every N declarations, elements of arrays each by itself, are held together. 0: as `ops` have it.
  std::int64_t batch = 0;
  /// `hold:` of the plan is already applied: as_written keeps, none and batches remove, all wraps everything.
  std::vector<PlanOp> ops;
};

struct WorkflowItem {
  std::string name;
  TimePoint at;
  std::uint32_t user = 0, account = 0;
  std::int64_t priority = 0;
  /// Static: in file order. With a plan: stages[0] is the root plan, called "plan"; then every step in document order,
  /// sub-plans' steps included.
  std::vector<StageTemplate> stages;
  std::vector<PlanTemplate> plans;  ///< empty for a static graph; plans[0] is the root's
};

struct Arrivals {
  enum class Kind : std::uint8_t { kPoisson, kPeriodic, kBurst, kMmpp, kDiurnal };
  struct Phase {
    long double rate_per_ns = 0;  ///< 0: nobody comes
    Duration stay;                ///< kMmpp: on average, exponential; kDiurnal: not used
  };
  Kind kind = Kind::kPeriodic;
  long double rate_per_ns = 0;       ///< kPoisson; kDiurnal: on average
  Duration every;                    ///< kPeriodic; kBurst with `every`
  Duration first;                    ///< kPeriodic: first; kBurst: at
  std::optional<std::int64_t> size;  ///< kBurst with `every`: so many each time (default: 1)
  /// kMmpp: the states, one after the other in a circle; the first is drawn by how much time is spent in each.
  /// kDiurnal with weights: equal parts of a period, rates as they result. Else empty.
  std::vector<Phase> phases;
  Duration period;            ///< kDiurnal; a period begins at time 0
  long double amplitude = 0;  ///< kDiurnal without phases: rate (1 + amplitude cos(2 pi (t - peak) / period))
  Duration peak;
};

struct TenantChoice {
  std::uint32_t account = 0, user = 0;
  long double weight = 1;
};

/// How the stages of a generated workflow depend on each other. The numbers are drawn once for each workflow, what is
/// drawn below 1 counts as 1. Stage k is called sk.
struct Shape {
  enum class Kind : std::uint8_t {
    kSingle,    ///< one stage, called main
    kChain,     ///< `size` stages, each needs the one before
    kForkJoin,  ///< s0; `size` stages that need it; one that needs them all
    kLayered,  ///< `size` layers of `breadth` stages; each needs `degree` different ones of the layer before, at random
    kRandom,   ///< `size` stages; each needs each earlier one with probability `edge_probability`
    kTree,     ///< `size` levels; each stage is needed by `breadth` of the next level
    kDiamond,  ///< a square grid of `size` by `size`, row by row; each needs the one above and the one to the left
  };
  Kind kind = Kind::kSingle;
  Distribution size = Distribution::always(1), breadth = Distribution::always(1), degree = Distribution::always(1);
  long double edge_probability = 0;
};

/// What one generated stage takes and asks for.
struct GeneratedStage {
  long double weight = 1;  ///< of this one among those of a mix
  Distribution run_time;
  std::optional<Distribution> estimate;         ///< plain length
  std::optional<Distribution> estimate_factor;  ///< of the run time, in millionths: {factor: 1} is 1'000'000
  bool estimate_unknown = false;                ///< the scheduler is told the walltime, else the default estimate
  std::optional<Duration> walltime;
  Distribution cores = Distribution::always(1);
  Distribution memory, gpus;
  std::int32_t nodes = 1;
  std::vector<std::pair<PoolId, std::int64_t>> pools;
};

struct GenerateItem : GeneratedStage {
  std::string name;
  bool enabled = true;  ///< false: there are none of its workflows
  std::optional<std::int64_t> count;
  std::optional<Duration> until;  ///< exclusive
  Arrivals arrivals;
  std::optional<long double> load;    ///< what the file asked for; `arrivals` has the rates that follow
  std::vector<TenantChoice> tenants;  ///< at least one
  Distribution priority;
  Shape shape;
  std::vector<GeneratedStage> mix;  ///< each stage is one of these; empty: every stage is as the item itself says
  bool preemptible = false;
  std::optional<Duration> checkpoint;  ///< keeps its work every so often; none: never
  Failing failing;
  std::int64_t retry = 0;
};

struct SwfOptions {
  enum class Overrun : std::uint8_t { kCap, kExtend };
  enum class Width : std::uint8_t { kRequested, kAllocated };
  enum class Estimates : std::uint8_t { kRequested, kExact };
  enum class ZeroRun : std::uint8_t { kKeep, kDrop };
  enum class Preceding : std::uint8_t { kIgnore, kHonor };

  std::optional<std::int64_t> jobs;             ///< the first N kept ones
  std::optional<Duration> start, end;           ///< by submission, [start, end)
  std::map<std::int64_t, std::uint32_t> users;  ///< trace user -> Tenants::users
  Overrun overrun = Overrun::kCap;
  Width width = Width::kRequested;
  Estimates estimates = Estimates::kRequested;
  ZeroRun zero_run = ZeroRun::kKeep;
  Preceding preceding = Preceding::kIgnore;
  std::int64_t divide_arrivals = 1;
};

struct TraceItem {
  enum class Format : std::uint8_t { kSwf, kWfFormat };
  std::string name;    ///< the file's stem
  std::string path;    ///< as it can be opened from here
  SwfOptions options;  ///< kSwf only
  Format format = Format::kSwf;
};

using WorkItem = std::variant<WorkflowItem, TraceItem, GenerateItem>;

struct Measure {
  std::optional<Duration> from, to;  ///< the cohort: submitted in [from, to)
  std::optional<Duration> give_up;
  std::optional<Duration> late, starved;
  std::optional<bool> passed_over;  ///< work out passed_over_time; nothing said: where that is cheap
  Duration tau = Duration::seconds(10);
  /// A named subset: workflows that satisfy every stated condition.
  struct Class {
    std::string name;
    std::optional<std::int64_t> priority;
    std::vector<std::uint32_t> users, accounts;  ///< empty: any
    std::vector<std::string> items;              ///< empty: any
  };
  std::vector<Class> classes;
};

/// One axis of a sweep: a path of the file and the values it takes, as text that the reader puts there.
struct SweepAxis {
  std::string path;
  std::vector<std::string> values;
  std::string unit = {};  ///< that every value ends in, where the file says so: what is before it is a number
  bool zipped = false;    ///< goes along with the axis before it, value by value, instead of being crossed with it
};

/// Points that are not run: where every path has one of its values. `policy` may be among the paths.
struct SweepExclusion {
  std::vector<std::pair<std::string, std::vector<std::string>>> where;
};

struct SweepSpec {
  std::int64_t replications = 1;
  std::uint64_t seed = 1;
  std::vector<SweepAxis> axes;   ///< `policy` is not among them: it goes to Workload::policies
  bool latin_hypercube = false;  ///< the axes of `vary` are zipped, their values drawn
  std::vector<SweepExclusion> exclude;
};

enum class RecordStages : std::uint8_t { kFalse, kTrue, kAuto };
struct RecordSpec {
  RecordStages stages = RecordStages::kAuto;
  std::optional<Duration> queue;
  std::vector<std::string> priorities;
};

/// `compare:`, what is asked of the results, said before they are known.
struct CompareSpec {
  std::string baseline;             ///< a value of what is compared; empty: the first
  std::string metric;               ///< the primary one; empty: none
  std::string group;                ///< the class or tenant that it is of; empty: the whole cohort
  double margin = 0;                ///< a difference up to that does not matter; in the metric's unit, or a fraction
  bool margin_is_relative = false;  ///< a fraction of the baseline's mean
  std::string margin_text;          ///< as written

  friend bool operator==(const CompareSpec&, const CompareSpec&) = default;
};

struct Workload {
  std::string name;
  std::vector<std::string> data_files;       ///< read besides the traces, as they can be opened: what `empirical` names
  std::optional<std::int64_t> start_unix_s;  ///< unset: the trace's own, else 1970
  std::int32_t utc_offset_s = 0;
  ClusterSpec cluster;
  SchedulerSettings scheduler;
  Tenants tenants;
  std::vector<WorkItem> items;
  std::vector<Action> actions;   ///< in file order
  std::vector<Policy> policies;  ///< at least one
  Measure measure;
  SweepSpec sweep;
  RecordSpec record;
  std::optional<CompareSpec> compare;
};

}  // namespace headroom
