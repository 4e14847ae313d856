// Every recorded expression of the real language against ours: values bit for bit, errors by kind, phase, category and
// place. The recordings are in the folder that EXPR_GOLDEN names, by default beside the clone; records of our own are
// in tests/data/expr, so that a clone alone tests the language too.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "workloads/expression_json.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What the folder must give, or a change of ours has lost something.
constexpr std::size_t kLeastCompared = 707;
constexpr std::size_t kLeastComparedHere = 115;

struct Sum {
  std::size_t compared = 0, refused = 0, records = 0, wrong = 0;
};

std::string file_text(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool has_power(const std::string& source) {
  return source.find("**") != std::string::npos || source.find('^') != std::string::npos;
}

bool same_float(const Json& ours, const Json& theirs, bool power) {
  if (!theirs.contains("bits")) return ours.at("value") == theirs.at("value") && !ours.contains("bits");
  if (!ours.contains("bits")) return false;
  const auto bits = [](const Json& json) { return std::stoull(json.at("bits").get<std::string>(), nullptr, 16); };
  const std::uint64_t a = bits(ours);
  const std::uint64_t b = bits(theirs);
  // The real language has a power function of its own: the last bit is free.
  return a == b || (power && (a > b ? a - b : b - a) <= 1);
}

bool same_value(const Json& ours, const Json& theirs, bool power) {
  if (ours.at("type") != theirs.at("type")) return false;
  if (theirs.at("type") == "float") return same_float(ours, theirs, power);
  if (theirs.at("type") == "array") {
    if (ours.at("items").size() != theirs.at("items").size()) return false;
    for (std::size_t i = 0; i < theirs.at("items").size(); ++i)
      if (!same_value(ours.at("items")[i], theirs.at("items")[i], power)) return false;
    return true;
  }
  return nlohmann::json(ours) == nlohmann::json(theirs);
}

bool same_error(const Json& ours, const Json& theirs) {
  for (const char* key : {"kind", "phase", "category", "line", "col"})
    if (theirs.contains(key) && (!ours.contains(key) || ours.at(key) != theirs.at(key))) return false;
  return true;
}

/// "" if they agree, else what differs.
std::string difference(const Json& ours, const Json& theirs) {
  const bool power = has_power(theirs.at("expr").get<std::string>());
  if (theirs.contains("error")) {
    if (!ours.contains("error") || !same_error(ours.at("error"), theirs.at("error"))) return "the error";
  } else if (!ours.contains("result") || !same_value(ours.at("result"), theirs.at("result"), power)) {
    return "the value";
  }
  if (theirs.contains("static_type") &&
      (!ours.contains("static_type") || ours.at("static_type") != theirs.at("static_type")))
    return "the static type";
  if (!theirs.contains("as_float")) return "";
  if (!ours.contains("as_float")) return "the float";
  const Json& a = ours.at("as_float");
  const Json& b = theirs.at("as_float");
  if (b.contains("error") != a.contains("error")) return "the float";
  if (b.contains("error")) return same_error(a.at("error"), b.at("error")) ? "" : "the float's error";
  return same_float(a, b, power) ? "" : "the float";
}

bool is_refusal(const Json& ours) {
  return ours.contains("error") && ours.at("error").at("category") == expr::word(expr::Category::kUnsupported);
}

Sum compare_all(const fs::path& folder) {
  Sum sum;
  std::map<std::string, ExpressionInputs> environments;
  for (ExpressionInputs& inputs : read_expression_inputs(file_text(folder / "envs.json"), "envs.json"))
    environments.emplace(inputs.name, std::move(inputs));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (line.empty()) continue;
      const Json theirs = Json::parse(line);
      ++sum.records;
      const auto inputs = environments.find(theirs.at("env").get<std::string>());
      if (inputs == environments.end()) {
        ADD_FAILURE() << line << ": no such environment";
        continue;
      }
      const Json ours = evaluation_json(theirs.at("expr").get<std::string>(), inputs->second);
      if (theirs.value("tier", 1) != 1 && is_refusal(ours)) {
        ++sum.refused;
        continue;
      }
      const std::string differs = difference(ours, theirs);
      if (differs.empty()) {
        ++sum.compared;
      } else {
        ++sum.wrong;
        ADD_FAILURE() << file.filename() << ": " << differs << " differs\n  recorded " << line << "\n  ours     "
                      << ours;
      }
    }
  }
  std::printf("%zu of %zu records compared, %zu refused by name, %zu wrong\n", sum.compared, sum.records, sum.refused,
              sum.wrong);
  return sum;
}

fs::path golden_folder() {
  const char* named = std::getenv("EXPR_GOLDEN");
  return named != nullptr ? fs::path(named) : fs::path(HEADROOM_SOURCE_DIR) / ".." / "shared" / "golden" / "expr";
}

TEST(ExprGolden, EveryRecordedExpressionGivesTheRecordedValueOrError) {
  const fs::path folder = golden_folder();
  if (!fs::is_directory(folder)) {
    if (std::getenv("HEADROOM_NO_SKIP") != nullptr) FAIL() << folder << " is missing; EXPR_GOLDEN names it";
    GTEST_SKIP() << folder << " is missing; EXPR_GOLDEN names it";
  }
  const Sum sum = compare_all(folder);
  EXPECT_EQ(sum.wrong, 0U);
  if (sum.records < 700) return;  // another folder than the one that the floor was set on
  EXPECT_GE(sum.compared, kLeastCompared);
}

TEST(ExprGolden, TheRecordsKeptHereGiveTheirValueOrError) {
  const Sum sum = compare_all(HEADROOM_SOURCE_DIR "/tests/data/expr");
  EXPECT_EQ(sum.wrong, 0U);
  EXPECT_GE(sum.compared, kLeastComparedHere);
}

}  // namespace
}  // namespace headroom
