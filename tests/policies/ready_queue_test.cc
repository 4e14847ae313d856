// The tree against the plain sort, under every question that a pass asks.
#include "policies/ready_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace headroom {
namespace {

class ById final : public TieBreaker {
 public:
  bool before(StageId a, StageId b) const override { return a < b; }
};

class KeepPriority final : public Evaluate {
 public:
  void operator()(std::span<ReadyEntry>, TimePoint) const override {}
};

/// Takes stages whose id is divisible by `divisor`; remembers what it was asked.
class Divisible final : public Accept {
 public:
  explicit Divisible(std::uint32_t divisor) : divisor_(divisor) {}
  bool operator()(const ReadyEntry& entry) override { return entry.stage.value % divisor_ == 0; }

 private:
  std::uint32_t divisor_;
};

struct Twins {
  Twins() {
    for (std::int64_t cores = 0; cores < 8; ++cores) {
      Demand demand;
      demand.cores = cores;
      cluster.add_demand(demand);
    }
  }
  ReadyEntry make(std::int64_t major, std::uint64_t second, std::uint32_t cores, std::int64_t estimate) {
    ReadyEntry entry;
    entry.priority.major = major;
    entry.second = second;
    entry.stage = graph.add({estimate});
    entry.demand = {cores};
    return entry;
  }
  void insert(const ReadyEntry& entry) {
    tree->insert(entry);
    sorted->insert(entry);
    all[entry.stage.value] = entry;
  }
  void erase(std::uint32_t stage) {
    tree->erase(all.at(stage));
    sorted->erase(all.at(stage));
    all.erase(stage);
  }
  Cluster cluster{{{{100, 0, 0}}, {}}};
  StageGraph graph;
  ById ties;
  KeepPriority keep;
  StageSizes sizes{cluster, graph};
  std::unique_ptr<ReadyQueue> tree = make_static_queue(ties, sizes);
  std::unique_ptr<ReadyQueue> sorted = make_sorted_queue(ties, sizes, keep);
  std::map<std::uint32_t, ReadyEntry> all;
};

std::int64_t id(const ReadyEntry* entry) {
  return entry == nullptr ? -1 : static_cast<std::int64_t>(entry->stage.value);
}

/// Random inserts and erases; after each few, all questions are asked of both.
void run_random(std::uint64_t seed, int steps, int erase_of_ten) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  Twins twins;
  for (int step = 0; step < steps; ++step) {
    if (!twins.all.empty() && below(10) < static_cast<std::uint64_t>(erase_of_ten)) {
      auto at = twins.all.lower_bound(static_cast<std::uint32_t>(below(twins.graph.size())));
      if (at == twins.all.end()) at = twins.all.begin();
      twins.erase(at->first);
    } else {
      const auto major = static_cast<std::int64_t>(below(3) == 0 ? below(5) : below(100000));
      twins.insert(
          twins.make(major, below(4), static_cast<std::uint32_t>(below(8)), static_cast<std::int64_t>(below(20))));
    }
    if (step % 7 != 0 || twins.all.empty()) continue;
    twins.sorted->begin_pass({});
    ASSERT_EQ(twins.tree->size(), twins.all.size()) << "seed " << seed << " step " << step;
    ASSERT_EQ(id(twins.tree->front()), id(twins.sorted->front())) << "seed " << seed << " step " << step;
    const std::size_t n = 1 + below(twins.all.size() + 2);
    ASSERT_EQ(id(twins.tree->nth(n)), id(twins.sorted->nth(n))) << "seed " << seed << " step " << step;
    auto some = twins.all.lower_bound(static_cast<std::uint32_t>(below(twins.graph.size())));
    if (some == twins.all.end()) some = twins.all.begin();
    ASSERT_EQ(id(twins.tree->next(some->second)), id(twins.sorted->next(some->second))) << "seed " << seed;
    FitBound bound;
    bound.free = {static_cast<std::int64_t>(below(8)), 0, 0};
    if (below(2) == 0) {
      bound.spare_time = {static_cast<std::int64_t>(below(20))};
      bound.spare = {static_cast<std::int64_t>(below(4)), 0, 0};
    }
    Divisible accept(static_cast<std::uint32_t>(1 + below(3)));
    const ReadyEntry* after = below(2) == 0 ? &some->second : nullptr;
    const ReadyEntry* last = below(2) == 0 ? twins.sorted->nth(n) : nullptr;
    ASSERT_EQ(id(twins.tree->find(after, last, bound, accept)), id(twins.sorted->find(after, last, bound, accept)))
        << "seed " << seed << " step " << step;
  }
}

TEST(ReadyQueue, TreeAnswersAsThePlainSortWhileItGrows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) run_random(seed, 3000, 2);
}

TEST(ReadyQueue, TreeAnswersAsThePlainSortWhileItTurnsOver) {
  for (std::uint64_t seed = 101; seed <= 130; ++seed) run_random(seed, 3000, 5);
}

TEST(ReadyQueue, TreeEmptiesFromTheFrontAndFillsAgain) {
  Twins twins;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10000; ++i) twins.insert(twins.make(i / 3, 0, 1, 1));
    std::int64_t last = -1;
    while (const ReadyEntry* front = twins.tree->front()) {
      ASSERT_GT(static_cast<std::int64_t>(front->stage.value), last);
      last = front->stage.value;
      const ReadyEntry copy = *front;
      twins.tree->erase(copy);
    }
    EXPECT_EQ(twins.tree->size(), 0u);
    twins.all.clear();
    twins.sorted = make_sorted_queue(twins.ties, twins.sizes, twins.keep);
  }
}

TEST(ReadyQueue, ErasingWhatIsNotThereIsABug) {
  Twins twins;
  const ReadyEntry entry = twins.make(1, 0, 1, 1);
  EXPECT_ANY_THROW(twins.tree->erase(entry));
  EXPECT_ANY_THROW(twins.sorted->erase(entry));
}

TEST(DescendingKey, PutsLargerFirstAndNanLast) {
  const double values[] = {INFINITY, 1e300, 2.5, 1.0, 5e-324, 0.0, -5e-324, -1.0, -1e300, -INFINITY, NAN};
  for (std::size_t i = 0; i + 1 < std::size(values); ++i)
    EXPECT_LT(descending_key(values[i]), descending_key(values[i + 1])) << values[i];
  EXPECT_EQ(descending_key(0.0), descending_key(-0.0));
}

}  // namespace
}  // namespace headroom
