// Writes a Work column by column, for tests: what the reader and realise() would make of a file. It must know neither.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/property/outcome.h"

namespace headroom::oracle {

/// One stage as one would write it. Rows are given in the order of the calls.
struct StageText {
  std::string name = "main";
  Duration run_time;
  Duration estimate;
  Duration walltime = Duration::infinite();
  Demand demand;
  std::vector<StageRow> needs;  ///< rows; kNobodyMakes for a file that nobody makes
  Failing failing;
  std::int64_t retry = 0;
  bool preemptible = false;
  Duration checkpoint = Duration::infinite();
};

class WorkBuilder {
 public:
  static constexpr StageRow kNobodyMakes = kNoRow - 1;

  /// One node of so many cores.
  static ClusterSpec slots(std::int64_t cores);

  explicit WorkBuilder(ClusterSpec cluster);

  /// Of the one organization, account and user, all at priority 0, unless tenants() gave others.
  void tenants(Tenants tenants);
  std::uint32_t workflow(TimePoint at, std::int64_t priority = 0, std::uint32_t account = 0, std::uint32_t user = 0);
  /// The last workflow is submitted `think_time` after those have ended.
  void after(std::vector<std::uint32_t> workflows, Duration think_time);
  /// A stage of the last workflow. `declarer`: the row of the plan that declares it.
  StageRow stage(const StageText& text, StageRow declarer = kNoRow);
  /// A stage that is a plan; the root plan where no declarer is given. Its operations are added with the calls below.
  StageRow plan(const StageText& text, Duration startup, Duration teardown, StageRow declarer = kNoRow);
  void op(StageRow plan, PlanOp::Kind kind, Duration cost, StageRow declared = kNoRow);

  [[nodiscard]] Work done() const;

 private:
  Work work_;
  std::vector<std::vector<StageRow>> needs_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<Duration> think_;
  bool has_plans_ = false;
};

}  // namespace headroom::oracle
