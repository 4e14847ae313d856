// The file behind `empirical: FILE`: values that were observed somewhere, one a line.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

Scalar<std::int64_t> read_value(std::string_view text, Quantity quantity) {
  switch (quantity) {
    case Quantity::kDuration: {
      const Scalar<Duration> duration = read_duration(text);
      return {duration.value.ns, duration.wanted};
    }
    case Quantity::kMemory:
      return read_memory(text);
    case Quantity::kMillionths:
      return read_scaled(text, 1'000'000);
    case Quantity::kWhole:
    case Quantity::kPriority:
      break;
  }
  return read_whole(text);
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  line = line.substr(0, line.find('#'));
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
}

/// The values of one file, and what is wrong with it.
class Observations {
 public:
  Observations(std::string path, Quantity quantity, std::int64_t least, std::int64_t most)
      : path_(std::move(path)), quantity_(quantity), least_(least), most_(most) {}

  void read(std::string_view text) {
    for (std::int64_t number = 1; !text.empty() && errors_.size() < kMostErrors; ++number) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end), number);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (values_.empty() && errors_.empty())
      errors_.push_back(Diagnostic{path_, 0, 0, "there is no value in it; one a line is expected", ""});
    std::ranges::sort(values_);
  }

  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }
  [[nodiscard]] std::vector<std::int64_t>& values() { return values_; }

 private:
  static constexpr std::size_t kMostErrors = 20;

  void read_line(std::string_view line, std::int64_t number) {
    const std::string_view text = trimmed(line);
    if (text.empty()) return;
    const Scalar<std::int64_t> value = read_value(text, quantity_);
    const bool fits = value.ok() && value.value >= least_ && value.value <= most_;
    if (fits) return values_.push_back(value.value);
    const std::string wanted = !value.ok() ? value.wanted : value.value < least_ ? "a larger value" : "a smaller value";
    Diagnostic error{path_, number, 1 + (text.data() - line.data()),
                     "expected " + wanted + ", found '" + std::string(text.substr(0, 100)) + "'", ""};
    error.set_source(line);
    errors_.push_back(std::move(error));
  }

  std::string path_;
  Quantity quantity_;
  std::int64_t least_, most_;
  std::vector<std::int64_t> values_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Context::Observed read_observed(Context& context, const Node& node, std::string_view what, Quantity quantity,
                                std::int64_t least, std::int64_t most) {
  const auto file = text_of(context, node, what);
  if (!file) return nullptr;
  if (file->empty() || file->find('\0') != std::string::npos) {
    context.expected(node, what, "a file's name");
    return nullptr;
  }
  const std::string path = file->starts_with('/') ? *file : context.folder() + *file;
  const std::string key = std::to_string(static_cast<int>(quantity)) + " " + std::to_string(least) + " " + path;
  const auto [found, is_new] = context.observed().emplace(key, nullptr);
  if (!is_new) return found->second;
  // A pipe or a device might never end, or never begin.
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    context.error(node, "'" + path + "' is not a regular file");
    return nullptr;
  }
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const InputError& unread) {
    context.error(node, "'" + path + "' " + unread.diagnostics().front().message +
                            "; a name is relative to the workload's own folder");
    return nullptr;
  }
  Observations observations(path, quantity, least, most);
  observations.read(text);
  context.adopt(observations.errors());
  if (!observations.errors().empty()) return nullptr;
  context.note_data_file(path);
  found->second = std::make_shared<const std::vector<std::int64_t>>(std::move(observations.values()));
  return found->second;
}

}  // namespace headroom::yaml
