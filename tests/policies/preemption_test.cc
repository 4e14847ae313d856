#include "policies/preemption.h"

#include <gtest/gtest.h>

#include <random>

namespace headroom {
namespace {

/// A world of nodes and of who sits where, from which either side makes what it needs.
struct World {
  std::vector<NodeCapacity> free;
  std::vector<std::int64_t> pools;
  std::vector<Demand> demands;
  std::vector<Allocation> allocations;

  [[nodiscard]] std::vector<Occupant> occupants() const {
    std::vector<Occupant> found;
    for (std::size_t i = 0; i < demands.size(); ++i) found.push_back({&demands[i], &allocations[i]});
    return found;
  }
  void sit(const Demand& demand, const std::vector<std::uint32_t>& nodes) {
    demands.push_back(demand);
    Allocation allocation;
    allocation.first = {nodes.front()};
    if (nodes.size() > 1)
      for (const std::uint32_t node : nodes) allocation.further.push_back({{node}, demand.cores});
    allocations.push_back(allocation);
  }
  /// Does it fit once these have gone? Everything is built anew.
  [[nodiscard]] bool fits_without(const Demand& wanted, const std::vector<bool>& gone) const {
    std::vector<NodeCapacity> nodes = free;
    std::vector<std::int64_t> left = pools;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (!gone[i]) continue;
      std::vector<Allocation::Part> parts = allocations[i].further;
      if (parts.empty()) parts.push_back({allocations[i].first, demands[i].cores});
      for (const auto& part : parts) {
        nodes[part.node.value].cores += part.cores;
        nodes[part.node.value].memory += demands[i].memory;
        nodes[part.node.value].gpus += demands[i].gpus;
      }
      for (const auto& [pool, amount] : demands[i].pools) left[pool.value] += amount;
    }
    return demand_fits(wanted, nodes, left);
  }
};

Demand cores(std::int64_t n) {
  Demand demand;
  demand.cores = n;
  return demand;
}

std::optional<std::vector<std::size_t>> victims(const World& world, const Demand& wanted) {
  const std::vector<Occupant> occupants = world.occupants();
  return choose_victims(wanted, world.free, world.pools, occupants);
}

TEST(Preemption, NobodyGoesWhereItFits) {
  World world{{{4, 0, 0}}, {}, {}, {}};
  world.sit(cores(2), {0});
  EXPECT_EQ(victims(world, cores(4)), std::vector<std::size_t>{});
}

TEST(Preemption, NobodyGoesWhereAllWouldNotSuffice) {
  World world{{{1, 0, 0}}, {}, {}, {}};
  world.sit(cores(2), {0});
  EXPECT_EQ(victims(world, cores(4)), std::nullopt);
}

// Lowest first: 1 and 1 do not make room for 4, with the next 4 they would; then the two are not needed.
TEST(Preemption, SparesThoseWithoutWhomItFits) {
  World world{{{0, 0, 0}}, {}, {}, {}};
  world.sit(cores(1), {0});
  world.sit(cores(1), {0});
  world.sit(cores(4), {0});
  world.sit(cores(8), {0});
  EXPECT_EQ(victims(world, cores(4)), std::vector<std::size_t>{2});
  EXPECT_EQ(victims(world, cores(5)), (std::vector<std::size_t>{0, 2}));  // of the two, the better ranked is spared
}

// What one node lacks is not given by another.
TEST(Preemption, LooksAtEachNodeByItself) {
  World world{{{2, 0, 0}, {2, 0, 0}}, {}, {}, {}};
  world.sit(cores(1), {0});
  world.sit(cores(2), {1});
  EXPECT_EQ(victims(world, cores(4)), std::vector<std::size_t>{1});
  Demand both = cores(3);
  both.nodes = 2;
  EXPECT_EQ(victims(world, both), (std::vector<std::size_t>{0, 1}));
}

// What ends on a closed node gives nothing back that could be taken.
TEST(Preemption, NobodyGoesForRoomOnAClosedNode) {
  World world{{{0, 0, 0}, {0, 0, 0}}, {}, {}, {}};
  world.sit(cores(4), {0});
  world.sit(cores(4), {1});
  const std::vector<Occupant> occupants = world.occupants();
  const std::vector<std::uint8_t> first_closed{1, 0};
  EXPECT_EQ(choose_victims(cores(4), world.free, {}, occupants, first_closed), std::vector<std::size_t>{1});
  const std::vector<std::uint8_t> both_closed{1, 1};
  EXPECT_EQ(choose_victims(cores(4), world.free, {}, occupants, both_closed), std::nullopt);
}

// The rule once more, with everything built anew at each step.
TEST(Preemption, ChoosesAsTheObviousModelDoes) {
  std::mt19937 random(11);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int several = 0, spared = 0, hopeless = 0;
  for (int round = 0; round < 20'000; ++round) {
    World world;
    const int nodes = 1 + below(4);
    for (int n = 0; n < nodes; ++n) world.free.push_back({below(4), below(3), below(2)});
    world.pools = {below(2)};
    const auto random_demand = [&] {
      Demand demand;
      demand.cores = 1 + below(4);
      demand.memory = below(3);
      demand.gpus = below(2);
      demand.nodes = below(3) == 0 ? 1 + below(nodes) : 1;
      if (below(3) == 0) demand.pools = {{PoolId{0}, 1 + below(2)}};
      return demand;
    };
    const int running = below(7);
    for (int k = 0; k < running; ++k) {
      const Demand demand = random_demand();
      std::vector<std::uint32_t> places;
      for (std::uint32_t n = 0; places.size() < static_cast<std::size_t>(demand.nodes); ++n)
        places.push_back((n + static_cast<std::uint32_t>(k)) % static_cast<std::uint32_t>(nodes));
      world.sit(demand, places);
    }
    Demand wanted = random_demand();
    if (below(5) == 0) {
      wanted = cores(1 + below(10));
      wanted.spread = true;
    }
    std::vector<bool> gone(world.demands.size(), false);
    std::size_t taken = 0;
    while (!world.fits_without(wanted, gone) && taken < gone.size()) gone[taken++] = true;
    std::optional<std::vector<std::size_t>> expected;
    if (world.fits_without(wanted, gone)) {
      for (std::size_t i = taken; i-- > 0;) {
        gone[i] = false;
        if (!world.fits_without(wanted, gone))
          gone[i] = true;
        else
          ++spared;
      }
      expected.emplace();
      for (std::size_t i = 0; i < gone.size(); ++i)
        if (gone[i]) expected->push_back(i);
    }
    ASSERT_EQ(victims(world, wanted), expected) << round;
    hopeless += !expected ? 1 : 0;
    several += expected && expected->size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 1000);
  EXPECT_GT(spared, 1000);
  EXPECT_GT(hopeless, 1000);
}

}  // namespace
}  // namespace headroom
