// Malformed workloads and what is said about them, whole: place, message, line, caret. The form is that of the command
// line's documentation ("An error names file, line and column …"); each line and column is counted by hand.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "workloads/yaml_reader.h"

namespace headroom {
namespace {

struct Case {
  const char* name;
  std::string text;
  std::string expected;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string errors_of(const std::string& text) {
  try {
    static_cast<void>(WorkloadDocument::parse(text, "w.yaml").read());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

class MalformedWorkload : public testing::TestWithParam<Case> {};

TEST_P(MalformedWorkload, IsReportedInFull) { EXPECT_EQ(errors_of(GetParam().text), GetParam().expected); }

// A workflow of one stage, to be completed.
const std::string kWork = "work: [{workflow: w, stages: [{name: a, runtime: 1s}]}]\n";

const Case kYaml[] = {
    {"Empty", "", "w.yaml: the file is empty; a workload has at least 'work:'\n"},
    {"OnlyComments", "# nothing\n", "w.yaml: the file is empty; a workload has at least 'work:'\n"},
    {"AList", "- 1\n", R"(w.yaml:1:1: the workload: expected a map of keys and values, found a list
    1 | - 1
      | ^
)"},
    {"TabAsIndentation", "cluster:\n\tslots: 3\n" + kWork,
     "w.yaml:2:1: a tab is used as indentation; use spaces\n"
     "    2 | \tslots: 3\n"
     "      | ^\n"},
    {"TabAfterSpaces", "cluster:\n  slots: 3\n  \tpools: {}\n" + kWork,
     "w.yaml:3:3: a tab is used as indentation; use spaces\n"
     "    3 |   \tpools: {}\n"
     "      |   ^\n"},
    {"DuplicateKey", "cluster: {slots: 3}\n" + kWork + "cluster: {slots: 4}\n",
     R"(w.yaml:3:1: 'cluster' is there twice; the first is on line 1
    3 | cluster: {slots: 4}
      | ^^^^^^^
)"},
    {"MergeKey", "a: &a {slots: 3}\ncluster: {<<: *a}\n" + kWork,
     R"(w.yaml:2:11: merge keys ('<<') are not used in workloads; write the keys out
    2 | cluster: {<<: *a}
      |           ^^
)"},
    {"SecondDocument", kWork + "---\n" + kWork, R"(w.yaml:3:1: a second document begins here; a workload is one document
    3 | work: [{workflow: w, stages: [{name: a, runtime: 1s}]}]
      | ^^^^
)"},
    {"ByteOrderMarkInTheMiddle",
     "name: a\xEF\xBB\xBF"
     "b\n" +
         kWork,
     "w.yaml:1:8: a byte order mark stands in the middle of the text; remove it\n"
     "    1 | name: a\xEF\xBB\xBF"
     "b\n"
     "      |        ^^\n"},
    {"InvalidUtf8", "name: \xC3\xA9\xFF\n" + kWork,
     "w.yaml:1:8: this is not valid UTF-8\n"
     "    1 | name: \xC3\xA9?\n"
     "      |        ^\n"},
    {"ControlCharacter", "name: a\x01\n" + kWork,
     "w.yaml:1:8: the character U+0001 is not allowed in YAML\n"
     "    1 | name: a?\n"
     "      |        ^\n"},
    {"UnclosedBracket", "cluster: {slots: 3\n" + kWork, R"(w.yaml:2:5: a '{' is not closed by a '}', or a ',' is missing
    2 | work: [{workflow: w, stages: [{name: a, runtime: 1s}]}]
      |     ^
)"},
    {"Tag", "cluster: {slots: !!int 3}\n" + kWork, R"(w.yaml:1:18: tags ('!…') are not used in workloads; leave it out
    1 | cluster: {slots: !!int 3}
      |                  ^^^^^
)"},
    {"UnknownAnchor", "cluster: *c\n" + kWork, R"(w.yaml:1:10: an alias to an unknown anchor
    1 | cluster: *c
      |          ^^
)"},
    {"AliasInsideItself", "cluster: &c {pools: *c}\n" + kWork,
     R"(w.yaml:1:21: an alias inside what it stands for has no end
    1 | cluster: &c {pools: *c}
      |                     ^^
)"},
    {"AListAsKey", "cluster: {[1]: 2}\n" + kWork, R"(w.yaml:1:11: a key must be a plain name
    1 | cluster: {[1]: 2}
      |           ^
)"},
};

const Case kTopLevel[] = {
    {"NoWork", "name: x\n", R"(w.yaml:1:1: the workload: 'work' is missing: a list of what is to be done
    1 | name: x
      | ^^^^
)"},
    {"MisspeltSection", "clustr: {slots: 3}\n" + kWork,
     R"(w.yaml:1:1: unknown key 'clustr' in the workload; did you mean 'cluster'?
    1 | clustr: {slots: 3}
      | ^^^^^^
)"},
    {"LaterSetting", kWork + "scheduler: {defer_cap: 3}\n",
     R"(w.yaml:2:13: 'defer_cap' comes with StepUp builds and is not supported yet
    2 | scheduler: {defer_cap: 3}
      |             ^^^^^^^^^
)"},
    {"NameWithASlash", "name: a/b\n" + kWork,
     R"(w.yaml:1:7: name: expected a name without '/' (results are called so), found 'a/b'
    1 | name: a/b
      |       ^^^
)"},
    {"StartWithoutOffset", "start: 1996-09-23T14:00:00\n" + kWork,
     R"(w.yaml:1:8: start: expected a date like 1996-09-23T14:00:00Z or with an offset like +02:00, found '1996-09-23T14:00:00'
    1 | start: 1996-09-23T14:00:00
      |        ^^^^^^^^^^^^^^^^^^^
)"},
    {"StartOnNoDay", "start: 1996-02-30T14:00:00Z\n" + kWork,
     R"(w.yaml:1:8: start: expected a date that exists, found '1996-02-30T14:00:00Z'
    1 | start: 1996-02-30T14:00:00Z
      |        ^^^^^^^^^^^^^^^^^^^^
)"},
    {"UnknownParameter", "params: {slots: 3}\ncluster: {slots: $slotz}\n" + kWork,
     R"(w.yaml:2:18: unknown parameter '$slotz'; did you mean '$slots'?
    2 | cluster: {slots: $slotz}
      |                  ^^^^^^
)"},
    {"ParameterOfAWrongType", "params: {slots: many}\ncluster: {slots: $slots}\n" + kWork,
     R"(w.yaml:2:18: slots: expected a whole number from 1 to 1000000000, found 'many' (from $slots, line 1)
    2 | cluster: {slots: $slots}
      |                  ^^^^^^
)"},
    {"ParameterOfAParameter", "params: {a: 1, b: $a}\n" + kWork,
     R"(w.yaml:1:19: params.b: expected a plain value, not another parameter, found '$a'
    1 | params: {a: 1, b: $a}
      |                   ^^
)"},
};

const Case kCluster[] = {
    {"QuotedNumber", "cluster: {slots: \"3\"}\n" + kWork,
     R"(w.yaml:1:18: slots: expected a whole number from 1 to 1000000000, found the text '3'
    1 | cluster: {slots: "3"}
      |                  ^^^
)"},
    {"NoSlots", "cluster: {slots: 0}\n" + kWork,
     R"(w.yaml:1:18: slots: expected a whole number from 1 to 1000000000, found '0'
    1 | cluster: {slots: 0}
      |                  ^
)"},
    {"SlotsAndNodes", "cluster: {slots: 3, nodes: [{name: n, cores: 2}]}\n" + kWork,
     R"(w.yaml:1:28: cluster: either 'slots' or 'nodes', not both
    1 | cluster: {slots: 3, nodes: [{name: n, cores: 2}]}
      |                            ^
)"},
    {"MemoryWithoutAUnitWeKnow", "cluster: {nodes: [{name: n, memory: 256Gb}]}\n" + kWork,
     R"(w.yaml:1:37: memory: expected an amount of memory like 256GiB or 512MB, found '256Gb'
    1 | cluster: {nodes: [{name: n, memory: 256Gb}]}
      |                                     ^^^^^
)"},
    {"TooManyNodes", "cluster: {nodes: [{name: a, count: 1000000}, {name: b, count: 1}]}\n" + kWork,
     R"(w.yaml:1:63: count: more than 1000000 nodes in all
    1 | cluster: {nodes: [{name: a, count: 1000000}, {name: b, count: 1}]}
      |                                                               ^
)"},
    {"StepupBuildsAreLater", "scheduler: {like: stepup-rc13, durations: {record: false}, defer_cap: 3}\n" + kWork,
     R"(w.yaml:1:32: 'durations' comes with StepUp builds and is not supported yet
    1 | scheduler: {like: stepup-rc13, durations: {record: false}, defer_cap: 3}
      |                                ^^^^^^^^^
w.yaml:1:60: 'defer_cap' comes with StepUp builds and is not supported yet
    1 | scheduler: {like: stepup-rc13, durations: {record: false}, defer_cap: 3}
      |                                                            ^^^^^^^^^
)"},
    {"ReleaseOfRc13WithBlocks", "scheduler: {hold_release: stepup-rc13}\n" + kWork,
     R"(w.yaml:1:27: hold_release: stepup-rc13 is about holds that reach the steps of sub-plans, so it goes with 'hold_scope: declarer'; holds of blocks have 'hold_release: ideal'
    1 | scheduler: {hold_release: stepup-rc13}
      |                           ^^^^^^^^^^^
)"},
    {"BlocksInRc13", "scheduler: {like: stepup-rc13, hold_scope: block}\n" + kWork,
     R"(w.yaml:1:44: hold_release: stepup-rc13 is about holds that reach the steps of sub-plans, so it goes with 'hold_scope: declarer'; holds of blocks have 'hold_release: ideal'
    1 | scheduler: {like: stepup-rc13, hold_scope: block}
      |                                            ^^^^^
)"},
    {"SubPlanWithNeedsInRc13", R"(scheduler: {like: stepup-rc13}
work:
  - workflow: w
    plan:
      steps:
        - {name: a, runtime: 1}
        - plan: {name: p, needs: [a], steps: []}
)",
     R"(w.yaml:7:34: sub-plan 'p' needs other steps: under 'like: stepup-rc13' these would be preferred as plans are, which comes with StepUp builds and is not supported yet
    7 |         - plan: {name: p, needs: [a], steps: []}
      |                                  ^
)"},
    {"StaticTwiceAndMade", R"(work:
  - workflow: w
    plan:
      steps:
        - static: [a, a]
        - {name: s, runtime: 1, outputs: [a]}
)",
     R"(w.yaml:5:23: static: 'a' is declared already
    5 |         - static: [a, a]
      |                       ^
w.yaml:6:43: 'a' is made by 's' and declared static on line 5
    6 |         - {name: s, runtime: 1, outputs: [a]}
      |                                           ^
)"},
    {"StaticIsAList", "work: [{workflow: w, plan: {steps: [{static: a}]}}]\n",
     R"(w.yaml:1:46: static: expected a list, found 'a'
    1 | work: [{workflow: w, plan: {steps: [{static: a}]}}]
      |                                              ^
)"},
    {"UnknownWord", "scheduler: {simultaneous: bach}\n" + kWork,
     R"(w.yaml:1:27: simultaneous: expected batch or pyss, found 'bach'; did you mean 'batch'?
    1 | scheduler: {simultaneous: bach}
      |                           ^^^^
)"},
    {"NegativeTick", "scheduler: {tick: -1s}\n" + kWork,
     R"(w.yaml:1:19: tick: expected a duration that is not negative, found '-1s'
    1 | scheduler: {tick: -1s}
      |                   ^^^
)"},
    {"InfiniteTick", "scheduler: {tick: .inf}\n" + kWork, R"(w.yaml:1:19: tick: expected a finite duration, found '.inf'
    1 | scheduler: {tick: .inf}
      |                   ^^^^
)"},
    {"SexagesimalIsText", "scheduler: {tick: 1:30}\n" + kWork,
     R"(w.yaml:1:19: tick: expected a duration like 250ms, 4.1s, 10min, 2h or 7d (a bare number is seconds), found '1:30'
    1 | scheduler: {tick: 1:30}
      |                   ^^^^
)"},
    {"FinerThanNanoseconds", "scheduler: {tick: 0.1ns}\n" + kWork,
     R"(w.yaml:1:19: tick: expected a duration of whole nanoseconds, found '0.1ns'
    1 | scheduler: {tick: 0.1ns}
      |                   ^^^^^
)"},
    {"LongerThanACentury", "scheduler: {tick: 40000d}\n" + kWork,
     R"(w.yaml:1:19: tick: expected a duration of at most 100 years, found '40000d'
    1 | scheduler: {tick: 40000d}
      |                   ^^^^^^
)"},
};

const Case kTenants[] = {
    {"UserWithoutTenants", "work: [{workflow: w, user: ada, stages: [{name: a, runtime: 1s}]}]\n",
     R"(w.yaml:1:28: unknown user 'ada': users are listed in 'tenants:', which this file does not have
    1 | work: [{workflow: w, user: ada, stages: [{name: a, runtime: 1s}]}]
      |                            ^^^
)"},
    {"MisspeltUser",
     "tenants: {users: {ada: {}}, organizations: [{organization: o, accounts: [{account: r, users: [ade]}]}]}\n" +
         kWork,
     R"(w.yaml:1:95: unknown user 'ade'; did you mean 'ada'?
    1 | …}}, organizations: [{organization: o, accounts: [{account: r, users: [ade]}]}]}
      |                                                                        ^^^
)"},
    {"TwoAccounts",
     "tenants:\n  users: {ada: {}}\n  organizations:\n    - {organization: o, accounts: [{account: r, users: [ada]}, "
     "{account: s, users: [ada]}]}\n" +
         kWork,
     R"(w.yaml:5:8: workflow 'w': 'account' is missing: user 'ada' is in r, s
    5 | work: [{workflow: w, stages: [{name: a, runtime: 1s}]}]
      |        ^
)"},
    {"PriorityBeyond32Bits", "work: [{workflow: w, priority: 2147483648, stages: [{name: a, runtime: 1s}]}]\n",
     R"(w.yaml:1:32: priority: expected a whole number from -2147483648 to 2147483647, found '2147483648'
    1 | work: [{workflow: w, priority: 2147483648, stages: [{name: a, runtime: 1s}]}]
      |                                ^^^^^^^^^^
)"},
};

const Case kWorkflows[] = {
    {"TooLargeForEveryNode", R"(cluster: {nodes: [{name: n, count: 2, cores: 32}]}
work:
  - workflow: genome
    stages:
      - name: align
        runtime: 1h
        cores: 64
)",
     R"(w.yaml:7:16: stage 'align' needs 64 cores but no node has more than 32
    7 |         cores: 64
      |                ^^
)"},
    {"UnknownNeed", R"(work:
  - workflow: w
    stages:
      - {name: fetch, runtime: 1s}
      - {name: solve, runtime: 1s, needs: [fetsch]}
)",
     R"(w.yaml:5:44: 'solve' needs 'fetsch', which is no stage of this workflow; did you mean 'fetch'?
    5 |       - {name: solve, runtime: 1s, needs: [fetsch]}
      |                                            ^^^^^^
)"},
    {"Circle", R"(work:
  - workflow: w
    stages:
      - {name: a, runtime: 1s, needs: [c]}
      - {name: b, runtime: 1s, needs: [a]}
      - {name: c, runtime: 1s, needs: [b]}
      - {name: d, runtime: 1s, needs: [d]}
)",
     R"(w.yaml:4:39: stages need each other in a circle: 'a' -> 'c' -> 'b' -> 'a'
    4 |       - {name: a, runtime: 1s, needs: [c]}
      |                                       ^
w.yaml:7:39: 'd' needs itself
    7 |       - {name: d, runtime: 1s, needs: [d]}
      |                                       ^
)"},
    {"HoldOfNone", "work: [{workflow: w, plan: {hold: 0, steps: [{name: a, runtime: 1s}]}}]\n",
     R"(w.yaml:1:35: hold: expected a whole number from 1 to 50000000, found '0'
    1 | work: [{workflow: w, plan: {hold: 0, steps: [{name: a, runtime: 1s}]}}]
      |                                   ^
)"},
    {"HoldOfAnotherWord", "work: [{workflow: w, plan: {hold: some, order: random, steps: [{name: a, runtime: 1s}]}}]\n",
     R"(w.yaml:1:35: hold: expected as_written, none or all, found 'some'
    1 | work: [{workflow: w, plan: {hold: some, order: random, steps: [{name: a, runtime: 1s}]}}]
      |                                   ^^^^
w.yaml:1:48: order: expected written, reversed or shuffled, found 'random'
    1 | work: [{workflow: w, plan: {hold: some, order: random, steps: [{name: a, runtime: 1s}]}}]
      |                                                ^^^^^^
)"},
    {"NameTaken", R"(work:
  - workflow: w
    stages:
      - {name: a, runtime: 1s}
      - {name: a, runtime: 2s}
)",
     R"(w.yaml:5:16: the name 'a' is taken: a stage on line 4 is called so
    5 |       - {name: a, runtime: 2s}
      |                ^
)"},
    {"ArraysOfDifferentLength", R"(work:
  - workflow: w
    stages:
      - {name: cc, runtime: 1s, count: 4}
      - {name: test, runtime: 1s, count: 3, needs: ["cc[i]"]}
      - {name: one, runtime: 1s, needs: ["cc[4]"]}
      - {name: two, runtime: 1s, needs: ["one[0]"]}
)",
     R"(w.yaml:5:53: 'test' has 3 elements but 'cc' has 4; element to element needs the same count
    5 |       - {name: test, runtime: 1s, count: 3, needs: ["cc[i]"]}
      |                                                     ^^^^^^^
w.yaml:6:42: 'cc' has the elements 0 to 3, and [i]; found '[4]'
    6 |       - {name: one, runtime: 1s, needs: ["cc[4]"]}
      |                                          ^^^^^^^
w.yaml:7:42: 'one' is no array: it has no 'count'
    7 |       - {name: two, runtime: 1s, needs: ["one[0]"]}
      |                                          ^^^^^^^^
)"},
    {"CountBeyondMeasure", "work: [{workflow: w, stages: [{name: a, runtime: 1s, count: 1000000000000000000}]}]\n",
     R"(w.yaml:1:61: count: expected a whole number from 1 to 50000000, found '1000000000000000000'
    1 | work: [{workflow: w, stages: [{name: a, runtime: 1s, count: 1000000000000000000}]}]
      |                                                             ^^^^^^^^^^^^^^^^^^^
)"},
    {"SlotsAndCores", "work: [{workflow: w, stages: [{name: a, runtime: 1s, slots: 1, cores: 1}]}]\n",
     R"(w.yaml:1:61: stage 'a': 'slots' and 'cores' are two spellings of one thing; give one of them
    1 | work: [{workflow: w, stages: [{name: a, runtime: 1s, slots: 1, cores: 1}]}]
      |                                                             ^
)"},
    {"UnknownPool",
     "cluster: {pools: {license: 2}}\nwork: [{workflow: w, stages: [{name: a, runtime: 1s, resources: {licence: "
     "1}}]}]\n",
     R"(w.yaml:2:66: stage 'a': the cluster has no pool 'licence'; did you mean 'license'?
    2 | work: [{workflow: w, stages: [{name: a, runtime: 1s, resources: {licence: 1}}]}]
      |                                                                  ^^^^^^^
)"},
    {"NobodyMakesTheInput", R"(work:
  - workflow: w
    stages:
      - {name: a, runtime: 1s, outputs: [a.json]}
      - {name: b, runtime: 1s, inputs: [b.json]}
)",
     R"(w.yaml:5:41: 'b' reads 'b.json', which no stage makes; did you mean 'a.json'?
    5 |       - {name: b, runtime: 1s, inputs: [b.json]}
      |                                         ^^^^^^
)"},
    {"TwoMakeOneFile", R"(work:
  - workflow: w
    stages:
      - {name: a, runtime: 1s, count: 3, outputs: ["{i}.o"]}
      - {name: b, runtime: 1s, outputs: [2.o]}
)",
     R"(w.yaml:5:42: '2.o' is made by 'a' already
    5 |       - {name: b, runtime: 1s, outputs: [2.o]}
      |                                          ^^^
)"},
    {"NoRuntime", "work: [{workflow: w, stages: [{name: a}]}]\n",
     R"(w.yaml:1:31: a stage: 'runtime' is missing: how long it really takes
    1 | work: [{workflow: w, stages: [{name: a}]}]
      |                               ^
)"},
    {"StepsOfAnotherDay", R"(work:
  - workflow: w
    plan:
      steps:
        - amend: {inputs: [data.csv]}
        - {name: a, runtime: 1s, optional: true}
        - raise: true
    builds: [{}]
)",
     R"(w.yaml:5:11: 'amend' comes with StepUp builds and is not supported yet
    5 |         - amend: {inputs: [data.csv]}
      |           ^^^^^
w.yaml:6:34: 'optional' comes with StepUp builds and is not supported yet
    6 |         - {name: a, runtime: 1s, optional: true}
      |                                  ^^^^^^^^
w.yaml:7:11: 'raise' comes with StepUp builds and is not supported yet
    7 |         - raise: true
      |           ^^^^^
w.yaml:8:5: 'builds' comes with StepUp builds and is not supported yet
    8 |     builds: [{}]
      |     ^^^^^^
)"},
    {"PlanNeedsItsOwnStep", R"(work:
  - workflow: w
    plan:
      steps:
        - plan: {name: sub, needs: [a], steps: [{name: a, runtime: 1s}]}
)",
     R"(w.yaml:5:36: stages need each other in a circle: 'sub' -> 'a' -> 'sub'
    5 |         - plan: {name: sub, needs: [a], steps: [{name: a, runtime: 1s}]}
      |                                    ^
)"},
    {"NoKindOfWork", "work: [{workflo: w, stages: []}]\n",
     R"(w.yaml:1:9: an item of 'work' begins with 'workflow', 'trace' or 'generate'; did you mean 'workflow'?
    1 | work: [{workflo: w, stages: []}]
      |         ^^^^^^^
)"},
    {"NameOfAnotherItem",
     "work:\n  - {workflow: a, stages: [{name: x, runtime: 1}]}\n  - generate: {name: a, count: 1, arrivals: {burst: "
     "{at: 0}}, runtime: 1}\n",
     R"(w.yaml:3:22: the name 'a' is taken by the work on line 2
    3 |   - generate: {name: a, count: 1, arrivals: {burst: {at: 0}}, runtime: 1}
      |                      ^
)"},
};

const Case kGenerated[] = {
    {"RateWithoutAUnit", "work: [{generate: {count: 1, runtime: 1s, arrivals: {poisson: {rate: 40}}}}]\n",
     R"(w.yaml:1:70: rate: expected a rate above 0 like 40/h, 2/s, 1/min or 3/d, found '40'
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {poisson: {rate: 40}}}}]
      |                                                                      ^^
)"},
    {"NoEnd", "work: [{generate: {runtime: 1s, arrivals: {periodic: {every: 1s}}}}]\n",
     R"(w.yaml:1:19: generate 'generate0': 'count' is missing: how many there are, or 'until'
    1 | work: [{generate: {runtime: 1s, arrivals: {periodic: {every: 1s}}}}]
      |                   ^
)"},
    {"TooManyUntilThen", "work: [{generate: {until: 7d, runtime: 1s, arrivals: {periodic: {every: 1us}}}}]\n",
     R"(w.yaml:1:54: generate 'generate0': more than 100000000 workflows until '7d'
    1 | work: [{generate: {until: 7d, runtime: 1s, arrivals: {periodic: {every: 1us}}}}]
      |                                                      ^
)"},
    {"UniformBackwards", "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {uniform: [2s, 1s]}}}]\n",
     R"(w.yaml:1:83: runtime.uniform: expected a highest value that is not below the lowest, found '1s'
    1 | …rate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {uniform: [2s, 1s]}}}]
      |                                                                        ^^
)"},
    {"NegativeWeight",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, priority: {choose: {0: -1}}}}]\n",
     R"(w.yaml:1:95: weight: expected a weight that is not negative, found '-1'
    1 | …: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, priority: {choose: {0: -1}}}}]
      |                                                                        ^^
)"},
    {"MmppWithoutItsLists", "work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {}}}}]\n",
     R"(w.yaml:1:60: mmpp: 'rates' is missing: a list like [10/h, 90/h], the rate of each state
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {}}}}]
      |                                                            ^
w.yaml:1:60: mmpp: 'stay' is missing: a list like [2h, 30min], how long each state lasts on average
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {}}}}]
      |                                                            ^
)"},
    {"MmppOfUnequalLists",
     "work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/h, 0/h], stay: [1h]}}}}]\n",
     R"(w.yaml:1:86: stay: expected as many as there are rates, 2, found 1
    1 | …e: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/h, 0/h], stay: [1h]}}}}]
      |                                                                        ^
)"},
    {"MmppOfOneState", "work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/h], stay: [1h]}}}}]\n",
     R"(w.yaml:1:68: rates: from 2 to 1000 states are expected, found 1
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/h], stay: [1h]}}}}]
      |                                                                    ^
)"},
    {"MmppWhereNobodyComes",
     "work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [0/h, 0/h], stay: [1h, 1h]}}}}]\n",
     R"(w.yaml:1:68: rates: all are 0
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [0/h, 0/h], stay: [1h, 1h]}}}}]
      |                                                                    ^
)"},
    {"MmppWithoutUnits",
     "work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/h, 2], stay: [1h, 0s]}}}}]\n",
     R"(w.yaml:1:74: rates: expected a rate like 40/h, 2/s or 0/h, found '2'
    1 | …k: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/h, 2], stay: [1h, 0s]}}}}]
      |                                                                        ^
w.yaml:1:89: stay: expected a duration above 0, found '0s'
    1 | …{count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/h, 2], stay: [1h, 0s]}}}}]
      |                                                                        ^^
)"},
    {"MmppOfTooManyStates",
     "work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/d, 2/d], stay: [1ns, 1ns]}}}}]\n",
     R"(w.yaml:1:53: generate 'generate0': the mmpp changes its state more than 100000000 times; let them last longer
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {mmpp: {rates: [1/d, 2/d], stay: [1ns, 1ns]}}}}]
      |                                                     ^
)"},
    {"DiurnalWithoutItsForm", "work: [{generate: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h}}}}]\n",
     R"(w.yaml:1:63: diurnal: 'amplitude' is missing: from 0 (none) to 1 (nobody comes at the lowest point), or 'weights'
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h}}}}]
      |                                                               ^
)"},
    {"DiurnalBeyondItsRate",
     "work: [{generate: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h, amplitude: 1.5, period: 0s}}}}]\n",
     R"(w.yaml:1:86: amplitude: expected a number from 0 to 1, found '1.5'
    1 | …e: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h, amplitude: 1.5, period: 0s}}}}]
      |                                                                        ^^^
w.yaml:1:99: period: expected a duration above 0, found '0s'
    1 | … runtime: 1s, arrivals: {diurnal: {rate: 1/h, amplitude: 1.5, period: 0s}}}}]
      |                                                                        ^^
)"},
    {"DiurnalOfBothForms",
     "work: [{generate: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h, peak: 3h, weights: [2, -1]}}}}]\n",
     R"(w.yaml:1:81: diurnal: either 'weights' or 'amplitude' and 'peak', not both
    1 | …nerate: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h, peak: 3h, weights: [2, -1]}}}}]
      |                                                                        ^^
w.yaml:1:98: weights: expected a weight that is not negative, found '-1'
    1 | …, runtime: 1s, arrivals: {diurnal: {rate: 1/h, peak: 3h, weights: [2, -1]}}}}]
      |                                                                        ^^
)"},
    {"DiurnalOfNoWeight",
     "work: [{generate: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h, weights: [0, 0]}}}}]\n",
     R"(w.yaml:1:84: weights: all are 0
    1 | …ate: {count: 1, runtime: 1s, arrivals: {diurnal: {rate: 1/h, weights: [0, 0]}}}}]
      |                                                                        ^
)"},
    {"LaterArrivals", "work: [{generate: {count: 1, runtime: 1s, arrivals: {lublin: {}}}}]\n",
     R"(w.yaml:1:54: arrivals: 'lublin' comes with further models of generated work and is not supported yet
    1 | work: [{generate: {count: 1, runtime: 1s, arrivals: {lublin: {}}}}]
      |                                                      ^^^^^^
)"},
    {"LoadAndRate", "work: [{generate: {count: 1, runtime: 1s, load: 0.9, arrivals: {poisson: {rate: 40/h}}}}]\n",
     R"(w.yaml:1:81: either 'load' or 'rate': one follows from the other
    1 | …nerate: {count: 1, runtime: 1s, load: 0.9, arrivals: {poisson: {rate: 40/h}}}}]
      |                                                                        ^^^^
)"},
    {"LoadOfNothing", "work: [{generate: {count: 1, runtime: 0s, load: 0.9}}]\n",
     R"(w.yaml:1:49: generate 'generate0': no rate follows from a load, because the work is nothing
    1 | work: [{generate: {count: 1, runtime: 0s, load: 0.9}}]
      |                                                 ^^^
)"},
    {"LoadThatIsNegative", "work: [{generate: {count: 1, runtime: 1s, load: -0.9}}]\n",
     R"(w.yaml:1:49: load: expected a number above 0 like 0.9, the share of the cluster's cores that the work asks for, found '-0.9'
    1 | work: [{generate: {count: 1, runtime: 1s, load: -0.9}}]
      |                                                 ^^^^
)"},
    {"LoadWithoutAMean", "work: [{generate: {count: 1, load: 0.9, runtime: {pareto: {shape: 1, min: 1s}}}}]\n",
     R"(w.yaml:1:36: generate 'generate0': no rate follows from a load, because a run time has no finite mean (a pareto of shape 1 or less needs a 'max')
    1 | work: [{generate: {count: 1, load: 0.9, runtime: {pareto: {shape: 1, min: 1s}}}}]
      |                                    ^^^
)"},
    {"LoadWithoutAnEnd", "work: [{generate: {load: 0.9, runtime: 1s}}]\n",
     R"(w.yaml:1:19: generate 'generate0': 'count' is missing: how many there are, or 'until'
    1 | work: [{generate: {load: 0.9, runtime: 1s}}]
      |                   ^
)"},
    {"NormalWithoutSpread",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {normal: {mean: 1s, sd: 0s}}}}]\n",
     R"(w.yaml:1:92: sd: expected a sd above 0, found '0s'
    1 | …unt: 1, arrivals: {burst: {at: 0s}}, runtime: {normal: {mean: 1s, sd: 0s}}}}]
      |                                                                        ^^
)"},
    {"NormalOfNegativeMean",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {normal: {mean: -1s, sd: 1s}}}}]\n",
     R"(w.yaml:1:84: mean: expected a duration that is not negative, found '-1s'
    1 | …ate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {normal: {mean: -1s, sd: 1s}}}}]
      |                                                                        ^^^
)"},
    {"GammaOfNoShape",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {gamma: {shape: 0, scale: 1s}}}}]\n",
     R"(w.yaml:1:84: shape: expected a number from 0.05 to 1000, found '0'
    1 | …ate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {gamma: {shape: 0, scale: 1s}}}}]
      |                                                                        ^
)"},
    {"WeibullHalf", "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {weibull: {shape: 1}}}}]\n",
     R"(w.yaml:1:78: runtime.weibull: 'scale' is missing: {shape: 0.7, scale: 10min}
    1 | …{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {weibull: {shape: 1}}}}]
      |                                                                        ^
)"},
    {"ParetoBackwards",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {pareto: {shape: 2, min: 2s, max: 1s}}}}]\n",
     R"(w.yaml:1:102: max: expected a value above 'min', found '1s'
    1 | …rivals: {burst: {at: 0s}}, runtime: {pareto: {shape: 2, min: 2s, max: 1s}}}}]
      |                                                                        ^^
)"},
    {"HyperexponentialTooEven",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {hyperexponential: {mean: 1s, scv: 0.5}}}}]\n",
     R"(w.yaml:1:103: scv: expected a number from 1 (exponential) to 1000000; a smaller one is a gamma's, of shape 1 / scv, found '0.5'
    1 | …ivals: {burst: {at: 0s}}, runtime: {hyperexponential: {mean: 1s, scv: 0.5}}}}]
      |                                                                        ^^^
)"},
    {"EmpiricalOfNoFile",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {empirical: none.txt}}}]\n",
     R"(w.yaml:1:80: 'none.txt' cannot be opened: No such file or directory; a name is relative to the workload's own folder
    1 | …enerate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {empirical: none.txt}}}]
      |                                                                        ^^^^^^^^
)"},
    {"MisspeltDistribution",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {gama: {shape: 1, scale: 1s}}}}]\n",
     R"(w.yaml:1:69: runtime: expected uniform, exponential, normal, lognormal, weibull, gamma, pareto, hyperexponential, choose or empirical, found 'gama'; did you mean 'gamma'?
    1 | work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {gama: {shape: 1, scale: 1s}}}}]
      |                                                                     ^^^^
)"},
    {"InfiniteScale",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: {gamma: {shape: 1, scale: .inf}}}}]\n",
     R"(w.yaml:1:94: scale: expected a finite duration, found '.inf'
    1 | …t: 1, arrivals: {burst: {at: 0s}}, runtime: {gamma: {shape: 1, scale: .inf}}}}]
      |                                                                        ^^^^
)"},
    {"ShapeWithoutItsNumbers",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: chain}}]\n",
     R"(w.yaml:1:79: shape: 'chain' needs its numbers, as in {chain: {length: 5}}
    1 | …generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: chain}}]
      |                                                                        ^^^^^
)"},
    {"MisspeltShape",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {fork_jion: {width: 3}}}}]\n",
     R"(w.yaml:1:80: shape: expected single, chain, fork_join, layered, random, tree or diamond, found 'fork_jion'; did you mean 'fork_join'?
    1 | …enerate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {fork_jion: {width: 3}}}}]
      |                                                                        ^^^^^^^^^
)"},
    {"LayeredWithoutDegree",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {layered: {layers: 2, width: "
     "0}}}}]\n",
     R"(w.yaml:1:89: layered: 'degree' is missing: {layers: 4, width: 10, degree: 2}
    1 | …{count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {layered: {layers: 2, width: 0}}}}]
      |                                                                        ^
w.yaml:1:108: width: expected a whole number from 1 to 50000000, found '0'
    1 | …: {burst: {at: 0s}}, runtime: 1s, shape: {layered: {layers: 2, width: 0}}}}]
      |                                                                        ^
)"},
    {"RandomWithoutProbability",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {random: {stages: 2, "
     "edge_probability: 2}}}}]\n",
     R"(w.yaml:1:118: edge_probability: expected a number from 0 to 1, found '2'
    1 | …{at: 0s}}, runtime: 1s, shape: {random: {stages: 2, edge_probability: 2}}}}]
      |                                                                        ^
)"},
    {"TreeBeyondMeasure",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {tree: {depth: 1000000, arity: "
     "10}}}}]\n",
     R"(w.yaml:1:80: generate 'generate0': more than 50000000 stages in each workflow
    1 | …enerate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {tree: {depth: 1000000, arity: 10}}}}]
      |                                                                        ^^^^
)"},
    {"ChainBeyondMeasure",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {chain: {length: "
     "1000000000000000000}}}}]\n",
     R"(w.yaml:1:96: length: expected a whole number from 1 to 50000000, found '1000000000000000000'
    1 | … 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {chain: {length: 1000000000000000000}}}}]
      |                                                                        ^^^^^^^^^^^^^^^^^^^
)"},
    {"LaterShape",
     "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {cholesky: {tiles: 3}}}}]\n",
     R"(w.yaml:1:80: shape: 'cholesky' comes with further models of generated work and is not supported yet
    1 | …enerate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, shape: {cholesky: {tiles: 3}}}}]
      |                                                                        ^^^^^^^^
)"},
    {"LaterEstimate", "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, estimate: modal}}]\n",
     R"(w.yaml:1:82: estimate: 'modal' comes with further models of generated work and is not supported yet
    1 | …erate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, estimate: modal}}]
      |                                                                        ^^^^^
)"},
    {"MixBesideCores",
     "cluster: {slots: 4}\nwork: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, cores: 2, mix: [{weight: 1, "
     "runtime: 1s}]}}]\n",
     R"(w.yaml:2:66: generate 'generate0': either 'mix' or 'cores': a mix says for each of its entries what goes together
    2 | work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, cores: 2, mix: [{weight: 1, runtime: 1s}]}}]
      |                                                                  ^
)"},
    {"MixWithoutWeight", "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{cores: 1, runtim: 1s}]}}]\n",
     R"(w.yaml:1:65: an entry of mix: 'weight' is missing: how often it is, as a share of all weights
    1 | work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{cores: 1, runtim: 1s}]}}]
      |                                                                 ^
w.yaml:1:65: an entry of mix: 'runtime' is missing: how long each really takes
    1 | work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{cores: 1, runtim: 1s}]}}]
      |                                                                 ^
w.yaml:1:76: unknown key 'runtim' in an entry of mix; did you mean 'runtime'?
    1 | … [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{cores: 1, runtim: 1s}]}}]
      |                                                                        ^^^^^^
)"},
    {"MixOfNothing", "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: []}}]\n",
     R"(w.yaml:1:64: mix: from 1 to 1000 entries are expected, found 0
    1 | work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: []}}]
      |                                                                ^
)"},
    {"MixOfNoWeight", "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{weight: 0, runtime: 1s}]}}]\n",
     R"(w.yaml:1:64: mix: all weights are 0
    1 | work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{weight: 0, runtime: 1s}]}}]
      |                                                                ^
)"},
    {"MixThatDoesNotFit",
     "cluster: {slots: 4}\nwork: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{weight: 1, cores: 8, "
     "runtime: 1s}]}}]\n",
     R"(w.yaml:2:84: generate 'generate0', an entry of mix needs 8 cores but no node has more than 4
    2 | …ate: {count: 1, arrivals: {burst: {at: 0s}}, mix: [{weight: 1, cores: 8, runtime: 1s}]}}]
      |                                                                        ^
)"},
    {"EnabledByWord", "work: [{generate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, enabled: yes}}]\n",
     R"(w.yaml:1:81: enabled: expected true or false, found 'yes'
    1 | …nerate: {count: 1, arrivals: {burst: {at: 0s}}, runtime: 1s, enabled: yes}}]
      |                                                                        ^^^
)"},
};

const Case kStudies[] = {
    {"MisspeltPolicy", kWork + "policies: [default, rae]\n", R"(w.yaml:2:21: unknown policy 'rae'; did you mean 'race'?
    2 | policies: [default, rae]
      |                     ^^^
)"},
    {"Expression", kWork + "policies: ['expr:now()']\n",
     R"(w.yaml:2:18: the priority: a priority is a number, and this is time
    2 | policies: ['expr:now()']
      |                  ^^^^^^
)"},
    {"PreemptionMisspelt", kWork + "policies: [{policy: mine, preemption: suspended}]\n",
     R"(w.yaml:2:39: preemption: expected off, requeue or suspend, found 'suspended'; did you mean 'suspend'?
    2 | policies: [{policy: mine, preemption: suspended}]
      |                                       ^^^^^^^^^
)"},
    {"PreemptionWithoutMode", kWork + "policies: [{policy: mine, preemption: {margin: -1, grace: soon}}]\n",
     R"(w.yaml:2:39: preemption: 'mode' is missing: requeue or suspend
    2 | policies: [{policy: mine, preemption: {margin: -1, grace: soon}}]
      |                                       ^
w.yaml:2:48: margin: expected a number that is not negative, found '-1'
    2 | policies: [{policy: mine, preemption: {margin: -1, grace: soon}}]
      |                                                ^^
w.yaml:2:59: grace: expected a duration like 250ms, 4.1s, 10min, 2h or 7d (a bare number is seconds), found 'soon'
    2 | policies: [{policy: mine, preemption: {margin: -1, grace: soon}}]
      |                                                           ^^^^
)"},
    {"PreemptiblePlan", "work:\n- workflow: a\n  plan: {steps: [{plan: {name: sub, preemptible: true, steps: []}}]}\n",
     R"(w.yaml:3:50: preemptible: a plan is never displaced: what it declares next would have no declarer
    3 |   plan: {steps: [{plan: {name: sub, preemptible: true, steps: []}}]}
      |                                                  ^^^^
)"},
    {"CheckpointOfNothing", "work:\n- workflow: a\n  stages: [{name: s, runtime: 1s, checkpoint: 0s}]\n",
     R"(w.yaml:3:47: checkpoint: expected a duration above 0, found '0s'
    3 |   stages: [{name: s, runtime: 1s, checkpoint: 0s}]
      |                                               ^^
)"},
    {"CohortBackwards", kWork + "measure: {from: 2d, to: 1d}\n",
     R"(w.yaml:2:25: to: expected a time later than 'from', found '1d'
    2 | measure: {from: 2d, to: 1d}
      |                         ^^
)"},
    {"SweptPathMisspelt", "cluster: {slots: 3}\n" + kWork + "sweep: {vary: {cluster.slotz: [2, 3]}}\n",
     R"(w.yaml:3:16: unknown key 'slotz' in cluster; did you mean 'slots'?
    3 | sweep: {vary: {cluster.slotz: [2, 3]}}
      |                ^^^^^^^^^^^^^
)"},
    {"SweptItemMisspelt", kWork + "sweep: {vary: {work.v.at: [2s, 3s]}}\n",
     R"(w.yaml:2:16: 'work.v.at': there is no entry 'v'
    2 | sweep: {vary: {work.v.at: [2s, 3s]}}
      |                ^^^^^^^^^
)"},
    {"SweptValueOfAWrongType",
     "params: {slots: 3}\ncluster: {slots: $slots}\n" + kWork + "sweep: {vary: {params.slots: [2, x]}}\n",
     R"(w.yaml:4:34: slots: expected a whole number from 1 to 1000000000, found 'x' (from $slots)
    4 | sweep: {vary: {params.slots: [2, x]}}
      |                                  ^
)"},
    {"CompareWithoutAForm", kWork + "compare: {primary: 'wait(', margin: -5%, baseline: [a]}\n",
     R"(w.yaml:2:20: primary: expected a metric like wait_time_p99, or of a class like wait_time_p99(bulk), found the text 'wait('
    2 | compare: {primary: 'wait(', margin: -5%, baseline: [a]}
      |                    ^^^^^^^
w.yaml:2:37: margin: expected a fraction of the baseline like 5%, a time like 30s or a number, not negative, found '-5%'
    2 | compare: {primary: 'wait(', margin: -5%, baseline: [a]}
      |                                     ^^^
w.yaml:2:52: baseline: expected a text, found a list
    2 | compare: {primary: 'wait(', margin: -5%, baseline: [a]}
      |                                                    ^
)"},
    {"AMarginOfNothing", kWork + "compare: {margin: 5%}\n",
     R"(w.yaml:2:19: a margin without a primary metric would mean nothing
    2 | compare: {margin: 5%}
      |                   ^^
)"},
    {"PrioritiesOfNobody", kWork + "record: {priorities: [x]}\n", R"(w.yaml:2:23: there is no work called 'x'
    2 | record: {priorities: [x]}
      |                       ^
)"},
};

const Case kTraces[] = {
    {"NoSuchTrace", "work: [{trace: {swf: none/x.swf}}]\n",
     R"(w.yaml:1:22: there is no file 'none/x.swf'; a name is relative to the workload's own folder
    1 | work: [{trace: {swf: none/x.swf}}]
      |                      ^^^^^^^^^^
)"},
    {"OtherFormat", "work: [{trace: {batsim: x.json}}]\n",
     R"(w.yaml:1:17: 'batsim' comes with the other trace formats and is not supported yet
    1 | work: [{trace: {batsim: x.json}}]
      |                 ^^^^^^
)"},
};

const auto case_name = [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Yaml, MalformedWorkload, testing::ValuesIn(kYaml), case_name);
INSTANTIATE_TEST_SUITE_P(TopLevel, MalformedWorkload, testing::ValuesIn(kTopLevel), case_name);
INSTANTIATE_TEST_SUITE_P(Cluster, MalformedWorkload, testing::ValuesIn(kCluster), case_name);
INSTANTIATE_TEST_SUITE_P(Tenants, MalformedWorkload, testing::ValuesIn(kTenants), case_name);
INSTANTIATE_TEST_SUITE_P(Workflows, MalformedWorkload, testing::ValuesIn(kWorkflows), case_name);
INSTANTIATE_TEST_SUITE_P(Generated, MalformedWorkload, testing::ValuesIn(kGenerated), case_name);
INSTANTIATE_TEST_SUITE_P(Studies, MalformedWorkload, testing::ValuesIn(kStudies), case_name);
INSTANTIATE_TEST_SUITE_P(Traces, MalformedWorkload, testing::ValuesIn(kTraces), case_name);

TEST(MalformedWorkloads, AllErrorsOfAFileComeAtOnceAndInLineOrder) {
  EXPECT_EQ(errors_of(R"(clustr: {slots: 3}
scheduler: {tick: -1s, queue_dept: 4}
work:
  - workflow: w
    stages:
      - {name: a, runtime: 1s, needs: [b]}
policies: [rae]
)"),
            R"(w.yaml:1:1: unknown key 'clustr' in the workload; did you mean 'cluster'?
    1 | clustr: {slots: 3}
      | ^^^^^^
w.yaml:2:19: tick: expected a duration that is not negative, found '-1s'
    2 | scheduler: {tick: -1s, queue_dept: 4}
      |                   ^^^
w.yaml:2:24: unknown key 'queue_dept' in scheduler; did you mean 'queue_depth'?
    2 | scheduler: {tick: -1s, queue_dept: 4}
      |                        ^^^^^^^^^^
w.yaml:6:40: 'a' needs 'b', which is no stage of this workflow
    6 |       - {name: a, runtime: 1s, needs: [b]}
      |                                        ^
w.yaml:7:12: unknown policy 'rae'; did you mean 'race'?
    7 | policies: [rae]
      |            ^^^
)");
}

}  // namespace
}  // namespace headroom
