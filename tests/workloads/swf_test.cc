#include "workloads/swf.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <string>
#include <vector>

#include "trace_files.h"
#include "workloads/diagnostics.h"
#include "workloads/draw.h"
#include "workloads/swf_line.h"

namespace headroom {
namespace {

using testing::data_file;
using testing::read_file;
using testing::read_text;
using testing::real_trace;

constexpr std::int64_t kSecond = 1'000'000'000;

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string message_of(std::string_view bytes, std::uint64_t limit = ByteSource::kDefaultLimit) {
  try {
    ByteSource source = ByteSource::of_memory(bytes, "test.swf", limit);
    static_cast<void>(read_swf(source));
  } catch (const InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "no error";
}

std::vector<std::string> repairs_of(const SwfTrace& trace) {
  std::vector<std::string> result;
  for (const Repair& repair : trace.repairs.list()) {
    result.push_back(std::to_string(repair.count) + "x " + repair.what + " (" + repair.example + ")");
  }
  return result;
}

struct NumberCase {
  const char* name;
  const char* text;
  SwfNumber::Kind kind;
  std::int64_t whole;
  std::int32_t nanos;
};
class SwfNumbers : public ::testing::TestWithParam<NumberCase> {};

constexpr auto kNumber = SwfNumber::Kind::kNumber;
constexpr auto kHuge = SwfNumber::Kind::kHuge;
constexpr auto kNone = SwfNumber::Kind::kNone;

TEST_P(SwfNumbers, AreReadExactly) {
  const auto& [name, text, kind, whole, nanos] = GetParam();
  const SwfNumber number = parse_swf_number(text);
  EXPECT_EQ(number.kind, kind) << text;
  EXPECT_EQ(number.whole, whole) << text;
  EXPECT_EQ(number.nanos, nanos) << text;
  // The same within a line, where short whole numbers go another way.
  const std::string line_text = std::string(text) + "\n";
  SwfLine line;
  split_swf_line(line_text.data(), line_text.data() + line_text.size() - 1, line);
  if (*text == '\0') return;
  ASSERT_EQ(line.count, 1);
  EXPECT_EQ(line.field(1).kind, kind) << text;
  EXPECT_EQ(line.field(1).whole, whole) << text;
  EXPECT_EQ(line.field(1).nanos, nanos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Table, SwfNumbers,
    ::testing::Values(NumberCase{"Zero", "0", kNumber, 0, 0}, NumberCase{"MinusOne", "-1", kNumber, -1, 0},
                      NumberCase{"PlusSign", "+7", kNumber, 7, 0},
                      NumberCase{"LeadingZeros", "000000000000000000000042", kNumber, 42, 0},
                      NumberCase{"NinePlaces", "12072.123456789", kNumber, 12072, 123456789},
                      NumberCase{"TenthPlaceRoundsUp", "0.0000000015", kNumber, 0, 2},
                      NumberCase{"TenthPlaceRoundsDown", "0.00000000149", kNumber, 0, 1},
                      NumberCase{"RoundingCarriesIntoTheWhole", "9.9999999996", kNumber, 10, 0},
                      NumberCase{"NegativeFraction", "-0.5", kNumber, 0, -500'000'000},
                      NumberCase{"PointAtTheEnd", "18.", kNumber, 18, 0},
                      NumberCase{"PointAtTheBeginning", ".25", kNumber, 0, 250'000'000},
                      NumberCase{"Exponent", "1.5e3", kNumber, 1500, 0},
                      NumberCase{"NegativeExponent", "25E-1", kNumber, 2, 500'000'000},
                      NumberCase{"EighteenDigits", "999999999999999999", kNumber, 999'999'999'999'999'999, 0},
                      NumberCase{"NineteenDigits", "1000000000000000000", kHuge, 1, 0},
                      NumberCase{"HugeNegative", "-1e30", kHuge, -1, 0},
                      NumberCase{"AbsurdExponent", "1e999999999999", kHuge, 1, 0},
                      NumberCase{"AbsurdlySmall", "1e-999999999999", kNumber, 0, 0},
                      NumberCase{"Nan", "nan", kNone, 0, 0}, NumberCase{"Inf", "-inf", kNone, 0, 0},
                      NumberCase{"Word", "id", kNone, 0, 0}, NumberCase{"Nothing", "", kNone, 0, 0},
                      NumberCase{"SignAlone", "-", kNone, 0, 0}, NumberCase{"PointAlone", ".", kNone, 0, 0},
                      NumberCase{"TwoPoints", "1.2.3", kNone, 0, 0}, NumberCase{"Hexadecimal", "0x10", kNone, 0, 0},
                      NumberCase{"List", "1&2", kNone, 0, 0}, NumberCase{"ExponentWithoutDigits", "1e", kNone, 0, 0}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(SwfNumber, InNanosecondsStopAt292Years) {
  EXPECT_EQ(parse_swf_number("9223372036.854775807").in_ns(), INT64_MAX);
  EXPECT_EQ(parse_swf_number("9223372036.854775808").in_ns(), std::nullopt);
  EXPECT_EQ(parse_swf_number("-1.5").in_ns(), -1'500'000'000);
  EXPECT_EQ(parse_swf_number("x").in_ns(), std::nullopt);
}

// ---- what a line does, one oddity each. The first line is always a good one.
struct LineCase {
  const char* name;
  std::string line;
  std::size_t jobs;  ///< with the good one
  std::vector<std::string> repairs;
};
class SwfLines : public ::testing::TestWithParam<LineCase> {};

TEST_P(SwfLines, AreSkippedOrRepairedAndCounted) {
  const LineCase& given = GetParam();
  const std::string text = "1 0 -1 100 4 -1 -1 4 200 -1 1 7 1 -1 -1 1 -1 -1\n" + given.line + "\n";
  for (const std::size_t longest : {std::size_t{80}, std::size_t{1} << 20}) {
    const SwfTrace trace = read_text(text, longest);
    EXPECT_EQ(trace.jobs(), given.jobs);
    EXPECT_EQ(repairs_of(trace), given.repairs);
    EXPECT_EQ(trace.submitted_at.at(0).ns, 0);
  }
}

std::vector<LineCase> line_cases() {
  using namespace std::string_literals;
  return {
      {"AllColumns", "2 1 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 1 -1 -1", 2, {}},
      {"NineColumns", "2 1 -1 10 4 -1 -1 4 20", 2, {}},
      {"TwentyColumnsOfWhichTheLastAreWords", "2 1 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 1 -1 -1 dag-1 x", 2, {}},
      {"Tabs", "2\t1\t-1\t10\t4\t-1\t-1\t4\t20\t-1\t1\t7\t1\t-1\t-1\t1\t-1\t-1", 2, {}},
      {"CarriageReturn", "2 1 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 1 -1 -1\r", 2, {}},
      {"BlankLine", " \t \r", 1, {}},
      {"Comment", "  ; 2 1 -1 10", 1, {}},
      {"RunTimeZero", "2 1 -1 0 4 -1 -1 4 20 -1 1 7", 2, {}},
      {"EightColumns",
       "2 1 -1 10 4 -1 -1 4",
       1,
       {"1x malformed line skipped (line 2: 8 columns instead of 18: '2 1 -1 10 4 -1 -1 4')"}},
      {"OneColumn", "x", 1, {"1x malformed line skipped (line 2: column 1 is not a number: 'x')"}},
      {"ColumnNames",
       "id submit wait run cpus cpu mem req wall",
       1,
       {"1x malformed line skipped (line 2: column 1 is not a number: 'id')"}},
      {"NanRunTime",
       "2 1 -1 nan 4 -1 -1 4 20",
       1,
       {"1x malformed line skipped (line 2: column 4 is not a number: 'nan')"}},
      {"InfiniteRequest",
       "2 1 -1 10 4 -1 -1 4 inf",
       1,
       {"1x malformed line skipped (line 2: column 9 is not a number: 'inf')"}},
      {"WordInAColumnThatNobodyUses",
       "2 1 soon 10 4 -1 -1 4 20",
       1,
       {"1x malformed line skipped (line 2: column 3 is not a number: 'soon')"}},
      {"ZeroByte",
       "2 1 -1 1\0"s + "0 4 -1 -1 4 20",
       1,
       {"1x malformed line skipped (line 2: column 4 is not a number: '1?0')"}},
      {"NegativeRunTime", "2 1 -1 -1 4 -1 -1 4 20", 1, {"1x job of run time < 0 dropped (line 2: run time -1)"}},
      {"FractionBelowZero",
       "2 1 -1 -0.001 4 -1 -1 4 20",
       1,
       {"1x job of run time < 0 dropped (line 2: run time -0.001)"}},
      {"NegativeSubmit",
       "2 -1 -1 10 4 -1 -1 4 20",
       1,
       {"1x job submitted before time 0 dropped (line 2: submit time -1)",
        "1x submit time falls: jobs sorted by submission (line 2: submit time -1 after a later one)"}},
      {"NoProcessors",
       "2 1 -1 10 0 -1 -1 -1 20",
       1,
       {"1x job without processors dropped (line 2: requested processors -1)"}},
      {"AbsurdRunTime",
       "2 1 -1 1e10 4 -1 -1 4 20",
       1,
       {"1x job with a number out of range dropped (line 2: run time 1e10)"}},
      {"AbsurdSubmit",
       "2 99999999999999999999999 -1 1 4 -1 -1 4 20",
       1,
       {"1x job with a number out of range dropped (line 2: submit time 99999999999999999999999)"}},
      {"AbsurdRequest",
       "2 1 -1 1 4 -1 -1 4 1e300",
       1,
       {"1x job with a number out of range dropped (line 2: requested time 1e300)"}},
      {"AbsurdProcessors",
       "2 1 -1 1 4 -1 -1 2147483647 20",
       1,
       {"1x job with a number out of range dropped (line 2: requested processors 2147483647)"}},
      {"AbsurdJobNumber",
       "1e99 1 -1 1 4 -1 -1 4 20",
       1,
       {"1x job with a number out of range dropped (line 2: job number 1e99)"}},
      {"PartialExecution",
       "2 1 -1 10 4 -1 -1 4 20 -1 2 7",
       1,
       {"1x line of a partial execution (status 2 to 4) skipped (line 2: status 2)"}},
      {"LastPartialExecution",
       "2 1 -1 10 4 -1 -1 4 20 -1 4 7",
       1,
       {"1x line of a partial execution (status 2 to 4) skipped (line 2: status 4)"}},
      {"Cancelled", "2 1 -1 10 4 -1 -1 4 20 -1 5 7", 2, {}},
      {"FractionOfAProcessor",
       "2 1 -1 10 1.5 -1 -1 -1 20",
       2,
       {"1x fraction of a processor rounded up (line 2: 1.5 processors)"}},
      {"UserThatIsAWord",
       "2 1 -1 10 4 -1 -1 4 20 -1 1 ada",
       2,
       {"1x unreadable value after column 9 taken as unknown (line 2: column 12 is 'ada')"}},
      {"PrecedingThatIsAWord",
       "2 1 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 1 a&b -1",
       2,
       {"1x unreadable value after column 9 taken as unknown (line 2: column 17 is 'a&b')"}},
      {"HeaderWithoutNumber",
       "; MaxProcs: many",
       1,
       {"1x header value not understood, left out (line 2: ' MaxProcs: many')"}},
      {"WrongMaxJobs",
       "; MaxJobs: 28490",
       1,
       {"1x MaxJobs is not the number of job lines (MaxJobs 28490, job lines 1)"}},
      {"LongComment", "; Note: " + std::string(1000, 'x'), 1, {}},
      {"LongTail", "2 1 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 1 -1 -1 " + std::string(1000, 'x'), 2, {}},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, SwfLines, ::testing::ValuesIn(line_cases()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(SwfReader, RefusesALineWhoseColumnsDoNotEnd) {
  const std::string text =
      "1 0 -1 100 4 -1 -1 4 200\n2 1 -1 10 4 -1 -1 4 " + std::string(500, '2') + "\n3 2 -1 1 4 -1 -1 4 9\n";
  const SwfTrace trace = read_text(text, 100);
  EXPECT_LIST((trace.job_number), 1, 3);
  EXPECT_EQ(trace.line, (std::vector<std::uint32_t>{1, 3}));
  ASSERT_EQ(repairs_of(trace).size(), 1U);
  EXPECT_CONTAINS((repairs_of(trace)[0]), "line 2: a line of more than 100 bytes");
}

TEST(SwfReader, GivesTheSameForEveryPieceSize) {
  const SwfTrace whole = read_file(data_file("swf/oddities.swf"));
  std::string text;
  ByteSource bytes = ByteSource::open(data_file("swf/oddities.swf"));
  std::array<char, 512> piece{};
  while (const std::size_t n = bytes.read(piece.data(), piece.size())) text.append(piece.data(), n);
  for (std::size_t longest = 80; longest < 400; ++longest) {
    const SwfTrace trace = read_text(text, longest);
    EXPECT_EQ(repairs_of(trace), repairs_of(whole)) << longest;
    EXPECT_EQ(trace.submitted_at, whole.submitted_at) << longest;
    EXPECT_EQ(trace.line, whole.line) << longest;
  }
}

TEST(SwfReader, SurvivesTheOdditiesOfOneFile) {
  const SwfTrace trace = read_file(data_file("swf/oddities.swf"));
  EXPECT_EQ(trace.header.max_procs, 64);
  EXPECT_EQ(trace.header.max_nodes, 32);
  EXPECT_EQ(trace.header.unix_start_s, 1'000'000'000);
  EXPECT_EQ(trace.header.time_zone, "Europe/Stockholm");
  EXPECT_EQ(trace.header.entries.size(), 9U);
  EXPECT_EQ(trace.job_lines, 7);
  EXPECT_LIST((trace.job_number), 1, 3, 2, 5, 6);
  EXPECT_EQ(trace.line, (std::vector<std::uint32_t>{12, 15, 14, 18, 20}));
  EXPECT_LIST((trace.requested), 4, 8, -1, -1, 2);
  EXPECT_LIST((trace.allocated), 4, 8, 1, 65, 2);
  EXPECT_EQ(trace.run_time[2], Duration{});
  EXPECT_LE(trace.requested_time[2], Duration{});
  EXPECT_LIST((trace.users), 7, 9, -1);
  EXPECT_LIST((repairs_of(trace)), "1x MaxJobs is not the number of job lines (MaxJobs 3, job lines 7)",
              "1x line of a partial execution (status 2 to 4) skipped (line 19: status 2)",
              "1x job of run time < 0 dropped (line 17: run time -1)",
              "1x submit time falls: jobs sorted by submission (line 15: submit time 5 after a later one)");
}

TEST(SwfReader, SortsBySubmissionAndKeepsFileOrderAtOneInstant) {
  const SwfTrace trace = read_text(
      "1 5 0 1 1 0 0 1 1\n2 3 0 1 1 0 0 1 1 0 1 1 1 1 1 1 1 9\n3 5 0 1 1 0 0 1 1 0 1 1 1 1 1 1 2&1 -1\n4 3 0 1 1 0 0 1 "
      "1\n");
  EXPECT_LIST((trace.job_number), 2, 4, 1, 3);
  ASSERT_EQ(trace.preceding.size(), 3U);
  EXPECT_EQ(trace.preceding[0].job, 0U);
  EXPECT_EQ(trace.preceding[0].number, 1);
  EXPECT_EQ(trace.preceding[0].think_time, Duration::seconds(9));
  EXPECT_EQ(trace.preceding[1].job, 3U);
  EXPECT_EQ(trace.preceding[1].number, 2);
  EXPECT_EQ(trace.preceding[2].number, 1);
  EXPECT_EQ(trace.preceding[2].think_time, Duration{});
}

TEST(SwfReader, ReadsDecimalsExactly) {
  const SwfTrace trace = read_text("1 57.245384205516594 0 0.1 1 18.00 0 1 1.5\n");
  EXPECT_EQ(trace.submitted_at[0].ns, 57'245'384'206);
  EXPECT_EQ(trace.run_time[0].ns, 100'000'000);
  EXPECT_EQ(trace.requested_time[0].ns, 1'500'000'000);
}

TEST(SwfReader, ReadsGzipByItsContent) {
  const std::string one = "1 0 0 1 1 0 0 1 1\n", two = "2 1 0 1 1 0 0 1 1\n";
  EXPECT_EQ(read_text(gzip(one)).jobs(), 1U);
  const SwfTrace members = read_text(gzip(one) + gzip(two));
  EXPECT_LIST((members.job_number), 1, 2);
  EXPECT_TRUE(repairs_of(members).empty());
  EXPECT_TRUE(repairs_of(read_text(gzip(one) + std::string(512, '\0'))).empty());
  EXPECT_LIST((repairs_of(read_text(gzip(one) + "rest"))), "1x bytes after the gzip data left out ()");
}

TEST(SwfReader, RefusesEveryCutOfAGzipFile) {
  const std::string all = gzip("1 0 0 1 1 0 0 1 1\n2 1 0 1 1 0 0 1 1\n");
  for (std::size_t n = 2; n < all.size(); ++n) {
    EXPECT_EQ(message_of(all.substr(0, n)), "the gzip data ends too early; the file is cut off") << n;
  }
}

TEST(SwfReader, RefusesDamagedGzip) {
  std::string damaged = gzip("1 0 0 1 1 0 0 1 1\n");
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  EXPECT_CONTAINS((message_of(damaged)), "the gzip data is damaged");
}

TEST(SwfReader, BoundsWhatASmallFileInflatesTo) {
  const std::string bomb = gzip(std::string(10'000'000, '\n'));
  EXPECT_LT(bomb.size(), 20'000U);
  EXPECT_EQ(message_of(bomb, 1'000'000), "has more than 1000000 bytes once inflated; that much is not read");
}

TEST(SwfReader, RefusesWhatHasNoJobLine) {
  EXPECT_EQ(message_of(""), "no line is a job: SWF has 18 columns of numbers a line");
  EXPECT_EQ(message_of("; MaxProcs: 4\n\n"), "no line is a job: SWF has 18 columns of numbers a line");
  EXPECT_EQ(message_of("name: w\nwork: []\n"),
            "no line is a job: SWF has 18 columns of numbers a line; 2 malformed, the first: line 1: column 1 is not a "
            "number: 'name:'");
}

TEST(SwfReader, NamesAFileThatIsNotThere) {
  try {
    static_cast<void>(ByteSource::open("no/such/file.swf"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), InputError::Kind::kNoInput);
    EXPECT_EQ(error.diagnostics().at(0).file, "no/such/file.swf");
    EXPECT_CONTAINS((error.diagnostics().at(0).message), "No such file");
  }
  EXPECT_THROW(read_file(data_file("swf")), InputError);  // a folder
}

// Every prefix, and 20 000 random changes of one to eight bytes: an answer or an InputError, never anything else. What
// is kept keeps its promises.
TEST(SwfReader, SurvivesEveryPrefixAndRandomDamage) {
  std::string text;
  ByteSource bytes = ByteSource::open(data_file("swf/oddities.swf"));
  std::array<char, 4096> piece{};
  while (const std::size_t n = bytes.read(piece.data(), piece.size())) text.append(piece.data(), n);
  const std::string packed = gzip(text);
  const auto check = [](const std::string& input) {
    try {
      const SwfTrace trace = read_text(input, 200);
      for (std::size_t j = 0; j < trace.jobs(); ++j) {
        ASSERT_GE(trace.run_time[j], Duration{});
        ASSERT_GE(trace.submitted_at[j], j == 0 ? TimePoint{} : trace.submitted_at[j - 1]);
        ASSERT_TRUE(trace.allocated[j] > 0 || trace.requested[j] > 0);
        ASSERT_LT(trace.user[j], trace.users.size());
      }
    } catch (const InputError&) {
    }
  };
  for (std::size_t n = 0; n <= text.size(); ++n) check(text.substr(0, n));
  const Draws draws(1, 0, "damage");
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    std::string damaged = i % 2 == 0 ? text : packed;
    const std::uint64_t changes = 1 + draws.bits(i, 0, 0, Attribute::kTie) % 8;
    for (std::uint32_t k = 1; k <= changes; ++k) {
      const std::uint64_t bits = draws.bits(i, k, 0, Attribute::kTie);
      damaged[(bits >> 8) % damaged.size()] = static_cast<char>(bits & 0xff);
    }
    check(damaged);
  }
}

TEST(LooksLikeSwf, TellsTracesFromWorkloads) {
  EXPECT_TRUE(looks_like_swf("; Version: 2.2\n"));
  EXPECT_TRUE(looks_like_swf("\n  1 0 0 1 1 0 0 1 1\n"));
  EXPECT_TRUE(looks_like_swf("id\tsubmit\n1\t0\t0\t1\t1\t0\t0\t1\t1"));
  EXPECT_FALSE(looks_like_swf("name: w\nwork:\n  - trace: {swf: a.swf}\n"));
  EXPECT_FALSE(looks_like_swf(""));
  EXPECT_FALSE(looks_like_swf("1 2 3\n"));
  EXPECT_TRUE(is_swf_file(data_file("swf/accasim-sample.swf")));
  EXPECT_FALSE(is_swf_file(data_file("README.md")));
  EXPECT_FALSE(is_swf_file("no/such/file"));
}

// tests/data/swf/accasim-sample.swf: 25 jobs, 24 lines end in CR LF, no header (facts.json of the shared traces).
TEST(SwfReader, ReadsASampleWithoutHeader) {
  const SwfTrace trace = read_file(data_file("swf/accasim-sample.swf"));
  EXPECT_EQ(trace.jobs(), 25U);
  EXPECT_EQ(trace.header.max_procs, std::nullopt);
  EXPECT_EQ(trace.header.max_nodes, std::nullopt);
  EXPECT_EQ(trace.submitted_at.back() - trace.submitted_at.front(), Duration::seconds(3'329'894));
  EXPECT_TRUE(repairs_of(trace).empty());
}

// ---- the real logs: facts.json of the shared traces, "facts" of each file
struct LogFacts {
  const char* file;
  std::int64_t job_lines, malformed, run_negative, no_processors, falls, span_s;
  std::size_t kept, users;
  std::optional<std::int64_t> max_procs, max_nodes, unix_start_s;
};
class SwfLogs : public ::testing::TestWithParam<LogFacts> {};

TEST_P(SwfLogs, HaveTheirKnownFacts) {
  const LogFacts& facts = GetParam();
  const auto path = real_trace(std::string("swf/") + facts.file);
  HEADROOM_NEEDS_TRACE(path);
  const SwfTrace trace = read_file(*path);
  EXPECT_EQ(trace.job_lines, facts.job_lines);
  EXPECT_EQ(trace.repairs.count(Cause::kMalformed), facts.malformed);
  EXPECT_EQ(trace.repairs.count(Cause::kNegativeRun), facts.run_negative);
  EXPECT_EQ(trace.repairs.count(Cause::kNoProcessors), facts.no_processors);
  EXPECT_EQ(trace.repairs.count(Cause::kUnsorted), facts.falls);
  EXPECT_EQ(trace.repairs.count(Cause::kPartial), 0);
  EXPECT_EQ(trace.repairs.count(Cause::kOutOfRange), 0);
  EXPECT_EQ(trace.jobs(), facts.kept);
  EXPECT_EQ((trace.submitted_at.back() - trace.submitted_at.front()).ns, facts.span_s * kSecond);
  EXPECT_EQ(trace.users.size(), facts.users);
  EXPECT_EQ(trace.header.max_procs, facts.max_procs);
  EXPECT_EQ(trace.header.max_nodes, facts.max_nodes);
  EXPECT_EQ(trace.header.unix_start_s, facts.unix_start_s);
}

INSTANTIATE_TEST_SUITE_P(
    Table, SwfLogs,
    ::testing::Values(
        LogFacts{"HPC2N-2002-first3170.swf", 3170, 0, 25, 0, 0, 4'950'011, 3145, 17, 240, 240, 1'027'839'845},
        LogFacts{"KTH-SP2-1996-2.swf", 28'489, 0, 0, 0, 0, 29'363'618, 28'489, 214, 100, 100, 843'480'031},
        LogFacts{"NASA-iPSC-1993-3-head.swf", 228, 0, 0, 0, 0, 44'469, 228, 13, 128, 128, 749'458'803},
        LogFacts{"derived-messy-hpc2n.swf", 400, 0, 7, 2, 30, 1'648'635, 391, 8, 240, 120, {}},
        LogFacts{"fit-dag1.swf", 12, 1, 0, 0, 0, 0, 12, 1, {}, {}, {}},
        LogFacts{"fit-dag2.swf", 12, 1, 0, 0, 0, 0, 12, 1, {}, {}, {}},
        LogFacts{"lublin_256.swf", 10'000, 0, 0, 0, 0, 7'706'607, 10'000, 1, {}, 256, {}}));

}  // namespace
}  // namespace headroom
