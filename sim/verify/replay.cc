// The schedule once more from front to back, instant by instant: ends, then who becomes eligible, then the starts in
// the order in which they were decided. At each start: was there room, and was nobody better left out? At the end of
// each instant that has a pass: could anybody left waiting have started?
//
// What happened between two passes of one instant is not stored. Where there were several (a try of length 0, a
// release, a plan that declares at the instant of its own start), who was better is not asked; all else is.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/verify/floor.h"
#include "sim/verify/tails.h"
#include "sim/verify/verdict.h"

namespace headroom::verify {
namespace {

class Replay {
 public:
  Replay(const Schedule& s, std::uint64_t work, Verdict& v)
      : s_(s), v_(v), budget_(work), tails_(s), free_{s.nodes, s.pools} {
    knows_order_ = s.rules.priority != Priority::kUnknown &&
                   std::ranges::find(s.rules.ties, Tie::kRandom) == s.rules.ties.end() && s.rules.unknown.empty();
    for (const Workflow& w : s.workflows) base_.push_back(w.base);
    make_classes();
    place_rows();
    match_displacements();
    list_events();
  }

  void run() {
    say_what_is_skipped();
    std::size_t declared = 0, end = 0, eligible = 0, start = 0, open = 0, close = 0;
    bool pending = false, changed = false;
    for (;;) {
      Time now = kNever;
      const auto look = [&](const std::vector<std::pair<Time, Row>>& list, std::size_t at) {
        if (at < list.size()) now = std::min(now, list[at].first);
      };
      look(declarations_, declared);
      look(ends_, end);
      look(eligibles_, eligible);
      look(starts_, start);
      look(opens_, open);
      look(closes_, close);
      if (next_change_ < s_.base_changes.size()) now = std::min(now, s_.base_changes[next_change_].at);
      if (now == kNever) break;
      const Time tick = s_.rules.tick;
      if (pending && tick > 0) {
        const Time grid = next_grid(last_);
        if (grid < now) now = grid;
      }
      Instant i;
      i.at = last_ = now;
      for (; end < ends_.size() && ends_[end].first == now; ++end) {
        give_back(ends_[end].second);
        ++i.ends;
      }
      std::vector<std::uint32_t> batch;
      for (; declared < declarations_.size() && declarations_[declared].first == now; ++declared) {
        batch.push_back(attempt(declarations_[declared].second).stage);
        i.several = i.several || declares_between_passes(declarations_[declared].second, now);
      }
      if (!batch.empty())
        tails_.declare(
            batch, [&](std::uint32_t stage) { pull(stage); }, [&](std::uint32_t stage) { put(stage); });
      // Where one hold follows another at one instant, what counts is how it ends.
      for (; close < closes_.size() && closes_[close].first == now; ++close) release(closes_[close].second);
      for (; open < opens_.size() && opens_[open].first == now; ++open, i.several = true) gate(opens_[open].second);
      for (; eligible < eligibles_.size() && eligibles_[eligible].first == now; ++eligible) {
        enter(eligibles_[eligible].second);
        ++i.eligibles;
      }
      if (change_bases(now) && s_.rules.pyss) i.several = true;
      i.several = i.several || std::ranges::binary_search(releases_, now);
      const std::size_t first = start;
      for (; start < starts_.size() && starts_[start].first == now; ++start) {
        i.several = i.several || attempt(starts_[start].second).finished == now;
        // That priorities cross, or a minimum run is over, is a change where it makes somebody go.
        changed = changed || !follows_preemption() || victims_of_.contains(starts_[start].second);
      }
      i.several = i.several || now >= unclear_from_;
      if (s_.rules.pyss) i.several = i.several || i.ends + i.eligibles > 1;
      i.changes = i.ends + i.eligibles + batch.size() + (std::ranges::binary_search(releases_, now) ? 1 : 0) +
                  (std::ranges::binary_search(changes_, now) ? 1 : 0);
      changed = changed || i.changes > 0;
      for (std::size_t k = first; k < start && !is_stopped_; ++k) starts(starts_[k].second, i, changed);
      if (is_stopped_) return;
      end_at_once(i);
      if (i.ends + i.eligibles > 0) pending = true;
      if (has_pass(i, pending)) {
        left_waiting(i);
        pending = false;
      }
      if (tick == 0 || now % tick == 0) pending = changed = false;
    }
  }

 private:
  struct Instant {
    Time at = 0;
    std::size_t ends = 0, eligibles = 0, changes = 0, starts = 0;
    bool several = false;  ///< more than one pass, or it cannot be told
  };
  /// Better first: priority, plans, ties, declaration.
  struct Better {
    const Replay* replay;
    bool operator()(Row a, Row b) const { return replay->is_better(a, b); }
  };
  struct ByEstimate {
    const Replay* replay;
    bool operator()(Row a, Row b) const {
      const Time x = replay->attempt(a).estimate, y = replay->attempt(b).estimate;
      return x != y ? x < y : replay->is_better(a, b);
    }
  };
  struct Waiting {
    std::set<Row, Better> ranked;
    std::set<Row, ByEstimate> by_estimate;  ///< easy only
  };

  [[nodiscard]] const Attempt& attempt(Row row) const { return s_.attempts[row]; }
  [[nodiscard]] Time next_grid(Time t) const {
    const Time rest = t % s_.rules.tick;
    return rest == 0 ? t : t + (s_.rules.tick - rest);
  }

  // ---- preparation

  void make_classes() {
    std::map<Class, std::uint32_t> known;
    std::vector<std::pair<std::uint32_t, std::int64_t>> none;
    for (const Attempt& a : s_.attempts) {
      Class wants{a.amounts, a.nodes, a.is_spread, none};
      const auto [begin, end] =
          std::ranges::equal_range(s_.pool_requests, a.stage, {}, [](const auto& r) { return r.first; });
      for (auto r = begin; r != end; ++r) wants.pools.push_back(r->second);
      const auto [found, is_new] = known.emplace(std::move(wants), static_cast<std::uint32_t>(classes_.size()));
      if (is_new) classes_.push_back(found->first);
      class_of_.push_back(found->second);
    }
    for (std::size_t i = 0; i < classes_.size(); ++i)
      waiting_.push_back({std::set<Row, Better>(Better{this}), std::set<Row, ByEstimate>(ByEstimate{this})});
  }

  /// Which nodes each try takes, as stored; of a spread width how many of each is worked out at its start.
  void place_rows() {
    placed_.resize(s_.attempts.size());
    for (const auto& [row, node] : s_.further_nodes)
      if (row < placed_.size()) placed_[row].emplace_back(node, attempt(row).amounts.cores);
    for (Row row = 0; row < placed_.size(); ++row)
      if (placed_[row].empty() && attempt(row).started != kNever)
        placed_[row].emplace_back(attempt(row).node, attempt(row).amounts.cores);
  }

  /// A try that goes at the very instant at which its preemptor starts gives its room back right before that start, and
  /// is queued again right after it.
  void match_displacements() {
    displaced_in_a_pass_.resize(s_.attempts.size(), 0);
    // After a grace it goes before the pass, like any end.
    if (s_.displacements.empty() || s_.rules.preemption_grace > 0) return;
    std::map<std::pair<std::uint32_t, Time>, Row> starts_of;
    for (Row row = 0; row < s_.attempts.size(); ++row)
      if (attempt(row).started != kNever) starts_of.emplace(std::pair(attempt(row).stage, attempt(row).started), row);
    for (const Displacement& one : s_.displacements) {
      const auto preemptor = starts_of.find({one.preemptor, attempt(one.row).finished});
      if (preemptor == starts_of.end()) continue;
      victims_of_[preemptor->second].push_back(one.row);
      displaced_in_a_pass_[one.row] = 1;
    }
  }
  /// Is what a pass with preemption does known step by step?
  [[nodiscard]] bool follows_preemption() const {
    return !s_.rules.is_preemptive ||
           (s_.rules.preemption_grace == 0 && s_.rules.placement == Placement::kGreedy && s_.rules.queue_depth == 0);
  }

  /// True if there was one.
  bool change_bases(Time now) {
    std::set<std::uint32_t> changed;
    std::size_t end = next_change_;
    for (; end < s_.base_changes.size() && s_.base_changes[end].at == now; ++end)
      changed.insert(s_.base_changes[end].workflow);
    if (changed.empty()) return false;
    std::vector<Row> moved;
    for (const Waiting& in : waiting_)
      for (const Row row : in.ranked)
        if (changed.contains(attempt(row).workflow)) moved.push_back(row);
    spend(waiting_count_ + 1);
    for (const Row row : moved) leave(row);
    for (; next_change_ < end; ++next_change_)
      base_[s_.base_changes[next_change_].workflow] = s_.base_changes[next_change_].base;
    for (const Row row : moved) enter(row);
    return true;
  }

  void displace_for(Row row, const Instant& i) {
    for (const Row victim : victims_of_.at(row)) {
      v_.count(Rule::kOrder);
      if (knows_order_ && priority(attempt(victim)) >= priority(attempt(row)))
        v_.add(Rule::kOrder, attempt(victim).stage, i.at,
               "displaced for " + who(row) + ", whose priority is no higher");
      give_back(victim);
    }
  }
  void queue_victims_of(Row row) {
    for (const Row victim : victims_of_.at(row)) {
      const Row again = victim + 1;
      if (again >= s_.attempts.size() || attempt(again).stage != attempt(victim).stage) continue;
      // When one that does not run again was canceled is not stored.
      if (attempt(again).started != kNever || attempt(again).state != State::kCanceled) enter(again);
    }
  }

  void list_events() {
    for (Row row = 0; row < s_.attempts.size(); ++row) {
      const Attempt& a = attempt(row);
      if (a.number == 0 && a.declared != kNever && tails_.first_row(a.stage) == row)
        declarations_.emplace_back(a.declared, row);
      // When a stage that never ran was canceled is not stored: it counts as nobody's rival, and where it could have
      // been in the way of others nothing is said of them.
      const bool waits_for_nothing = a.started == kNever && a.state == State::kCanceled;
      const bool returns_in_a_pass = a.number > 0 && row > 0 && displaced_in_a_pass_[row - 1] != 0;
      if (a.eligible != kNever && a.eligible <= a.started && !waits_for_nothing && !returns_in_a_pass)
        eligibles_.emplace_back(a.eligible, row);
      if (a.started != kNever) starts_.emplace_back(a.started, row);
      if (a.started != kNever && a.finished != kNever && a.finished > a.started && displaced_in_a_pass_[row] == 0)
        ends_.emplace_back(a.finished, row);
      // Of one that is canceled later its being eligible was a change all the same.
      if (waits_for_nothing && a.eligible != kNever) {
        changes_.push_back(a.eligible);
        if (s_.rules.placement != Placement::kGreedy || s_.rules.queue_depth > 0)
          unclear_from_ = std::min(unclear_from_, a.eligible);
      }
      for (const Time t : {a.declared, a.eligible, a.started, a.finished})
        if (t != kNever) last_instant_ = std::max(last_instant_, t);
    }
    std::ranges::sort(declarations_);
    std::ranges::sort(ends_);
    std::ranges::sort(eligibles_);
    std::ranges::sort(starts_, [&](const auto& a, const auto& b) {
      return std::tuple(a.first, attempt(a.second).decision, a.second) <
             std::tuple(b.first, attempt(b.second).decision, b.second);
    });
    for (const Hold& hold : s_.holds)
      if (hold.to != kNever) releases_.push_back(hold.to);
    std::ranges::sort(releases_);
    for (const BaseChange& change : s_.base_changes) changes_.push_back(change.at);
    std::ranges::sort(changes_);
    list_gates();
  }

  /// Eligible stages that a hold takes out of the queue and its release puts back: only where it gates descendants.
  void list_gates() {
    if (!s_.rules.gates_descendants) return;
    std::unordered_map<std::uint32_t, std::vector<Hold>> of_plan;
    for (const Hold& hold : s_.holds) of_plan[hold.plan].push_back(hold);
    for (const auto& [since, row] : std::vector(eligibles_)) {
      if (attempt(row).number != 0) continue;
      std::int64_t above = attempt(row).declarer;
      for (int depth = 0; above >= 0 && depth < 1000; ++depth) {
        const auto found = of_plan.find(static_cast<std::uint32_t>(above));
        if (found != of_plan.end())
          for (const Hold& hold : found->second) {
            if (hold.from < since || hold.from >= attempt(row).started || hold.to <= hold.from) continue;
            opens_.emplace_back(hold.from, row);
            // One that a release left behind comes back at a time that is not stored: it is nobody's rival then.
            if (hold.to != kNever && s_.rules.releases_all) closes_.emplace_back(hold.to, row);
            if (!s_.rules.releases_all && (s_.rules.placement != Placement::kGreedy || s_.rules.queue_depth > 0))
              unclear_from_ = std::min(unclear_from_, hold.from);
          }
        above = tails_.knows(above) ? attempt(tails_.first_row(static_cast<std::uint32_t>(above))).declarer : -1;
      }
    }
    std::ranges::sort(opens_);
    std::ranges::sort(closes_);
    gated_.resize(s_.attempts.size(), 0);
  }
  void say_what_is_skipped() {
    for (const std::string& word : s_.rules.unknown) {
      v_.skip(Rule::kOrder, word);
      v_.skip(Rule::kIdle, word);
    }
    if (!follows_preemption())
      v_.skip(Rule::kOrder, "stages may be preempted, and the grace, the placement or the depth is not followed then");
    if (s_.rules.priority == Priority::kUnknown) v_.skip(Rule::kOrder, "the priority is an expression");
    if (std::ranges::find(s_.rules.ties, Tie::kRandom) != s_.rules.ties.end())
      v_.skip(Rule::kOrder, "ties fall to draws, which are not stored");
    if (s_.rules.placement == Placement::kConservative) {
      v_.skip(Rule::kReservation, "conservative: that of the first in order only");
      v_.skip(Rule::kIdle, "conservative: the first in order only");
    }
    if (s_.rules.placement == Placement::kUnknown) {
      v_.skip(Rule::kOrder, "no rules for this placement");
      v_.skip(Rule::kIdle, "no rules for this placement");
    }
  }

  // ---- who is better

  [[nodiscard]] std::int64_t tie_value(Tie tie, const Attempt& a) const {
    const std::int64_t cores = a.is_spread ? a.amounts.cores : a.amounts.cores * a.nodes;
    switch (tie) {
      case Tie::kTailTime:
        return -tails_.of(a.stage);
      case Tie::kSubmitTime:
        return s_.workflows[a.workflow].submitted;
      case Tie::kShortest:
        return a.estimate;
      case Tie::kLongest:
        return -a.estimate;
      case Tie::kLargest:
        return -cores;
      case Tie::kSmallest:
        return cores;
      case Tie::kDeclaration:
      case Tie::kRandom:
        break;
    }
    return tails_.first_row(a.stage);
  }
  /// Ageing is the same for all, so what counts is the base less the time of submission: in nanoseconds, exactly.
  [[nodiscard]] __int128 priority(const Attempt& a) const {
    const Workflow& w = s_.workflows[a.workflow];
    switch (s_.rules.priority) {
      case Priority::kBases:
        return base_[a.workflow];
      case Priority::kAgeing:
        return __int128{base_[a.workflow]} * 3'600'000'000'000 - w.submitted;
      case Priority::kNone:
      case Priority::kUnknown:
        break;
    }
    return 0;
  }
  [[nodiscard]] bool is_better(Row x, Row y) const {
    const Attempt& a = attempt(x);
    const Attempt& b = attempt(y);
    if (const auto p = priority(a), q = priority(b); p != q) return p > q;
    if (a.is_plan != b.is_plan) return a.is_plan;
    for (const Tie tie : s_.rules.ties)
      if (const auto v = tie_value(tie, a), w = tie_value(tie, b); v != w) return v < w;
    return std::pair(tails_.first_row(a.stage), x) < std::pair(tails_.first_row(b.stage), y);
  }

  // ---- the queue

  void enter(Row row) {
    if (!gated_.empty() && gated_[row] > 0) return;
    Waiting& in = waiting_[class_of_[row]];
    if (!in.ranked.insert(row).second) return;
    if (s_.rules.placement == Placement::kEasy) in.by_estimate.insert(row);
    waits_[attempt(row).stage] = row;
    ++waiting_count_;
  }
  bool leave(Row row) {
    Waiting& in = waiting_[class_of_[row]];
    if (in.ranked.erase(row) == 0) return false;
    in.by_estimate.erase(row);
    waits_.erase(attempt(row).stage);
    --waiting_count_;
    return true;
  }
  void pull(std::uint32_t stage) {
    const auto found = waits_.find(stage);
    pulled_ = found == waits_.end() ? kNoRow : found->second;
    if (pulled_ != kNoRow) leave(pulled_);
  }
  void put(std::uint32_t) {
    if (pulled_ != kNoRow) enter(pulled_);
  }
  void gate(Row row) {
    if (gated_[row]++ == 0) leave(row);
  }
  void release(Row row) {
    if (--gated_[row] == 0 && attempt(row).eligible < last_) enter(row);
  }

  // ---- starts

  /// Was it declared by a plan that started at this very instant?
  [[nodiscard]] bool declares_between_passes(Row row, Time now) const {
    const std::int64_t plan = attempt(row).declarer;
    return tails_.knows(plan) && attempt(tails_.first_row(static_cast<std::uint32_t>(plan))).started == now;
  }

  void give_back(Row row) {
    if (!in_use_.contains(row)) return;
    free_.give(classes_[class_of_[row]], placed_[row]);
    running_.erase(in_use_.at(row));
    in_use_.erase(row);
  }

  [[nodiscard]] std::string who(Row row) const {
    return "stage " + std::to_string(attempt(row).stage) + " of workflow " + std::to_string(attempt(row).workflow);
  }

  void starts(Row row, Instant& i, bool changed) {
    const Attempt& a = attempt(row);
    ++i.starts;
    v_.count(Rule::kGrid);
    if (!changed) v_.add(Rule::kGrid, a.stage, i.at, "starts though nothing has changed: there is no pass then");
    leave(row);
    const bool displaces = victims_of_.contains(row);
    if (displaces) displace_for(row, i);
    const Class& wants = classes_[class_of_[row]];
    v_.count(Rule::kCapacity);
    const bool ok = std::ranges::all_of(placed_[row],
                                        [&](const auto& t) {
                                          return t.first >= 0 && static_cast<std::size_t>(t.first) < free_.nodes.size();
                                        }) &&
                    std::ranges::all_of(wants.pools, [&](const auto& p) { return p.first < free_.pools.size(); });
    if (!ok)
      return v_.add(Rule::kCapacity, a.stage, a.started,
                    "it runs on a node, or from a pool, that the cluster does not have");
    if (a.is_spread && placed_[row].size() > 1 && (i.several || s_.rules.placement == Placement::kConservative))
      return stop();
    if (a.is_spread) share_out(row, wants);
    beside_ = s_.rules.placement == Placement::kEasy ||
              s_.rules.placement == Placement::kConservative;  // unless order() finds that it was the first
    if (!i.several) {
      if (knows_order_ && budget_ > 0 && follows_preemption()) order(row, i);
      node(row, wants);
    }
    tail(row, i);
    started_now(i).push_back(row);
    free_.take(wants, placed_[row]);
    if (free_.overdrawn(wants, placed_[row]) && !over_at_once_.empty()) {
      // There must have been a pass between: what took no time had ended by then.
      free_.give(wants, placed_[row]);
      end_at_once(i);
      if (a.is_spread) share_out(row, wants);
      free_.take(wants, placed_[row]);
    }
    if (free_.overdrawn(wants, placed_[row])) v_.add(Rule::kCapacity, a.stage, a.started, over_text(row, wants));
    const Time lasts = std::max<Time>(a.estimate, 1);
    Time end = kNever;
    if (__builtin_add_overflow(a.started, lasts, &end)) end = kNever;
    in_use_[row] = running_.emplace(end, Expected{&wants, &placed_[row]});
    if (a.finished == a.started) over_at_once_.push_back(row);
    if (displaces) queue_victims_of(row);
  }

  /// A width that spreads takes of its first nodes all that is free. Between two passes of one instant, or beside many
  /// reservations, that is not known, and so neither is what is free from then on.
  void stop() {
    is_stopped_ = true;
    for (const Rule rule : {Rule::kCapacity, Rule::kNode, Rule::kOrder, Rule::kReservation, Rule::kIdle})
      v_.skip(rule, "only up to " + seconds_text(last_) +
                        ", when a width was spread and what it took of each node cannot be told");
  }

  /// What took no time ends.
  void end_at_once(Instant& i) {
    for (const Row over : over_at_once_) give_back(over);
    i.ends += over_at_once_.size();
    over_at_once_.clear();
  }

  std::string over_text(Row row, const Class& wants) const {
    for (const auto& [node, cores] : placed_[row]) {
      const auto n = static_cast<std::size_t>(node);
      const Amounts& left = free_.nodes[n];
      if (left.cores < 0)
        return "node " + std::to_string(node) + " has " + std::to_string(s_.nodes[n].cores) + " cores, in use are " +
               std::to_string(s_.nodes[n].cores - left.cores);
      if (left.memory < 0)
        return "node " + std::to_string(node) + " has " + std::to_string(s_.nodes[n].memory) + " bytes, in use are " +
               std::to_string(s_.nodes[n].memory - left.memory);
      if (left.gpus < 0)
        return "node " + std::to_string(node) + " has " + std::to_string(s_.nodes[n].gpus) + " gpus, in use are " +
               std::to_string(s_.nodes[n].gpus - left.gpus);
    }
    for (const auto& [pool, amount] : wants.pools)
      if (free_.pools[pool] < 0)
        return "pool " + std::to_string(pool) + " has " + std::to_string(s_.pools[pool]) + ", in use are " +
               std::to_string(s_.pools[pool] - free_.pools[pool]);
    return "";
  }

  /// A spread width takes all that its nodes have free, of the last what is left to take.
  void share_out(Row row, const Class& wants) {
    std::int64_t left = wants.amounts.cores;
    for (auto& [node, cores] : placed_[row]) {
      cores = std::min(left, std::max<std::int64_t>(free_.nodes[static_cast<std::size_t>(node)].cores, 0));
      left -= cores;
    }
    if (left > 0) placed_[row].back().second += left;  // too much for them: the capacity rule sees it
  }

  /// The first nodes in file order. What runs beside a reservation may have to sit elsewhere.
  void node(Row row, const Class& wants) {
    if (beside_ || s_.rules.placement == Placement::kUnknown) return;
    Taken right;
    if (!free_.fits(wants, &right)) return;
    budget_ -= std::min<std::uint64_t>(budget_, right.empty() ? 1 : static_cast<std::uint64_t>(right.back().first) + 1);
    v_.count(Rule::kNode);
    if (right != placed_[row])
      v_.add(Rule::kNode, attempt(row).stage, attempt(row).started,
             "runs on node " + std::to_string(placed_[row].front().first) + ", the first with room is " +
                 std::to_string(right.front().first) +
                 (right.size() > 1 || placed_[row].size() > 1 ? " (of several)" : ""));
  }

  void tail(Row row, const Instant& i) {
    if (i.several || (attempt(row).declarer < 0 && !attempt(row).is_plan)) return;
    v_.count(Rule::kTailTime);
    if (attempt(row).tail != tails_.of(attempt(row).stage))
      v_.add(Rule::kTailTime, attempt(row).stage, i.at,
             "stored as " + seconds_text(attempt(row).tail) + ", the graph gives " +
                 seconds_text(tails_.of(attempt(row).stage)));
  }

  /// The best of all that wait; kNoRow: nobody does.
  [[nodiscard]] Row best() {
    Row found = kNoRow;
    for (const Waiting& in : waiting_) {
      if (in.ranked.empty()) continue;
      spend(1);
      if (found == kNoRow || is_better(*in.ranked.begin(), found)) found = *in.ranked.begin();
    }
    return found;
  }
  void spend(std::uint64_t steps) {
    if (budget_ == 0) return;
    budget_ -= std::min(budget_, steps);
    if (budget_ == 0) {
      v_.skip(Rule::kOrder, "only up to " + seconds_text(last_) + "; more than the checker's bound of work");
      v_.skip(Rule::kIdle, "only up to " + seconds_text(last_) + "; more than the checker's bound of work");
    }
  }

  void left_out(Row better, Row row, const char* why) {
    v_.add(
        Rule::kOrder, attempt(row).stage, attempt(row).started,
        who(better) + ", eligible since " + seconds_text(attempt(better).eligible) + " and before it in order, " + why);
  }

  void order(Row row, const Instant& i) {
    beside_ = false;
    v_.count(Rule::kOrder);
    if (s_.rules.queue_depth > 0) depth(row, i);
    switch (s_.rules.placement) {
      case Placement::kGreedy:
        for (std::size_t c = 0; c < waiting_.size(); ++c) {
          if (waiting_[c].ranked.empty()) continue;
          spend(1);
          const Row other = *waiting_[c].ranked.begin();
          if (is_better(other, row) && free_.fits(classes_[c])) left_out(other, row, "would have fitted");
        }
        break;
      case Placement::kStrict:
        if (const Row other = best(); other != kNoRow && is_better(other, row)) left_out(other, row, "still waits");
        break;
      case Placement::kEasy:
      case Placement::kConservative:
        easy(row, i);
        break;
      case Placement::kUnknown:
        break;
    }
  }

  /// Only the best N at the beginning of the pass are considered. Those that this pass started were among them.
  void depth(Row row, const Instant& i) {
    std::int64_t before = 0;
    for (const Waiting& in : waiting_)
      for (auto other = in.ranked.begin();
           other != in.ranked.end() && before <= s_.rules.queue_depth && is_better(*other, row); ++other) {
        spend(1);
        ++before;
      }
    for (const Row other : started_now(i)) before += is_better(other, row) ? 1 : 0;
    if (before >= s_.rules.queue_depth)
      v_.add(Rule::kOrder, attempt(row).stage, i.at,
             std::to_string(before) + " were before it in order, the queue is considered to a depth of " +
                 std::to_string(s_.rules.queue_depth));
  }
  [[nodiscard]] std::vector<Row>& started_now(const Instant& i) {
    if (now_of_started_ != i.at) {
      now_of_started_ = i.at;
      started_.clear();
    }
    return started_;
  }

  void easy(Row row, const Instant& i) {
    const Row head = best();
    if (head == kNoRow || !is_better(head, row)) return;
    beside_ = true;
    const Class& wants = classes_[class_of_[head]];
    if (free_.fits(wants)) return left_out(head, row, "would have fitted");
    v_.count(Rule::kReservation);
    Free then = free_;
    spend(running_.size() + 1);
    const Time at = earliest(wants, running_, i.at, then);
    const Attempt& a = attempt(row);
    if (at != kNever && std::max<Time>(a.estimate, 1) > at - i.at) {
      Free after = then;
      after.take(classes_[class_of_[row]], placed_[row]);
      if (!after.fits(wants))
        v_.add(Rule::kReservation, a.stage, i.at,
               who(head) + ", first in order, could have started at " + seconds_text(at) +
                   " by estimates; this start delays it");
    }
    if (s_.rules.placement == Placement::kConservative) return;
    for (std::size_t c = 0; c < waiting_.size(); ++c) {
      const Row other = candidate(c, head, at, i.at, then, row);
      const bool counts =
          s_.rules.queue_depth == 0 || !s_.rules.shortest_backfill ||
          (other != kNoRow && is_among(other, s_.rules.queue_depth - static_cast<std::int64_t>(i.starts)));
      if (other != kNoRow && counts) left_out(other, row, "could have run beside the reservation");
    }
  }

  [[nodiscard]] bool comes_before(Row a, Row b) const {
    return s_.rules.shortest_backfill ? ByEstimate{this}(a, b) : is_better(a, b);
  }

  /// One of class `c` that waits, comes before `row` (or kNoRow: before anybody) and could run beside the reservation.
  [[nodiscard]] Row candidate(std::size_t c, Row head, Time at, Time now, const Free& then, Row row) {
    const Waiting& in = waiting_[c];
    if (in.ranked.empty() || (in.ranked.size() == 1 && *in.ranked.begin() == head)) return kNoRow;
    spend(1);
    if (!free_.fits(classes_[c])) return kNoRow;
    const bool any = at == kNever || fits_beside(classes_[c], free_, classes_[class_of_[head]], then);
    const auto is_candidate = [&](Row other) { return other != head && (row == kNoRow || comes_before(other, row)); };
    if (any && !s_.rules.shortest_backfill) {
      auto other = in.ranked.begin();
      if (*other == head) ++other;
      return is_candidate(*other) ? *other : kNoRow;
    }
    // Those that are gone by then.
    for (const Row other : in.by_estimate) {
      spend(1);
      if (!any && std::max<Time>(attempt(other).estimate, 1) > at - now) break;
      if (is_candidate(other)) return other;
      if (s_.rules.shortest_backfill && other != head) break;  // the first of them is before all the others
    }
    return kNoRow;
  }

  // ---- the end of an instant

  [[nodiscard]] bool has_pass(const Instant& i, bool pending) const {
    if (i.at >= s_.rules.give_up || (s_.rules.is_cut && i.at >= last_instant_) || i.at > last_instant_) return false;
    if (s_.rules.tick > 0) return pending && i.at % s_.rules.tick == 0;
    // There a submission that does not fit makes no pass.
    if (s_.rules.pyss && (s_.rules.placement != Placement::kGreedy || s_.rules.queue_depth > 0)) return i.ends > 0;
    return i.ends + i.eligibles > 0;
  }

  void idle(Row row, const Instant& i, const char* why) {
    v_.add(Rule::kIdle, attempt(row).stage, i.at,
           "eligible since " + seconds_text(attempt(row).eligible) + std::string(why));
  }

  void left_waiting(const Instant& i) {
    if (i.at >= unclear_from_) {
      v_.skip(Rule::kIdle, "from " + seconds_text(unclear_from_) +
                               " on: something eligible was canceled or left behind, at a time that is not stored");
      v_.skip(Rule::kOrder, "from " + seconds_text(unclear_from_) +
                                " on: something eligible was canceled or left behind, at a time that is not stored");
      return;
    }
    if (budget_ == 0 || s_.rules.placement == Placement::kUnknown || !s_.rules.unknown.empty() || !follows_preemption())
      return;
    // So many more were surely considered.
    std::int64_t considered = std::numeric_limits<std::int64_t>::max();
    if (s_.rules.queue_depth > 0) considered = s_.rules.queue_depth - static_cast<std::int64_t>(i.starts);
    if (considered <= 0 || (s_.rules.placement != Placement::kGreedy && !knows_order_)) return;
    if (s_.rules.queue_depth > 0 && !knows_order_) return;
    v_.count(Rule::kIdle);
    if (waiting_count_ == 0) return;
    if (s_.rules.placement == Placement::kGreedy) return greedy_left(i, considered);
    const Row head = best();
    const Class& wants = classes_[class_of_[head]];
    if (free_.fits(wants)) return idle(head, i, " and first in order, it still waits though it fits");
    if (s_.rules.placement != Placement::kEasy) return;
    Free then = free_;
    spend(running_.size() + 1);
    const Time at = earliest(wants, running_, i.at, then);
    for (std::size_t c = 0; c < waiting_.size(); ++c) {
      const Row other = candidate(c, head, at, i.at, then, kNoRow);
      if (other != kNoRow && is_among(other, considered))
        idle(other, i, ", it still waits though it could run beside the reservation");
    }
  }
  void greedy_left(const Instant& i, std::int64_t considered) {
    for (std::size_t c = 0; c < waiting_.size(); ++c) {
      if (waiting_[c].ranked.empty()) continue;
      spend(1);
      const Row row = *waiting_[c].ranked.begin();
      if (free_.fits(classes_[c]) && is_among(row, considered)) idle(row, i, ", it still waits though it fits");
    }
  }
  /// Are fewer than `n` of those that wait better?
  [[nodiscard]] bool is_among(Row row, std::int64_t n) {
    if (n == std::numeric_limits<std::int64_t>::max()) return true;
    std::int64_t better = 0;
    for (const Waiting& in : waiting_)
      for (auto other = in.ranked.begin(); other != in.ranked.end() && better < n && is_better(*other, row); ++other) {
        spend(1);
        ++better;
      }
    return better < n;
  }

  const Schedule& s_;
  Verdict& v_;
  std::uint64_t budget_;
  bool knows_order_ = true;
  Tails tails_;
  Free free_;
  std::vector<Class> classes_;
  std::vector<std::uint32_t> class_of_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_count_ = 0;
  std::unordered_map<std::uint32_t, Row> waits_;  ///< by stage; looked up, never walked
  Row pulled_ = kNoRow;
  std::vector<Taken> placed_;
  std::vector<std::pair<Time, Row>> declarations_, ends_, eligibles_, starts_, opens_, closes_;
  std::vector<Time> releases_, changes_;
  std::vector<std::uint32_t> gated_;
  Running running_;
  std::unordered_map<Row, Running::iterator> in_use_;
  std::vector<Row> over_at_once_, started_;
  std::vector<std::int64_t> base_;                        ///< by workflow, now
  std::size_t next_change_ = 0;                           ///< into Schedule::base_changes
  std::unordered_map<Row, std::vector<Row>> victims_of_;  ///< by the preemptor's row; looked up, never walked
  std::vector<std::uint8_t> displaced_in_a_pass_;         ///< by row
  Time last_ = 0, last_instant_ = 0, now_of_started_ = kNever, unclear_from_ = kNever;
  bool beside_ = false, is_stopped_ = false;
};

/// What the replay relies on; the rows have been complained about already.
bool is_sound(const Schedule& s) {
  constexpr std::int64_t kMostCores = 1'000'000'000'000;
  std::uint64_t stages = s.attempts.size() + s.dependencies.size() + 1'000'000;
  for (const Workflow& w : s.workflows) stages += w.stages;
  stages = std::min<std::uint64_t>(stages, 200'000'000);
  return std::ranges::all_of(s.attempts,
                             [&](const Attempt& a) {
                               return a.workflow < s.workflows.size() && a.nodes > 0 && a.amounts.cores >= 0 &&
                                      a.amounts.cores <= kMostCores && a.amounts.memory >= 0 && a.amounts.gpus >= 0 &&
                                      a.estimate >= 0 && a.stage < stages;
                             }) &&
         std::ranges::all_of(s.dependencies, [&](const auto& d) { return d.first < stages && d.second < stages; });
}

}  // namespace

void replay(const Schedule& schedule, std::uint64_t work, Verdict& verdict) {
  if (!is_sound(schedule)) {
    verdict.skip(Rule::kCapacity, "rows have numbers that make no sense");
    return;
  }
  Replay(schedule, work, verdict).run();
}

}  // namespace headroom::verify
