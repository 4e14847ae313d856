// What the recordings of the language (tests/golden) do not show: messages as people see them, and hostile input.
#include <gtest/gtest.h>

#include "policies/priority/error.h"
#include "policies/priority/program.h"
#include "policies/priority/token.h"

namespace headroom::expr {
namespace {

Environment environment() {
  Environment e;
  e.add_record("account");
  e.add_field("name", TypeKind::kString);
  e.add_field("priority", TypeKind::kInt);
  e.add_record("workflow");
  e.add_field("create_time", TypeKind::kTime);
  e.add_field("priority", TypeKind::kInt);
  return e;
}

/// What is shown of the error that the text has; "" if it has none.
std::string complaint(const std::string& source) {
  try {
    const Expression expression(source, environment());
    expression.require_number();
    const std::vector<Value> inputs{Value::of_string("lab"), Value::of_int(4), Value::of_time({}), Value::of_int(-3)};
    static_cast<void>(expression.evaluate(inputs, {{3600, 0}, 0}));
  } catch (const Error& error) {
    return to_text(error, source);
  }
  return "";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ExpressionErrors, ShowThePlaceAndTheNearestName) {
  EXPECT_EQ(complaint("1 +\n  workflw.priority"),
            "unknown name 'workflw'; did you mean 'workflow'? (2:3)\n |   workflw.priority\n | ..^");
  EXPECT_EQ(
      complaint("workflow.prioritty"),
      "'workflow' has no field 'prioritty'; did you mean 'priority'? (1:10)\n | workflow.prioritty\n | .........^");
  EXPECT_EQ(complaint("now() - workflow.create_time"),
            "a priority is a number, and this is duration; '(…).Hours()' would be one (1:1)\n"
            " | now() - workflow.create_time\n | ^");
}

TEST(ExpressionErrors, PointBehindTabsAndBeyondAsciiByCodePoints) {
  EXPECT_EQ(complaint("\t1 + )"), "')' does not belong here (1:6)\n |  1 + )\n | .....^");
  EXPECT_EQ(complaint("'é' + )"), "')' does not belong here (1:7)\n | 'é' + )\n | ......^");
}

TEST(ExpressionErrors, ShowOfALongLineWhatIsAroundThePlace) {
  const std::string said = complaint(repeated("1 + ", 100) + "x" + repeated(" + 1", 100));
  EXPECT_EQ(said, "unknown name 'x' (1:401)\n | …" + repeated("1 + ", 15) + "x" + repeated(" + 1", 15) + "…\n | " +
                      repeated(".", 61) + "^");
}

TEST(ExpressionErrors, NameWhatIsNotSupported) {
  for (const auto& [source, what] : std::vector<std::pair<std::string, std::string>>{
           {"account.name matches 'a.*' ? 1 : 0", "regular expressions are not supported in priority expressions"},
           {"sum(1..3)", "ranges are not supported in priority expressions"},
           {"account.name[0:1]", "slices are not supported in priority expressions"},
           {"lower(account.name) == 'a' ? 1 : 0", "the function 'lower' is not supported in priority expressions"},
           {"now().Format('2006') == '' ? 1 : 0", "the method 'Format' is not supported in priority expressions"},
           {"count([1], # > 0)", "predicates such as in 'count(…, …)' are not supported in priority expressions"},
           {"$env.workflow", "'$env' is not supported in priority expressions"}})
    EXPECT_EQ(complaint(source).substr(0, what.size()), what);
}

TEST(HostileExpressions, AreRefusedHoweverDeepTheyAreNested) {
  constexpr int kDeep = 100'000;
  const std::vector<std::string> sources{repeated("(", kDeep) + "1" + repeated(")", kDeep),
                                         repeated("(", kDeep),
                                         repeated("-", kDeep) + "1",
                                         repeated("not ", kDeep) + "true",
                                         repeated("[", kDeep),
                                         repeated("{a:", kDeep),
                                         "1" + repeated(" + 1", kDeep),
                                         "1" + repeated(" ** 1", kDeep),
                                         repeated("abs(", kDeep),
                                         repeated("true ? 1 : ", kDeep) + "1",
                                         repeated("if true {1} else ", kDeep) + "{1}",
                                         repeated("let x = 1;", kDeep) + "1",
                                         "workflow" + repeated(".a", kDeep),
                                         "workflow" + repeated("?.a", kDeep),
                                         "1" + repeated(" ? : 1", kDeep),
                                         repeated("1;", kDeep) + "1",
                                         "1" + repeated(" | abs()", kDeep),
                                         "1" + repeated(" < 1", kDeep),
                                         repeated("now().Add(", kDeep)};
  for (const std::string& source : sources) {
    const std::string said = complaint(source);
    const bool named = said.find("nested more than ") != std::string::npos ||
                       said.find("more than 10000 parts") != std::string::npos ||
                       said.find("longer than 1048576 bytes") != std::string::npos;
    EXPECT_TRUE(named) << source.substr(0, 40) << ": " << said.substr(0, 200);
  }
}

TEST(HostileExpressions, DoNotGrowWithoutBound) {
  std::string strings = "let a0 = account.name;";
  std::string arrays = "let a0 = [1, 1];";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    const std::string name = "let a" + std::to_string(i) + " = ";
    strings += name + before + " + " + before + ";";
    arrays += name + "[" + before + ", " + before + "];";
  }
  EXPECT_NE(complaint(strings + "len(a59)").find("the string becomes too long"), std::string::npos);
  EXPECT_NE(complaint(arrays + "len(a59)").find("the array or map becomes too large"), std::string::npos);
  EXPECT_NE(complaint(std::string(kMaxSourceBytes + 1, ' ')).find("longer than"), std::string::npos);
}

TEST(HostileExpressions, ChainedComparisonsComputeWhatIsBetweenOnce) {
  // Computed twice at each level, this would take 2^60 steps.
  std::string inner = "2";
  for (int i = 0; i < 60; ++i) inner = "(1 < " + inner + " < 3 ? 2 : 0)";
  EXPECT_EQ(complaint(inner), "");
  std::string otherwise = "true";
  for (int i = 0; i < 60; ++i) otherwise = "(" + otherwise + " ? : false)";
  EXPECT_EQ(complaint(otherwise + " ? 1 : 2"), "");
}

}  // namespace
}  // namespace headroom::expr
