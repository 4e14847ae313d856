#include "sim/cli/stop_signal.h"

#include <csignal>

namespace headroom::cli {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_stop_signal(int) { stop_requested.store(true, std::memory_order_relaxed); }

}  // namespace

const std::atomic<bool>& catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  // A batch system that ends a job signals each of its processes, and the job's script passes the signal on.
  action.sa_flags = static_cast<int>(SA_RESTART);
  sigaction(SIGTERM, &action, nullptr);
  // Reset after the first: whoever presses Ctrl-C twice does not want to wait for the run in flight.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is a write error like a full disk
  return stop_requested;
}

}  // namespace headroom::cli
