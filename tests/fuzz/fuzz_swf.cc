// Whatever the bytes of an SWF file are, gzip or not: it is read, or InputError says what is wrong with it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "workloads/diagnostics.h"
#include "workloads/swf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const std::size_t longest_line : {std::size_t{1} << 20, std::size_t{64}}) {
    try {
      auto source = headroom::ByteSource::of_memory(text, "t.swf", std::uint64_t{1} << 22);
      static_cast<void>(headroom::looks_like_swf(text));
      static_cast<void>(headroom::read_swf(source, longest_line));
    } catch (const headroom::InputError& error) {
      static_cast<void>(error.what());
    }
  }
  return 0;
}
