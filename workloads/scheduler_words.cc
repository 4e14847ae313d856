#include "workloads/scheduler_words.h"

#include <array>

namespace headroom {
namespace {

constexpr std::array<std::string_view, 3> kLike{"documented", "stepup-rc13", "fuzzball"};
constexpr std::array<std::string_view, 2> kHoldScope{"block", "declarer"};
constexpr std::array<std::string_view, 2> kHoldRelease{"ideal", "stepup-rc13"};
constexpr std::array<std::string_view, 2> kSimultaneous{"batch", "pyss"};
constexpr std::array<std::string_view, 2> kOnFailure{"continue", "drain"};

constexpr std::array kOverheads{
    OverheadKey{"declare", &Overheads::declare, Duration::microseconds(3'700)},
    OverheadKey{"static", &Overheads::static_file, Duration::microseconds(7'300)},
    OverheadKey{"hold", &Overheads::hold, Duration::microseconds(3'400)},
    OverheadKey{"release", &Overheads::release, Duration::microseconds(6'100)},
    OverheadKey{"plan_start", &Overheads::plan_start, Duration::milliseconds(1'200)},
    OverheadKey{"subplan_start", &Overheads::subplan_start, Duration::milliseconds(245)},
    OverheadKey{"plan_exit", &Overheads::plan_exit, Duration::milliseconds(62)},
    OverheadKey{"step", &Overheads::step, Duration::milliseconds(26)},
    OverheadKey{"skip_check", &Overheads::skip_check, Duration::microseconds(6'500)},
};

}  // namespace

std::span<const std::string_view> like_words() { return kLike; }
std::span<const std::string_view> hold_scope_words() { return kHoldScope; }
std::span<const std::string_view> hold_release_words() { return kHoldRelease; }
std::span<const std::string_view> simultaneous_words() { return kSimultaneous; }
std::span<const std::string_view> on_failure_words() { return kOnFailure; }
std::span<const OverheadKey> overhead_keys() { return kOverheads; }

Overheads stepup_overheads() {
  Overheads overheads;
  for (const OverheadKey& key : kOverheads) overheads.*key.member = key.stepup;
  return overheads;
}

SchedulerSettings settings_like(Like like) {
  SchedulerSettings settings;
  settings.like = like;
  if (like == Like::kFuzzball) {
    settings.tick = Duration::seconds(1);
    settings.queue_depth = 64;
  }
  if (like == Like::kStepUpRc13) {
    settings.hold_scope = HoldScope::kDeclarer;
    settings.hold_release = HoldRelease::kStepUpRc13;
    settings.overheads = stepup_overheads();
    settings.on_failure = OnFailure::kDrain;
  }
  return settings;
}

}  // namespace headroom
