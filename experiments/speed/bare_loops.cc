// The least work that still gives the schedules of the four reference workloads: what `sim` is compared with.
// No metrics beyond makespan and mean wait, no log, no options. Whole seconds; at one instant ends, then arrivals, then
// one pass. Prints seconds of the loop, mean wait, makespan from time 0.
//
//   g++ -O3 -march=native -std=c++20 bare_loops.cc -o bare_loops
//   bare_loops w1|w2|w4 FILE.swf      bare_loops w3 FILE.edges
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <list>
#include <queue>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

using Seconds = std::int64_t;
constexpr Seconds kNever = std::numeric_limits<Seconds>::max();
template <class T>
using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;
using At = std::pair<Seconds, int>;  // (time or key, job)

struct Job {
  Seconds submit = 0, run = 0, requested = 0;
  int width = 1, user = 1;
};
struct Answer {
  double waits = 0;
  Seconds makespan = 0;
};

std::vector<Job> read_swf(const char* path) {
  std::ifstream in(path);
  std::vector<Job> jobs;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == ';') continue;
    std::istringstream fields(line);
    std::vector<Seconds> f(18, -1);
    for (Seconds& field : f) fields >> field;
    jobs.push_back({f[1], f[3], f[8], static_cast<int>(f[7]), static_cast<int>(f[11])});
  }
  return jobs;
}

/// One-slot jobs by the smallest key.
template <class Key>
Answer by_key(const std::vector<Job>& jobs, int slots, Key key) {
  Answer answer;
  LeastFirst<At> running, waiting;
  std::size_t next = 0;
  Seconds now = 0;
  for (int free = slots; next < jobs.size() || !running.empty();) {
    now = std::min(next < jobs.size() ? jobs[next].submit : kNever, running.empty() ? kNever : running.top().first);
    for (; !running.empty() && running.top().first == now; ++free) running.pop();
    for (; next < jobs.size() && jobs[next].submit == now; ++next)
      waiting.emplace(key(jobs[next]), static_cast<int>(next));
    for (; free > 0 && !waiting.empty(); --free) {
      const int job = waiting.top().second;
      waiting.pop();
      answer.waits += static_cast<double>(now - jobs[job].submit);
      running.emplace(now + jobs[job].run, job);
    }
  }
  answer.makespan = now;
  return answer;
}

/// First come first served needs no queue but the trace itself.
Answer in_order(const std::vector<Job>& jobs, int slots) {
  Answer answer;
  LeastFirst<Seconds> ends;
  Seconds now = 0;
  for (const Job& job : jobs) {
    now = std::max(now, job.submit);
    while (!ends.empty() && ends.top() <= now) ends.pop();
    if (static_cast<int>(ends.size()) == slots) {
      now = ends.top();
      ends.pop();
    }
    answer.waits += static_cast<double>(now - job.submit);
    ends.push(now + job.run);
    answer.makespan = std::max(answer.makespan, now + job.run);
  }
  return answer;
}

Answer by_tail_time(std::istream& in, int slots, double& seconds) {
  int tasks = 0, edges = 0;
  in >> tasks >> edges;
  std::vector<Seconds> run(tasks), tail(tasks);
  std::vector<std::vector<int>> children(tasks);
  std::vector<int> parents(tasks, 0), order;
  for (Seconds& r : run) in >> r;
  for (int e = 0, parent = 0, child = 0; e < edges && in >> parent >> child; ++e) {
    children[parent].push_back(child);
    ++parents[child];
  }
  const auto began = std::chrono::steady_clock::now();
  std::vector<int> left = parents;
  for (int t = 0; t < tasks; ++t)
    if (left[t] == 0) order.push_back(t);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const int child : children[order[i]])
      if (--left[child] == 0) order.push_back(child);
  for (std::size_t i = order.size(); i-- > 0;) {
    Seconds longest = 0;
    for (const int child : children[order[i]]) longest = std::max(longest, tail[child]);
    tail[order[i]] = longest + run[order[i]];
  }
  LeastFirst<At> ready, running;
  for (int t = 0; t < tasks; ++t)
    if (parents[t] == 0) ready.emplace(-tail[t], t);
  Answer answer;
  for (int free = slots;;) {
    for (; free > 0 && !ready.empty(); --free) {
      const int task = ready.top().second;
      ready.pop();
      running.emplace(answer.makespan + run[task], task);
    }
    if (running.empty()) break;
    answer.makespan = running.top().first;
    while (!running.empty() && running.top().first == answer.makespan) {
      const int task = running.top().second;
      running.pop();
      ++free;
      for (const int child : children[task])
        if (--parents[child] == 0) ready.emplace(-tail[child], child);
    }
  }
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return answer;
}

/// EASY: the head gets the earliest time at which it fits by requested times, others must not delay it.
Answer easy(const std::vector<Job>& jobs, int cores) {
  Answer answer;
  LeastFirst<At> running;
  std::vector<At> expected;  // requested ends, latest first
  std::list<int> queue;
  int free = cores;
  std::size_t next = 0;
  Seconds now = 0;
  const auto start = [&](int job) {
    free -= jobs[job].width;
    answer.waits += static_cast<double>(now - jobs[job].submit);
    running.emplace(now + jobs[job].run, job);
    const At end{now + jobs[job].requested, job};
    expected.insert(std::lower_bound(expected.begin(), expected.end(), end, std::greater<>()), end);
  };
  while (next < jobs.size() || !running.empty()) {
    now = std::min(next < jobs.size() ? jobs[next].submit : kNever, running.empty() ? kNever : running.top().first);
    for (; !running.empty() && running.top().first == now; running.pop()) {
      const int job = running.top().second;
      free += jobs[job].width;
      const At end{now - jobs[job].run + jobs[job].requested, job};
      expected.erase(std::lower_bound(expected.begin(), expected.end(), end, std::greater<>()));
    }
    for (; next < jobs.size() && jobs[next].submit == now; ++next) queue.push_back(static_cast<int>(next));
    for (; !queue.empty() && jobs[queue.front()].width <= free; queue.pop_front()) start(queue.front());
    if (queue.size() < 2 || free == 0) continue;
    int then = free;
    Seconds shadow = now;
    for (auto end = expected.rbegin(); end != expected.rend() && (then < jobs[queue.front()].width || end->first == shadow);
         ++end) {
      then += jobs[end->second].width;
      shadow = end->first;
    }
    int spare = then - jobs[queue.front()].width;
    for (auto at = std::next(queue.begin()); at != queue.end() && free > 0;) {
      const Job& job = jobs[*at];
      const bool in_time = now + job.requested <= shadow;
      if (job.width > free || (!in_time && job.width > spare)) {
        ++at;
        continue;
      }
      if (!in_time) spare -= job.width;
      start(*at);
      at = queue.erase(at);
    }
  }
  answer.makespan = now;
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: bare_loops w1|w2|w3|w4 FILE\n";
    return 2;
  }
  const std::string kind = argv[1];
  double seconds = 0;
  Answer answer;
  std::size_t n = 1;
  if (kind == "w3") {
    std::ifstream in(argv[2]);
    answer = by_tail_time(in, 64, seconds);
  } else {
    const std::vector<Job> jobs = read_swf(argv[2]);
    n = std::max<std::size_t>(jobs.size(), 1);
    constexpr Seconds kPriority[] = {0, -20, -7, 7, 20};
    const auto began = std::chrono::steady_clock::now();
    if (kind == "w1") answer = in_order(jobs, 1024);
    if (kind == "w2") answer = by_key(jobs, 1024, [&](const Job& job) { return job.submit - 3600 * kPriority[job.user]; });
    if (kind == "w4") answer = easy(jobs, 1024);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  std::printf("%.6f %.6f %lld\n", seconds, answer.waits / static_cast<double>(n), static_cast<long long>(answer.makespan));
}
