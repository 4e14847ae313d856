// A parameter of a policy.
#pragma once

#include <string>

namespace headroom::expr {

/// One of `params`: a number, as written. An int if it is written like one, else a float.
struct Param {
  std::string name;
  std::string number;  ///< "84", "-0.5", "1e3"

  friend bool operator==(const Param&, const Param&) = default;
};

}  // namespace headroom::expr
