"""The control plane as an administrator meets it: one urgent workflow among 180, by every view of the results; and what the
views say at any instant is what the scheduler used then."""

import random
import unittest

import h5py

from headroom_test import EXAMPLES, BAD_INPUT, NO_INPUT, OK, USAGE, EndToEnd


class UrgentBacklog(EndToEnd):
    """The expected values are worked out by hand: four slots, jobs of ten minutes, all of one submitter at priority 0."""

    def setUp(self):
        super().setUp()
        self.run_json = self.sim_json("-w", EXAMPLES / "urgent_backlog.yaml", "-o", "r.h5")["runs"][0]

    def test_the_schedule_and_its_metrics(self):
        metrics = self.run_json["metrics"]
        self.assertEqual(metrics["makespan"], 460 * 60)
        self.assertEqual(metrics["priority_changes"], 177)
        self.assertEqual(metrics["refusals"], 2)
        with h5py.File(self.dir / "r.h5") as f:
            names = [n.decode() for n in f["workflows/name"]]
            stages = f["stages"]
            starts = sorted(
                (d, t / 60, names[w])
                for d, t, w in zip(stages["decision"][:], stages["started_at"][:], stages["workflow"][:])
            )
        expected = [(0, f"backlog[{i}]") for i in range(4)] + [(10, f"backlog[{i}]") for i in range(4, 8)]
        expected += [(20, "urgent"), (20, "backlog[8]"), (20, "backlog[9]"), (20, "backlog[10]"), (30, "backlog[170]")]
        self.assertEqual([(t, name) for _, t, name in starts[:13]], expected)
        self.assertEqual({t for _, t, _ in starts[12:16]}, {30})

    def test_the_audit_says_who_what_why_and_by_which_rule(self):
        audit = self.sim_json("audit", "r.h5")
        refused = [a for a in audit if a["outcome"] == "refused"]
        self.assertEqual(
            [(a["time"], a["actor"], a["target"], a["old"], a["new"], a["rule"], a["decided_by"]) for a in refused],
            [
                (360, "ada", "workflow urgent", 0, 5, "R18", "orchestrate"),
                (420, "ben", "workflow backlog[50]", 0, -5, "R23", "orchestrate"),
            ],
        )
        self.assertIn("acme", refused[0]["why"])
        self.assertIn("'ben' is no owner", refused[1]["why"])
        applied = [a for a in audit if a["outcome"] == "applied"]
        self.assertEqual(len(applied), 177)
        positive = [a for a in audit if a["positive"] == "yes"]
        self.assertEqual(
            [(a["time"], a["actor"], a["target"], a["old"], a["new"]) for a in positive],
            [(1500, "olivia", "workflow backlog[170]", -5, 50)],
        )
        text = self.sim("audit", "r.h5").stdout
        self.assertIn("REFUSED by rule R18", text)
        self.assertIn("applied, positive by rule R9", text)
        self.assertIn("4 had ended already: backlog[0], backlog[1], backlog[2], backlog[3]", text)

    def test_each_stamped_stage_has_one_event(self):
        with h5py.File(self.dir / "r.h5") as f:
            events = f["events"]
            self.assertEqual(len(events["time"]), 177)
            bulk = events["time"][:] == 720
            self.assertEqual(bulk.sum(), 176)
            self.assertEqual(set(events["old"][bulk]), {0})
            self.assertEqual(set(events["new"][bulk]), {-5})
            self.assertEqual(len(set(events["stage"][bulk])), 176)
        log = self.sim_json("events", "r.h5", "backlog[170]")
        self.assertEqual(
            [(e["time"], e["kind"], e["factor"], e["old"], e["new"], e["actor"]) for e in log if e["factor"]],
            [
                (720, "priority_updated", "workflow", 0, -5, "ada"),
                (1500, "priority_updated", "workflow", -5, 50, "olivia"),
            ],
        )
        self.assertEqual(
            [e["kind"] for e in log if not e["factor"]],
            ["workflow_submitted", "stage_ready", "workflow_started", "stage_started", "stage_finished", "workflow_finished"],
        )

    def test_describe_and_queue(self):
        d = self.sim_json("describe", "r.h5", "urgent", "solver", "--at", "13min")
        self.assertEqual((d["at"], d["age"], d["effective_priority"]), (780, 480, 480 / 3600))
        self.assertEqual(d["inputs"]["workflow.priority"], 0)
        q = self.sim_json("queue", "r.h5", "--at", "13min", "--as", "ada", "--mine")
        self.assertEqual((q["at"], q["total"]), (780, 173))
        self.assertEqual(q["rows"][0], {"position": 1, "workflow": "urgent", "stage": "solver", "effective_priority": 480 / 3600})
        self.assertEqual(q["rows"][1]["workflow"], "backlog[8]")
        self.assertEqual(self.sim_json("queue", "r.h5", "--at", "13min", "--as", "ben", "--mine")["rows"], [])
        ended = self.sim_json("describe", "r.h5", "backlog[4]", "--at", "1h")
        self.assertEqual((ended["state"], ended["effective_priority"]), ("finished", None))
        self.assertEqual(ended["inputs"]["workflow.priority"], -5)

    def test_explain(self):
        e = self.sim_json("explain", "r.h5", "urgent")
        self.assertEqual(e["wait"], 900)
        self.assertEqual({c["cause"]: c["seconds"] for c in e["causes"]}, {"older": 600, "already_running": 300})
        self.assertEqual(e["causes"][0]["by"], [{"workflow": f"backlog[{i}]", "seconds": 150} for i in range(4, 8)])
        self.sim("-w", EXAMPLES / "catch_up.yaml", "-p", "default", "-o", "c.h5")
        bulk = self.sim_json("explain", "c.h5", "bulk")
        self.assertEqual(bulk["wait"], 54000)
        self.assertEqual([(c["cause"], c["seconds"]) for c in bulk["causes"]], [("higher_base", 54000)])

    def test_what_is_asked_wrongly(self):
        self.assertIn("did you mean 'urgent'", self.sim("describe", "r.h5", "urgnet", status=BAD_INPUT).stderr)
        self.assertIn("solver", self.sim("describe", "r.h5", "urgent", "solvr", status=BAD_INPUT).stderr)
        self.assertIn("not yet at 60 s", self.sim("describe", "r.h5", "urgent", "--at", "1min", status=BAD_INPUT).stderr)
        self.assertIn("--at", self.sim("queue", "r.h5", status=USAGE).stderr)
        self.assertIn("go together", self.sim("queue", "r.h5", "--at", "1min", "--mine", status=USAGE).stderr)
        self.assertIn("--at", self.sim("queue", "r.h5", "--at", "soon", status=USAGE).stderr)
        self.sim("audit", "nothing.h5", status=NO_INPUT)
        self.sim("explain", "r.h5", "urgent", "--run", "1", status=USAGE)
        self.sim("audit", "r.h5", "--run", "0", status=OK)


class ActionsAfterTheEnd(EndToEnd):
    WORK = "work: [{workflow: w, stages: [{name: s, runtime: 1min}]}]\nactions:\n  - {at: 30s, update: {workflow: w, priority: -1}}\n"

    def test_are_reported_with_their_places(self):
        late = "".join(f"  - {{at: {hour}h, update: {{workflow: w, priority: -{hour}}}}}\n" for hour in range(1, 7))
        self.write("w.yaml", self.WORK + late)
        warnings = {w["code"]: w["text"] for w in self.sim_json("-w", "w.yaml", "-o", "r.h5")["warnings"]}
        self.assertEqual(
            warnings["actions"],
            "6 actions were never done: the run was over at 60 s; line 4:5 at 3600 s, line 5:5 at 7200 s, line 6:5 at 10800 s, "
            "line 7:5 at 14400 s, line 8:5 at 18000 s and 1 more",
        )
        self.assertIn("never done", self.sim("-w", "w.yaml", "-o", "s.h5").stdout.replace("\n", " "))
        with h5py.File(self.dir / "r.h5") as f:
            self.assertIn(b"actions", list(f["warnings/code"][:]))

    def test_there_is_nothing_to_say_where_all_were_done(self):
        self.write("w.yaml", self.WORK)
        self.assertNotIn("actions", [w["code"] for w in self.sim_json("-w", "w.yaml", "-o", "r.h5")["warnings"]])


class PolicyOnTheCommandLine(EndToEnd):
    def test_in_braces_is_not_split_at_its_commas(self):
        self.write("w.yaml", "work: [{workflow: w, stages: [{name: s, runtime: 1min}]}]\n")
        inline = "{policy: mine, priority: 'min(cap, 2) + x', params: {cap: 24, x: 1}, ties: [tail_time, declaration]}"
        runs = self.sim_json("-w", "w.yaml", "-p", f"race,{inline},fcfs", "-o", "r.h5")["runs"]
        self.assertEqual([r["policy"] for r in runs], ["race", "mine", "fcfs"])
        wrong = self.sim("-w", "w.yaml", "-p", "{policy: mine, tise: [random]}", "-o", "s.h5", status=BAD_INPUT)
        self.assertIn("did you mean 'ties'", wrong.stderr)


class WithoutAPriority(EndToEnd):
    def test_is_counted_and_said(self):
        self.write(
            "w.yaml",
            "cluster: {slots: 1}\nwork:\n  - {workflow: first, stages: [{name: s, runtime: 1min}]}\n"
            "  - {workflow: bad, priority: -1, stages: [{name: s, runtime: 1min}]}\n"
            "  - {workflow: good, at: 1s, stages: [{name: s, runtime: 1min}]}\n",
        )
        done = self.sim_json("-w", "w.yaml", "-p", "expr:0 % (workflow.priority + 1)", "-o", "r.h5")
        self.assertEqual(done["runs"][0]["metrics"]["unranked_stages"], 1)
        [warning] = [w["text"] for w in done["warnings"] if w["code"] == "unranked"]
        self.assertIn("stage 's' of 'bad' at 0 s", warning)
        self.assertIn("(1:3)", warning)
        with h5py.File(self.dir / "r.h5") as f:
            self.assertEqual(f["runs/unranked_stages"][0], 1)
            self.assertIn(b"unranked", list(f["warnings/code"][:]))
            self.assertEqual([w["workflow"] for w in self.sim_json("queue", "r.h5", "--at", "30s")["rows"]], ["good", "bad"])


def random_workload(rng):
    """Jobs and small graphs of three people, and everybody changing what they may, and some what they may not."""
    lines = ["cluster: {slots: 2}", f"scheduler: {{tick: {rng.choice(['0s', '0s', '7s'])}}}", "tenants:", "  administrators: [root]"]
    lines += ["  users: {ada: {priority: 1}, ben: {}, eve: {priority: -1}}", "  organizations:"]
    lines += ["    - {organization: acme, priority: 2, owners: [olivia], accounts: [{account: a, users: [ada, ben]}]}"]
    lines += ["    - {organization: globex, owners: [otto], accounts: [{account: b, priority: 1, users: [eve]}]}", "work:"]
    count = rng.randint(4, 12)
    for i in range(count):
        user = rng.choice(["ada", "ben", "eve"])
        account = "b" if user == "eve" else "a"
        length = lambda: f"{rng.randint(1, 40)}min"
        second = f", {{name: y, runtime: {length()}, needs: [x]}}" if rng.random() < 0.4 else ""
        lines.append(
            f"  - {{workflow: w{i}, user: {user}, account: {account}, at: {rng.randint(0, 60)}min, priority: {-rng.randint(0, 2)},"
            f" stages: [{{name: x, runtime: {length()}}}{second}]}}"
        )
    lines.append("actions:")
    for _ in range(rng.randint(3, 10)):
        at = f"at: {rng.randint(0, 150)}min"
        what = rng.choice(
            [f"update: {{workflow: w{rng.randrange(count)}, priority: {rng.randint(-3, 3)}}}"] * 3
            + [f"update: {{account: {rng.choice('ab')}, priority: {rng.randint(-2, 3)}}}"]
            + [f"update: {{user: {rng.choice(['ada', 'ben', 'eve'])}, priority: {rng.randint(-2, 3)}}}"]
            + [f"update: {{organization: {rng.choice(['acme', 'globex'])}, priority: {rng.randint(-2, 3)}}}"]
            + [f"stop: {{workflow: w{rng.randrange(count)}}}"]
        )
        lines.append(f"  - {{{at}, by: {rng.choice(['ada', 'ben', 'eve', 'olivia', 'otto', 'root'])}, {what}}}")
    # Last in the file, so of one instant after every change and before the pass.
    for minute in rng.sample(range(150), 8):
        lines.append(f"  - {{at: {minute * 60 // 7 * 7}s, by: ada, queue: {{}}}}")
    return "\n".join(lines) + "\n"


class ViewsAtAnyInstant(EndToEnd):
    """What is said afterwards is what the scheduler itself said then: each recorded look at the queue, place by place, and
    the priority of each stage at its start."""

    def compare(self, label):
        """How many rows and stages agreed."""
        compared = 0
        with h5py.File(self.dir / "r.h5") as f:
            names = [n.decode() for n in f["workflows/name"]]
            stage_names = {s: n.decode() for s, n in zip(f["stages/stage"][:], f["stages/name"][:])}
            v, views = f["queue_views"], {}
            columns = ("time", "position", "workflow", "stage", "effective_priority")
            for time, position, workflow, stage, value in zip(*(v[c][:] for c in columns)):
                views.setdefault(time, []).append((position, names[workflow], stage_names[stage], or_none(value)))
            s = f["stages"]
            starts = list(zip(*(s[c][:] for c in ("started_at", "workflow", "name", "effective_priority"))))
        for time, rows in views.items():
            said = self.sim_json("queue", "r.h5", "--at", f"{time}s")
            self.assertEqual(
                [(r["position"], r["workflow"], r["stage"], r["effective_priority"]) for r in said["rows"]],
                sorted(rows),
                f"{label} at {time} s",
            )
            compared += len(rows)
        for time, workflow, stage, value in [start for start in starts if start[0] == start[0]][:4]:
            said = self.sim_json("describe", "r.h5", names[workflow], stage.decode(), "--at", f"{time}s")
            self.assertEqual(said["effective_priority"], or_none(value), f"{label}: {names[workflow]} {stage} at {time} s")
            compared += 1
        return compared

    def test_the_queue_and_each_place_in_it_is_what_the_pass_used(self):
        compared = 0
        for case in range(10):
            workload = self.write("w.yaml", random_workload(random.Random(case)))
            self.sim("-w", workload, "-o", "r.h5", "--force", "--format", "quiet")
            compared += self.compare(f"case {case}")
        self.assertGreater(compared, 100)

    def test_so_it_is_by_every_preset(self):
        presets = [line.split()[0] for line in self.sim("policies").stdout.splitlines() if line[:1].isalpha()]
        self.assertIn("random", presets)
        for number, preset in enumerate(presets):
            workload = self.write("w.yaml", random_workload(random.Random(100 + number)))
            self.sim("-w", workload, "-p", preset, "-o", "r.h5", "--force", "--format", "quiet")
            self.assertGreater(self.compare(preset), 4, preset)

    def test_so_it_is_by_whatever_expression_is_accepted(self):
        age = "(now() - workflow.create_time).Hours()"
        for number, expression in enumerate(
            [
                # Names, ids, dates.
                f"{age} + (user.name == 'eve' ? 2 : 0) - (workflow.name == 'w3' ? 1 : 0) + (account.name == 'b' ? 0.5 : 0)",
                "int(workflow.id) * -1 + int(user.id) + int(account.id) + int(organization.id)",
                f"{age} + (organization.name == 'acme' and now().Hour() >= 10 ? 3 : 0) + now().Minute() / 60",
                # The stage.
                f"{age} + stage.tail_time.Hours() + stage.attempt * 0.25",
                f"min({age}, 0.5) * 2 + stage.estimate.Hours() - stage.cores + workflow.priority",
                "min((now() - stage.ready_time).Minutes(), 20) + user.priority",
                # The queue, a parameter, what has no exact form, what fails for some.
                f"weight * min({age}, cap) + account.priority",
                f"{age} ** 1.5 + workflow.priority / 3",
                f"max({age} - 1, 0) ** 0.5 + (stage.ready_time - workflow.create_time).Hours()",
                f"{age} + 0 % (workflow.priority + 1)",
                f"{age} / (user.priority - user.priority) * (workflow.priority + 1)",
            ]
        ):
            text = "start: 2026-03-01T07:30:00+02:00\n" + random_workload(random.Random(200 + number))
            policy = f'{{policy: mine, priority: "{expression}", ties: [tail_time, random], params: {{weight: 1.5, cap: 0.75}}}}'
            self.write("w.yaml", text + f"policies: [{policy}]\n")
            self.sim("-w", "w.yaml", "-o", "r.h5", "--force", "--format", "quiet")
            self.assertGreaterEqual(self.compare(expression), 4, expression)

    def test_so_it_is_where_stages_are_tried_again_displaced_and_gated(self):
        age = "(now() - workflow.create_time).Hours()"
        for number, (preemption, expression) in enumerate(
            [
                ("requeue", f"{age} + workflow.priority"),
                ("suspend", "min((now() - stage.ready_time).Minutes(), 7) + workflow.priority * 10"),
                ("requeue", f"{age} - stage.attempt + workflow.priority"),
            ]
        ):
            rng = random.Random(300 + number)
            text = random_workload(rng).replace("scheduler: {", "scheduler: {hold_scope: declarer, ", 1)
            text = text.replace("{name: x, ", "{name: x, preemptible: true, retry: 1, fails: {probability: 0.4}, ")
            plan = "  - {workflow: plan, user: ada, account: a, at: 5min, plan: {startup: 1min, teardown: 1min, steps: ["
            plan += "{name: a, count: 4, runtime: 20min}, {pause: 3min}, {hold: [{pause: 9min}, {name: b, runtime: 5min}]}]}}\n"
            text = text.replace("actions:\n", plan + "actions:\n  - {at: 560s, by: ada, queue: {}}\n  - {at: 861s, by: ada, queue: {}}\n")
            policy = f'{{policy: mine, priority: "{expression}", ties: [declaration], preemption: {preemption}}}'
            self.write("w.yaml", text + f"policies: [{policy}]\n")
            self.sim("-w", "w.yaml", "-o", "r.h5", "--force", "--format", "quiet")
            self.assertGreater(self.compare(expression), 4, expression)
            with h5py.File(self.dir / "r.h5") as f:
                self.assertIn("gates", f, "the second hold gates steps that could start")


def or_none(value):
    """Of no priority, JSON says null."""
    return None if value != value or value in (float("inf"), float("-inf")) else value


if __name__ == "__main__":
    unittest.main()
