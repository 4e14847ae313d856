// Reading, checking and expanding a study.
#include <algorithm>
#include <set>
#include <utility>

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
      policies.push_back(read_policy(name));
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

/// Runs of the study, or more than kMostRuns.
std::uint64_t count_runs(const Study& study) {
  std::uint64_t runs = 1;
  const auto times = [&runs](std::uint64_t n) {
    if (__builtin_mul_overflow(runs, n, &runs)) runs = kMostRuns + 1;
    runs = std::min(runs, kMostRuns + 1);
  };
  for (const SweepAxis& axis : study.axes) times(axis.values.size());
  times(study.policies.size());
  times(static_cast<std::uint64_t>(std::max<std::int64_t>(study.replications, 0)));
  return runs;
}

void expand_points(Study& study, Errors& errors) {
  std::vector<std::size_t> at(study.axes.size(), 0);
  while (true) {
    std::vector<Override> overrides = study.request.sets;
    std::vector<std::string> values;
    for (std::size_t a = 0; a < at.size(); ++a) {
      values.push_back(study.axes[a].values[at[a]]);
      overrides.push_back({study.axes[a].path, values.back(), "sweep.vary"});
    }
    try {
      study.points.push_back(at.empty() ? study.workload : study.request.document->read(overrides));
    } catch (const InputError& error) {
      errors.add(error);
    }
    study.point_values.push_back(std::move(values));
    // The last axis is the fastest.
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == study.axes[axis - 1].values.size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

bool depends_on_seed(const Study& study) {
  const auto ties_at_random = [](const Policy& policy) { return std::ranges::count(policy.ties, Tie::kRandom) > 0; };
  if (std::ranges::any_of(study.policies, ties_at_random)) return true;
  return std::ranges::any_of(study.points, [&study](Workload point) {
    point.policies = study.policies;  // The file's own do not matter where the command line named others.
    return is_random(point);
  });
}

void number_runs(Study& study) {
  for (std::uint32_t point = 0; point < study.points.size(); ++point) {
    for (std::uint32_t policy = 0; policy < study.policies.size(); ++policy) {
      for (std::int64_t r = 0; r < study.replications; ++r) {
        study.runs.push_back({study.runs.size(), point, policy, static_cast<std::uint64_t>(r)});
      }
    }
  }
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
  expand_points(study, errors);
  errors.throw_if_any();
  study.random = depends_on_seed(study);
  if (study.replications > 1 && !study.random) {
    errors.add("nothing in this workload is random, so " + std::to_string(study.replications) +
               " replications would all be the same; ask for one");
  }
  errors.throw_if_any();
  number_runs(study);
  study.config_hash = sha256_hex(text_of(identity_of(study, false)));
  return study;
}

}  // namespace headroom
