#include "sim/metrics/tabulate.h"

#include "sim/metrics/tabulator.h"

namespace headroom {

Tabulated tabulate(const Work& work, const RunLog& log, const Measure& measure) {
  Tabulator reader(work, log, measure);
  replay(work, log, reader);
  return reader.take();
}

}  // namespace headroom
