#include "policies/priority/error.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "policies/priority/utf8.h"

namespace headroom::expr {
namespace {

constexpr std::array<std::string_view, 31> kCategories{"unexpected_end",
                                                       "unexpected_token",
                                                       "number_out_of_range",
                                                       "bad_number",
                                                       "unterminated_string",
                                                       "unterminated_comment",
                                                       "bad_escape",
                                                       "bad_character",
                                                       "coalesce_mixed",
                                                       "bad_map_key",
                                                       "too_large",
                                                       "unknown_name",
                                                       "unknown_field",
                                                       "unknown_method",
                                                       "member_of_nil",
                                                       "operand_types",
                                                       "condition_not_bool",
                                                       "redeclared",
                                                       "argument_count",
                                                       "argument_type",
                                                       "not_callable",
                                                       "bad_index_or_membership",
                                                       "unsupported",
                                                       "modulo_by_zero",
                                                       "conversion",
                                                       "member_of_wrong_value",
                                                       "method_on_wrong_value",
                                                       "index_out_of_range",
                                                       "negative_shift",
                                                       "bad_duration_text",
                                                       "result_not_number"};
constexpr std::array<std::string_view, 4> kPhases{"parse", "check", "fold", "runtime"};

/// Longer names are nobody's typing errors.
constexpr std::size_t kLongestName = 64;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row.back();
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

std::string_view word(Category category) { return kCategories[static_cast<std::size_t>(category)]; }
std::string_view word(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

Place place_of(std::string_view source, std::uint32_t offset) {
  Place place;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < offset; ++i) {
    if (at >= source.size()) {
      ++place.column;  // the end lies behind the last character
      continue;
    }
    if (next_code_point(source, at) == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return place;
}

std::string to_text(const Error& error, std::string_view source) {
  // Of a long line, what is around the place.
  constexpr std::uint32_t kAround = 60;
  const Place place = place_of(source, error.offset());
  std::string_view rest = source;
  for (std::uint32_t line = 1; line < place.line; ++line) rest.remove_prefix(rest.find('\n') + 1);
  rest = rest.substr(0, rest.find('\n'));
  const std::uint32_t first = place.column > kAround + 2 ? place.column - kAround : 1;
  std::string line = first > 1 ? "…" : "";
  std::uint32_t column = 1;
  std::size_t at = 0;
  for (; at < rest.size() && column <= place.column + kAround; ++column) {
    const std::uint32_t c = next_code_point(rest, at);
    if (column >= first) append_utf8(line, c < ' ' ? ' ' : c);
  }
  if (at < rest.size()) line += "…";
  return std::string(error.what()) + " (" + std::to_string(place.line) + ":" + std::to_string(place.column) + ")\n | " +
         line + "\n | " + std::string(place.column - first + (first > 1 ? 1 : 0), '.') + "^";
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  out.append(text).push_back('\'');
  return out;
}

std::string nearest(std::string_view found, const std::vector<std::string>& known) {
  if (found.size() > kLongestName) return "";
  const std::string* best = nullptr;
  std::size_t least = 0;
  for (const std::string& name : known) {
    if (name.size() > kLongestName) continue;
    const std::size_t distance = edit_distance(lower(found), lower(name));
    if (best == nullptr || distance < least) {
      best = &name;
      least = distance;
    }
  }
  if (best == nullptr || 3 * least > std::max(found.size(), best->size())) return "";
  return "; did you mean '" + *best + "'?";
}

}  // namespace headroom::expr
