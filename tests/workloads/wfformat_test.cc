// WfFormat: recorded workflows of every schema version against facts that a program of nothing else computed, and texts
// that are wrong.
#include "workloads/wfformat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "trace_files.h"
#include "workloads/diagnostics.h"
#include "workloads/realise.h"
#include "workloads/yaml_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace headroom::testing {
namespace {

std::string message_of(const std::string& text) {
  try {
    (void)read_wfformat_text(text, "w.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Since 1.5: what stands in the lists.
std::string since_15(const std::string& specified, const std::string& executed, const std::string& more = "") {
  return R"({"name": "w", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [)" + specified +
         R"(]}, "execution": {"tasks": [)" + executed + "]" + more + "}}}";
}

Duration longest_path(const WfTrace& trace) {
  std::vector<Duration> finish(trace.tasks());
  // The files are not sorted by need: repeat until nothing changes, which is at most as often as the graph is deep.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t t = 0; t < trace.tasks(); ++t) {
      Duration ready;
      for (std::uint32_t i = trace.needs_begin[t]; i < trace.needs_begin[t + 1]; ++i)
        ready = std::max(ready, finish[trace.needs[i]]);
      const Duration end = ready + trace.run_time[t];
      changed = changed || end != finish[t];
      finish[t] = end;
    }
  }
  return *std::ranges::max_element(finish);
}

// facts.json: computed by a stand-alone program that shares nothing with this project.
TEST(WfFormat, RealWorkflowsOfEveryVersionHaveTheTasksEdgesWorkAndCriticalPathComputedElsewhere) {
  const auto facts_file = real_trace("facts.json");
  HEADROOM_NEEDS_TRACE(facts_file);
  const auto facts = nlohmann::json::parse(std::ifstream(*facts_file));
  int read = 0;
  for (const auto& entry : facts.at("files")) {
    if (entry.at("kind") != "wfformat") continue;
    SCOPED_TRACE(entry.at("file").get<std::string>());
    const auto& fact = entry.at("facts");
    const WfTrace trace = read_wfformat(*real_trace(entry.at("file")));
    EXPECT_EQ(trace.tasks(), fact.at("tasks"));
    EXPECT_EQ(trace.needs.size(), fact.at("edges"));
    EXPECT_EQ(trace.machines.size(), fact.at("machines"));
    EXPECT_EQ(trace.repairs.count(Cause::kOneSided),
              fact.at("edges_only_in_parents").get<int>() + fact.at("edges_only_in_children").get<int>());
    EXPECT_EQ(trace.repairs.count(Cause::kUnknownKey), 0);
    const Duration work = std::accumulate(trace.run_time.begin(), trace.run_time.end(), Duration{});
    // The facts are doubles rounded to microseconds.
    EXPECT_NEAR(work.in_seconds(), fact.at("work").get<double>(), 1e-6);
    EXPECT_NEAR(longest_path(trace).in_seconds(), fact.at("cp").get<double>(), 1e-6);
    EXPECT_EQ(std::ranges::count(trace.run_time, Duration{}), fact.at("runtime_zero"));
    ++read;
  }
  EXPECT_EQ(read, 21);
}

TEST(WfFormat, ATraceBecomesOneWorkflowOnItsOwnMachines) {
  const auto path = real_trace("wfformat/soykb-chameleon-10fastq-10ch-001.v1.5.json");
  HEADROOM_NEEDS_TRACE(path);
  TraceCache traces;
  const Workload workload = WorkloadDocument::from_trace(*path, TraceItem::Format::kWfFormat).read();
  const Work work = realise(workload, 1, 0, traces);
  EXPECT_EQ(work.workflows(), 1U);
  EXPECT_EQ(work.stages(), 96U);
  EXPECT_EQ(work.needs.size(), 194U);
  EXPECT_EQ(work.run_time, work.estimate);
  EXPECT_EQ(work.stage_name(0), "alignment_to_reference_ID0000001");
  EXPECT_EQ(work.workflow_name(0), "soykb-chameleon-10fastq-10ch-001.v1.5");
  ASSERT_EQ(work.cluster.classes.size(), 2U);
  EXPECT_EQ(work.cluster.classes[1].name, "compute-7");
  EXPECT_EQ(work.cluster.classes[1].capacity, (NodeCapacity{48, 131795984000, 0}));
  EXPECT_TRUE(work.cluster_from_trace);
}

TEST(WfFormat, RunTimesAreReadAsExactDecimalsAndEdgesFromEitherSide) {
  // a → b, said by b only; a → c, said by a only and twice; b → c by both.
  const WfTrace trace =
      read_wfformat_text(since_15(R"({"name": "x", "id": "a", "parents": [], "children": ["c", "c"]},
                  {"name": "x", "id": "b", "parents": ["a"], "children": ["c"]},
                  {"name": "x", "id": "c", "parents": ["b"]})",
                                  R"({"id": "c", "runtimeInSeconds": 1e1, "coreCount": 2, "memoryInBytes": 5},
                  {"id": "a", "runtimeInSeconds": 0.1}, {"id": "b", "runtimeInSeconds": 54.000000001})"),
                         "w.json");
  EXPECT_LIST(trace.task, "a", "b", "c");
  EXPECT_LIST(trace.run_time, Duration{100'000'000}, Duration{54'000'000'001}, Duration::seconds(10));
  EXPECT_LIST(trace.cores, 1, 1, 2);
  EXPECT_LIST(trace.memory, 0, 0, 5);
  EXPECT_LIST(trace.needs_begin, 0, 0, 1, 3);
  EXPECT_LIST(trace.needs, 0, 0, 1);
  EXPECT_EQ(trace.repairs.count(Cause::kOneSided), 2);
}

TEST(WfFormat, BeforeVersion15TheNameIsWhatParentsSayAndMemoryIsInThousands) {
  const WfTrace trace = read_wfformat_text(R"({"schemaVersion": "1.2", "workflow": {"jobs": [
      {"id": "1", "name": "second", "runtime": 2, "parents": ["first"], "memory": 3, "cores": 2},
      {"id": "2", "name": "first", "runtime": 1, "parents": [], "colour": {"deep": [1, {"a": null}]}}],
      "machines": [{"nodeName": "n", "memory": 7, "cpu": {"count": 4}}, {"nodeName": "n", "cpu": {"count": 2}},
                   {"nodeName": "lost"}]}})",
                                           "w.json");
  EXPECT_LIST(trace.task, "second", "first");
  EXPECT_LIST(trace.needs, 1);
  EXPECT_LIST(trace.memory, 3000, 0);
  ASSERT_EQ(trace.machines.size(), 2U);
  EXPECT_EQ(trace.machines[0].memory, 7000);
  EXPECT_EQ(trace.machines[1].name, "n#2");
  EXPECT_EQ(trace.repairs.count(Cause::kUnknownKey), 1);
  EXPECT_EQ(trace.repairs.count(Cause::kMachineWithoutCores), 1);
}

TEST(WfFormat, EverythingThatIsWrongIsReportedAtOnceWithItsPlace) {
  EXPECT_EQ(message_of(R"({"name": "w", "schemaVersion": "2.0", "workflow": {"specification": {"tasks": [
  {"name": "a", "id": "a", "parents": ["ghost"], "children": []},
  {"name": "b", "id": "b", "parents": []},
  {"name": "b", "id": "b", "parents": []},
  {"name": "c", "id": 7}
]}, "execution": {"tasks": [
  {"id": "a", "runtimeInSeconds": -1},
  {"id": "b", "runtimeInSeconds": "5"},
  {"id": "z", "runtimeInSeconds": 1e300, "coreCount": 0}
]}}})"),
            R"(w.json:1:32: schemaVersion '2.0' of WfFormat is not read; 1.0 to 1.6 are
    1 | {"name": "w", "schemaVersion": "2.0", "workflow": {"specification": {"tasks": [
      |                                ^^^^^
w.json:2:23: the task 'a' has the parent 'ghost', which is no task of this file
    2 |   {"name": "a", "id": "a", "parents": ["ghost"], "children": []},
      |                       ^^^
w.json:4:23: the task 'b' is there twice
    4 |   {"name": "b", "id": "b", "parents": []},
      |                       ^^^
w.json:5:23: id: expected a text, found 7
    5 |   {"name": "c", "id": 7}
      |                       ^
w.json:7:35: runtimeInSeconds: expected seconds, not negative, found -1
    7 |   {"id": "a", "runtimeInSeconds": -1},
      |                                   ^^
w.json:8:35: runtimeInSeconds: expected a number, found a text
    8 |   {"id": "b", "runtimeInSeconds": "5"},
      |                                   ^^^
w.json:9:10: the task 'z' was executed but is not specified
    9 |   {"id": "z", "runtimeInSeconds": 1e300, "coreCount": 0}
      |          ^^^
w.json:9:35: runtimeInSeconds: expected seconds, at most a century of them, found 1e300
    9 |   {"id": "z", "runtimeInSeconds": 1e300, "coreCount": 0}
      |                                   ^^^^^
w.json:9:55: coreCount: expected a number from 1 to 1000000000, found 0
    9 |   {"id": "z", "runtimeInSeconds": 1e300, "coreCount": 0}
      |                                                       ^
)");
}

TEST(WfFormat, CirclesAreShownAndATaskMayNotNeedItself) {
  const std::string times = R"({"id": "a", "runtimeInSeconds": 1}, {"id": "b", "runtimeInSeconds": 1},
                               {"id": "c", "runtimeInSeconds": 1}, {"id": "d", "runtimeInSeconds": 1})";
  EXPECT_CONTAINS(message_of(since_15(R"({"id": "a", "parents": ["b"]}, {"id": "b", "parents": ["c"]},
                                         {"id": "c", "parents": ["d"]}, {"id": "d", "parents": ["b"]})",
                                      times)),
                  "tasks need each other in a circle: 'b' -> 'c' -> 'd' -> 'b'");
  EXPECT_CONTAINS(
      message_of(since_15(R"({"id": "a"}, {"id": "b"}, {"id": "c", "children": ["c"]}, {"id": "d"})", times)),
      "the task 'c' needs itself");
}

TEST(WfFormat, WhatIsNoJsonIsShownWhereItBreaks) {
  EXPECT_CONTAINS(message_of("{\"name\": \"w\",\n  \"schemaVersion\": NaN}"),
                  "w.json:2:20: this is not JSON: syntax error");
  EXPECT_CONTAINS(message_of(since_15(R"({"id": "a"})", R"({"id": "a", "runtimeInSeconds": 1e999})")),
                  "number overflow parsing '1e999'");
  EXPECT_CONTAINS(message_of("{\"name\": \"w\"} x"), "this is not JSON");
  EXPECT_CONTAINS(message_of("{\"name\": \"w"), "w.json:1:");
  EXPECT_CONTAINS(message_of(""), "this is not JSON");
  EXPECT_CONTAINS(message_of("[]"), "WfFormat: expected an object, found a list");
  EXPECT_CONTAINS(message_of("{\"work\": 1}"), "has no 'workflow'");
  EXPECT_CONTAINS(message_of(since_15("", "")), "has no tasks");
  EXPECT_CONTAINS(message_of(since_15("{}", "")), "w.json:1:80: a task without a name");
  EXPECT_CONTAINS(message_of(since_15(R"({"id": "a"})", "")), "says nowhere how long its tasks ran");
}

TEST(WfFormat, AMistakeInOneLongLineIsShownWithWhatIsAroundIt) {
  std::string tasks, times;
  for (int i = 0; i < 20000; ++i) {
    const std::string id = "\"ö" + std::to_string(i) + "\"";
    tasks += (i > 0 ? ", " : "") + std::string("{\"id\": ") + id + "}";
    times += (i > 0 ? ", " : "") + std::string("{\"id\": ") + id +
             ", \"runtimeInSeconds\": " + (i == 15000 ? "-3" : "3") + "}";
  }
  const std::string text = since_15(tasks, times);
  const std::string message = message_of(text);
  const std::size_t byte = text.find("-3");
  const auto column =
      static_cast<std::size_t>(std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte),
                                             [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
  EXPECT_CONTAINS(message, "w.json:1:" + std::to_string(column + 1) +
                               ": runtimeInSeconds: expected seconds, not negative, found -3");
  EXPECT_CONTAINS(message, "\"ö15000\", \"runtimeInSeconds\": -3}");
  EXPECT_LT(message.size(), 1000U);
}

TEST(WfFormat, DepthAndLengthAreBounded) {
  EXPECT_CONTAINS(message_of(std::string(100'000, '[')), "WfFormat: expected an object");
  EXPECT_CONTAINS(message_of("{\"a\": " + std::string(100'000, '[')), "more than 64 levels inside each other");
  EXPECT_CONTAINS(message_of("{\"a\": \"" + std::string(std::size_t{20} << 20, 'x')),
                  "a text or a number of more than 16 MiB");
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "{},";
  EXPECT_CONTAINS(message_of(since_15(many + "{}", "")), "and 2001 more errors");
}

TEST(WfFormat, CutAnywhereItIsRefusedAndNeverCrashes) {
  const std::string whole =
      since_15(R"({"name": "é", "id": "a\"\\", "children": ["b"]}, {"id": "b"})",
               R"({"id": "a\"\\", "runtimeInSeconds": 1.5e0}, {"id": "b", "runtimeInSeconds": 2})",
               R"(, "machines": [{"nodeName": "n", "cpu": {"coreCount": 4}}])");
  ASSERT_EQ(message_of(whole), "");
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_NE(message_of(whole.substr(0, n)), "") << n;
  // Every byte replaced by each of these: what comes out is a trace or an error, and the error has a text.
  for (std::size_t n = 0; n < whole.size(); ++n) {
    for (const char c : std::string("\"{],0\\\xff", 7)) {
      std::string changed = whole;
      changed[n] = c;
      EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size()), 0);
    }
  }
}

TEST(WfFormat, IsToldByItsContent) {
  EXPECT_TRUE(looks_like_wfformat(" \n{\"name\": \"w\", \"schemaVersion\" : \"1.5\""));
  EXPECT_TRUE(looks_like_wfformat("{\"workflow\": {"));
  EXPECT_FALSE(looks_like_wfformat("{\"work\": [{\"workflow\": \"a\"}]}"));
  EXPECT_FALSE(looks_like_wfformat("[\"workflow\"]"));
  EXPECT_FALSE(looks_like_wfformat("work: [{workflow: a}]"));
  EXPECT_FALSE(looks_like_wfformat(""));
}

TEST(WfFormat, ATaskLargerThanEveryNodeIsAnErrorAndMemoryCountsOnlyWhereNodesHaveSome) {
  const std::string path = ::testing::TempDir() + "/large.json";
  std::ofstream(path) << since_15(R"({"id": "a"}, {"id": "b"})",
                                  R"({"id": "a", "runtimeInSeconds": 1, "coreCount": 8},
                                     {"id": "b", "runtimeInSeconds": 1, "memoryInBytes": 2000})");
  const auto realised = [&](const std::string& cluster) {
    TraceCache traces;
    const std::string text = cluster + "\nwork: [{trace: {wfformat: " + path + "}}]\n";
    return realise(WorkloadDocument::parse(text, "w.yaml").read(), 1, 0, traces);
  };
  const auto wrong = [&](const std::string& cluster) {
    try {
      (void)realised(cluster);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_CONTAINS(wrong("cluster: {slots: 4}"), "the task 'a' needs 8 cores but no node of the cluster has that");
  EXPECT_CONTAINS(wrong("cluster: {nodes: [{name: n, cores: 8, memory: 1KB}]}"),
                  "the task 'b' needs 1 cores and 2000 bytes of memory");
  EXPECT_CONTAINS(wrong(""), "describes no machine with a number of cores; say how large the cluster is");
  const Work work = realised("cluster: {slots: 8}");
  EXPECT_EQ(work.demands[work.demand[1]].memory, 0);
  ASSERT_EQ(work.repairs.size(), 1U);
  EXPECT_EQ(work.repairs[0].what, "memory of a task ignored: no node of the cluster has any");
}

TEST(WfFormat, OptionsOfJobLogsAreRefused) {
  const std::string path = ::testing::TempDir() + "/options.json";
  std::ofstream(path) << since_15(R"({"id": "a"})", R"({"id": "a", "runtimeInSeconds": 1})");
  try {
    (void)WorkloadDocument::parse("work: [{trace: {wfformat: " + path + ", overrun: cap, jobs: 3}}]\n", "w.yaml")
        .read();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_CONTAINS(std::string(error.what()),
                    "'overrun' is for SWF; a WfFormat trace is one workflow, taken as it is");
    EXPECT_CONTAINS(std::string(error.what()), "'jobs' is for SWF");
  }
}

}  // namespace
}  // namespace headroom::testing
