#include "sim/metrics/read_log.h"

#include <optional>
#include <type_traits>

#include "sim/metrics/overtakes_reader.h"
#include "sim/metrics/passed_over.h"
#include "sim/metrics/passed_over_slots.h"
#include "sim/metrics/tabulator.h"

namespace headroom {
namespace {

/// In one walk. False, and nothing is stored, if the tabulator met what it does not know.
template <class AnyTabulator>
bool read_with(const Work& work, const RunLog& log, const SubmissionRanks& ranks, const Measure& measure,
               bool with_stages, LogFacts& facts) {
  AnyTabulator tabulator(work, log, measure);
  OvertakesReader<std::uint64_t> overtaking(work, ranks, with_stages);
  std::optional<SlotsPassedOver> slots;
  if (has_one_slot_stages_only(work) && measure.passed_over.value_or(true)) {
    slots.emplace(work, ranks);
    replay(work, log, tabulator, *slots, overtaking);
  } else {
    replay(work, log, tabulator, overtaking);
  }
  if constexpr (std::is_same_v<AnyTabulator, JobTabulator>)
    if (tabulator.met_more()) return false;
  facts.tables = tabulator.take();
  facts.passed_over_ns = slots ? slots->take() : passed_over_times_ns(work, log, ranks, measure);
  facts.overtaking = overtaking.take();
  if (overtaking.left_64_bits()) facts.overtaking = overtakes_in_128_bits(work, log, ranks, with_stages);
  return true;
}

}  // namespace

LogFacts read_log(const Work& work, const RunLog& log, const Measure& measure, bool with_stages) {
  LogFacts facts;
  if (!work.after_begin.empty()) {  // when each was submitted has to be read first
    facts.tables = tabulate(work, log, measure);
    const SubmissionRanks ranks = submission_ranks(facts.tables.submitted_at);
    facts.passed_over_ns = passed_over_times_ns(work, log, ranks, measure);
    facts.overtaking = overtakes(work, log, ranks, with_stages);
    return facts;
  }
  const SubmissionRanks ranks = submission_ranks(work.submitted_at);
  if (each_row_is_a_workflow(work) && read_with<JobTabulator>(work, log, ranks, measure, with_stages, facts))
    return facts;
  read_with<Tabulator>(work, log, ranks, measure, with_stages, facts);
  return facts;
}

}  // namespace headroom
