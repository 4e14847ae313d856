"""sim verify: the examples, a real log under EASY, and files that were changed by hand."""

import json
import shutil
import unittest

from headroom_test import BAD_INPUT, EXAMPLES, NO_INPUT, SAID_NO, TRACES, EndToEnd, skip_or_fail

try:
    import h5py
except ImportError:
    h5py = None


class Verify(EndToEnd):
    def verdict(self, results, status=0):
        return json.loads(self.sim("verify", results, "--format", "json", status=status).stdout)

    def test_every_example_keeps_its_rules_under_every_policy(self):
        for example in sorted(EXAMPLES.glob("*.yaml")):
            with self.subTest(example.name):
                self.sim("-w", example, "-p", "default,race,tail_time,fcfs,easy,easy_sjbf,conservative,sjf", "-o", "r.h5", "--force",
                         "--format", "quiet", "--set", "record.stages=true")
                verdict = self.verdict("r.h5")
                self.assertTrue(verdict["ok"], verdict)
                for run in verdict["runs"]:
                    self.assertEqual(run["verdict"], "ok", run)
                    self.assertGreater(run["checked"]["capacity"], 0)

    PREEMPTED = """
cluster: {slots: 2}
tenants:
  users: {ada: {}}
  organizations: [{organization: acme, accounts: [{account: lab, users: [ada]}]}]
work:
  - {workflow: low, user: ada, priority: -5, preemptible: true, stages: [{name: s, runtime: 100s, count: 5}]}
  - {workflow: high, user: ada, priority: -9, at: 10s, stages: [{name: s, runtime: 30s, count: 3}]}
  - {workflow: middle, user: ada, priority: -7, at: 20s, stages: [{name: s, runtime: 50s, cores: 2}]}
actions:
  - {at: 30s, by: ada, update: {workflow: high, priority: 0}}
  - {at: 200s, by: ada, update: {workflow: middle, priority: -1}}
"""

    def test_order_is_checked_where_priorities_change_and_stages_are_displaced(self):
        self.write("w.yaml", self.PREEMPTED)
        age = "(now() - workflow.create_time).Hours() + organization.priority + account.priority + user.priority + workflow.priority"
        for mode in ("off", "requeue", "suspend"):
            with self.subTest(mode):
                self.write("p.yaml", f'policy: p\npriority: "{age}"\nties: [tail_time, declaration]\npreemption: {mode}\n')
                run = self.sim_json("-w", "w.yaml", "-p", "./p.yaml", "-o", "r.h5", "--force")["runs"][0]
                # Two go at 30 s, where two of `high` start; at 200 s two more for the wide one.
                self.assertEqual(run["metrics"]["preemptions"], 0 if mode == "off" else 4)
                [checked] = self.verdict("r.h5")["runs"]
                self.assertEqual((checked["verdict"], checked["not_checked"]), ("ok", []), checked)
                self.assertGreater(checked["checked"]["order"], 8)

    def test_a_wrong_order_is_found_there_too(self):
        if h5py is None:
            skip_or_fail(self, "no h5py")
        self.write("w.yaml", self.PREEMPTED)
        age = "(now() - workflow.create_time).Hours() + organization.priority + account.priority + user.priority + workflow.priority"
        for mode in ("off", "requeue"):
            self.write("p.yaml", f'policy: p\npriority: "{age}"\nties: [tail_time, declaration]\npreemption: {mode}\n')
            self.sim("-w", "w.yaml", "-p", "./p.yaml", "-o", "r.h5", "--force", "--format", "quiet")
            with h5py.File(self.dir / "r.h5", "r+") as file:
                new = file["events/new"][:]
                new[file["events/time"][:] == 30] = -9  # `high` was never raised
                file["events/new"][:] = new
            run = self.verdict("r.h5", status=SAID_NO)["runs"][0]
            self.assertIn("order", run["violated"])
            self.assertIn("priority", run["violated"])
            texts = [v["text"] for v in run["violations"] if v["rule"] == "order"]
            self.assertIn("displaced for" if mode == "requeue" else "would have fitted", texts[0])

    def test_pools_and_several_nodes_are_checked(self):
        workload = self.write("w.yaml", """
cluster: {nodes: [{name: n, count: 3, cores: 4, memory: 8GiB, gpus: 1}], pools: {license: 2}}
work:
  - workflow: a
    stages:
      - {name: wide, runtime: 3s, nodes: 2, cores: 3, count: 4}
      - {name: held, runtime: 5s, resources: {license: 1}, count: 6}
      - {name: last, runtime: 1s, gpus: 1, memory: 6GiB, needs: [wide, held]}
""")
        self.sim("-w", workload, "-p", "default,fcfs,easy", "-o", "r.h5", "--format", "quiet")
        self.assertTrue(self.verdict("r.h5")["ok"])
        if h5py is None:
            skip_or_fail(self, "no h5py")
        with h5py.File(self.dir / "r.h5", "r+") as file:
            file["requests/amount"][0] = 2
        self.assertIn("capacity", self.verdict("r.h5", status=SAID_NO)["runs"][0]["violated"])

    def test_a_real_log_under_easy(self):
        trace = TRACES / "swf/KTH-SP2-1996-2.swf"
        if not trace.is_file():
            skip_or_fail(self, f"no traces at {TRACES}")
        self.sim("-w", trace, "-p", "fcfs,easy,easy_sjbf", "-o", "r.h5", "--format", "quiet")
        verdict = self.verdict("r.h5")
        self.assertTrue(verdict["ok"], verdict["runs"][0]["violations"][:3])
        for run in verdict["runs"]:
            self.assertEqual(run["checked"]["capacity"], 28489, run["checked"])
            self.assertEqual(run["not_checked"], [])
            self.assertGreater(run["checked"]["order"], 25000)
        self.assertGreater(verdict["runs"][1]["checked"]["reservation"], 1000)

    def test_a_damaged_file_is_said_no_to(self):
        if h5py is None:
            skip_or_fail(self, "no h5py")
        workload = self.write("w.yaml", """
cluster: {slots: 2}
work: [{workflow: a, stages: [{name: x, runtime: 4s, count: 6}, {name: y, runtime: 2s, needs: [x]}]}]
""")
        self.sim("-w", workload, "-p", "default", "-o", "good.h5", "--format", "quiet")
        self.sim("verify", "good.h5")

        def damaged(change):
            shutil.copy(self.dir / "good.h5", self.dir / "bad.h5")
            with h5py.File(self.dir / "bad.h5", "r+") as file:
                change(file["stages"])
            run = self.verdict("bad.h5", status=SAID_NO)["runs"][0]
            return set(run["violated"]), run["violations"][0]

        def early(stages):
            stages["started_at"][2] = 4 - 1e-9

        rules, first = damaged(early)
        self.assertTrue({"run_time", "capacity", "grid"} <= rules, rules)
        self.assertEqual((first["name"], first["stage"]), ("stage 2 'x[2]' of 'a'", 2))

        def wide(stages):
            stages["cores"][0] = 2

        self.assertIn("capacity", damaged(wide)[0])

        def late(stages):
            stages["started_at"][6] += 1
            stages["finished_at"][6] += 1

        self.assertIn("idle", damaged(late)[0])
        text = self.sim("verify", "bad.h5", status=SAID_NO).stdout
        self.assertIn("  idle: stage 6 'y' of 'a' at 12 s: eligible since 12 s, it still waits though it fits\n", text)
        self.assertIn("violation", text.splitlines()[-1])

    def test_what_is_not_there_or_does_not_say_enough(self):
        self.sim("verify", "none.h5", status=NO_INPUT)
        self.sim("verify", self.write("text.h5", "no results"), status=BAD_INPUT)
        workload = self.write("w.yaml", "work: [{workflow: a, stages: [{name: x, runtime: 4s}]}]\nrecord: {stages: false}\n")
        self.sim("-w", workload, "-o", "r.h5", "--format", "quiet")
        out = self.sim("verify", "r.h5").stdout
        self.assertIn("not checked: its stages were not recorded (record.stages)", out)


if __name__ == "__main__":
    unittest.main()
