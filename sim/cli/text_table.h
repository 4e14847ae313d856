// Tables of text for a terminal: aligned, never wider than asked, whatever the names in them are made of.
// It must know nothing of what the cells mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::cli {

inline constexpr std::size_t kTerminalWidth = 100;

/// `text` fit for a terminal: control characters and bytes that are not UTF-8 become '?', so that no name of a workload
/// can move the cursor or colour the screen.
[[nodiscard]] std::string printable(std::string_view text);
/// The same of several lines; a tab becomes one blank, so that carets stay where they point.
[[nodiscard]] std::string printable_lines(std::string_view text);
/// Columns that `text` takes on a terminal: combining marks none, wide characters two.
[[nodiscard]] std::size_t display_width(std::string_view text);
/// `text`, or its beginning and "…", so that it takes at most `width` columns.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
/// Words of `text` over lines of at most `width` columns; lines after the first begin with `indent` blanks. A word that
/// is longer than a line stays whole on its own: paths are copied from here.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t first_column, std::size_t indent,
                                  std::size_t width = kTerminalWidth);

enum class Align : std::uint8_t { kLeft, kRight };

/// Key columns say what a row is and come again in every band; where not all other columns fit side by side, the table
/// is printed in bands, each as wide as fits.
class TextTable {
 public:
  /// `keys` of the columns are keys.
  explicit TextTable(std::size_t keys = 1) : keys_(keys) {}

  void add_column(std::string header, Align align = Align::kRight);
  /// As many cells as columns (checked).
  void add_row(std::vector<std::string> cells);
  /// A line of its own between rows, in the key column: "bulk (1 workflow)".
  void add_heading(std::string text);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Every line ends with a newline and has no blanks before it.
  [[nodiscard]] std::string render(std::size_t width = kTerminalWidth, std::size_t indent = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;  ///< one cell: a heading
    bool heading = false;
  };
  struct ColumnShape {
    std::string header;
    Align align;
  };
  [[nodiscard]] std::vector<std::size_t> column_widths(std::size_t most_key, std::size_t most_value) const;
  void render_band(std::string& out, const std::vector<std::size_t>& columns, const std::vector<std::size_t>& widths,
                   std::size_t indent, std::size_t width) const;

  std::size_t keys_;
  std::vector<ColumnShape> columns_;
  std::vector<Row> rows_;
};

}  // namespace headroom::cli
