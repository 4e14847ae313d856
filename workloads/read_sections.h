// The sections of a workload file, one function each, in the order in which they can be read: the cluster and the
// tenants before the work that asks for them. Each reports its errors to the context and leaves defaults where
// something is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "workloads/read_context.h"
#include "workloads/workload.h"

namespace headroom::yaml {

/// Bounds on counts, so that no number of the file makes a run allocate without end.
inline constexpr std::int64_t kMostCores = 1'000'000'000;
inline constexpr std::int64_t kMostNodes = 1'000'000;
inline constexpr std::int64_t kMostStages = 50'000'000;  ///< in one workflow, arrays expanded
inline constexpr std::int64_t kMostNeeds = 200'000'000;  ///< in one workflow, arrays expanded
inline constexpr std::int64_t kMostGenerated = 100'000'000;
inline constexpr std::int64_t kMostRetries = 1'000'000;

/// One read in progress.
struct Reading {
  Context& context;
  Workload& workload;
  bool check_fit = true;  ///< does each stage fit on the cluster? Not where an axis of a sweep is tried by itself
  bool has_tenants = false;
  bool tenants_sound = true;  ///< where they are not, who is in which account is not complained about as well
  std::unordered_map<std::string, std::uint32_t> users, accounts, pools;  ///< name to index
  std::uint32_t listed_users = 0;  ///< of `users:`; those after them are named elsewhere only
};

void read_start(Reading& reading, const Node& node);
void read_cluster(Reading& reading, const Node* node, bool has_trace);
void read_scheduler(Reading& reading, const Node& node);
void read_tenants(Reading& reading, const Node* node);
void read_work(Reading& reading, const Node& node);
/// After the work, which it may add to.
void read_actions(Reading& reading, const Node& node);
void read_policies(Reading& reading, const Node* policies, const Node* axis);
[[nodiscard]] CompareSpec read_compare(Context& context, const Node& node);
void read_measure(Reading& reading, const Node& node);
void read_sweep(Reading& reading, const Node& node);
void read_record(Reading& reading, const Node& node);

// ---- one item of `work:` each; `node` is the map that describes it
/// `submission`: an action that starts it; it then has neither a time nor a user of its own.
struct Submission {
  TimePoint at;
  const Node* user = nullptr;  ///< where the actor is named; null: the default user
};
void read_workflow(Reading& reading, const Node& node, const Submission* submission = nullptr);
void read_generate(Reading& reading, const Node& node, std::size_t unnamed);
void read_trace(Reading& reading, const Node& node);

/// A preset's name, a policy file's or a policy in braces, as `policies:` and `--policy` take them; `folder` is where a
/// relative file name starts. Several where params have several values; never none. Throws InputError; a diagnostic
/// without a file is about `text` itself.
[[nodiscard]] std::vector<Policy> find_policies(const std::string& text, const std::string& folder);

/// The whole of a file of at most kMostBytes. Throws InputError, kNoInput where it cannot be opened.
[[nodiscard]] std::string read_text_file(const std::string& path);

/// What a distribution's values are, and so how they are written.
enum class Quantity : std::uint8_t {
  kDuration,  ///< in nanoseconds
  kMemory,    ///< in bytes
  kWhole,
  kPriority,
  kMillionths,  ///< plain decimals, times 1'000'000
};
/// A plain value or a map of one distribution. No value that it names is below `least` or above `most`.
std::optional<Distribution> distribution_of(Context& context, const Node& node, std::string_view what,
                                            Quantity quantity, std::int64_t least, std::int64_t most);
/// The values of a file that `empirical` names, one a line, ascending: at least one; null where something is wrong
/// with it. '#' begins a comment.
Context::Observed read_observed(Context& context, const Node& node, std::string_view what, Quantity quantity,
                                std::int64_t least, std::int64_t most);
std::optional<Distribution> run_time_of(Context& context, const Node& node, std::string_view what);

/// Whose work it is: the given user and account, else the only ones. Reports what cannot be settled at `node`.
std::optional<TenantChoice> tenant_of(Reading& reading, const Node* user, const Node* account, const Node& node,
                                      const std::string& where);
std::optional<std::uint32_t> user_of(Reading& reading, const Node& node, std::string_view what);
std::optional<std::uint32_t> account_of(Reading& reading, const Node& node, std::string_view what);
std::optional<std::uint32_t> organization_of(Reading& reading, const Node& node, std::string_view what);
/// A text or a list of texts.
std::vector<const Node*> one_or_more(Context& context, const Node& node, std::string_view what);

/// `fails:` true, false, a number of tries, or {probability: p}.
Failing failing_of(Context& context, const Node& node, const std::string& where);

/// `resources:`. A pool that the cluster lacks goes to `undefined` if that is given, else it is an error.
void read_resources(Reading& reading, const Node& node, const std::string& where,
                    std::vector<std::pair<PoolId, std::int64_t>>& pools,
                    std::vector<std::pair<std::string, std::int64_t>>* undefined);

/// A request and the places in the file of its parts, for the check that some node can hold it.
struct Request {
  std::string who;  ///< "stage 'align'"
  const Node* node = nullptr;
  const Node* cores = nullptr;
  const Node* memory = nullptr;
  const Node* gpus = nullptr;
  const Node* nodes = nullptr;
  std::string_view cores_word = "cores";  ///< or "slots"
};
/// Reports what no node of the cluster can hold. Nothing to say where the cluster comes from a trace.
void check_fits(Reading& reading, const Request& request, const Demand& demand);

/// "traces/KTH.swf.gz" is called "KTH".
[[nodiscard]] std::string trace_stem(const std::string& path);

/// What the item is called.
[[nodiscard]] const std::string& name_of_item(const WorkItem& item);
/// The keys of a map of indices, for hints.
[[nodiscard]] std::vector<std::string> names_in(const std::unordered_map<std::string, std::uint32_t>& map);

}  // namespace headroom::yaml
