// What is wrong with an input, where, and what would be right. All errors of a file are gathered and reported at once.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

struct Diagnostic {
  std::string file;
  std::int64_t line = 0;    ///< from 1; 0: the file as a whole
  std::int64_t column = 0;  ///< from 1, in code points
  std::string message;      ///< "stage 'align' needs 64 cores but no node has more than 32"
  std::string source_line;  ///< shown with a caret under `column`; empty: not shown
  std::int64_t width = 0;   ///< so many carets, in code points; 0: as far as the word at `column` goes
  std::int64_t skipped = 0; ///< code points of the line that `source_line` leaves out at its beginning

  /// Takes the line, or of a long one what is around `column`: a file of one line may have a thousand errors.
  void set_source(std::string_view whole_line);
};

/// "sweep.yaml:14:11: message\n   14 |     cores: 64\n      |            ^^\n"
[[nodiscard]] std::string to_string(const Diagnostic& diagnostic);

/// Bad input (exit 65). `kind` distinguishes what could not be opened (exit 66).
class InputError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { kBadInput, kNoInput };
  explicit InputError(std::vector<Diagnostic> diagnostics, Kind kind = Kind::kBadInput);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  [[nodiscard]] Kind kind() const { return kind_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  Kind kind_;
};

/// "; did you mean 'cores'?" for the nearest of `known` (at most a third of the letters differ), else "".
[[nodiscard]] std::string did_you_mean(std::string_view found, std::span<const std::string> known);

}  // namespace headroom
