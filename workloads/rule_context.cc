#include "workloads/rule_context.h"

namespace headroom {
namespace {

class WorkNames final : public RuleContext::Names {
 public:
  WorkNames(const Work& work, const std::vector<std::uint32_t>* workflow_of_id)
      : work_(work), workflow_of_id_(workflow_of_id) {}
  [[nodiscard]] std::string organization(OrganizationId id) const override {
    return work_.tenants.organizations[id.value].name;
  }
  [[nodiscard]] std::string account(AccountId id) const override { return work_.tenants.accounts[id.value].name; }
  [[nodiscard]] std::string user(UserId id) const override { return work_.tenants.users[id.value].name; }
  [[nodiscard]] std::string workflow(WorkflowId id) const override { return work_.workflow_name(workflow_number(id)); }
  [[nodiscard]] std::uint32_t workflow_number(WorkflowId id) const override {
    return workflow_of_id_ == nullptr ? id.value : (*workflow_of_id_)[id.value];
  }

 private:
  const Work& work_;
  const std::vector<std::uint32_t>* workflow_of_id_;
};

}  // namespace

RuleContext rule_context(const Work& work, const std::vector<std::uint32_t>* workflow_of_id) {
  RuleContext context;
  context.start_unix_ns = work.start_unix_s * 1'000'000'000;
  context.utc_offset_s = work.utc_offset_s;
  context.names = std::make_shared<WorkNames>(work, workflow_of_id);
  return context;
}

}  // namespace headroom
