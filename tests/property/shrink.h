// Makes a failing case small: takes out workflows, stages and operations and sets values to the usual ones, as long as
// it still fails. RapidCheck's own shrinking knows only the draws, where everything behind a changed one is drawn anew.
#pragma once

#include <functional>

#include "tests/property/outcome.h"

namespace headroom::oracle {

/// The smallest case found for which `fails` is true, as it is for `c`. Cost: some hundred calls of `fails`.
[[nodiscard]] Case shrink(Case c, const std::function<bool(const Case&)>& fails);

}  // namespace headroom::oracle
