#include "workloads/wfformat.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>
#include <utility>

#include "workloads/byte_places.h"
#include "workloads/byte_source.h"
#include "workloads/diagnostics.h"
#include "workloads/scalar_text.h"
#include "workloads/swf_line.h"
#include "workloads/wfformat_graph.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kLongestToken = std::uint64_t{16} << 20;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostTasks = 50'000'000;  ///< names, in fact: those that are no tasks too
constexpr std::size_t kMostReferences = 200'000'000;
constexpr std::int64_t kMostCores = 1'000'000'000;
constexpr std::int64_t kLongestSeconds = 3'153'600'000;  // a century

[[noreturn]] void refuse(const std::string& path, std::string message) {
  throw InputError({Diagnostic{path, 0, 0, std::move(message), ""}});
}

/// The bytes of a source one by one, counted.
class Stream {
 public:
  explicit Stream(ByteSource& bytes) : bytes_(bytes), buffer_(std::size_t{1} << 16) { fill(); }

  [[nodiscard]] bool at_end() const { return next_ == end_; }
  [[nodiscard]] char peek() const { return *next_; }
  void advance() {
    if (++next_ == end_) fill();
  }
  /// Bytes taken so far.
  [[nodiscard]] std::uint64_t taken() const { return before_ + static_cast<std::uint64_t>(next_ - buffer_.data()); }
  /// A token has ended here: what comes next may be long again.
  void mark() { marked_ = taken(); }

 private:
  void fill() {
    before_ += static_cast<std::uint64_t>(end_ - buffer_.data());
    const std::size_t n = bytes_.read(buffer_.data(), buffer_.size());
    next_ = buffer_.data();
    end_ = next_ + n;
    if (before_ > marked_ + kLongestToken)
      refuse(bytes_.name(), "a text or a number of more than " + std::to_string(kLongestToken >> 20U) + " MiB");
  }

  ByteSource& bytes_;
  std::vector<char> buffer_;
  std::uint64_t before_ = 0, marked_ = 0;
  const char* next_ = buffer_.data();
  const char* end_ = buffer_.data();
};

/// What the JSON library reads from.
class Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Iterator() = default;
  explicit Iterator(Stream& stream) : stream_(&stream) {}
  char operator*() const { return stream_->peek(); }
  Iterator& operator++() {
    stream_->advance();
    return *this;
  }
  /// Only ever compared with the end, which has no stream.
  bool operator==(const Iterator& other) const {
    const Stream* stream = stream_ != nullptr ? stream_ : other.stream_;
    return stream == nullptr || stream->at_end();
  }
  bool operator!=(const Iterator& other) const { return !(*this == other); }

 private:
  Stream* stream_ = nullptr;
};

/// What a key's value means.
enum class Key : std::uint8_t {
  kIgnored,
  kUnknown,
  kVersion,
  kTitle,
  kWorkflow,
  kSpecification,
  kExecution,
  kTasks,
  kMachines,
  kExecutedAt,
  kId,
  kName,
  kParents,
  kChildren,
  kRunTime,
  kCores,
  kBytes,
  kKilobytes,
  kCpu,
  kMachineName,
};

/// Where the reader is.
enum class Level : std::uint8_t {
  kTop,
  kRoot,
  kWorkflow,
  kSpecification,
  kExecution,
  kTaskList,
  kTask,
  kReferences,
  kMachineList,
  kMachine,
  kCpu
};

struct Entry {
  std::string_view text;
  Key key = Key::kIgnored;
};

constexpr std::array kRootKeys{Entry{"schemaVersion", Key::kVersion},
                               Entry{"workflow", Key::kWorkflow},
                               Entry{"name", Key::kTitle},
                               Entry{"description"},
                               Entry{"createdAt"},
                               Entry{"author"},
                               Entry{"runtimeSystem"},
                               Entry{"wms"}};
constexpr std::array kWorkflowKeys{Entry{"specification", Key::kSpecification},
                                   Entry{"execution", Key::kExecution},
                                   Entry{"tasks", Key::kTasks},
                                   Entry{"jobs", Key::kTasks},
                                   Entry{"machines", Key::kMachines},
                                   Entry{"executedAt", Key::kExecutedAt},
                                   Entry{"makespan"},
                                   Entry{"makespanInSeconds"},
                                   Entry{"repo"},
                                   Entry{"runName"}};
constexpr std::array kSpecificationKeys{Entry{"tasks", Key::kTasks}, Entry{"files"}};
constexpr std::array kExecutionKeys{Entry{"tasks", Key::kTasks}, Entry{"machines", Key::kMachines},
                                    Entry{"executedAt", Key::kExecutedAt}, Entry{"makespanInSeconds"}};
constexpr std::array kTaskKeys{Entry{"id", Key::kId},
                               Entry{"name", Key::kName},
                               Entry{"parents", Key::kParents},
                               Entry{"children", Key::kChildren},
                               Entry{"runtimeInSeconds", Key::kRunTime},
                               Entry{"coreCount", Key::kCores},
                               Entry{"memoryInBytes", Key::kBytes},
                               Entry{"runtime", Key::kRunTime},
                               Entry{"cores", Key::kCores},
                               Entry{"memory", Key::kKilobytes},
                               Entry{"inputFiles"},
                               Entry{"outputFiles"},
                               Entry{"files"},
                               Entry{"command"},
                               Entry{"program"},
                               Entry{"arguments"},
                               Entry{"type"},
                               Entry{"category"},
                               Entry{"avgCPU"},
                               Entry{"readBytes"},
                               Entry{"writtenBytes"},
                               Entry{"bytesRead"},
                               Entry{"bytesWritten"},
                               Entry{"energy"},
                               Entry{"energyInKWh"},
                               Entry{"avgPower"},
                               Entry{"avgPowerInW"},
                               Entry{"avgPowerInKWh"},
                               Entry{"priority"},
                               Entry{"machine"},
                               Entry{"machines"},
                               Entry{"executedAt"},
                               Entry{"launchDir"}};
constexpr std::array kMachineKeys{Entry{"nodeName", Key::kMachineName},
                                  Entry{"cpu", Key::kCpu},
                                  Entry{"memoryInBytes", Key::kBytes},
                                  Entry{"memory", Key::kKilobytes},
                                  Entry{"system"},
                                  Entry{"architecture"},
                                  Entry{"release"}};
constexpr std::array kCpuKeys{Entry{"coreCount", Key::kCores}, Entry{"count", Key::kCores}, Entry{"speedInMHz"},
                              Entry{"speed"}, Entry{"vendor"}};

std::span<const Entry> keys_of(Level level) {
  switch (level) {
    case Level::kRoot:
      return kRootKeys;
    case Level::kWorkflow:
      return kWorkflowKeys;
    case Level::kSpecification:
      return kSpecificationKeys;
    case Level::kExecution:
      return kExecutionKeys;
    case Level::kTask:
      return kTaskKeys;
    case Level::kMachine:
      return kMachineKeys;
    case Level::kCpu:
      return kCpuKeys;
    case Level::kTop:
    case Level::kTaskList:
    case Level::kReferences:
    case Level::kMachineList:
      break;
  }
  return {};
}

/// The library's words; what they quote of the file is cut and made printable.
std::string printable(std::string_view message) {
  constexpr std::size_t kMost = 300;
  std::string text(message.substr(0, kMost));
  std::ranges::replace_if(
      text, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return message.size() > kMost ? text + "..." : text;
}

/// A value that the format wants to be something else.
std::string expected(std::string_view key, std::string_view wanted, std::string_view found) {
  return std::string(key) + ": expected " + std::string(wanted) + ", found " + std::string(found);
}

/// Takes the events of the JSON library and hands tasks to the graph. Every on-event returns whether to go on.
class Handler {
 public:
  Handler(Stream& stream, WfGraph& graph, WfTrace& trace) : stream_(stream), graph_(graph), trace_(trace) {}

  // ---- the library's interface
  bool null() { return other("nothing"); }
  bool boolean(bool value) { return other(value ? "true" : "false"); }
  bool number_integer(Json::number_integer_t value) { return number(std::to_string(value)); }
  bool number_unsigned(Json::number_unsigned_t value) { return number(std::to_string(value)); }
  bool number_float(Json::number_float_t, const Json::string_t& text) { return number(text); }
  bool string(Json::string_t& text);
  bool binary(Json::binary_t&) { return other("bytes"); }
  bool key(Json::string_t& text);
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error);

  /// After the last byte.
  void finish();

 private:
  struct Frame {
    Level level = Level::kTop;
    Key key = Key::kIgnored;  ///< of the value that comes next
  };

  [[nodiscard]] Frame& top() { return frames_.back(); }
  [[nodiscard]] std::uint64_t here() const { return stream_.taken(); }
  [[nodiscard]] std::string key_text() const { return key_.substr(0, 60); }
  /// Inside a task: since 1.5 the id joins and the name is for people; before, the name is what the others say.
  [[nodiscard]] Key id_key() const {
    return frames_[frames_.size() - 3].level == Level::kWorkflow ? Key::kName : Key::kId;
  }
  bool open(bool is_object);
  bool close();
  bool other(std::string_view found);
  bool number(const std::string& text);
  void run_time(const std::string& text, std::uint64_t place);
  std::optional<std::int64_t> amount(const std::string& text, std::uint64_t place, std::int64_t least,
                                     std::int64_t most);
  void amount_of_machine(Key key, const std::string& text, std::uint64_t place);
  void end_task();
  void end_machine();
  void reference(const std::string& text);
  void check_size();
  void version(const std::string& text);
  /// Of a value that has another type than its key wants.
  bool wrong_type(std::string_view found, std::uint64_t place);

  Stream& stream_;
  WfGraph& graph_;
  WfTrace& trace_;
  std::vector<Frame> frames_{{Level::kTop, Key::kIgnored}};
  std::size_t skipping_ = 0;  ///< levels inside a value that nobody reads
  std::string key_;
  WfTask task_;
  std::string id_;  ///< of the task, or its name: whichever names it
  bool has_id_ = false, bad_id_ = false;
  std::uint64_t id_place_ = 0;
  WfMachine machine_;
  std::unordered_map<std::string, std::int64_t> machine_names_;
  std::size_t references_ = 0;
  bool has_root_ = false, has_workflow_ = false, has_version_ = false;
  bool listed_[3] = {false, false, false};  ///< tasks of the workflow, the specification, the execution
};

bool Handler::key(Json::string_t& text) {
  stream_.mark();
  if (skipping_ > 0) return true;
  Frame& frame = top();
  const auto known = keys_of(frame.level);
  const auto entry = std::ranges::find(known, std::string_view(text), &Entry::text);
  frame.key = entry == known.end() ? Key::kUnknown : entry->key;
  key_ = text;
  if (frame.key == Key::kUnknown) trace_.repairs.add(Cause::kUnknownKey, [&] { return "'" + shown(text) + "'"; });
  return true;
}

/// What a value of this key has to be; nothing where any will do.
std::string_view wanted(Key key) {
  switch (key) {
    case Key::kWorkflow:
    case Key::kSpecification:
    case Key::kExecution:
    case Key::kCpu:
      return "an object";
    case Key::kTasks:
    case Key::kMachines:
    case Key::kParents:
    case Key::kChildren:
      return "a list";
    case Key::kId:
    case Key::kName:
    case Key::kVersion:
    case Key::kMachineName:
      return "a text";
    case Key::kRunTime:
    case Key::kCores:
    case Key::kBytes:
    case Key::kKilobytes:
      return "a number";
    case Key::kTitle:
    case Key::kExecutedAt:
    case Key::kIgnored:
    case Key::kUnknown:
      break;
  }
  return "";
}

bool Handler::wrong_type(std::string_view found, std::uint64_t place) {
  switch (top().level) {
    case Level::kTop:
      graph_.error(place, expected("WfFormat", "an object", found));
      return false;
    case Level::kTaskList:
      graph_.error(place, expected("tasks", "an object for each task", found));
      return true;
    case Level::kMachineList:
      graph_.error(place, expected("machines", "an object for each machine", found));
      return true;
    case Level::kReferences:
      graph_.error(place, expected(key_text(), "the texts that name tasks", found));
      return true;
    default:
      break;
  }
  const Key key = std::exchange(top().key, Key::kIgnored);
  if (const std::string_view right = wanted(key); !right.empty()) {
    graph_.error(place, expected(key_text(), right, found));
    if (key == Key::kRunTime) task_.run_time_place = place;
    bad_id_ = bad_id_ || (top().level == Level::kTask && key == id_key());
  }
  return true;
}

bool Handler::open(bool is_object) {
  stream_.mark();
  if (frames_.size() + skipping_ > kDeepest) {
    graph_.error(here(), "more than " + std::to_string(kDeepest) + " levels inside each other");
    return false;
  }
  if (skipping_ > 0) {
    ++skipping_;
    return true;
  }
  const Key key = top().key;
  const auto enter = [&](Level level) {
    frames_.push_back({level, Key::kIgnored});
    return true;
  };
  const auto list_once = [&](int which) {
    if (std::exchange(listed_[which], true)) graph_.error(here(), "there is a second list of tasks");
    return enter(Level::kTaskList);
  };
  if (is_object) {
    if (top().level == Level::kTop && !std::exchange(has_root_, true)) return enter(Level::kRoot);
    if (top().level == Level::kTaskList) {
      task_.clear();
      task_.place = here();
      has_id_ = bad_id_ = false;
      return enter(Level::kTask);
    }
    if (top().level == Level::kMachineList) {
      machine_ = {};
      return enter(Level::kMachine);
    }
    if (key == Key::kWorkflow) {
      has_workflow_ = true;
      return enter(Level::kWorkflow);
    }
    if (key == Key::kSpecification) return enter(Level::kSpecification);
    if (key == Key::kExecution) return enter(Level::kExecution);
    if (key == Key::kCpu) return enter(Level::kCpu);
  } else {
    if (key == Key::kTasks) {
      const Level of = top().level;
      return list_once(of == Level::kWorkflow ? 0 : of == Level::kSpecification ? 1 : 2);
    }
    if (key == Key::kMachines) return enter(Level::kMachineList);
    if (key == Key::kParents || key == Key::kChildren) return enter(Level::kReferences);
  }
  skipping_ = 1;
  return wrong_type(is_object ? "an object" : "a list", here());
}

bool Handler::close() {
  stream_.mark();
  if (skipping_ > 0) {
    --skipping_;
    return true;
  }
  const Level ended = top().level;
  frames_.pop_back();
  if (ended == Level::kTask) end_task();
  if (ended == Level::kMachine) end_machine();
  return true;
}

bool Handler::other(std::string_view found) {
  stream_.mark();
  return skipping_ > 0 || wrong_type(found, here());
}

bool Handler::string(Json::string_t& text) {
  stream_.mark();
  if (skipping_ > 0) return true;
  if (top().level == Level::kReferences) {
    reference(text);
    return true;
  }
  switch (top().key) {
    case Key::kId:
    case Key::kName:
      if (top().key != id_key()) return true;
      bad_id_ = text.empty();
      if (bad_id_) graph_.error(here(), key_text() + ": the text is empty");
      id_ = text;
      has_id_ = true;
      id_place_ = here();
      return true;
    case Key::kMachineName:
      machine_.name = text;
      return true;
    case Key::kTitle:
      trace_.name = text;
      return true;
    case Key::kVersion:
      version(text);
      return true;
    case Key::kExecutedAt:
      if (const auto date = read_date(text); date.ok()) trace_.start_unix_s = date.value.unix_s;
      return true;
    default:
      return wrong_type("a text", here());
  }
}

void Handler::version(const std::string& text) {
  has_version_ = true;
  constexpr std::array<std::string_view, 7> kRead{"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"};
  if (std::ranges::find(kRead, text) == kRead.end())
    graph_.error(here(), "schemaVersion '" + shown(text) + "' of WfFormat is not read; 1.0 to 1.6 are");
}

void Handler::reference(const std::string& text) {
  if (++references_ > kMostReferences)
    refuse(trace_.path, "more than " + std::to_string(kMostReferences) + " parents and children");
  const bool is_parent = frames_[frames_.size() - 2].key == Key::kParents;
  (is_parent ? task_.parents : task_.children).push_back(graph_.names.number_of(text));
}

bool Handler::number(const std::string& text) {
  stream_.mark();
  if (skipping_ > 0) return true;
  // The library has looked at the byte behind a number.
  const std::uint64_t place = here() - (stream_.at_end() ? 0 : 1);
  const Key key = top().key;
  const bool is_amount = key == Key::kCores || key == Key::kBytes || key == Key::kKilobytes;
  if (top().level == Level::kTask && key == Key::kRunTime) {
    run_time(text, place);
  } else if (top().level == Level::kTask && is_amount) {
    if (key == Key::kCores) {
      task_.cores = amount(text, place, 1, kMostCores);
    } else {
      const std::int64_t unit = key == Key::kBytes ? 1 : 1000;
      const auto memory = amount(text, place, 0, std::numeric_limits<std::int64_t>::max() / 1024);
      if (memory) task_.memory = *memory * unit;
    }
  } else if (is_amount) {
    amount_of_machine(key, text, place);
  } else {
    return wrong_type(text.substr(0, 40), place);
  }
  return true;
}

void Handler::run_time(const std::string& text, std::uint64_t place) {
  task_.run_time_place = place;
  const SwfNumber number = parse_swf_number(text);
  if (!number.is_number() || number.whole > kLongestSeconds) {
    graph_.error(place, expected(key_text(), "seconds, at most a century of them", text.substr(0, 40)));
  } else if (number.is_negative()) {
    graph_.error(place, expected(key_text(), "seconds, not negative", text.substr(0, 40)));
  } else {
    task_.run_time = Duration{number.whole * 1'000'000'000 + number.nanos};
  }
}

/// A whole number of at least `least`; a fraction is rounded up and counted.
std::optional<std::int64_t> Handler::amount(const std::string& text, std::uint64_t place, std::int64_t least,
                                            std::int64_t most) {
  const SwfNumber number = parse_swf_number(text);
  const std::int64_t whole = number.whole + (number.nanos > 0 ? 1 : 0);
  if (!number.is_number() || number.is_negative() || whole < least || whole > most) {
    graph_.error(place, expected(key_text(), "a number from " + std::to_string(least) + " to " + std::to_string(most),
                                 text.substr(0, 40)));
    return std::nullopt;
  }
  if (number.nanos > 0)
    trace_.repairs.add(Cause::kFractionalProcessors, [&] { return key_text() + " " + text.substr(0, 40); });
  return whole;
}

void Handler::amount_of_machine(Key key, const std::string& text, std::uint64_t place) {
  const auto value =
      amount(text, place, 0, key == Key::kCores ? kMostCores : std::numeric_limits<std::int64_t>::max() / 1024);
  if (!value) return;
  if (key == Key::kCores) machine_.cores = *value;
  if (key == Key::kBytes) machine_.memory = *value;
  if (key == Key::kKilobytes) machine_.memory = *value * 1000;
}

void Handler::check_size() {
  if (graph_.names.size() > kMostTasks) refuse(trace_.path, "more than " + std::to_string(kMostTasks) + " tasks");
}

void Handler::end_task() {
  if (has_id_) {
    task_.name = graph_.names.number_of(id_);
    task_.place = id_place_;
  }
  check_size();
  if (bad_id_) return;
  const Level of = frames_[frames_.size() - 2].level;
  if (of != Level::kExecution) graph_.declare(task_);
  if (of != Level::kSpecification) graph_.measure(task_);
}

void Handler::end_machine() {
  if (machine_.cores == 0) {
    trace_.repairs.add(Cause::kMachineWithoutCores, [&] { return "'" + shown(machine_.name) + "'"; });
    return;
  }
  std::string name = machine_.name.empty() ? "machine" : machine_.name;
  std::ranges::replace_if(
      name, [](char c) { return c == '[' || c == ']' || static_cast<unsigned char>(c) < 0x20; }, '_');
  const std::int64_t seen = ++machine_names_[name];
  if (seen > 1) name += "#" + std::to_string(seen);
  machine_.name = name.substr(0, 200);
  trace_.machines.push_back(std::move(machine_));
  constexpr std::size_t kMostMachines = 1'000'000;
  if (trace_.machines.size() > kMostMachines)
    refuse(trace_.path, "more than " + std::to_string(kMostMachines) + " machines");
}

bool Handler::parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while …": the place is ours.
  std::string_view text = error.what();
  if (text.starts_with('[')) text.remove_prefix(std::min(text.find("] ") + 2, text.size()));
  if (text.starts_with("parse error at")) text.remove_prefix(std::min(text.find(": ") + 2, text.size()));
  graph_.error(std::max<std::uint64_t>(here(), 1), "this is not JSON: " + printable(text));
  return false;
}

void Handler::finish() {
  if (!has_workflow_) graph_.error(0, "has no 'workflow': this is not WfFormat");
  if (!has_version_) graph_.error(0, "has no 'schemaVersion'; WfFormat 1.0 to 1.6 is read");
  if (listed_[0] && (listed_[1] || listed_[2]))
    graph_.error(0,
                 "has tasks both in 'workflow' (WfFormat up to 1.4) and in its specification or execution (since 1.5)");
  if (has_workflow_) graph_.finish(trace_);
}

WfTrace read(const std::function<ByteSource()>& open) {
  ByteSource bytes = open();
  WfTrace trace;
  trace.path = bytes.name();
  WfGraph graph;
  Stream stream(bytes);
  Handler handler(stream, graph, trace);
  if (Json::sax_parse(Iterator(stream), Iterator(), &handler)) {
    handler.finish();
    if (bytes.has_trailing_bytes()) trace.repairs.add(Cause::kTrailingBytes, [] { return std::string(); });
  }
  if (graph.failed()) throw InputError(located(open(), graph.errors()));
  return trace;
}

}  // namespace

WfTrace read_wfformat(const std::string& path) {
  return read([&] { return ByteSource::open(path, kMostBytes); });
}

WfTrace read_wfformat_text(std::string_view text, const std::string& name) {
  return read([&] { return ByteSource::of_memory(text, name, kMostBytes); });
}

bool looks_like_wfformat(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{') return false;
  const auto has_key = [&](std::string_view key) {
    for (std::size_t at = head.find(key); at != std::string_view::npos; at = head.find(key, at + 1)) {
      const std::size_t next = head.find_first_not_of(" \t\r\n", at + key.size());
      if (next != std::string_view::npos && head[next] == ':') return true;
    }
    return false;
  };
  return !has_key("\"work\"") && (has_key("\"schemaVersion\"") || has_key("\"workflow\""));
}

}  // namespace headroom
