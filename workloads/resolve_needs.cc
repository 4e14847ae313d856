// What stages need by name, and whether any wait for each other in a circle.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "workloads/workflow_draft.h"

namespace headroom::yaml {
namespace {

/// "cc[i]" and "cc[3]" apart; `index` is what stands in the brackets.
struct Reference {
  std::string name;
  std::optional<std::string> index;
};

Reference split_reference(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']') return {text, std::nullopt};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

class NeedsReader {
 public:
  NeedsReader(WorkflowDraft& draft, std::uint32_t stage)
      : draft_(draft), c_(draft.reading.context), stage_(stage), own_(draft.item.stages[stage]) {}

  void read(const Node& list) {
    for (const NodeId item : items_of(c_, list, "needs")) read_one(c_.at(item));
  }

  [[nodiscard]] std::int64_t edges() const { return edges_; }

 private:
  void read_one(const Node& node) {
    const auto text = text_of(c_, node, "needs");
    if (!text) return;
    const Reference reference = split_reference(*text);
    const auto found = draft_.by_name.find(reference.name);
    if (found == draft_.by_name.end()) {
      c_.error(node, "'" + own_.name + "' needs '" + reference.name + "', which is no stage of this workflow" +
                         c_.hint(reference.name, draft_.names));
      return;
    }
    Need need{found->second, false, std::nullopt};
    if (reference.index && !read_index(node, *reference.index, need)) return;
    if (!seen_.insert(*text).second) {
      c_.error(node, "'" + own_.name + "' names '" + *text + "' twice");
      return;
    }
    own_.needs.push_back(need);
    draft_.waits_for[stage_].push_back(need.stage);
    const std::int64_t each = reference.index ? 1 : draft_.item.stages[need.stage].count.value_or(1);
    __int128 edges = static_cast<__int128>(own_.count.value_or(1)) * each + edges_;
    edges_ = static_cast<std::int64_t>(std::min<__int128>(edges, 4 * kMostNeeds));
    if (edges_ > kMostNeeds) report_too_many(node);
  }

  void report_too_many(const Node& node) {
    c_.error(node,
             "more than " + std::to_string(kMostNeeds) +
                 " single needs, each element of an array for itself; \"NAME[i]\" is the element of the same index");
    edges_ = 0;
  }

  bool read_index(const Node& node, const std::string& index, Need& need) {
    const StageTemplate& other = draft_.item.stages[need.stage];
    if (!other.count) {
      c_.error(node, "'" + other.name + "' is no array: it has no 'count'");
      return false;
    }
    if (index == "i") {
      need.element = true;
      if (!own_.count) {
        c_.error(node, "[i] is the index of an array's element, but '" + own_.name + "' has no 'count'");
        return false;
      }
      if (*own_.count == *other.count) return true;
      c_.error(node, "'" + own_.name + "' has " + std::to_string(*own_.count) + " elements but '" + other.name +
                         "' has " + std::to_string(*other.count) + "; element to element needs the same count");
      return false;
    }
    const Scalar<std::int64_t> number = read_whole(index);
    if (number.ok() && number.value >= 0 && number.value < *other.count) {
      need.index = number.value;
      return true;
    }
    c_.error(node, "'" + other.name + "' has the elements 0 to " + std::to_string(*other.count - 1) +
                       ", and [i]; found '[" + index + "]'");
    return false;
  }

  WorkflowDraft& draft_;
  Context& c_;
  std::uint32_t stage_;
  StageTemplate& own_;
  std::unordered_set<std::string> seen_;
  std::int64_t edges_ = 0;
};

/// Depth first along `waits_for`, without recursion. A circle of templates is one of stages: whichever element one
/// starts from, one can go round for ever.
class CycleFinder {
 public:
  explicit CycleFinder(WorkflowDraft& draft) : draft_(draft), state_(draft.waits_for.size(), State::kNew) {}

  void run() {
    for (std::uint32_t stage = 0; stage < state_.size(); ++stage) {
      if (state_[stage] == State::kNew) walk(stage);
    }
  }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone, kReported };
  struct Step {
    std::uint32_t stage;
    std::size_t next = 0;
  };

  void walk(std::uint32_t start) {
    path_.assign(1, {start});
    state_[start] = State::kOpen;
    while (!path_.empty()) {
      Step& step = path_.back();
      const auto& next = draft_.waits_for[step.stage];
      if (step.next == next.size()) {
        if (state_[step.stage] == State::kOpen) state_[step.stage] = State::kDone;
        path_.pop_back();
        continue;
      }
      const std::uint32_t to = next[step.next++];
      if (state_[to] == State::kNew) {
        state_[to] = State::kOpen;
        path_.push_back({to});
      } else if (state_[to] == State::kOpen) {
        report(to);
      }
    }
  }

  /// The path from `first` on, and back to it. Its stages are not reported again in a longer circle.
  void report(std::uint32_t first) {
    constexpr std::size_t kShown = 20;
    const auto begin = std::ranges::find(path_, first, &Step::stage);
    const std::size_t length = static_cast<std::size_t>(path_.end() - begin);
    std::string circle;
    for (auto step = begin; step != path_.end(); ++step) {
      const auto i = static_cast<std::size_t>(step - begin);
      if (i < kShown) circle += "'" + name(step->stage) + "' -> ";
      if (i == kShown) circle += "… -> ";
    }
    for (auto step = begin; step != path_.end(); ++step) state_[step->stage] = State::kReported;
    const WorkflowDraft::Places& places = draft_.places[first];
    const Node* place = places.needs != nullptr ? places.needs : places.inputs != nullptr ? places.inputs : places.node;
    draft_.reading.context.error(
        *place, length == 1 ? "'" + name(first) + "' needs itself"
                            : "stages need each other in a circle: " + circle + "'" + name(first) + "'");
  }

  [[nodiscard]] const std::string& name(std::uint32_t stage) const { return draft_.item.stages[stage].name; }

  WorkflowDraft& draft_;
  std::vector<State> state_;
  std::vector<Step> path_;
};

}  // namespace

void resolve_needs(WorkflowDraft& draft) {
  __int128 edges = 0;
  for (std::uint32_t stage = 0; stage < draft.item.stages.size(); ++stage) {
    // A step exists once its plan has come to it, so it waits for whatever the plan needs.
    if (draft.item.stages[stage].declarer) draft.waits_for[stage].push_back(*draft.item.stages[stage].declarer);
    const Node* list = draft.places[stage].needs;
    if (list == nullptr) continue;
    NeedsReader reader(draft, stage);
    reader.read(*list);
    const __int128 before = edges;
    edges += reader.edges();
    if (edges > kMostNeeds && before <= kMostNeeds) {
      draft.reading.context.error(
          *list, "more than " + std::to_string(kMostNeeds) + " single needs in one workflow, arrays expanded");
    }
  }
}

void report_cycles(WorkflowDraft& draft) { CycleFinder(draft).run(); }

}  // namespace headroom::yaml
