// Checks that stay on in every build. A failed check is a bug of ours or of the calling driver, never of the input.
#pragma once

#include <stdexcept>
#include <string>

namespace headroom {

/// Our bug: an invariant does not hold. The message carries the values.
class CheckFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& values);

}  // namespace headroom

/// HEADROOM_CHECK(free >= 0, "free = " + std::to_string(free)): the message is only built on failure.
#define HEADROOM_CHECK(condition, values)                                 \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::headroom::check_failed(#condition, __FILE__, __LINE__, (values)); \
  } while (false)
