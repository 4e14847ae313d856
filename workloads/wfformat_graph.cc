#include "workloads/wfformat_graph.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace headroom {
namespace {

constexpr std::size_t kMostShown = 80;

std::uint64_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

template <class T>
T& at_number(std::vector<T>& column, std::uint32_t number) {
  if (column.size() <= number) column.resize(std::max<std::size_t>(number + std::size_t{1}, column.size() * 2));
  return column[number];
}

}  // namespace

std::uint32_t NameTable::number_of(std::string_view name) {
  if (slots_.size() < 2 * (names_.size() + 1)) grow();
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t hash = hash_of(name);
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    if ((slots_[at] ^ hash) >> 32U != 0) continue;
    const auto number = static_cast<std::uint32_t>(slots_[at]) - 1;
    if (names_[number] == name) return number;
  }
  names_.emplace_back(name);
  slots_[at] = (hash & ~std::uint64_t{0xffffffff}) | size();
  return size() - 1;
}

void NameTable::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::uint64_t hash = hash_of(names_[i]);
    std::size_t at = hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = (hash & ~std::uint64_t{0xffffffff}) | (i + 1);
  }
}

void WfTask::clear() {
  place = run_time_place = 0;
  name.reset();
  parents.clear();
  children.clear();
  run_time.reset();
  cores.reset();
  memory.reset();
}

void WfGraph::error(std::uint64_t place, std::string message) {
  if (errors_.size() < kMostErrors) {
    errors_.push_back({place, std::move(message)});
  } else {
    ++dropped_;
  }
}

std::vector<Misplaced> WfGraph::errors() {
  if (dropped_ > 0) errors_.push_back({0, "and " + std::to_string(dropped_) + " more errors"});
  return std::move(errors_);
}

std::string WfGraph::shown(std::uint32_t name) const {
  const std::string& text = names[name];
  if (text.size() <= kMostShown) return "'" + text + "'";
  std::size_t cut = kMostShown;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U) --cut;
  return "'" + text.substr(0, cut) + "…'";
}

void WfGraph::declare(const WfTask& task) {
  if (!task.name) return error(task.place, "a task without a name");
  std::uint32_t& row = at_number(row_, *task.name);
  if (row != 0) return error(task.place, "the task " + shown(*task.name) + " is there twice");
  declared_.push_back(*task.name);
  row = static_cast<std::uint32_t>(declared_.size());
  place_.push_back(task.place);
  parents_.insert(parents_.end(), task.parents.begin(), task.parents.end());
  parents_begin_.push_back(static_cast<std::uint32_t>(parents_.size()));
  children_.insert(children_.end(), task.children.begin(), task.children.end());
  children_begin_.push_back(static_cast<std::uint32_t>(children_.size()));
}

void WfGraph::measure(const WfTask& task) {
  if (!task.name) return error(task.place, "a task without a name");
  any_measured_ = true;
  Measured& of = at_number(measured_, *task.name);
  if (of.place != 0) return error(task.place, "the task " + shown(*task.name) + " is measured twice");
  of.place = task.place;
  // A run time that was given and not understood has its error already.
  if (task.run_time || task.run_time_place != 0) of.run_time = task.run_time.value_or(Duration{});
  of.cores = task.cores.value_or(1);
  of.memory = task.memory.value_or(0);
  any_cores_ = any_cores_ || of.cores != 1;
  any_memory_ = any_memory_ || of.memory != 0;
}

void WfGraph::check_references(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& refs,
                               const char* what) {
  for (std::size_t t = 0; t < declared_.size(); ++t) {
    for (std::uint32_t i = begin[t]; i < begin[t + 1]; ++i) {
      if (row_[refs[i]] != 0) continue;
      error(place_[t], "the task " + shown(declared_[t]) + " has the " + what + " " + shown(refs[i]) +
                           ", which is no task of this file");
    }
  }
}

void WfGraph::finish(WfTrace& trace) {
  row_.resize(names.size());
  measured_.resize(names.size());
  if (declared_.empty() && !failed()) error(0, "has no tasks: they stand in workflow.specification.tasks");
  check_references(parents_begin_, parents_, "parent");
  check_references(children_begin_, children_, "child");
  if (!any_measured_ && !declared_.empty()) {
    error(0, "says nowhere how long its tasks ran (workflow.execution.tasks); only traces of runs can be replayed");
  } else {
    join(trace);
  }
  if (failed()) return;
  link(trace);
  find_circle(trace);
  if (failed()) return;
  trace.task.reserve(declared_.size());
  for (const std::uint32_t name : declared_) trace.task.push_back(std::move(names[name]));
}

void WfGraph::join(WfTrace& trace) {
  for (std::uint32_t name = 0; name < names.size(); ++name) {
    if (measured_[name].place == 0 || row_[name] != 0) continue;
    error(measured_[name].place, "the task " + shown(name) + " was executed but is not specified");
  }
  trace.run_time.reserve(declared_.size());
  for (std::size_t t = 0; t < declared_.size(); ++t) {
    const Measured& of = measured_[declared_[t]];
    if (of.run_time < Duration{}) {
      error(of.place != 0 ? of.place : place_[t], "the task " + shown(declared_[t]) + " has no runtimeInSeconds");
    }
    trace.run_time.push_back(of.run_time);
    if (any_cores_) trace.cores.push_back(of.cores);
    if (any_memory_) trace.memory.push_back(of.memory);
  }
}

/// The union of what parents and children say, as parents of each task.
void WfGraph::link(WfTrace& trace) {
  const auto tasks = static_cast<std::uint32_t>(declared_.size());
  std::vector<std::uint32_t> begin(tasks + std::size_t{1}), from(children_.size());
  for (const std::uint32_t child : children_) ++begin[row_[child]];
  for (std::uint32_t t = 0; t < tasks; ++t) begin[t + 1] += begin[t];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t t = 0; t < tasks; ++t) {
    for (std::uint32_t i = children_begin_[t]; i < children_begin_[t + 1]; ++i)
      from[next[row_[children_[i]] - 1]++] = t;
  }
  trace.needs.reserve(std::max(parents_.size(), from.size()));
  trace.needs_begin.reserve(tasks + std::size_t{1});
  trace.needs_begin.push_back(0);
  std::vector<std::uint32_t> said;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    said.clear();
    for (std::uint32_t i = parents_begin_[t]; i < parents_begin_[t + 1]; ++i) said.push_back(row_[parents_[i]] - 1);
    std::ranges::sort(said);
    said.erase(std::unique(said.begin(), said.end()), said.end());
    const auto by_parents = static_cast<std::ptrdiff_t>(said.size());
    const auto others = std::span(from).subspan(begin[t], begin[t + 1] - begin[t]);  // rising: tasks came in order
    std::size_t both = 0, distinct = 0;
    std::uint32_t last = tasks;
    for (const std::uint32_t parent : others) {
      if (std::exchange(last, parent) == parent) continue;
      ++distinct;
      if (std::binary_search(said.begin(), said.begin() + by_parents, parent)) {
        ++both;
      } else {
        said.push_back(parent);
      }
    }
    std::inplace_merge(said.begin(), said.begin() + by_parents, said.end());
    const std::size_t one_sided = static_cast<std::size_t>(by_parents) + distinct - 2 * both;
    for (std::size_t i = 0; i < one_sided; ++i)
      trace.repairs.add(Cause::kOneSided, [&] { return "of task " + shown(declared_[t]); });
    trace.needs.insert(trace.needs.end(), said.begin(), said.end());
    trace.needs_begin.push_back(static_cast<std::uint32_t>(trace.needs.size()));
  }
}

/// Takes away tasks without needs until none is left; of what stays, everything waits in a circle or for one.
void WfGraph::find_circle(const WfTrace& trace) {
  const auto tasks = static_cast<std::uint32_t>(declared_.size());
  std::vector<std::uint32_t> open(tasks), begin(tasks + std::size_t{2}), needed_by(trace.needs.size());
  for (const std::uint32_t parent : trace.needs) ++begin[parent + std::size_t{2}];
  for (std::size_t t = 2; t < begin.size(); ++t) begin[t] += begin[t - 1];
  std::vector<std::uint32_t> ready;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    open[t] = trace.needs_begin[t + 1] - trace.needs_begin[t];
    if (open[t] == 0) ready.push_back(t);
    for (std::uint32_t i = trace.needs_begin[t]; i < trace.needs_begin[t + 1]; ++i)
      needed_by[begin[trace.needs[i] + std::size_t{1}]++] = t;
  }
  std::uint32_t done = 0;
  while (!ready.empty()) {
    const std::uint32_t t = ready.back();
    ready.pop_back();
    ++done;
    for (std::uint32_t i = begin[t]; i < begin[t + 1]; ++i)
      if (--open[needed_by[i]] == 0) ready.push_back(needed_by[i]);
  }
  if (done == tasks) return;
  // Going back over open needs must come to a task a second time: from there on it is a circle.
  std::uint32_t at = 0;
  while (open[at] == 0) ++at;
  std::vector<std::uint32_t> path, step(tasks);
  while (step[at] == 0) {
    path.push_back(at);
    step[at] = static_cast<std::uint32_t>(path.size());
    const auto needs =
        std::span(trace.needs).subspan(trace.needs_begin[at], trace.needs_begin[at + 1] - trace.needs_begin[at]);
    at = *std::ranges::find_if(needs, [&](std::uint32_t parent) { return open[parent] != 0; });
  }
  path.erase(path.begin(), path.begin() + (step[at] - 1));
  constexpr std::size_t kShown = 6;
  std::string circle;
  for (std::size_t i = 0; i < path.size() && i <= kShown; ++i)
    circle += i == kShown ? "… -> " : shown(declared_[path[i]]) + " -> ";
  error(place_[path[0]], path.size() == 1 ? "the task " + shown(declared_[at]) + " needs itself"
                                          : "tasks need each other in a circle: " + circle + shown(declared_[at]));
}

}  // namespace headroom
