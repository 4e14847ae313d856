// How a diagnostic is shown, and the search for the nearest known name. It must never know what kind of input it was.
#include "workloads/diagnostics.h"

#include <algorithm>
#include <utility>

#include "workloads/utf8.h"

namespace headroom {
namespace {

constexpr std::size_t kShownBefore = 70;  ///< code points of a long line that are shown before the caret
constexpr std::size_t kShownAfter = 40;
constexpr std::size_t kLongestNameCompared = 100;

/// The line as it can be printed: a tab stays (so that the caret can copy it), what cannot be printed becomes '?'.
std::vector<std::string> printable_characters(std::string_view line) {
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t length = utf8::sequence_length(line, at);
    const auto byte = static_cast<unsigned char>(line[at]);
    const bool shown = length > 1 || (length == 1 && (byte >= 0x20 || byte == '\t') && byte != 0x7f);
    characters.emplace_back(shown ? line.substr(at, length) : "?");
    at += std::max<std::size_t>(length, 1);
  }
  return characters;
}

/// How far the value at `begin` goes, where the diagnostic does not say: to the closing quote, else to the word's end.
std::size_t word_end(const std::vector<std::string>& line, std::size_t begin) {
  const std::string first = begin < line.size() ? line[begin] : "";
  if (first == "'" || first == "\"") {
    const auto close = std::find(line.begin() + static_cast<std::ptrdiff_t>(begin) + 1, line.end(), first);
    return close == line.end() ? line.size() : static_cast<std::size_t>(close - line.begin()) + 1;
  }
  std::size_t end = begin;
  while (end < line.size() && std::string_view(" \t,:#[]{}").find(line[end]) == std::string_view::npos) ++end;
  return std::max(end, begin + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// Letters to insert, delete, replace or swap with the neighbour to get from `a` to `b`; anything above `limit` may be
/// given for more than `limit`. Cost O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    if (*std::ranges::min_element(row) > limit) return limit + 1;
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string source_excerpt(const Diagnostic& diagnostic) {
  const std::vector<std::string> line = printable_characters(diagnostic.source_line);
  const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(diagnostic.column - 1 - diagnostic.skipped, 0));
  const std::size_t end =
      diagnostic.width > 0 ? begin + static_cast<std::size_t>(diagnostic.width) : word_end(line, begin);
  const std::size_t from = begin > kShownBefore ? std::min(begin - kShownBefore, line.size()) : 0;
  const std::size_t to = std::min(line.size(), std::max(begin, from) + kShownAfter + kShownBefore);

  const std::string number = std::to_string(diagnostic.line);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string shown = margin + number + " | " + (from > 0 ? "…" : "");
  std::string carets = std::string(margin.size() + number.size(), ' ') + " | " + (from > 0 ? " " : "");
  for (std::size_t i = from; i < to; ++i) {
    shown += line[i];
    if (i < begin) carets += line[i] == "\t" ? "\t" : " ";
  }
  if (to < line.size()) shown += "…";
  carets.append(std::max<std::size_t>(std::min(end, std::max(to, begin + 1)) - begin, 1), '^');
  return shown + "\n" + carets + "\n";
}

}  // namespace

void Diagnostic::set_source(std::string_view whole_line) {
  constexpr std::size_t kLongLine = 1000;
  skipped = 0;
  if (whole_line.size() <= kLongLine) {
    source_line = whole_line;
    return;
  }
  const std::int64_t first = std::max<std::int64_t>(column - 1 - 2 * static_cast<std::int64_t>(kShownBefore), 0);
  std::size_t at = 0;
  for (; skipped < first && at < whole_line.size(); ++skipped)
    at += std::max<std::size_t>(utf8::sequence_length(whole_line, at), 1);
  source_line = whole_line.substr(std::min(at, whole_line.size()), kLongLine);
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.line > 0) {
    text += ":" + std::to_string(diagnostic.line);
    if (diagnostic.column > 0) text += ":" + std::to_string(diagnostic.column);
  }
  if (!text.empty()) text += ": ";
  text += diagnostic.message + "\n";
  if (diagnostic.line > 0 && diagnostic.column > 0 && !diagnostic.source_line.empty())
    text += source_excerpt(diagnostic);
  return text;
}

namespace {
std::string all_of(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_string(diagnostic);
  return text;
}
}  // namespace

InputError::InputError(std::vector<Diagnostic> diagnostics, Kind kind)
    : std::runtime_error(all_of(diagnostics)), diagnostics_(std::move(diagnostics)), kind_(kind) {}

std::string did_you_mean(std::string_view found, std::span<const std::string> known) {
  if (found.empty() || found.size() > kLongestNameCompared) return "";
  const std::string wanted = lower_case(found);
  const std::string* nearest = nullptr;
  std::size_t least = 0;
  for (const std::string& name : known) {
    if (name.size() > kLongestNameCompared) continue;
    // A third of the letters, so that 'at' is never taken for 'as' but 'rae' is for 'race'.
    const std::size_t limit = std::max(found.size(), name.size()) / 3;
    if (nearest != nullptr && least == 0) break;
    const std::size_t allowed = nearest == nullptr ? limit : std::min(limit, least - 1);
    const std::size_t distance = edit_distance(wanted, lower_case(name), allowed);
    if (distance > allowed) continue;
    nearest = &name;
    least = distance;
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

}  // namespace headroom
