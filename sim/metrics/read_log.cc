#include "sim/metrics/read_log.h"

#include <optional>

#include "sim/metrics/job_inversions.h"
#include "sim/metrics/job_reader.h"
#include "sim/metrics/overtakes_reader.h"
#include "sim/metrics/passed_over.h"
#include "sim/metrics/passed_over_slots.h"
#include "sim/metrics/tabulator.h"

namespace headroom {
namespace {

/// In one walk. False, and nothing is stored, if it met what it does not know.
template <bool kSlots>
bool read_jobs(const Work& work, const RunLog& log, const Policy& policy, const SubmissionRanks& ranks,
               const Measure& measure, bool with_stages, LogFacts& facts) {
  JobReader<kSlots> jobs(work, log, ranks, measure);
  std::optional<JobInversions> inversions;
  if (JobInversions::can_read(work, log, policy)) {
    inversions.emplace(work, policy);
    replay(work, log, jobs, *inversions);
  } else {
    replay(work, log, jobs);
  }
  if (jobs.met_more()) return false;
  if (inversions) facts.inversions = inversions->found();
  jobs.take(with_stages, facts);
  if (!kSlots) facts.passed_over_ns = passed_over_times_ns(work, log, ranks, measure);
  if (jobs.left_64_bits()) facts.overtaking = overtakes_in_128_bits(work, log, ranks, with_stages);
  return true;
}

void read_any(const Work& work, const RunLog& log, const SubmissionRanks& ranks, const Measure& measure,
              bool with_stages, bool with_slots, LogFacts& facts) {
  Tabulator tabulator(work, log, measure);
  OvertakesReader<std::uint64_t> overtaking(work, ranks, with_stages);
  std::optional<SlotsPassedOver> slots;
  if (with_slots) {
    slots.emplace(work, ranks);
    replay(work, log, tabulator, *slots, overtaking);
  } else {
    replay(work, log, tabulator, overtaking);
  }
  facts.tables = tabulator.take();
  facts.passed_over_ns = slots ? slots->take() : passed_over_times_ns(work, log, ranks, measure);
  facts.overtaking = overtaking.take();
  if (overtaking.left_64_bits()) facts.overtaking = overtakes_in_128_bits(work, log, ranks, with_stages);
}

}  // namespace

LogFacts read_log(const Work& work, const RunLog& log, const Policy& policy, const Measure& measure, bool with_stages) {
  LogFacts facts;
  if (!work.after_begin.empty()) {  // when each was submitted has to be read first
    facts.tables = tabulate(work, log, measure);
    const SubmissionRanks ranks = submission_ranks(facts.tables.submitted_at);
    facts.passed_over_ns = passed_over_times_ns(work, log, ranks, measure);
    facts.overtaking = overtakes(work, log, ranks, with_stages);
    return facts;
  }
  const SubmissionRanks ranks = submission_ranks(work.submitted_at);
  const bool with_slots = has_one_slot_stages_only(work) && measure.passed_over.value_or(true);
  const bool are_jobs = each_row_is_a_workflow(work) &&
                        (with_slots ? read_jobs<true>(work, log, policy, ranks, measure, with_stages, facts)
                                    : read_jobs<false>(work, log, policy, ranks, measure, with_stages, facts));
  if (!are_jobs) read_any(work, log, ranks, measure, with_stages, with_slots, facts);
  return facts;
}

}  // namespace headroom
