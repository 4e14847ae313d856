"""Four synthetic workloads of any size, the same on every machine: independent jobs (W1), four tenants whose priorities age
while the queue grows (W2), a layered graph (W3), rigid jobs with requested times (W4). Whole seconds throughout."""

import json
import math

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
