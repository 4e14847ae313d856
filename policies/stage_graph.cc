#include "policies/stage_graph.h"

#include <string>

#include "policies/check.h"

namespace headroom {
namespace {

Duration saturating_sum(Duration a, Duration b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.ns, b.ns, &sum) ? Duration::infinite() : Duration{sum};
}

}  // namespace

void StageGraph::Lists::push(StageId stage, StageId value) {
  if (stage.value >= lists_.size()) lists_.resize(stage.value + 1);
  List& list = lists_[stage.value];
  if (list.size == list.capacity) {
    const std::uint32_t room = list.capacity == 0 ? 2 : list.capacity * 2;
    const std::uint64_t begin = arena_.size();
    arena_.resize(begin + room);
    std::copy_n(arena_.begin() + static_cast<std::ptrdiff_t>(list.begin), list.size,
                arena_.begin() + static_cast<std::ptrdiff_t>(begin));
    list.begin = begin;
    list.capacity = room;
  }
  arena_[list.begin + list.size++] = value;
}

void StageGraph::Lists::reserve_batch(StageId first, std::span<const std::uint32_t> sizes) {
  lists_.resize(first.value + sizes.size());
  std::uint64_t begin = arena_.size();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    lists_[first.value + k] = {begin, 0, sizes[k]};
    begin += sizes[k];
  }
  arena_.resize(begin);
}

StageId StageGraph::add(Duration estimate) {
  const StageId id{static_cast<std::uint32_t>(times_.size())};
  times_.push_back({estimate, estimate});
  return id;
}

StageId StageGraph::add_batch(std::span<const Duration> estimates, std::span<const std::uint32_t> needs_begin,
                              std::span<const std::uint32_t> needs) {
  const StageId first{static_cast<std::uint32_t>(times_.size())};
  const auto n = static_cast<std::uint32_t>(estimates.size());
  for (const Duration estimate : estimates) times_.push_back({estimate, estimate});
  if (needs.empty()) return first;

  std::vector<std::uint32_t> out(n, 0), in(n, 0);
  bool forward = false;
  for (std::uint32_t k = 0; k < n; ++k) {
    in[k] = needs_begin[k + 1] - needs_begin[k];
    for (std::uint32_t e = needs_begin[k]; e < needs_begin[k + 1]; ++e) {
      ++out[needs[e]];
      forward |= needs[e] >= k;
    }
  }
  consumers_.reserve_batch(first, out);
  producers_.reserve_batch(first, in);
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::uint32_t e = needs_begin[k]; e < needs_begin[k + 1]; ++e) {
      consumers_.push({first.value + needs[e]}, {first.value + k});
      producers_.push({first.value + k}, {first.value + needs[e]});
    }

  if (!forward) {
    for (std::uint32_t k = n; k-- > 0;) times_[first.value + k].tail = recomputed({first.value + k});
    return first;
  }
  // In file order a consumer may come first: sinks first, then what has only settled consumers.
  forward_edges_ = true;
  std::vector<std::uint32_t> ready;
  ready.reserve(n);
  for (std::uint32_t k = 0; k < n; ++k)
    if (out[k] == 0) ready.push_back(k);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const StageId stage{first.value + ready[i]};
    times_[stage.value].tail = recomputed(stage);
    for (const StageId producer : producers_.of(stage))
      if (--out[producer.value - first.value] == 0) ready.push_back(producer.value - first.value);
  }
  HEADROOM_CHECK(ready.size() == n, "a cycle among " + std::to_string(n - ready.size()) + " stages");
  return first;
}

void StageGraph::add_edge(StageId producer, StageId consumer) {
  HEADROOM_CHECK(producer != consumer && producer.value < size() && consumer.value < size(),
                 std::to_string(producer.value) + " -> " + std::to_string(consumer.value));
  forward_edges_ |= producer > consumer;
  consumers_.push(producer, consumer);
  producers_.push(consumer, producer);
  raise(producer, consumer);
}

void StageGraph::raise(StageId producer, StageId consumer) {
  const Duration value = saturating_sum(times_[producer.value].estimate, times_[consumer.value].tail);
  if (value <= times_[producer.value].tail) return;
  if (raised_.size() < size()) raised_.resize(size());
  Duration& raised = raised_[producer.value];
  if (raised == Duration{}) {
    dirty_.push_back(producer);
    if (!forward_edges_) std::push_heap(dirty_.begin(), dirty_.end());
  }
  raised = std::max(raised, value);
}

Duration StageGraph::recomputed(StageId stage) const {
  Duration longest;
  for (const StageId consumer : consumers_.of(stage)) longest = std::max(longest, times_[consumer.value].tail);
  return saturating_sum(times_[stage.value].estimate, longest);
}

}  // namespace headroom
