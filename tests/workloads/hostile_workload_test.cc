// Input that wants to crash, hang or fill the memory: it gets an error in a moment, or is read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

std::string first_error_of(const std::string& text) {
  try {
    static_cast<void>(WorkloadDocument::parse(text, "w.yaml").read());
  } catch (const InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "";
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(HostileWorkload, NestedAHundredThousandLevelsIsRefused) {
  const std::string wanted = "nested more than 100 levels deep";
  EXPECT_EQ(first_error_of("work: " + repeated("[", 100'000)), wanted);
  EXPECT_EQ(first_error_of("work: " + repeated("{a: ", 100'000)), wanted);
  EXPECT_EQ(first_error_of(repeated("- ", 100'000)), wanted);
  EXPECT_NE(first_error_of(repeated("? ", 100'000)), "");
}

// Ten levels of ten aliases each stand for 10^10 values.
TEST(HostileWorkload, OfAliasesThatMultiplyIsRefused) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(below + ", ", 9) + below + "]\n";
  }
  EXPECT_EQ(first_error_of(text), "more than 4000000 values, each alias counted as what it stands for");
}

// Each level is one alias deeper, so that a depth counted without them would stay at 2.
TEST(HostileWorkload, DeepThroughAliasesIsRefused) {
  std::string text = "a0: &a0 [1]\n";
  for (int i = 1; i < 200; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_EQ(first_error_of(text), "nested more than 100 levels deep");
}

TEST(HostileWorkload, OfCountsBeyondMeasureIsRefused) {
  for (const std::string key : {"count", "cores", "nodes", "retry"}) {
    EXPECT_NE(
        first_error_of("work: [{workflow: w, stages: [{name: a, runtime: 1s, " + key + ": 1000000000000000000}]}]"), "")
        << key;
  }
  EXPECT_NE(
      first_error_of("work: [{generate: {count: 1000000000000000000, arrivals: {burst: {at: 0s}}, runtime: 1s}}]"), "");
  // All elements of one array need all of another: 10^12 needs.
  EXPECT_NE(first_error_of("work: [{workflow: w, stages: [{name: a, runtime: 1s, count: 1000000}, {name: b, runtime: "
                           "1s, count: 1000000, needs: [a]}]}]"),
            "");
}

TEST(HostileWorkload, OfManyErrorsIsReportedWithinBounds) {
  std::string text = "work:\n";
  for (int i = 0; i < 5000; ++i) text += "  - {workflow: w" + std::to_string(i) + ", stage: []}\n";
  try {
    static_cast<void>(WorkloadDocument::parse(text, "w.yaml").read());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1001U);
    EXPECT_EQ(error.diagnostics().back().message, "and 9000 more errors");
  }
}

// A file that uses most of the format, small enough to be damaged at every byte.
const std::string kSeed = R"(name: all
params: {n: 3, t: &t 2s}
cluster: {nodes: [{name: c, count: 2, cores: 8, memory: 4GiB}], pools: {l: 2}}
scheduler: {like: fuzzball, overheads: {hold: 1ms}}
tenants:
  users: {ada: {priority: 2}, ben: }
  organizations: [{organization: o, accounts: [{account: r, users: [ada, ben]}]}]
work:
  - workflow: w
    at: 1s
    user: ada
    plan:
      steps:
        - hold: [{name: a, runtime: 2s, estimate: 1.5, outputs: ["{i}.o"], count: $n}]
        - pause: *t
        - plan: {name: s, steps: [{name: b, runtime: {lognormal: {median: 1s, sigma: .5}}, inputs: [1.o], needs: ["a[2]"]}]}
  - {workflow: v, user: ben, stages: [{name: x, runtime: 1s, fails: 2}, {name: 'é', runtime: 1e1, needs: [x]}]}
  - generate: {name: g, count: 3, arrivals: {poisson: {rate: 4/h}}, tenant: {choose: {r/ada: 1}}, runtime: 1s, cores: {choose: {1: 2, 4: .5}}}
policies: [default, {policy: p, ties: [shortest]}]
measure: {from: 0s, classes: {k: {priority: -1}}}
sweep: {seed: 7, vary: {params.n: [2, 3], work.g.count: [1]}}
record: {stages: auto, priorities: [w]}
)";

void read_whatever(const std::string& text, std::size_t& read, std::size_t& refused) {
  try {
    static_cast<void>(WorkloadDocument::parse(text, "w.yaml").read());
    ++read;
  } catch (const InputError& error) {
    ASSERT_FALSE(error.diagnostics().empty());
    ++refused;
  }
}

TEST(HostileWorkload, DamagedAtAnyByteIsReadOrRefused) {
  const std::string replacements = std::string("\0\t\n\r :-{}[],#&*!|>'\"%@`?~$.0e\x80\xEF\xFF", 32);
  std::size_t read = 0, refused = 0;
  for (std::size_t at = 0; at < kSeed.size(); ++at) {
    std::string deleted = kSeed, doubled = kSeed, replaced = kSeed;
    deleted.erase(at, 1);
    doubled.insert(at, 1, kSeed[at]);
    // A different byte at each place, so that all of them meet all parts of the file over the runs.
    replaced[at] = replacements[(at * 7) % replacements.size()];
    for (const std::string& text : {deleted, doubled, replaced, kSeed.substr(0, at)})
      read_whatever(text, read, refused);
  }
  EXPECT_GT(read, kSeed.size() / 4);
  EXPECT_GT(refused, kSeed.size());
}

}  // namespace
}  // namespace headroom
