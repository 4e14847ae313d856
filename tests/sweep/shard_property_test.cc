// Random small sweeps in random numbers of shards. Minutes, for every finished part waits for the disk.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/sweep/shards.h"
#include "tests/sweep/studies.h"

namespace headroom {
namespace {

using testing::merged_bytes;
using testing::request_of;
using testing::run_shards;
using testing::TemporaryFolder;
using testing::unsharded_bytes;

RC_GTEST_PROP(Shards, MergeToTheBytesOfTheUnshardedRun, ()) {
  const TemporaryFolder folder;
  const auto values = [](const char* unit) {
    std::string list;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) list += std::to_string(i) + unit + ", ";
    return "[" + list + "]";
  };
  std::string sweep =
      "{replications: " + std::to_string(*rc::gen::inRange(1, 4)) + ", vary: {params.slots: " + values("") + "}";
  if (*rc::gen::arbitrary<bool>()) sweep += ", zip: [{params.mean: [60s, 90s, 60s], work.g.count: [1, 2, 9]}]";
  if (*rc::gen::arbitrary<bool>()) sweep += ", exclude: [{policy: sjf, params.slots: 1}]";
  const std::string text =
      "name: drawn\nparams: {slots: 2, mean: 60s}\ncluster: {slots: $slots}\n"
      "work: [{generate: {name: g, count: 5, arrivals: {poisson: {rate: 60/h}}, runtime: {exponential: {mean: "
      "$mean}}}}]\n"
      "policies: [default, sjf]\nsweep: " +
      sweep + "}\n";
  const Study study = plan_study(request_of(text));
  const std::string whole = unsharded_bytes(study, folder / "whole.h5");
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 9);
  std::vector<std::string> parts = run_shards(study, folder / "r.h5", count);
  std::ranges::rotate(parts, parts.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, count));
  RC_ASSERT(merged_bytes(parts, folder / "r.h5") == whole);
}

}  // namespace
}  // namespace headroom
