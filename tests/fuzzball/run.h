// A workload as text, run once: what the tests of the rules look at.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "policies/expression_rule.h"
#include "sim/engine/engine.h"
#include "sim/metrics/control_report.h"
#include "sim/metrics/control_text.h"
#include "sim/metrics/report.h"
#include "workloads/realise.h"
#include "workloads/yaml_reader.h"

namespace headroom::testing {

struct RuleRun {
  Work work;
  RunLog log;
  RunReport report;

  [[nodiscard]] std::uint32_t workflow(const std::string& name) const {
    for (std::uint32_t w = 0; w < work.workflows(); ++w)
      if (work.workflow_name(w) == name) return w;
    return 0xffffffff;
  }
  [[nodiscard]] StageRow row(const std::string& name, const std::string& stage) const {
    const std::uint32_t w = workflow(name);
    for (StageRow r = work.first_stage[w]; r < work.first_stage[w + 1]; ++r)
      if (work.stage_name(r) == stage) return r;
    return kNoRow;
  }
  /// In seconds; -1: never.
  [[nodiscard]] double start(const std::string& name) const {
    const TimePoint at = report.workflow_table.started_at[workflow(name)];
    return at.is_never() ? -1 : at.in_seconds();
  }
  /// Workflows by first start.
  [[nodiscard]] std::vector<std::string> order() const {
    std::vector<std::string> names;
    std::vector<bool> seen(work.workflows(), false);
    for (const Event& event : log.events) {
      if (event.kind != EventKind::kStarted) continue;
      const std::uint32_t w = work.workflow_of[event.subject];
      if (!seen[w]) names.push_back(work.workflow_name(w));
      seen[w] = true;
    }
    return names;
  }
  [[nodiscard]] std::vector<const AuditEntry*> refusals() const {
    std::vector<const AuditEntry*> found;
    for (const AuditEntry& entry : log.control.audit)
      if (!entry.applied) found.push_back(&entry);
    return found;
  }
  [[nodiscard]] std::string rule(std::size_t refusal) const {
    return std::string(rule_words()[static_cast<std::size_t>(refusals().at(refusal)->rule)]);
  }
  [[nodiscard]] std::string reply(std::size_t i) const { return reply_text(work, log.control.replies.at(i)); }
  [[nodiscard]] double metric(const char* name) const { return report.metrics[metric_index(name)]; }
};

inline RuleRun run(const std::string& text, const Policy& of) {
  const Workload workload = WorkloadDocument::parse(text, "w.yaml").read();
  TraceCache traces;
  RuleRun result;
  result.work = realise(workload, workload.sweep.seed, 0, traces);
  result.log = simulate(result.work, workload.scheduler, of, workload.measure);
  result.report = report(result.work, result.log, of, workload.measure, true);
  return result;
}

inline RuleRun run(const std::string& text, const std::string& preset = "default") {
  return run(text, *find_preset(preset));
}

/// By an expression alone, ties by declaration.
inline Policy by_expression(const std::string& expression) {
  Policy policy;
  policy.name = "expression";
  set_priority_expression(policy, expression);
  return policy;
}

/// ada and ben of account research, gil its owner, olivia the owner and fred the federate owner of acme; otto owns
/// globex, in whose account sales is sam, and is a member of research too; root administers.
inline const std::string kTenants = R"(
tenants:
  administrators: [root]
  users: {ada: {}, ben: {}, sam: {}, otto: {}, fred: {}, gil: {}, olivia: {}}
  organizations:
    - organization: acme
      owners: [olivia]
      federate_owners: [fred]
      accounts: [{account: research, owners: [gil], users: [ada, ben, otto, fred, gil, olivia]}]
    - organization: globex
      owners: [otto]
      accounts: [{account: sales, users: [sam]}]
)";

}  // namespace headroom::testing
