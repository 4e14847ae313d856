// Whatever the bytes of a workload file are: it is read, or InputError says what is wrong with it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "workloads/yaml_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const auto document =
        headroom::WorkloadDocument::parse(std::string(reinterpret_cast<const char*>(bytes), size), "w.yaml");
    static_cast<void>(document.read());
  } catch (const headroom::InputError& error) {
    static_cast<void>(error.what());
  }
  return 0;
}
