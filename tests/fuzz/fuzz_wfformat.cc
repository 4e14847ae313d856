// Whatever the bytes of a WfFormat file are: it is read, or InputError says what is wrong with it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "workloads/diagnostics.h"
#include "workloads/wfformat.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    static_cast<void>(headroom::looks_like_wfformat(text));
    static_cast<void>(headroom::read_wfformat_text(text, "w.json"));
  } catch (const headroom::InputError& error) {
    static_cast<void>(error.what());
  }
  return 0;
}
