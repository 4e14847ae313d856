#include "sim/metrics/read_log.h"

#include "sim/metrics/overtakes_reader.h"
#include "sim/metrics/passed_over.h"
#include "sim/metrics/passed_over_slots.h"
#include "sim/metrics/tabulator.h"

namespace headroom {

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
  Tabulator tabulator(work, log, measure);
  OvertakesReader<std::uint64_t> overtaking(work, ranks, with_stages);
  if (has_one_slot_stages_only(work) && measure.passed_over.value_or(true)) {
    SlotsPassedOver passed_over(work, ranks);
    replay(work, log, tabulator, passed_over, overtaking);
    facts.passed_over_ns = passed_over.take();
  } else {
    replay(work, log, tabulator, overtaking);
    facts.passed_over_ns = passed_over_times_ns(work, log, ranks, measure);
  }
  facts.tables = tabulator.take();
  facts.overtaking = overtaking.take();
  if (overtaking.left_64_bits()) facts.overtaking = overtakes_in_128_bits(work, log, ranks, with_stages);
  return facts;
}

}  // namespace headroom
