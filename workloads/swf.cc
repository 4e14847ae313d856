#include "workloads/swf.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "workloads/diagnostics.h"
#include "workloads/swf_header.h"
#include "workloads/swf_line.h"

namespace headroom {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kMostJobs = 200'000'000;

[[noreturn]] void refuse(const SwfTrace& trace, std::string message) {
  throw InputError({Diagnostic{trace.path, 0, 0, std::move(message), ""}});
}

/// Takes lines one after the other and makes the trace of them.
class Reader {
 public:
  explicit Reader(std::string path) { trace_.path = std::move(path); }

  /// `*end` is '\n'. `is_cut`: the line goes on beyond `end`.
  void take(const char* begin, const char* end, bool is_cut = false);
  /// `trailing_bytes`: there was something behind the gzip data.
  SwfTrace finish(bool trailing_bytes);

 private:
  void take_job(std::string_view text, bool is_cut);
  void drop_malformed(std::string_view text, const std::string& why);
  bool check_numbers(std::string_view text, bool is_cut);
  void keep();
  void drop(Cause cause, const char* what, int field);
  void note_order(const SwfNumber& submit);
  [[nodiscard]] bool is_partial() const;
  std::int64_t user_number();
  void keep_preceding();
  std::uint32_t user_index(std::int64_t number);
  std::int32_t processors(int field);
  void unreadable(int field);
  std::string here() const { return "line " + std::to_string(line_number_) + ": "; }
  std::string column_text(int field) const;
  void sort();

  SwfTrace trace_;
  std::uint64_t line_number_ = 0;
  SwfLine line_;
  std::string_view text_;
  std::unordered_map<std::int64_t, std::uint32_t> user_of_number_;
  std::int64_t last_user_ = std::numeric_limits<std::int64_t>::min();
  std::uint32_t last_user_index_ = 0;
  std::int64_t last_submit_ns_ = 0;  ///< of the job line before, kept or not
  bool is_sorted_ = true;
};

void Reader::take(const char* begin, const char* end, bool is_cut) {
  ++line_number_;
  std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (line_number_ == 1 && text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);  // a byte order mark
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return;
  text.remove_prefix(first);
  if (text[0] != ';') return take_job(text, is_cut);
  text.remove_prefix(1);
  if (!read_swf_header_line(text, trace_.header)) {
    trace_.repairs.add(Cause::kHeader, [&] { return here() + "'" + shown(text) + "'"; });
  }
}

void Reader::take_job(std::string_view text, bool is_cut) {
  text_ = text;
  split_swf_line(text.data(), text.data() + text.size(), line_);
  if (!check_numbers(text, is_cut)) return;
  ++trace_.job_lines;
  keep();
}

void Reader::drop_malformed(std::string_view text, const std::string& why) {
  trace_.repairs.add(Cause::kMalformed, [&] { return here() + why + ": '" + shown(text) + "'"; });
}

/// The text of a column, found again: for messages only.
std::string Reader::column_text(int field) const {
  std::string_view rest = text_;
  for (int k = 1;; ++k) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    const std::string_view column = rest.substr(0, rest.find_first_of(kBlanks));
    if (k == field || column.empty()) return shown(column);
    rest.remove_prefix(column.size());
  }
}

bool Reader::check_numbers(std::string_view text, bool is_cut) {
  if (is_cut && line_.end == text.data() + text.size()) {
    drop_malformed(text, "a line of more than " + std::to_string(text.size()) + " bytes");
    return false;
  }
  for (int k = 1; k <= std::min(9, line_.count); ++k) {
    if (line_.field(k).kind != SwfNumber::Kind::kNone) continue;
    trace_.repairs.add(Cause::kMalformed, [&] {
      return here() + "column " + std::to_string(k) + " is not a number: '" + column_text(k) + "'";
    });
    return false;
  }
  if (line_.count < 9) {
    drop_malformed(text, std::to_string(line_.count) + (line_.count == 1 ? " column" : " columns") + " instead of 18");
    return false;
  }
  return true;
}

/// Counts a job that is left out.
void Reader::drop(Cause cause, const char* what, int field) {
  trace_.repairs.add(cause, [&] { return here() + what + " " + column_text(field); });
}

std::int32_t Reader::processors(int field) {
  const SwfNumber& number = line_.field(field);
  if (!number.is_positive()) return -1;
  if (number.nanos > 0) {
    trace_.repairs.add(Cause::kFractionalProcessors, [&] { return here() + column_text(field) + " processors"; });
  }
  return static_cast<std::int32_t>(number.whole + (number.nanos > 0 ? 1 : 0));
}

bool is_too_large(const SwfNumber& count) {
  return count.is_positive() && (!count.is_number() || count.whole >= std::numeric_limits<std::int32_t>::max());
}

/// Counted over all job lines, kept or not: it is a fact of the file.
void Reader::note_order(const SwfNumber& submit) {
  const auto ns = submit.in_ns();
  if (!ns) return;
  if (*ns < last_submit_ns_) {
    trace_.repairs.add(Cause::kUnsorted,
                       [&] { return here() + "submit time " + column_text(2) + " after a later one"; });
  }
  last_submit_ns_ = *ns;
}

/// A job that was swapped out has one line for all of it and, besides, one for each part, of status 2 to 4.
bool Reader::is_partial() const {
  const SwfNumber& status = line_.field(11);
  return line_.count >= 11 && status.is_number() && status.whole >= 2 && status.whole <= 4 && status.nanos == 0;
}

void Reader::keep() {
  const SwfNumber &submit = line_.field(2), &run = line_.field(4), &request = line_.field(9);
  note_order(submit);
  if (is_partial()) return drop(Cause::kPartial, "status", 11);
  if (run.is_negative()) return drop(Cause::kNegativeRun, "run time", 4);
  if (submit.is_negative()) return drop(Cause::kNegativeSubmit, "submit time", 2);

  const auto submit_ns = submit.in_ns(), run_ns = run.in_ns();
  const auto request_ns = request.is_positive() ? request.in_ns() : std::int64_t{-1};
  if (!line_.field(1).is_number()) return drop(Cause::kOutOfRange, "job number", 1);
  if (!submit_ns) return drop(Cause::kOutOfRange, "submit time", 2);
  if (!run_ns) return drop(Cause::kOutOfRange, "run time", 4);
  if (!request_ns) return drop(Cause::kOutOfRange, "requested time", 9);
  if (is_too_large(line_.field(5))) return drop(Cause::kOutOfRange, "allocated processors", 5);
  if (is_too_large(line_.field(8))) return drop(Cause::kOutOfRange, "requested processors", 8);

  const std::int32_t allocated = processors(5), requested = processors(8);
  if (allocated <= 0 && requested <= 0) return drop(Cause::kNoProcessors, "requested processors", 8);
  if (trace_.jobs() >= kMostJobs) refuse(trace_, "has more than " + std::to_string(kMostJobs) + " jobs");

  is_sorted_ = is_sorted_ && (trace_.submitted_at.empty() || trace_.submitted_at.back().ns <= *submit_ns);
  trace_.job_number.push_back(line_.field(1).whole);
  trace_.submitted_at.push_back({*submit_ns});
  trace_.run_time.push_back({*run_ns});
  trace_.requested_time.push_back({*request_ns});
  trace_.allocated.push_back(allocated);
  trace_.requested.push_back(requested);
  trace_.user.push_back(user_index(user_number()));
  trace_.line.push_back(
      static_cast<std::uint32_t>(std::min<std::uint64_t>(line_number_, std::numeric_limits<std::uint32_t>::max())));
  if (line_.count >= 17) keep_preceding();
}

/// Field 12; -1 where it is not known.
std::int64_t Reader::user_number() {
  if (line_.count < 12) return -1;
  const SwfNumber& user = line_.field(12);
  if (!user.is_number()) unreadable(12);
  return user.is_number() && user.whole >= 0 ? user.whole : -1;
}

void Reader::unreadable(int field) {
  trace_.repairs.add(Cause::kUnreadable,
                     [&] { return here() + "column " + std::to_string(field) + " is '" + column_text(field) + "'"; });
}

void Reader::keep_preceding() {
  const SwfNumber& one = line_.field(17);
  if (one.is_number() && !one.is_positive()) return;
  Duration think;
  if (line_.count >= 18) {
    const auto ns = line_.field(18).in_ns();
    if (!line_.field(18).is_number()) {
      unreadable(18);
    } else if (ns && *ns > 0) {
      think = {*ns};
    }
  }
  const auto job = static_cast<std::uint32_t>(trace_.jobs() - 1);
  std::string_view rest = line_.preceding;
  bool all_read = true;
  for (bool more = true; more;) {
    const std::size_t end = rest.find_first_of("&,;|");
    const SwfNumber number = parse_swf_number(rest.substr(0, end));
    if (number.is_number() && number.is_positive() && number.nanos == 0) {
      trace_.preceding.push_back({job, number.whole, think});
    } else {
      all_read = false;
    }
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
  }
  if (!all_read) unreadable(17);
}

std::uint32_t Reader::user_index(std::int64_t number) {
  if (number == last_user_) return last_user_index_;
  const auto [found, is_new] = user_of_number_.emplace(number, static_cast<std::uint32_t>(trace_.users.size()));
  if (is_new) trace_.users.push_back(number);
  last_user_ = number;
  last_user_index_ = found->second;
  return last_user_index_;
}

template <class T>
void permute(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(column.size());
  for (const std::uint32_t i : order) sorted.push_back(column[i]);
  column = std::move(sorted);
}

void Reader::sort() {
  const auto& at = trace_.submitted_at;
  std::vector<std::uint32_t> order(at.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return at[a] < at[b]; });
  if (!trace_.preceding.empty()) {
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (auto& entry : trace_.preceding) entry.job = place[entry.job];
    std::stable_sort(trace_.preceding.begin(), trace_.preceding.end(),
                     [](const auto& a, const auto& b) { return a.job < b.job; });
  }
  permute(trace_.job_number, order);
  permute(trace_.run_time, order);
  permute(trace_.requested_time, order);
  permute(trace_.allocated, order);
  permute(trace_.requested, order);
  permute(trace_.user, order);
  permute(trace_.line, order);
  permute(trace_.submitted_at, order);
}

SwfTrace Reader::finish(bool trailing_bytes) {
  if (trace_.job_lines == 0) {
    const auto malformed = trace_.repairs.count(Cause::kMalformed);
    std::string message = "no line is a job: SWF has 18 columns of numbers a line";
    if (malformed > 0) {
      message += "; " + std::to_string(malformed) + " malformed, the first: " + trace_.repairs.list().back().example;
    }
    refuse(trace_, std::move(message));
  }
  if (!is_sorted_) sort();
  if (trailing_bytes) {
    trace_.repairs.add(Cause::kTrailingBytes, [] { return std::string(); });
  }
  if (trace_.header.max_jobs && *trace_.header.max_jobs != trace_.job_lines) {
    trace_.repairs.add(Cause::kMaxJobs, [&] {
      return "MaxJobs " + std::to_string(*trace_.header.max_jobs) + ", job lines " + std::to_string(trace_.job_lines);
    });
  }
  return std::move(trace_);
}

/// Hands every line of `buffer[0, filled)` to the reader; returns where the first incomplete one begins.
std::size_t take_lines(Reader& reader, const std::vector<char>& buffer, std::size_t filled) {
  const char* begin = buffer.data();
  const char* const end = begin + filled;
  while (const auto* newline =
             static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)))) {
    reader.take(begin, newline);
    begin = newline + 1;
  }
  return static_cast<std::size_t>(begin - buffer.data());
}

}  // namespace

SwfTrace read_swf(ByteSource& bytes, std::size_t longest_line) {
  Reader reader(bytes.name());
  std::vector<char> buffer(longest_line + 1);  // the last place is for the '\n' that ends a line without one
  std::size_t filled = 0;
  bool is_skipping = false;  // the rest of a line of which the beginning has been taken
  while (const std::size_t n = bytes.read(buffer.data() + filled, longest_line - filled)) {
    filled += n;
    if (is_skipping) {
      const auto* newline = static_cast<const char*>(std::memchr(buffer.data(), '\n', filled));
      const std::size_t skipped = newline ? static_cast<std::size_t>(newline - buffer.data()) + 1 : filled;
      filled -= skipped;
      std::memmove(buffer.data(), buffer.data() + skipped, filled);
      is_skipping = newline == nullptr;
    }
    const std::size_t taken = take_lines(reader, buffer, filled);
    filled -= taken;
    std::memmove(buffer.data(), buffer.data() + taken, filled);
    if (filled == longest_line) {
      buffer[filled] = '\n';
      reader.take(buffer.data(), buffer.data() + filled, true);
      filled = 0;
      is_skipping = true;
    }
  }
  if (filled > 0) {
    buffer[filled] = '\n';
    reader.take(buffer.data(), buffer.data() + filled);
  }
  return reader.finish(bytes.has_trailing_bytes());
}

bool looks_like_swf(std::string_view head) {
  std::string line_text;
  for (int seen = 0; seen < 5 && !head.empty();) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    line_text.assign(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    const std::size_t first = line_text.find_first_not_of(kBlanks);
    if (first == std::string::npos) continue;
    if (line_text[first] == ';') return true;
    ++seen;
    line_text += '\n';
    SwfLine line;
    split_swf_line(line_text.data(), line_text.data() + line_text.size() - 1, line);
    if (line.count < 9) continue;
    if (std::all_of(line.columns.begin(), line.columns.begin() + 9,
                    [](const SwfNumber& number) { return number.is_number(); })) {
      return true;
    }
  }
  return false;
}

bool is_swf_file(const std::string& path) {
  try {
    ByteSource bytes = ByteSource::open(path);
    std::string head(std::size_t{1} << 16, '\0');
    std::size_t filled = 0;
    while (const std::size_t n = bytes.read(head.data() + filled, head.size() - filled)) filled += n;
    return looks_like_swf(std::string_view(head).substr(0, filled));
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace headroom
