// Tail times followed one declaration at a time, since plans declare while they run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/verify/schedule.h"

namespace headroom::verify {

/// Index into Schedule::attempts.
using Row = std::uint32_t;
inline constexpr Row kNoRow = 0xffffffff;

/// Stages whose tail times change because plans declare: followed one declaration at a time.
class Tails {
 public:
  explicit Tails(const Schedule& s) : s_(s) {
    for (const Attempt& a : s.attempts) stages_ = std::max<std::size_t>(stages_, a.stage + std::size_t{1});
    for (const auto& [source, sink] : s.dependencies)
      stages_ = std::max({stages_, source + std::size_t{1}, sink + std::size_t{1}});
    tail_.assign(stages_, -1);
    first_row_.assign(stages_, kNoRow);
    for (Row i = static_cast<Row>(s.attempts.size()); i-- > 0;) first_row_[s.attempts[i].stage] = i;
    sources_ = by(
        s.dependencies, [](const auto& d) { return d.second; }, [](const auto& d) { return d.first; });
    sinks_ = by(
        s.dependencies, [](const auto& d) { return d.first; }, [](const auto& d) { return d.second; });
  }

  [[nodiscard]] Time of(std::uint32_t stage) const { return std::max<Time>(tail_[stage], 0); }
  [[nodiscard]] Row first_row(std::uint32_t stage) const { return first_row_[stage]; }
  [[nodiscard]] bool knows(std::int64_t stage) const {
    return stage >= 0 && static_cast<std::size_t>(stage) < stages_ &&
           first_row_[static_cast<std::size_t>(stage)] != kNoRow;
  }

  /// `moved` is called with a stage before its tail changes, and after. Those of one batch come in any order.
  template <class Before, class After>
  void declare(const std::vector<std::uint32_t>& batch, Before before, After after) {
    for (const std::uint32_t stage : batch) tail_[stage] = s_.attempts[first_row_[stage]].estimate;
    std::vector<std::uint32_t> open;
    // Consumers first as far as the batch goes: sinks of the batch, then back along what needs are met.
    std::unordered_map<std::uint32_t, std::uint32_t> waiting;
    for (const std::uint32_t stage : batch) waiting[stage] = 0;
    for (const std::uint32_t stage : batch)
      for (const std::uint32_t sink : sinks(stage)) waiting[stage] += waiting.contains(sink) ? 1 : 0;
    for (const std::uint32_t stage : batch)
      if (waiting[stage] == 0) open.push_back(stage);
    std::vector<std::uint32_t> upstream;
    for (std::size_t next = 0; next < open.size(); ++next) {
      const std::uint32_t stage = open[next];
      tail_[stage] = right(stage);
      for (const std::uint32_t source : sources(stage)) {
        const auto found = waiting.find(source);
        if (found == waiting.end()) {
          if (tail_[source] >= 0) upstream.push_back(source);
        } else if (--found->second == 0) {
          open.push_back(source);
        }
      }
    }
    while (!upstream.empty()) {
      const std::uint32_t stage = upstream.back();
      upstream.pop_back();
      const Time now = right(stage);
      if (now == tail_[stage]) continue;
      before(stage);
      tail_[stage] = now;
      after(stage);
      for (const std::uint32_t source : sources(stage))
        if (tail_[source] >= 0) upstream.push_back(source);
    }
  }

 private:
  struct Lists {
    std::vector<std::uint32_t> begin, of;
  };
  template <class Key, class Value>
  Lists by(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& all, Key key, Value value) const {
    Lists lists;
    lists.begin.assign(stages_ + 2, 0);
    lists.of.resize(all.size());
    for (const auto& d : all) ++lists.begin[key(d) + std::size_t{2}];
    std::partial_sum(lists.begin.begin(), lists.begin.end(), lists.begin.begin());
    for (const auto& d : all) lists.of[lists.begin[key(d) + std::size_t{1}]++] = value(d);
    return lists;
  }
  static std::span<const std::uint32_t> in(const Lists& lists, std::uint32_t stage) {
    return std::span(lists.of).subspan(lists.begin[stage], lists.begin[stage + std::size_t{1}] - lists.begin[stage]);
  }
  [[nodiscard]] std::span<const std::uint32_t> sources(std::uint32_t stage) const { return in(sources_, stage); }
  [[nodiscard]] std::span<const std::uint32_t> sinks(std::uint32_t stage) const { return in(sinks_, stage); }
  [[nodiscard]] Time right(std::uint32_t stage) const {
    Time most = 0, tail = 0;
    for (const std::uint32_t sink : sinks(stage)) most = std::max(most, of(sink));
    return __builtin_add_overflow(most, s_.attempts[first_row_[stage]].estimate, &tail) ? kNever : tail;
  }

  const Schedule& s_;
  std::size_t stages_ = 0;
  std::vector<Time> tail_;  ///< by stage; -1: not declared yet
  std::vector<Row> first_row_;
  Lists sources_, sinks_;
};

}  // namespace headroom::verify
