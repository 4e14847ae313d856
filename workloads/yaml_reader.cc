// Documents and overrides: a file is parsed once and read as often as a sweep has points.
#include "workloads/yaml_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "workloads/read_document.h"
#include "workloads/read_sections.h"
#include "workloads/yaml_paths.h"

namespace headroom {

struct WorkloadDocument::Impl {
  std::string text;        ///< as it was given
  std::string normalised;  ///< as it was parsed; `lines` look into it
  yaml::DocumentPlace place;
  yaml::Lines lines;
  yaml::Tree tree;
};

namespace {

using yaml::DocumentRead;
using yaml::kNoNode;
using yaml::Node;
using yaml::NodeId;
using yaml::ReadError;
using yaml::Tree;

const std::string kSwept = "sweep.vary";

std::string shown(const Override& change) { return change.origin + " " + change.path + "=" + change.value; }

/// Applies the overrides in order. What is wrong with them goes to `errors`.
Tree with_overrides(const Tree& tree, const std::vector<Override>& overrides, std::vector<ReadError>& errors) {
  if (overrides.empty()) return tree;
  Tree changed = without_aliases(tree);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    std::string wrong = put_at_path(changed, overrides[i].path, overrides[i].value, index);
    if (wrong.empty()) continue;
    ReadError error;
    error.diagnostic.message = std::move(wrong);
    error.override_index = index;
    errors.push_back(std::move(error));
  }
  return changed;
}

void add_axes(const Tree& tree, NodeId map, std::vector<std::pair<NodeId, NodeId>>& axes) {
  if (map == kNoNode || !tree[map].is_map()) return;
  for (std::size_t i = 0; i + 1 < tree[map].children.size(); i += 2)
    axes.emplace_back(tree[map].children[i], tree[map].children[i + 1]);
}

/// The key and the values of each axis of the tree, those of `vary` and those of the groups of `zip`.
std::vector<std::pair<NodeId, NodeId>> axes_of(const Tree& tree) {
  std::vector<std::pair<NodeId, NodeId>> axes;
  const NodeId sweep = tree.find(tree.root, "sweep");
  if (sweep == kNoNode) return axes;
  add_axes(tree, tree.find(sweep, "vary"), axes);
  const NodeId zip = tree.find(sweep, "zip");
  if (zip != kNoNode && tree[zip].is_list())
    for (const NodeId group : tree[zip].children) add_axes(tree, group, axes);
  return axes;
}

/// A point of the sweep has its values already, and need not read ten thousand others again. The policies stay.
void drop_sweep(Tree& tree) {
  const NodeId sweep = tree.find(tree.root, "sweep");
  if (sweep == kNoNode || !tree[sweep].is_map()) return;
  const auto keep_only = [&tree](NodeId map, std::initializer_list<std::string_view> keys) {
    std::vector<NodeId> kept;
    const std::vector<NodeId> children(tree[map].children.begin(), tree[map].children.end());
    for (std::size_t i = 0; i + 1 < children.size(); i += 2)
      if (std::ranges::find(keys, tree[children[i]].text) != keys.end())
        kept.insert(kept.end(), {children[i], children[i + 1]});
    tree[map].children.assign(kept.begin(), kept.end());
  };
  keep_only(sweep, {"replications", "seed", "vary"});
  if (const NodeId vary = tree.find(sweep, "vary"); vary != kNoNode && tree[vary].is_map()) keep_only(vary, {"policy"});
}

/// One read of a document with its overrides, its sweep tried value by value.
class DocumentReader {
 public:
  DocumentReader(const yaml::DocumentPlace& place, const yaml::Lines& lines, const Tree& tree,
                 const std::vector<Override>& overrides)
      : place_(place), lines_(lines), tree_(tree), overrides_(overrides) {}

  Workload read() {
    Tree changed = with_overrides(tree_, overrides_, errors_);
    check_swept_paths(changed);
    if (swept_already()) drop_sweep(changed);
    const bool is_sweep = !swept_already() && !axes_of(changed).empty();
    const Tree unread = is_sweep ? changed : Tree{};
    DocumentRead result = read_document(changed, lines_, place_, true);
    const bool sound = errors_.empty() && result.errors.empty();
    take(std::move(result.errors));
    dropped_ += result.dropped;
    if (sound && is_sweep) try_axes(unread, result.workload.sweep);
    throw_if_failed();
    return std::move(result.workload);
  }

 private:
  /// The caller is running the points of the sweep: their values are overrides now.
  [[nodiscard]] bool swept_already() const {
    return std::ranges::any_of(overrides_, [](const Override& change) { return change.origin == kSwept; });
  }

  void take(std::vector<ReadError> errors) {
    for (ReadError& error : errors) errors_.push_back(std::move(error));
  }

  void add(const Node& node, std::string message) {
    yaml::Context context(tree_, lines_, place_.file);
    context.error(node, std::move(message));
    take(std::move(context.errors()));
  }

  /// A path that the sweep varies may not be set from outside too.
  void check_swept_paths(const Tree& changed) {
    if (swept_already()) return;
    for (const auto& [key, values] : axes_of(changed)) {
      const NodeId target = find_path(changed, changed[key].text);
      if (target == kNoNode || changed[target].override_index < 0) continue;
      ReadError error;
      error.override_index = changed[target].override_index;
      error.diagnostic.message = "the file's sweep varies '" + changed[key].text + "'; set 'sweep.vary." +
                                 changed[key].text + "' instead, or leave this out";
      errors_.push_back(std::move(error));
    }
  }

  /// Each value of each axis by itself, so that a mistake is shown where it stands in the file. What only fails in
  /// company (a stage larger than the cluster) is left to the points.
  void try_axes(const Tree& unread, const SweepSpec& sweep) {
    constexpr std::size_t kMostNodes = 20'000'000;
    std::size_t values = 0;
    for (const SweepAxis& axis : sweep.axes) values += axis.values.size();
    if (values * unread.nodes.size() > kMostNodes) return;
    for (const auto& [key, list] : axes_of(unread)) {
      const auto axis = std::ranges::find(sweep.axes, unread[key].text, &SweepAxis::path);
      if (axis != sweep.axes.end()) try_axis(unread, *axis, key, list);
    }
  }

  void try_axis(const Tree& unread, const SweepAxis& axis, NodeId key, NodeId list) {
    const auto index = static_cast<std::int32_t>(overrides_.size());
    // Values that were made, not listed, lie between two ends: some of them tell as much as all.
    constexpr std::size_t kMadeTried = 32;
    const bool listed = unread[list].is_list() && unread[list].children.size() == axis.values.size();
    const std::size_t step = listed ? 1 : (axis.values.size() + kMadeTried - 1) / kMadeTried;
    for (std::size_t i = 0; i < axis.values.size(); i += std::max<std::size_t>(step, 1)) {
      Tree tried = without_aliases(unread);
      if (const std::string wrong = put_at_path(tried, axis.path, axis.values[i], index); !wrong.empty()) {
        return add(unread[key], "'" + axis.path + "': " + wrong);
      }
      DocumentRead result = read_document(tried, lines_, place_, false);
      for (const ReadError& error : result.errors) {
        if (error.override_index != index) continue;
        // An unknown key or parameter is the same mistake with every value, and stands in the path.
        const std::string& message = error.diagnostic.message;
        const bool is_key = message.starts_with("unknown key") || message.starts_with("nothing in the file uses");
        const Node& at = is_key ? unread[key] : listed ? unread[unread[list].children[i]] : unread[list];
        add(at, error.diagnostic.message);
        if (is_key || !listed) return;
      }
    }
  }

  void throw_if_failed() {
    if (errors_.empty()) return;
    std::vector<Diagnostic> diagnostics;
    for (ReadError& error : errors_) {
      if (error.override_index >= 0) {
        error.diagnostic.file = shown(overrides_[static_cast<std::size_t>(error.override_index)]);
      }
      diagnostics.push_back(std::move(error.diagnostic));
    }
    // Overrides have no line and come first, then the file's own errors, then those of files that it names.
    std::ranges::stable_sort(diagnostics, [&](const Diagnostic& a, const Diagnostic& b) {
      const auto rank = [&](const Diagnostic& d) {
        return std::tuple(d.line > 0 && d.file != place_.file, d.line, d.column);
      };
      return rank(a) < rank(b);
    });
    if (dropped_ > 0) {
      Diagnostic more;
      more.file = place_.file;
      more.message = "and " + std::to_string(dropped_) + " more errors";
      diagnostics.push_back(std::move(more));
    }
    throw InputError(std::move(diagnostics));
  }

  const yaml::DocumentPlace& place_;
  const yaml::Lines& lines_;
  const Tree& tree_;
  const std::vector<Override>& overrides_;
  std::vector<ReadError> errors_;
  std::size_t dropped_ = 0;
};

[[noreturn]] void refuse(const std::string& file, std::string message,
                         InputError::Kind kind = InputError::Kind::kBadInput) {
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.message = std::move(message);
  throw InputError({std::move(diagnostic)}, kind);
}

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::string stem_of(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem.empty() || file == "-" ? "workload" : stem;
}

/// In double quotes as YAML and JSON have them.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

WorkloadDocument::WorkloadDocument(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkloadDocument::~WorkloadDocument() = default;
WorkloadDocument::WorkloadDocument(WorkloadDocument&&) noexcept = default;
WorkloadDocument& WorkloadDocument::operator=(WorkloadDocument&&) noexcept = default;

WorkloadDocument WorkloadDocument::load(const std::string& path) { return parse(yaml::read_text_file(path), path); }

WorkloadDocument WorkloadDocument::parse(std::string text, std::string file) {
  auto impl = std::make_unique<Impl>();
  impl->text = std::move(text);
  impl->normalised = yaml::normalised(impl->text);
  impl->place = {file, folder_of(file), stem_of(file)};
  impl->lines = yaml::Lines(impl->normalised);
  impl->tree = yaml::parse(impl->normalised, file);
  if (impl->tree.empty() || impl->tree[impl->tree.root].is_null())
    refuse(file, "the file is empty; a workload has at least 'work:'");
  return WorkloadDocument(std::move(impl));
}

WorkloadDocument WorkloadDocument::from_trace(const std::string& path, TraceItem::Format format) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    refuse(path, "cannot be opened: No such file or directory", InputError::Kind::kNoInput);
  WorkloadDocument document =
      parse("work: [{trace: {" + std::string(format == TraceItem::Format::kSwf ? "swf" : "wfformat") + ": " +
                quoted(path) + "}}]\n",
            path);
  document.impl_->place.folder = "";
  document.impl_->place.stem = yaml::trace_stem(path);
  return document;
}

Workload WorkloadDocument::read(const std::vector<Override>& overrides) const {
  return DocumentReader(impl_->place, impl_->lines, impl_->tree, overrides).read();
}

std::optional<CompareSpec> WorkloadDocument::compare(const std::vector<Override>& overrides) const {
  std::vector<ReadError> unused;  // of the overrides: the study that was run had none
  Tree tree = with_overrides(impl_->tree, overrides, unused);
  const yaml::NodeId found = tree.empty() ? kNoNode : tree.find(tree.root, "compare");
  if (found == kNoNode) return std::nullopt;
  yaml::Context context(tree, impl_->lines, impl_->place.file, impl_->place.folder);
  CompareSpec compare = yaml::read_compare(context, tree[found]);
  if (!context.failed()) return compare;
  std::vector<Diagnostic> diagnostics;
  for (const ReadError& error : context.errors()) diagnostics.push_back(error.diagnostic);
  throw InputError(std::move(diagnostics));
}

const std::string& WorkloadDocument::text() const { return impl_->text; }
const std::string& WorkloadDocument::file() const { return impl_->place.file; }

}  // namespace headroom
