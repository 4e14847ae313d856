// Hand-made runs and studies for the tests of this folder.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/part_file.h"
#include "sim/results/study_facts.h"

namespace headroom::testing {

/// A folder of its own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "headroom-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A source of plain data.
inline TableSource source_of(const Table& table) {
  TableSource source{table.name, table.rows(), {}};
  for (const Column& column : table.columns) {
    Column empty = column;
    std::visit([&](const auto& values) { empty.data = std::decay_t<decltype(values)>{}; }, column.data);
    source.columns.push_back({empty, [data = column.data] { return data; }});
  }
  return source;
}

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Run `run` of a study of three users, with `stages` rows in /stages; everything depends on the run's number alone.
inline RunRecord sample_run(std::uint64_t run, std::size_t stages) {
  const auto r = static_cast<std::int64_t>(run);
  Table runs{"runs", {}};
  runs.columns.push_back(
      {"policy", "1", "policy", std::vector<std::string>{run % 2 == 0 ? "default" : "race"}, {}, {}, false});
  runs.columns.push_back({"seed", "1", "seed", std::vector<std::uint64_t>{~std::uint64_t{0}}, {}, {}, false});
  runs.columns.push_back({"makespan",
                          "s",
                          "last finish - first submission",
                          std::vector<double>{run % 3 == 0 ? kNan : static_cast<double>(run) / 8},
                          {},
                          {},
                          false});
  Table rows{"stages", {}};
  std::vector<double> started(stages);
  std::vector<std::string> names(stages);
  std::vector<std::int32_t> users(stages), nodes(stages);
  std::vector<std::uint8_t> kinds(stages);
  std::vector<std::int64_t> memory(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    started[i] = static_cast<double>(r * 1000 + at) + 0.25;
    names[i] = i % 7 == 0 ? "ä" : "cc[" + std::to_string(i) + "]";
    users[i] = static_cast<std::int32_t>(i % 2) - (i % 5 == 4 ? 1 : 0);
    nodes[i] = static_cast<std::int32_t>(i % 4) - 1;
    kinds[i] = static_cast<std::uint8_t>(i % 3);
    memory[i] = at << 33;
  }
  // Each run knows two users, in its own order.
  const std::vector<std::vector<std::string>> known{{"ben", "ada"}, {"olivia", "ben"}, {"ada", "olivia"}};
  rows.columns.push_back({"name", "1", "stage", names, {}, {}, false});
  rows.columns.push_back({"user", "1", "submitter", users, known[run % 3], "user", true});
  rows.columns.push_back({"node", "1", "node", nodes, {}, {}, true});
  rows.columns.push_back({"kind", "1", "kind", kinds, {"run", "skip", "plan"}, {}, false});
  rows.columns.push_back({"memory", "byte", "memory", memory, {}, {}, false});
  rows.columns.push_back({"started_at", "s", "start", started, {}, {}, false});
  Table warnings{"warnings", {}};
  std::vector<std::string> codes(run % 4), texts(run % 4, "zu lang, zu breit – " + std::string(run, 'x'));
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = "W0" + std::to_string(i + 1);
  warnings.columns.push_back({"code", "1", "code", codes, {}, {}, false});
  warnings.columns.push_back({"text", "1", "text", texts, {}, {}, false});

  RunRecord record{run, "summary of " + std::to_string(run), "extra of " + std::to_string(run), {}};
  for (const Table& table : {runs, rows, warnings}) record.tables.push_back(source_of(table));
  return record;
}

/// Points 2 x 3, two policies, `replications`.
inline StudyFacts sample_facts(std::int64_t replications = 1) {
  StudyFacts facts;
  facts.title = "sample";
  facts.workload_text = "name: sample\n# größer\n";
  facts.scheduler = "like: documented\n";
  facts.sets = {"params.x=1"};
  facts.policies = {{"default", "{policy: default}"}, {"race", "{policy: race}"}};
  facts.axes = {{"params.slots", {"2", "3"}}, {"work.base.every", {"10min", "2h", "7d"}}};
  facts.seed = 17;
  facts.replications = replications;
  facts.inputs = {{"sample.yaml", 23, std::string(64, '0')}};
  return facts;
}

}  // namespace headroom::testing
