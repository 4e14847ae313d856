// `actions:`: what people do while the work runs. Names of workflows and nodes are checked as far as the file alone
// says what there is; which they are is settled by realise().
#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

constexpr std::array<std::string_view, 11> kVerbs{"update",   "start", "stop", "score",  "add_owner", "remove_owner",
                                                  "describe", "queue", "fail", "cordon", "uncordon"};

std::vector<std::string> names_of_items(const Workload& workload) {
  std::vector<std::string> names;
  for (const WorkItem& item : workload.items) names.push_back(name_of_item(item));
  return names;
}

class ActionReader {
 public:
  ActionReader(Reading& reading, const Node& node)
      : reading_(reading), c_(reading.context), map_(c_, node, "action", "an action") {}

  /// Reads what all actions have; true if it is one that starts a workflow.
  bool begin() {
    if (!map_.ok()) return false;
    action_.line = map_.node().line;
    action_.column = map_.node().column;
    if (const Node* at = map_.require("at", "when it is done, such as 2h"))
      action_.at = TimePoint::zero() + duration_of(c_, *at, "at").value_or(Duration{});
    by_ = map_.get("by");
    if (const Node* context = map_.get("context")) action_.context = organization_of(reading_, *context, "context");
    lasts_ = map_.get("for");
    for (const std::string_view verb : kVerbs) {
      const Node* found = map_.get(verb);
      if (found == nullptr) continue;
      if (what_ != nullptr)
        c_.error(*found,
                 "an action does one thing: either '" + std::string(verb_) + "' or '" + std::string(verb) + "'");
      else
        std::tie(what_, verb_) = std::pair(found, verb);
    }
    const std::size_t errors = c_.errors().size();
    map_.finish();
    if (what_ == nullptr && c_.errors().size() == errors)  // else it is misspelt, which has been said
      c_.error(map_.node(), "an action: what is done is missing: " + any_of_words(kVerbs));
    if (lasts_ != nullptr && verb_ != "fail" && verb_ != "cordon")
      c_.error(*lasts_, "'for' goes with 'fail' and 'cordon' alone");
    return verb_ == "start";
  }

  void read_start() {
    const Submission submission{action_.at, by_};
    read_workflow(reading_, *what_, &submission);
  }

  /// After every workflow is known.
  void finish() {
    if (what_ == nullptr) return;
    read_actor();
    if (lasts_ != nullptr) action_.lasts = positive_duration_of(c_, *lasts_, "for");
    MapReader what(c_, *what_, verb_, std::string(verb_));
    if (!what.ok()) return;
    read_what(what);
    what.finish();
    reading_.workload.actions.push_back(std::move(action_));
  }

 private:
  void read_actor() {
    if (by_ != nullptr) {
      action_.by = user_of(reading_, *by_, "by").value_or(0);
    } else if (reading_.has_tenants && reading_.listed_users != 1) {
      c_.error(map_.node(), "an action: 'by' is missing: who does it");
    }
  }

  void read_what(MapReader& what) {
    using Kind = Action::Kind;
    if (verb_ == "update") return read_update(what);
    if (verb_ == "queue") {
      action_.kind = Kind::kQueue;
      action_.target = Action::Target::kQueue;
      if (const Node* mine = what.get("mine")) action_.mine = boolean_of(c_, *mine, "mine").value_or(false);
      return;
    }
    if (verb_ == "fail" || verb_ == "cordon" || verb_ == "uncordon") {
      action_.kind = verb_ == "fail" ? Kind::kFail : verb_ == "cordon" ? Kind::kCordon : Kind::kUncordon;
      action_.target = Action::Target::kNode;
      if (const Node* node = what.require("node", "which node, such as cpu[3]")) read_node(*node);
      return;
    }
    if (verb_ == "score") return read_score(what);
    action_.kind = verb_ == "stop"        ? Kind::kStop
                   : verb_ == "add_owner" ? Kind::kAddOwner
                   : verb_ == "describe"  ? Kind::kDescribe
                                          : Kind::kRemoveOwner;
    if (const Node* workflow = what.require("workflow", "which one")) read_workflow_name(*workflow);
    if (action_.kind == Kind::kDescribe) {
      if (const Node* stage = what.get("stage")) action_.stage = text_of(c_, *stage, "stage").value_or("");
    } else if (action_.kind != Kind::kStop) {
      if (const Node* user = what.require("user", "whom")) action_.user = user_of(reading_, *user, "user").value_or(0);
    }
  }

  void read_update(MapReader& what) {
    constexpr std::array<std::string_view, 4> kTargets{"workflow", "organization", "account", "user"};
    const Node* named = nullptr;
    for (std::size_t t = 0; t < kTargets.size(); ++t) {
      const Node* found = what.get(kTargets[t]);
      if (found == nullptr) continue;
      if (named != nullptr) c_.error(*found, "update: one of workflow, organization, account or user, not two");
      named = found;
      action_.target = static_cast<Action::Target>(t);
    }
    if (named == nullptr) {
      c_.error(what.node(), "update: whose priority is missing: " + any_of_words(kTargets));
    } else if (action_.target == Action::Target::kWorkflow) {
      read_workflow_name(*named);
    } else {
      const auto index = action_.target == Action::Target::kOrganization ? organization_of(reading_, *named, "update")
                         : action_.target == Action::Target::kAccount    ? account_of(reading_, *named, "update")
                                                                         : user_of(reading_, *named, "update");
      action_.index = index.value_or(0);
      action_.name = named->text;
    }
    if (const Node* priority = what.require("priority", "a whole number"))
      action_.priority = priority_of(c_, *priority, "priority").value_or(0);
  }

  void read_score(MapReader& what) {
    action_.kind = Action::Kind::kScore;
    action_.target = Action::Target::kAccount;
    if (const Node* workflow = what.get("workflow"))
      name_of(c_, *workflow, "workflow");  // of one that might be started
    if (const Node* priority = what.get("priority"))
      action_.priority = priority_of(c_, *priority, "priority").value_or(0);
    if (const Node* account = what.get("account")) {
      action_.account = account_of(reading_, *account, "account").value_or(0);
    } else if (const auto tenant = tenant_of(reading_, by_, nullptr, *what_, "score")) {
      action_.account = tenant->account;
    }
    action_.index = action_.account;
    if (action_.account < reading_.workload.tenants.accounts.size())
      action_.name = reading_.workload.tenants.accounts[action_.account].name;
  }

  /// "build", "base[17]", "base[*]", "job7".
  void read_workflow_name(const Node& node) {
    const auto text = text_of(c_, node, "workflow");
    if (!text) return;
    action_.name = *text;
    const std::size_t bracket = text->find('[');
    const std::string item_name = text->substr(0, bracket);
    bool any_trace = false;
    for (const WorkItem& item : reading_.workload.items) {
      any_trace |= std::holds_alternative<TraceItem>(item);
      if (name_of_item(item) == item_name) return check_index(node, item, *text, bracket);
    }
    if (any_trace && item_name.starts_with("job")) return;
    const std::vector<std::string> names = names_of_items(reading_.workload);
    c_.error(node, "there is no workflow called '" + *text + "'" + c_.hint(item_name, names));
  }

  void check_index(const Node& node, const WorkItem& item, const std::string& text, std::size_t bracket) {
    const auto* generate = std::get_if<GenerateItem>(&item);
    const std::string inside = bracket == std::string::npos ? "" : text.substr(bracket);
    if (inside == "[*]") {
      if (std::holds_alternative<WorkflowItem>(item))
        c_.error(node, "'" + text.substr(0, bracket) + "' is one workflow; it has no [*]");
      return;
    }
    if (generate == nullptr) {
      if (!inside.empty()) c_.error(node, "'" + text.substr(0, bracket) + "' has no " + inside);
      return;
    }
    const std::string some = name_of_item(item) + "[17]";
    if (inside.empty())
      return c_.error(node,
                      "'" + text + "' are several workflows: say " + name_of_item(item) + "[*], or one as " + some);
    const Scalar<std::int64_t> index = read_whole(std::string_view(inside).substr(1, inside.size() - 2));
    if (!inside.ends_with(']') || !index.ok() || index.value < 0)
      return c_.expected(node, "workflow", "a number in brackets as in " + some);
    if (generate->count && index.value >= *generate->count)
      c_.error(node, "'" + text + "' is not there: the last is " + name_of_item(item) + "[" +
                         std::to_string(*generate->count - 1) + "]");
  }

  /// "cpu[3]". Of a cluster that a trace describes nothing is known yet.
  void read_node(const Node& node) {
    const auto text = text_of(c_, node, "node");
    if (!text) return;
    action_.name = *text;
    const ClusterSpec& cluster = reading_.workload.cluster;
    if (cluster.from_trace) return;
    std::vector<std::string> names;
    for (const NodeClass& nodes : cluster.classes) {
      names.push_back(nodes.name + "[0]");
      if (!text->starts_with(nodes.name + "[") || !text->ends_with(']')) continue;
      const std::size_t begin = nodes.name.size() + 1;
      const Scalar<std::int64_t> index = read_whole(std::string_view(*text).substr(begin, text->size() - begin - 1));
      if (index.ok() && index.value >= 0 && index.value < nodes.count) return;
      return c_.error(node, "there is no node '" + *text + "': the last of its class is " + nodes.name + "[" +
                                std::to_string(nodes.count - 1) + "]");
    }
    c_.error(node, "there is no node '" + *text + "'" + c_.hint(*text, names));
  }

  Reading& reading_;
  Context& c_;
  MapReader map_;
  Action action_;
  const Node *by_ = nullptr, *lasts_ = nullptr, *what_ = nullptr;
  std::string_view verb_;
};

}  // namespace

void read_actions(Reading& reading, const Node& node) {
  std::vector<ActionReader> actions;
  for (const NodeId item : items_of(reading.context, node, "actions")) {
    ActionReader action(reading, reading.context.at(item));
    if (action.begin())
      action.read_start();
    else
      actions.push_back(std::move(action));
  }
  for (ActionReader& action : actions) action.finish();
}

}  // namespace headroom::yaml
