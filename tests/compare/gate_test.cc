#include "sim/compare/gate.h"

#include <gtest/gtest.h>

#include <string>

#include "workloads/diagnostics.h"

namespace headroom::compare {
namespace {

TEST(Gate, IsAMetricAnOperatorAndALimit) {
  const Gate relative = gate_of("wait_time_mean > +5%");
  EXPECT_EQ(relative.what, (Measured{"wait_time_mean", ""}));
  EXPECT_EQ(relative.op, Gate::Op::kMore);
  EXPECT_DOUBLE_EQ(relative.limit, 0.05);
  EXPECT_TRUE(relative.is_difference && relative.is_relative);
  const Gate own = gate_of("makespan<=2h");
  EXPECT_EQ(own.op, Gate::Op::kLessOrEqual);
  EXPECT_EQ(own.limit, 7200);
  EXPECT_FALSE(own.is_difference);
  const Gate difference = gate_of("wait_time_p99(victims) >= -30s");
  EXPECT_EQ(difference.what, (Measured{"wait_time_p99", "victims"}));
  EXPECT_EQ(difference.limit, -30);
  EXPECT_TRUE(difference.is_difference);
  EXPECT_FALSE(difference.is_relative);
  EXPECT_EQ(gate_of("bounded_slowdown_mean < 1.5").limit, 1.5);
}

TEST(Gate, ThatIsNoneIsRefusedWithWhatWouldBeRight) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(gate_of(text));
    } catch (const InputError& error) {
      return error.diagnostics().front().message;
    }
    return "";
  };
  EXPECT_EQ(complaint("makespan"),
            "'makespan': there is no <, <=, > or >=; write METRIC OP LIMIT, like 'wait_time_mean > +5%' or 'makespan "
            "<= 2h'");
  EXPECT_NE(complaint("> 5").find("'' is no metric"), std::string::npos);
  EXPECT_NE(complaint("a(b > 5").find("'a(b' is no metric"), std::string::npos);
  EXPECT_NE(complaint("a >").find("there is no limit"), std::string::npos);
  EXPECT_NE(complaint("a > 5x").find("'5x' is neither a number nor a time nor a percentage"), std::string::npos);
  EXPECT_NE(complaint("a > +-5").find("neither"), std::string::npos);
}

}  // namespace
}  // namespace headroom::compare
