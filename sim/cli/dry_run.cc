#include "sim/cli/dry_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/cli/build_info.h"
#include "sim/cli/progress.h"
#include "sim/cli/text_table.h"
#include "sim/cli/units.h"
#include "sim/cli/used_settings.h"

namespace headroom::cli {
namespace {

constexpr double kSampleSeconds = 2;
constexpr std::size_t kMostSamples = 12;
// Measured on files of all kinds of workloads; an estimate, not a promise.
constexpr double kBytesAStage = 45;
constexpr double kBytesARun = 700;
constexpr double kBytesOfEmptyFile = 650'000;
constexpr double kMostRecordedStages = 5e6;

/// Sets a flag after a while, unless it is destroyed first.
class Alarm {
 public:
  explicit Alarm(double seconds)
      : thread_([this, seconds] {
          std::unique_lock lock(mutex_);
          if (!wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; })) rung_ = true;
        }) {}
  ~Alarm() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  [[nodiscard]] const std::atomic<bool>& rung() const { return rung_; }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::atomic<bool> rung_{false};
  std::thread thread_;
};

Sample take_sample(const Study& study) {
  Sample sample;
  const Alarm alarm(kSampleSeconds);
  const std::size_t count = std::min(kMostSamples, study.runs.size());
  for (std::size_t i = 0; i < count && !alarm.rung(); ++i) {
    // Spread over the study: its corners are what differs most.
    const std::size_t index = count == 1 ? 0 : i * (study.runs.size() - 1) / (count - 1);
    const double before = steady_seconds();
    const auto [work, report] = run_one(study, study.runs[index], false, &alarm.rung());
    const double took = steady_seconds() - before;
    if (report.status != RunStatus::kInterrupted) {
      ++sample.finished;
      sample.seconds += took;
      sample.stages += static_cast<double>(work.stages());
    } else if (report.workflows > 0) {
      sample.longest_fraction = static_cast<double>(report.finished) / static_cast<double>(report.workflows);
      sample.longest_seconds = took;
      sample.longest_stages = static_cast<double>(work.stages());
    }
  }
  return sample;
}

std::string axis_text(const SweepAxis& axis) {
  constexpr std::size_t kShown = 8;
  std::string text = axis.path + ": ";
  for (std::size_t i = 0; i < std::min(kShown, axis.values.size()); ++i) text += (i > 0 ? ", " : "") + axis.values[i];
  if (axis.values.size() > kShown)
    text += ", … " + axis.values.back() + " (" + plural(axis.values.size(), "value") + ")";
  return text;
}

/// Two digits: an estimate has no more.
std::string rough_time(double seconds) {
  const double unit = std::pow(10.0, std::floor(std::log10(seconds)) - 1);
  return format_value(std::round(seconds / unit) * unit, Scale::kTime);
}

/// What would be done.
struct Plan {
  const Study& study;
  std::string results;
  std::optional<Shard> shard;
  std::uint64_t runs = 0;  ///< of the shard, else all
  unsigned jobs = 1;
};

std::uint64_t excluded(const Study& study) {
  return static_cast<std::uint64_t>(std::ranges::count(study.grid, false) * study.replications);
}

std::string as_json(const Plan& plan, const Estimate& expected) {
  const Study& study = plan.study;
  nlohmann::ordered_json json;
  json["headroom"] = kVersion;
  json["workload"] = study.workload.name;
  json["results"] = plan.results;
  json["points"] = study.points.size();
  json["policies"] = study.policies.size();
  json["replications"] = study.replications;
  json["runs"] = study.runs.size();
  json["excluded"] = excluded(study);
  if (plan.shard) {
    json["shard"] = plan.shard->index;
    json["shards"] = plan.shard->count;
    json["runs_of_the_shard"] = plan.runs;
  }
  json["jobs"] = plan.jobs;
  json["estimated_seconds"] = expected.known ? nlohmann::ordered_json(expected.seconds) : nullptr;
  json["estimated_bytes"] = expected.known ? nlohmann::ordered_json(expected.bytes) : nullptr;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string as_text(const Plan& plan, const Sample& sample, const Estimate& expected) {
  const Study& study = plan.study;
  std::string text;
  const auto line = [&](std::string label, const std::string& content) {
    label.resize(14, ' ');
    text += label + wrapped(printable(content), label.size(), label.size()) + "\n";
  };
  std::string policies;
  for (const Policy& policy : study.policies) policies += (policies.empty() ? "" : ", ") + policy.name;
  line("workload", study.workload.name);
  for (const SweepAxis& axis : study.axes) line(axis.zipped ? "  with" : "axis", axis_text(axis));
  line("points", format_count(study.points.size()));
  line("policies", std::to_string(study.policies.size()) + ": " + policies);
  line("replications", format_count(static_cast<std::uint64_t>(study.replications)));
  const std::uint64_t without = excluded(study);
  line("runs", format_count(study.runs.size()) + (without > 0 ? " (" + format_count(without) + " excluded)" : ""));
  if (plan.shard)
    line("shard", std::to_string(plan.shard->index) + "/" + std::to_string(plan.shard->count) + ": " +
                      plural(plan.runs, "run"));
  for (const auto& [label, content] : used_settings(study, {})) line(label, content);
  const std::string threads = plural(std::min<std::uint64_t>(plan.jobs, std::max<std::uint64_t>(plan.runs, 1)), "thread");
  if (expected.known) {
    const std::string time = expected.seconds < 0.1 ? "less than 0.1 s" : "about " + rough_time(expected.seconds);
    line("time", time + " on " + threads + " (" + plural(sample.finished, "run") + " tried)");
    line("size", "about " + format_bytes(expected.bytes));
  } else {
    line("time",
         "not known: a run takes longer than the " + format_value(kSampleSeconds, Scale::kTime) + " of a trial");
  }
  line("results", plan.results + " (nothing was written)");
  return text;
}

}  // namespace

Estimate estimate(const Study& study, const Sample& sample, std::uint64_t run_count, unsigned jobs) {
  Estimate out;
  double each = 0, stages = 0;
  if (sample.finished > 0) {
    each = sample.seconds / static_cast<double>(sample.finished);
    stages = sample.stages / static_cast<double>(sample.finished);
  } else if (sample.longest_fraction >= 0.01) {
    each = sample.longest_seconds / sample.longest_fraction;
    stages = sample.longest_stages;
  } else {
    return out;
  }
  const double runs = static_cast<double>(run_count), in_all = static_cast<double>(study.runs.size());
  const RecordStages record = study.workload.record.stages;
  const bool recorded =
      record == RecordStages::kTrue || (record == RecordStages::kAuto && stages * in_all <= kMostRecordedStages);
  out.known = true;
  out.seconds = each * runs / std::max(1.0, std::min<double>(jobs, runs));
  out.bytes = kBytesOfEmptyFile + kBytesARun * runs + (recorded ? kBytesAStage * stages * runs : 0);
  return out;
}

std::string dry_run(const Study& study, const std::string& out, const std::optional<Shard>& shard, unsigned jobs,
                    Format format) {
  Plan plan{study, shard ? shard_output(out, *shard) + ".part" : out, shard, study.runs.size(), jobs};
  if (shard) plan.runs = runs_of(study, *shard).size();
  const Sample sample = take_sample(study);
  const Estimate expected = estimate(study, sample, plan.runs, jobs);
  if (format == Format::kQuiet) return "";
  if (format == Format::kJson) return as_json(plan, expected);
  return as_text(plan, sample, expected);
}

}  // namespace headroom::cli
