#include "policies/preemption.h"

#include <algorithm>

namespace headroom {
namespace {

/// Free capacity under giving and taking, and whether the demand fits on it, without looking at all nodes each time.
class Room {
 public:
  Room(const Demand& wanted, std::vector<NodeCapacity> free, std::vector<std::int64_t> pools,
       std::span<const std::uint8_t> closed)
      : wanted_(wanted), amount_(per_node(wanted)), free_(std::move(free)), pools_(std::move(pools)), closed_(closed) {
    for (const NodeCapacity& node : free_) {
      cores_ += node.cores;
      fitting_ += covers(node, amount_) ? 1 : 0;
    }
  }

  [[nodiscard]] bool fits() const {
    if (!pools_cover(pools_, wanted_)) return false;
    return wanted_.spread ? cores_ >= wanted_.cores : fitting_ >= std::max<std::int64_t>(wanted_.nodes, 1);
  }
  void give(const Occupant& occupant) { change(occupant, +1); }
  void take(const Occupant& occupant) { change(occupant, -1); }

 private:
  void change(const Occupant& occupant, std::int64_t sign) {
    const Demand& held = *occupant.demand;
    if (occupant.allocation->further.empty())
      change(occupant.allocation->first, per_node(held), sign);
    else
      for (const auto& part : occupant.allocation->further)
        change(part.node, {part.cores, held.memory, held.gpus}, sign);
    for (const auto& [pool, amount] : held.pools) pools_[pool.value] += sign * amount;
  }
  void change(NodeId id, const NodeCapacity& amount, std::int64_t sign) {
    if (!closed_.empty() && closed_[id.value] != 0) return;
    NodeCapacity& node = free_[id.value];
    fitting_ -= covers(node, amount_) ? 1 : 0;
    node.cores += sign * amount.cores;
    node.memory += sign * amount.memory;
    node.gpus += sign * amount.gpus;
    fitting_ += covers(node, amount_) ? 1 : 0;
    cores_ += sign * amount.cores;
  }

  const Demand& wanted_;
  const NodeCapacity amount_;
  std::vector<NodeCapacity> free_;
  std::vector<std::int64_t> pools_;
  std::span<const std::uint8_t> closed_;
  std::int64_t cores_ = 0, fitting_ = 0;
};

}  // namespace

std::optional<std::vector<std::size_t>> choose_victims(const Demand& wanted, std::vector<NodeCapacity> free,
                                                       std::vector<std::int64_t> pools,
                                                       std::span<const Occupant> candidates,
                                                       std::span<const std::uint8_t> closed, std::size_t going) {
  Room room(wanted, std::move(free), std::move(pools), closed);
  std::size_t taken = 0;
  for (; taken < going; ++taken) room.give(candidates[taken]);
  for (; taken < candidates.size() && !room.fits(); ++taken) room.give(candidates[taken]);
  if (!room.fits()) return std::nullopt;
  std::vector<std::size_t> victims;
  for (std::size_t i = taken; i-- > going;) {
    room.take(candidates[i]);
    if (room.fits()) continue;  // spared
    room.give(candidates[i]);
    victims.push_back(i);
  }
  std::reverse(victims.begin(), victims.end());
  return victims;
}

}  // namespace headroom
