#include "workloads/swf_import.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "workloads/diagnostics.h"

namespace headroom {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::string_view kTraceAccount = "trace";

/// Who a trace's users are. Users that the file does not map are made when they first submit.
class TraceTenants {
 public:
  struct Who {
    std::uint32_t user = 0, account = 0;
  };

  TraceTenants(const SwfTrace& trace, const SwfOptions& options, Tenants& tenants)
      : trace_(trace), options_(options), tenants_(tenants), known_(trace.users.size()) {}

  /// `index`: into SwfTrace::users.
  Who of(std::uint32_t index) {
    if (!known_[index]) known_[index] = find(trace_.users[index]);
    return *known_[index];
  }

 private:
  Who find(std::int64_t number) {
    const auto mapped = options_.users.find(number);
    if (mapped != options_.users.end()) return {mapped->second, account_of(mapped->second)};
    const std::uint32_t user = made(number < 0 ? "user-unknown" : "user" + std::to_string(number));
    const std::uint32_t account = trace_account();
    enter(account, user);
    return {user, account};
  }

  /// The first account that lists the user; the trace's own where none does.
  std::uint32_t account_of(std::uint32_t user) {
    for (std::uint32_t i = 0; i < tenants_.accounts.size(); ++i) {
      const auto& users = tenants_.accounts[i].users;
      if (std::find(users.begin(), users.end(), user) != users.end()) return i;
    }
    const std::uint32_t account = trace_account();
    enter(account, user);
    return account;
  }

  /// A set beside the list: a trace may have as many users as jobs.
  void enter(std::uint32_t account, std::uint32_t user) {
    auto& users = tenants_.accounts[account].users;
    if (members_.empty()) members_.insert(users.begin(), users.end());
    if (members_.insert(user).second) users.push_back(user);
  }

  /// Two traces with a user of the same number share it.
  std::uint32_t made(std::string name) {
    if (user_of_name_.empty()) {
      for (std::uint32_t i = 0; i < tenants_.users.size(); ++i) user_of_name_.emplace(tenants_.users[i].name, i);
    }
    const auto [found, is_new] = user_of_name_.emplace(name, static_cast<std::uint32_t>(tenants_.users.size()));
    if (is_new) tenants_.users.push_back({std::move(name), 0});
    return found->second;
  }

  std::uint32_t trace_account() {
    if (trace_account_) return *trace_account_;
    if (tenants_.organizations.empty()) tenants_.organizations.push_back({"default", 0});
    for (std::uint32_t i = 0; i < tenants_.accounts.size(); ++i) {
      const AccountSpec& account = tenants_.accounts[i];
      if (account.organization == 0 && account.name == kTraceAccount) trace_account_ = i;
    }
    if (!trace_account_) {
      trace_account_ = static_cast<std::uint32_t>(tenants_.accounts.size());
      tenants_.accounts.push_back({std::string(kTraceAccount), 0, 0, {}});
    }
    return *trace_account_;
  }

  const SwfTrace& trace_;
  const SwfOptions& options_;
  Tenants& tenants_;
  std::vector<std::optional<Who>> known_;
  std::unordered_map<std::string, std::uint32_t> user_of_name_;
  std::optional<std::uint32_t> trace_account_;
  std::unordered_set<std::uint32_t> members_;  ///< of the trace's account
};

/// Which earlier jobs a job waits for, as workflows.
class Precedence {
 public:
  Precedence(const SwfTrace& trace, SwfOptions::Preceding rule)
      : trace_(trace), honors_(rule == SwfOptions::Preceding::kHonor) {}

  /// To be called for every kept job, in order, after its workflow was added.
  void take(std::uint32_t job, std::uint32_t workflow, RepairLog& repairs, WorkBuilder& builder) {
    const auto& all = trace_.preceding;
    if (all.empty()) return;
    while (next_ < all.size() && all[next_].job < job) ++next_;
    after_.clear();
    Duration think;
    for (; next_ < all.size() && all[next_].job == job; ++next_) {
      const auto line = [&] {
        return "line " + std::to_string(trace_.line[job]) + ": preceding job " + std::to_string(all[next_].number);
      };
      if (!honors_) {
        if (after_.empty()) repairs.add(Cause::kPrecedingIgnored, line);  // a job with a list counts once
        after_.push_back(0);
        continue;
      }
      const auto found = workflow_of_number_.find(all[next_].number);
      if (found == workflow_of_number_.end()) {
        repairs.add(Cause::kPrecedingUnknown, line);
        continue;
      }
      after_.push_back(found->second);
      think = all[next_].think_time;
    }
    if (!honors_) return;
    builder.set_after(workflow, after_, think);
    workflow_of_number_[trace_.job_number[job]] = workflow;  // of a repeated number the latest before counts
  }

 private:
  const SwfTrace& trace_;
  bool honors_;
  std::size_t next_ = 0;
  std::vector<std::uint32_t> after_;
  std::unordered_map<std::int64_t, std::uint32_t> workflow_of_number_;
};

/// One job after the rules.
struct Job {
  std::int64_t processors = 0;
  Duration run_time, estimate;
};

class Importer {
 public:
  Importer(const TraceItem& item, const SwfTrace& trace, WorkBuilder& builder)
      : options_(item.options),
        trace_(trace),
        builder_(builder),
        repairs_(trace.repairs),
        processors_(total_cores(builder.work().cluster)) {}

  void run() {
    TraceTenants tenants(trace_, options_, builder_.work().tenants);
    Precedence precedence(trace_, options_.preceding);
    std::int64_t nodes = 0;
    for (const NodeClass& nodes_of : builder_.work().cluster.classes)
      nodes += std::min<std::int64_t>(nodes_of.count, 2);
    Work::Item& item = builder_.work().items.back();
    const std::uint32_t first_job = first_in_window();
    for (std::uint32_t j = first_job; j < trace_.jobs(); ++j) {
      if (options_.jobs && item.job_numbers.size() >= static_cast<std::size_t>(*options_.jobs)) break;
      if (options_.end && trace_.submitted_at[j] >= TimePoint::zero() + *options_.end) break;
      const std::optional<Job> job = shape(j);
      if (!job) continue;
      if (trace_.users[trace_.user[j]] < 0 && !options_.users.contains(trace_.users[trace_.user[j]])) {
        repairs_.add(Cause::kUnknownUser, [&] { return line(j); });
      }
      const auto who = tenants.of(trace_.user[j]);
      if (item.job_numbers.empty()) first_submit_ = trace_.submitted_at[j];
      const std::uint32_t workflow = builder_.add_workflow(arrival(trace_.submitted_at[j]), who.account, who.user, 0);
      builder_.add_stage(job->run_time, job->estimate, builder_.demand_of_cores(job->processors, nodes > 1));
      item.job_numbers.push_back(trace_.job_number[j]);
      precedence.take(j, workflow, repairs_, builder_);
    }
    number_repeats(item);
  }

  [[nodiscard]] const RepairLog& repairs() const { return repairs_; }
  [[nodiscard]] RepairLog& repairs() { return repairs_; }

 private:
  [[nodiscard]] std::string line(std::uint32_t j) const { return "line " + std::to_string(trace_.line[j]); }

  [[nodiscard]] std::uint32_t first_in_window() const {
    if (!options_.start) return 0;
    const auto& at = trace_.submitted_at;
    const auto first = std::lower_bound(at.begin(), at.end(), TimePoint::zero() + *options_.start);
    return static_cast<std::uint32_t>(first - at.begin());
  }

  /// The job after all rules but the arrival's; nothing if it is left out.
  std::optional<Job> shape(std::uint32_t j) {
    const bool by_request = options_.width == SwfOptions::Width::kRequested;
    const std::int32_t wanted = by_request ? trace_.requested[j] : trace_.allocated[j];
    const std::int32_t other = by_request ? trace_.allocated[j] : trace_.requested[j];
    Job job{wanted > 0 ? wanted : other, trace_.run_time[j], trace_.requested_time[j]};
    if (job.processors > processors_) {
      repairs_.add(Cause::kTooWide, [&] {
        return line(j) + ": " + std::to_string(job.processors) + " processors, the cluster has " +
               std::to_string(processors_);
      });
      return std::nullopt;
    }
    if (job.run_time == Duration{} && options_.zero_run == SwfOptions::ZeroRun::kDrop) {
      repairs_.add(Cause::kZeroRun, [&] { return line(j); });
      return std::nullopt;
    }
    if (wanted <= 0) {
      repairs_.add(Cause::kOtherWidth, [&] { return line(j) + ": " + std::to_string(job.processors) + " processors"; });
    }
    if (job.estimate <= Duration{}) {
      job.estimate = job.run_time;
      repairs_.add(Cause::kNoRequest, [&] { return line(j); });
    }
    if (job.run_time > job.estimate) overrun(j, job);
    if (options_.estimates == SwfOptions::Estimates::kExact) job.estimate = job.run_time;
    return job;
  }

  void overrun(std::uint32_t j, Job& job) {
    const bool cuts = options_.overrun == SwfOptions::Overrun::kCap;
    repairs_.add(cuts ? Cause::kOverrunCut : Cause::kOverrunExtended, [&] {
      return line(j) + ": run time " + std::to_string(job.run_time.ns / kSecond) + " s, requested " +
             std::to_string(job.estimate.ns / kSecond) + " s";
    });
    (cuts ? job.run_time : job.estimate) = cuts ? job.estimate : job.run_time;
  }

  [[nodiscard]] TimePoint arrival(TimePoint at) const {
    if (options_.divide_arrivals <= 1) return at;
    const std::int64_t seconds = (at - first_submit_).ns / kSecond;  // (a / b) / c = a / (b c), all floored
    return first_submit_ + Duration::seconds(seconds / options_.divide_arrivals);
  }

  /// Sets Item::job_repeats: the k-th job of a number gets k, from the second on.
  void number_repeats(Work::Item& item) {
    const auto& numbers = item.job_numbers;
    if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end()) return;
    std::vector<std::uint32_t> order(numbers.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return numbers[a] < numbers[b]; });
    std::uint32_t repeat = 1;
    for (std::size_t i = 1; i < order.size(); ++i) {
      repeat = numbers[order[i]] == numbers[order[i - 1]] ? repeat + 1 : 1;
      if (repeat == 1) continue;
      item.job_repeats.resize(numbers.size());
      item.job_repeats[order[i]] = repeat;
      repairs_.add(Cause::kRepeatedNumber, [&] { return "job number " + std::to_string(numbers[order[i]]); });
    }
  }

  const SwfOptions& options_;
  const SwfTrace& trace_;
  WorkBuilder& builder_;
  RepairLog repairs_;
  std::int64_t processors_;
  TimePoint first_submit_;
};

[[noreturn]] void refuse_empty(const SwfTrace& trace, const RepairLog& repairs) {
  std::string message = "no job is left of " + std::to_string(trace.job_lines) + " job lines";
  for (const Repair& repair : repairs.list()) message += "; " + std::to_string(repair.count) + "x " + repair.what;
  throw InputError({Diagnostic{trace.path, 0, 0, std::move(message), ""}});
}

}  // namespace

std::int64_t total_cores(const ClusterSpec& cluster) {
  std::int64_t total = 0;
  for (const NodeClass& nodes_of : cluster.classes) {
    std::int64_t cores = 0;
    if (__builtin_mul_overflow(nodes_of.count, nodes_of.capacity.cores, &cores) ||
        __builtin_add_overflow(total, cores, &total)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return total;
}

void import_swf(const TraceItem& item, const SwfTrace& trace, const std::string& repairs_prefix, WorkBuilder& builder) {
  builder.add_item(item.name, Work::Item::Naming::kJobs);
  const std::uint64_t most =
      item.options.jobs ? std::min<std::uint64_t>(
                              trace.jobs(), static_cast<std::uint64_t>(std::max<std::int64_t>(*item.options.jobs, 0)))
                        : trace.jobs();
  builder.reserve(most, most);
  builder.work().items.back().job_numbers.reserve(most);
  Importer importer(item, trace, builder);
  importer.run();
  if (builder.work().items.back().job_numbers.empty()) refuse_empty(trace, importer.repairs());
  for (Repair& repair : importer.repairs().list()) {
    repair.example.insert(0, repairs_prefix);
    builder.work().repairs.push_back(std::move(repair));
  }
}

}  // namespace headroom
