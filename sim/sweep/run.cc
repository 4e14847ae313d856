// Running a study: threads over its runs, each kept on disk when it is done.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "policies/check.h"
#include "sim/engine/engine.h"
#include "sim/metrics/bounds.h"
#include "sim/metrics/warnings.h"
#include "sim/results/part_store.h"
#include "sim/results/run_tables.h"
#include "sim/sweep/facts.h"
#include "sim/sweep/guesses.h"
#include "sim/sweep/hold_gain.h"
#include "sim/sweep/study.h"
#include "sim/sweep/summary_bytes.h"

namespace headroom {
namespace {

constexpr std::uint64_t kRecordedStages = 5'000'000;  ///< of all runs together, where `record.stages` is auto
constexpr std::chrono::milliseconds kLook{20};        ///< how often the stop flag is looked at
constexpr int kLooksAFlush = 50;                      ///< so a killed process loses a second's worth of small runs

/// The trace's cluster and the workload's values, realised for one run.
Work realise_run(const Study& study, const RunSpec& spec) {
  return realise(study.points[spec.point], study.seed, spec.replication, *study.traces);
}

std::vector<double> makespans_of(const Work& work, const WorkflowTable& table) {
  std::vector<double> makespans(table.finished_at.size());
  for (std::size_t w = 0; w < makespans.size(); ++w) {
    const TimePoint submitted = w < table.submitted_at.size() ? table.submitted_at[w] : work.submitted_at[w];
    makespans[w] = table.finished_at[w].is_never() ? std::numeric_limits<double>::quiet_NaN()
                                                   : (table.finished_at[w] - submitted).in_seconds();
  }
  return makespans;
}

/// Whether a run's stages are kept; where they are not although nobody said so, the work tells.
bool records_stages(const Study& study, const RunSpec& spec, Work& work) {
  const RecordStages rule = study.points[spec.point].record.stages;
  if (rule != RecordStages::kAuto) return rule == RecordStages::kTrue;
  std::uint64_t in_all = 0;
  const bool too_many = __builtin_mul_overflow(std::uint64_t{work.stages()}, std::uint64_t{study.runs.size()}, &in_all);
  if (!too_many && in_all <= kRecordedStages) return true;
  work.repairs.push_back({"stages of a run not recorded (record: {stages: true} does)",
                          static_cast<std::int64_t>(work.stages()),
                          "more than 5000000 / " + std::to_string(study.runs.size()) + " runs"});
  return false;
}

class StudyRunner {
 public:
  StudyRunner(const Study& study, const RunOptions& options)
      : study_(study), options_(options), facts_(facts_of(study)), pairs_(hold_pairs(study.policies)) {
    for (const HoldPair& pair : pairs_) paired_.insert({pair.honor, pair.ignore});
    mine_.resize(study.runs.size());
    std::iota(mine_.begin(), mine_.end(), std::uint64_t{0});
    if (options.shard) mine_ = runs_of(study, *options.shard);
    result_.runs.resize(mine_.size());
  }

  StudyResult run() {
    open_store();
    report_progress(0);
    run_pending();
    if (store_ != nullptr) store_->flush();
    if (error_) std::rethrow_exception(error_);
    result_.complete = done_ == mine_.size();
    if (!result_.complete) return std::move(result_);
    if (options_.shard) {
      facts_.inputs = inputs_.get();
      store_->finish_shard(facts_);
      return std::move(result_);
    }
    compare_holds();
    if (store_ != nullptr) {
      facts_.inputs = inputs_.get();
      store_->assemble(facts_, options_.jobs > 1 ? options_.jobs - 1 : 0);
    }
    return std::move(result_);
  }

 private:
  void open_store() {
    std::map<std::uint64_t, std::string> done;
    if (!options_.out.empty()) {
      const std::string out = options_.shard ? shard_output(options_.out, *options_.shard) : options_.out;
      try {
        store_ = std::make_unique<PartStore>(PartStore::Options{out, options_.force, options_.resume},
                                             identity_of(study_, true));
      } catch (const OtherStudy& other) {
        std::vector<Diagnostic> diagnostics;
        for (const std::string& difference : other.differences()) {
          diagnostics.push_back({out + ".part", 0, 0, "holds runs of another study: " + difference, ""});
        }
        throw InputError(std::move(diagnostics));
      }
      done = store_->take_done();
      // Off the simulating threads; needed at the very end only.
      inputs_ = std::async(std::launch::async, [this] { return hash_inputs(study_); });
    }
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      const RunSpec& spec = study_.runs[mine_[i]];
      RunSummary& summary = result_.runs[i];
      const auto found = done.find(spec.run);
      if (found == done.end()) {
        summary.spec = spec;
        summary.report.status = RunStatus::kInterrupted;  // Until it has been run.
        pending_.push_back(i);
      } else {
        summary = read_summary(found->second, spec);
        events_ += summary.report.events;
        ++done_;
      }
    }
  }

  // This thread only watches: it passes the stop on, so that one flag ends every run, and flushes small runs.
  void run_pending() {
    const std::size_t threads = std::min<std::size_t>(std::max(options_.jobs, 1U), pending_.size());
    std::vector<std::thread> workers;
    running_ = threads;
    for (std::size_t i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
    std::unique_lock lock(mutex_);
    for (int looks = 1; !ended_.wait_for(lock, kLook, [this] { return running_ == 0; }); ++looks) {
      if (options_.stop != nullptr && options_.stop->load()) stop_ = true;
      if (looks % kLooksAFlush != 0 || store_ == nullptr || error_) continue;
      lock.unlock();
      guarded([this] { store_->flush(); });
      lock.lock();
    }
    lock.unlock();
    for (std::thread& worker : workers) worker.join();
  }

  /// The first error ends everything and is thrown again by run().
  template <class Call>
  void guarded(Call call) {
    try {
      call();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  void work() {
    guarded([this] {
      while (!stop_ && !(options_.stop != nullptr && options_.stop->load())) {
        const std::size_t next = next_++;
        if (next >= pending_.size()) break;
        run_one_of(pending_[next]);
      }
    });
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  }

  void run_one_of(std::size_t index) {
    const RunSpec& spec = study_.runs[mine_[index]];
    RunSummary summary;
    summary.spec = spec;
    Work work;
    RunFacts facts = run_facts(spec);
    try {
      work = realise_run(study_, spec);
      if (study_.runs.size() == 1) study_.traces->clear();  // nobody else will ask: a trace may be half of the memory
      facts.with_stages = records_stages(study_, spec, work);
      if (asks_for_estimates(study_.policies[spec.policy]))
        if (auto missing = missing_estimates(study_.points[spec.point])) work.repairs.push_back(std::move(*missing));
      if (!simulate_into(spec, work, facts.with_stages, summary)) return;  // Interrupted: as if never begun.
    } catch (const InputError&) {
      throw;  // A trace that cannot be had is the study's error, not a run's.
    } catch (const std::exception& error) {
      work = Work{};
      summary.report = RunReport{};
      summary.failure = error.what();
      facts.failure = summary.failure;
    }
    summary.repairs = work.repairs;
    summary.cluster_from_trace = work.cluster_from_trace;
    if (work.cluster_from_trace) summary.cluster = work.cluster;
    std::vector<double> makespans;
    if (paired_.contains(spec.policy)) makespans = makespans_of(work, summary.report.workflow_table);
    if (store_ != nullptr) {
      store_->add({spec.run, summary_bytes(summary), makespan_bytes(makespans),
                   run_tables(facts_, facts, work, summary.report)});
      makespans.clear();  // On disk by now.
    }
    summary.workflow_makespans_s = std::move(makespans);
    summary.report.workflow_table = {};
    summary.report.attempt_table = {};
    summary.report.holds = {};
    summary.report.control = {};
    summary.report.queue_samples.reset();
    summary.report.priorities.reset();
    finish(index, std::move(summary));
  }

  /// False if it was interrupted.
  bool simulate_into(const RunSpec& spec, const Work& work, bool with_stages, RunSummary& summary) {
    const Workload& point = study_.points[spec.point];
    const Policy& policy = study_.policies[spec.policy];
    const double began = options_.clock ? options_.clock() : 0;
    const RunLog log = simulate(work, point.scheduler, policy, point.measure, &stop_);
    if (log.status == RunStatus::kInterrupted) return false;
    summary.report = report(work, log, policy, point.measure, with_stages && store_ != nullptr);
    if (options_.clock) summary.report.wall_time_s = options_.clock() - began;
    check_laws(work, point.scheduler, policy, summary.report);
    for (Warning& warning : modelling_warnings(point, work, asks_for_estimates(policy)))
      summary.report.warnings.push_back(std::move(warning));
    const auto numbered =
        std::ranges::find_if(summary.report.warnings, [](const Warning& w) { return w.code[0] == 'W'; });
    std::stable_sort(numbered, summary.report.warnings.end(),
                     [](const auto& a, const auto& b) { return a.code < b.code; });
    if (study_.replications == 1)
      summary.report.warnings.insert(summary.report.warnings.begin(), no_inference(study_.random));
    const RecordSpec& record = point.record;
    if (record.queue) summary.report.queue_samples = sample_queue(work, log, *record.queue);
    if (!record.priorities.empty()) summary.report.priorities = trace_priorities(work, log, policy, record.priorities);
    return true;
  }

  [[nodiscard]] RunFacts run_facts(const RunSpec& spec) const {
    RunFacts facts;
    facts.run = spec.run;
    facts.policy = spec.policy;
    facts.replication = static_cast<std::int64_t>(spec.replication);
    facts.settings = &study_.points[spec.point].scheduler;
    facts.definition = &study_.policies[spec.policy];
    facts.measure = &study_.points[spec.point].measure;
    facts.point = study_.point_index[spec.point];
    return facts;
  }

  void finish(std::size_t index, RunSummary summary) {
    const std::uint64_t events = summary.report.events;
    {
      const std::lock_guard lock(mutex_);
      result_.runs[index] = std::move(summary);
      ++done_;
    }
    report_progress(events);
  }

  void report_progress(std::uint64_t more_events) {
    const std::lock_guard lock(progress_mutex_);
    events_ += more_events;
    if (options_.progress) options_.progress(done_, mine_.size(), events_);
  }

  [[nodiscard]] std::uint64_t run_number(std::uint32_t point, std::uint32_t policy, std::uint64_t replication) const {
    return study_.first_run[std::size_t{point} * study_.policies.size() + policy] + replication;
  }

  void compare_holds() {
    for (std::uint32_t point = 0; point < study_.points.size() && !pairs_.empty(); ++point) {
      for (const HoldPair& pair : pairs_) {
        if (run_number(point, pair.honor, 0) == kNoRun || run_number(point, pair.ignore, 0) == kNoRun) continue;
        for (std::uint64_t r = 0; r < static_cast<std::uint64_t>(study_.replications); ++r) {
          const std::vector<double> honor = makespans(run_number(point, pair.honor, r));
          const std::vector<double> ignore = makespans(run_number(point, pair.ignore, r));
          const std::optional<double> gain = hold_gain(honor, ignore);
          if (gain) result_.hold_gains.push_back({point, pair.honor, pair.ignore, r, *gain});
        }
      }
    }
    for (RunSummary& run : result_.runs) run.workflow_makespans_s = {};
  }

  [[nodiscard]] std::vector<double> makespans(std::uint64_t run) {
    if (store_ == nullptr) return result_.runs[run].workflow_makespans_s;
    return read_makespans(store_->extra(run));
  }

  const Study& study_;
  const RunOptions& options_;
  StudyFacts facts_;
  std::vector<HoldPair> pairs_;
  std::set<std::uint32_t> paired_;  ///< policies of which makespans are kept
  std::unique_ptr<PartStore> store_;
  std::future<std::vector<InputFile>> inputs_;
  std::vector<std::uint64_t> mine_;   ///< the runs that are this process's to do, rising
  std::vector<std::size_t> pending_;  ///< of mine_, those that are not done yet
  std::atomic<std::size_t> next_{0};  ///< into pending_
  std::atomic<bool> stop_{false};

  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
  std::exception_ptr error_;
  std::atomic<std::uint64_t> done_{0};
  StudyResult result_;

  std::mutex progress_mutex_;
  std::uint64_t events_ = 0;
};

}  // namespace

StudyResult run_study(const Study& study, const RunOptions& options) { return StudyRunner(study, options).run(); }

std::pair<Work, RunReport> run_one(const Study& study, const RunSpec& run, bool with_attempts,
                                   const std::atomic<bool>* stop) {
  std::pair<Work, RunReport> result;
  result.first = realise_run(study, run);
  const Workload& point = study.points[run.point];
  const Policy& policy = study.policies[run.policy];
  const RunLog log = simulate(result.first, point.scheduler, policy, point.measure, stop);
  result.second = report(result.first, log, policy, point.measure, with_attempts);
  check_laws(result.first, point.scheduler, policy, result.second);
  return result;
}

}  // namespace headroom
