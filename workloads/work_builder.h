// Puts a Work together row by row: optional columns begin when they are first needed, demands are interned, rows that
// nobody provides get their numbers at the end. Internal to realise().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workloads/draw.h"
#include "workloads/work.h"
#include "workloads/workload.h"

namespace headroom {

/// Most stages, and most needs, that one Work may have.
inline constexpr std::uint64_t kMostRows = 200'000'000;

class WorkBuilder {
 public:
  /// `cluster`: what the work is to run on; demands are checked against it.
  WorkBuilder(const Workload& workload, ClusterSpec cluster, std::uint64_t seed, std::uint64_t replication);

  [[nodiscard]] Work& work() { return work_; }
  [[nodiscard]] Draws draws(std::string_view item_name) const { return {work_.seed, work_.replication, item_name}; }

  std::uint32_t add_item(std::string name, Work::Item::Naming naming);
  /// Room for so many more workflows and stages. Fails InputError: more than kMostRows stages in all.
  void reserve(std::uint64_t workflows, std::uint64_t stages);
  /// Opens a workflow of the last item; the stages added next are its own.
  std::uint32_t add_workflow(TimePoint at, std::uint32_t account, std::uint32_t user, std::int64_t priority) {
    const auto workflow = static_cast<std::uint32_t>(work_.submitted_at.size());
    work_.submitted_at.push_back(at);
    work_.item.push_back(static_cast<std::uint32_t>(work_.items.size() - 1));
    work_.account.push_back(account);
    work_.user.push_back(user);
    work_.priority.push_back(priority);
    work_.first_stage.push_back(static_cast<StageRow>(work_.run_time.size()));
    ++work_.items.back().workflows;
    return workflow;
  }
  StageRow add_stage(Duration run_time, Duration estimate, std::uint32_t demand) {
    const auto row = static_cast<StageRow>(work_.run_time.size());
    work_.workflow_of.push_back(static_cast<std::uint32_t>(work_.submitted_at.size() - 1));
    work_.run_time.push_back(run_time);
    work_.estimate.push_back(estimate);
    work_.demand.push_back(demand);
    return row;
  }

  // ---- what only some stages have. Call for rising rows.
  void set_walltime(StageRow row, Duration walltime);
  void set_preemptible(StageRow row);
  void set_checkpoint(StageRow row, Duration every);
  void set_retry(StageRow row, std::int64_t retry);
  void set_failing(StageRow row, const Failing& failing);
  void set_declarer(StageRow row, StageRow declarer);
  void set_program(StageRow row, std::uint32_t plan);
  void set_root_plan(std::uint32_t workflow, std::uint32_t plan);
  /// The stage's needs: rows, or missing(name). Fails InputError: more than kMostRows needs in all.
  void set_needs(StageRow row, const std::vector<StageRow>& needs);
  /// Workflow `workflow` is submitted `think` after these have ended. Rising, as rows.
  void set_after(std::uint32_t workflow, const std::vector<std::uint32_t>& after, Duration think);
  /// A value for set_needs() that stands for what nobody provides.
  [[nodiscard]] StageRow missing(const std::string& name);
  /// The same for a source file, which one workflow alone knows: a new one each time.
  [[nodiscard]] StageRow source(const std::string& file);

  /// Index of an equal demand.
  std::uint32_t demand(const Demand& demand);
  /// The same for a plain number of cores, without a look-up in the usual case.
  std::uint32_t demand_of_cores(std::int64_t cores, bool spread);
  /// Can the empty cluster hold it?
  [[nodiscard]] bool fits(std::uint32_t demand) const { return fits_[demand] != 0; }

  /// Counts durations that were negative and drawn again; finish() makes a repair of it.
  [[nodiscard]] std::int64_t& drawn_again() { return drawn_again_; }

  /// Fills up the optional columns. The builder is empty afterwards.
  [[nodiscard]] Work finish();

 private:
  [[nodiscard]] bool cluster_holds(const Demand& demand) const;

  Work work_;
  std::map<Demand, std::uint32_t> demand_index_;
  std::vector<std::uint32_t> by_cores_[2];  ///< [spread][cores]: index + 1, 0 if not known
  std::vector<char> fits_;
  std::int64_t drawn_again_ = 0;
  std::unordered_map<std::string, std::uint32_t> missing_index_;
};

}  // namespace headroom
