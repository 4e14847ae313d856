// What the process says of itself to a script. The numbers are part of the interface: sysexits where they exist.
#pragma once

namespace headroom::cli {

enum ExitStatus : int {
  kDone = 0,
  kRunFailed = 1,  ///< or a bug of ours
  kUsage = 2,
  kSaidNo = 3,  ///< --strict and, later, --fail-if, verify, rerun
  kBadInput = 65,
  kNoInput = 66,
  kCannotCreate = 73,
  kCannotWrite = 74,  ///< or read
  kInterrupted = 130,
};

}  // namespace headroom::cli
