#include "sim/verify/floor.h"

#include <algorithm>

namespace headroom::verify {

void Free::take(const Class& wants, const Taken& where) {
  for (const auto& [node, cores] : where) {
    Amounts& has = nodes[static_cast<std::size_t>(node)];
    has.cores -= cores;
    has.memory -= wants.amounts.memory;
    has.gpus -= wants.amounts.gpus;
  }
  for (const auto& [pool, amount] : wants.pools) pools[pool] -= amount;
}

void Free::give(const Class& wants, const Taken& where) {
  for (const auto& [node, cores] : where) {
    Amounts& has = nodes[static_cast<std::size_t>(node)];
    has.cores += cores;
    has.memory += wants.amounts.memory;
    has.gpus += wants.amounts.gpus;
  }
  for (const auto& [pool, amount] : wants.pools) pools[pool] += amount;
}

bool Free::has_pools(const Class& wants) const {
  return std::ranges::all_of(wants.pools,
                             [&](const auto& p) { return p.first < pools.size() && pools[p.first] >= p.second; });
}

bool Free::fits(const Class& wants, Taken* where) const {
  if (!has_pools(wants)) return false;
  if (where != nullptr) where->clear();
  std::int64_t left = wants.is_spread ? wants.amounts.cores : wants.nodes;
  for (std::size_t n = 0; n < nodes.size() && left > 0; ++n) {
    const std::int64_t part = wants.is_spread ? std::min(left, std::max<std::int64_t>(nodes[n].cores, 0))
                                              : (holds(nodes[n], wants.amounts) ? 1 : 0);
    if (part == 0) continue;
    left -= part;
    if (where != nullptr)
      where->emplace_back(static_cast<std::int32_t>(n), wants.is_spread ? part : wants.amounts.cores);
  }
  // A width of nothing sits on the first node.
  if (where != nullptr && where->empty() && left == 0 && !nodes.empty()) where->emplace_back(0, 0);
  return left <= 0;
}

bool Free::overdrawn(const Class& wants, const Taken& where) const {
  const auto below = [&](const auto& t) {
    const Amounts& has = nodes[static_cast<std::size_t>(t.first)];
    return has.cores < 0 || has.memory < 0 || has.gpus < 0;
  };
  return std::ranges::any_of(where, below) ||
         std::ranges::any_of(wants.pools, [&](const auto& p) { return pools[p.first] < 0; });
}

Time earliest(const Class& head, const Running& running, Time now, Free& free) {
  for (auto next = running.begin(); next != running.end();) {
    const Time at = std::max(next->first, now + 1);
    for (; next != running.end() && std::max(next->first, now + 1) == at; ++next)
      free.give(*next->second.wants, *next->second.where);
    if (free.fits(head)) return at;
  }
  return kNever;
}

bool fits_beside(const Class& other, const Free& now, const Class& head, const Free& then) {
  Taken where;
  if (!now.fits(other, &where)) return false;
  Free left = then;
  if (other.is_spread || head.is_spread) {
    // Cores in all are what counts for a head that spreads; a width that spreads sits on the first free nodes.
    left.take(other, where);
    return left.fits(head);
  }
  for (const auto& [pool, amount] : other.pools) left.pools[pool] -= amount;
  if (!left.has_pools(head)) return false;
  std::int64_t spare = -head.nodes, harmless = 0;
  for (std::size_t n = 0; n < then.nodes.size(); ++n) {
    const bool counts = holds(then.nodes[n], head.amounts);
    spare += counts ? 1 : 0;
    if (!holds(now.nodes[n], other.amounts)) continue;
    const Amounts rest{then.nodes[n].cores - other.amounts.cores, then.nodes[n].memory - other.amounts.memory,
                       then.nodes[n].gpus - other.amounts.gpus};
    harmless += counts && !holds(rest, head.amounts) ? 0 : 1;
  }
  return other.nodes - harmless <= std::max<std::int64_t>(spare, 0);
}

}  // namespace headroom::verify
