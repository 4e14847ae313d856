// A workflow while it is read: its templates, and what they need by name, resolved once all of them are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "workloads/read_sections.h"

namespace headroom::yaml {

struct WorkflowDraft {
  /// Where in the file a template's parts stand.
  struct Places {
    const Node* node = nullptr;
    const Node* name = nullptr;
    const Node* needs = nullptr;
    const Node* inputs = nullptr;
    const Node* outputs = nullptr;
  };

  Reading& reading;
  WorkflowItem item;
  bool has_plan = false;
  bool preemptible = false;    ///< the workflow's default for its stages
  std::vector<Places> places;  ///< by template
  std::unordered_map<std::string, std::uint32_t> by_name;
  std::unordered_map<std::string, const Node*> sources;  ///< files that plans declare static, and where
  std::vector<std::string> names;                        ///< for hints
  std::vector<std::vector<std::uint32_t>> waits_for;     ///< by template, in words: who must end (or begin) first
  std::int64_t stages = 0;                               ///< arrays expanded

  /// Adds a template and reports a name that is there already. Returns its index.
  std::uint32_t add(StageTemplate made, const Places& where);
};

/// Reads a stage of `stages:` or, with a declarer, a step of a plan, and adds it.
std::uint32_t read_stage(WorkflowDraft& draft, const Node& node, std::optional<std::uint32_t> declarer);
/// The keys that a sub-plan shares with other steps: cores, needs, inputs, outputs, resources …
void read_stage_keys(WorkflowDraft& draft, MapReader& map, StageTemplate& made, WorkflowDraft::Places& where);
void read_root_plan(WorkflowDraft& draft, const Node& node);

/// Needs by name and by file, to indices; then whether any wait for each other in a circle.
void resolve_needs(WorkflowDraft& draft);
void resolve_files(WorkflowDraft& draft);
void report_cycles(WorkflowDraft& draft);

}  // namespace headroom::yaml
