// The command line itself is wrong: one line to stderr, exit 2.
#pragma once

#include <stdexcept>

namespace headroom::cli {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace headroom::cli
