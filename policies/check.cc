#include "policies/check.h"

namespace headroom {

void check_failed(const char* condition, const char* file, int line, const std::string& values) {
  throw CheckFailed(std::string("check failed: ") + condition + " (" + values + ") at " + file + ":" +
                    std::to_string(line));
}

}  // namespace headroom
