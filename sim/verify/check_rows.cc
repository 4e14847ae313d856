// Rules that each try keeps by itself or against what it needs: nothing here looks at who else is waiting.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/verify/verdict.h"

namespace headroom::verify {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::uint64_t kMostUndeclared = 50'000'000;

std::string at(const char* what, Time t) { return std::string(what) + " " + seconds_text(t); }

bool has_ended(State state) { return state >= State::kFinished; }

class Rows {
 public:
  Rows(const Schedule& s, Verdict& v) : s_(s), v_(v) {
    stages_ = 0;
    for (const Workflow& w : s.workflows) {
      first_.push_back(static_cast<std::uint32_t>(stages_));
      stages_ += w.stages;
    }
    for (const Attempt& a : s.attempts) stages_ = std::max<std::uint64_t>(stages_, std::uint64_t{a.stage} + 1);
  }

  void check() {
    // Numbers may be anybody's: without this bound a damaged one would cost its value in memory.
    const std::uint64_t rows = s_.attempts.size() + s_.dependencies.size();
    if (stages_ > rows + total_stages() + 1000 || stages_ > 4 * rows + kMostUndeclared) {
      v_.add(Rule::kComplete, 0, kNever,
             "stage numbers go up to " + std::to_string(stages_) + ", but there are " +
                 std::to_string(s_.attempts.size()) + " rows");
      return;
    }
    index();
    complete();
    for (std::uint32_t i = 0; i < s_.attempts.size(); ++i) {
      times(i);
      lengths(i);
      priority(i);
    }
    dependencies();
    for (std::uint32_t i = 0; i < s_.attempts.size(); ++i) eligibility(i);
    tails();
  }

 private:
  [[nodiscard]] std::uint64_t total_stages() const {
    std::uint64_t n = 0;
    for (const Workflow& w : s_.workflows) n += std::min<std::uint64_t>(w.stages, 200'000'000);
    return n;
  }
  [[nodiscard]] const Attempt& row(std::uint32_t i) const { return s_.attempts[i]; }

  /// First and last row of each stage; tries that are not 0, 1, 2, … one after the other.
  void index() {
    first_row_.assign(stages_, kNone);
    last_row_.assign(stages_, kNone);
    Time before = std::numeric_limits<Time>::min();
    for (std::uint32_t i = 0; i < s_.attempts.size(); ++i) {
      const Attempt& a = row(i);
      v_.count(Rule::kAttempts);
      const bool is_next = i > 0 && row(i - 1).stage == a.stage;
      if (is_next) {
        follows(row(i - 1), a);
      } else if (last_row_[a.stage] != kNone) {
        v_.add(Rule::kAttempts, a.stage, a.started, "the stage is there a second time");
      } else if (a.number != 0) {
        v_.add(Rule::kAttempts, a.stage, a.started, "its first try has the number " + std::to_string(a.number));
      }
      if (!is_next && a.declared < before)
        v_.add(Rule::kAttempts, a.stage, a.declared, "declared before the row above, at " + seconds_text(before));
      before = a.declared;
      if (first_row_[a.stage] == kNone) first_row_[a.stage] = i;
      last_row_[a.stage] = i;
      if (a.is_plan && a.workflow < s_.workflows.size()) has_plan(a.workflow) = 1;
    }
  }
  std::uint8_t& has_plan(std::uint32_t workflow) {
    if (has_plan_.empty()) has_plan_.resize(s_.workflows.size());
    return has_plan_[workflow];
  }
  [[nodiscard]] bool with_plan(std::uint32_t workflow) const { return !has_plan_.empty() && has_plan_[workflow] != 0; }

  void follows(const Attempt& before, const Attempt& a) {
    if (a.number != before.number + 1)
      v_.add(Rule::kAttempts, a.stage, a.started,
             "try " + std::to_string(a.number) + " comes after try " + std::to_string(before.number));
    if (before.finished == kNever || a.started < before.finished || a.eligible < before.finished)
      v_.add(Rule::kAttempts, a.stage, a.started,
             at("a further try is eligible at", a.eligible) + at(" and starts at", a.started) +
                 at(", the one before ends at", before.finished));
    if (before.state != State::kFailed && before.state != State::kTimedOut && !s_.rules.is_preemptive)
      v_.add(Rule::kAttempts, a.stage, a.started, "tried again though the try before neither failed nor timed out");
  }

  void complete() {
    for (std::uint32_t w = 0; w < s_.workflows.size(); ++w) {
      if (s_.workflows[w].submitted == kNever || with_plan(w) || !submitted_surely(w)) continue;
      for (std::uint32_t k = 0; k < s_.workflows[w].stages; ++k) {
        v_.count(Rule::kComplete);
        const std::uint32_t stage = first_[w] + k;
        if (first_row_[stage] == kNone)
          v_.add(Rule::kComplete, stage, kNever, "the stage of workflow " + std::to_string(w) + " has no row");
      }
    }
    std::vector<Time> started(s_.workflows.size(), kNever);
    for (const Attempt& a : s_.attempts)
      if (a.workflow < started.size()) started[a.workflow] = std::min(started[a.workflow], a.started);
    for (std::uint32_t w = 0; w < started.size(); ++w)
      if (started[w] != s_.workflows[w].started)
        v_.add(Rule::kComplete, first_[w], s_.workflows[w].started,
               "workflow " + std::to_string(w) + at(" started at", s_.workflows[w].started) +
                   at(", the first of its rows at", started[w]));
    std::vector<std::uint32_t> decided;
    std::uint64_t starts = 0;
    for (const Attempt& a : s_.attempts) starts += a.started != kNever;
    decided.assign(starts, kNone);
    for (std::uint32_t i = 0; i < s_.attempts.size(); ++i) {
      const Attempt& a = row(i);
      if (a.started == kNever) continue;
      v_.count(Rule::kComplete);
      if (a.decision < 0 || static_cast<std::uint64_t>(a.decision) >= starts) {
        v_.add(Rule::kComplete, a.stage, a.started,
               "it was decision " + std::to_string(a.decision) + " of " + std::to_string(starts) +
                   " starts: one is missing");
      } else if (decided[static_cast<std::size_t>(a.decision)] != kNone) {
        v_.add(Rule::kComplete, a.stage, a.started, "decision " + std::to_string(a.decision) + " is there twice");
      } else {
        decided[static_cast<std::size_t>(a.decision)] = i;
      }
    }
    Time before = std::numeric_limits<Time>::min();
    for (const std::uint32_t i : decided) {
      if (i == kNone) continue;
      if (row(i).started < before)
        v_.add(Rule::kComplete, row(i).stage, row(i).started, "decided after a start at " + seconds_text(before));
      before = std::max(before, row(i).started);
    }
    if (!s_.is_finished || s_.rules.is_cut) return;
    for (const Attempt& a : s_.attempts)
      if (last_row_[a.stage] != kNone && &a == &row(last_row_[a.stage]) && !has_ended(a.state))
        v_.add(Rule::kComplete, a.stage, kNever, "the run finished but the stage has not ended");
  }
  /// Whether and when one was submitted that waits for others is not stored: any row of it says that it was.
  [[nodiscard]] bool submitted_surely(std::uint32_t w) const {
    if (s_.is_finished && !s_.rules.is_cut) return true;
    const auto begin = first_row_.begin() + first_[w];
    return std::any_of(begin, begin + s_.workflows[w].stages, [](std::uint32_t i) { return i != kNone; });
  }
  [[nodiscard]] Time last_instant() const {
    if (last_instant_ == kNever) {
      last_instant_ = 0;
      for (const Attempt& a : s_.attempts)
        for (const Time t : {a.declared, a.eligible, a.started, a.finished})
          if (t != kNever) last_instant_ = std::max(last_instant_, t);
    }
    return last_instant_;
  }

  void times(std::uint32_t i) {
    const Attempt& a = row(i);
    v_.count(Rule::kRelease);
    const auto wrong = [&](const std::string& text) { v_.add(Rule::kRelease, a.stage, a.started, text); };
    if (a.workflow >= s_.workflows.size()) return wrong("its workflow is not there");
    const Time submitted = s_.workflows[a.workflow].submitted;
    if (a.declared == kNever || a.declared < submitted)
      wrong(at("declared at", a.declared) + at(", its workflow was submitted at", submitted));
    if (a.declarer < 0 && a.declared != submitted)
      wrong(at("declared at", a.declared) + at(" without a plan, its workflow was submitted at", submitted));
    if (a.eligible != kNever && a.eligible < a.declared)
      wrong(at("eligible at", a.eligible) + at(", before its declaration at", a.declared));
    if (a.started != kNever && (a.eligible == kNever || a.started < a.eligible))
      wrong(at("starts at", a.started) + at(", eligible at", a.eligible));
    const bool ran = a.started != kNever;
    const bool over = has_ended(a.state);
    const bool fits =
        over ? ran == (a.finished != kNever) : ran == (a.state == State::kRunning) && a.finished == kNever;
    if (!fits || (over && !ran && a.state != State::kCanceled))
      v_.add(Rule::kAttempts, a.stage, a.started,
             at("its state does not agree with its start at", a.started) + at(" and its end at", a.finished));
    v_.count(Rule::kGrid);
    if (ran && s_.rules.tick > 0 && a.started % s_.rules.tick != 0)
      v_.add(Rule::kGrid, a.stage, a.started,
             at("starts at", a.started) + at(", no multiple of the tick of", s_.rules.tick));
    if (ran && a.started >= s_.rules.give_up)
      v_.add(Rule::kGrid, a.stage, a.started, at("starts at", a.started) + at(", given up at", s_.rules.give_up));
  }

  void lengths(std::uint32_t i) {
    const Attempt& a = row(i);
    if (a.started == kNever || a.finished == kNever) return;
    v_.count(Rule::kRunTime);
    const Time took = a.finished - a.started;
    const auto wrong = [&](const std::string& text) { v_.add(Rule::kRunTime, a.stage, a.started, text); };
    // What a displaced try has kept, the next need not run again.
    const bool may_be_shorter = s_.rules.is_preemptive && took < a.run_time;
    if (took != a.run_time && !may_be_shorter)
      wrong(at("starts at", a.started) + at(" and ends at", a.finished) + at(", its run time is", a.run_time));
    if (took < 0) wrong(at("ends at", a.finished) + at(", before its start at", a.started));
    Time counted = took;  // against its limit
    for (std::uint32_t k = i; s_.rules.suspends && k > 0 && row(k - 1).stage == a.stage; --k) {
      if (row(k - 1).state != State::kPreempted) break;
      counted += row(k - 1).finished - row(k - 1).started;
    }
    if (a.state == State::kTimedOut && counted != a.walltime)
      wrong(at("timed out after", counted) + at(", its limit is", a.walltime));
    if (a.state != State::kTimedOut && counted > a.walltime)
      wrong(at("ran for", counted) + at(", its limit is", a.walltime));
  }

  /// Of its workflow at its start: changes of that instant come before the pass.
  [[nodiscard]] std::int64_t base_at(const Attempt& a) {
    if (changes_of_.empty())
      for (const BaseChange& change : s_.base_changes) changes_of_[change.workflow].push_back(change);
    std::int64_t base = s_.workflows[a.workflow].base;
    const auto found = changes_of_.find(a.workflow);
    if (found == changes_of_.end()) return base;
    for (const BaseChange& change : found->second)
      if (change.at <= a.started) base = change.base;
    return base;
  }
  void priority(std::uint32_t i) {
    const Attempt& a = row(i);
    if (a.started == kNever || a.workflow >= s_.workflows.size() || s_.rules.priority == Priority::kUnknown) return;
    v_.count(Rule::kPriority);
    const Workflow& w = s_.workflows[a.workflow];
    double right = s_.rules.priority == Priority::kNone ? 0 : static_cast<double>(base_at(a));
    if (s_.rules.priority == Priority::kAgeing) right += static_cast<double>(a.started - w.submitted) / 3.6e12;
    if (!(std::fabs(a.effective_priority - right) <= 1e-9 * std::max(1.0, std::fabs(right))))
      v_.add(Rule::kPriority, a.stage, a.started,
             "stored as " + std::to_string(a.effective_priority) + ", the inputs give " + std::to_string(right));
  }

  /// Latest end of what each stage needs; kNever: something has not finished.
  void dependencies() {
    ready_.assign(stages_, std::numeric_limits<Time>::min());
    for (const auto& [source, sink] : s_.dependencies) {
      if (source >= stages_ || sink >= stages_) {
        v_.add(Rule::kPrecedence, sink, kNever,
               "a dependency on the stage " + std::to_string(source) + " that is not there");
        continue;
      }
      v_.count(Rule::kPrecedence);
      const Attempt* needed = last_row_[source] == kNone ? nullptr : &row(last_row_[source]);
      const Time done = needed != nullptr && needed->state == State::kFinished ? needed->finished : kNever;
      ready_[sink] = std::max(ready_[sink], done);
      if (first_row_[sink] == kNone) continue;
      const Attempt& a = row(first_row_[sink]);
      if (a.started != kNever && a.started < done)
        v_.add(Rule::kPrecedence, sink, a.started,
               at("starts at", a.started) + ", needs stage " + std::to_string(source) + at(" that finishes at", done));
    }
  }

  // ---- eligibility and holds

  [[nodiscard]] std::span<const Hold> holds_of(std::int64_t plan) const {
    const auto [begin, end] = std::ranges::equal_range(holds_, static_cast<std::uint32_t>(plan), {}, &Hold::plan);
    return {begin, end};
  }
  /// The holds that gate a stage at some time, of its declarer or of all above.
  [[nodiscard]] std::vector<Hold> gates(const Attempt& a) {
    if (holds_.empty() && !s_.holds.empty()) {
      holds_ = s_.holds;
      std::ranges::stable_sort(holds_, {}, &Hold::plan);
    }
    std::vector<Hold> found;
    std::int64_t above = a.declarer;
    for (int depth = 0; above >= 0 && depth < 1000; ++depth) {
      for (const Hold& hold : holds_of(above)) {
        const bool counts = s_.rules.gates_descendants
                                ? hold.to >= a.declared && (a.started == kNever || hold.from <= a.started)
                                : hold.from <= a.declared && a.declared <= hold.to;
        if (counts) found.push_back(hold);
      }
      if (!s_.rules.gates_descendants) break;
      const bool known =
          static_cast<std::uint64_t>(above) < stages_ && first_row_[static_cast<std::size_t>(above)] != kNone;
      above = known ? row(first_row_[static_cast<std::size_t>(above)]).declarer : -1;
    }
    return found;
  }

  void eligibility(std::uint32_t i) {
    const Attempt& a = row(i);
    if (a.number != 0) {
      if (i == 0 || row(i - 1).stage != a.stage) return;
      v_.count(Rule::kEligible);
      if (a.eligible != row(i - 1).finished && !s_.rules.is_preemptive)
        v_.add(Rule::kEligible, a.stage, a.eligible,
               at("a further try is eligible at", a.eligible) + at(", the one before ended at", row(i - 1).finished));
      return;
    }
    if (first_row_[a.stage] != i) return;
    const Time ready = std::max(a.declared, ready_[a.stage]);
    const bool waits = a.eligible == kNever;
    if (waits && (a.state == State::kCanceled || ready == kNever || a.declarer >= 0)) return;
    v_.count(Rule::kEligible);
    if (a.declarer < 0) {
      if (a.eligible != ready && !(waits && ready >= last_instant()))
        v_.add(Rule::kEligible, a.stage, a.eligible,
               at("eligible at", a.eligible) + at(", but declared and with all it needs at", ready));
      return;
    }
    under_holds(a, ready);
  }

  /// Of a step: at the instants at which a hold begins or ends, what comes first is not stored, so both are right.
  void under_holds(const Attempt& a, Time ready) {
    const std::vector<Hold> gating = gates(a);
    v_.count(Rule::kHolds);
    const auto surely = [&](const Hold& hold) {
      return s_.rules.gates_descendants || (hold.from < a.declared && a.declared < hold.to);
    };
    for (const Hold& hold : gating)
      if (a.started != kNever && surely(hold) && hold.from < a.started && a.started < hold.to)
        v_.add(Rule::kHolds, a.stage, a.started,
               at("starts at", a.started) + at(" under a hold from", hold.from) + at(" to", hold.to));
    bool right = a.eligible == ready;
    for (const Hold& hold : gating) {
      right = right || (a.eligible == hold.to && hold.to >= ready);
      // Surely gated at `ready`: it cannot have been eligible then.
      const bool inside = surely(hold) && hold.from < ready && ready < hold.to;
      if (inside && a.eligible == ready)
        v_.add(Rule::kHolds, a.stage, a.eligible,
               at("eligible at", a.eligible) + at(" under a hold from", hold.from) + at(" to", hold.to));
    }
    if (!right && a.eligible < ready)
      v_.add(Rule::kEligible, a.stage, a.eligible,
             at("eligible at", a.eligible) + at(", but declared and with all it needs at", ready));
    if (!right && a.eligible > ready)
      v_.skip(Rule::kEligible,
              s_.rules.releases_all
                  ? "steps that waited for longer: they may need source files, which are not stored"
                  : "steps that waited for longer: which of them a release leaves behind is not stored");
  }

  // ---- tail times of static graphs; those of plans change as they declare, and are followed in the replay

  void tails() {
    std::vector<std::uint32_t> begin(stages_ + 2), needs(s_.dependencies.size()), open(stages_);
    for (const auto& [source, sink] : s_.dependencies) {
      if (source >= stages_ || sink >= stages_) return;
      ++begin[sink + std::size_t{2}];
      ++open[source];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const auto& [source, sink] : s_.dependencies) needs[begin[sink + std::size_t{1}]++] = source;
    std::vector<Time> tail(stages_, 0);
    std::vector<std::uint32_t> done;
    for (std::uint32_t stage = 0; stage < stages_; ++stage)
      if (open[stage] == 0) done.push_back(stage);
    for (std::size_t next = 0; next < done.size(); ++next) {
      const std::uint32_t stage = done[next];
      const std::uint32_t i = first_row_[stage];
      const Time own = i == kNone ? 0 : row(i).estimate;
      if (__builtin_add_overflow(tail[stage], own, &tail[stage])) tail[stage] = kNever;
      if (i != kNone && row(i).workflow < s_.workflows.size() && !with_plan(row(i).workflow))
        compare_tail(i, tail[stage]);
      for (std::uint32_t k = begin[stage]; k < begin[stage + std::size_t{1}]; ++k) {
        tail[needs[k]] = std::max(tail[needs[k]], tail[stage]);
        if (--open[needs[k]] == 0) done.push_back(needs[k]);
      }
    }
    if (done.size() < stages_) v_.add(Rule::kPrecedence, 0, kNever, "stages need each other in a circle");
  }
  void compare_tail(std::uint32_t first, Time right) {
    for (std::uint32_t i = first; i < s_.attempts.size() && row(i).stage == row(first).stage; ++i) {
      if (row(i).started == kNever) continue;
      v_.count(Rule::kTailTime);
      if (row(i).tail != right)
        v_.add(Rule::kTailTime, row(i).stage, row(i).started,
               at("tail time is stored as", row(i).tail) + at(", the graph gives", right));
    }
  }

  std::unordered_map<std::uint32_t, std::vector<BaseChange>> changes_of_;  ///< by workflow; looked up, never walked
  const Schedule& s_;
  Verdict& v_;
  std::uint64_t stages_ = 0;
  std::vector<std::uint32_t> first_;  ///< first stage of each workflow
  std::vector<std::uint32_t> first_row_, last_row_;
  std::vector<std::uint8_t> has_plan_;
  std::vector<Time> ready_;
  std::vector<Hold> holds_;
  mutable Time last_instant_ = kNever;
};

}  // namespace

void check_rows(const Schedule& schedule, Verdict& verdict) { Rows(schedule, verdict).check(); }

}  // namespace headroom::verify
