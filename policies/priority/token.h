// The words of an expression.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::expr {

enum class TokenKind : std::uint8_t { kName, kNumber, kString, kOperator, kBracket, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;          ///< of a string: what it stands for, escapes resolved
  std::uint32_t offset = 0;  ///< from 0, in code points

  [[nodiscard]] bool is(TokenKind k, std::string_view t) const { return kind == k && text == t; }
  [[nodiscard]] bool is_operator(std::string_view t) const { return is(TokenKind::kOperator, t); }
  [[nodiscard]] bool is_bracket(std::string_view t) const { return is(TokenKind::kBracket, t); }
};

/// Longer sources are refused.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;

/// All of them, kEnd last; its offset is that of the last character, as the language's own messages have it.
/// Fails  Error (parse) at the first character that begins nothing.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view source);

}  // namespace headroom::expr
