#include "sim/cli/describe_policy.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "policies/expression_rule.h"
#include "policies/overtaking.h"
#include "policies/priority/value.h"
#include "sim/cli/text_table.h"
#include "workloads/rule_context.h"

namespace headroom::cli {
namespace {

std::string_view placement_meaning(Placement placement) {
  switch (placement) {
    case Placement::kGreedy:
      return "what does not fit is passed over and reserves nothing";
    case Placement::kStrict:
      return "the first that does not fit ends the pass";
    case Placement::kEasy:
      return "the first that does not fit gets a reservation; others start only if they do not delay it";
    case Placement::kConservative:
      return "in each pass, in order, each gets the earliest time at which it fits beside what runs (by estimates) and "
             "the reservations before it; those whose time is now start; nothing is kept between passes";
  }
  return "";
}

std::string ties_text(const Policy& policy) {
  std::string text;
  for (const Tie tie : policy.ties)
    text += (text.empty() ? "" : ", ") + std::string(tie_words()[static_cast<std::size_t>(tie)]);
  if (policy.ties.empty() || policy.ties.back() != Tie::kDeclaration)
    text += (text.empty() ? "" : ", ") + std::string("declaration");
  return text;
}

bool has_tie(const Policy& policy, Tie tie) {
  return std::find(policy.ties.begin(), policy.ties.end(), tie) != policy.ties.end();
}

/// Without a priority, or between equal ones: can a newcomer rank before what waits?
std::string_view newcomer_rule(const Policy& policy) {
  const Tie first = policy.ties.empty() ? Tie::kDeclaration : policy.ties.front();
  switch (first) {
    case Tie::kDeclaration:
    case Tie::kSubmitTime:
      return "";
    case Tie::kTailTime:
      return "a longer tail time ranks first, however late it comes";
    case Tie::kShortest:
      return "a shorter stage ranks first, however late it comes";
    case Tie::kLongest:
      return "a longer stage ranks first, however late it comes";
    case Tie::kLargest:
      return "a larger stage ranks first, however late it comes";
    case Tie::kSmallest:
      return "a smaller stage ranks first, however late it comes";
    case Tie::kRandom:
      return "a newcomer may draw the better number";
  }
  return "";
}

/// Rank is not place: a stage may be first in the queue and still not fit.
std::string_view fitting_rule(Placement placement) {
  return placement == Placement::kGreedy
             ? "; a stage that needs more than is ever free at once can still be passed over, since greedy placement "
               "reserves nothing"
             : "";
}

/// Bases as the workload has them: what each workflow's entities and itself are given. At most so many are told apart.
constexpr std::size_t kMostBases = 200;
constexpr std::size_t kMostPairsShown = 12;

struct Base {
  PriorityInputs inputs;
  double when_new = 0;
  std::size_t workflows = 0;
};

/// Lowest first.
std::vector<Base> bases_of(const Overtaking& overtaking, const Work& work) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::size_t> index;
  std::vector<Base> bases;
  for (std::uint32_t w = 0; w < work.workflows() && bases.size() <= kMostBases; ++w) {
    const auto [at, is_new] = index.try_emplace({work.account[w], work.user[w], work.priority[w]}, bases.size());
    if (is_new) {
      const AccountSpec& account = work.tenants.accounts[work.account[w]];
      Base base;
      base.inputs.organization = work.tenants.organizations[account.organization].priority;
      base.inputs.account = account.priority;
      base.inputs.user = work.tenants.users[work.user[w]].priority;
      base.inputs.workflow = work.priority[w];
      base.inputs.organization_id = {account.organization};
      base.inputs.account_id = {work.account[w]};
      base.inputs.user_id = {work.user[w]};
      base.inputs.workflow_id = {w};
      base.when_new = overtaking.worth_when_new(base.inputs);
      bases.push_back(base);
    }
    ++bases[at->second].workflows;
  }
  std::ranges::stable_sort(bases, {}, &Base::when_new);
  // What is worth the same when it is new is one base to whoever reads this.
  std::vector<Base> distinct;
  for (const Base& base : bases) {
    if (distinct.empty() || distinct.back().when_new != base.when_new) distinct.push_back(base);
  }
  return distinct;
}

struct Pair {
  const Base* low;
  const Base* high;
  std::optional<Duration> age;    ///< on arrival
  std::optional<Duration> later;  ///< counting newcomers that wait too
};

std::vector<Pair> all_pairs(const Overtaking& overtaking, const std::vector<Base>& bases) {
  std::vector<Pair> pairs;
  for (std::size_t l = 0; l < bases.size(); ++l)
    for (std::size_t h = l + 1; h < bases.size(); ++h)
      pairs.push_back({&bases[l], &bases[h], overtaking.age_on_arrival(bases[l].inputs, bases[h].inputs),
                       overtaking.age(bases[l].inputs, bases[h].inputs)});
  return pairs;
}

std::string number_text(double value) { return expr::float_text(value); }

std::string hours_text(Duration d) { return expr::float_text(static_cast<double>(d.ns) / 3.6e12) + " h"; }

std::vector<std::string> pairs_of_bases(const Policy& policy, const Work& work) {
  if (policy.priority == Priority::kNone) return {};
  const Overtaking overtaking(policy, rule_context(work));
  if (!overtaking.why_not().empty()) return {};
  const std::vector<Base> bases = bases_of(overtaking, work);
  std::vector<Pair> pairs = all_pairs(overtaking, bases);
  const auto rank = [](const Pair& pair) { return pair.age ? -pair.age->ns : 1; };
  std::ranges::stable_sort(pairs, {}, rank);
  std::vector<std::string> lines;
  for (const Pair& pair : pairs) {
    if (lines.size() == kMostPairsShown) {
      lines.push_back("… and " + std::to_string(pairs.size() - kMostPairsShown) + " more pairs");
      break;
    }
    std::string text = number_text(pair.low->when_new) + " waiting, " + number_text(pair.high->when_new) + " coming: ";
    if (!pair.age)
      text += "not proved";
    else if (pair.age->is_infinite())
      text += "overtaken without end";
    else
      text += "overtaken until it is " + hours_text(*pair.age) + " old" +
              (pair.later && pair.later->is_infinite() ? ", or by what waits too" : "");
    lines.push_back(std::move(text));
  }
  return lines;
}

std::string guarantee_of_bases(const Policy& policy, const Work& work) {
  const Overtaking overtaking(policy, rule_context(work));
  const std::string fitting(fitting_rule(policy.placement));
  if (!overtaking.why_not().empty()) return "not proved: " + overtaking.why_not();
  const std::vector<Base> bases = bases_of(overtaking, work);
  std::set<const Base*> starving;
  std::set<const Base*> passed;
  std::size_t unproved = 0;
  double gap = std::numeric_limits<double>::infinity();
  Duration longest{};
  for (const Pair& pair : all_pairs(overtaking, bases)) {
    if (!pair.age) {
      ++unproved;
    } else if (pair.age->is_infinite()) {
      starving.insert(pair.low);
      gap = std::min(gap, pair.high->when_new - pair.low->when_new);
    } else {
      longest = std::max(longest, *pair.age);
      if (pair.later && pair.later->is_infinite()) passed.insert(pair.low);
    }
  }
  std::string why = analyse(policy.expression, policy.params).why;
  constexpr std::string_view kCap = "min() caps age at ";
  if (why.starts_with(kCap)) why = "age is capped at " + why.substr(kCap.size());
  const auto of_bases = [&](std::size_t n) {
    return std::to_string(n) + " of " + std::to_string(bases.size()) + " bases";
  };
  const std::string by_waiting =
      passed.empty() ? "" : "; newcomers that wait too pass " + of_bases(passed.size()) + " without end (" + why + ")";
  if (!starving.empty())
    return "NOT kept: " + of_bases(starving.size()) + " can be overtaken without end (" + why + " < gap " +
           number_text(gap) + ")" + by_waiting;
  if (unproved > 0) return "not proved: what waits can lose worth with time (" + why + ")";
  if (bases.size() < 2) return "kept: all work has one base" + fitting;
  return "kept: of " + std::to_string(bases.size()) + " bases none is overtaken for longer than " +
         hours_text(longest) + by_waiting + fitting;
}

/// Without a workload: what can be said whatever the bases are.
std::string guarantee_alone(const Policy& policy) {
  const OrderAnalysis analysis = analyse(policy.expression, policy.params);
  const std::string ask = "; --workload FILE says it of the bases there";
  const Overtaking overtaking(policy, {});
  if (!overtaking.why_not().empty()) return "not proved: " + overtaking.why_not();
  if (analysis.kind != OrderKind::kStatic) return "depends on the bases: " + analysis.why + ask;
  if (analysis.slope_per_hour > 0)
    return "kept: every stage gains " + number_text(analysis.slope_per_hour) +
           " per hour in the queue, so a newcomer that is worth more by g ranks before it for g / " +
           number_text(analysis.slope_per_hour) + " hours at most" + std::string(fitting_rule(policy.placement));
  return "NOT kept: no aging; whatever waits is overtaken for as long as work that is worth more arrives";
}

std::string expression_order(const Policy& policy) {
  const OrderAnalysis analysis = analyse(policy.expression, policy.params);
  switch (analysis.kind) {
    case OrderKind::kStatic:
      return "static: " + analysis.why +
             ", so that time alone never changes who is before whom; the queue is sorted by an exact key";
    case OrderKind::kPiecewise:
      return "piecewise: " + analysis.why +
             "; between such instants each stage has one rate, and each rate keeps a sorted queue of its own";
    case OrderKind::kRecomputed:
      break;
  }
  return "recomputed: " + analysis.why + "; evaluated for every waiting stage in each pass (" +
         (analysis.in_columns ? "in columns" : "one by one") + "), so without a tick only where something else changes";
}

}  // namespace

std::string order_text(const Policy& policy) {
  std::string text;
  switch (policy.priority) {
    case Priority::kFuzzball:
      text =
          "static: every stage ages at 1/h, so that time alone never changes who is before whom; the queue is sorted "
          "by "
          "creation time and inputs, and by the ties";
      break;
    case Priority::kBases:
      text = "static: no term of the priority depends on time; the queue is sorted by the inputs and by the ties";
      break;
    case Priority::kNone:
      text = "static: there is no priority; the queue is sorted by the ties alone";
      break;
    case Priority::kExpression:
      text = expression_order(policy);
      break;
  }
  if (has_tie(policy, Tie::kTailTime)) text += " (a declaration can lengthen a tail time: that stage is moved)";
  return text;
}

std::string guarantee_text(const Policy& policy, const Work* work) {
  if (policy.priority == Priority::kExpression)
    return work != nullptr ? guarantee_of_bases(policy, *work) : guarantee_alone(policy);
  const std::string fitting(fitting_rule(policy.placement));
  if (policy.priority == Priority::kFuzzball)
    return "kept: every stage gains 1 per hour in the queue, so a newcomer whose base is higher by g ranks before it "
           "for "
           "g hours at most" +
           fitting;
  if (policy.priority == Priority::kBases)
    return "NOT kept: no aging; whatever waits at a lower base is overtaken for as long as work of a higher base "
           "arrives";
  const std::string_view newcomer = newcomer_rule(policy);
  if (!newcomer.empty()) return "NOT kept: no aging; " + std::string(newcomer);
  const bool by_submission = has_tie(policy, Tie::kSubmitTime) && policy.ties.front() == Tie::kSubmitTime;
  return std::string("kept: what ") + (by_submission ? "is submitted" : "is declared") +
         " later never ranks before what waits" + fitting;
}

std::string describe_policy(const Policy& policy, const Work* work) {
  std::string text;
  const auto line = [&](std::string label, const std::string& content) {
    label.resize(13, ' ');
    text += label + wrapped(printable(content), 13, 13) + "\n";
  };
  const auto word = [](auto words, auto value) { return std::string(words[static_cast<std::size_t>(value)]); };
  line("policy", policy.name);
  if (!policy.about.empty()) line("about", policy.about);
  line("priority",
       std::string(priority_expression(policy)) + (policy.priority == Priority::kNone ? " (none)" : " (larger first)"));
  std::string params;
  for (const expr::Param& param : policy.params)
    params += (params.empty() ? "" : ", ") + param.name + " = " + param.number;
  if (!params.empty()) line("params", params);
  line("ties", ties_text(policy));
  line("placement",
       word(placement_words(), policy.placement) + ": " + std::string(placement_meaning(policy.placement)));
  if (policy.placement == Placement::kEasy)
    line("backfill", word(backfill_words(), policy.backfill) + (policy.backfill == Backfill::kQueue
                                                                    ? ": candidates in the order of the queue"
                                                                    : ": candidates by estimate, shortest first"));
  line("preemption", word(preemption_words(), policy.preemption));
  line("hold", word(hold_words(), policy.hold) + (policy.hold == HoldRule::kHonor
                                                      ? ": what a hold gates waits until it is released"
                                                      : ": holds are nothing; whatever is ready takes a free slot"));
  line("order", order_text(policy));
  line("guarantee", guarantee_text(policy, work));
  if (work != nullptr)
    for (const std::string& pair : pairs_of_bases(policy, *work)) line("", pair);
  return text;
}

}  // namespace headroom::cli
