#include "workloads/swf_line.h"

#include <algorithm>
#include <cstring>

namespace headroom {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr int kWholeDigits = 18;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

SwfNumber make(bool negative, std::int64_t whole, std::int64_t nanos) {
  if (negative) return {-whole, static_cast<std::int32_t>(-nanos), SwfNumber::Kind::kNumber};
  return {whole, static_cast<std::int32_t>(nanos), SwfNumber::Kind::kNumber};
}

/// "[eE][+-]digits" at the end of a number, cut off at a million: no value is that large or small.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) value = std::min<std::int64_t>(value * 10 + (c - '0'), 1'000'000);
  return negative ? -value : value;
}

/// The digits of a decimal number and where its point stands among them.
struct Digits {
  std::string_view before, after;
  std::int64_t exponent = 0;
  /// The k-th digit counted from the point, after the exponent: 0 is the ones, 1 the tens, -1 the tenths.
  [[nodiscard]] int at(std::int64_t k) const {
    const std::int64_t index = static_cast<std::int64_t>(before.size()) - 1 - (k - exponent);
    if (index < 0) return 0;
    const auto i = static_cast<std::size_t>(index);
    if (i < before.size()) return before[i] - '0';
    return i - before.size() < after.size() ? after[i - before.size()] - '0' : 0;
  }
  /// Position of the first digit that is not 0, as for at(); nothing for zero.
  [[nodiscard]] std::optional<std::int64_t> leading() const {
    std::int64_t k = static_cast<std::int64_t>(before.size()) - 1 + exponent;
    for (const std::string_view part : {before, after}) {
      for (const char c : part) {
        if (c != '0') return k;
        --k;
      }
    }
    return std::nullopt;
  }
};

SwfNumber evaluate(bool negative, const Digits& digits) {
  const auto leading = digits.leading();
  if (!leading || *leading < -10) return make(false, 0, 0);
  if (*leading >= kWholeDigits) return {negative ? -1 : 1, 0, SwfNumber::Kind::kHuge};
  std::int64_t whole = 0;
  for (std::int64_t k = kWholeDigits - 1; k >= 0; --k) whole = whole * 10 + digits.at(k);
  std::int64_t nanos = 0;
  for (std::int64_t k = -1; k >= -9; --k) nanos = nanos * 10 + digits.at(k);
  if (digits.at(-10) >= 5 && ++nanos == kBillion) {
    nanos = 0;
    ++whole;
  }
  return make(negative, whole, nanos);
}

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

/// The usual case, whole and short, read in one go. Moves `p` behind the number if it was that, else leaves it.
bool read_whole(const char*& p, SwfNumber& number) {
  const char* q = p;
  const bool negative = *q == '-';
  if (negative) ++q;
  const char* const first = q;
  std::int64_t value = 0;
  while (is_digit(*q) && q - first < kWholeDigits) value = value * 10 + (*q++ - '0');
  if (q == first || !(is_blank(*q) || *q == '\n')) return false;
  number = {negative ? -value : value, 0, SwfNumber::Kind::kNumber};
  p = q;
  return true;
}

const char* column_end(const char* p) {
  while (!is_blank(*p) && *p != '\n') ++p;
  return p;
}

constexpr bool is_used(int k) { return k <= 9 || k == 11 || k == 12 || k >= 17; }

}  // namespace

std::optional<std::int64_t> SwfNumber::in_ns() const {
  std::int64_t ns = 0;
  if (kind != Kind::kNumber || __builtin_mul_overflow(whole, kBillion, &ns)) return std::nullopt;
  if (__builtin_add_overflow(ns, std::int64_t{nanos}, &ns)) return std::nullopt;
  return ns;
}

SwfNumber parse_swf_number(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  Digits digits;
  digits.before = text.substr(0, digits_at(text));
  text.remove_prefix(digits.before.size());
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    digits.after = text.substr(0, digits_at(text));
    text.remove_prefix(digits.after.size());
  }
  if (digits.before.empty() && digits.after.empty()) return {};
  if (!text.empty()) {
    if (text[0] != 'e' && text[0] != 'E') return {};
    const auto exponent = parse_exponent(text.substr(1));
    if (!exponent) return {};
    digits.exponent = *exponent;
  }
  return evaluate(negative, digits);
}

void split_swf_line(const char* begin, const char* end, SwfLine& line) {
  line.count = 0;
  line.preceding = {};
  line.end = begin;
  const char* p = begin;
  while (line.count < kSwfColumns) {
    while (is_blank(*p)) ++p;
    if (p == end) return;
    const int k = ++line.count;
    SwfNumber& number = line.columns[static_cast<std::size_t>(k - 1)];
    const char* const column = p;
    if (!is_used(k)) {
      p = column_end(p);
    } else if (!read_whole(p, number)) {
      p = column_end(p);
      number = parse_swf_number({column, static_cast<std::size_t>(p - column)});
    }
    if (k == 17) line.preceding = {column, static_cast<std::size_t>(p - column)};
    line.end = p;
  }
}

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 60)) result += c >= ' ' && c < '\x7f' ? c : c == '\t' ? ' ' : '?';
  if (text.size() > 60) result += "...";
  return result;
}

}  // namespace headroom
