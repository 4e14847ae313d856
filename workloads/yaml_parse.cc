// From text to tree: yaml-cpp's events, made strict. The only file that knows yaml-cpp.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <exception>
#include <istream>
#include <streambuf>
#include <unordered_map>
#include <utility>

#include "workloads/utf8.h"
#include "workloads/yaml_tree.h"

namespace headroom::yaml {
namespace {

/// What is wrong and where; `column` is in bytes from 0, `line` from 0, as yaml-cpp counts.
struct Fault {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string message;
};

std::string hexadecimal(std::uint32_t code_point) {
  std::string digits;
  for (std::uint32_t rest = code_point; rest > 0 || digits.size() < 4; rest >>= 4U) {
    digits.insert(digits.begin(), "0123456789ABCDEF"[rest & 0xfU]);
  }
  return "U+" + digits;
}

bool is_printable(std::uint32_t c) {
  if (c == '\t' || c == '\n' || c == 0x85) return true;
  return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && c != 0xfffe && c != 0xffff;
}

void check_characters(std::string_view text) {
  std::int64_t line = 0;
  std::size_t line_begin = 0;
  std::size_t marks = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t c = 0;
    const std::size_t length = utf8::sequence_length(text, at, &c);
    const auto column = static_cast<std::int64_t>(at - line_begin);
    if (length == 0) throw Fault{line, column, "this is not valid UTF-8"};
    if (c == 0xfeff) throw Fault{line, column, "a byte order mark stands in the middle of the text; remove it"};
    if (!is_printable(c)) throw Fault{line, column, "the character " + hexadecimal(c) + " is not allowed in YAML"};
    if (std::string_view("[{,:&*!?").find(text[at]) != std::string_view::npos && ++marks > kMostMarks) {
      throw Fault{line, column, "more than " + std::to_string(kMostMarks) + " brackets, commas, colons and the like"};
    }
    at += length;
    if (c == '\n') {
      ++line;
      line_begin = at;
    }
  }
}

/// Reads a string_view without copying it.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // NOLINT: std::streambuf's interface; it is only read
    setg(begin, begin, begin + text.size());
  }
};

/// Columns in code points. Marks rise, mostly, so it counts on from the last one: a file of one long line stays linear.
class Columns {
 public:
  explicit Columns(const Lines& lines) : lines_(&lines) {}

  std::int32_t code_points(std::int64_t line, std::int64_t byte) {
    if (line != line_ || byte < byte_) {
      line_ = line;
      text_ = lines_->line(line + 1);
      byte_ = count_ = 0;
    }
    const auto end = std::min(static_cast<std::size_t>(std::max<std::int64_t>(byte, 0)), text_.size());
    const auto begin = std::min(static_cast<std::size_t>(byte_), text_.size());
    if (end > begin) count_ += static_cast<std::int64_t>(utf8::count(text_.substr(begin, end - begin)));
    byte_ = std::max(byte, byte_);
    return static_cast<std::int32_t>(count_ + 1);
  }

 private:
  const Lines* lines_;
  std::string_view text_;
  std::int64_t line_ = -1, byte_ = 0, count_ = 0;
};

/// Builds the tree from the events and refuses what YAML 1.2's core schema, or we, do not want.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(const Lines& lines) : lines_(&lines), columns_(lines) {}

  Tree take() { return std::move(tree_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const NodeId id = add(Node::Kind::kEmpty, mark, anchor);
    // The event does not say whether a null was written or nothing was. What is written at the mark tells, unless it
    // turns out to be the next value, which nothing stood before.
    tree_[id].text = null_text_at(mark);
    if (!tree_[id].text.empty()) {
      tree_[id].kind = Node::Kind::kScalar;
      doubtful_ = id;
    }
    put(id, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias to an unknown anchor");
    const NodeId id = found->second;
    if (is_open(id)) fail(mark, "an alias inside what it stands for has no end");
    settle(mark);
    tree_.has_aliases = true;
    count_values(mark, values_[id]);
    if (stack_.size() + heights_[id] > kDeepest) fail_depth(mark);
    put(id, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    const NodeId id = add(Node::Kind::kScalar, mark, anchor);
    tree_[id].text = value;
    tree_[id].quoted = tag == "!";
    put(id, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    NodeId node = kNoNode;
    std::unordered_map<std::string, NodeId> keys;  ///< of a map that has outgrown kFewKeys; empty before
  };
  static constexpr std::size_t kFewKeys = 16;

  [[noreturn]] static void fail(const YAML::Mark& mark, std::string message) {
    throw Fault{mark.line, mark.column, std::move(message)};
  }
  [[noreturn]] static void fail_depth(const YAML::Mark& mark) {
    fail(mark, "nested more than " + std::to_string(kDeepest) + " levels deep");
  }

  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, "tags ('!…') are not used in workloads; leave it out");
  }

  [[nodiscard]] std::string null_text_at(const YAML::Mark& mark) const {
    std::string_view rest = lines_->line(mark.line + 1);
    rest.remove_prefix(std::min(rest.size(), static_cast<std::size_t>(std::max(mark.column, 0))));
    if (rest.starts_with("&")) {  // The mark of an anchored value is that of its anchor.
      rest.remove_prefix(std::min(rest.size(), rest.find_first_of(" \t")));
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t")));
    }
    for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
      if (rest.starts_with(word)) return std::string(word);
    }
    return "";
  }

  void count_values(const YAML::Mark& mark, std::size_t more) {
    total_ += more;
    if (total_ > kMostValues) {
      fail(mark, "more than " + std::to_string(kMostValues) + " values, each alias counted as what it stands for");
    }
  }

  /// The next value stands where a doubtful null seemed to: there was nothing before it.
  void settle(const YAML::Mark& mark) {
    if (doubtful_ != kNoNode && doubtful_line_ == mark.line && doubtful_column_ == mark.column) {
      tree_[doubtful_].kind = Node::Kind::kEmpty;
      tree_[doubtful_].text.clear();
    }
    doubtful_ = kNoNode;
    doubtful_line_ = mark.line;
    doubtful_column_ = mark.column;
  }

  void check_indentation(const YAML::Mark& mark) {
    if (mark.line == checked_line_) return;
    checked_line_ = mark.line;
    const std::string_view line = lines_->line(mark.line + 1);
    const std::size_t tab = line.find_first_not_of(' ');
    if (tab < line.size() && line[tab] == '\t' && static_cast<std::size_t>(std::max(mark.column, 0)) > tab) {
      throw Fault{mark.line, static_cast<std::int64_t>(tab), "a tab is used as indentation; use spaces"};
    }
  }

  NodeId add(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    settle(mark);
    if (kind != Node::Kind::kEmpty) check_indentation(mark);
    count_values(mark, 1);
    const auto id = static_cast<NodeId>(tree_.nodes.size());
    Node& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = columns_.code_points(mark.line, mark.column);
    values_.push_back(1);
    heights_.push_back(0);
    if (anchor != 0) anchors_[anchor] = id;
    return id;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(mark, tag);
    if (stack_.size() >= kDeepest) fail_depth(mark);
    stack_.push_back({add(kind, mark, anchor), {}});
  }

  void close() {
    const NodeId id = stack_.back().node;
    stack_.pop_back();
    YAML::Mark mark;
    mark.line = tree_[id].line - 1;
    put(id, mark);
  }

  [[nodiscard]] bool is_open(NodeId id) const {
    return std::ranges::any_of(stack_, [&](const Frame& frame) { return frame.node == id; });
  }

  /// Hands a finished value to what it stands in.
  void put(NodeId id, const YAML::Mark& mark) {
    if (stack_.empty()) {
      tree_.root = id;
      return;
    }
    Frame& frame = stack_.back();
    Node& parent = tree_[frame.node];
    if (parent.is_map() && parent.children.size() % 2 == 0) check_key(frame, id, mark);
    parent.children.push_back(id);
    values_[frame.node] += values_[id];
    heights_[frame.node] = std::max(heights_[frame.node], heights_[id] + 1);
  }

  void check_key(Frame& frame, NodeId id, const YAML::Mark& mark) const {
    const Node& key = tree_[id];
    const auto at = [&](std::string message) { return Fault{key.line - 1, byte_column(key), std::move(message)}; };
    if (key.kind == Node::Kind::kEmpty) throw at("a value stands here without a key");
    if (!key.is_scalar()) throw at("a key must be a plain name");
    if (key.text == "<<" && !key.quoted) throw at("merge keys ('<<') are not used in workloads; write the keys out");
    const NodeId first = same_key(frame, id);
    if (first == kNoNode) return;
    throw Fault{mark.line, mark.column,
                "'" + key.text + "' is there twice; the first is on line " + std::to_string(tree_[first].line)};
  }

  /// An earlier key of the same text. Most maps are small: they are walked, not hashed.
  NodeId same_key(Frame& frame, NodeId id) const {
    const std::vector<NodeId>& children = tree_[frame.node].children;
    if (children.size() < 2 * kFewKeys) {
      for (std::size_t i = 0; i < children.size(); i += 2) {
        if (tree_[children[i]].text == tree_[id].text) return children[i];
      }
      return kNoNode;
    }
    if (frame.keys.empty()) {
      for (std::size_t i = 0; i < children.size(); i += 2) frame.keys.emplace(tree_[children[i]].text, children[i]);
    }
    const auto [found, is_new] = frame.keys.emplace(tree_[id].text, id);
    return is_new ? kNoNode : found->second;
  }

  [[nodiscard]] std::int64_t byte_column(const Node& node) const {
    const std::string_view line = lines_->line(node.line);
    std::size_t at = 0;
    for (std::int32_t left = node.column - 1; left > 0 && at < line.size(); --left) {
      at += std::max<std::size_t>(utf8::sequence_length(line, at), 1);
    }
    return static_cast<std::int64_t>(at);
  }

  const Lines* lines_;
  Columns columns_;
  Tree tree_;
  std::vector<Frame> stack_;
  std::vector<std::size_t> values_;   ///< by node: values in it, aliases counted as what they stand for
  std::vector<std::size_t> heights_;  ///< by node: levels below it
  std::unordered_map<YAML::anchor_t, NodeId> anchors_;
  std::size_t total_ = 0;
  NodeId doubtful_ = kNoNode;
  int doubtful_line_ = -1, doubtful_column_ = -1;
  int checked_line_ = -1;
};

/// yaml-cpp's messages in words that say what to do.
std::string in_our_words(const std::string& message) {
  namespace Theirs = YAML::ErrorMsg;
  static const std::array<std::pair<std::string, std::string>, 13> table{{
      {Theirs::END_OF_MAP, "this does not belong to the map above it; is the indentation right, and is there a ':'?"},
      {Theirs::END_OF_MAP_FLOW, "a '{' is not closed by a '}', or a ',' is missing"},
      {Theirs::END_OF_SEQ, "this does not belong to the list above it; is the indentation right?"},
      {Theirs::END_OF_SEQ_FLOW, "a '[' is not closed by a ']', or a ',' is missing"},
      {Theirs::MAP_VALUE, "a ': ' is not allowed here; put text that holds one in quotes, and look at the indentation"},
      {Theirs::MAP_KEY, "a key is not allowed here; look at the indentation"},
      {Theirs::BLOCK_ENTRY, "a '- ' is not allowed here; look at the indentation"},
      {Theirs::FLOW_END, "a closing bracket without its opening one"},
      {Theirs::EOF_IN_SCALAR, "the text ends inside quotes"},
      {Theirs::DOC_IN_SCALAR, "a document's end stands inside quotes"},
      {Theirs::TAB_IN_INDENTATION, "a tab is used as indentation; use spaces"},
      {Theirs::UNKNOWN_TOKEN, "this character cannot begin a value; put the text in quotes"},
      {Theirs::UNKNOWN_ANCHOR, "an alias to an unknown anchor"},
  }};
  for (const auto& [theirs, ours] : table) {
    if (message.starts_with(theirs)) return ours;
  }
  if (message == Theirs::BAD_FILE) return "nested too deep";
  return "YAML: " + message;
}

/// A tab before the first word of the line where parsing stopped, or of the one before it, is the likelier mistake.
Fault blame_a_tab(const Lines& lines, Fault fault) {
  for (const std::int64_t line : {fault.line, fault.line - 1}) {
    const std::string_view text = lines.line(line + 1);
    const std::size_t tab = text.find_first_not_of(' ');
    const bool has_content = text.find_first_not_of(" \t") < text.size();
    if (tab < text.size() && text[tab] == '\t' && has_content) {
      return {line, static_cast<std::int64_t>(tab), "a tab is used as indentation; use spaces"};
    }
  }
  return fault;
}

Tree build(std::string_view text, const Lines& lines) {
  if (text.size() > kMostBytes) throw Fault{-1, 0, "larger than " + std::to_string(kMostBytes >> 20U) + " MiB"};
  check_characters(text);
  ViewBuffer buffer(text);
  std::istream input(&buffer);
  Builder builder(lines);
  try {
    YAML::Parser parser(input);
    if (!parser.HandleNextDocument(builder)) return {};
    Tree tree = builder.take();
    Builder second(lines);
    if (parser.HandleNextDocument(second)) {
      const Tree rest = second.take();
      const bool known = !rest.empty();
      throw Fault{known ? rest[rest.root].line - 1 : -1, known ? rest[rest.root].column - 1 : 0,
                  "a second document begins here; a workload is one document"};
    }
    return tree;
  } catch (const YAML::Exception& error) {
    throw blame_a_tab(lines, {error.mark.line, error.mark.column, in_our_words(error.msg)});
  }
}

}  // namespace

Tree parse(std::string_view text, const std::string& file) {
  const Lines lines(text);
  try {
    return build(text, lines);
  } catch (const Fault& fault) {
    Diagnostic diagnostic;
    diagnostic.file = file;
    diagnostic.message = fault.message;
    if (fault.line >= 0) {
      diagnostic.line = fault.line + 1;
      const std::string_view line = lines.line(diagnostic.line);
      const auto before = static_cast<std::size_t>(std::max<std::int64_t>(fault.column, 0));
      diagnostic.column = static_cast<std::int64_t>(utf8::count(line.substr(0, before))) + 1;
      diagnostic.set_source(line);
    }
    throw InputError({std::move(diagnostic)});
  }
}

}  // namespace headroom::yaml
