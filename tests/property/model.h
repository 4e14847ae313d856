// The whole simulation once more, slow and obvious: at each instant everything is rebuilt from scratch, one stage is
// picked, and all is rebuilt again. It is what simulate() is compared with, so it must share no code with the
// scheduler, the ready queue or the engine: only plain values.
#pragma once

#include "tests/property/outcome.h"

namespace headroom::oracle {

struct ModelRun {
  Outcome outcome;
  Flavour flavour;
};

/// Takes what simulate() takes.
///
/// Cost   O(events * stages^2) and worse: for works of at most some hundred stages.
[[nodiscard]] ModelRun run_model(const Case& c);

}  // namespace headroom::oracle
