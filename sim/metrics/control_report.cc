#include "sim/metrics/control_report.h"

#include <algorithm>
#include <array>
#include <limits>

namespace headroom {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::string_view, 8> kActivity{"priority_updated", "stopped",        "owner_added",
                                                    "owner_removed",    "node_failed",    "node_repaired",
                                                    "node_cordoned",    "node_uncordoned"};
constexpr std::array<std::string_view, 5> kFactors{"none", "workflow", "organization", "account", "user"};
constexpr std::array<std::string_view, 9> kVerbs{"start",        "score", "update", "stop",    "add_owner",
                                                 "remove_owner", "fail",  "cordon", "uncordon"};

ActivityRow row_at(TimePoint at, ActivityRow::Kind kind) {
  ActivityRow row;
  row.at = at;
  row.kind = kind;
  row.old_value = row.new_value = kNaN;
  return row;
}

}  // namespace

std::span<const std::string_view> activity_words() { return kActivity; }
std::span<const std::string_view> factor_words() { return kFactors; }
std::span<const std::string_view> audit_verb_words() { return kVerbs; }

std::vector<ActivityRow> activity(const Work& work, const ControlLog& control) {
  std::vector<ActivityRow> rows;
  for (const Stamp& stamp : control.stamps) {
    const PriorityChange& change = control.changes[stamp.change];
    ActivityRow row = row_at(change.at, ActivityRow::Kind::kPriorityUpdated);
    row.workflow = work.workflow_of[stamp.stage];
    row.stage = stamp.stage;
    row.factor = 1 + static_cast<std::int64_t>(change.factor);
    row.old_value = static_cast<double>(change.old_value);
    row.new_value = static_cast<double>(change.new_value);
    row.actor = change.actor;
    rows.push_back(std::move(row));
  }
  for (const StopRequest& stop : control.stops) {
    ActivityRow row = row_at(stop.at, ActivityRow::Kind::kStopped);
    row.workflow = stop.workflow;
    row.actor = stop.actor;
    rows.push_back(std::move(row));
  }
  for (const OwnerChange& owner : control.owners) {
    ActivityRow row = row_at(owner.at, owner.added ? ActivityRow::Kind::kOwnerAdded : ActivityRow::Kind::kOwnerRemoved);
    row.workflow = owner.workflow;
    row.actor = owner.actor;
    row.subject = work.tenants.users[owner.user].name;
    rows.push_back(std::move(row));
  }
  for (const NodeChange& node : control.nodes) {
    constexpr auto kFirst = static_cast<std::uint8_t>(ActivityRow::Kind::kNodeFailed);
    ActivityRow row = row_at(node.at, static_cast<ActivityRow::Kind>(kFirst + static_cast<std::uint8_t>(node.kind)));
    row.node = node.node.value;
    row.actor = node.actor ? static_cast<std::int64_t>(*node.actor) : -1;
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, {}, &ActivityRow::at);
  return rows;
}

std::uint64_t priority_changes(const ControlLog& control) {
  std::uint64_t count = 0;
  for (const PriorityChange& change : control.changes) count += change.workflows;
  return count;
}

std::uint64_t refusals(const ControlLog& control) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(control.audit, [](const AuditEntry& entry) { return !entry.applied; }));
}

}  // namespace headroom
