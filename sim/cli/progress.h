// How far a study is: a bar on a terminal, a line every ten seconds elsewhere. On stderr, so that it never meets
// results.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

#include "sim/cli/options.h"

namespace headroom::cli {

struct ProgressState {
  std::uint64_t done = 0, all = 0, events = 0;
  std::uint64_t done_at_start = 0, events_at_start = 0;  ///< when the first report came: of runs kept by --resume
  double elapsed_s = 0;
};
/// "[=====>      ]  5/8 runs  62 %  3.2 M events/s  ETA 12 s", at most `width` columns.
[[nodiscard]] std::string progress_bar(const ProgressState& state, std::size_t width);
/// "5/8 runs, 62 %, 3.2 M events/s, ETA 12 s".
[[nodiscard]] std::string progress_line(const ProgressState& state);

/// Draws until destroyed, from a thread of its own: a long run moves its clock though no run ends.
class Progress {
 public:
  /// kAuto: a bar if `terminal`, which leaves nothing behind, else lines. kAlways: a bar that stays, whatever stderr
  /// is. kNever: nothing.
  Progress(ProgressMode mode, bool terminal, std::ostream& to);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// From any thread; the first call before any work is done.
  void update(std::uint64_t done, std::uint64_t all, std::uint64_t events);
  /// Nothing is drawn afterwards.
  void stop();

 private:
  void draw_until_stopped();
  void draw_bar();

  const bool bar_, lines_, keep_;
  std::ostream& to_;
  const double started_s_;
  std::mutex mutex_;
  std::condition_variable wake_;
  ProgressState state_;
  bool first_ = true, stopped_ = false, drawn_ = false;
  std::thread thread_;
};

/// Seconds of a clock that only goes forward. The one clock of the program.
[[nodiscard]] double steady_seconds();

}  // namespace headroom::cli
