// Tail times: incremental against recomputed against Boost.Graph's longest path.
#include "policies/stage_graph.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <functional>

#include "policies/check.h"

namespace headroom {
namespace {

const auto kNothing = [](StageId) {};

Duration seconds(std::int64_t s) { return Duration::seconds(s); }

TEST(TailTime, OfASinkIsItsOwnEstimate) {
  StageGraph graph;
  EXPECT_EQ(graph.tail(graph.add(seconds(3))), seconds(3));
}

//   a(1) -> b(2) -> d(4)
//      \--> c(5) -/
TEST(TailTime, FollowsTheLongestPathAsTheGraphGrows) {
  StageGraph graph;
  const StageId a = graph.add(seconds(1));
  const StageId b = graph.add(seconds(2));
  graph.add_edge(a, b);
  graph.update(kNothing, kNothing);
  EXPECT_EQ(graph.tail(a), seconds(3));
  const StageId c = graph.add(seconds(5));
  graph.add_edge(a, c);
  const StageId d = graph.add(seconds(4));
  graph.add_edge(b, d);
  graph.add_edge(c, d);
  graph.update(kNothing, kNothing);
  EXPECT_EQ(graph.tail(a), seconds(10));
  EXPECT_EQ(graph.tail(b), seconds(6));
  EXPECT_EQ(graph.tail(c), seconds(9));
}

TEST(TailTime, TellsOfEveryValueThatChangesAndOfNoOther) {
  StageGraph graph;
  const StageId a = graph.add(seconds(1));
  const StageId b = graph.add(seconds(9));
  const StageId c = graph.add(seconds(2));
  graph.add_edge(a, b);
  graph.update(kNothing, kNothing);
  graph.add_edge(a, c);  // shorter than the path that a has
  std::vector<StageId> told;
  graph.update([&](StageId s) { told.push_back(s); }, kNothing);
  EXPECT_TRUE(told.empty());
}

// Graham's nine tasks; truths C5 gives these tail times.
TEST(TailTime, OfGrahamsTasksIsAsPublished) {
  const std::vector<Duration> estimates{seconds(3), seconds(2), seconds(2), seconds(2), seconds(4),
                                        seconds(4), seconds(4), seconds(4), seconds(9)};
  const std::vector<std::uint32_t> begin{0, 0, 0, 0, 0, 1, 2, 3, 4, 5};
  const std::vector<std::uint32_t> needs{3, 3, 3, 3, 0};
  StageGraph graph;
  graph.add_batch(estimates, begin, needs);
  std::vector<std::int64_t> tails;
  for (std::uint32_t s = 0; s < 9; ++s) tails.push_back(graph.tail({s}).ns / 1'000'000'000);
  EXPECT_EQ(tails, (std::vector<std::int64_t>{12, 2, 2, 6, 4, 4, 4, 4, 9}));
}

TEST(TailTime, RefusesACycle) {
  StageGraph graph;
  const std::vector<Duration> estimates(2, seconds(1));
  EXPECT_THROW(graph.add_batch(estimates, std::vector<std::uint32_t>{0, 1, 2}, std::vector<std::uint32_t>{1, 0}),
               CheckFailed);
}

TEST(TailTime, OfAMillionInARowNeedsNoStack) {
  constexpr std::uint32_t kLength = 1'000'000;
  std::vector<Duration> estimates(kLength, Duration{1});
  std::vector<std::uint32_t> begin, needs;
  for (std::uint32_t k = 0; k < kLength; ++k) {
    begin.push_back(k == 0 ? 0 : k - 1);
    if (k > 0) needs.push_back(k - 1);
  }
  begin.push_back(kLength - 1);
  StageGraph graph;
  graph.add_batch(estimates, begin, needs);
  EXPECT_EQ(graph.tail({0}).ns, kLength);
}

struct Edge {
  std::uint32_t from, to;
};

std::vector<std::int64_t> by_boost(const std::vector<std::int64_t>& estimates, const std::vector<Edge>& edges) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                      boost::property<boost::edge_weight_t, std::int64_t>>;
  std::vector<std::int64_t> tails;
  for (std::uint32_t source = 0; source < estimates.size(); ++source) {
    Graph graph(estimates.size() + 1);  // one sink behind everything; an edge weighs minus its source's estimate
    for (std::uint32_t v = 0; v < estimates.size(); ++v) boost::add_edge(v, estimates.size(), -estimates[v], graph);
    for (const Edge& e : edges) boost::add_edge(e.from, e.to, -estimates[e.from], graph);
    std::vector<std::int64_t> distance(estimates.size() + 1);
    boost::dag_shortest_paths(graph, source, boost::distance_map(distance.data()));
    tails.push_back(-distance.back());
  }
  return tails;
}

// Declared one by one, in an order that is topological or not, each followed by an update or not.
RC_GTEST_PROP(TailTime, GrownIsRecomputedIsBoosts, ()) {
  const auto n = *rc::gen::inRange<std::uint32_t>(1, 14);
  const auto estimates = *rc::gen::container<std::vector<std::int64_t>>(n, rc::gen::inRange<std::int64_t>(0, 6));
  const bool reversed = *rc::gen::arbitrary<bool>();
  std::vector<Edge> edges;
  for (std::uint32_t to = 0; to < n; ++to)
    for (std::uint32_t from = 0; from < to; ++from)
      if (*rc::gen::inRange(0, 3) == 0) edges.push_back(reversed ? Edge{to, from} : Edge{from, to});

  StageGraph grown;
  for (std::uint32_t s = 0; s < n; ++s) {
    grown.add({estimates[s]});
    for (const Edge& e : edges)
      if (std::max(e.from, e.to) == s) grown.add_edge({e.from}, {e.to});
    if (*rc::gen::arbitrary<bool>()) grown.update(kNothing, kNothing);
  }
  grown.update(kNothing, kNothing);

  std::vector<Duration> batch_estimates;
  std::vector<std::uint32_t> begin{0}, needs;
  for (std::uint32_t s = 0; s < n; ++s) {
    batch_estimates.push_back({estimates[s]});
    for (const Edge& e : edges)
      if (e.to == s) needs.push_back(e.from);
    begin.push_back(static_cast<std::uint32_t>(needs.size()));
  }
  StageGraph batch;
  batch.add_batch(batch_estimates, begin, needs);

  const std::vector<std::int64_t> expected = by_boost(estimates, edges);
  for (std::uint32_t s = 0; s < n; ++s) {
    RC_ASSERT(grown.tail({s}).ns == expected[s]);
    RC_ASSERT(batch.tail({s}).ns == expected[s]);
  }
}

}  // namespace
}  // namespace headroom
