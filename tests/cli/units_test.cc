#include "sim/cli/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace headroom::cli {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Texts = std::vector<std::string>;

std::string time_of(double seconds) { return format_value(seconds, Scale::kTime); }

TEST(Units, TimesHaveTheUnitThatPeopleSay) {
  EXPECT_EQ(time_of(0), "0 s");
  EXPECT_EQ(time_of(1e-9), "1 ns");
  EXPECT_EQ(time_of(2.5e-6), "2.5 µs");
  EXPECT_EQ(time_of(0.104), "104 ms");
  EXPECT_EQ(time_of(4.204), "4.204 s");
  EXPECT_EQ(time_of(90), "90 s");
  EXPECT_EQ(time_of(600), "10 min");
  EXPECT_EQ(time_of(36000), "10 h");
  EXPECT_EQ(time_of(48600), "13.5 h");
  EXPECT_EQ(time_of(210600), "58.5 h");
  EXPECT_EQ(time_of(604800), "168 h");
  EXPECT_EQ(time_of(1209600), "14 d");
  EXPECT_EQ(time_of(-3), "-3 s");
}

TEST(Units, WhatIsNotExactHasFiveDigits) {
  EXPECT_EQ(time_of(450.0 / 41 * 3600), "10.976 h");
  EXPECT_EQ(time_of(15696.7981812436), "4.3602 h");
  EXPECT_EQ(format_value(92.5765397336295, Scale::kPlain), "92.577");
  EXPECT_EQ(format_value(2.0 / 3, Scale::kPlain), "0.66667");
}

TEST(Units, ThereIsNoNumberForWhatIsUndefined) {
  EXPECT_EQ(time_of(kNaN), "-");
  EXPECT_EQ(time_of(kInfinity), "inf");
  EXPECT_EQ(format_value(-kInfinity, Scale::kPlain), "-inf");
}

TEST(Units, ARowHasOneUnitAndOneNumberOfDecimals) {
  const double values[] = {36000, kInfinity, 48600, kNaN};
  EXPECT_EQ(format_row(values, Scale::kTime), (Texts{"10.0 h", "inf", "13.5 h", "-"}));
  const double makespans[] = {4.204, 6.001, 6};
  EXPECT_EQ(format_row(makespans, Scale::kTime), (Texts{"4.204 s", "6.001 s", "6.000 s"}));
  const double waits[] = {1.66, 0.02, 0};
  EXPECT_EQ(format_row(waits, Scale::kTime), (Texts{"1.66 s", "0.02 s", "0 s"}));
  const double quantiles[] = {210.16 * 3600, 6.002 * 3600};
  EXPECT_EQ(format_row(quantiles, Scale::kTime), (Texts{"210.160 h", "6.002 h"}));
}

TEST(Units, ARowThatSpansTooMuchHasAUnitForEach) {
  const double values[] = {0.001, 36000};
  EXPECT_EQ(format_row(values, Scale::kTime), (Texts{"1 ms", "10 h"}));
}

TEST(Units, FractionsArePercent) {
  EXPECT_EQ(format_value(0.5, Scale::kPercent), "50 %");
  EXPECT_EQ(format_value(0.712345, Scale::kPercent), "71.23 %");
}

TEST(Units, CountsHaveCommas) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_value(-1234567, Scale::kPlain), "-1,234,567");
}

TEST(Units, MemoryIsSaidInTheUnitInWhichItIsWhole) {
  EXPECT_EQ(format_memory(256LL << 30), "256 GiB");
  EXPECT_EQ(format_memory(512'000'000), "512 MB");
  EXPECT_EQ(format_memory(1025), "1025 B");
}

TEST(Units, SizesAndRatesAreShort) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1234), "1.2 kB");
  EXPECT_EQ(format_bytes(123456789), "123 MB");
  EXPECT_EQ(format_short(840), "840");
  EXPECT_EQ(format_short(3'200'000), "3.2 M");
}

TEST(Units, NounsHaveTheirPlural) {
  EXPECT_EQ(plural(1, "run"), "1 run");
  EXPECT_EQ(plural(2000, "run"), "2,000 runs");
  EXPECT_EQ(plural(2, "policy"), "2 policies");
  EXPECT_EQ(plural(3, "more class"), "3 more classes");
}

}  // namespace
}  // namespace headroom::cli
