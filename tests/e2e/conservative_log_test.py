"""Conservative backfilling on the KTH SP2 log, against two small programs that know nothing of the scheduler.

With exact estimates no reservation ever has to be made anew: whatever was promised at a job's submission is what it gets.
So the whole schedule is that of putting each job, in order of submission, into the earliest hole once and for all. With
the estimates of the log, jobs end early and everything behind them moves up: there all reservations are made again in
every pass.
"""

import bisect
import heapq
import unittest

import h5py
from headroom_test import TRACES, EndToEnd, skip_or_fail

LOG = TRACES / "swf" / "KTH-SP2-1996-2.swf"
PROCESSORS = 100
JOBS = 28481


def jobs_of_the_log():
    """(submitted, run time, requested time, width), as the log's fields 2, 4, 9, and 8 or else 5, cut at the request."""
    jobs = []
    for line in LOG.read_text(encoding="latin-1").splitlines():
        if not line.strip() or line.startswith(";"):
            continue
        fields = line.split()
        submitted, run, allocated, requested_width, requested = (int(fields[i]) for i in (1, 3, 4, 7, 8))
        width = requested_width if requested_width > 0 else allocated
        if run > 0 and requested > 0 and 0 < width <= PROCESSORS:
            jobs.append((submitted, min(run, requested), requested, width))
    jobs.sort(key=lambda job: job[0])  # stable: equal submissions in the order of the file
    return jobs


class Profile:
    """Free processors from each of `times` on."""

    def __init__(self, now, free):
        self.times, self.free = [now], [free]

    def _split(self, time):
        at = bisect.bisect_left(self.times, time)
        if at == len(self.times) or self.times[at] != time:
            self.times.insert(at, time)
            self.free.insert(at, self.free[at - 1])
        return at

    def forget_before(self, now):
        at = bisect.bisect_right(self.times, now) - 1
        del self.times[:at], self.free[:at]

    def take(self, begin, end, width):
        for at in range(self._split(begin), self._split(end)):
            self.free[at] -= width
            assert self.free[at] >= 0

    def earliest(self, now, length, width):
        start = None
        for at, free in enumerate(self.free):
            if free < width:
                start = None
            elif start is None:
                start = max(now, self.times[at])
            last = at + 1 == len(self.free)
            if start is not None and (last or self.times[at + 1] >= start + length):
                return start
        raise AssertionError("the last step is the empty machine")


def one_hole_each(jobs):
    """Starts, each given once, at submission. Jobs (submitted, length, width) in order of submission."""
    profile = Profile(jobs[0][0], PROCESSORS)
    starts = []
    for submitted, length, width in jobs:
        profile.forget_before(submitted)
        start = profile.earliest(submitted, length, width)
        profile.take(start, start + length, width)
        starts.append(start)
    return starts


def replanned(jobs):
    """Starts, all reservations made again after every instant at which a job ended or came."""
    starts = [None] * len(jobs)
    queue, running, ends = [], set(), []
    coming = 0
    while coming < len(jobs) or queue:
        now = min(ends[0][0] if ends else float("inf"), jobs[coming][0] if coming < len(jobs) else float("inf"))
        while ends and ends[0][0] == now:
            running.discard(heapq.heappop(ends)[1])
        while coming < len(jobs) and jobs[coming][0] == now:
            queue.append(coming)
            coming += 1
        # A job at its request ends there: none outlasts its estimate.
        profile = Profile(now, PROCESSORS)
        for job in running:
            profile.take(now, starts[job] + jobs[job][2], jobs[job][3])
        waiting = []
        for job in queue:
            _, run, requested, width = jobs[job]
            start = profile.earliest(now, requested, width)
            profile.take(start, start + requested, width)
            if start > now:
                waiting.append(job)
                continue
            starts[job] = now
            running.add(job)
            heapq.heappush(ends, (now + run, job))
        queue = waiting
    return starts


class ConservativeOnALog(EndToEnd):
    def starts(self, settings):
        workload = self.write("kth.yaml", f"work: [{{trace: {{swf: '{LOG.resolve()}', zero_run: drop, {settings}}}}}]\n")
        self.sim("-w", workload, "-p", "conservative", "-o", "r.h5", "--force")
        with h5py.File(self.dir / "r.h5", "r") as file:
            return [round(start) for start in file["workflows"]["started_at"][:]]

    def compare(self, found, expected):
        wrong = [k for k, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b]
        self.assertEqual(wrong[:5], [], f"{len(wrong)} of {len(expected)} jobs start at other times")

    def test_with_exact_estimates_every_job_gets_the_hole_it_was_promised(self):
        if not LOG.is_file():
            skip_or_fail(self, f"no log at {LOG}")
        jobs = [(submitted, run, width) for submitted, run, _, width in jobs_of_the_log()]
        self.assertEqual(len(jobs), JOBS)
        self.compare(self.starts("estimates: exact"), self.from_first(one_hole_each(jobs), jobs))

    def test_with_requested_times_every_pass_plans_anew(self):
        if not LOG.is_file():
            skip_or_fail(self, f"no log at {LOG}")
        jobs = jobs_of_the_log()
        expected = replanned(jobs)
        self.assertNotEqual(expected, one_hole_each([(job[0], job[2], job[3]) for job in jobs]), "nothing ever moved up")
        self.compare(self.starts("estimates: requested"), self.from_first(expected, jobs))

    def from_first(self, starts, jobs):
        """Seconds since the first kept job came, which is a trace's time 0."""
        return [start - jobs[0][0] for start in starts]


class Oracles(unittest.TestCase):
    def test_the_two_agree_on_four_published_jobs(self):
        # Starts behind the published ends 100, 200, 300, 550 of (arrival, length, width) on 100 processors.
        jobs = [(0, 100, 70), (1, 100, 80), (2, 100, 90), (50, 250, 20)]
        self.assertEqual(one_hole_each(jobs), [0, 100, 200, 300])
        self.assertEqual(replanned([(at, length, length, width) for at, length, width in jobs]), [0, 100, 200, 300])


if __name__ == "__main__":
    unittest.main()
