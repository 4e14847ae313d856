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
#include <numeric>
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
  double scv = 1;             ///< of service times: how much slower than an M/M/1 it forgets
  double long_jobs = 6e6;     ///< measured in all, in the long form
  std::vector<double> loads;  ///< of each item, where the order ignores service times; else empty
  double first_come = 0;      ///< with it: the mean wait of first come first served, in hours
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

/// One line for each item of the queue's work; then, of several classes, what no order can change: the sum of load
/// times wait (Kleinrock 1965), which is the load times the wait of first come first served.
void check(const Queue& queue, std::vector<Line> lines) {
  auto waits = all_waits(queue);
  if (!queue.loads.empty()) {
    for (auto& run : waits) run.push_back(std::inner_product(queue.loads.begin(), queue.loads.end(), run.begin(), 0.0));
    Line sum{"  sum of load x wait", "conservation, Kleinrock", 0};
    for (std::size_t k = 0; k < queue.loads.size(); ++k) sum.expected += queue.loads[k] * lines[k].expected;
    const double load = std::accumulate(queue.loads.begin(), queue.loads.end(), 0.0);
    EXPECT_NEAR(sum.expected, load * queue.first_come, 2e-5) << "the expected values themselves break the law";
    lines.push_back(sum);
  }
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
#ifdef HEADROOM_LONG
TEST(Queueing, SixtyFourServersWaitAsErlangSays) { check_servers(64, 200e6); }
#endif

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

// ---- by size

// W(x) = W0 / (1 - rho(x))^2 of a job of length x, integrated over x; what is longer than others waits behind them.
TEST(Queueing, TheShortestFirstWaitAsTheirIntegralSays) {
  Queue queue;
  queue.work = generated("g", 0.8, kService + ", estimate: exact");
  queue.policy = "sjf";
  queue.long_jobs = 12e6;
  check(queue, {{"M/M/1, load 0.8, shortest first", "numerical integration", 1.882219}});
}

// ---- several classes

struct Class {
  std::string name;
  double rate = 0, mean_hours = 1;
  int priority = 0;
};

/// Everybody's estimate is the same, so that within a class the tie by tail time decides nothing and declaration order,
/// that is arrival, does.
Queue classes(int servers, const std::vector<Class>& all, const std::string& policy) {
  Queue queue;
  queue.cluster = "slots: " + std::to_string(servers);
  std::string users, names;
  double squares = 0, load = 0;
  queue.jobs_per_hour = 0;
  for (const Class& one : all) {
    users += (users.empty() ? "" : ", ") + one.name + ": {priority: " + std::to_string(one.priority) + "}";
    names += (names.empty() ? "" : ", ") + one.name;
    queue.work += generated(one.name, one.rate,
                            "runtime: {exponential: {mean: " + std::to_string(one.mean_hours) +
                                "h}}, estimate: {constant: 1h}, user: " + one.name);
    queue.jobs_per_hour += one.rate;
    queue.loads.push_back(one.rate * one.mean_hours / servers);
    load += queue.loads.back();
    squares += one.rate * one.mean_hours * one.mean_hours;  // half of the second moment, exponential
  }
  // One server: W0 / (1 - rho). Several of equal service: Erlang's.
  queue.first_come = servers == 1 ? squares / (1 - load) : erlang_c(servers, load * servers) / (servers * (1 - load));
  queue.tenants = "tenants:\n  users: {" + users +
                  "}\n  organizations:\n    - {organization: o, accounts: [{account: a, users: [" + names + "]}]}\n";
  queue.policy = policy;
  queue.long_jobs = 20e6;
  return queue;
}

/// High has `offset` points more than low.
Queue two_classes(int servers, double rate_of_each, double offset, const std::string& policy) {
  return classes(servers, {{"high", rate_of_each, 1, static_cast<int>(offset)}, {"low", rate_of_each, 1, 0}}, policy);
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
#ifdef HEADROOM_LONG
TEST(Queueing, AgeingWithAnOffsetOfTwoHoursWaitsAsComputed) { check_offset(2, 3.45616, 4.54384); }
TEST(Queueing, AgeingWithAnOffsetOfTenHoursWaitsAsComputed) { check_offset(10, 2.24683, 5.75317); }
TEST(Queueing, AgeingWithAnOffsetOfFiftyHoursWaitsAsComputed) { check_offset(50, 1.34955, 6.65045); }
#endif

TEST(Queueing, AgeingOfUnequalServiceWaitsAsComputed) {
  check(classes(1, {{"high", 0.6, 0.5, 3}, {"low", 0.4, 1, 0}}, "default"),
        {{"ageing, offset 3 h, unequal, high", "transform inversion", 1.28804},
         {"ageing, offset 3 h, unequal, low", "transform inversion", 2.24230}});
}

TEST(Queueing, AgeingOnFourServersWaitsAsComputed) {
  check(two_classes(4, 1.6, 2, "default"), {{"M/M/4, ageing, offset 2 h, high", "transform inversion", 0.45785},
                                            {"M/M/4, ageing, offset 2 h, low", "transform inversion", 1.03323}});
}

// ---- classes whose priority grows at rates of their own: b times the time waited, by expression

/// Kleinrock's time-dependent priorities, also called the accumulating priority queue: each class ages at its priority
/// an hour. Most urgent last. Source: Kleinrock 1964; Stanford, Taylor and Ziedins, Queueing Systems 77 (2014).
void check_rates(int servers, const std::vector<Class>& all, const std::string& expression) {
  const Queue queue = classes(servers, all, "{policy: kleinrock, ties: [declaration], priority: '" + expression + "'}");
  const auto ratio = [&](std::size_t slow, std::size_t fast) {
    return static_cast<double>(all[slow].priority) / static_cast<double>(all[fast].priority);
  };
  std::vector<double> wait;
  std::vector<Line> lines;
  for (std::size_t p = 0; p < all.size(); ++p) {
    double above = queue.first_come, below = 1;
    for (std::size_t i = 0; i < p; ++i) above -= queue.loads[i] * wait[i] * (1 - ratio(i, p));
    for (std::size_t i = p + 1; i < all.size(); ++i) below -= queue.loads[i] * (1 - ratio(p, i));
    wait.push_back(above / below);
    lines.push_back({"M/M/" + std::to_string(servers) + ", rates, " + all[p].name, "Kleinrock", wait.back()});
  }
  check(queue, lines);
}
std::vector<Class> two_rates(double rate_of_each, int fast) {
  return {{"low", rate_of_each, 1, 1}, {"high", rate_of_each, 1, fast}};
}

const std::string kRate = "(now() - workflow.create_time).Hours() * user.priority";

// 5 and 3.
TEST(Queueing, PrioritiesThatGrowTwiceAsFastWaitAsKleinrockSays) { check_rates(1, two_rates(0.4, 2), kRate); }
// 40/7 and 16/7.
TEST(Queueing, PrioritiesThatGrowFourTimesAsFastWaitAsKleinrockSays) { check_rates(1, two_rates(0.4, 4), kRate); }
// 0.931926 and 0.559155: W0 becomes C / (c mu), rho_i lambda_i / (c mu).
TEST(Queueing, PrioritiesThatGrowTwiceAsFastOnFourServersWaitAsKleinrockSays) {
  check_rates(4, two_rates(1.6, 2), kRate);
}
// 2.291667 and 1.222222: high half as long.
TEST(Queueing, PrioritiesThatGrowThreeTimesAsFastWaitAsKleinrockSaysForUnequalService) {
  check_rates(1, {{"low", 0.4, 1, 1}, {"high", 0.6, 0.5, 3}}, kRate);
}
// 6.557377, 4.078369 and 2.216713.
TEST(Queueing, ThreeClassesWaitAsKleinrockSays) {
  check_rates(1, {{"low", 0.2, 1, 1}, {"middle", 0.3, 1, 2}, {"high", 0.3, 1, 5}}, kRate);
}
// b t^r orders as b^(1/r) t does, job by job: 4 t^2 as 2 t. Evaluated in each pass, where the other is kept by rate.
TEST(Queueing, AgeingByASquareIsAgeingByItsRoot) {
  check_rates(1, two_rates(0.4, 2), "((now() - workflow.create_time).Hours() * user.priority) ** 2");
}

}  // namespace
}  // namespace headroom
