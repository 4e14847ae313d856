// Who has to go so that a stage fits which does not: the choice of victims, as a function of what is free and of who
// may go. It knows no stage's priority, no clock and no queue: whoever asks has put the candidates in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/cluster.h"
#include "policies/resources.h"

namespace headroom {

/// Something that runs and may be displaced.
struct Occupant {
  const Demand* demand = nullptr;
  const Allocation* allocation = nullptr;
};

/// The candidates are taken in their order, over all nodes, until `wanted` fits; then, from the last taken back, each
/// one without which it still fits is spared.
///
/// `free`, `pools`  what nobody holds.
/// `closed`         by node, 1: what goes there leaves nothing that could be taken. Empty: no node is.
/// `going`          the first so many of the candidates go in any case: they are taken before anybody else, and are
///                  neither spared nor among the victims.
/// Returns          indices into `candidates`, rising: nobody where it fits as it is. Nothing where it does not fit
/// even
///                  if all of them go.
/// Cost             O(nodes + parts of the allocations looked at).
[[nodiscard]] std::optional<std::vector<std::size_t>> choose_victims(
    const Demand& wanted, std::vector<NodeCapacity> free, std::vector<std::int64_t> pools,
    std::span<const Occupant> candidates, std::span<const std::uint8_t> closed = {}, std::size_t going = 0);

}  // namespace headroom
