#include "sim/engine/submissions.h"

#include <algorithm>
#include <numeric>

namespace headroom {

Submissions::Submissions(const Work& work) : work_(work), count_(work.workflows()) {
  const bool any_follows = !work.after_begin.empty();
  if (any_follows || !std::ranges::is_sorted(work.submitted_at)) {
    order_.resize(work.workflows());
    std::iota(order_.begin(), order_.end(), 0U);
    if (any_follows) {
      std::erase_if(order_, [&](std::uint32_t w) { return work.after_begin[w] != work.after_begin[w + 1]; });
      count_ = order_.size();
    }
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t w) { return work.submitted_at[w]; });
  }
  streamed_at_ = streamed_at();
  if (!any_follows) return;
  waits_for_.resize(work.workflows());
  followed_begin_.assign(work.workflows() + 1, 0);
  for (const std::uint32_t before : work.after) ++followed_begin_[before + 1];
  std::partial_sum(followed_begin_.begin(), followed_begin_.end(), followed_begin_.begin());
  followed_.resize(work.after.size());
  std::vector<std::uint32_t> at(followed_begin_.begin(), followed_begin_.end() - 1);
  for (std::uint32_t w = 0; w < work.workflows(); ++w) {
    waits_for_[w] = work.after_begin[w + 1] - work.after_begin[w];
    for (std::uint32_t i = work.after_begin[w]; i < work.after_begin[w + 1]; ++i) followed_[at[work.after[i]]++] = w;
  }
}

TimePoint Submissions::streamed_at() const {
  if (next_ == count_) return TimePoint::never();
  return work_.submitted_at[order_.empty() ? next_ : order_[next_]];
}

bool Submissions::pop_due(TimePoint now, std::uint32_t& workflow) {
  const bool streamed = streamed_at_ == now;
  const bool follows = followers_.next_at() == now;
  if (!streamed && !follows) return false;
  const auto first = order_.empty() ? static_cast<std::uint32_t>(next_) : (next_ < count_ ? order_[next_] : 0);
  if (follows && (!streamed || followers_.top().subject < first)) {
    workflow = followers_.pop().subject;
  } else {
    workflow = first;
    ++next_;
    streamed_at_ = streamed_at();
  }
  return true;
}

void Submissions::ended(std::uint32_t workflow, TimePoint now) {
  if (followed_begin_.empty()) return;
  for (std::uint32_t i = followed_begin_[workflow]; i < followed_begin_[workflow + 1]; ++i) {
    const std::uint32_t follower = followed_[i];
    if (--waits_for_[follower] > 0) continue;
    const TimePoint due = std::max(work_.submitted_at[follower], saturating_add(now, work_.think_time[follower]));
    followers_.push({follower, follower, due});
  }
}

}  // namespace headroom
