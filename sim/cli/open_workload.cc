#include "sim/cli/open_workload.h"

#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>

#include "sim/cli/usage_error.h"
#include "workloads/byte_source.h"
#include "workloads/diagnostics.h"
#include "workloads/wfformat.h"

namespace headroom::cli {
namespace {

constexpr std::size_t kLookAt = 64 * 1024;
constexpr std::size_t kMostOfStdin = 256 * 1024 * 1024;

[[noreturn]] void fail(const std::string& file, const std::string& message, InputError::Kind kind) {
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.message = message;
  throw InputError({diagnostic}, kind);
}

/// Eleven or more numbers and nothing else: a job of a trace whose header was cut off.
bool is_job_line(std::string_view line) {
  std::size_t numbers = 0;
  while (true) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return numbers >= 11;
    const std::size_t end = std::min(line.find_first_of(" \t\r", start), line.size());
    const std::string_view word = line.substr(start, end - start);
    if (word.find_first_not_of("0123456789.-+eE") != std::string_view::npos) return false;
    ++numbers;
    line.remove_prefix(end);
  }
}

bool begins_key(std::string_view line, std::string_view key) {
  return line.starts_with(key) && line.size() > key.size() && line[key.size()] == ':';
}

std::string read_all(std::istream& in) {
  std::string text;
  char buffer[kLookAt];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostOfStdin)
      fail("stdin", "longer than 256 MiB: put it into a file", InputError::Kind::kBadInput);
  }
  return text;
}

bool is_gzip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[2] = {};
  file.read(magic, sizeof magic);
  return std::string_view(magic, 2) == "\x1f\x8b";
}

}  // namespace

FileKind kind_of_content(std::string_view text) {
  if (text.starts_with("\x1f\x8b")) return FileKind::kSwf;
  if (looks_like_wfformat(text)) return FileKind::kWfFormat;
  bool first = true, policy = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    if (std::exchange(first, false) && (line[begin] == ';' || is_job_line(line))) return FileKind::kSwf;
    if (begins_key(line, "work")) return FileKind::kWorkload;
    policy = policy || begins_key(line, "policy");
  }
  return policy ? FileKind::kPolicy : FileKind::kWorkload;
}

FileKind kind_of_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "is a folder, not a file", InputError::Kind::kNoInput);
  const auto beginning = [](ByteSource bytes) {
    std::string text(kLookAt, '\0');
    std::size_t filled = 0;
    while (const std::size_t n = bytes.read(text.data() + filled, text.size() - filled)) filled += n;
    text.resize(filled);
    return text;
  };
  const std::string text = beginning(ByteSource::open(path));
  const FileKind kind = kind_of_content(text);
  if (kind == FileKind::kSwf || kind == FileKind::kWfFormat) return kind;
  // What is compressed is a trace, or something that the trace's reader will refuse.
  return is_gzip(path) ? FileKind::kSwf : kind;
}

WorkloadDocument open_workload(const std::string& path, std::istream& in) {
  if (path == "-") {
    std::string text = read_all(in);
    const FileKind kind = kind_of_content(std::string_view(text).substr(0, kLookAt));
    if (kind == FileKind::kSwf || kind == FileKind::kWfFormat)
      throw UsageError("a trace is not read from stdin: name its file with --workload FILE");
    return WorkloadDocument::parse(std::move(text), "stdin");
  }
  switch (kind_of_file(path)) {
    case FileKind::kSwf:
      return WorkloadDocument::from_trace(path);
    case FileKind::kWfFormat:
      return WorkloadDocument::from_trace(path, TraceItem::Format::kWfFormat);
    case FileKind::kPolicy:
      throw UsageError("'" + path + "' is a policy, not a workload: sim --workload FILE --policy " + path);
    case FileKind::kWorkload:
      break;
  }
  return WorkloadDocument::load(path);
}

std::vector<Policy> find_policies(const std::string& name, const Workload* workload) {
  if (workload != nullptr)
    for (const Policy& policy : workload->policies)
      if (policy.name == name) return {policy};
  if (const Policy* preset = find_preset(name)) return {*preset};
  try {
    return read_policies(name);
  } catch (const InputError& error) {
    // Of a file the errors are the file's. A name that is none is a matter of usage, though the reader words it best.
    std::error_code ignored;
    const bool is_file = std::filesystem::exists(name, ignored) || error.kind() == InputError::Kind::kNoInput;
    if (is_file || name.starts_with("expr:") || name.starts_with("{") || error.diagnostics().empty()) throw;
    throw UsageError(error.diagnostics().front().message);
  }
}

}  // namespace headroom::cli
