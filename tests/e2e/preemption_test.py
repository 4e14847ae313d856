"""Preemption as an administrator meets it: a cluster of two nodes, one of them cordoned, a low job on each, and a job that
needs a whole node. All numbers are worked out by hand."""

import unittest

import h5py

from headroom_test import EndToEnd, rows

CLUSTER = """
cluster: {nodes: [{name: n, count: 2, cores: 4}]}
tenants:
  administrators: [root]
  users: {ada: {}}
  organizations: [{organization: acme, accounts: [{account: lab, users: [ada]}]}]
work:
- {workflow: low, user: ada, priority: -10, preemptible: true, stages: [{name: s, runtime: 100s, cores: 4, checkpoint: 4s}]}
- {workflow: closed, user: ada, priority: -10, preemptible: true, stages: [{name: s, runtime: 100s, cores: 4}]}
- {workflow: high, user: ada, at: 10s, stages: [{name: s, runtime: 5s, cores: 4}]}
actions: [{at: 5s, by: root, cordon: {node: "n[1]"}}]
"""


class Preemption(EndToEnd):
    def run_with(self, preemption):
        policy = f'{{policy: mine, priority: "workflow.priority", ties: [declaration], preemption: {preemption}}}'
        self.write("w.yaml", CLUSTER + f"policies: [{policy}]\n")
        return self.sim_json("-w", "w.yaml", "-o", "r.h5", "--force")["runs"][0]["metrics"]

    def starts_of(self, stage_row_of="low"):
        with h5py.File(self.dir / "r.h5") as f:
            names = [name.decode() for name in f["workflows/name"]]
            return [
                (start, end, state)
                for w, start, end, state in rows(f["stages"], "workflow", "started_at", "finished_at", "state")
                if names[w] == stage_row_of
            ]

    def test_off_displaces_nobody(self):
        metrics = self.run_with("off")
        self.assertEqual((metrics["preemptions"], metrics["lost_work_time"]), (0, 0))
        self.assertEqual(self.starts_of("high"), [(100, 105, "finished")])

    def test_requeue_loses_what_came_after_the_last_checkpoint(self):
        metrics = self.run_with("requeue")
        self.assertEqual((metrics["preemptions"], metrics["lost_work_time"]), (1, 2 * 4))
        self.assertEqual(self.starts_of("high"), [(10, 15, "finished")])
        self.assertEqual(self.starts_of("low"), [(0, 10, "preempted"), (15, 107, "finished")])
        # It would be the first to go, but what ends on a cordoned node makes no room.
        self.assertEqual(self.starts_of("closed"), [(0, 100, "finished")])

    def test_suspend_loses_nothing(self):
        metrics = self.run_with("suspend")
        self.assertEqual((metrics["preemptions"], metrics["lost_work_time"]), (1, 0))
        self.assertEqual(self.starts_of("low"), [(0, 10, "preempted"), (15, 105, "finished")])

    def test_a_minimum_run_and_a_grace_put_it_off(self):
        self.run_with("{mode: suspend, minimum_run: 12s, grace: 3s}")
        self.assertEqual(self.starts_of("high"), [(15, 20, "finished")])

    def test_the_views_say_what_happened(self):
        self.run_with("requeue")
        events = [(e["time"], e["kind"]) for e in self.sim_json("events", "r.h5", "low")]
        self.assertIn((10, "stage_preempted"), events)
        [gone] = [e for e in self.sim_json("events", "r.h5", "low") if e["kind"] == "stage_preempted"]
        self.assertEqual(gone["detail"], "for stage 's' of workflow 'high', of higher priority, by rule R32")
        self.assertIn("workflow 'high'", self.sim("events", "r.h5", "low").stdout)
        told = self.sim("explain", "r.h5", "low").stdout
        self.assertIn("queued for 5 s", told)
        self.assertIn("high 5 s", told)


if __name__ == "__main__":
    unittest.main()
