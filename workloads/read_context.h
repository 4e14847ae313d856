// What the functions that read one section each share: the tree, the errors gathered so far, and readers of maps and
// scalars that report what is wrong instead of throwing. It must never know a section.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/diagnostics.h"
#include "workloads/scalar_text.h"
#include "workloads/yaml_tree.h"

namespace headroom::yaml {

/// An error and the override that it comes from (-1: the file).
struct ReadError {
  Diagnostic diagnostic;
  std::int32_t override_index = -1;
};

/// One read of one tree. Errors are gathered; at most kMostErrors are kept, the rest counted.
class Context {
 public:
  static constexpr std::size_t kMostErrors = 1000;

  /// `folder`: where the names of other files start; "" or ending in '/'.
  Context(const Tree& tree, const Lines& lines, std::string file, std::string folder = "")
      : tree_(&tree), lines_(&lines), file_(std::move(file)), folder_(std::move(folder)) {}

  [[nodiscard]] const Tree& tree() const { return *tree_; }
  [[nodiscard]] const Node& at(NodeId id) const { return (*tree_)[id]; }

  /// Reports `message` at the node, unless something has been reported for it before.
  void error(const Node& node, std::string message);
  /// Does the scalar's text stand in the file as it is, `skipped` code points after the node's place?
  [[nodiscard]] bool stands_at(const Node& node, std::int64_t skipped) const;
  /// "<what>: expected <wanted>, found <the node>".
  void expected(const Node& node, std::string_view what, std::string_view wanted);
  /// Errors of another file that this one names.
  void adopt(const std::vector<Diagnostic>& diagnostics);
  /// did_you_mean(), given up quietly once a hostile file has asked too often among too many names.
  [[nodiscard]] std::string hint(std::string_view found, std::span<const std::string> known);

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Another file that was read, each once, in the order of the first use.
  void note_data_file(const std::string& path);
  [[nodiscard]] const std::vector<std::string>& data_files() const { return data_files_; }
  /// Values of such files that were read before, so that a file which is named often is read once; null: not good.
  using Observed = std::shared_ptr<const std::vector<std::int64_t>>;
  [[nodiscard]] std::map<std::string, Observed>& observed() { return observed_; }

  [[nodiscard]] std::vector<ReadError>& errors() { return errors_; }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  [[nodiscard]] bool failed() const { return !errors_.empty(); }

 private:
  const Tree* tree_;
  const Lines* lines_;
  std::string file_, folder_;
  std::vector<std::string> data_files_;
  std::map<std::string, Observed> observed_;
  std::vector<ReadError> errors_;
  std::size_t dropped_ = 0;
  std::size_t compared_ = 0;
};

/// The node as a message shows it: "'abc'", "a list", "a map", "nothing"; with the parameter it came from.
[[nodiscard]] std::string described(const Tree& tree, const Node& node);

/// A map of known keys. Ask for each key that there may be, then finish(): what is left is unknown.
class MapReader {
 public:
  /// `section` is the name in the tables of later keys, `where` that in messages ("stage 'align'").
  MapReader(Context& context, const Node& node, std::string_view section, std::string where);

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  /// The key's value, or null.
  const Node* get(std::string_view key);
  /// The same; reports that it is missing.
  const Node* require(std::string_view key, std::string_view wanted);
  /// Reports the unknown keys, and by name those that a later version brings.
  void finish();

 private:
  Context* context_;
  const Node* node_;
  std::string section_, where_;
  bool ok_ = false;
  std::vector<bool> used_;
  std::vector<std::string> known_;
};

/// The message for a key or word of the format that is not there yet: "'actions' comes with … and is not supported
/// yet".
/// "" where the table has none. `section` is the map's, or its path for a word ("scheduler.like").
[[nodiscard]] std::string later_message(std::string_view section, std::string_view key);

// ---- scalars: each reports what is wrong and gives nothing
std::optional<std::string> text_of(Context& context, const Node& node, std::string_view what);
/// A text that names something: not empty, one line, no brackets (they index arrays), at most 200 bytes.
std::optional<std::string> name_of(Context& context, const Node& node, std::string_view what);
std::optional<std::int64_t> whole_of(Context& context, const Node& node, std::string_view what, std::int64_t least,
                                     std::int64_t most);
std::optional<long double> number_of(Context& context, const Node& node, std::string_view what);
std::optional<Duration> duration_of(Context& context, const Node& node, std::string_view what);
/// Longer than nothing.
std::optional<Duration> positive_duration_of(Context& context, const Node& node, std::string_view what);
std::optional<std::int64_t> memory_of(Context& context, const Node& node, std::string_view what);
std::optional<bool> boolean_of(Context& context, const Node& node, std::string_view what);
/// The index of the word; `section` is where later_message() looks.
std::optional<std::size_t> word_of(Context& context, const Node& node, std::string_view what, std::string_view section,
                                   std::span<const std::string_view> words);
/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string any_of_words(std::span<const std::string_view> words);

/// A list's items; reports what is no list.
[[nodiscard]] std::span<const NodeId> items_of(Context& context, const Node& node, std::string_view what);

/// Priorities are whole numbers of 32 bits (fuzzball-semantics Q4).
std::optional<std::int64_t> priority_of(Context& context, const Node& node, std::string_view what);

}  // namespace headroom::yaml
