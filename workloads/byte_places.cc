#include "workloads/byte_places.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "workloads/utf8.h"

namespace headroom {
namespace {

constexpr std::size_t kBefore = 512;  ///< bytes of a line that are kept before a place
constexpr std::size_t kAfter = 256;   ///< and shown after it
constexpr std::size_t kBlock = std::size_t{1} << 16;

bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Where the token begins that ends before `end` of `line`: a text at its opening quote, a bracket at itself.
std::size_t token_begin(std::string_view line, std::size_t end) {
  if (end == 0) return 0;
  std::size_t at = end - 1;
  if (line[at] == '"') {
    while (at > 0) {
      --at;
      std::size_t slashes = 0;
      while (slashes < at && line[at - 1 - slashes] == '\\') ++slashes;
      if (line[at] == '"' && slashes % 2 == 0) return at;
    }
    return end - 1;
  }
  constexpr std::string_view kStops = " \t,:[]{}\"";
  if (kStops.find(line[at]) != std::string_view::npos) return at;
  while (at > 0 && kStops.find(line[at - 1]) == std::string_view::npos) --at;
  return at;
}

/// Keeps a window of the text and the line and column of its beginning.
class Window {
 public:
  explicit Window(ByteSource& text) : text_(text) {}

  /// Moves on until `end` and what follows it are inside.
  void reach(std::uint64_t end) {
    while (!at_end_ && end + kAfter > begin_ + bytes_.size()) {
      drop_before(end > kBefore ? end - kBefore : 0);
      const std::size_t filled = bytes_.size();
      bytes_.resize(filled + kBlock);
      const std::size_t n = text_.read(bytes_.data() + filled, kBlock);
      bytes_.resize(filled + n);
      at_end_ = n == 0;
    }
  }

  void place(std::uint64_t end, Diagnostic& d) const {
    std::size_t at = static_cast<std::size_t>(std::min<std::uint64_t>(end, begin_ + bytes_.size()) - begin_);
    if (at > 0 && bytes_[at - 1] == '\n') --at;  // a line's end is shown behind its last character
    const std::string_view all = bytes_;
    const std::size_t newline = at == 0 ? std::string_view::npos : all.rfind('\n', at - 1);
    const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::size_t line_end = std::min({all.find_first_of("\r\n", at), at + kAfter, all.size()});
    std::string_view line = all.substr(line_begin, line_end - line_begin);
    while (!line.empty() && line_end < all.size() && goes_on(all[line_begin + line.size()])) line.remove_suffix(1);
    const std::size_t token = token_begin(line, std::min(at - line_begin, line.size()));
    d.line = line_ + std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(line_begin), '\n');
    d.skipped = newline == std::string_view::npos ? column_ : 0;
    d.column = d.skipped + static_cast<std::int64_t>(utf8::count(line.substr(0, token))) + 1;
    d.width = static_cast<std::int64_t>(utf8::count(line.substr(token, at - line_begin - token)));
    d.source_line = line;
  }

 private:
  /// Forgets what is before byte `wanted`, at a whole code point.
  void drop_before(std::uint64_t wanted) {
    if (wanted <= begin_) return;
    std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(wanted - begin_, bytes_.size()));
    while (n > 0 && n < bytes_.size() && goes_on(bytes_[n])) --n;
    const std::string_view gone = std::string_view(bytes_).substr(0, n);
    const std::size_t newline = gone.rfind('\n');
    if (newline != std::string_view::npos) {
      line_ += std::count(gone.begin(), gone.end(), '\n');
      column_ = 0;
    }
    column_ +=
        static_cast<std::int64_t>(utf8::count(newline == std::string_view::npos ? gone : gone.substr(newline + 1)));
    bytes_.erase(0, n);
    begin_ += n;
  }

  ByteSource& text_;
  std::string bytes_;
  std::uint64_t begin_ = 0;  ///< of `bytes_` in the text
  std::int64_t line_ = 1;    ///< of its first byte
  std::int64_t column_ = 0;  ///< code points of that line before it
  bool at_end_ = false;
};

}  // namespace

std::vector<Diagnostic> located(ByteSource text, std::vector<Misplaced> wrong) {
  std::ranges::stable_sort(wrong, {}, &Misplaced::end);
  std::vector<Diagnostic> diagnostics;
  Window window(text);
  for (Misplaced& at : wrong) {
    Diagnostic d;
    d.file = text.name();
    d.message = std::move(at.message);
    if (at.end > 0) {
      window.reach(at.end);
      window.place(at.end, d);
    }
    diagnostics.push_back(std::move(d));
  }
  return diagnostics;
}

}  // namespace headroom
