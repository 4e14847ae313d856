#include "sim/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <utility>

#include "sim/cli/units.h"

namespace headroom::cli {
namespace {

constexpr auto kBarEvery = std::chrono::milliseconds(200);
constexpr auto kBarAfter = std::chrono::milliseconds(300);  // what is over at once needs no bar
constexpr auto kLineEvery = std::chrono::seconds(10);
constexpr std::size_t kBarWidth = 79;

double fraction(const ProgressState& s) {
  return s.all == 0 ? 0 : static_cast<double>(s.done) / static_cast<double>(s.all);
}

std::string eta_text(const ProgressState& s) {
  const std::uint64_t own = s.done - std::min(s.done, s.done_at_start);
  if (own == 0) return "ETA -";
  const double each = s.elapsed_s / static_cast<double>(own);
  return "ETA " + format_value(std::round(each * static_cast<double>(s.all - s.done)), Scale::kTime);
}

std::string rate_text(const ProgressState& s) {
  if (s.elapsed_s <= 0) return "- events/s";
  return format_short(static_cast<double>(s.events - s.events_at_start) / s.elapsed_s) + " events/s";
}

std::string elapsed_text(const ProgressState& s) { return format_value(std::floor(s.elapsed_s), Scale::kTime); }

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string progress_line(const ProgressState& s) {
  return fmt::format("{}/{} runs, {:.0f} %, {}, {} so far, {}", s.done, s.all, std::floor(100 * fraction(s)),
                     rate_text(s), elapsed_text(s), eta_text(s));
}

std::string progress_bar(const ProgressState& s, std::size_t width) {
  const std::string text = fmt::format("  {}/{} runs {:3.0f} %  {}  {}  {}", s.done, s.all,
                                       std::floor(100 * fraction(s)), rate_text(s), elapsed_text(s), eta_text(s));
  if (width < text.size() + 8) return text.substr(0, width);
  const std::size_t room = width - text.size() - 2;
  const std::size_t filled = std::min(room, static_cast<std::size_t>(fraction(s) * static_cast<double>(room)));
  std::string bar(filled, '=');
  if (filled < room) bar += '>';
  bar.resize(room, ' ');
  return "[" + bar + "]" + text;
}

Progress::Progress(ProgressMode mode, bool terminal, std::ostream& to)
    : bar_(mode == ProgressMode::kAlways || (mode == ProgressMode::kAuto && terminal)),
      lines_(mode == ProgressMode::kAuto && !terminal),
      keep_(mode == ProgressMode::kAlways),
      to_(to),
      started_s_(steady_seconds()) {
  if (bar_ || lines_) thread_ = std::thread([this] { draw_until_stopped(); });
}

Progress::~Progress() { stop(); }

void Progress::update(std::uint64_t done, std::uint64_t all, std::uint64_t events) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(first_, false)) {  // what --resume found is no work of this process
    state_.done_at_start = done;
    state_.events_at_start = events;
  }
  state_.done = done;
  state_.all = all;
  state_.events = events;
}

void Progress::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (keep_) {
    state_.elapsed_s = steady_seconds() - started_s_;
    draw_bar();
    to_ << std::endl;
  } else if (drawn_) {
    to_ << "\r" << std::string(kBarWidth, ' ') << "\r" << std::flush;
  }
}

void Progress::draw_bar() {
  to_ << "\r" << fmt::format("{:<{}}", progress_bar(state_, kBarWidth), kBarWidth) << std::flush;
  drawn_ = true;
}

void Progress::draw_until_stopped() {
  std::unique_lock lock(mutex_);
  auto wait = bar_ ? std::chrono::duration_cast<std::chrono::milliseconds>(kBarAfter)
                   : std::chrono::duration_cast<std::chrono::milliseconds>(kLineEvery);
  while (!wake_.wait_for(lock, wait, [this] { return stopped_; })) {
    state_.elapsed_s = steady_seconds() - started_s_;
    if (bar_) {
      draw_bar();
      wait = kBarEvery;
    } else {
      to_ << "sim: " << progress_line(state_) << std::endl;
    }
  }
}

}  // namespace headroom::cli
