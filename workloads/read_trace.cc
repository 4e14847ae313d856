// `trace:` items and the list of work.
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

template <class Enum>
void read_word(Context& c, MapReader& map, std::string_view key, std::string_view first, std::string_view second,
               Enum& into) {
  const std::array<std::string_view, 2> words{first, second};
  const Node* node = map.get(key);
  if (node == nullptr) return;
  if (const auto word = word_of(c, *node, key, "trace." + std::string(key), words)) into = static_cast<Enum>(*word);
}

void read_trace_users(Reading& reading, const Node& node, std::map<std::int64_t, std::uint32_t>& users) {
  Context& c = reading.context;
  if (!node.is_map()) return c.expected(node, "users", "a map like {1: ada, 2: ben}");
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto number = whole_of(c, c.at(node.children[i]), "users", -kNoLimit, kNoLimit);
    const auto user = user_of(reading, c.at(node.children[i + 1]), "users");
    if (number && user) users.emplace(*number, *user);
  }
}

void read_path(Reading& reading, const Node& node, std::string_view format, TraceItem& made) {
  Context& c = reading.context;
  const auto file = text_of(c, node, format);
  if (!file) return;
  if (file->empty() || file->find('\0') != std::string::npos) return c.expected(node, format, "a file's name");
  made.path = file->starts_with('/') ? *file : reading.context.folder() + *file;
  made.name = trace_stem(*file);
  std::error_code error;
  if (!std::filesystem::exists(made.path, error)) {
    c.error(node, "there is no file '" + made.path + "'; a name is relative to the workload's own folder");
  } else if (std::filesystem::is_directory(made.path, error)) {
    c.error(node, "'" + made.path + "' is a folder");
  }
}

}  // namespace

std::string trace_stem(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

namespace {

/// What only logs of jobs have.
void read_swf_options(Reading& reading, MapReader& map, SwfOptions& o) {
  Context& c = reading.context;
  if (const Node* jobs = map.get("jobs")) o.jobs = whole_of(c, *jobs, "jobs", 1, kNoLimit);
  const Node* start = map.get("start");
  const Node* end = map.get("end");
  if (start != nullptr) o.start = duration_of(c, *start, "start");
  if (end != nullptr) o.end = duration_of(c, *end, "end");
  if (o.start && o.end && *o.start >= *o.end) c.expected(*end, "end", "a time later than 'start'");
  if (const Node* users = map.get("users")) read_trace_users(reading, *users, o.users);
  read_word(c, map, "overrun", "cap", "extend", o.overrun);
  read_word(c, map, "width", "requested", "allocated", o.width);
  read_word(c, map, "estimates", "requested", "exact", o.estimates);
  read_word(c, map, "zero_run", "keep", "drop", o.zero_run);
  read_word(c, map, "preceding", "ignore", "honor", o.preceding);
  if (const Node* feedback = map.get("feedback")) {
    word_of(c, *feedback, "feedback", "trace.feedback", std::array<std::string_view, 1>{"none"});
  }
  if (const Node* divide = map.get("divide_arrivals")) {
    o.divide_arrivals = whole_of(c, *divide, "divide_arrivals", 1, kNoLimit).value_or(1);
  }
}

/// A workflow that was recorded is replayed as it was: there is nothing to choose yet.
void refuse_swf_options(Context& c, const Node& node) {
  constexpr std::array<std::string_view, 11> kOptions{
      "jobs",      "start",    "end",       "users",    "overrun",        "width",
      "estimates", "zero_run", "preceding", "feedback", "divide_arrivals"};
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const Node& key = c.at(node.children[i]);
    if (std::ranges::find(kOptions, key.text) != kOptions.end())
      c.error(key, "'" + key.text + "' is for SWF; a WfFormat trace is one workflow, taken as it is");
  }
}

}  // namespace

void read_trace(Reading& reading, const Node& node) {
  Context& c = reading.context;
  MapReader map(c, node, "trace", "trace");
  TraceItem made;
  const Node* swf = map.get("swf");
  const Node* wfformat = map.get("wfformat");
  bool known_kind = swf != nullptr || wfformat != nullptr;
  for (std::size_t i = 0; i + 1 < node.children.size() && node.is_map(); i += 2) {
    known_kind = known_kind || !later_message("trace", c.at(node.children[i]).text).empty();
  }
  if (!known_kind && map.ok()) c.error(node, "trace: 'swf' or 'wfformat' is missing: the trace's file");
  if (swf != nullptr && wfformat != nullptr) c.error(*wfformat, "trace: either 'swf' or 'wfformat', not both");
  if (swf != nullptr) read_path(reading, *swf, "swf", made);
  if (swf == nullptr && wfformat != nullptr) {
    made.format = TraceItem::Format::kWfFormat;
    read_path(reading, *wfformat, "wfformat", made);
    refuse_swf_options(c, node);
  }
  read_swf_options(reading, map, made.options);
  map.finish();
  reading.workload.items.emplace_back(std::move(made));
}

const std::string& name_of_item(const WorkItem& item) {
  return std::visit([](const auto& it) -> const std::string& { return it.name; }, item);
}

namespace {

constexpr std::array<std::string_view, 3> kItemKinds{"workflow", "trace", "generate"};

/// Which kind of item it is, or nothing after reporting.
std::optional<std::size_t> item_kind(Context& c, const Node& node) {
  if (!node.is_map()) {
    c.expected(node, "work", "a workflow, a trace or a generate");
    return std::nullopt;
  }
  std::optional<std::size_t> kind;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    for (std::size_t k = 0; k < kItemKinds.size(); ++k) {
      if (c.at(node.children[i]).text != kItemKinds[k]) continue;
      if (kind) {
        c.error(c.at(node.children[i]), "an item of 'work' is either a workflow, a trace or a generate");
        return std::nullopt;
      }
      kind = k;
    }
  }
  if (kind) return kind;
  const std::vector<std::string> known(kItemKinds.begin(), kItemKinds.end());
  std::string hint;
  const Node* place = &node;
  for (std::size_t i = 0; i + 1 < node.children.size() && hint.empty(); i += 2) {
    hint = c.hint(c.at(node.children[i]).text, known);
    if (!hint.empty()) place = &c.at(node.children[i]);
  }
  c.error(*place, "an item of 'work' begins with 'workflow', 'trace' or 'generate'" + hint);
  return std::nullopt;
}

/// The inside of `{trace: {…}}`, with whatever stands beside it refused.
const Node& inside(Context& c, const Node& node, std::string_view key) {
  MapReader map(c, node, "work", "this item");
  const Node* value = map.get(key);
  map.finish();
  return *value;
}

/// The node that names the item, for messages.
const Node& name_place(Context& c, const Node& node, std::string_view kind) {
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    if (c.at(node.children[i]).text != kind) continue;
    const Node& value = c.at(node.children[i + 1]);
    for (std::size_t k = 0; value.is_map() && k + 1 < value.children.size(); k += 2) {
      if (c.at(value.children[k]).text == "name") return c.at(value.children[k + 1]);
    }
    return value;
  }
  return node;
}

}  // namespace

void read_work(Reading& reading, const Node& node) {
  Context& c = reading.context;
  if (node.is_list() && node.children.empty()) c.error(node, "work: the list is empty");
  std::unordered_map<std::string, std::int32_t> names;  // with their lines
  std::size_t unnamed = 0;
  for (const NodeId id : items_of(c, node, "work")) {
    const Node& item = c.at(id);
    const auto kind = item_kind(c, item);
    if (!kind) continue;
    const std::size_t before = reading.workload.items.size();
    if (*kind == 0) read_workflow(reading, item);
    if (*kind == 1) read_trace(reading, inside(c, item, "trace"));
    if (*kind == 2) {
      const Node& value = inside(c, item, "generate");
      const bool is_named = value.is_map() && &name_place(c, item, "generate") != &value;
      read_generate(reading, value, unnamed);
      if (!is_named) ++unnamed;
    }
    // Two parts of one trace may be replayed side by side; their jobs have numbers of their own.
    if (reading.workload.items.size() == before || *kind == 1) continue;
    const std::string& name = name_of_item(reading.workload.items.back());
    const Node& place = name_place(c, item, kItemKinds[*kind]);
    const auto [first, is_new] = names.emplace(name, place.line);
    if (!is_new && !name.empty()) {
      c.error(place, "the name '" + name + "' is taken by the work on line " + std::to_string(first->second));
    }
  }
}

}  // namespace headroom::yaml
