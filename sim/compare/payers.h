// Who gains and who pays when one value of an axis takes the place of another: waits job by job, user by user, account
// by account. It must never know how it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/compare/comparison.h"

namespace headroom::compare {

enum class Payer : std::uint8_t { kJob, kUser, kAccount };

struct Share {
  std::string name;
  std::size_t jobs = 0;     ///< of the first replication
  double difference_s = 0;  ///< of their waits in all, other - baseline: above 0 they pay. A mean over replications
  Interval interval;        ///< Student's, a value a replication; NaN below two
};

struct Payers {
  std::string value;                ///< beside the baseline
  std::vector<Share> shares;        ///< who pays most first, who gains most last; equal ones by name
  double gained_s = 0, lost_s = 0;  ///< sums over the shares, both >= 0
  std::size_t left_out = 0;         ///< jobs that did not start in both, in the first replication
};

/// Over all points of the other axes together. Fails  InputError where workflows were not recorded.
[[nodiscard]] std::vector<Payers> payers(const SampledRuns& runs, const Comparison& comparison, Payer by);

}  // namespace headroom::compare
