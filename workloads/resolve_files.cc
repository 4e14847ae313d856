// Files tie stages as names do: who makes each input, what nobody makes, what two make. "{i}" is an element's index.
#include <algorithm>
#include <string_view>
#include <utility>

#include "workloads/workflow_draft.h"

namespace headroom::yaml {
namespace {

constexpr std::string_view kIndex = "{i}";
/// Files compared one by one in a workflow; what lies beyond is left to the run, which says what it waits for.
constexpr std::int64_t kMostCompared = 20'000'000;

std::string for_element(std::string_view pattern, std::int64_t element) {
  std::string file;
  for (std::size_t at = pattern.find(kIndex); at != std::string_view::npos; at = pattern.find(kIndex)) {
    file += pattern.substr(0, at);
    file += std::to_string(element);
    pattern.remove_prefix(at + kIndex.size());
  }
  return file.append(pattern);
}

bool has_index(std::string_view pattern) { return pattern.find(kIndex) != std::string_view::npos; }

/// The element below `count` for which `pattern` is `file`.
std::optional<std::int64_t> element_of(std::string_view pattern, std::int64_t count, std::string_view file) {
  const std::size_t at = pattern.find(kIndex);
  if (!file.starts_with(pattern.substr(0, at))) return std::nullopt;
  std::int64_t element = 0;
  // What follows may begin with digits too, so each length of the number is tried.
  for (std::size_t i = at; i < file.size() && i < at + 9 && file[i] >= '0' && file[i] <= '9'; ++i) {
    element = element * 10 + (file[i] - '0');
    if (element >= count) return std::nullopt;
    if (for_element(pattern, element) == file) return element;
  }
  return std::nullopt;
}

class Files {
 public:
  explicit Files(WorkflowDraft& draft) : draft_(draft), c_(draft.reading.context) {}

  void add_outputs(std::uint32_t stage) {
    const StageTemplate& made = draft_.item.stages[stage];
    for (std::size_t i = 0; i < made.outputs.size(); ++i) {
      const std::string& file = made.outputs[i];
      const Node& node = place(draft_.places[stage].outputs, i);
      if (file.empty()) continue;
      if (has_index(file) && !made.count) {
        c_.error(node, "{i} is the index of an array's element, but '" + made.name + "' has no 'count'");
        continue;
      }
      if (!has_index(file) && made.count.value_or(1) > 1) {
        c_.error(node, "every element of '" + made.name + "' would make '" + file + "'; put {i} into the name");
        continue;
      }
      if (const auto other = maker(file)) {
        c_.error(node, "'" + file + "' is made by '" + draft_.item.stages[*other].name + "' already");
        continue;
      }
      if (const auto source = draft_.sources.find(file); source != draft_.sources.end()) {
        c_.error(node, "'" + file + "' is made by '" + made.name + "' and declared static on line " +
                           std::to_string(source->second->line));
        continue;
      }
      makers_.emplace(file, stage);
      if (has_index(file)) patterns_.push_back({file, *made.count, stage});
      names_.push_back(file);
    }
  }

  void tie_inputs(std::uint32_t stage) {
    const StageTemplate& made = draft_.item.stages[stage];
    for (std::size_t i = 0; i < made.inputs.size(); ++i) {
      const std::string& file = made.inputs[i];
      if (!file.empty()) tie(stage, file, place(draft_.places[stage].inputs, i));
    }
    auto& waits_for = draft_.waits_for[stage];
    std::ranges::sort(waits_for);
    waits_for.erase(std::unique(waits_for.begin(), waits_for.end()), waits_for.end());
  }

 private:
  struct Pattern {
    std::string text;
    std::int64_t count;
    std::uint32_t stage;
  };

  [[nodiscard]] const Node& place(const Node* list, std::size_t i) const { return c_.at(list->children[i]); }

  /// Who makes the file, or the pattern if it is one.
  std::optional<std::uint32_t> maker(const std::string& file) {
    const auto found = makers_.find(file);
    if (found != makers_.end()) return found->second;
    compared_ += static_cast<std::int64_t>(patterns_.size());
    if (has_index(file) || compared_ > kMostCompared) return std::nullopt;
    for (const Pattern& pattern : patterns_) {
      if (element_of(pattern.text, pattern.count, file)) return pattern.stage;
    }
    return std::nullopt;
  }

  void tie(std::uint32_t stage, const std::string& file, const Node& node) {
    const StageTemplate& made = draft_.item.stages[stage];
    if (has_index(file) && !made.count) {
      c_.error(node, "{i} is the index of an array's element, but '" + made.name + "' has no 'count'");
      return;
    }
    const auto same = makers_.find(file);
    const bool covered =
        same != makers_.end() &&
        (!has_index(file) || draft_.item.stages[same->second].count.value_or(1) >= made.count.value_or(1));
    if (covered) {
      draft_.waits_for[stage].push_back(same->second);
      return;
    }
    const std::int64_t elements = has_index(file) ? *made.count : 1;
    for (std::int64_t i = 0; i < elements && compared_ <= kMostCompared; ++i) {
      ++compared_;
      const std::string single = for_element(file, i);
      if (const auto by = maker(single)) {
        if (draft_.waits_for[stage].empty() || draft_.waits_for[stage].back() != *by)
          draft_.waits_for[stage].push_back(*by);
      } else if (!draft_.has_plan && compared_ <= kMostCompared) {
        // Only in a plan may a file come from nowhere: there it is an experiment about what the run then does.
        c_.error(node, "'" + made.name + "' reads '" + single + "', which no stage makes" + c_.hint(single, names_));
        return;
      }
    }
  }

  WorkflowDraft& draft_;
  Context& c_;
  std::unordered_map<std::string, std::uint32_t> makers_;
  std::vector<Pattern> patterns_;
  std::vector<std::string> names_;
  std::int64_t compared_ = 0;
};

}  // namespace

void resolve_files(WorkflowDraft& draft) {
  Files files(draft);
  const auto stages = static_cast<std::uint32_t>(draft.item.stages.size());
  for (std::uint32_t stage = 0; stage < stages; ++stage) files.add_outputs(stage);
  for (std::uint32_t stage = 0; stage < stages; ++stage) files.tie_inputs(stage);
}

}  // namespace headroom::yaml
