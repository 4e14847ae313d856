// Why a stage was chosen now. Listed like the ladder of keys: the first rung on which it beat the runner-up.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headroom {

enum class Reason : std::uint8_t {
  kAlone,     ///< nothing else was eligible
  kPriority,  ///< larger effective priority than the next in order
  kKind,      ///< a skip check, or a plan, before other stages
  kTailTime,  ///< longer tail time
  kSubmitTime,
  kShortest,
  kLongest,
  kLargest,
  kSmallest,
  kRandom,
  kDeclaration,  ///< declared earlier
  kFitted,       ///< something ranked before it did not fit (greedy)
  kBackfilled,   ///< started beside reservations that it does not delay (easy, conservative)
  kPreempting,   ///< started where others had to go for it
};

/// The words stored in results; index = enumerator.
[[nodiscard]] std::span<const std::string_view> reason_words();

}  // namespace headroom
