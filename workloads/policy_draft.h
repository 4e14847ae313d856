// A policy as it is written: each of its params may have several values, of which every combination is a policy of its
// own, with a name of its own. It must never know where policies are listed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "policies/priority/error.h"
#include "workloads/read_context.h"

namespace headroom::yaml {

struct DraftParam {
  std::string name;
  std::vector<std::string> numbers;  ///< at least one, each as written
  bool in_name = false;              ///< does the policy's name tell the value?
};

struct PolicyDraft {
  Policy policy;                        ///< all but priority, expression and params
  std::optional<std::string> priority;  ///< as written
  const Node* priority_node = nullptr;  ///< where that stands, if in the file that is being read
  std::vector<DraftParam> params;
};

/// Of `params: {cap: 24, rate: [1, 2]}`: names that an expression can say, numbers that it can hold. A list is swept.
void read_draft_params(Context& context, const Node& node, std::vector<DraftParam>& params);

/// Of `{policy: gentle, cap: [24, 84]}`: the values of params that `draft` has. Reports those that it does not have.
void read_chosen_params(Context& context, const Node& node, PolicyDraft& draft);

/// Every combination, the last param fastest, called gentle:cap=24 and so on; just the policy where no name tells.
/// Reports too many, and what is wrong with the expression, at its own place or else at `node`.
std::vector<Policy> policies_of(Context& context, const PolicyDraft& draft, const Node& node);

/// The expression's own place in the file where its text stands there as it is, else the node's.
/// `before`: characters of the node's text that stand before the expression.
void expression_error(Context& context, const Node& node, const expr::Error& error, std::uint32_t before = 0);

}  // namespace headroom::yaml
