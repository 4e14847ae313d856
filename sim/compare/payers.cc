#include "sim/compare/payers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "workloads/diagnostics.h"

namespace headroom::compare {
namespace {

using Key = std::pair<std::size_t, std::uint64_t>;  // file, run

struct Wait {
  double wait_s = 0;  ///< NaN: it never started
  std::string name;
};
using Waits = std::map<std::uint64_t, Wait>;  // by the number of the workflow

std::map<Key, Waits> read_waits(const SampledRuns& runs, std::size_t files, Payer by) {
  constexpr const char* kColumns[] = {"name", "user", "account"};
  std::map<Key, Waits> waits;
  for (std::size_t file = 0; file < files; ++file) {
    const ResultsReader& reader = runs.reader(file);
    if (!reader.has("workflows") || reader.rows("workflows") == 0)
      throw InputError({Diagnostic{
          "", 0, 0, "the workflows were not recorded, so nobody knows who waited (record.stages: true)", ""}});
    const std::vector<double> run = numbers_of(reader.column("workflows", "run"));
    const std::vector<double> workflow = numbers_of(reader.column("workflows", "workflow"));
    const std::vector<double> submitted = numbers_of(reader.column("workflows", "submitted_at"));
    const std::vector<double> started = numbers_of(reader.column("workflows", "started_at"));
    const std::vector<std::string> name = texts_of(reader.column("workflows", kColumns[static_cast<std::size_t>(by)]));
    for (std::size_t row = 0; row < run.size(); ++row) {
      waits[{file, static_cast<std::uint64_t>(run[row])}][static_cast<std::uint64_t>(workflow[row])] = {
          started[row] - submitted[row], name[row]};
    }
  }
  return waits;
}

/// What becomes of one name, replication by replication.
struct Account {
  std::size_t jobs = 0;
  std::map<std::int64_t, double> by_replication;
};

Payers settled(std::string value, std::map<std::string, Account> accounts, std::size_t replications, bool exact) {
  Payers result;
  result.value = std::move(value);
  for (auto& [name, account] : accounts) {
    std::vector<double> differences;
    for (const auto& [replication, difference] : account.by_replication) differences.push_back(difference);
    differences.resize(replications, 0);  // where it had no job it neither gained nor lost
    const double mean =
        std::accumulate(differences.begin(), differences.end(), 0.0) / static_cast<double>(differences.size());
    result.shares.push_back({name, account.jobs, mean, mean_interval(differences, exact)});
    (mean > 0 ? result.lost_s : result.gained_s) += std::fabs(mean);
  }
  std::ranges::stable_sort(result.shares, std::ranges::greater(), &Share::difference_s);
  return result;
}

}  // namespace

std::vector<Payers> payers(const SampledRuns& runs, const Comparison& comparison, Payer by) {
  const auto axis = static_cast<std::size_t>(std::ranges::find(runs.axes(), comparison.by) - runs.axes().begin());
  std::size_t files = 1;
  for (const Run& run : runs.runs()) files = std::max(files, run.file + 1);
  const std::map<Key, Waits> waits = read_waits(runs, files, by);
  // Everything but the axis, replication included: the runs that differ in it alone.
  std::map<std::pair<std::vector<std::string>, std::int64_t>, std::map<std::string, Key>> alike;
  for (const Run& run : runs.runs()) {
    std::vector<std::string> at = run.at;
    at[axis].clear();
    alike[{at, run.replication}][run.at[axis]] = {run.file, run.run};
  }
  std::vector<Payers> all;
  for (const std::string& value : comparison.values) {
    std::map<std::string, Account> accounts;
    std::map<std::int64_t, std::size_t> replications;
    std::size_t left_out = 0;
    for (const auto& [place, by_value] : alike) {
      const auto one = by_value.find(comparison.baseline), other = by_value.find(value);
      if (one == by_value.end() || other == by_value.end()) continue;
      const auto a = waits.find(one->second), b = waits.find(other->second);
      if (a == waits.end() || b == waits.end()) continue;
      replications.emplace(place.second, replications.size());
      const bool is_first = place.second == replications.begin()->first;
      for (const auto& [workflow, wait] : a->second) {
        const auto there = b->second.find(workflow);
        const double difference = there == b->second.end() ? std::nan("") : there->second.wait_s - wait.wait_s;
        if (std::isnan(difference) || std::isinf(difference)) {
          left_out += is_first ? 1 : 0;
          continue;
        }
        Account& account = accounts[wait.name];
        account.jobs += is_first ? 1 : 0;
        account.by_replication[place.second] += difference;
      }
    }
    Payers result = settled(value, std::move(accounts), replications.size(), !comparison.is_random);
    result.left_out = left_out;
    all.push_back(std::move(result));
  }
  return all;
}

}  // namespace headroom::compare
