// The tables of one run: which columns there are, what they are called and what they hold. The only place that knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "sim/metrics/report.h"
#include "sim/results/study_facts.h"
#include "sim/results/table.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// Which run it is, in words of the study.
struct RunFacts {
  std::uint64_t run = 0;
  std::vector<std::uint32_t> point;  ///< index of the value on each axis
  std::uint32_t policy = 0;
  std::int64_t replication = 0;
  bool with_stages = true;  ///< false: without /stages, /workflows, /dependencies, /holds
  std::string failure;      ///< not empty: the run failed, and `work` and `report` say nothing
  /// What it ran under, which a sweep may vary; they outlive the tables. Nullptr: without /settings.
  const SchedulerSettings* settings = nullptr;
  const Policy* definition = nullptr;
  const Measure* measure = nullptr;
};

/// Times are seconds, NaN where it did not happen. A stage's number is its row in Work, so that (run, stage) is unique.
///
/// The result refers to all four arguments. The column `run` and the offsets of /runs are not there: they follow from
/// where the rows come to lie.
/// Cost  none: columns are made when they are asked for.
[[nodiscard]] std::vector<TableSource> run_tables(const StudyFacts& study, const RunFacts& facts, const Work& work,
                                                  const RunReport& report);

/// The words of /runs/status.
[[nodiscard]] std::vector<std::string> run_status_words();

}  // namespace headroom
