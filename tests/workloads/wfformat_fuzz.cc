// The entry of a libFuzzer target: any bytes are a trace that holds together or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "policies/check.h"
#include "workloads/diagnostics.h"
#include "workloads/wfformat.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const headroom::WfTrace trace =
        headroom::read_wfformat_text({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    HEADROOM_CHECK(trace.needs_begin.size() == trace.tasks() + 1 && trace.run_time.size() == trace.tasks(), "columns");
    for (const std::uint32_t need : trace.needs) HEADROOM_CHECK(need < trace.tasks(), "needs");
    for (const headroom::Duration run_time : trace.run_time)
      HEADROOM_CHECK(run_time >= headroom::Duration{}, "run time");
  } catch (const headroom::InputError&) {
  }
  return 0;
}
