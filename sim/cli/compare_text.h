// A comparison as people read it: tables for a terminal, or markdown to paste into a policy review.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/compare/comparison.h"
#include "sim/compare/hold_ratio.h"
#include "sim/compare/payers.h"

namespace headroom::cli {

struct ComparisonReport {
  std::string title;
  compare::Comparison comparison;
  std::vector<compare::HoldRatios> holds;
  std::vector<compare::Payers> payers;
  std::string payer;               ///< "job", "user", "account"; empty: not asked for
  bool chosen_afterwards = false;  ///< no primary metric was named before the run
  std::vector<std::string> notes, warnings;
};

void write_comparison(std::ostream& out, const ComparisonReport& report, bool markdown);

}  // namespace headroom::cli
