// How a diagnostic is shown, and which name is the nearest.
#include "workloads/diagnostics.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headroom {
namespace {

Diagnostic at(std::int64_t line, std::int64_t column, std::string source_line) {
  Diagnostic d;
  d.file = "sweep.yaml";
  d.line = line;
  d.column = column;
  d.message = "m";
  d.source_line = std::move(source_line);
  return d;
}

// The example of the command line's documentation; there the column says 11, as if counted from 0.
TEST(Diagnostics, ShowTheLineWithACaret) {
  Diagnostic d = at(14, 12, "    cores: 64");
  d.message = "stage 'align' needs 64 cores but no node has more than 32";
  EXPECT_EQ(to_string(d),
            "sweep.yaml:14:12: stage 'align' needs 64 cores but no node has more than 32\n"
            "   14 |     cores: 64\n"
            "      |            ^^\n");
}

TEST(Diagnostics, WithoutALineNameTheFileAlone) { EXPECT_EQ(to_string(at(0, 0, "")), "sweep.yaml: m\n"); }

TEST(Diagnostics, KeepTabsSoThatTheCaretStandsBelow) {
  EXPECT_EQ(to_string(at(1, 3, "\t\tab c")), "sweep.yaml:1:3: m\n    1 | \t\tab c\n      | \t\t^^\n");
}

TEST(Diagnostics, PutOneCaretBehindTheEndOfALine) {
  EXPECT_EQ(to_string(at(1, 4, "ab:")), "sweep.yaml:1:4: m\n    1 | ab:\n      |    ^\n");
}

TEST(Diagnostics, CutALongLineAroundTheColumn) {
  Diagnostic d = at(1, 5001, "");
  d.set_source(std::string(5000, 'x') + "HERE " + std::string(5000, 'y'));
  EXPECT_LE(d.source_line.size(), 1000U);
  const std::string shown = to_string(d);
  EXPECT_NE(shown.find("xxxHERE yyy"), std::string::npos);
  const std::size_t line = shown.find("\n") + 1, carets = shown.find("\n", line) + 1;
  // The line has an ellipsis of three bytes where the carets have one blank.
  EXPECT_EQ(shown.find("HERE") - line - 2, shown.find("^^^^") - carets);
}

TEST(DidYouMean, NamesTheNearestWithinAThirdOfTheLetters) {
  const std::vector<std::string> known{"slots", "nodes", "pools", "at"};
  EXPECT_EQ(did_you_mean("slotz", known), "; did you mean 'slots'?");
  EXPECT_EQ(did_you_mean("Slots", known), "; did you mean 'slots'?");
  EXPECT_EQ(did_you_mean("ndoes", known), "; did you mean 'nodes'?");
  EXPECT_EQ(did_you_mean("as", known), "");  // one of two letters
  EXPECT_EQ(did_you_mean("cluster", known), "");
  EXPECT_EQ(did_you_mean("", known), "");
  EXPECT_EQ(did_you_mean("easy_backfil", std::vector<std::string>{"easy_backfill"}), "; did you mean 'easy_backfill'?");
}

}  // namespace
}  // namespace headroom
