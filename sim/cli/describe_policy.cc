#include "sim/cli/describe_policy.h"

#include <algorithm>

#include "sim/cli/text_table.h"

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
  }
  if (has_tie(policy, Tie::kTailTime)) text += " (a declaration can lengthen a tail time: that stage is moved)";
  return text;
}

std::string guarantee_text(const Policy& policy) {
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

std::string describe_policy(const Policy& policy) {
  std::string text;
  const auto line = [&](std::string label, const std::string& content) {
    label.resize(13, ' ');
    text += label + wrapped(printable(content), 13, 13) + "\n";
  };
  const auto word = [](auto words, auto value) { return std::string(words[static_cast<std::size_t>(value)]); };
  line("policy", policy.name);
  if (!policy.about.empty()) line("about", policy.about);
  line("priority", std::string(priority_expression(policy.priority)) +
                       (policy.priority == Priority::kNone ? " (none)" : " (larger first)"));
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
  line("guarantee", guarantee_text(policy));
  return text;
}

}  // namespace headroom::cli
