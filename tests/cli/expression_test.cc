// sim eval, and sim policies of an expression, in this process.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/cli/program.h"

namespace headroom::cli {
namespace {

struct Ended {
  ExitStatus status;
  std::string out, err;
};

Ended sim(const std::vector<std::string>& arguments, const std::string& in_text = "") {
  std::istringstream in(in_text);
  std::ostringstream out, err;
  const ExitStatus status = run_program(arguments, {in, out, err, false});
  return {status, out.str(), err.str()};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Eval, ShowsValueTypeAndTerms) {
  const Ended ended =
      sim({"eval", "(now() - workflow.create_time).Hours() + workflow.priority * 2 - organization.priority", "--set",
           "workflow.priority=-10", "--set", "age=12h30m", "--set", "organization.priority=1"});
  EXPECT_EQ(ended.status, kDone);
  EXPECT_EQ(ended.out,
            "value  -8.5\n"
            "type   float (float)\n"
            "terms\n"
            "  + 12.5  (now() - workflow.create_time).Hours()\n"
            "  + -20  workflow.priority * 2\n"
            "  - 1  organization.priority\n");
}

TEST(Eval, ShowsWhereAnErrorIs) {
  const Ended ended = sim({"eval", "1 + workflw.priority"});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "unknown name 'workflw'; did you mean 'workflow'? (1:5)\n | 1 + workflw.priority\n | ....^\n");
}

TEST(Eval, RefusesToSetWhatIsNotThere) {
  EXPECT_TRUE(has(sim({"eval", "1", "--set", "workflow.prioritty=1"}).err, "did you mean 'workflow.priority'"));
  EXPECT_TRUE(has(sim({"eval", "1", "--set", "workflow.priority=x"}).err, "expected an integer"));
  EXPECT_EQ(sim({"eval"}).status, kUsage);
}

TEST(Eval, AnswersLineByLine) {
  const std::string lines =
      "{\"id\": \"a\", \"env\": {\"workflow\": {\"priority\": 7}}, \"expr\": \"workflow.priority / 2\"}\n"
      "{\"id\": \"b\", \"expr\": \"1 +\"}\n"
      "{\"id\": \"c\", \"expr\": \"workflow.name == 'x'\"}\n";
  const Ended ended = sim({"eval", "--jsonl"}, lines);
  EXPECT_EQ(ended.status, kDone);
  std::istringstream out(ended.out);
  std::string line;
  std::getline(out, line);
  const auto a = nlohmann::json::parse(line);
  EXPECT_EQ(a["id"], "a");
  EXPECT_EQ(a["static_type"], "float");
  EXPECT_EQ(a["result"]["bits"], "400c000000000000");
  EXPECT_EQ(a["as_float"]["value"], "3.5");
  std::getline(out, line);
  const auto b = nlohmann::json::parse(line);
  EXPECT_EQ(b["error"]["category"], "unexpected_end");
  EXPECT_EQ(b["error"]["line"], 1);
  EXPECT_EQ(b["error"]["col"], 3);
  std::getline(out, line);
  const auto c = nlohmann::json::parse(line);
  EXPECT_EQ(c["as_float"]["error"]["category"], "result_not_number");
  EXPECT_EQ(sim({"eval", "--jsonl"}, "not json\n").status, kBadInput);
}

constexpr const char* kFourBases = R"(name: four
work:
  - {workflow: a, at: 0h, priority: -25, stages: [{name: s, runtime: 1h}]}
  - {workflow: b, at: 1h, priority: -24, stages: [{name: s, runtime: 1h}]}
  - {workflow: c, at: 2h, priority: -23, stages: [{name: s, runtime: 1h}]}
  - {workflow: d, at: 3h, priority: 0, stages: [{name: s, runtime: 1h}]}
)";

std::string page_of(const std::string& expression) {
  const std::string path = ::testing::TempDir() + "four_bases.yaml";
  std::ofstream(path) << kFourBases;
  std::string out = sim({"policies", "expr:" + expression, "--workload", path}).out;
  // Lines are broken for a terminal.
  std::string flat;
  for (const char c : out)
    if (c != '\n' && (c != ' ' || !flat.ends_with(' ')))
      flat += c;
    else if (!flat.ends_with(' '))
      flat += ' ';
  return flat;
}

TEST(PoliciesOfAnExpression, SayHowTheOrderIsKeptAndWhetherTheGuaranteeHolds) {
  const std::string age = "(now() - workflow.create_time).Hours()";
  const std::string capped = page_of("min(" + age + ", 24) + workflow.priority");
  EXPECT_TRUE(has(capped, "piecewise: min() caps age at 24 h")) << capped;
  EXPECT_TRUE(has(capped, "NOT kept: 1 of 4 bases can be overtaken without end (age is capped at 24 h < gap 25)"))
      << capped;
  EXPECT_TRUE(has(capped, "-25 waiting, 0 coming: overtaken without end")) << capped;
  EXPECT_TRUE(has(capped, "-24 waiting, 0 coming: overtaken until it is 24 h old")) << capped;
  const std::string linear = page_of(age + " * 2 + workflow.priority");
  EXPECT_TRUE(has(linear, "static: every stage ages at 2/h")) << linear;
  EXPECT_TRUE(has(linear, "kept: of 4 bases none is overtaken for longer than 12.5 h")) << linear;
  const std::string power = page_of(age + " ** 2");
  EXPECT_TRUE(has(power, "recomputed: ** of now()")) << power;
  EXPECT_TRUE(has(power, "not proved: ** of now()")) << power;
}

}  // namespace
}  // namespace headroom::cli
