#include "sim/cli/options.h"

#include <gtest/gtest.h>

#include "sim/cli/shard_option.h"

namespace headroom::cli {
namespace {

using Texts = std::vector<std::string>;

RunArguments run_of(const Texts& arguments) { return std::get<RunArguments>(parse_command_line(arguments)); }
std::string refusal_of(const Texts& arguments) {
  try {
    static_cast<void>(parse_command_line(arguments));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}
std::string help_of(const Texts& arguments) { return std::get<PrintArguments>(parse_command_line(arguments)).text; }

TEST(CommandLine, TheBareFormAndRunAreTheSame) {
  for (const Texts& form :
       {Texts{"-w", "a.yaml", "-p", "default,race"}, Texts{"run", "--workload=a.yaml", "--policy", "default,race"},
        Texts{"run", "-wa.yaml", "-p", "default", "-p", "race"}}) {
    const RunArguments run = run_of(form);
    EXPECT_EQ(run.workload, "a.yaml");
    EXPECT_EQ(run.policies, (Texts{"default", "race"}));
  }
}

TEST(CommandLine, ReadsEveryOption) {
  const RunArguments run = run_of({"-w",
                                   "-",
                                   "-o",
                                   "r.h5",
                                   "--set",
                                   "cluster.slots=4",
                                   "--set",
                                   "work.g.arrivals.poisson.rate=10/h",
                                   "-j",
                                   "3",
                                   "--resume",
                                   "--force",
                                   "--seed",
                                   "18446744073709551615",
                                   "--replications",
                                   "30",
                                   "--format",
                                   "json",
                                   "--dry-run",
                                   "--strict",
                                   "--progress",
                                   "never"});
  EXPECT_EQ(run.workload, "-");
  EXPECT_EQ(run.out, "r.h5");
  EXPECT_EQ(run.sets, (std::vector<std::pair<std::string, std::string>>{{"cluster.slots", "4"},
                                                                        {"work.g.arrivals.poisson.rate", "10/h"}}));
  EXPECT_EQ(run.jobs, 3U);
  EXPECT_EQ(run.seed, 18446744073709551615ULL);
  EXPECT_EQ(run.replications, 30);
  EXPECT_EQ(run.format, Format::kJson);
  EXPECT_EQ(run.progress, ProgressMode::kNever);
  EXPECT_TRUE(run.resume && run.force && run.dry_run && run.strict);
}

TEST(CommandLine, AValueMayHoldAnEqualsSignOrBeginWithADash) {
  EXPECT_EQ(run_of({"-w", "a", "--set", "x=y=z"}).sets.front().second, "y=z");
  EXPECT_EQ(run_of({"-w", "a", "--set", "work[0].priority=-5"}).sets.front().second, "-5");
}

TEST(CommandLine, AnExpressionIsNeverSplitAtItsCommas) {
  EXPECT_EQ(split_policies("default,race"), (Texts{"default", "race"}));
  EXPECT_EQ(split_policies("expr:min(a, b), c"), (Texts{"expr:min(a, b), c"}));
  EXPECT_EQ(split_policies("race,expr:min(a,b)"), (Texts{"race", "expr:min(a,b)"}));
  EXPECT_EQ(split_policies("race,{policy: a, ties: [tail_time, random]},easy"),
            (Texts{"race", "{policy: a, ties: [tail_time, random]}", "easy"}));
  EXPECT_EQ(split_policies("{priority: \"min(a, b) } \\\" ,\", about: 'a}, b'},easy"),
            (Texts{"{priority: \"min(a, b) } \\\" ,\", about: 'a}, b'}", "easy"}));
  EXPECT_EQ(split_policies("{params: {cap: 24, x: 1}}"), (Texts{"{params: {cap: 24, x: 1}}"}));
  EXPECT_EQ(split_policies("{policy: a, open"), (Texts{"{policy: a, open"})) << "the reader says what is missing";
  EXPECT_EQ(split_policies("{policy: capped_aging, cap: [24, 84]},race"),
            (Texts{"{policy: capped_aging, cap: [24, 84]}", "race"}));
}

struct Refused {
  const char* name;
  Texts arguments;
  const char* says;
};
class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameWhatIsWrong) {
  const std::string message = refusal_of(GetParam().arguments);
  EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    testing::Values(
        Refused{"Nothing", {}, "sim --help"}, Refused{"NoWorkload", {"run"}, "--workload"},
        Refused{"UnknownOption", {"-w", "a", "--polcy", "x"}, "unknown option '--polcy'; did you mean '--policy'?"},
        Refused{"UnknownShortOption", {"-w", "a", "-x"}, "unknown option '-x'"},
        Refused{"UnknownCommand", {"polices"}, "unknown command 'polices'; did you mean 'policies'?"},
        Refused{"AFileAsCommand", {"build.yaml"}, "sim --workload build.yaml"},
        Refused{"MissingValue", {"-w"}, "'--workload' needs a value"},
        Refused{"EmptyValue", {"-w", ""}, "'--workload' needs a value"},
        Refused{"GivenTwice", {"-w", "a", "-w", "b"}, "'--workload' is given 2 times"},
        Refused{"StrayArgument", {"-w", "a", "b"}, "unexpected argument 'b'"},
        Refused{"NoJobs", {"-w", "a", "-j", "0"}, "'--jobs' takes a whole number from 1 to 4096, not '0'"},
        Refused{"JobsWithTail", {"-w", "a", "-j", "4x"}, "not '4x'"},
        Refused{"HugeSeed", {"-w", "a", "--seed", "18446744073709551616"}, "'--seed' takes a whole number"},
        Refused{"NegativeSeed", {"-w", "a", "--seed", "-1"}, "'--seed' takes a whole number"},
        Refused{"NoReplications", {"-w", "a", "--replications", "0"}, "from 1 on"},
        Refused{"Format", {"-w", "a", "--format", "jsn"}, "did you mean 'json'?"},
        Refused{"FlagWithValue", {"-w", "a", "--force=maybe"}, "--force"},
        Refused{"SetWithoutValue", {"-w", "a", "--set", "cluster.slots"}, "PATH=VALUE"},
        Refused{"EmptyPolicy", {"-w", "a", "-p", "default,,race"}, "empty name"},
        Refused{"CheckNothing", {"check"}, "no file"}, Refused{"ExportNowhere", {"export", "r.h5"}, "--to"},
        Refused{"MergeNothing", {"merge", "-o", "r.h5"}, "no part"},
        Refused{"MergeNowhere", {"merge", "a.part"}, "-o FILE"}, Refused{"RerunNothing", {"rerun"}, "no results file"},
        Refused{"ShardBeyond", {"-w", "a", "--shard", "3/3"}, "I from 0 to N - 1, or auto/N, not '3/3'"},
        Refused{"ShardOfNone", {"-w", "a", "--shard", "auto/0"}, "not 'auto/0'"},
        Refused{"ShardAlone", {"-w", "a", "--shard", "auto"}, "not 'auto'"},
        Refused{"ExportTwo", {"export", "r.h5", "s.h5", "--to", "x.csv"}, "'s.h5'"},
        Refused{"TwoPolicies", {"policies", "a", "b"}, "unexpected argument 'b'"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(CommandLine, WhatComesLaterIsRefusedByNameWhereverItStands) {
  for (const char* command : {"import", "live"})
    EXPECT_NE(refusal_of({command, "r.h5"}).find(std::string("'sim ") + command + "' is not in this version"),
              std::string::npos)
        << command;
  EXPECT_NE(refusal_of({"-w", "a", "--history=h.db"}).find("'--history' is not in this version"), std::string::npos);
  EXPECT_NE(refusal_of({"-w", "a", "--history", "h.db"}).find("'--history' is not in this version"), std::string::npos);
}

TEST(CommandLine, AShardIsSaidOrLeftToSlurm) {
  const auto run = std::get<RunArguments>(parse_command_line({"-w", "a", "--shard", "2/3"}));
  ASSERT_TRUE(run.shard.has_value());
  EXPECT_EQ(resolve(*run.shard, "0").index, 2U) << "what is said counts";
  const auto left = std::get<RunArguments>(parse_command_line({"-w", "a", "--shard=auto/4"}));
  EXPECT_EQ(resolve(*left.shard, "3").index, 3U);
  EXPECT_EQ(resolve(*left.shard, "3").count, 4U);
  for (const char* wrong : {"4", "-1", "x", "", "1 "})
    EXPECT_THROW((void)resolve(*left.shard, wrong), UsageError) << wrong;
  EXPECT_THROW((void)resolve(*left.shard, nullptr), UsageError);
}

TEST(CommandLine, EveryCommandHasHelpWithAnExampleThatFits) {
  for (const Texts& arguments :
       {Texts{"--help"}, Texts{"-h"}, Texts{"run", "--help"}, Texts{"check", "--help"}, Texts{"policies", "--help"},
        Texts{"export", "--help"}, Texts{"describe", "--help"}, Texts{"queue", "--help"}, Texts{"events", "--help"},
        Texts{"audit", "--help"}, Texts{"explain", "--help"}, Texts{"compare", "--help"}, Texts{"merge", "--help"},
        Texts{"rerun", "--help"}}) {
    const std::string help = help_of(arguments);
    EXPECT_NE(help.find("xample"), std::string::npos) << arguments.front();
    std::size_t begin = 0;
    for (std::size_t end = help.find('\n'); end != std::string::npos; end = help.find('\n', begin)) {
      EXPECT_LE(end - begin, 110U) << help.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(CommandLine, VersionNamesTheCommitAndTheLibraries) {
  const std::string text = help_of({"--version"});
  for (const char* part : {"headroom 0.", "commit ", "fmt ", "CLI11 ", "nlohmann_json "})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace
}  // namespace headroom::cli
