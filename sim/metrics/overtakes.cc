#include "sim/metrics/overtakes.h"

#include "sim/metrics/overtakes_reader.h"

namespace headroom {
namespace {

__extension__ typedef unsigned __int128 Uint128;

}  // namespace

Overtakes overtakes_in_128_bits(const Work& work, const RunLog& log, const SubmissionRanks& ranks, bool with_stages) {
  OvertakesReader<Uint128> reader(work, ranks, with_stages);
  replay(work, log, reader);
  return reader.take();
}

Overtakes overtakes(const Work& work, const RunLog& log, const SubmissionRanks& ranks, bool with_stages) {
  OvertakesReader<std::uint64_t> reader(work, ranks, with_stages);
  replay(work, log, reader);
  Overtakes found = reader.take();
  return reader.left_64_bits() ? overtakes_in_128_bits(work, log, ranks, with_stages) : found;
}

}  // namespace headroom
