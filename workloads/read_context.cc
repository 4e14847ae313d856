// Messages, and the readers of maps and scalars.
#include "workloads/read_context.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "workloads/utf8.h"

namespace headroom::yaml {
namespace {

constexpr std::size_t kMostShown = 60;            ///< bytes of a value that a message shows
constexpr std::size_t kMostCompared = 2'000'000;  ///< names compared for hints in one read
constexpr std::size_t kLongestName = 200;

std::string clipped(const std::string& text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8::sequence_length(text, at), 1);
    if (at + length > kMostShown) return shown + "…";
    shown += text[at] == '\n' ? "\\n" : text.substr(at, length);
    at += length;
  }
  return shown;
}

}  // namespace

void Context::error(const Node& node, std::string message) {
  if (node.broken) return;
  if (errors_.size() >= kMostErrors) {
    ++dropped_;
    return;
  }
  ReadError error;
  error.override_index = node.override_index;
  Diagnostic& d = error.diagnostic;
  d.file = file_;
  d.message = std::move(message);
  if (node.override_index < 0) {
    d.line = node.line;
    d.column = node.column;
    d.set_source(lines_->line(node.line));
    if (node.is_scalar() && !node.quoted && node.parameter == kNoNode)
      d.width = static_cast<std::int64_t>(utf8::count(node.text));
    if (node.parameter != kNoNode) d.width = static_cast<std::int64_t>(utf8::count(node.parameter_name)) + 1;
  }
  // What an alias stands for is read once for each of its uses.
  const auto same = [&](const ReadError& other) {
    return other.override_index == error.override_index && other.diagnostic.line == d.line &&
           other.diagnostic.column == d.column && other.diagnostic.message == d.message;
  };
  if (std::ranges::none_of(errors_, same)) errors_.push_back(std::move(error));
}

bool Context::stands_at(const Node& node, std::int64_t skipped) const {
  if (node.override_index >= 0) return false;
  std::string_view line = lines_->line(node.line);
  for (std::int64_t k = node.column - 1 + skipped; k > 0; --k) {
    if (line.empty()) return false;
    std::size_t bytes = 1;
    while (bytes < line.size() && (static_cast<unsigned char>(line[bytes]) & 0xC0U) == 0x80U) ++bytes;
    line.remove_prefix(bytes);
  }
  return line.starts_with(node.text);
}

void Context::expected(const Node& node, std::string_view what, std::string_view wanted) {
  error(node, std::string(what) + ": expected " + std::string(wanted) + ", found " + described(*tree_, node));
}

void Context::note_data_file(const std::string& path) {
  if (std::ranges::find(data_files_, path) == data_files_.end()) data_files_.push_back(path);
}

void Context::adopt(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) errors_.push_back({diagnostic, -1});
}

std::string Context::hint(std::string_view found, std::span<const std::string> known) {
  compared_ += known.size();
  return compared_ > kMostCompared ? "" : did_you_mean(found, known);
}

std::string described(const Tree& tree, const Node& node) {
  std::string text;
  if (node.kind == Node::Kind::kEmpty) text = "nothing";
  if (node.is_list()) text = "a list";
  if (node.is_map()) text = "a map";
  if (node.is_scalar()) text = (node.quoted ? "the text '" : "'") + clipped(node.text) + "'";
  if (node.parameter != kNoNode) {
    text += " (from $" + node.parameter_name;
    if (tree[node.parameter].override_index < 0) text += ", line " + std::to_string(tree[node.parameter].line);
    text += ")";
  }
  return text;
}

MapReader::MapReader(Context& context, const Node& node, std::string_view section, std::string where)
    : context_(&context), node_(&node), section_(section), where_(std::move(where)), ok_(node.is_map()) {
  if (!ok_) {
    context.expected(node, where_, "a map of keys and values");
  } else {
    used_.assign(node.children.size() / 2, false);
  }
}

const Node* MapReader::get(std::string_view key) {
  known_.emplace_back(key);
  if (!ok_) return nullptr;
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (context_->at(node_->children[2 * i]).text != key) continue;
    used_[i] = true;
    return &context_->at(node_->children[2 * i + 1]);
  }
  return nullptr;
}

const Node* MapReader::require(std::string_view key, std::string_view wanted) {
  const Node* value = get(key);
  if (value == nullptr && ok_) {
    context_->error(*node_, where_ + ": '" + std::string(key) + "' is missing: " + std::string(wanted));
  }
  return value;
}

void MapReader::finish() {
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (used_[i]) continue;
    const Node& key = context_->at(node_->children[2 * i]);
    if (const std::string later = later_message(section_, key.text); !later.empty()) {
      context_->error(key, later);
      continue;
    }
    std::string message = "unknown key '" + clipped(key.text) + "' in " + where_;
    if (const std::string near = context_->hint(key.text, known_); !near.empty()) {
      message += near;
    } else {
      message += "; it takes ";
      for (std::size_t k = 0; k < known_.size(); ++k) message += (k == 0 ? "" : ", ") + known_[k];
    }
    context_->error(key, std::move(message));
  }
}

std::optional<std::string> text_of(Context& context, const Node& node, std::string_view what) {
  if (node.is_scalar()) return node.text;
  context.expected(node, what, "a text");
  return std::nullopt;
}

std::optional<std::string> name_of(Context& context, const Node& node, std::string_view what) {
  if (!node.is_scalar()) {
    context.expected(node, what, "a name");
    return std::nullopt;
  }
  const std::string& text = node.text;
  if (text.empty() || text.size() > kLongestName || text.find_first_of("[]\n\t") != std::string::npos) {
    context.expected(node, what, "a name of 1 to 200 letters on one line, without brackets");
    return std::nullopt;
  }
  return text;
}

namespace {

template <class T, class Read>
std::optional<T> scalar_of(Context& context, const Node& node, std::string_view what, std::string_view kind,
                           Read read) {
  if (!node.is_scalar()) {
    context.expected(node, what, kind);
    return std::nullopt;
  }
  const Scalar<T> scalar = read(node.text);
  if (scalar.ok()) return scalar.value;
  context.expected(node, what, scalar.wanted);
  return std::nullopt;
}

std::string range_wanted(std::int64_t least, std::int64_t most) {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  if (most == kNoLimit) return "a whole number of at least " + std::to_string(least);
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

std::optional<std::int64_t> whole_of(Context& context, const Node& node, std::string_view what, std::int64_t least,
                                     std::int64_t most) {
  if (node.is_scalar() && !node.quoted) {
    const Scalar<std::int64_t> scalar = read_whole(node.text);
    if (scalar.ok() && scalar.value >= least && scalar.value <= most) return scalar.value;
  }
  context.expected(node, what, range_wanted(least, most));
  return std::nullopt;
}

std::optional<std::int64_t> priority_of(Context& context, const Node& node, std::string_view what) {
  return whole_of(context, node, what, std::numeric_limits<std::int32_t>::min(),
                  std::numeric_limits<std::int32_t>::max());
}

std::optional<long double> number_of(Context& context, const Node& node, std::string_view what) {
  return scalar_of<long double>(context, node, what, "a number", read_number);
}

std::optional<Duration> duration_of(Context& context, const Node& node, std::string_view what) {
  return scalar_of<Duration>(context, node, what, "a duration like 4.1s", read_duration);
}

std::optional<Duration> positive_duration_of(Context& context, const Node& node, std::string_view what) {
  const std::optional<Duration> duration = duration_of(context, node, what);
  if (!duration || duration->ns > 0) return duration;
  context.expected(node, what, "a duration above 0");
  return std::nullopt;
}

std::optional<std::int64_t> memory_of(Context& context, const Node& node, std::string_view what) {
  return scalar_of<std::int64_t>(context, node, what, "an amount of memory like 256GiB", read_memory);
}

std::optional<bool> boolean_of(Context& context, const Node& node, std::string_view what) {
  if (node.is_scalar() && !node.quoted) {
    if (const std::optional<bool> value = read_boolean(node.text)) return value;
  }
  context.expected(node, what, "true or false");
  return std::nullopt;
}

std::string any_of_words(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::optional<std::size_t> word_of(Context& context, const Node& node, std::string_view what, std::string_view section,
                                   std::span<const std::string_view> words) {
  if (node.is_scalar()) {
    const auto found = std::ranges::find(words, node.text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    if (const std::string later = later_message(section, node.text); !later.empty()) {
      context.error(node, std::string(what) + ": " + later);
      return std::nullopt;
    }
  }
  std::string message =
      std::string(what) + ": expected " + any_of_words(words) + ", found " + described(context.tree(), node);
  if (node.is_scalar()) {
    const std::vector<std::string> known(words.begin(), words.end());
    message += context.hint(node.text, known);
  }
  context.error(node, std::move(message));
  return std::nullopt;
}

std::span<const NodeId> items_of(Context& context, const Node& node, std::string_view what) {
  if (node.is_list()) return node.children;
  context.expected(node, what, "a list");
  return {};
}

}  // namespace headroom::yaml
