// From offsets in a text that was streamed to lines and columns, for messages. Internal to the readers of traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/byte_source.h"
#include "workloads/diagnostics.h"

namespace headroom {

/// Something wrong with the token that ends before byte `end` of the text; 0: with the text as a whole.
struct Misplaced {
  std::uint64_t end = 0;
  std::string message;
};

/// The same as diagnostics, in the order of the text, with the line or the part of it that is around the place.
///
/// `text`  the same bytes again, from their beginning.
/// Cost    O(bytes); memory for a few KiB however long the lines are.
[[nodiscard]] std::vector<Diagnostic> located(ByteSource text, std::vector<Misplaced> wrong);

}  // namespace headroom
