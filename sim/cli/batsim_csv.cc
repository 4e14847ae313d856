#include "sim/cli/batsim_csv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

#include "sim/cli/summary_json.h"

namespace headroom::cli {
namespace {

constexpr const char* kHeader =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,"
    "metadata,workflow,stage,attempt,kind,reason,node,user,account,workflow_submission_time\n";

using Cores = std::vector<std::pair<std::int64_t, std::int64_t>>;  ///< [first, last], rising

/// The free cores as intervals; there is no end to them, so that a record that says too little still exports.
class FreeCores {
 public:
  FreeCores() { free_.emplace(0, std::numeric_limits<std::int64_t>::max()); }

  Cores take(std::int64_t count, std::int64_t from) {
    Cores taken;
    while (count > 0) {
      auto at = free_.lower_bound(from);
      if (at != free_.begin() && std::prev(at)->second >= from) --at;
      const auto [low, high] = *at;
      const std::int64_t first = std::max(low, from);
      const std::int64_t last = high - first >= count - 1 ? first + count - 1 : high;
      free_.erase(at);
      if (low < first) free_.emplace(low, first - 1);
      if (last < high) free_.emplace(last + 1, high);
      taken.emplace_back(first, last);
      count -= last - first + 1;
      from = last + 1;
    }
    return taken;
  }

  void give_back(const Cores& cores) {
    for (auto [first, last] : cores) {
      auto next = free_.lower_bound(first);
      if (next != free_.end() && next->first == last + 1) {
        last = next->second;
        next = free_.erase(next);
      }
      if (next != free_.begin() && std::prev(next)->second == first - 1) {
        std::prev(next)->second = last;
        continue;
      }
      free_.emplace(first, last);
    }
  }

 private:
  std::map<std::int64_t, std::int64_t> free_;
};

std::string set_text(const Cores& cores) {
  std::string text;
  for (const auto& [first, last] : cores) {
    text += (text.empty() ? "" : " ") + std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
  }
  return text;
}

/// a - b of two times in seconds, as the whole nanoseconds that both stand for: 4.104 - 0.004 is 4.1.
double difference(double a, double b) {
  return static_cast<double>(
      (std::round(static_cast<long double>(a) * 1e9L) - std::round(static_cast<long double>(b) * 1e9L)) / 1e9L);
}

std::string job_id(const ExportedAttempt& a) {
  std::string id = a.stage == "main" ? a.workflow : a.workflow + "/" + a.stage;
  if (a.attempt > 0) id += "#" + std::to_string(a.attempt);
  return id;
}

}  // namespace

std::string batsim_state(const std::string& state) {
  if (state == "finished") return "COMPLETED_SUCCESSFULLY";
  if (state == "failed") return "COMPLETED_FAILED";
  if (state == "timed_out") return "COMPLETED_WALLTIME_REACHED";
  if (state == "canceled") return "COMPLETED_KILLED";
  return "";
}

std::vector<std::string> allocate_cores(const std::vector<ExportedAttempt>& attempts) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (!std::isnan(attempts[i].started_at) && attempts[i].cores > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return attempts[a].started_at < attempts[b].started_at; });
  using Busy = std::pair<double, std::size_t>;  // until, attempt
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::vector<Cores> held(attempts.size());
  std::vector<std::string> out(attempts.size());
  FreeCores free;
  for (const std::size_t i : order) {
    // Intervals are half open: what ends at this instant has given its cores back.
    for (; !busy.empty() && busy.top().first <= attempts[i].started_at; busy.pop()) {
      free.give_back(held[busy.top().second]);
      held[busy.top().second].clear();
    }
    held[i] = free.take(attempts[i].cores, attempts[i].first_core);
    out[i] = set_text(held[i]);
    const double end = attempts[i].finished_at;
    busy.emplace(std::isnan(end) ? std::numeric_limits<double>::infinity() : end, i);
  }
  return out;
}

std::string batsim_csv(const std::vector<ExportedAttempt>& attempts, const std::string& workload,
                       std::uint64_t& left_out) {
  const std::vector<std::string> cores = allocate_cores(attempts);
  std::string text = kHeader;
  left_out = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const ExportedAttempt& a = attempts[i];
    const std::string state = batsim_state(a.state);
    if (state.empty()) {
      ++left_out;
      continue;
    }
    const double run = difference(a.finished_at, a.started_at);
    const double turnaround = difference(a.finished_at, a.eligible_at);
    const auto add = [&](const std::string& field) { text += csv_field(field) + ","; };
    add(job_id(a));
    add(workload);
    add(a.stage);
    add(csv_number(a.eligible_at));
    add(std::to_string(a.cores));
    add(csv_number(a.requested_time));
    add(a.state == "finished" ? "1" : "0");
    add(state);
    add(csv_number(a.started_at));
    add(csv_number(run));
    add(csv_number(a.finished_at));
    add(csv_number(difference(a.started_at, a.eligible_at)));
    add(csv_number(turnaround));
    add(csv_number(run > 0 ? turnaround / run : std::numeric_limits<double>::quiet_NaN()));
    add(cores[i]);
    add("-1");  // no energy is modelled
    add("");
    add(a.workflow);
    add(a.stage);
    add(std::to_string(a.attempt));
    add(a.kind);
    add(a.reason);
    add(a.node);
    add(a.user);
    add(a.account);
    text += csv_number(a.submitted_at) + "\n";
  }
  return text;
}

}  // namespace headroom::cli
