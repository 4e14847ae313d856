// What is wrong with an expression, and where. Kinds and categories are words that a caller can count on; the message
// is for people. Must never know where the expression came from: a file's reader adds its own place.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::expr {

enum class Phase : std::uint8_t { kParse, kCheck, kFold, kRuntime };

enum class Category : std::uint8_t {
  // parse
  kUnexpectedEnd,
  kUnexpectedToken,
  kNumberOutOfRange,
  kBadNumber,
  kUnterminatedString,
  kUnterminatedComment,
  kBadEscape,
  kBadCharacter,
  kCoalesceMixed,
  kBadMapKey,
  kTooLarge,
  // check
  kUnknownName,
  kUnknownField,
  kUnknownMethod,
  kMemberOfNil,
  kOperandTypes,
  kConditionNotBool,
  kRedeclared,
  kArgumentCount,
  kArgumentType,
  kNotCallable,
  kBadIndexOrMembership,
  kUnsupported,
  // fold, runtime
  kModuloByZero,
  kConversion,
  kMemberOfWrongValue,
  kMethodOnWrongValue,
  kIndexOutOfRange,
  kNegativeShift,
  kBadDurationText,
  kResultNotNumber,
};

/// "unexpected_end", "operand_types" …
[[nodiscard]] std::string_view word(Category category);
/// "parse", "check", "fold", "runtime"
[[nodiscard]] std::string_view word(Phase phase);

class Error : public std::runtime_error {
 public:
  /// `offset`: of the source, from 0, in code points.
  Error(Phase phase, Category category, std::uint32_t offset, const std::string& message, std::string token = "")
      : std::runtime_error(message), phase_(phase), category_(category), offset_(offset), token_(std::move(token)) {}

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] Category category() const { return category_; }
  /// An expression that does not compile, as opposed to one that fails on some inputs.
  [[nodiscard]] bool is_compile_error() const { return phase_ != Phase::kRuntime; }
  [[nodiscard]] std::uint32_t offset() const { return offset_; }
  /// The token or name that the message is about; may be empty.
  [[nodiscard]] const std::string& token() const { return token_; }

 private:
  Phase phase_;
  Category category_;
  std::uint32_t offset_;
  std::string token_;
};

/// From 1, in code points; a tab counts 1.
struct Place {
  std::uint32_t line = 1, column = 1;
};
[[nodiscard]] Place place_of(std::string_view source, std::uint32_t offset);

/// "message (1:5)\n | 1 + )\n | ....^": what is shown to people.
[[nodiscard]] std::string to_text(const Error& error, std::string_view source);

/// "'text'"
[[nodiscard]] std::string quoted(std::string_view text);
/// "; did you mean 'workflow'?" for the nearest of `known` (at most a third of its letters differ), else "".
[[nodiscard]] std::string nearest(std::string_view found, const std::vector<std::string>& known);

}  // namespace headroom::expr
