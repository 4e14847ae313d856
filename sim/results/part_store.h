// FILE.part/: the finished runs of a study until they are all there. One process at a time; a killed one leaves nothing
// that hinders the next.
//
//   FILE.part/lock       held (flock) while a process works on it
//   FILE.part/study      what the runs belong to, as `key: value` lines
//   FILE.part/run-N.part part files, called after their first run
//   FILE.part/assembled  FILE is being renamed into place: from here on FILE is this study's own
//   FILE.part/finished   of a shard: all its runs are there; then the facts of the study, and a checksum
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/part_batch.h"
#include "sim/results/part_file.h"
#include "sim/results/study_facts.h"

namespace headroom {

class StoredRuns;

/// All that decides the results, key by key, so that a difference can be named.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// The parts in the way belong to another study: each line says what is there and what is wanted.
class OtherStudy : public std::runtime_error {
 public:
  explicit OtherStudy(std::vector<std::string> differences);
  [[nodiscard]] const std::vector<std::string>& differences() const { return differences_; }

 private:
  std::vector<std::string> differences_;
};

class PartStore {
 public:
  struct Options {
    std::string out;      ///< FILE
    bool force = false;   ///< FILE, and runs of an earlier study, may be replaced
    bool resume = false;  ///< keep the runs that are there
  };

  /// Makes or takes over FILE.part/, before anything is run. Damaged parts and leftovers are removed.
  /// Fails  OutputError: FILE exists, runs of an earlier study are in the way, another process holds it, the folder is
  ///        missing or read-only. OtherStudy: with `resume`, the runs there are of another study.
  PartStore(Options options, Identity identity);
  ~PartStore();
  PartStore(const PartStore&) = delete;
  PartStore& operator=(const PartStore&) = delete;

  /// The runs that are done, rising, each with its summary. Moved out: to be asked once.
  [[nodiscard]] std::map<std::uint64_t, std::string> take_done() { return std::move(done_); }

  /// Keeps a finished run. Small ones are held back and written together: call flush() now and then, and at the end.
  /// What `record` refers to need not live on. Safe to call from several threads.
  /// Fails  OutputError kCannotWrite.
  void add(const RunRecord& record);
  void flush();

  /// Assembles FILE.tmp, renames it to FILE and removes FILE.part/. Every run must be there; nothing may follow.
  /// Fails  OutputError kCannotWrite: the parts are kept.
  void assemble(const StudyFacts& facts, unsigned threads);
  /// Ends a shard, which has nothing to assemble: the part is kept, and says of itself that it is finished and what
  /// study it is a part of. After flush(). Fails OutputError kCannotWrite.
  void finish_shard(const StudyFacts& facts);
  /// The `extra` of a finished run. After flush().
  [[nodiscard]] std::string extra(std::uint64_t run);

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  void create_folder();
  void lock();
  void scan();
  void remove_parts();
  void check_out(bool had_runs) const;
  void check_identity() const;
  void write_identity() const;
  [[nodiscard]] std::string path_for(std::uint64_t run) const;
  void keep(const std::string& path);
  StoredRuns& stored();
  [[nodiscard]] std::string path_of(const std::string& name) const { return folder_ + "/" + name; }

  Options options_;
  std::string folder_;
  Identity identity_;
  std::string hash_;  ///< of the identity: in every part
  FileDescriptor lock_;
  std::map<std::uint64_t, std::string> done_;
  bool empty_at_end_ = true;  ///< no part was ever there

  std::mutex mutex_;
  PartBatch batch_;
  std::vector<std::string> parts_;      ///< paths
  std::unique_ptr<StoredRuns> stored_;  ///< of all parts, once no more come
};

/// The part files of a folder, by name.
[[nodiscard]] std::vector<std::string> part_paths(const std::string& folder);
[[nodiscard]] std::string text_of(const Identity& identity);

/// FILE.part/study, read back: keys and values, each on one line. Nothing where there is no such file.
[[nodiscard]] std::map<std::string, std::string> read_identity(const std::string& path);
/// What differs, in words: of `wanted` what was there otherwise, or not; then what only `there` has.
[[nodiscard]] std::vector<std::string> differing_keys(const std::map<std::string, std::string>& there,
                                                      const std::map<std::string, std::string>& wanted);

/// Fails  OutputError kCannotCreate: FILE is a folder or the like, or is there and `force` is not set.
void check_replaceable(const std::string& file, bool force);

/// Writes FILE.tmp from the part files and renames it to FILE, durably. `before_renaming` is called when only that is
/// left to do. `where` names the parts in a complaint about them.
/// Fails  OutputError kCannotWrite: FILE is as it was, FILE.tmp is gone.
void assemble_file(const std::string& file, const StudyFacts& facts, const std::vector<std::string>& parts,
                   unsigned threads, const std::string& where, const std::function<void()>& before_renaming);

}  // namespace headroom
