// Characters to words. Positions of errors are those of the real language, which points at the last character read.
#include <array>

#include "policies/priority/error.h"
#include "policies/priority/token.h"
#include "policies/priority/utf8.h"

namespace headroom::expr {
namespace {

constexpr std::uint32_t kEof = 0xFFFFFFFF;

constexpr std::array<std::string_view, 11> kWordOperators{"not",        "in",       "or",  "and", "matches", "contains",
                                                          "startsWith", "endsWith", "let", "if",  "else"};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    for (;;) {
      begin_ = at_;
      begin_offset_ = offset_;
      const std::uint32_t c = next();
      if (c == kEof) break;
      read(c);
    }
    const std::uint32_t length = offset_ - 1;  // the end counts as one character read
    tokens_.push_back({TokenKind::kEnd, "", length == 0 ? 0 : length - 1});
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::uint32_t peek() const {
    if (at_ >= source_.size()) return kEof;
    std::size_t at = at_;
    return next_code_point(source_, at);
  }
  std::uint32_t next() {
    ++offset_;
    return at_ >= source_.size() ? kEof : next_code_point(source_, at_);
  }
  bool accept(std::string_view set) {
    const std::uint32_t c = peek();
    if (c >= 0x80 || set.find(static_cast<char>(c)) == std::string_view::npos) return false;
    next();
    return true;
  }
  void accept_run(std::string_view set) {
    while (accept(set)) {
    }
  }
  [[nodiscard]] std::string word() const { return std::string(source_.substr(begin_, at_ - begin_)); }
  void emit(TokenKind kind) { tokens_.push_back({kind, std::string(word()), begin_offset_}); }
  /// At the last character read.
  [[noreturn]] void fail(Category category, const std::string& message) const {
    throw Error(Phase::kParse, category, offset_ - 1, message);
  }

  void read(std::uint32_t c) {
    if (is_space(c)) return;
    if (c == '\'' || c == '"') return string(c);
    if (c == '`') return raw();
    if (is_digit(c)) return number(c);
    if (is_letter(c)) return name();
    switch (c) {
      case '?':
        accept(".?");
        return emit(TokenKind::kOperator);
      case '/':
        return slash();
      case '|':
        accept("|");
        return emit(TokenKind::kOperator);
      case ':':
        accept(":");
        return emit(TokenKind::kOperator);
      case '(':
      case '[':
      case '{':
      case ')':
      case ']':
      case '}':
        return emit(TokenKind::kBracket);
      case '#':
      case ',':
      case ';':
      case '%':
      case '+':
      case '-':
      case '^':
        return emit(TokenKind::kOperator);
      case '&':
      case '!':
      case '=':
      case '*':
      case '<':
      case '>':
        accept("&=*");
        return emit(TokenKind::kOperator);
      case '.':
        if (is_digit(peek())) return number('.');
        accept(".");
        return emit(TokenKind::kOperator);
      default:
        break;
    }
    std::string shown;
    append_utf8(shown, c);
    throw Error(Phase::kParse, Category::kBadCharacter, begin_offset_, quoted(shown) + " means nothing here", shown);
  }

  void name() {
    while (is_letter(peek()) || is_digit(peek())) next();
    for (const std::string_view word_operator : kWordOperators)
      if (word() == word_operator) return emit(TokenKind::kOperator);
    emit(TokenKind::kName);
  }

  /// `first` has been read: a digit, or the dot before one.
  void number(std::uint32_t first) {
    std::string_view digits = "0123456789_";
    const bool zero = first == '0' || (first == '.' && accept("0"));
    if (zero) {
      if (accept("xX")) {
        digits = "0123456789abcdefABCDEF_";
      } else if (accept("oO")) {
        digits = "01234567_";
      } else if (accept("bB")) {
        digits = "01_";
      }
    }
    accept_run(digits);
    if (peek() == '.') {
      const bool range = at_ + 1 < source_.size() && source_[at_ + 1] == '.';
      if (range) return emit(TokenKind::kNumber);
      next();
      accept_run(digits);
    }
    if (accept("eE")) {
      accept("+-");
      accept_run(digits);
    }
    if (is_letter(peek()) || is_digit(peek())) {
      next();
      fail(Category::kBadNumber, quoted(word()) + " is not a number");
    }
    emit(TokenKind::kNumber);
  }

  void slash() {
    if (accept("/")) {
      while (peek() != kEof && peek() != '\n') next();
      return;
    }
    if (!accept("*")) return emit(TokenKind::kOperator);
    for (;;) {
      const std::uint32_t c = next();
      if (c == kEof) fail(Category::kUnterminatedComment, "the comment is not closed; '*/' ends it");
      if (c == '*' && peek() == '/') {
        next();
        return;
      }
    }
  }

  void raw() {
    std::string text;
    for (;;) {
      const std::uint32_t c = next();
      if (c == kEof) fail(Category::kUnterminatedString, "the string is not closed");
      if (c == '`') break;
      append_utf8(text, c);
    }
    tokens_.push_back({TokenKind::kString, std::move(text), begin_offset_});
  }

  void string(std::uint32_t quote) {
    std::string text;
    for (;;) {
      const std::uint32_t c = next();
      if (c == quote) break;
      if (c == kEof || c == '\n') fail(Category::kUnterminatedString, "the string is not closed");
      if (c == '\\') {
        escape(quote, text);
      } else {
        append_utf8(text, c);
      }
    }
    tokens_.push_back({TokenKind::kString, std::move(text), begin_offset_});
  }

  void escape(std::uint32_t quote, std::string& text) {
    const std::uint32_t c = next();
    if (c == quote || c == '\\') return append_utf8(text, c);
    constexpr std::string_view kLetters = "abfnrtv";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v";
    if (c < 0x80) {
      const std::size_t letter = kLetters.find(static_cast<char>(c));
      if (letter != std::string_view::npos) return append_utf8(text, static_cast<std::uint32_t>(kMeanings[letter]));
    }
    if (c == 'x') return append_utf8(text, digits(next(), 16, 2));
    if (c == 'u') return append_utf8(text, code_point(digits(next(), 16, 4)));
    if (c == 'U') return append_utf8(text, code_point(digits(next(), 16, 8)));
    if (c >= '0' && c <= '7') return append_utf8(text, digits(c, 8, 3));
    fail(Category::kBadEscape, "no escape begins like this");
  }
  std::uint32_t digits(std::uint32_t c, std::uint32_t base, int count) {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i) {
      if (i > 0) c = next();
      const std::uint32_t digit = is_digit(c)            ? c - '0'
                                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                         : 99;
      if (digit >= base) fail(Category::kBadEscape, "the escape wants " + std::to_string(count) + " digits");
      value = value * base + digit;
    }
    return value;
  }
  std::uint32_t code_point(std::uint32_t value) const {
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
      fail(Category::kBadEscape, "the escape names no character");
    return value;
  }

  std::string_view source_;
  std::size_t at_ = 0, begin_ = 0;
  std::uint32_t offset_ = 0, begin_offset_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) {
  if (source.size() > kMaxSourceBytes)
    throw Error(Phase::kParse, Category::kTooLarge, 0,
                "the expression is longer than " + std::to_string(kMaxSourceBytes) + " bytes");
  return Lexer(source).run();
}

}  // namespace headroom::expr
