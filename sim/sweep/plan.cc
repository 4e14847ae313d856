// Reading, checking and expanding a study.
#include <algorithm>
#include <set>
#include <utility>

#include "sim/compare/comparison.h"
#include "sim/metrics/catalog.h"
#include "sim/metrics/report.h"
#include "sim/results/sha256.h"
#include "sim/sweep/facts.h"
#include "sim/sweep/study.h"

namespace headroom {
namespace {

constexpr std::uint64_t kMostRuns = 1'000'000;
constexpr std::size_t kMostErrors = 100;

/// Gathers what is wrong, each thing once.
class Errors {
 public:
  explicit Errors(std::string file) : file_(std::move(file)) {}
  void add(const std::string& message) { add(Diagnostic{file_, 0, 0, message, ""}); }
  void add(const Diagnostic& diagnostic) {
    if (found_.size() < kMostErrors && seen_.insert(to_string(diagnostic)).second) found_.push_back(diagnostic);
  }
  void add(const InputError& error) {
    if (error.kind() == InputError::Kind::kNoInput) kind_ = InputError::Kind::kNoInput;
    for (const Diagnostic& diagnostic : error.diagnostics()) add(diagnostic);
  }
  void throw_if_any() const {
    if (!found_.empty()) throw InputError(found_, kind_);
  }

 private:
  std::string file_;
  std::vector<Diagnostic> found_;
  std::set<std::string> seen_;
  InputError::Kind kind_ = InputError::Kind::kBadInput;
};

std::vector<Policy> choose_policies(const Study& study, Errors& errors) {
  if (study.request.policies.empty()) return study.workload.policies;
  std::vector<Policy> policies;
  for (const std::string& name : study.request.policies) {
    // A policy that the file itself defines goes by its name, too.
    const auto own = std::ranges::find(study.workload.policies, name, &Policy::name);
    if (own != study.workload.policies.end()) {
      policies.push_back(*own);
      continue;
    }
    try {
      for (Policy& policy : read_policies(name)) policies.push_back(std::move(policy));
    } catch (const InputError& error) {
      errors.add(error);
    }
  }
  return policies;
}

void check_policies(const std::vector<Policy>& policies, Errors& errors) {
  std::set<std::string> names;
  for (const Policy& policy : policies) {
    if (!names.insert(policy.name).second) {
      errors.add("policy '" + policy.name + "' is named twice; results are told apart by the name");
    }
  }
}

/// A policy is one thing in all of the results, so that a swept value may not reach into it.
void check_points(const Study& study, Errors& errors) {
  for (const Policy& base : study.workload.policies) {
    const auto is_named_so = [&](const Policy& other) { return other.name == base.name; };
    if (std::ranges::none_of(study.policies, is_named_so)) continue;
    for (const Workload& point : study.points) {
      const auto own = std::ranges::find_if(point.policies, is_named_so);
      if (own != point.policies.end() && *own == base) continue;
      errors.add("the sweep changes the policy '" + base.name +
                 "'; sweep its param there instead: {policy: " + base.name + ", PARAM: [VALUE, VALUE]}");
      break;
    }
  }
}

/// The axes that go along with each other, as indices; the first of each is the one that leads.
std::vector<std::size_t> leading_axes(const std::vector<SweepAxis>& axes) {
  std::vector<std::size_t> leading;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (!axes[a].zipped) leading.push_back(a);
  return leading;
}

/// Runs of the grid, excluded ones too, or more than kMostRuns.
std::uint64_t count_runs(const Study& study) {
  std::uint64_t runs = 1;
  const auto times = [&runs](std::uint64_t n) {
    if (__builtin_mul_overflow(runs, n, &runs)) runs = kMostRuns + 1;
    runs = std::min(runs, kMostRuns + 1);
  };
  for (const std::size_t a : leading_axes(study.axes)) times(study.axes[a].values.size());
  times(study.policies.size());
  times(static_cast<std::uint64_t>(std::max<std::int64_t>(study.replications, 0)));
  return runs;
}

bool excludes(const SweepExclusion& exclusion, const Study& study, const std::vector<std::uint32_t>& index,
              const Policy& policy) {
  return std::ranges::all_of(exclusion.where, [&](const auto& condition) {
    const auto& [path, values] = condition;
    const auto axis = std::ranges::find(study.axes, path, &SweepAxis::path);
    const auto at = static_cast<std::size_t>(axis - study.axes.begin());
    const std::string& value = axis == study.axes.end() ? policy.name : axis->values[index[at]];
    return std::ranges::find(values, value) != values.end();
  });
}

class Points {
 public:
  Points(Study& study, Errors& errors) : study_(study), errors_(errors), leading_(leading_axes(study.axes)) {}

  void expand() {
    std::vector<std::uint32_t> at(leading_.size(), 0);
    while (true) {
      add(at);
      // The last axis is the fastest.
      std::size_t d = at.size();
      while (d > 0 && ++at[d - 1] == study_.axes[leading_[d - 1]].values.size()) at[--d] = 0;
      if (d == 0) break;
    }
    if (study_.points.empty() && !failed_) errors_.add("sweep.exclude leaves nothing to run");
  }

 private:
  void add(const std::vector<std::uint32_t>& at) {
    std::vector<std::uint32_t> index(study_.axes.size());
    for (std::size_t a = 0, d = 0; a < index.size(); ++a) {
      if (!study_.axes[a].zipped) ++d;
      index[a] = at[d - 1];
    }
    std::vector<bool> runs;
    for (const Policy& policy : study_.policies)
      runs.push_back(std::ranges::none_of(study_.workload.sweep.exclude, [&](const SweepExclusion& exclusion) {
        return excludes(exclusion, study_, index, policy);
      }));
    study_.grid.insert(study_.grid.end(), runs.begin(), runs.end());
    if (std::ranges::find(runs, true) == runs.end()) return;
    read(index);
    number(runs);
    study_.point_index.push_back(std::move(index));
  }

  void read(const std::vector<std::uint32_t>& index) {
    std::vector<Override> overrides = study_.request.sets;
    std::vector<std::string> values;
    for (std::size_t a = 0; a < index.size(); ++a) {
      values.push_back(study_.axes[a].values[index[a]]);
      overrides.push_back({study_.axes[a].path, values.back(), "sweep.vary"});
    }
    try {
      study_.points.push_back(index.empty() ? study_.workload : study_.request.document->read(overrides));
    } catch (const InputError& error) {
      failed_ = true;
      errors_.add(error);
    }
    study_.point_values.push_back(std::move(values));
  }

  void number(const std::vector<bool>& runs) {
    const auto point = static_cast<std::uint32_t>(study_.point_values.size() - 1);
    for (std::uint32_t policy = 0; policy < runs.size(); ++policy) {
      study_.first_run.push_back(runs[policy] ? study_.runs.size() : kNoRun);
      for (std::int64_t r = 0; r < study_.replications && runs[policy]; ++r)
        study_.runs.push_back({study_.runs.size(), point, policy, static_cast<std::uint64_t>(r)});
    }
  }

  Study& study_;
  Errors& errors_;
  std::vector<std::size_t> leading_;
  bool failed_ = false;
};

bool depends_on_seed(const Study& study) {
  const auto ties_at_random = [](const Policy& policy) { return std::ranges::count(policy.ties, Tie::kRandom) > 0; };
  if (std::ranges::any_of(study.policies, ties_at_random)) return true;
  return std::ranges::any_of(study.points, [&study](Workload point) {
    point.policies = study.policies;  // The file's own do not matter where the command line named others.
    return is_random(point);
  });
}

/// Said before the run, so that it is not found out after it.
void check_primary(const Workload& workload, Errors& errors) {
  if (!workload.compare || workload.compare->metric.empty()) return;
  const std::string& name = workload.compare->metric;
  if (std::ranges::find(metric_catalog(), name, &MetricInfo::name) == metric_catalog().end())
    errors.add("compare.primary: there is no metric called '" + name + "'" + metric_hint(name));
  else if (compare::better_of(name) == compare::Direction::kNeither)
    errors.add("compare.primary: of '" + name + "' neither more nor less is better");
  else if (!workload.compare->group.empty() && !metric_catalog()[metric_index(name)].in_groups)
    errors.add("compare.primary: '" + name + "' is a metric of a whole run, not of a class or tenant");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Study::point(const RunSpec& run) const {
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t a = 0; a < axes.size(); ++a) values.emplace_back(axes[a].path, point_values[run.point][a]);
  return values;
}

Study plan_study(StudyRequest request) {
  Study study;
  study.request = std::move(request);
  study.traces = std::make_shared<TraceCache>();
  study.workload = study.request.document->read(study.request.sets);  // Refuses to set what is swept.
  study.axes = study.workload.sweep.axes;
  study.seed = study.request.seed.value_or(study.workload.sweep.seed);
  study.replications = study.request.replications.value_or(study.workload.sweep.replications);

  Errors errors(study.request.document->file());
  study.policies = choose_policies(study, errors);
  check_policies(study.policies, errors);
  check_primary(study.workload, errors);
  if (study.replications < 1) {
    errors.add("replications must be at least 1, not " + std::to_string(study.replications));
  }
  for (const SweepAxis& axis : study.axes) {
    if (axis.values.empty()) errors.add("sweep.vary." + axis.path + " has no values");
  }
  errors.throw_if_any();
  if (count_runs(study) > kMostRuns) {
    errors.add("the sweep has more than " + std::to_string(kMostRuns) + " runs (points x policies x replications)");
  }
  errors.throw_if_any();
  Points(study, errors).expand();
  errors.throw_if_any();
  check_points(study, errors);
  errors.throw_if_any();
  study.random = depends_on_seed(study);
  if (study.replications > 1 && !study.random) {
    errors.add("nothing in this workload is random, so " + std::to_string(study.replications) +
               " replications would all be the same; ask for one");
  }
  errors.throw_if_any();
  study.config_hash = sha256_hex(text_of(identity_of(study, false)));
  return study;
}

}  // namespace headroom
