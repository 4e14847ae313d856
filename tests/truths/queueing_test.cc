// Mean waits that queueing theory knows exactly, against the very code that `sim` runs: the YAML is read, realised,
// simulated and reported on, in memory. Each line of the table that is printed: what is expected and from where, what
// came out, its standard error, and how many of those lie between them; more than four fail.
//
// Independent replications, so that the standard error needs no model of the autocorrelation (which is strong: at a
// load of 0.8 an M/M/1 queue forgets its past with a time constant of 1 / (1 - sqrt(0.8))^2 = 90 service times). Each
// begins empty and is measured after ten time constants, which leaves a bias below 0.01 % of the value; arrivals go on
// after the last that is measured, so that its end is not special either.
//
// With HEADROOM_LONG so many jobs are simulated that the standard error is at most 0.5 % of each value; the short form
// of every day has a looser one, which it prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "policies/policy.h"
#include "sim/engine/engine.h"
#include "sim/metrics/report.h"
#include "workloads/realise.h"
#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

#ifdef HEADROOM_LONG
constexpr bool kLong = true;
#else
constexpr bool kLong = false;
#endif
constexpr int kReplications = kLong ? 128 : 32;
constexpr double kMostErrors = 4;
constexpr double kLargestError = 0.005;  ///< of the value; in the long form
constexpr double kTimeConstant = 90;     ///< hours; the mean service time is one

struct Line {
  std::string what, source;
  double expected = 0;
};

struct Queue {
  std::string cluster = "slots: 1";
  std::string tenants;  ///< "" or a section
  std::string work;     ///< the items, each ending in a line break; UNTIL stands for the time of the last arrival
  std::string policy = "fcfs";
  double jobs_per_hour = 0.8;
  double scv = 1;          ///< of service times: how much slower than an M/M/1 it forgets
  double long_jobs = 6e6;  ///< measured in all, in the long form
};

/// What a run of one replication gives: the mean wait of each item in hours.
std::vector<double> waits_of(const Workload& workload, const Policy& policy, std::uint64_t replication) {
  TraceCache traces;
  const Work work = realise(workload, 1, replication, traces);
  const RunLog log = simulate(work, workload.scheduler, policy, workload.measure);
  const RunReport out = report(work, log, policy, workload.measure, false);
  std::vector<double> waits;
  for (const Group& item : out.classes) waits.push_back(item.metrics[metric_index("wait_time_mean")] / 3600);
  return waits;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what))
    text.replace(at, what.size(), by);
  return text;
}

std::vector<std::vector<double>> all_waits(const Queue& queue) {
  const double from = 10 * kTimeConstant * (1 + queue.scv) / 2;
  const double jobs = kLong ? queue.long_jobs : 2e5;
  const double to = from + std::ceil(jobs / queue.jobs_per_hour / kReplications);
  const auto hours = [](double h) { return std::to_string(static_cast<long>(h)) + "h"; };
  const std::string text = "cluster: {" + queue.cluster + "}\n" + queue.tenants + "work:\n" +
                           replaced(queue.work, "UNTIL", hours(to + 200)) + "measure: {from: " + hours(from) +
                           ", to: " + hours(to) + "}\npolicies: [" + queue.policy + "]\n";
  const Workload workload = WorkloadDocument::parse(text, "queue.yaml").read();
  const Policy policy = workload.policies.at(0);
  std::vector<std::vector<double>> results(kReplications);
  std::atomic<int> next{0};
  const auto work = [&] {
    for (int r = next++; r < kReplications; r = next++) {
      results[static_cast<std::size_t>(r)] = waits_of(workload, policy, static_cast<std::uint64_t>(r));
    }
  };
  std::thread other(work);
  work();
  other.join();
  return results;
}

/// One line for each item of the queue's work.
void check(const Queue& queue, const std::vector<Line>& lines) {
  const auto waits = all_waits(queue);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    double mean = 0, squares = 0;
    for (const auto& run : waits) mean += run.at(k) / kReplications;
    for (const auto& run : waits) squares += (run[k] - mean) * (run[k] - mean);
    const double error = std::sqrt(squares / (kReplications - 1) / kReplications);
    const double expected = lines[k].expected, distance = (mean - expected) / error;
    std::printf("%-36s %-28s expected %9.6f  ours %9.6f  se %8.6f (%.2f %%)  %+5.2f se\n", lines[k].what.c_str(),
                lines[k].source.c_str(), expected, mean, error, 100 * error / expected, distance);
    EXPECT_LE(std::abs(distance), kMostErrors) << lines[k].what;
    if (kLong) {
      EXPECT_LE(error, kLargestError * expected) << lines[k].what;
    }
  }
}

std::string generated(const std::string& name, double rate, const std::string& rest) {
  return "  - generate: {name: " + name + ", until: UNTIL, arrivals: {poisson: {rate: " + std::to_string(rate) +
         "/h}}, " + rest + "}\n";
}

const std::string kService = "runtime: {exponential: {mean: 1h}}";

/// Probability that an arrival waits, c servers, `offered` = lambda / mu.
double erlang_c(int servers, double offered) {
  double term = 1, sum = 0;
  for (int k = 0; k < servers; ++k) {
    sum += term;
    term *= offered / (k + 1);
  }
  const double full = term * servers / (servers - offered);
  return full / (sum + full);
}

// ---- one class, first come first served

void check_servers(int servers, double long_jobs) {
  const double rate = 0.8 * servers;
  Queue queue;
  queue.cluster = "slots: " + std::to_string(servers);
  queue.work = generated("g", rate, kService);
  queue.jobs_per_hour = rate;
  queue.long_jobs = long_jobs;
  check(queue,
        {{"M/M/" + std::to_string(servers) + ", load 0.8", "Erlang C", erlang_c(servers, rate) / (servers - rate)}});
}

TEST(Queueing, OneServerWaitsAsErlangSays) { check_servers(1, 7e6); }
TEST(Queueing, TwoServersWaitAsErlangSays) { check_servers(2, 8e6); }
TEST(Queueing, FourServersWaitAsErlangSays) { check_servers(4, 12e6); }
TEST(Queueing, EightServersWaitAsErlangSays) { check_servers(8, 16e6); }
TEST(Queueing, SixteenServersWaitAsErlangSays) { check_servers(16, 24e6); }

void check_scv(double scv, const std::string& service, double long_jobs) {
  Queue queue;
  queue.work = generated("g", 0.8, service);
  queue.scv = scv;
  queue.long_jobs = long_jobs;
  // W0 / (1 - rho), W0 = lambda E[S^2] / 2 and E[S^2] = 1 + scv.
  check(queue, {{"M/G/1, load 0.8, scv " + std::to_string(static_cast<int>(scv)), "Pollaczek and Khinchine",
                 0.8 * (1 + scv) / 2 / 0.2}});
}

TEST(Queueing, ConstantServiceWaitsAsPollaczekAndKhinchineSay) { check_scv(0, "runtime: 1h", 4e6); }
TEST(Queueing, ExponentialServiceWaitsAsPollaczekAndKhinchineSay) {
  check_scv(1, "runtime: {gamma: {shape: 1, scale: 1h}}", 7e6);
}
TEST(Queueing, ServiceOfScv4WaitsAsPollaczekAndKhinchineSay) {
  check_scv(4, "runtime: {hyperexponential: {mean: 1h, scv: 4}}", 20e6);
}
TEST(Queueing, ServiceOfScv9WaitsAsPollaczekAndKhinchineSay) {
  check_scv(9, "runtime: {hyperexponential: {mean: 1h, scv: 9}}", 60e6);
}

// ---- two classes

/// High has `offset` points more than low. Everybody's estimate is the same, so that within a class the tie by tail
/// time decides nothing and declaration order, that is arrival, does.
Queue two_classes(int servers, double rate_of_each, double offset, const std::string& policy) {
  Queue queue;
  queue.cluster = "slots: " + std::to_string(servers);
  queue.tenants =
      "tenants:\n  users: {high: {priority: " + std::to_string(static_cast<int>(offset)) +
      "}, low: {}}\n  organizations:\n    - {organization: o, accounts: [{account: a, users: [high, low]}]}\n";
  const std::string rest = kService + ", estimate: {constant: 1h}, user: ";
  queue.work = generated("high", rate_of_each, rest + "high") + generated("low", rate_of_each, rest + "low");
  queue.policy = policy;
  queue.jobs_per_hour = 2 * rate_of_each;
  queue.long_jobs = 20e6;
  return queue;
}

TEST(Queueing, StaticPrioritiesWaitAsCobhamSays) {
  check(two_classes(1, 0.4, 1, "no_aging"),
        {{"static priority, M/M/1, high", "Cobham", 4.0 / 3}, {"static priority, M/M/1, low", "Cobham", 20.0 / 3}});
}

TEST(Queueing, StaticPrioritiesOnFourServersWaitAsCobhamSays) {
  // W0 becomes C / (c mu).
  const double w0 = erlang_c(4, 3.2) / 4;
  check(two_classes(4, 1.6, 1, "no_aging"), {{"static priority, M/M/4, high", "Cobham, C / (c mu)", w0 / 0.6},
                                             {"static priority, M/M/4, low", "Cobham, C / (c mu)", w0 / (0.6 * 0.2)}});
}

// The default ages everybody by one point an hour, so that order is by arrival - offset: Jackson's dynamic priorities.
// The values come from E W_low = W0 / (1 - rho) + rho_high I(D), I(D) the integral from 0 to D of P(W_low > s) in the
// static queue, by inversion of its transform.
void check_offset(double offset, double high, double low) {
  const std::string of = "ageing, offset " + std::to_string(static_cast<int>(offset)) + " h, ";
  check(two_classes(1, 0.4, offset, "default"),
        {{of + "high", "transform inversion", high}, {of + "low", "transform inversion", low}});
}

TEST(Queueing, AgeingWithoutAnOffsetIsFirstComeFirstServed) { check_offset(0, 4, 4); }
TEST(Queueing, AgeingWithAnOffsetOfOneHourWaitsAsComputed) { check_offset(1, 3.70712, 4.29288); }
TEST(Queueing, AgeingWithAnOffsetOfFiveHoursWaitsAsComputed) { check_offset(5, 2.87053, 5.12947); }
TEST(Queueing, AgeingWithAnOffsetOfTwentyHoursWaitsAsComputed) { check_offset(20, 1.66332, 6.33668); }

// ---- two classes whose priority grows at rates of their own: b times the time waited, by expression

/// Kleinrock's time-dependent priorities, also called the accumulating priority queue: `low` ages at 1 an hour, `high`
/// at `ratio`. Source: Kleinrock 1964; Stanford, Taylor and Ziedins, Queueing Systems 77 (2014). `first_come`: the mean
/// wait of first come first served, W0 / (1 - rho); `rho_each`: the load of either class.
void check_rates(int servers, double rate_of_each, int ratio, const std::string& expression, double first_come,
                 double rho_each) {
  Queue queue =
      two_classes(servers, rate_of_each, 0, "{policy: kleinrock, ties: [declaration], priority: '" + expression + "'}");
  queue.tenants = "tenants:\n  users: {high: {priority: " + std::to_string(ratio) +
                  "}, low: {priority: 1}}\n  organizations:\n    - {organization: o, accounts: [{account: a, users: "
                  "[high, low]}]}\n";
  const double low = first_come / (1 - rho_each * (1 - 1.0 / ratio));
  const double high = first_come - rho_each * low * (1 - 1.0 / ratio);
  const std::string of = "M/M/" + std::to_string(servers) + ", rates 1 and " + std::to_string(ratio) + ", ";
  check(queue, {{of + "high", "Kleinrock", high}, {of + "low", "Kleinrock", low}});
}

const std::string kRate = "(now() - workflow.create_time).Hours() * user.priority";

// 5 and 3.
TEST(Queueing, PrioritiesThatGrowTwiceAsFastWaitAsKleinrockSays) { check_rates(1, 0.4, 2, kRate, 4, 0.4); }
// 40/7 and 16/7.
TEST(Queueing, PrioritiesThatGrowFourTimesAsFastWaitAsKleinrockSays) { check_rates(1, 0.4, 4, kRate, 4, 0.4); }
// 0.931926 and 0.559155: W0 becomes C / (c mu), rho_i lambda_i / (c mu).
TEST(Queueing, PrioritiesThatGrowTwiceAsFastOnFourServersWaitAsKleinrockSays) {
  check_rates(4, 1.6, 2, kRate, erlang_c(4, 3.2) / (4 - 3.2), 0.4);
}
// b t^r orders as b^(1/r) t does, job by job: 4 t^2 as 2 t. Evaluated in each pass, where the other is kept by rate.
TEST(Queueing, AgeingByASquareIsAgeingByItsRoot) {
  check_rates(1, 0.4, 2, "((now() - workflow.create_time).Hours() * user.priority) ** 2", 4, 0.4);
}

}  // namespace
}  // namespace headroom
