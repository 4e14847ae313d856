"""Four synthetic traces whose exact answers are known from a bare loop written for nothing else, and for the first three
from SimGrid as well: independent jobs first come first served (W1); four tenants whose priorities age while the queue
grows (W2), where keys that tie exactly must be compared exactly (evaluated as doubles the mean would be 15860.020620);
a layered graph by tail time (W3); rigid jobs with EASY backfilling (W4). Makespans count from the first submission."""

import json
import math
import unittest

from headroom_test import EndToEnd

MASK = (1 << 64) - 1
SLOTS = 1024


class Draws:
    """SplitMix64, as the generator of these traces draws."""

    def __init__(self, seed):
        self.state = seed

    def u64(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return ((self.u64() >> 11) + 0.5) * 2.0**-53

    def exponential(self, mean):
        return -mean * math.log(self.uniform())

    def normal(self):
        radius = math.sqrt(-2 * math.log(self.uniform()))
        return radius * math.cos(6.283185307179586 * self.uniform())

    def below(self, n):
        return (self.u64() * n) >> 64


def half_up(x):
    return math.floor(x + 0.5)


def trace(jobs, load, seed, rigid=False, tenants=False):
    """SWF text: lognormal run times (median 600 s, sigma 1.5), Poisson arrivals, whole seconds."""
    draw = Draws(seed)
    rows, work = [], 0.0
    for _ in range(jobs):
        run = max(1, min(604800, half_up(math.exp(math.log(600.0) + 1.5 * draw.normal()))))
        width, requested, user = 1, run, 1 + draw.below(4)
        if rigid:
            size = draw.uniform() * 8
            width = 1 << int(size + 0.5) if draw.uniform() < 0.75 else half_up(2.0**size)
            over = 1 + draw.exponential(2.0)
            requested = max(run, math.ceil(run * over / 300.0) * 300)
        rows.append((run, width, requested, user))
        work += run * width
    gap, now = work / jobs / (load * SLOTS), 0.0
    lines = [f"; MaxJobs: {jobs}", "; UnixStartTime: 0", f"; MaxNodes: {SLOTS}", f"; MaxProcs: {SLOTS}"]
    for job, (run, width, requested, user) in enumerate(rows, 1):
        now += draw.exponential(gap)
        lines.append(f"{job} {int(now)} -1 {run} {width} -1 -1 {width} {requested} -1 1 {user} 1 -1 "
                     f"{user if tenants else 1} -1 -1 -1")
    return "\n".join(lines) + "\n"


def layered_graph(tasks, seed):
    """WfFormat 1.5 text: layers of tasks / 100, one to five parents, mostly in the layer before."""
    draw, width = Draws(seed), tasks // 100
    parents, children, run = [[] for _ in range(tasks)], [[] for _ in range(tasks)], []
    for task in range(tasks):
        run.append(max(1, half_up(math.exp(math.log(30.0) + draw.normal()))))
        layer = task // width
        if layer == 0:
            continue
        for _ in range(1 + draw.below(5)):
            back = min(layer, 1 + (draw.below(4) if draw.uniform() < 0.2 else 0))
            parent = (layer - back) * width + draw.below(width)
            if parent not in parents[task]:
                parents[task].append(parent)
                children[parent].append(task)

    def ids(tasks_of):
        return [f"t{task}" for task in tasks_of]

    specified = [{"name": f"t{t}", "id": f"t{t}", "parents": ids(parents[t]), "children": ids(children[t])} for t in range(tasks)]
    executed = [{"id": f"t{t}", "runtimeInSeconds": run[t], "coreCount": 1} for t in range(tasks)]
    return json.dumps({"name": "layered", "schemaVersion": "1.5",
                       "workflow": {"specification": {"tasks": specified}, "execution": {"tasks": executed}}})


TENANTS = """
tenants:
  users: {a: {priority: -20}, b: {priority: -7}, c: {priority: 7}, d: {priority: 20}}
  organizations: [{organization: site, accounts: [{account: all, users: [a, b, c, d]}]}]
"""


class ReferenceWorkloads(EndToEnd):
    def answer(self, text, policy, tenants=""):
        self.write("jobs.swf", text)
        options = "{swf: jobs.swf, users: {1: a, 2: b, 3: c, 4: d}}" if tenants else "{swf: jobs.swf}"
        workload = self.write("w.yaml", f"cluster: {{slots: {SLOTS}}}\n{tenants}work: [{{trace: {options}}}]\n")
        metrics = self.sim_json("-w", workload, "-p", policy, "-o", "r.h5", "--force")["runs"][0]["metrics"]
        return f"{metrics['wait_time_mean']:.6f}", int(metrics["makespan"])

    def test_independent_jobs_first_come_first_served(self):
        self.assertEqual(self.answer(trace(10_000, 0.95, 1), "fcfs"), ("0.000000", 623836 - 1))
        self.assertEqual(self.answer(trace(100_000, 0.95, 1), "fcfs"), ("1.665830", 623369))

    def test_four_tenants_whose_priorities_age(self):
        self.assertEqual(self.answer(trace(10_000, 1.30, 2, tenants=True), "priority", TENANTS), ("170.951400", 197246 - 3))
        self.assertEqual(self.answer(trace(100_000, 1.30, 2, tenants=True), "priority", TENANTS), ("15860.027040", 439266 - 1))

    def test_a_layered_graph_by_tail_time(self):
        for tasks, makespan in ((10_000, 17385), (100_000, 77215)):
            self.write("w3.json", layered_graph(tasks, 3))
            workload = self.write("w.yaml", "cluster: {slots: 64}\nwork: [{trace: {wfformat: w3.json}}]\n")
            runs = self.sim_json("-w", workload, "-p", "tail_time", "-o", "r.h5", "--force")["runs"]
            self.assertEqual(runs[0]["metrics"]["makespan"], makespan)

    def test_rigid_jobs_with_easy_backfilling(self):
        self.assertEqual(self.answer(trace(10_000, 0.85, 4, rigid=True), "easy"), ("1047.197900", 1052487 - 51))
        self.assertEqual(self.answer(trace(100_000, 0.85, 4, rigid=True), "easy"), ("1771.652680", 10226828 - 185))


if __name__ == "__main__":
    unittest.main()
