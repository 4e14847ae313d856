// Small studies for the tests of this folder.
#pragma once

#include <memory>
#include <string>

#include "sim/sweep/study.h"

namespace headroom::testing {

/// The same build, raced and held, on two to five slots.
inline constexpr const char* kHoldVsRace = R"(name: hold_vs_race
params: {slots: 3}
cluster: {slots: $slots}
work:
  - workflow: build
    plan:
      startup: 0s
      declare: 1ms
      teardown: 100ms
      steps:
        - hold:
            - {name: sleep 2.0, runtime: 2.0s, estimate: 2.0s}
            - {name: sleep 2.1, runtime: 2.1s, estimate: 2.1s}
            - {name: sleep 4.0, runtime: 4.0s, estimate: 4.0s}
            - {name: sleep 4.1, runtime: 4.1s, estimate: 4.1s}
policies: [default, race]
sweep:
  vary:
    params.slots: [2, 3, 4, 5]
)";

/// Two axes, two policies; run times and arrivals are drawn.
inline constexpr const char* kRandom = R"(name: drawn
params: {slots: 2, mean: 60s}
cluster: {slots: $slots}
work:
  - generate: {name: g, count: 40, arrivals: {poisson: {rate: 60/h}}, runtime: {exponential: {mean: $mean}}}
policies: [default, sjf]
sweep:
  vary:
    params.slots: [1, 2]
    params.mean: [60s, 90s]
)";

inline StudyRequest request_of(const std::string& text) {
  StudyRequest request;
  request.document = std::make_shared<const WorkloadDocument>(WorkloadDocument::parse(text, "somewhere/sample.yaml"));
  return request;
}

}  // namespace headroom::testing
