#include "sim/cli/text_table.h"

#include <algorithm>

#include "policies/check.h"

namespace headroom::cli {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The code point at the beginning of `text`, which is not empty. Overlong forms and surrogates are invalid.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (size == 0 || lead >= 0xf5 || text.size() < size) return {};
  char32_t value = lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, size, true};
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

std::size_t width_of(char32_t c) {
  const auto in = [c](char32_t from, char32_t to) { return c >= from && c <= to; };
  if (in(0x300, 0x36f) || in(0x483, 0x489) || in(0x591, 0x5bd) || in(0x610, 0x61a) || in(0x64b, 0x65f) ||
      in(0x1ab0, 0x1aff) || in(0x1dc0, 0x1dff) || in(0x200b, 0x200d) || in(0x20d0, 0x20ff) || in(0xfe00, 0xfe0f) ||
      in(0xfe20, 0xfe2f))
    return 0;
  if (in(0x1100, 0x115f) || in(0x2e80, 0xa4cf) || in(0xac00, 0xd7a3) || in(0xf900, 0xfaff) || in(0xfe30, 0xfe6f) ||
      in(0xff00, 0xff60) || in(0xffe0, 0xffe6) || in(0x1f300, 0x1f64f) || in(0x1f680, 0x1f6ff) ||
      in(0x1f900, 0x1f9ff) || in(0x20000, 0x3fffd))
    return 2;
  return 1;
}

void append_cell(std::string& line, const std::string& text, std::size_t width, Align align) {
  const std::size_t taken = display_width(text);
  const std::size_t blanks = width > taken ? width - taken : 0;
  if (align == Align::kRight) line.append(blanks, ' ');
  line += text;
  if (align == Align::kLeft) line.append(blanks, ' ');
}

void end_line(std::string& out, std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line;
  out += '\n';
  line.clear();
}

constexpr std::size_t kGap = 2;

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    if (!point.valid || is_control(point.value))
      out += '?';
    else
      out += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    std::replace(line.begin(), line.end(), '\t', ' ');
    out += printable(line);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    width += point.valid ? width_of(point.value) : 1;
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t taken = 0, bytes = 0;
  while (bytes < text.size()) {
    const CodePoint point = decode(text.substr(bytes));
    const std::size_t more = point.valid ? width_of(point.value) : 1;
    if (taken + more > width - 1) break;
    taken += more;
    bytes += point.bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string wrapped(std::string_view text, std::size_t first_column, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = first_column;
  bool at_start = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t taken = display_width(word);
    if (!at_start && column + 1 + taken > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      at_start = true;
    }
    if (!at_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += taken;
    at_start = false;
  }
  return out;
}

void TextTable::add_column(std::string header, Align align) { columns_.push_back({printable(header), align}); }

void TextTable::add_row(std::vector<std::string> cells) {
  HEADROOM_CHECK(cells.size() == columns_.size(),
                 std::to_string(cells.size()) + " cells, " + std::to_string(columns_.size()) + " columns");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), false});
}

void TextTable::add_heading(std::string text) { rows_.push_back({{printable(text)}, true}); }

std::vector<std::size_t> TextTable::column_widths(std::size_t most_key, std::size_t most_value) const {
  std::vector<std::size_t> widths(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = display_width(columns_[c].header);
    for (const Row& row : rows_)
      if (!row.heading) widest = std::max(widest, display_width(row.cells[c]));
    widths[c] = std::min(widest, c < keys_ ? most_key : most_value);
  }
  return widths;
}

void TextTable::render_band(std::string& out, const std::vector<std::size_t>& columns,
                            const std::vector<std::size_t>& widths, std::size_t indent, std::size_t width) const {
  std::string line;
  const auto begin = [&] { line.assign(indent, ' '); };
  const auto cell = [&](std::size_t nth, const std::string& text) {
    const std::size_t column = columns[nth];
    if (nth > 0) line.append(kGap, ' ');
    append_cell(line, shortened(text, widths[column]), widths[column], columns_[column].align);
  };
  begin();
  for (std::size_t i = 0; i < columns.size(); ++i) cell(i, columns_[columns[i]].header);
  end_line(out, line);
  for (const Row& row : rows_) {
    begin();
    if (row.heading)
      line += shortened(row.cells.front(), width - indent);
    else
      for (std::size_t i = 0; i < columns.size(); ++i) cell(i, row.cells[columns[i]]);
    end_line(out, line);
  }
}

std::string TextTable::render(std::size_t width, std::size_t indent) const {
  std::string out;
  const std::size_t most_key =
      std::max<std::size_t>(8, (width - indent) / (2 * std::max<std::size_t>(1, keys_)) - kGap);
  const std::vector<std::size_t> widths = column_widths(most_key, std::max<std::size_t>(8, width / 3));
  std::size_t key_width = indent;
  for (std::size_t c = 0; c < std::min(keys_, columns_.size()); ++c) key_width += widths[c] + (c > 0 ? kGap : 0);
  std::size_t next = keys_;
  do {
    std::vector<std::size_t> band;
    for (std::size_t c = 0; c < std::min(keys_, columns_.size()); ++c) band.push_back(c);
    std::size_t taken = key_width;
    // At least one value column a band, or nothing would ever be printed.
    while (next < columns_.size() && (band.size() == keys_ || taken + kGap + widths[next] <= width)) {
      taken += kGap + widths[next];
      band.push_back(next++);
    }
    if (!out.empty()) out += '\n';
    render_band(out, band, widths, indent, width);
  } while (next < columns_.size());
  return out;
}

}  // namespace headroom::cli
