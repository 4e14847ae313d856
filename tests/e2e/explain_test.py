"""sim explain against a second opinion that was written for nothing else: for every elementary interval of a wait it looks at
the whole schedule again from the beginning, in exact fractions, and gives the interval to whom the definition gives it.
Random cases: tick or none, shallow or deep queues, three placements, nodes of two kinds with memory, failing and cordoned
nodes, priorities that change."""

import random
import re
import unittest
from fractions import Fraction

import h5py

from headroom_test import EndToEnd

NS = 10**9
NEVER = 10**30


def ns(seconds):
    return NEVER if seconds != seconds else round(seconds * NS)


class Schedule:
    """What the results say of a run, as lists of plain values."""

    def __init__(self, path):
        with h5py.File(path) as f:
            words = lambda d: [x.decode() for x in d[:]]
            s, w = f["stages"], f["workflows"]
            self.workflow_names = words(w["name"])
            self.submitted = [ns(t) for t in w["submitted_at"][:]]
            self.first_inputs = [
                {"organization": int(o), "account": int(a), "user": int(u), "workflow": int(p)}
                for o, a, u, p in zip(w["organization_priority"][:], w["account_priority"][:], w["user_priority"][:], w["priority"][:])
            ]
            columns = {c: s[c][:] for c in ("workflow", "stage", "attempt", "cores", "memory", "node", "decision", "estimate")}
            times = {c: [ns(t) for t in s[c][:]] for c in ("declared_at", "eligible_at", "started_at", "finished_at", "canceled_at")}
            self.attempts = []
            for i, name in enumerate(words(s["name"])):
                row = {c: int(v[i]) for c, v in columns.items() if c != "estimate"}
                row["estimate"] = ns(float(columns["estimate"][i]))
                row.update({c: v[i] for c, v in times.items()})
                row["name"] = name
                row["row"] = i
                self.attempts.append(row)
            self.edges = list(zip(map(int, f["dependencies/source"][:]), map(int, f["dependencies/sink"][:])))
            n = f["node_classes"]
            self.nodes = []
            for count, cores, memory in zip(n["count"][:], n["cores"][:], n["memory"][:]):
                self.nodes += [(int(cores), int(memory))] * int(count)
            self.updates, self.node_events = [], []
            if "events" in f:
                e = f["events"]
                kinds = e["kind"].attrs["flag_meanings"].split() if "flag_meanings" in e["kind"].attrs else None
                kinds = [k.decode() if isinstance(k, bytes) else k for k in kinds]
                factors = e["factor"].attrs["flag_meanings"].split()
                factors = [k.decode() if isinstance(k, bytes) else k for k in factors]
                for i in range(len(e["time"])):
                    kind = kinds[e["kind"][i]]
                    at = ns(e["time"][i])
                    if kind == "priority_updated":
                        self.updates.append((at, int(e["stage"][i]), factors[e["factor"][i]], int(e["new"][i])))
                    elif kind.startswith("node_"):
                        self.node_events.append((at, int(e["node"][i]), kind, int(e["actor"][i]) < 0))
            r = f["settings"]
            self.tick = ns(r["tick"][0])
            self.depth = int(r["queue_depth"][0])
            self.end = max([a[c] for a in self.attempts for c in times if c != "declared_at" and a[c] < NEVER])
            self.end = max([self.end] + [at for at, *_ in self.node_events])
        self.first_of = {}
        for a in self.attempts:
            self.first_of.setdefault(a["stage"], a)
        self.has_priority = True

    # ---- the order

    def tail(self, stage):
        below = [self.tail(sink) for source, sink in self.edges if source == stage and sink in self.first_of]
        return self.first_of[stage]["estimate"] + max(below, default=0)

    def inputs(self, stage, at):
        values = dict(self.first_inputs[self.first_of[stage]["workflow"]])
        for when, changed, factor, new in self.updates:
            if when <= at and changed == stage:
                values[factor] = new
        return values

    def key(self, stage, at, values=None):
        """Smaller is first: priority as an exact fraction of hours, tail time, declaration."""
        if not self.has_priority:
            return (Fraction(0), -self.tail(stage), self.first_of[stage]["row"])
        values = values or self.inputs(stage, at)
        age = Fraction(at - self.submitted[self.first_of[stage]["workflow"]], 3600 * NS)
        return (-(age + sum(values.values())), -self.tail(stage), self.first_of[stage]["row"])

    # ---- what is there at an instant, after all that happens at it

    def running(self, at):
        return sorted((a for a in self.attempts if a["started_at"] <= at < min(a["finished_at"], NEVER)), key=lambda a: a["decision"])

    def closed(self, at):
        failures, cordons = [0] * len(self.nodes), [0] * len(self.nodes)
        for when, node, kind, by_itself in self.node_events:
            if when > at:
                continue
            if kind == "node_failed":
                failures[node] += 1
            if kind == "node_repaired":
                failures[node] -= 1
            if kind == "node_cordoned":
                cordons[node] += 1
            if kind == "node_uncordoned":
                cordons[node] = cordons[node] - 1 if by_itself else 0
        return [f > 0 or c > 0 for f, c in zip(failures, cordons)]

    def fits(self, a, at, all_nodes=False, cores=True, memory=True):
        closed = self.closed(at)
        for n, (node_cores, node_memory) in enumerate(self.nodes):
            if closed[n] and not all_nodes:
                continue
            here = [r for r in self.running(at) if r["node"] == n]
            free_cores = node_cores - sum(r["cores"] for r in here)
            free_memory = node_memory - sum(r["memory"] for r in here)
            if (not cores or free_cores >= a["cores"]) and (not memory or free_memory >= a["memory"]):
                return True
        return False

    def waits_at_pass(self, a, at):
        return a["eligible_at"] <= at <= a["started_at"] and a["canceled_at"] > at and a["eligible_at"] < NEVER

    def grid(self, at):
        return at if self.tick == 0 else at - at % self.tick

    def passes(self):
        changes = [a[c] for a in self.attempts for c in ("declared_at", "finished_at", "canceled_at")]
        changes += self.submitted + [u[0] for u in self.updates] + [e[0] for e in self.node_events]
        up = lambda at: at if self.grid(at) == at else self.grid(at) + self.tick
        return sorted({up(at) for at in changes if at < NEVER})


def brute_force(s, stage, placement):
    """{(cause, workflow or None): ns}, and the sum of the waits."""
    out, total = {}, 0
    for a in (a for a in s.attempts if a["stage"] == stage and a["eligible_at"] < NEVER):
        begin, end = a["eligible_at"], min(a["started_at"], a["canceled_at"])
        if end == NEVER:
            end = max(s.end, begin)
        total += end - begin
        cuts = {begin, end}
        for other in s.attempts:
            cuts |= {other[c] for c in ("started_at", "finished_at", "canceled_at", "eligible_at")}
        cuts |= {e[0] for e in s.node_events} | {u[0] for u in s.updates}
        if s.tick:
            cuts |= {s.grid(t) + s.tick for t in list(cuts) if t < NEVER} | {s.grid(t) for t in list(cuts) if t < NEVER}
        cuts = sorted(t for t in cuts if begin <= t <= end)
        for now, then in zip(cuts, cuts[1:]):
            for cause, who, time in instant(s, a, begin, now, then, placement):
                out[cause, who] = out.get((cause, who), Fraction(0)) + time
    return out, total


def instant(s, a, begin, now, then, placement):
    length = then - now
    stage = a["stage"]
    if s.fits(a, now):
        last = s.grid(now)
        # It has waited for a pass if at the last instant for one it was not eligible yet, or did not fit afterwards.
        could = last >= begin and all(s.fits(a, t) for t in changes_between(s, last, now))
        if not could:
            return [("waiting_for_pass", None, length)]
        at = [p for p in s.passes() if p <= now][-1]
        queue = sorted((x for x in s.attempts if s.waits_at_pass(x, at)), key=lambda x: s.key(x["stage"], at))
        place = [x["stage"] for x in queue].index(stage) + 1
        if s.depth and place > s.depth:
            return [("queue_depth", None, length)]
        assert placement != "greedy"
        left = [x for x in queue if x["started_at"] > now and x["stage"] != stage]
        return [("reservation", left[0]["workflow"], length)]
    if s.fits(a, now, all_nodes=True):
        return [("node_down", None, length)]
    if s.fits(a, now, cores=False):
        resource = "cores"
    elif a["memory"] and s.fits(a, now, memory=False):
        resource = "memory"
    else:
        # Without either alone it does not: the first that is short by itself.
        resource = "cores" if not s.fits({**a, "memory": 0}, now) else "memory"
    closed = s.closed(now)
    could = [n for n, (c, m) in enumerate(s.nodes) if c >= a["cores"] and m >= a["memory"]]
    holders = [r for r in s.running(now) if r["node"] in could and not closed[r["node"]] and r[resource] > 0]
    if not holders:
        return [("node_down" if any(closed[n] for n in could) else "too_large:" + resource, None, length)]
    held = sum(r[resource] for r in holders)
    return [(label(s, stage, begin, r, resource), r["workflow"], Fraction(length * r[resource], held)) for r in holders]


def changes_between(s, first, last):
    times = {first, last}
    for a in s.attempts:
        times |= {a["started_at"], a["finished_at"]}
    times |= {e[0] for e in s.node_events}
    return [t for t in times if first <= t <= last]


def label(s, stage, begin, holder, resource):
    at = holder["started_at"]
    if at < begin:
        return "already_running"
    own, its = s.key(stage, at), s.key(holder["stage"], at)
    if own < its:
        return "fitted_when_this_did_not:" + resource
    first = [s.first_inputs[s.first_of[x]["workflow"]] for x in (stage, holder["stage"])]
    if s.key(stage, at, first[0]) < s.key(holder["stage"], at, first[1]):
        return "priority_change"
    if own[0] != its[0]:
        bases = [sum(s.inputs(x, at).values()) for x in (stage, holder["stage"])]
        return "higher_base" if bases[1] > bases[0] else "older"
    return "longer_tail" if own[1] != its[1] else "declaration"


def random_workload(rng):
    tick, depth = rng.choice(["0s", "0s", "0s", "45s", "2min"]), rng.choice([0, 0, 0, 1, 2])
    lines = ["cluster:", "  nodes:", "    - {name: a, count: 1, cores: 2, memory: 4GiB}"]
    if rng.random() < 0.6:
        lines.append(f"    - {{name: b, count: {rng.randint(1, 2)}, cores: 3, memory: 2GiB}}")
    lines += [f"scheduler: {{tick: {tick}, queue_depth: {depth}}}", "tenants:", "  administrators: [root]"]
    lines += ["  users: {ada: {}, ben: {}}", "  organizations:"]
    lines += ["    - {organization: acme, owners: [olivia], accounts: [{account: a, users: [ada, ben]}]}", "work:"]
    count = rng.randint(4, 9)
    for i in range(count):
        stage = lambda name, more="": (
            f"{{name: {name}, runtime: {rng.randint(1, 1800)}s, estimate: {rng.choice([60, 600, 1200])}s, cores: {rng.randint(1, 2)},"
            f" memory: {rng.choice([0, 1, 2])}GiB{more}}}"
        )
        stages = stage("x") + (", " + stage("y", ", needs: [x]") if rng.random() < 0.3 else "")
        lines.append(
            f"  - {{workflow: w{i}, user: {rng.choice(['ada', 'ben'])}, at: {rng.randint(0, 1200)}s, priority: {-rng.randint(0, 1)},"
            f" stages: [{stages}]}}"
        )
    lines.append("actions:")
    for _ in range(rng.randint(1, 4)):
        w, p = rng.randrange(count), rng.randint(-2, 2)
        what = [f"by: olivia, update: {{workflow: w{w}, priority: {p}}}", f"by: olivia, update: {{user: ben, priority: {p}}}"]
        what += [f"by: olivia, stop: {{workflow: w{w}}}", "by: root, cordon: {node: 'a[0]'}, for: 10min"]
        what += ["by: root, fail: {node: 'a[0]'}, for: 7min"]
        lines.append(f"  - {{at: {rng.randint(0, 2400)}s, {rng.choice(what)}}}")
    return "\n".join(lines) + "\n"


class Explain(EndToEnd):
    CASES = 24

    def compare(self, label, placement, seen):
        """Adds the causes that there are to `seen`; how many shares agreed."""
        compared = 0
        s = Schedule(self.dir / "r.h5")
        s.has_priority = placement == "greedy"
        for stage, first in s.first_of.items():
            expected, wait = brute_force(s, stage, placement)
            said = self.sim_json("explain", "r.h5", s.workflow_names[first["workflow"]], first["name"])
            where = f"{label}, {s.workflow_names[first['workflow']]} {first['name']}"
            self.assertEqual(round(said["wait"] * NS), wait, where)
            self.assertEqual(sum(round(c["seconds"] * NS) for c in said["causes"]), wait, where)
            found = {}
            for c in said["causes"]:
                if c["by"]:
                    self.assertEqual(sum(round(b["seconds"] * NS) for b in c["by"]), round(c["seconds"] * NS), where)
                for b in c["by"] or [{"workflow": None, "seconds": c["seconds"]}]:
                    found[c["cause"], b["workflow"]] = round(b["seconds"] * NS)
            names = {(c, None if w is None else s.workflow_names[w]): t for (c, w), t in expected.items() if t}
            self.assertEqual({k for k, t in names.items() if t >= 100}, {k for k, t in found.items() if t >= 100}, where)
            for k, t in found.items():
                # Each interval is cut at whole nanoseconds, so some are off by one where it is shared.
                self.assertLessEqual(abs(t - names.get(k, 0)), 100, f"{where}: {k}")
                seen.add(k[0])
                compared += 1
        return compared

    def test_agrees_with_looking_at_the_whole_schedule_again_at_every_instant(self):
        seen, compared = set(), 0
        for case in range(self.CASES):
            rng = random.Random(case)
            placement = rng.choice(["greedy", "greedy", "strict", "easy"])
            workload = self.write("w.yaml", random_workload(rng))
            # A policy of one's own has priority 0 for all.
            self.write("p.yaml", f"policy: p\nplacement: {placement}\nties: [tail_time, declaration]\n")
            policy = "default" if placement == "greedy" else "./p.yaml"
            self.sim("-w", workload, "-p", policy, "-o", "r.h5", "--force", "--format", "quiet")
            compared += self.compare(f"case {case}", placement, seen)
        self.assertGreater(compared, 100)
        self.assertLessEqual({"already_running", "higher_base", "older", "node_down", "priority_change"}, seen)

    def test_and_so_it_does_where_stages_are_displaced(self):
        seen, compared, displaced = set(), 0, 0
        priority = "(now() - workflow.create_time).Hours() + organization.priority + account.priority + user.priority + workflow.priority"
        for case in range(self.CASES):
            rng = random.Random(1000 + case)
            text = re.sub(r"queue_depth: \d", "queue_depth: 0", random_workload(rng))
            text = re.sub(r"\{name: [xy]", lambda m: m[0] + rng.choice([", preemptible: true", ""]), text)
            self.write("w.yaml", text)
            mode = rng.choice(["requeue", "suspend", "{mode: requeue, margin: 0.5}", "{mode: requeue, minimum_run: 2min}"])
            self.write("p.yaml", f'policy: p\npriority: "{priority}"\nties: [tail_time, declaration]\npreemption: {mode}\n')
            self.sim("-w", "w.yaml", "-p", "./p.yaml", "-o", "r.h5", "--force", "--format", "quiet")
            with h5py.File(self.dir / "r.h5") as f:
                displaced += len(f["preemptions/stage"]) if "preemptions" in f else 0
            compared += self.compare(f"case {case} ({mode})", "greedy", seen)
        self.assertGreater(displaced, 10)
        self.assertGreater(compared, 100)
        self.assertLessEqual({"already_running", "higher_base", "older"}, seen)


if __name__ == "__main__":
    unittest.main()
