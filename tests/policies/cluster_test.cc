// First fit in file order, on every resource.
#include "policies/cluster.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "policies/check.h"

namespace headroom {
namespace {

Demand cores(std::int64_t n) {
  Demand demand;
  demand.cores = n;
  return demand;
}

TEST(Cluster, PlacesOnTheFirstNodeInFileOrderThatFits) {
  Cluster cluster({{{2, 0, 0}, {8, 0, 0}, {8, 0, 0}}, {}});
  Allocation at;
  ASSERT_TRUE(cluster.place(cluster.add_demand(cores(4)), at));
  EXPECT_EQ(at.first.value, 1u);
  ASSERT_TRUE(cluster.place(cluster.add_demand(cores(2)), at));
  EXPECT_EQ(at.first.value, 0u);
  ASSERT_TRUE(cluster.place(cluster.add_demand(cores(5)), at));
  EXPECT_EQ(at.first.value, 2u);
  EXPECT_FALSE(cluster.place(cluster.add_demand(cores(5)), at));
}

TEST(Cluster, NeedsEveryResourceOnTheSameNode) {
  Cluster cluster({{{8, 100, 0}, {1, 0, 4}}, {}});
  Demand demand = cores(2);
  demand.gpus = 1;
  Allocation at;
  EXPECT_FALSE(cluster.fits(cluster.add_demand(demand)));
  EXPECT_FALSE(cluster.could_fit(cluster.add_demand(demand)));
  EXPECT_FALSE(cluster.place(cluster.add_demand(demand), at));
  demand.cores = 1;
  ASSERT_TRUE(cluster.place(cluster.add_demand(demand), at));
  EXPECT_EQ(at.first.value, 1u);
}

TEST(Cluster, TakesSeveralDifferentNodes) {
  Cluster cluster({{{4, 0, 0}, {1, 0, 0}, {4, 0, 0}, {4, 0, 0}}, {}});
  Demand demand = cores(3);
  demand.nodes = 3;
  const DemandId id = cluster.add_demand(demand);
  Allocation at;
  ASSERT_TRUE(cluster.place(id, at));
  ASSERT_EQ(at.further.size(), 3u);
  EXPECT_EQ(at.further[1].node.value, 2u);
  EXPECT_FALSE(cluster.fits(id));
  EXPECT_TRUE(cluster.could_fit(id));
  cluster.give_back(id, at);
  EXPECT_TRUE(cluster.fits(id));
}

TEST(Cluster, SpreadsATracesWidthFromTheFirstNodeOn) {
  Cluster cluster({{{4, 0, 0}, {4, 0, 0}}, {}});
  Demand demand = cores(6);
  demand.spread = true;
  Allocation at;
  ASSERT_TRUE(cluster.place(cluster.add_demand(demand), at));
  ASSERT_EQ(at.further.size(), 2u);
  EXPECT_EQ(at.further[0].cores, 4);
  EXPECT_EQ(at.further[1].cores, 2);
  EXPECT_FALSE(cluster.fits(cluster.add_demand(cores(3))));
  EXPECT_TRUE(cluster.fits(cluster.add_demand(cores(2))));
}

TEST(Cluster, CountsPools) {
  Cluster cluster({{{8, 0, 0}}, {2}});
  Demand demand = cores(1);
  demand.pools = {{PoolId{0}, 2}};
  const DemandId id = cluster.add_demand(demand);
  Allocation at;
  ASSERT_TRUE(cluster.place(id, at));
  EXPECT_FALSE(cluster.fits(id));
  cluster.give_back(id, at);
  EXPECT_TRUE(cluster.fits(id));
  demand.pools = {{PoolId{7}, 1}};
  EXPECT_FALSE(cluster.could_fit(cluster.add_demand(demand))) << "a pool that nobody defined";
}

TEST(Cluster, TheSameDemandHasOneId) {
  Cluster cluster({{{8, 0, 0}}, {}});
  EXPECT_EQ(cluster.add_demand(cores(2)), cluster.add_demand(cores(2)));
  EXPECT_NE(cluster.add_demand(cores(2)), cluster.add_demand(cores(3)));
}

TEST(Cluster, RefusesToTakeWhatIsNotThere) {
  Cluster cluster({{{1, 0, 0}}, {}});
  EXPECT_THROW(cluster.take(cluster.add_demand(cores(2)), Allocation{NodeId{0}, {}}), CheckFailed);
}

RC_GTEST_PROP(Cluster, FindsTheNodeThatAWalkFinds, ()) {
  const auto nodes = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange(0, 5)));
  RC_PRE(!nodes.empty());
  ClusterCapacity capacity;
  for (const auto& [c, g] : nodes) capacity.nodes.push_back({c, 0, g});
  Cluster cluster(capacity);
  for (int c = 0; c < 5; ++c)
    for (int g = 0; g < 5; ++g)
      for (std::uint32_t from = 0; from <= nodes.size(); ++from) {
        NodeId expected = NodeId::none();
        for (std::uint32_t n = from; n < nodes.size() && expected.is_none(); ++n)
          if (nodes[n].first >= c && nodes[n].second >= g) expected = {n};
        RC_ASSERT(cluster.first_fit({c, 0, g}, {from}) == expected);
      }
}

}  // namespace
}  // namespace headroom
