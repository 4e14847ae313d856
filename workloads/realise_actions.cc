#include "workloads/realise_actions.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace headroom {
namespace {

/// Of "base[17]" with "base": 17.
std::optional<std::uint32_t> index_in_brackets(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(']') || text.size() < name.size() + 3 || text[name.size()] != '[')
    return std::nullopt;
  const char* begin = text.data() + name.size() + 1;
  const char* end = text.data() + text.size() - 1;
  std::uint32_t index = 0;
  const auto [at, error] = std::from_chars(begin, end, index);
  return error == std::errc() && at == end ? std::optional(index) : std::nullopt;
}

void resolve_workflow(Action& action, const Work& work) {
  for (const Work::Item& item : work.items) {
    const auto take = [&](std::uint32_t index, std::uint32_t count) {
      action.first_workflow = item.first_workflow + index;
      action.workflows = count;
    };
    if (action.is_pattern() && action.name == item.name + "[*]") return take(0, item.workflows);
    if (item.naming == Work::Item::Naming::kJobs) {
      for (std::uint32_t i = 0; i < item.workflows; ++i)
        if (work.workflow_name(item.first_workflow + i) == action.name) return take(i, 1);
    } else if (item.naming == Work::Item::Naming::kOne) {
      if (item.name == action.name && item.workflows > 0) return take(0, 1);
    } else if (const auto index = index_in_brackets(action.name, item.name); index && *index < item.workflows) {
      return take(*index, 1);
    }
  }
}

void resolve_node(Action& action, const Work& work) {
  std::int64_t first = 0;
  for (const NodeClass& nodes : work.cluster.classes) {
    if (const auto index = index_in_brackets(action.name, nodes.name); index && *index < nodes.count) {
      action.index = static_cast<std::uint32_t>(first + *index);
      return;
    }
    first += nodes.count;
  }
}

}  // namespace

std::vector<Action> resolved_actions(std::vector<Action> actions, const Work& work) {
  for (Action& action : actions) {
    if (action.target == Action::Target::kWorkflow) resolve_workflow(action, work);
    if (action.target == Action::Target::kNode) resolve_node(action, work);
  }
  std::ranges::stable_sort(actions, {}, &Action::at);
  return actions;
}

}  // namespace headroom
