#include "sim/results/merge.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "sim/results/bytes.h"
#include "sim/results/crc32.h"
#include "sim/results/output_error.h"
#include "sim/results/part_store.h"
#include "sim/results/posix_file.h"
#include "sim/results/results_file.h"
#include "sim/results/sha256.h"
#include "sim/results/stored_runs.h"
#include "workloads/diagnostics.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& part, const std::string& what,
                         InputError::Kind kind = InputError::Kind::kBadInput) {
  throw InputError({Diagnostic{part, 0, 0, what, ""}}, kind);
}

std::string damaged(const std::string& part) {
  return "a file in '" + part + "' is damaged or cannot be read; run that shard again with --resume";
}

/// Runs that are missing, as they are found: "3 to 5, 8 and 12 more". There may be any number of them.
class Missing {
 public:
  /// All of [first, end), which comes after those before.
  void add(std::uint64_t first, std::uint64_t end) {
    if (first >= end) return;
    count_ += end - first;
    constexpr int kShown = 5;
    if (shown_ == kShown) {
      more_ += end - first;
      return;
    }
    ++shown_;
    text_ += (text_.empty() ? "" : ", ") + std::to_string(first);
    if (end - first > 1) text_ += (end - first > 2 ? " to " : ", ") + std::to_string(end - 1);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::string text() const {
    return more_ == 0 ? text_ : text_ + " and " + std::to_string(more_) + " more";
  }

 private:
  std::uint64_t count_ = 0, more_ = 0;
  int shown_ = 0;
  std::string text_;
};

/// One shard's folder, locked while we read it.
struct Part {
  std::string folder;
  FileDescriptor lock;
  std::string facts;
  std::vector<std::string> files;
};

std::string read_finished(const std::string& folder) {
  std::ifstream in(folder + "/finished", std::ios::binary);
  if (!in) refuse(folder, "is not finished; run that shard again with --resume");
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  constexpr std::size_t kChecksum = 8;
  if (bytes.size() < kChecksum) throw OutputError(OutputError::Kind::kCannotWrite, damaged(folder));
  const std::string checksum = bytes.substr(bytes.size() - kChecksum);
  bytes.resize(bytes.size() - kChecksum);
  Crc32 crc;
  crc.add(bytes);
  if (crc.hex() != checksum) throw OutputError(OutputError::Kind::kCannotWrite, damaged(folder));
  return bytes;
}

Part open_part(const std::string& name) {
  std::error_code error;
  Part part;
  // FILE.shard-0-of-2 is what the shard was called, FILE.shard-0-of-2.part where it lies.
  part.folder = !fs::exists(name, error) && fs::is_directory(name + ".part", error) ? name + ".part" : name;
  if (!fs::exists(part.folder, error)) refuse(name, "there is no such part", InputError::Kind::kNoInput);
  if (!fs::is_directory(part.folder, error)) refuse(name, "is no part of a study: a shard's part is a folder");
  const std::string lock = part.folder + "/lock";
  if (!fs::exists(part.folder + "/study", error)) refuse(name, "is no part of a study");
  part.lock = FileDescriptor(::open(lock.c_str(), O_RDONLY | O_CLOEXEC));
  if (part.lock.is_open() && ::flock(part.lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse(name, "is still being written by another process");
  part.facts = read_finished(part.folder);
  part.files = part_paths(part.folder);
  return part;
}

void check_same_study(const Part& first, const Part& other) {
  const std::vector<std::string> differences =
      differing_keys(read_identity(first.folder + "/study"), read_identity(other.folder + "/study"));
  std::vector<Diagnostic> diagnostics;
  for (const std::string& difference : differences)
    diagnostics.push_back({other.folder, 0, 0, "is of another study than '" + first.folder + "': " + difference, ""});
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
  if (other.facts != first.facts)
    refuse(other.folder, "is of another study than '" + first.folder + "', or read other files");
}

/// The hash that every file of the part carries.
std::string identity_of(const Part& part) {
  std::ifstream in(part.folder + "/study", std::ios::binary);
  return sha256_hex(std::string((std::istreambuf_iterator<char>(in)), {}));
}

/// Every run once, and of this study.
void check_complete(const std::vector<Part>& parts, std::uint64_t runs) {
  const std::string identity = identity_of(parts.front());
  std::map<std::uint64_t, const Part*> by_run;  // the part that each run is in
  for (const Part& part : parts) {
    for (const std::string& file : part.files) {
      std::optional<PartReader> reader;
      try {
        reader.emplace(file, false);
      } catch (const BytesDamaged&) {
        throw OutputError(OutputError::Kind::kCannotWrite, damaged(part.folder));
      }
      if (reader->identity() != identity) refuse(part.folder, "holds runs of another study; run that shard again");
      for (const std::uint64_t run : reader->runs()) {
        const auto [other, is_new] = by_run.emplace(run, &part);
        if (!is_new && other->second != &part)
          refuse(part.folder, "run " + std::to_string(run) + " is in '" + other->second->folder + "' too");
        if (run >= runs) refuse(part.folder, "run " + std::to_string(run) + " is none of the study's");
      }
    }
  }
  Missing missing;
  std::uint64_t next = 0;
  for (const auto& [run, part] : by_run) {
    missing.add(next, run);
    next = run + 1;
  }
  missing.add(next, runs);
  if (missing.count() == 0) return;
  refuse(parts.front().folder, "and the other parts lack " + std::to_string(missing.count()) + " of " +
                                   std::to_string(runs) + " runs: " + missing.text() + "; a shard is missing");
}

}  // namespace

Merged merge_parts(const MergeRequest& request) {
  std::vector<Part> parts;
  std::vector<Diagnostic> absent;
  for (const std::string& name : request.parts) {
    try {
      parts.push_back(open_part(name));
    } catch (const InputError& error) {
      if (error.kind() != InputError::Kind::kNoInput) throw;
      absent.insert(absent.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
  if (!absent.empty()) throw InputError(std::move(absent), InputError::Kind::kNoInput);
  for (const Part& part : parts) check_same_study(parts.front(), part);
  StudyFacts facts;
  try {
    facts = read_facts(parts.front().facts);
  } catch (const BytesDamaged&) {
    throw OutputError(OutputError::Kind::kCannotWrite, damaged(parts.front().folder));
  }
  check_complete(parts, facts.runs());
  std::vector<std::string> files;
  for (const Part& part : parts) files.insert(files.end(), part.files.begin(), part.files.end());
  check_replaceable(request.out, request.force);
  assemble_file(request.out, facts, files, request.threads, "one of the parts", [] {});
  return {facts.title, facts.runs()};
}

}  // namespace headroom
