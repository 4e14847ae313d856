// What the control plane says, in words: replies to who asked, and the audit's what, who decided and why. A function of
// Work and the control log.
#pragma once

#include <string>

#include "sim/engine/control_log.h"
#include "workloads/work.h"

namespace headroom {

/// "workflow urgent", "account research", "node cpu[3]", "backlog[*]".
[[nodiscard]] std::string target_text(const Work& work, Action::Target target, std::uint32_t index);
[[nodiscard]] std::string target_text(const Work& work, const AuditEntry& entry);
/// One sentence, without a stop.
[[nodiscard]] std::string why_text(const Work& work, const AuditEntry& entry);
/// One sentence or two: what is named, the value, and that the next pass sees it; what had ended, by name.
[[nodiscard]] std::string reply_text(const Work& work, const Reply& reply);
/// "cpu[3]".
[[nodiscard]] std::string node_name(const ClusterSpec& cluster, NodeId node);

}  // namespace headroom
