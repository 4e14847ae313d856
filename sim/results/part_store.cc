#include "sim/results/part_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "policies/check.h"
#include "sim/results/bytes.h"
#include "sim/results/crc32.h"
#include "sim/results/merge.h"
#include "sim/results/output_error.h"
#include "sim/results/results_file.h"
#include "sim/results/sha256.h"
#include "sim/results/stored_runs.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAlone = std::size_t{1}
                               << 20;  ///< a run of so many bytes is written by itself, a column at a time
constexpr std::size_t kBatch = std::size_t{4} << 20;

std::string one_line(const std::string& value) {
  std::string line;
  for (const char c : value) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\\') {
      line += "\\\\";
    } else {
      line += c;
    }
  }
  return line;
}

std::string shortened(const std::string& value) {
  constexpr std::size_t kShown = 60;
  return value.size() <= kShown ? value : value.substr(0, kShown) + "...";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string changed(const std::string& folder) {
  return "a file in '" + folder + "' changed or cannot be read; --resume does its runs again";
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

OtherStudy::OtherStudy(std::vector<std::string> differences)
    : std::runtime_error(joined(differences)), differences_(std::move(differences)) {}

std::string text_of(const Identity& identity) {
  std::string text;
  for (const auto& [key, value] : identity) text += one_line(key) + ": " + one_line(value) + "\n";
  return text;
}

std::map<std::string, std::string> read_identity(const std::string& path) {
  std::map<std::string, std::string> found;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) found[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return found;
}

std::vector<std::string> differing_keys(const std::map<std::string, std::string>& there,
                                        const std::map<std::string, std::string>& wanted) {
  std::vector<std::string> differences;
  for (const auto& [key, value] : wanted) {
    const auto found = there.find(key);
    if (found == there.end()) {
      differences.push_back(key + " is " + shortened(value) + ", and was not there");
    } else if (found->second != value) {
      differences.push_back(key + " is " + shortened(value) + ", and was " + shortened(found->second));
    }
  }
  for (const auto& [key, value] : there) {
    if (!wanted.contains(key)) differences.push_back(key + " was " + shortened(value) + ", and is not there");
  }
  return differences;
}

std::vector<std::string> part_paths(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".part") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

PartStore::PartStore(Options options, Identity identity)
    : options_(std::move(options)),
      folder_(options_.out + ".part"),
      identity_(std::move(identity)),
      hash_(sha256_hex(text_of(identity_))) {
  std::error_code ignored;
  fs::remove_all(folder_ + ".done", ignored);  // A process was killed while it tidied up.
  const bool had_folder = exists(folder_);
  if (!had_folder) check_out(false);
  create_folder();
  lock();
  const bool had_runs = !part_paths(folder_).empty();
  check_out(had_runs);
  if (options_.resume && had_runs) {
    check_identity();
    scan();
  } else if (had_runs && !options_.force) {
    throw OutputError(
        OutputError::Kind::kCannotCreate,
        "'" + folder_ + "' holds finished runs of an interrupted study; --resume keeps them, --force starts anew");
  } else {
    remove_parts();
  }
  write_identity();
  empty_at_end_ = parts_.empty();
}

PartStore::~PartStore() {
  if (!lock_.is_open() || !empty_at_end_) return;
  // Nothing was finished: leave no trace.
  for (const char* name : {"study", "lock"}) ::unlink(path_of(name).c_str());
  ::rmdir(folder_.c_str());
}

void check_replaceable(const std::string& file, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  const auto refuse = [](const std::string& what) { throw OutputError(OutputError::Kind::kCannotCreate, what); };
  if (fs::is_directory(status)) refuse("'" + file + "' is a folder, not a results file");
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse("'" + file + "' is not a file that can be replaced");
  if (fs::exists(status) && !force) refuse("'" + file + "' exists; --force replaces it");
  const std::string parent = folder_of(file);
  if (!fs::is_directory(parent, error)) refuse("cannot create '" + file + "': there is no folder '" + parent + "'");
}

// FILE may be there only if it may be replaced, or if a process was killed between its renaming and the tidying up.
void PartStore::check_out(bool had_runs) const {
  std::error_code error;
  if (options_.resume && had_runs && exists(path_of("assembled")) && fs::is_regular_file(options_.out, error)) return;
  if (!fs::exists(options_.out, error)) return;  // create_folder() says what is wrong with where it would be
  const bool nothing_left = options_.resume && !options_.force && fs::is_regular_file(options_.out, error);
  if (nothing_left)
    throw OutputError(OutputError::Kind::kCannotCreate,
                      "'" + options_.out + "' exists; --force replaces it, and there is nothing to resume");
  check_replaceable(options_.out, options_.force);
}

void PartStore::create_folder() {
  if (::mkdir(folder_.c_str(), 0777) == 0 || errno == EEXIST) return;
  const int error = errno;
  const std::string parent = folder_of(folder_);
  const bool no_parent = error == ENOENT && !exists(parent);
  const std::string why = no_parent         ? "there is no folder '" + parent + "'"
                          : error == EACCES ? "folder '" + parent + "' is not writable"
                                            : std::strerror(error);
  throw OutputError(OutputError::Kind::kCannotCreate, "cannot create '" + options_.out + "': " + why);
}

void PartStore::lock() {
  const std::string path = path_of("lock");
  lock_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock_.is_open()) {
    throw OutputError(OutputError::Kind::kCannotCreate, "cannot create '" + path + "': " + std::strerror(errno));
  }
  // The lock goes with the process, however it ends. That the name still means the opened file is checked because the
  // former holder may have removed it between our open and our lock.
  struct stat opened {
  }, named{};
  // A file system without locks (ENOSYS and the like) leaves it to the caller not to start two.
  if ((::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) || ::fstat(lock_.get(), &opened) != 0 ||
      ::stat(path.c_str(), &named) != 0 || opened.st_ino != named.st_ino) {
    lock_ = FileDescriptor();
    throw OutputError(OutputError::Kind::kCannotCreate,
                      "another process is writing '" + options_.out + "' (it holds '" + path + "')");
  }
}

void PartStore::check_identity() const {
  std::map<std::string, std::string> wanted;
  for (const auto& [key, value] : identity_) wanted[one_line(key)] = one_line(value);
  std::vector<std::string> differences = differing_keys(read_identity(path_of("study")), wanted);
  if (!differences.empty()) throw OtherStudy(std::move(differences));
}

void PartStore::write_identity() const {
  DurableFile file(path_of("study"));
  file.write(text_of(identity_));
  file.commit();
}

void PartStore::remove_parts() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    if (entry.path().filename() != "lock") fs::remove(entry.path(), ignored);
  }
}

// Damaged parts go: their runs are simply done again.
void PartStore::scan() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    if (entry.path().extension() == ".tmp") fs::remove(entry.path(), ignored);
  }
  for (const std::string& path : part_paths(folder_)) {
    try {
      const PartReader part(path, true);
      if (part.identity() != hash_) throw BytesDamaged();
      for (std::size_t i = 0; i < part.runs().size(); ++i) done_.try_emplace(part.runs()[i], part.summary(i));
      parts_.push_back(path);
    } catch (const BytesDamaged&) {
      fs::remove(path, ignored);
    }
  }
}

void PartStore::add(const RunRecord& record) {
  if (bytes_of(record) >= kAlone) {
    const std::string path = path_for(record.run);
    write_part(path, hash_, std::span(&record, 1));
    keep(path);
    return;
  }
  MadeColumns made = make_columns(record);  // Outside the lock: this is where the time goes.
  {
    const std::lock_guard lock(mutex_);
    batch_.add(record, std::move(made));
    if (batch_.bytes() < kBatch) return;
  }
  flush();
}

void PartStore::flush() {
  PartBatch batch;
  {
    const std::lock_guard lock(mutex_);
    std::swap(batch, batch_);
  }
  if (batch.empty()) return;
  const PartContent content = batch.content();
  const std::string path = path_for(content.runs.front().run);
  write_part(path, hash_, content);
  keep(path);
}

std::string PartStore::path_for(std::uint64_t run) const {
  std::string number = std::to_string(run);
  number.insert(0, number.size() < 8 ? 8 - number.size() : 0, '0');
  return path_of("run-" + number + ".part");
}

void PartStore::keep(const std::string& path) {
  const std::lock_guard lock(mutex_);
  parts_.push_back(path);
  empty_at_end_ = false;
}

StoredRuns& PartStore::stored() {
  HEADROOM_CHECK(batch_.empty(), "flush() comes first");
  try {
    if (stored_ == nullptr) stored_ = std::make_unique<StoredRuns>(parts_);
  } catch (const BytesDamaged&) {
    throw OutputError(OutputError::Kind::kCannotWrite, changed(folder_));
  }
  return *stored_;
}

std::string PartStore::extra(std::uint64_t run) {
  StoredRuns& all = stored();
  const auto at = std::ranges::lower_bound(all.runs(), run);
  HEADROOM_CHECK(at != all.runs().end() && *at == run, "run " + std::to_string(run) + " is not stored");
  try {
    return all.extra(static_cast<std::size_t>(at - all.runs().begin()));
  } catch (const BytesDamaged&) {
    throw OutputError(OutputError::Kind::kCannotWrite, changed(folder_));
  }
}

void assemble_file(const std::string& file, const StudyFacts& facts, const std::vector<std::string>& parts,
                   unsigned threads, const std::string& where, const std::function<void()>& before_renaming) {
  const std::string temporary = file + ".tmp";
  try {
    StoredRuns stored(parts);
    HEADROOM_CHECK(stored.runs().size() == facts.runs(),
                   std::to_string(stored.runs().size()) + " runs of " + std::to_string(facts.runs()) + " are stored");
    write_results_file(temporary, facts, stored, threads);
    sync_path(temporary);
    before_renaming();
    rename_durably(temporary, file);
  } catch (const BytesDamaged&) {
    ::unlink(temporary.c_str());
    throw OutputError(OutputError::Kind::kCannotWrite, changed(where));
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void PartStore::finish_shard(const StudyFacts& facts) {
  HEADROOM_CHECK(batch_.empty(), "flush() comes first");
  const std::string bytes = facts_bytes(facts);
  Crc32 crc;
  crc.add(bytes);
  DurableFile file(path_of("finished"));
  file.write(bytes + crc.hex());
  file.commit();
  empty_at_end_ = false;  // a shard without any run is a shard all the same
}

void PartStore::assemble(const StudyFacts& facts, unsigned threads) {
  assemble_file(options_.out, facts, parts_, threads, folder_, [this] { DurableFile(path_of("assembled")).commit(); });
  // Away in one step, so that a process killed here leaves either all parts or none.
  const std::string done = folder_ + ".done";
  std::error_code ignored;
  fs::rename(folder_, done, ignored);
  fs::remove_all(ignored ? folder_ : done, ignored);
  lock_ = FileDescriptor();
}

}  // namespace headroom
