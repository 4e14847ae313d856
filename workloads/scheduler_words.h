// The words of `scheduler:`, one table per enumeration, and the overheads by name: what reads them, what shows them and
// what stores them use these tables, so that the three cannot differ.
#pragma once

#include <span>
#include <string_view>

#include "workloads/workload.h"

namespace headroom {

/// Index = enumerator.
[[nodiscard]] std::span<const std::string_view> like_words();
[[nodiscard]] std::span<const std::string_view> hold_scope_words();
[[nodiscard]] std::span<const std::string_view> hold_release_words();
[[nodiscard]] std::span<const std::string_view> simultaneous_words();
[[nodiscard]] std::span<const std::string_view> on_failure_words();

template <class Enum>
[[nodiscard]] std::string_view word_in(std::span<const std::string_view> words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

struct OverheadKey {
  std::string_view name;
  Duration Overheads::*member;
  Duration stepup;  ///< the median that was measured on the real program
};
[[nodiscard]] std::span<const OverheadKey> overhead_keys();

/// `overheads: stepup`.
[[nodiscard]] Overheads stepup_overheads();
/// What `like` stands for, before any other key overrides it.
[[nodiscard]] SchedulerSettings settings_like(Like like);

}  // namespace headroom
