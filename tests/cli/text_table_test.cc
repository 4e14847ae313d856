#include "sim/cli/text_table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "policies/check.h"

namespace headroom::cli {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TextTable, AlignsKeysLeftAndValuesRight) {
  TextTable table;
  table.add_column("", Align::kLeft);
  table.add_column("default");
  table.add_column("race");
  table.add_row({"makespan", "4.204 s", "6.001 s"});
  table.add_heading("bulk (1 workflow)");
  table.add_row({"n", "1", "1"});
  EXPECT_EQ(table.render(),
            "          default     race\n"
            "makespan  4.204 s  6.001 s\n"
            "bulk (1 workflow)\n"
            "n               1        1\n");
}

TEST(TextTable, IsPrintedInBandsWhereItIsTooWide) {
  TextTable table;
  table.add_column("key", Align::kLeft);
  for (const char* name : {"aaaa", "bbbb", "cccc"}) table.add_column(name);
  table.add_row({"row", "1", "2", "3"});
  EXPECT_EQ(table.render(16),
            "key  aaaa  bbbb\n"
            "row     1     2\n"
            "\n"
            "key  cccc\n"
            "row     3\n");
}

TEST(TextTable, IsNeverWiderThanAskedWhateverTheNamesAreMadeOf) {
  const std::string wide = "計算機計算機計算機計算機計算機計算機計算機計算機計算機計算機計算機計算機計算機";
  for (const std::size_t keys : {1U, 2U, 3U}) {
    TextTable table(keys);
    for (std::size_t k = 0; k < keys; ++k) table.add_column(wide, Align::kLeft);
    for (int c = 0; c < 12; ++c) table.add_column(wide);
    table.add_row(std::vector<std::string>(keys + 12, wide));
    table.add_heading(wide + wide);
    for (const std::string& line : lines_of(table.render())) EXPECT_LE(display_width(line), kTerminalWidth) << line;
  }
}

TEST(TextTable, RefusesARowOfAnotherLength) {
  TextTable table;
  table.add_column("a");
  EXPECT_THROW(table.add_row({"1", "2"}), CheckFailed);
}

TEST(TextTable, CannotBeMadeToControlTheTerminal) {
  TextTable table;
  table.add_column("\x1b[31mred", Align::kLeft);
  table.add_row({"a\nb\tc\x7f"});
  EXPECT_EQ(table.render(), "?[31mred\na?b?c?\n");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("µs"), 2U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // e and a combining acute
  EXPECT_EQ(display_width("計算"), 4U);
  EXPECT_EQ(display_width("\xff\xff"), 2U);  // bytes of no character
}

TEST(Printable, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(printable("a\xc3"), "a?");
  EXPECT_EQ(printable("\xc0\xaf"), "??");       // an overlong '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");  // half a surrogate pair
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "evil"),
            "?evil");  // right-to-left override
  EXPECT_EQ(printable("größe 計"), "größe 計");
}

TEST(Printable, KeepsTheLinesOfSeveralAndWhereTheirCaretsPoint) {
  EXPECT_EQ(printable_lines("a:1:2: \x1b[2J\n  1 |\tx\n     ^\n"), "a:1:2: ?[2J\n  1 | x\n     ^\n");
}

TEST(Shortened, EndsWithAnEllipsisAndNeverSplitsACharacter) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde…");
  EXPECT_EQ(shortened("計算機計算機", 6), "計算…");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Wrapped, BreaksBetweenWordsAndLeavesLongOnesWhole) {
  EXPECT_EQ(wrapped("one two three", 0, 2, 8), "one two\n  three");
  EXPECT_EQ(wrapped("/a/very/long/path and", 0, 1, 8), "/a/very/long/path\n and");
}

}  // namespace
}  // namespace headroom::cli
