// SIGINT and SIGTERM as a flag that runs look at. A second SIGINT ends the process at once.
#pragma once

#include <atomic>

namespace headroom::cli {

/// From here on the signals set the flag; returns it. It lives as long as the process.
const std::atomic<bool>& catch_stop_signals();

}  // namespace headroom::cli
